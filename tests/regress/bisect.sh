# SPDX-License-Identifier: Apache-2.0
# The commit that broke a case, with builds that are kept and commits that do not build. The program under test is a
# script, as the build of each commit leaves it.
. "$(dirname "$0")/lib.sh"
export SMCOSIM_CACHE="$work/cache"
git init -q repo
cd repo
git config user.name x; git config user.email x@example.com
mkdir ci suites
printf '#!/bin/sh\nset -e\ntest ! -e broken\nmkdir -p build\ncp tool build/smcosim\necho built >>%s/builds\n' "$work" >ci/build
chmod +x ci/build
printf 'name: s\njobs:\n  - {name: t, command: [smcosim, answer]}\n' >suites/s.yaml
commit() { printf '#!/bin/sh\nexit %s\n' "$1" >tool; chmod +x tool; echo "$2" >note; git add -A; git commit -qm "$2"; }
for i in 1 2 3; do commit 0 "good $i"; done
touch broken; commit 0 "does not build"
rm broken; commit 3 "the culprit"
for i in 1 2 3; do commit 3 "bad $i"; done
first=$(git rev-list --reverse HEAD | head -1)
cd ..
# The case is in the history; the present program replaces the one that ran it.
expect 2 "$smcosim" regress repo/suites/s.yaml --out night
expect 0 "$smcosim" regress bisect t --from "$first"
said "the culprit"
said "or one of the 1 commits before it, which do not build"
builds=$(wc -l <builds)
[ "$builds" -le 5 ] || fail "$builds builds for 8 commits"
expect 0 "$smcosim" regress bisect t --from "$first"
[ "$(wc -l <builds)" = "$builds" ] || fail "built again"
expect 2 "$smcosim" regress bisect t --from HEAD~1
said "expected a commit at which the case passes"
expect 2 "$smcosim" regress bisect t --from "--output=x"
expect 2 "$smcosim" regress bisect t
said "--from COMMIT"
