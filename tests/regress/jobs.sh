# SPDX-License-Identifier: Apache-2.0
# The expansion of each kind of job: the words of its cases, one case a seed, and the seeds in
# JUnit.
top=$(cd "$(dirname "$0")/../.." && pwd)
. "$(dirname "$0")/lib.sh"
export smcosim
cat >s.yaml <<'S'
name: s
jobs:
  - {name: v, verify: width_detect, machine: tiny, seeds: 3}
  - {name: d, verify: width_detect, machine: tiny, seeds: 2, seed: random, transactions: 300}
  - {name: w, verify: width_detect, seed: 5, options: [--help]}
  - {name: y, synth: width_detect, baseline: b.json, options: [--help]}
  - {name: x, exec: [./prog, a b], arch: corf, options: [--help]}
  - {name: m, mutate: width_detect, sample: 2, machine: tiny, options: [--help]}
  - {name: c, compare: [vecadd, sgemm], arch: "baseline,corf", options: [--help]}
  - {name: r, run: vecadd, blocks: [model, lockstep], set: [rf.banks=4, rf.banks=8], options: [--help]}
S
expect 0 "$smcosim" regress s.yaml --seed 3
# Proofs: those of ci/formal, by a relative name from a suite of the sources. Usage of that script tells of it here.
printf 'name: f\njobs:\n  - {name: p, formal: [width_detect, no_such], tags: t}\n  - {name: all, formal: all}\n' >f.yaml
expect 2 "$smcosim" regress f.yaml --tag t --out f
said "p/no_such"
said "ci/formal: no module no_such"
python3 - "$top" <<'P'
import glob, json, os, subprocess, sys
source = os.path.realpath(sys.argv[1])
want = sorted(os.path.basename(f)[:-3] for f in glob.glob(source + '/rtl/**/*.sv', recursive=True) if '\n// Proof:' in open(f).read())
subprocess.run([os.environ['smcosim'], 'regress', 'f.yaml', '--out', 'g', '--cases-only', '--shard', '90000/100000'], check=True)
got = [c['argv'] for c in json.load(open('g/plan.json'))['cases'] if c['job'] == 'all']
assert [a[1] for a in got] == want and len(want) > 30, (got, want)
assert all(os.path.samefile(a[0], source + '/ci/formal') for a in got), got[0]
P
python3 - <<'P'
import json, xml.etree.ElementTree as x
plan = json.load(open('regress-s/plan.json'))['cases']
words = {c['key']: ' '.join(c['argv']) for c in plan}
# By default verify takes 20 seeds from the first one on: cases of one seed each would overlap.
for seed in '123': assert words[f'v/width_detect seed={seed}'].split('--seed ')[1].startswith(f'{seed} --seeds 1 '), words
assert '--seeds' not in words['d/width_detect random=1'] and '--seeds' not in words['w/width_detect seed=5'], words
assert words['y/width_detect'].startswith('smcosim synth width_detect --check b.json'), words
assert words['x'].startswith('smcosim exec --arch corf --json {}/report.json --bundle {}/bundle --allow-idle --help -- /') and words['x'].endswith('/prog a b'), words
assert words['m/width_detect seed=1'].startswith('smcosim verify width_detect --machine tiny --mutate 2 --seed 1'), words
assert [k for k in words if k[0] in 'rc'] == ['c/vecadd', 'c/sgemm'] + [f'r/vecadd blocks={b} set=rf.banks={n}' for b in ('model', 'lockstep') for n in (4, 8)], list(words)
# Each case is another one.
report = [json.load(open(f'regress-s/cases/{i:05}/report.json')) for i in range(3)]
assert len({r['blocks'][0]['cycles'] for r in report}) > 1
drawn = {c['key']: c['seed'] for c in plan if c['seed'] and ' random=' in c['key']}
assert len(set(drawn.values())) == 2
for case in x.parse('regress-s/junit.xml').getroot()[0].findall('testcase'):
    seed = [p.get('value') for p in case.iter('property') if p.get('name') == 'seed']
    want = [str(c['seed']) for c in plan if c['key'] == case.get('name') and c['seed']]
    assert seed == want, (case.get('name'), seed, want)
P
