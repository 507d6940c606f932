# SPDX-License-Identifier: Apache-2.0
# The shipped suites are read; smoke runs as a whole. Kernels in lockstep give every block of each
# architecture work, blocks have their bins, the seeded fault is found. ci/full runs the others.
. "$(dirname "$0")/lib.sh"
export SMCOSIM_CACHE="${SMCOSIM_CACHE:-$HOME/.cache/smcosim}"
expect 0 "$smcosim" regress smoke --jobs 2
said "1 fail as expected, 0 fail"
python3 - <<'P'
import json
r = json.load(open('regress-smoke/report.json'))
assert r['counts']['expected failure'] == 1 and r['counts']['fail'] == 0, r['counts']
seeded = [c for c in r['cases'] if c['job'] == 'seeded'][0]
assert seeded['verdict'] == 'mismatch' and seeded['bucket'].startswith('width_detect.'), seeded
assert all(c['cycles'] > 0 for c in r['cases'] if c['outcome'] == 'pass' and c['kind'] != 'formal')
# Evidence adds up: vecadd alone leaves the blocks of some architectures idle.
assert {c['idle'] for c in r['cases'] if c['key'] == 'kernels/vecadd arch=regmutex'} == {'srp_allocator, arch_to_phys'}
assert {b['arch'] for b in r['work']} == {'baseline', 'corf++', 'corf++:rfv', 'regmutex', 'pmode'}
assert all(b['worked'] and not b['vacuous'] for b in r['work']), r['work']
P
grep -q 'id="coverage"' regress-smoke/index.html || fail "coverage of the page"
for suite in nightly full; do
    expect 2 "$smcosim" regress $suite --tag none
    said "no job has one of the requested tags"
    expect 0 "$smcosim" regress $suite --out $suite --cases-only --shard 90000/100000 --seed 1
done
# The night runs every architecture that has no other in it, and names no block, kernel or architecture that is gone.
"$smcosim" list archs --all >archs
"$smcosim" list blocks >blocks
python3 - <<'P'
import json, os
words = lambda name: {line.split()[0] for line in open(name) if line[0] != ' '}
archs, blocks = words('archs'), words('blocks')
plans = {suite: json.load(open(f'{suite}/plan.json')) for suite in ('nightly', 'full')}
value = lambda argv, option: argv[argv.index(option) + 1] if option in argv else None
named = {suite: {value(c['argv'], '--arch') for c in p['cases'] if c['kind'] == 'run'} for suite, p in plans.items()}
assert named['nightly'] - archs - {None} == set() and named['full'] - archs == set(), named
missing = {a for a in archs if ':' not in a} - named['nightly'] - {'baseline'}
assert not missing, f'architectures that no job of nightly runs: {missing}'
tested = {c['argv'][2] for c in plans['nightly']['cases'] if c['kind'] == 'verify'}
assert tested == blocks, tested ^ blocks
for suite, plan in plans.items():
    for c in plan['cases']:
        if c['kind'] == 'synth': assert os.path.exists(os.path.join(plan['dir'], value(c['argv'], '--check'))), c
        if c['kind'] == 'formal': assert os.access(os.path.join(plan['dir'], c['argv'][0]), os.X_OK), c
        if c['kind'] in ('synth', 'mutate'): assert c['argv'][2] in blocks, c
P
