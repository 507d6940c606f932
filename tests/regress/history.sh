# SPDX-License-Identifier: Apache-2.0
# New failures, fixed, flaky, slower between two campaigns; one case over all of them.
. "$(dirname "$0")/lib.sh"
git init -q .
git config user.name x; git config user.email x@example.com
cat >s.yaml <<'Y'
name: s
jobs:
  - {name: steady, command: ["true"]}
  - {name: breaks, command: [sh, -c, "! test -e second || { echo 'smcosim: it broke' >&2; exit 3; }"]}
  - {name: heals, command: [sh, -c, "test -e second || exit 1"]}
  - {name: slows, command: [sh, -c, "if test -e second; then i=0; while test $i -lt 1000000; do i=$((i+1)); done; fi"]}
Y
printf '/*\n!s.yaml\n' >.gitignore
git add s.yaml; git commit -qm one
expect 1 "$smcosim" regress s.yaml --out a
touch second
expect 3 "$smcosim" regress s.yaml --out b
expect 1 "$smcosim" regress diff
grep -A1 '^new failures' out | grep -q 'breaks   status 3 status 3: it broke' || { cat out; fail "new failures"; }
grep -A1 '^fixed' out | grep -q heals || fail "fixed"
grep -A2 '^flaky' out | grep -q breaks || fail "flaky: one commit, two verdicts"
[ "$(query smcosim-history.db 'SELECT count(*) FROM result r JOIN result o USING (key) WHERE r.campaign = 2 AND o.campaign = 1 AND key = "slows" AND r.cpu > o.cpu + 1')" = 0 ] ||
    grep -A1 '^slower' out | grep -q slows || fail "slower"
said "1 new failures, 1 fixed"
expect 0 "$smcosim" regress diff last last
# Without names: the last campaign and its suite's previous one, for any others between them.
printf 'name: other\njobs:\n  - {name: x, command: ["true"]}\n' >other.yaml
expect 0 "$smcosim" regress other.yaml
expect 2 "$smcosim" regress diff
said "no earlier campaign of the suite of campaign 3"
expect 0 "$smcosim" regress other.yaml --out e
expect 0 "$smcosim" regress diff
said "campaign 3 -> 4"
expect 3 "$smcosim" regress s.yaml --out c
expect 0 "$smcosim" regress diff
said "campaign 2 -> 5"
said "1 still failing"
# Another command under the same name is no flaky case.
sed -i 's/name: steady, command: \["true"\]/name: steady, command: ["false"]/' s.yaml
git update-index --assume-unchanged s.yaml
expect 1 "$smcosim" regress s.yaml --out d
expect 1 "$smcosim" regress diff
grep -A1 '^new failures' out | grep -q steady || { cat out; fail "new failure"; }
! grep -A3 '^flaky' out | grep -q steady || { cat out; fail "an edited case is called flaky"; }
expect 0 "$smcosim" regress history
[ "$(grep -c ' s  ' out)" = 4 ] || { cat out; fail "campaigns"; }
expect 0 "$smcosim" regress history break
said "it broke"
expect 2 "$smcosim" regress history s
said "is part of several cases"
expect 2 "$smcosim" regress history nothing
said "no case \`nothing\`"
expect 2 "$smcosim" regress diff 1 77
said "no campaign \`77\`"
expect 2 "$smcosim" regress diff --history none.db
said "this history file does not exist"
# A file of an older schema gets the missing columns and keeps its contents.
age() {  # VERSION
    python3 - "$1" <<'P'
import sqlite3, sys
d = sqlite3.connect("smcosim-history.db")
for statement in ("DROP TABLE work", "ALTER TABLE result DROP COLUMN idle", "ALTER TABLE result DROP COLUMN checked"): d.execute(statement)
if sys.argv[1] == "1": d.execute("DROP TABLE coverage")
d.execute("PRAGMA user_version = " + sys.argv[1])
d.commit()
P
}
for version in 1 2; do
    age $version
    expect 0 "$smcosim" regress history
    [ "$(query smcosim-history.db 'SELECT count(*) FROM coverage')" = 0 ] || fail "no table of coverage"
    [ "$(query smcosim-history.db 'SELECT count(*) FROM work')" = 0 ] || fail "no table of work"
    [ "$(query smcosim-history.db "SELECT count(*) FROM result WHERE idle <> '' OR NOT checked")" = 0 ] || fail "columns of a result"
    [ "$(query smcosim-history.db 'SELECT count(*) FROM campaign')" = 6 ] || fail "campaigns are gone"
done
# Eight processes that open an old file at the same time: one changes it.
for round in 1 2 3 4; do
    age 1
    for i in 1 2 3 4 5 6 7 8; do
        "$smcosim" regress history >together.$i 2>&1 || echo "round $round" >>together.failed &
    done
    wait
done
[ ! -e together.failed ] || fail "two upgraded one file: $(grep -h ^smcosim: together.*)"
expect 0 "$smcosim" regress other.yaml --out f
python3 -c 'import sqlite3; d = sqlite3.connect("smcosim-history.db"); d.execute("PRAGMA user_version = 4")'
expect 2 "$smcosim" regress history
said "schema version 4, expected 3"
echo text >text.db
expect 2 "$smcosim" regress diff --history text.db
said "not a history"
