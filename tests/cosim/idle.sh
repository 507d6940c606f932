#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# RTL that fails while it is idle. Usage: idle.sh SMCOSIM SOURCE BUILD.
#   An arbiter that forgets whose turn it is after a time without requests is found, because its
# clock runs in every cycle.
#   With --skip-idle it is not found, and the report counts the skipped cycles; counters do not
# depend on it.
. "$(dirname "$0")/../cli/lib.sh"
SMCOSIM_CACHE=$3/test-variants; export SMCOSIM_CACHE
cd "$scratch" || exit 1
cp "$2/rtl/rf/banked_rf.sv" my_rf.sv
sed -e 's/^    logic \[Banks\*WrBits-1:0\] first_q, first_d;/&\n    integer idle_q, limit;\n    initial if ($value$plusargs("idle=%d", limit) == 0) limit = 0;/' \
    -e 's/^        else         first_q <= first_d;/        else         first_q <= idle_q == limit ? ~first_d : first_d;\n        idle_q <= rst_ni \&\& rd_valid_i == 0 \&\& wr_valid_i == 0 ? idle_q + 1 : 0;/' \
    "$2/rtl/rf/rf_arbiter.sv" >idle_arbiter.sv
[ "$(diff "$2/rtl/rf/rf_arbiter.sv" idle_arbiter.sv | grep -c '^>')" = 4 ] || { echo "the fault was not seeded"; exit 1; }
cat >same.py <<'PY'
import json, sys
runs = [json.load(open(f))["launches"][0] for f in sys.argv[1:]]
assert all(r["counters"] == runs[0]["counters"] for r in runs), "counters"
assert [r.get("cycles_not_clocked") for r in runs[:3]] == [None, 0, 0]
assert 0 < runs[3]["cycles_not_clocked"] < runs[3]["cycles"]
print("same")
PY

for kernel in vecadd bfs; do
    run="$smcosim run $3/bench/$kernel/small/launch.yaml --bundle bundle"
    rtl="$run --rtl banked_rf=my_rf.sv,idle_arbiter.sv"
    for limit in 10 40; do
        expect 1 "mismatch: block banked_rf" $rtl --plusarg idle=$limit
    done
    # Longer than any time without work of this kernel: the design itself is right.
    expect 0 'RTL not clocked +0 cycles' $rtl --plusarg idle=1000000
    expect 0 'RTL not clocked +0 cycles' $run --blocks banked_rf=model,operand_collector=lockstep
    expect 0 '^verdict' $run --blocks model
    grep -q 'not clocked' output && { echo "FAILED: no RTL ran, and the report speaks of its clock"; exit 1; }
    for blocks in model rtl lockstep; do $run --blocks $blocks --json $blocks.json >/dev/null; done
    expect 0 'RTL not clocked +[1-9][0-9]* cycles' $run --skip-idle --json skip.json
    expect 0 '^same$' python3 same.py model.json rtl.json lockstep.json skip.json
done
# The cost of skipping: vecadd's blocks are never without work for 40 clocked cycles.
expect 0 'RTL not clocked +[1-9][0-9]* cycles' "$smcosim" run "$3/bench/vecadd/small/launch.yaml" --skip-idle \
    --rtl banked_rf=my_rf.sv,idle_arbiter.sv --plusarg idle=40
# The bundle of a mismatch is replayed as the run was.
expect 1 'mismatch' "$smcosim" run "$3/bench/bfs/small/launch.yaml" --bundle bundle --skip-idle --testbug banked_rf=22
grep -q '^skip_idle: 1$' bundle/replay.yaml || { echo "FAILED: the bundle forgets --skip-idle"; exit 1; }
expect 1 'the same mismatch' "$smcosim" replay bundle
finish
