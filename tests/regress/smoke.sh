# SPDX-License-Identifier: Apache-2.0
# The shipped suites are read; the block jobs of smoke run, with their bins, and the seeded fault is found.
. "$(dirname "$0")/lib.sh"
export SMCOSIM_CACHE="${SMCOSIM_CACHE:-$HOME/.cache/smcosim}"
expect 0 "$smcosim" regress smoke --tag block --jobs 2
said "fail as expected"
python3 - <<'P'
import json
r = json.load(open('regress-smoke/report.json'))
assert r['counts']['expected failure'] == 1 and r['counts']['fail'] == 0, r['counts']
seeded = [c for c in r['cases'] if c['job'] == 'seeded'][0]
assert seeded['verdict'] == 'mismatch' and seeded['bucket'].startswith('width_detect.'), seeded
assert all(c['cycles'] > 0 for c in r['cases'] if c['outcome'] == 'pass')
P
grep -q 'id="coverage"' regress-smoke/index.html || fail "coverage of the page"
for suite in nightly full; do
    expect 2 "$smcosim" regress $suite --tag none
    said "no job has one of the tags"
done
