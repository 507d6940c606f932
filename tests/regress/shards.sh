# SPDX-License-Identifier: Apache-2.0
# Shards do each case once; merged they are the whole.
. "$(dirname "$0")/lib.sh"
cat >s.yaml <<'Y'
name: s
jobs:
  - {name: a, command: [sh, -c, "echo a; mkdir -p {}/bundle/deep; echo wave >{}/bundle/deep/mismatch.fst; ln -s /etc {}/bundle/away"]}
  - {name: b, command: [sh, -c, "exit 1"]}
  - {name: v, verify: width_detect, machine: tiny, transactions: 200, seed: random, seeds: 3, options: [--help]}
Y
expect 2 "$smcosim" regress s.yaml --shard 0/2
said "expected --seed"
expect 0 "$smcosim" regress s.yaml --shard 0/2 --seed 7 --out s0
expect 1 "$smcosim" regress s.yaml --shard 1/2 --seed 7 --out s1
[ "$(ls s0/cases s1/cases | grep -c '^0')" = 5 ] || fail "cases of the shards"
expect 1 "$smcosim" regress merge s0 s1 --out all --history merged.db
said "suite s: 4 of 5 cases pass, 0 fail as expected, 1 fail"
[ "$(query merged.db 'SELECT count(*) FROM result')" = 5 ] || fail "history of the merged campaign"
# Cases include their bundles and waves; a link does not lead out of them.
[ "$(cat all/cases/00000/bundle/deep/mismatch.fst)" = wave ] || fail "the bundle is left behind"
[ ! -e all/cases/00000/bundle/away ] || fail "a link was followed"
[ "$(cat all/cases/00000/out.txt)" = a ] || fail "the output is left behind"
expect 2 "$smcosim" regress merge s0 s0 --out twice
said "has a result in s0 and in s0"
expect 1 "$smcosim" regress s.yaml --seed 8 --out other
expect 2 "$smcosim" regress merge s0 other --out mixed
said "not shards of one campaign"
# The same number draws the same seeds, another one others.
seeds() { python3 -c 'import json, sys; print([c["seed"] for c in json.load(open(sys.argv[1] + "/plan.json"))["cases"] if c["seed"]])' "$1"; }
[ "$(seeds s0)" = "$(seeds s1)" ] && [ "$(seeds s0)" != "$(seeds other)" ] || fail "random seeds"
