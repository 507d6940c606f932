#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A block without work is vacuous, by name, for any of its idle outputs. Usage: vacuous.sh SMCOSIM
. "$(dirname "$0")/../cli/lib.sh"
cd "$scratch" || exit 1
launch() {
    printf 'name: %s\nptx: %s.ptx\nkernel: k\ngrid: [4, 1, 1]\nblock: [64, 1, 1]\n' "$1" "$1" >"$1.yaml"
    printf '.version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k() { %s ret; }\n' "$2" >"$1.ptx"
}
launch nothing ''
launch store '.shared .b32 s; st.shared.u32 [s], 0;'  # dispatched, but no register is read or written

{
    sed 's/^name: .*/name: wrong/' nothing.yaml
    printf 'buffers:\n  b: {bytes: 4, init: zero}\nexpect:\n  - {buffer: b, file: wrong.bin, type: u32}\n'
} >wrong.yaml
printf '\1\0\0\0' >wrong.bin

none='vacuous: the run gave no work to'
for mode in lockstep rtl; do
    expect 5 "$none banked_rf \($mode, rd_data_valid: 0 in all [0-9]+ cycles\), operand_collector \($mode, disp_valid: 0" \
        "$smcosim" run nothing.yaml --blocks $mode
    for arch in packing firstfit corf corf++ rfv; do
        expect 5 "$none rf_datapath \($mode, disp_valid, wr_done: 0 in all" \
            "$smcosim" run nothing.yaml --arch $arch --blocks $mode
    done
    expect 5 "$none operand_collector" "$smcosim" run nothing.yaml --blocks banked_rf=model,operand_collector=$mode
    expect 5 "$none banked_rf" "$smcosim" run nothing.yaml --blocks banked_rf=$mode,operand_collector=model
    # One block of two.
    expect 5 "$none banked_rf \($mode, rd_data_valid: 0 in all [0-9]+ cycles\)\$" "$smcosim" run store.yaml --blocks $mode
    expect 0 '^verdict' "$smcosim" run store.yaml --blocks banked_rf=model,operand_collector=$mode
done
expect 5 'verdict nothing: vacuous' "$smcosim" run nothing.yaml
# If idle blocks are allowed, the block is named, and the other checks decide.
expect 0 'note: no work for banked_rf, operand_collector$' "$smcosim" run nothing.yaml --allow-idle
expect 0 'note: no work for banked_rf$' "$smcosim" run store.yaml --allow-idle
expect 5 'vacuous: --check oracle compared nothing' "$smcosim" run nothing.yaml --allow-idle --check oracle
expect 1 '^$' sh -c '"$0" run store.yaml --allow-idle --blocks banked_rf=model 2>&1 | grep "no work" || { echo; exit 1; }' "$smcosim"
expect 1 'mismatch: block operand_collector' "$smcosim" run store.yaml --allow-idle --testbug operand_collector=45
expect 0 'verdict nothing: pass' "$smcosim" run nothing.yaml --blocks model  # nothing claimed, nothing missing

# Several launch files give their evidence together: a block that one of them leaves idle is named,
# one that all leave idle fails.
sed 's/grid: .*/grid: [2, 1, 1]/' nothing.yaml >empty.yaml
expect 0 'note: no work for banked_rf, operand_collector$' "$smcosim" run nothing.yaml vecadd --json both.json
expect 0 'idle: the run had no work for it' "$smcosim" run nothing.yaml vecadd
expect 5 'vacuous: no launch file gave work to banked_rf \(idle in 2\), operand_collector \(idle in 2\)' "$smcosim" run nothing.yaml empty.yaml --json none.json
expect 5 'vacuous: no launch file gave work to banked_rf \(idle in 2\)$' "$smcosim" run store.yaml nothing.yaml
expect 5 'verdict of 2 launch files: vacuous' "$smcosim" run nothing.yaml empty.yaml
expect 0 'verdict nothing: pass' "$smcosim" run nothing.yaml empty.yaml --allow-idle
expect 3 'vacuous: no launch file gave work to' "$smcosim" run nothing.yaml wrong.yaml
expect 0 'corf +idle: rf_datapath' "$smcosim" compare nothing.yaml vecadd --arch baseline,corf --blocks lockstep --json compare.json --html compare.html
expect 5 'corf: vacuous: no launch file gave work to rf_datapath \(idle in 1\)' \
    "$smcosim" compare nothing.yaml --arch baseline,corf --blocks lockstep --json vacuous.json --html vacuous.html
expect 0 'corf +idle: rf_datapath' "$smcosim" compare nothing.yaml --arch baseline,corf --blocks lockstep --allow-idle
cat >check.py <<'P'
import json
both, none, some, vacuous = (json.load(open(f + '.json')) for f in ('both', 'none', 'compare', 'vacuous'))
assert both['verdict'] == 'pass' and 'without_work' not in both
assert [l['idle'] for l in both['launches']] == [['banked_rf', 'operand_collector'], []]
assert none['verdict'] == 'vacuous' and none['exit_status'] == 5 and {l['verdict'] for l in none['launches']} == {'pass'}
assert none['without_work'] == [{'block': b, 'idle': 2} for b in ('banked_rf', 'operand_collector')]
assert some['without_work'] == {} and some['launches'][0]['archs']['corf']['idle'] == ['rf_datapath']
assert vacuous['without_work']['corf'] == [{'block': 'rf_datapath', 'idle': 1}]
assert 'idle: rf_datapath' in open('compare.html').read() and 'no launch file gave work' not in open('compare.html').read()
assert 'corf: vacuous: no launch file gave work to rf_datapath' in open('vacuous.html').read()
print('as they say')
P
expect 0 '^as they say$' python3 check.py

# A seeded fault that nothing showed has shown nothing; of several launch files one is enough.
expect 5 'verdict bfs: not observed' "$smcosim" run bfs --testbug banked_rf=2
expect 5 'fault in banked_rf, seeded fault 2: not observed: the block is not compared in rtl mode' "$smcosim" run bfs --testbug banked_rf=2 --blocks rtl
expect 1 'verdict bfs: not observed' "$smcosim" run bfs sgemm --testbug banked_rf=2 --json seeded.json
expect 0 '"verdict": "mismatch"' head -5 seeded.json
expect 5 'verdict saxpy: not observed' "$smcosim" run bfs saxpy --testbug banked_rf=2

# The results of the kernels were compared with nothing: the verdict says so.
expect 0 'verdict store: pass, results not checked$' "$smcosim" run store.yaml --blocks model --json unchecked.json
expect 0 '"results_checked": false' cat unchecked.json
expect 0 'verdict store: pass$' "$smcosim" run store.yaml --blocks model --check retire
expect 0 'verdict vecadd: pass$' "$smcosim" run vecadd --blocks model
expect 0 'baseline +pass, results not checked' "$smcosim" compare store.yaml --arch baseline,corf --html unchecked.html
expect 0 'pass, results not checked' cat unchecked.html
expect 0 'results not checked' "$smcosim" sweep store.yaml --results results --csv unchecked.csv
expect 0 ',pass,0,' cat unchecked.csv

# A check that was asked for and had nothing to compare.
expect 5 'vacuous: --check oracle compared nothing' "$smcosim" run nothing.yaml --blocks model --check oracle
expect 5 'vacuous: --check oracle compared nothing' "$smcosim" run store.yaml --blocks model --check oracle
expect 0 'retire check +[1-9][0-9]* events' "$smcosim" run nothing.yaml --blocks model --check retire
finish
