# SPDX-License-Identifier: Apache-2.0
# The work of the blocks' RTL adds up over the cases of a campaign, over its interrupts, shards and
# their merging. A block without work in any case makes it vacuous. The program under test is a
# script that leaves the report given in its arguments.
. "$(dirname "$0")/lib.sh"
mkdir bin
cat >bin/tool <<'T'
#!/bin/sh
# tool FOLDER ARCH IDLE WORKED [CHECKED [VERDICT [RTL]]]: the report of one launch with two blocks at most ("none").
python3 - "$@" <<'P'
import json, sys
folder, arch, idle, worked, checked, verdict, rtl = sys.argv[1:] + ["yes", "pass", ""][len(sys.argv) - 5:]
own = {"rtl": rtl} if rtl else {}
blocks = {b: {"mode": "lockstep", "cycles_with_work": n, **own} for b, n in ((idle, 0), (worked, 7)) if b != "none"}
launch = {"verdict": verdict, "cycles": 5, "blocks": blocks, "idle": [idle] * (idle != "none"), "results_checked": checked != "no"}
json.dump({"arch": arch, "verdict": verdict, "launches": [launch]}, open(folder + "/report.json", "w"))
P
[ "${6-pass}" = pass ]
T
chmod +x bin/tool
PATH=$work/bin:$PATH
suite() {  # LINE..: jobs of the suite s
    printf 'name: s\njobs:\n' >s.yaml
    printf '  - {name: %s\n' "$@" >>s.yaml
}
tool='command: [tool, "{}"'
counts() { query smcosim-history.db "SELECT arch, block, rtl, worked, idle, vacuous FROM work WHERE campaign = (SELECT max(number) FROM campaign) ORDER BY arch, block, rtl" | tr '\n' ';'; }

# Idle in one case, at work in another: no failure, but named wherever the case is.
suite "one, $tool, x, a, b]}" "two, $tool, x, none, a]}" "three, $tool, y, none, a, no]}"
expect 0 "$smcosim" regress s.yaml --out good
said "suite s: 3 of 3 cases pass, 0 fail as expected, 0 fail"
said "note: 1 case passed without any check of results"
[ "$(counts)" = "x a  1 1 0;x b  1 0 0;y a  1 0 0;" ] || fail "the history: $(counts)"
python3 - <<'P'
import json, xml.etree.ElementTree as x
cases = {c['key']: c for c in json.load(open('good/report.json'))['cases']}
assert cases['one']['idle'] == 'a' and 'idle' not in cases['two'] and cases['three']['results_checked'] is False, cases
of = {c.get('name'): {p.get('name'): p.get('value') for p in c.iter('property')} for c in x.parse('good/junit.xml').getroot()[0].findall('testcase')}
assert of == {'one': {'idle': 'a'}, 'two': {}, 'three': {'results': 'not checked'}}, of
page = open('good/index.html').read()
assert ' idle: a' in page and 'pass, results not checked' in page and 'class="fail vacuous"' not in page
P
expect 0 "$smcosim" regress history one
said "idle: a"
expect 0 "$smcosim" regress history three
said "results not checked"

# No case gave it work: status 5, with block and architecture. Work of another architecture or
# another RTL does not count. Neither does that of a case whose failure is expected; a case of a job
# with --allow-idle need not have any.
suite "one, $tool, x, a, b]}" "two, $tool, y, none, a]}" "three, $tool, x, none, a, yes, pass, mine.sv]}" \
    "four, $tool, x, none, a, yes, mismatch], expect: {verdict: mismatch, reason: seeded}}" "five, $tool, x, c, b], options: [--allow-idle]}"
expect 5 "$smcosim" regress s.yaml --out bad
said "vacuous: no case gave work to a (architecture x, idle in 1 case)"
said "4 of 5 cases pass, 1 fail as expected, 0 fail, 1 block had no work"
[ "$(counts)" = "x a  0 1 1;x a mine.sv 1 0 0;x b  2 0 0;y a  1 0 0;" ] || fail "the history: $(counts)"
python3 - <<'P'
import json, xml.etree.ElementTree as x
assert [(b['arch'], b['block']) for b in json.load(open('bad/report.json'))['work'] if b['vacuous']] == [('x', 'a')]
suite = x.parse('bad/junit.xml').getroot()[0]
failed = [(c.get('name'), c.find('failure').get('type')) for c in suite.findall('testcase') if c.find('failure') is not None]
assert failed == [('x: a', 'vacuous')] and suite.get('failures') == '1' and suite.get('tests') == '6', failed
page = open('bad/index.html').read()
assert page.count('class="fail vacuous"') == 1 and 'no case gave work to a (architecture x' in page
P
expect 1 "$smcosim" regress diff
said "blocks newly without work"
expect 0 "$smcosim" regress history
said "vacuous: 1 block had no work"
# A case that failed decides the status.
suite "one, $tool, x, a, b]}" "two, command: [sh, -c, 'exit 3']}"
expect 3 "$smcosim" regress s.yaml --out worse
said "vacuous: no case gave work to a"

# Shards judge nothing, their sum does; a campaign that continues keeps the evidence of its cases.
suite "one, $tool, x, a, b]}" "two, $tool, x, none, a]}"
for i in 0 1; do expect 0 "$smcosim" regress s.yaml --shard $i/2 --out part$i --history part.db; done
expect 0 "$smcosim" regress merge part0 part1 --out whole
[ "$(counts)" = "x a  1 1 0;x b  1 0 0;" ] || fail "the merged campaign: $(counts)"
expect 0 "$smcosim" regress --resume --out part0 --history part.db
suite "one, $tool, x, a, b]}" "two, $tool, x, a, b]}"
for i in 0 1; do expect 0 "$smcosim" regress s.yaml --shard $i/2 --out idle$i --history part.db; done
expect 5 "$smcosim" regress merge idle0 idle1 --out none
expect 5 "$smcosim" regress --resume --out idle0 --history part.db
said "vacuous: no case gave work to a (architecture x, idle in 2 cases)"
