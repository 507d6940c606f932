# SPDX-License-Identifier: Apache-2.0
# Outcomes, buckets, limits of processor time, reports of a campaign.
. "$(dirname "$0")/lib.sh"
cat >s.yaml <<'Y'
name: s
jobs:
  - {name: good, command: [sh, -c, "echo fine"], tags: [quick]}
  - {name: one, command: [sh, -c, "echo 'smcosim: mismatch: block banked_rf, cycle 534, port rd_data_o[3] (instance a)'>&2; echo '  that is: bank 3 delivers to collector 11: warp 2'>&2; exit 1"]}
  - {name: two, command: [sh, -c, "echo 'smcosim: mismatch: block banked_rf, cycle 9, port rd_data_o[0] (instance a)'>&2; echo '  that is: bank 1 delivers to collector 4: warp 7'>&2; exit 1"]}
  - {name: known, command: [sh, -c, "exit 4"], expect: {verdict: status 4, reason: "a <b>known</b> & old one"}}
  - {name: repaired, command: ["true"], expect: {verdict: status 4, reason: repaired since}}
  - {name: otherwise, command: [sh, -c, "exit 3"], expect: {verdict: hang, reason: another one}}
  - {name: endless, command: [sh, -c, "while :; do :; done"], limit: 1}
  - {name: crash, command: [sh, -c, "kill -SEGV $$"]}
  - {name: missing, command: [no-such-program]}
  - {name: late, command: [sh, -c, "echo 'smcosim: verilating banked_rf (Banks=4), once; this can take a minute'>&2; echo 'smcosim: note: large'>&2; echo 'smcosim: no cell fits in /tmp/x$$/a'>&2; exit 7"]}
  - {name: soon, command: [sh, -c, "echo 'smcosim: no cell fits in /tmp/y$$/a'>&2; exit 7"]}
  - {name: own, command: [sh, -c, "smcosim --version"]}
  - {name: ours, command: [smcosim, list, nothing]}
  - {name: nul, command: [sh, -c, "printf 'smcosim: a\\0b, then c\\n' >&2; exit 1"]}
Y
expect 1 "$smcosim" regress s.yaml --jobs 2
said "2 x banked_rf.rd_data_o: bank # delivers to collector #"
said "suite s: 2 of 14 cases pass, 1 fail as expected, 11 fail"
# smcosim's progress output, and names that differ each time, make no other cause.
said "2 x status 7: no cell fits in /tmp/#/a"
python3 - <<'P'
import json, xml.etree.ElementTree as x
r = json.load(open('regress-s/report.json'))
got = {c['key']: (c['outcome'], c['verdict']) for c in r['cases']}
# Statuses of other programs are not smcosim's.
want = {'good': ('pass', 'pass'), 'one': ('fail', 'status 1'), 'two': ('fail', 'status 1'), 'known': ('expected failure', 'status 4'),
        'repaired': ('unexpected', 'pass'), 'otherwise': ('unexpected', 'status 3'), 'ours': ('fail', 'usage'), 'missing': ('fail', 'status 127'),
        'endless': ('fail', 'timeout'), 'crash': ('fail', 'crash'),
        'own': ('pass', 'pass')}
for key, value in want.items(): assert got[key] == value, (key, got[key], value)
assert [c['message'] for c in r['cases'] if c['key'] == 'late'][0].startswith('smcosim: no cell'), 'progress in the message'
assert r['counts'] == {'none': 0, 'pass': 2, 'fail': 9, 'expected failure': 1, 'unexpected': 2}, r['counts']
suite = x.parse('regress-s/junit.xml').getroot()[0]
cases = suite.findall('testcase')
assert len(cases) == 14 == int(suite.get('tests'))
nul = [c.find('failure') for c in cases if c.get('name') == 'nul'][0]
assert 'a\\x00b, then c' in nul.text and nul.get('type') == 'status 1', nul.text
assert len([c for c in cases if c.find('failure') is not None]) == int(suite.get('failures'))
assert len([c for c in cases if c.find('error') is not None]) == int(suite.get('errors'))
assert 'known</b> & old' in [c.find('skipped').get('message') for c in cases if c.find('skipped') is not None][0]
P
# Each case ran once, in a folder that holds its output.
grep -q fine regress-s/cases/00000/out.txt || fail "output of a case"
[ "$(query smcosim-history.db 'SELECT count(*) FROM result')" = 14 ] || fail "rows of the history"
expect 0 "$smcosim" regress s.yaml --tag quick --out quick --json j.json
said "suite s: 1 of 1 cases pass"
python3 -c 'import json; assert json.load(open("j.json"))["counts"]["pass"] == 1'
