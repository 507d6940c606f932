# SPDX-License-Identifier: Apache-2.0
# Each wrong suite: one message at the place, status 2, and no folder.
. "$(dirname "$0")/lib.sh"
try() {  # TEXT-OF-JOBS MESSAGE
    printf 'name: s\njobs:\n%b\n' "$1" >s.yaml
    expect 2 "$smcosim" regress s.yaml
    said "$2"
    [ "$(wc -l <err)" -le 4 ] || { cat err; fail "more than one message"; }
    [ ! -e regress-s ] || fail "a folder is there: $1"
}
try '  - {name: a}' 's.yaml:3:5: error: expected a job with one of run, verify'
try '  - {command: ["true"]}' 'a job has no `name`'
try '  - {name: a/b, command: ["true"]}' 'expected a name of letters'
try '  - {name: a, run: sgemm, verify: banked_rf}' 'found `verify` beside `run`'
try '  - {name: a, run: sgemm, archs: corf}' 'unknown key `archs` in a job of kind run; did you mean `arch`?'
try '  - {name: a, run: []}' 'at least one value'
try '  - {name: a, command: ["true"], limit: 0}' 'expected a number from 1 to 1000000, found `0`'
try '  - {name: a, verify: banked_rf, seeds: [1, x]}' 'found `x`'
try '  - {name: a, verify: banked_rf, seeds: [1], seed: 2}' 'expected one of them'
try '  - {name: a, command: ["true"], expect: {verdict: hang}}' 'has a `verdict` and a `reason`'
try '  - {name: a, command: ["true"], expect: {verdict: pass, reason: x}}' 'a verdict that is not pass'
try '  - {name: a, command: ["true"]}\n  - {name: a, command: ["true"]}' 'two jobs are named `a`'
try '  - {name: a, run: [sgemm, sgemm]}' 'is there twice'
try '  - {name: a, mutate: all}' '`all` is for run'
try '  - {name: a, formal: width_detect, seeds: 2}' 'unknown key `seeds` in a job of kind formal'
try '  - text' 'expected a job (a map)'
printf 'name: s\n' >s.yaml
expect 2 "$smcosim" regress s.yaml
said 'expected `jobs`'
printf 'name: s\njobs: [{name: a, command: ["true"], tags: x}]\n' >s.yaml
expect 2 "$smcosim" regress s.yaml --tag y
said "no job has one of the requested tags"
expect 2 "$smcosim" regress s.yaml --shard 2/2
said "expected I/N"
expect 2 "$smcosim" regress s.yaml --shard 0/2 --slurm
expect 2 "$smcosim" regress none.yaml
said "none.yaml"
expect 2 "$smcosim" regress
said "expected a suite"
expect 2 "$smcosim" regress --resume --out nowhere
said "the folder holds no campaign"
expect 7 "$smcosim" regress s.yaml --out /proc/nothing
expect 7 "$smcosim" regress s.yaml --out o --history /proc/nothing/h.db
# A result that was cut or belongs elsewhere is named, not counted.
expect 0 "$smcosim" regress s.yaml --out o2
echo '{"schema"' >o2/cases/00000/result.json
expect 2 "$smcosim" regress --resume --out o2
said "o2/cases/00000/result.json:"
# Words reach the command as they are.
printf 'name: s\njobs: [{name: a, command: [touch, "a b; touch c", "$(touch e)"]}]\n' >s.yaml
expect 0 "$smcosim" regress s.yaml --out 'o 3 $(touch f)'
[ -e 'a b; touch c' ] && [ ! -e c ] && [ ! -e e ] && [ ! -e f ] || fail "a word went through a shell"
