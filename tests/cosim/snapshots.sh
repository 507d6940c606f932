#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The wave around a mismatch. Usage: snapshots.sh SMCOSIM BUILD.
#   The wave is made from a snapshot or by a second run, which must meet the same mismatch, else the
# run is nondeterministic.
#   Copies of the process never outlive the run.
. "$(dirname "$0")/../cli/lib.sh"
SMCOSIM_CACHE=$2/test-variants; export SMCOSIM_CACHE
kernel=$2/bench/sgemm/small/launch.yaml
bundle=$scratch/bundle
run="$smcosim run $kernel --bundle $bundle"
bad() { failed=$((failed + 1)); echo "FAILED: $*"; }
check() { cases=$((cases + 1)); "$@" >/dev/null 2>&1 || bad "$*"; }

# Window, sides, marker of the wave in the bundle; $1 = cycle of the mismatch, $2 = last cycle of the window.
check_wave() {
    cases=$((cases + 1))
    fst2vcd "$bundle/mismatch.fst" >"$scratch/wave.vcd" 2>/dev/null || bad "no wave"
    first=$(grep -m1 '^#' "$scratch/wave.vcd"); last=$(grep '^#' "$scratch/wave.vcd" | tail -1)
    from=$(($1 > 200 ? $1 - 200 : 0))
    [ "${first%0}" = "#$([ "$from" = 0 ] || echo "$from")" ] || bad "the wave begins at $first, not in cycle $from"
    [ "$last" = "#${2}5" ] || [ "$last" = "#${2}0" ] || bad "the wave ends at $last, not in cycle $2"
    for scope in rtl golden sm cosim; do
        grep -q "^\$scope module $scope \$end" "$scratch/wave.vcd" || bad "no scope $scope in the wave"
    done
    grep -q '^\[markername\] Amismatch' "$bundle/mismatch.gtkw" || bad "no marker in the save file"
    grep -q "^\*-4.500000 ${1}0 ${1}0 " "$bundle/mismatch.gtkw" || bad "the cursor is not at cycle $1"
    grep -q '^\[dumpfile\] "mismatch.fst"' "$bundle/mismatch.gtkw" || bad "the save file names another wave"
}
cycle_of() { sed -n 's/^mismatch: block [a-z_]*, cycle \([0-9]*\),.*/\1/p' "$bundle/mismatch.txt"; }

# From a snapshot: the newest one before the window, here not the last that was taken.
expect 1 'resuming from the snapshot of cycle 2000 reproduced the same mismatch' \
    $run --snapshot-interval 1000 --fault operand_collector:coll3.older5:flip@3100
check_wave "$(cycle_of)" "$(($(cycle_of) + 20))"
# The verdict is printed first.
cases=$((cases + 1))
order=$(grep -nE 'verdict sgemm: mismatch|^smcosim: mismatch:|reproduced the same' "$scratch/output" | cut -d: -f3 | tr '\n' ' ')
verdict=$(grep -n 'smcosim: mismatch:' "$scratch/output" | cut -d: -f1)
again=$(grep -n 'reproduced the same' "$scratch/output" | cut -d: -f1)
[ "${verdict:-99999}" -lt "${again:-0}" ] || bad "the verdict is not printed first: $order"
# Without one: the run is repeated. Snapshots off, or the mismatch before the first.
expect 1 'running again reproduced the same mismatch' $run --fault operand_collector:coll3.older5:flip@3100
check_wave "$(cycle_of)" "$(($(cycle_of) + 20))"
expect 1 'running again reproduced the same mismatch' \
    $run --snapshot-interval 0 --fault operand_collector:coll15.busy:flip@1
check_wave "$(cycle_of)" "$(($(cycle_of) + 20))"
# Met by the comparison of state, at a snapshot and at the end.
expect 1 'cycle 4000, state at observation address 0x3ff' \
    $run --snapshot-interval 1000 --fault banked_rf:bank3.entry255.lane3.bit5:flip@3100
expect 1 'resuming from the snapshot of cycle 3000 reproduced the same' \
    $run --snapshot-interval 1000 --fault banked_rf:bank3.entry255.lane3.bit5:flip@3100
check_wave 4000 4020
expect 1 'running again reproduced' $run --fault banked_rf:bank3.entry255.lane3.bit5:flip@3100
check_wave "$(cycle_of)" "$(cycle_of)"
# The user's own wave serves when it covers the mismatch.
expect 1 'verdict sgemm: mismatch' $run --wave "$scratch/own.fst:2000-5000" --fault operand_collector:coll3.older5:flip@3100
check cmp "$scratch/own.fst" "$bundle/mismatch.fst"
expect 1 'running again reproduced' $run --wave "$scratch/own.fst:0-50" --fault operand_collector:coll3.older5:flip@3100
check_wave "$(cycle_of)" "$(($(cycle_of) + 20))"

# A mismatch that does not repeat.
expect 6 'nondeterministic: the run met block operand_collector, cycle 31[0-9][0-9], .*; its replay met no mismatch at all' \
    $run --snapshot-interval 1000 --fault operand_collector:coll3.older5:glitch@3100
expect 6 'nondeterministic: the run met block .*; its replay met no mismatch at all' \
    $run --snapshot-interval 0 --fault operand_collector:coll3.older5:glitch@3100
expect 6 '"verdict": "nondeterministic"' \
    $run --snapshot-interval 0 --fault operand_collector:coll3.older5:glitch@3100 --json -
# A copy that dies is no proof either.
expect 2 'snapshot-interval: 999 is out of range' $run --snapshot-interval 999

# Files of the run are the parent's alone: a trace is the same as without snapshots, kernels print once.
$run --trace "$scratch/a.json" --snapshot-interval 1000 --fault operand_collector:coll3.older5:flip@3100 >/dev/null 2>&1
$run --trace "$scratch/b.json" --snapshot-interval 0 --fault operand_collector:coll3.older5:flip@3100 >/dev/null 2>&1
check cmp "$scratch/a.json" "$scratch/b.json"
$smcosim run "$2/bench/hello/small/launch.yaml" >"$scratch/plain" 2>&1
$smcosim run "$2/bench/hello/small/launch.yaml" --bundle "$bundle" --fault banked_rf:bank3.entry255.lane3.bit5:flip@5 \
    >"$scratch/twice" 2>&1
cases=$((cases + 1))
grep -q 'reproduced the same' "$scratch/twice" || bad "no replay of hello"
[ "$(grep -c '^block ' "$scratch/plain")" = 3 ] || bad "hello prints no three lines"
[ "$(grep -c '^block ' "$scratch/twice")" = 3 ] || bad "hello prints again in the replay"

# ---- copies of the process ----
cat >"$scratch/spin.ptx" <<'PTX'
.version 7.8
.target sm_75
.address_size 64
.visible .entry spin(.param .u64 out)
{
    .reg .b32 %r<3>;
    mov.u32 %r1, 0;
$L:
    add.s32 %r1, %r1, 1;
    xor.b32 %r2, %r1, %r2;
    bra $L;
}
PTX
cat >"$scratch/spin.yaml" <<'YAML'
ptx: spin.ptx
kernel: spin
grid: [4]
block: [64]
args: [{type: ptr, buffer: a}]
buffers: {a: {bytes: 64, init: zero}}
YAML
# Processes of a session (setsid): "PID STATE" each.
members() { awk -v sid="$1" '{ sub(/^.*\) /, "", $0) } $4 == sid { print FILENAME, $1 }' /proc/[0-9]*/stat 2>/dev/null; }
spin() {
    setsid "$smcosim" run "$scratch/spin.yaml" --snapshot-interval 1000 --max-cycles 2000000000 --bundle "$bundle" \
        >"$scratch/output" 2>&1 &
    pid=$!
    for _ in $(seq 400); do
        # setsid may fork; the run is the leader of its session
        [ "$(members "$pid" | wc -l)" = 3 ] && return
        sleep 0.02
    done
    bad "no two copies: $(members "$pid" | tr '\n' ' ')"
}
gone() {
    for _ in $(seq 100); do
        [ -z "$(members "$pid")" ] && return
        sleep 0.02
    done
    bad "after $1 there are left: $(members "$pid" | tr '\n' ' ')"
}
for signal in INT TERM KILL SEGV; do
    cases=$((cases + 1))
    spin
    # Never more than two, and none of them dead and unburied.
    for _ in $(seq 20); do
        n=$(members "$pid" | wc -l)
        [ "$n" -le 4 ] || bad "$n processes"
    done
    kill -$signal "$pid"
    status=0
    wait "$pid" 2>/dev/null || status=$?
    case $signal in INT|TERM) [ "$status" = 130 ] || bad "exit status $status after SIG$signal" ;; esac
    gone "SIG$signal"
done
# Ctrl-C reaches the whole group: the copies die, the run ends in order.
cases=$((cases + 1))
spin
kill -INT -- -"$pid"
status=0
wait "$pid" 2>/dev/null || status=$?
[ "$status" = 130 ] || bad "exit status $status after Ctrl-C"
gone Ctrl-C
# An end of its own: cycle limit, mismatch.
cases=$((cases + 1))
setsid "$smcosim" run "$scratch/spin.yaml" --snapshot-interval 1000 --max-cycles 20000 --bundle "$bundle" >/dev/null 2>&1 &
pid=$!
status=0
wait "$pid" || status=$?
[ "$status" = 4 ] || bad "exit status $status at the cycle limit"
gone 'the cycle limit'
cases=$((cases + 1))
setsid $run --snapshot-interval 1000 --fault operand_collector:coll3.older5:flip@3100 >/dev/null 2>&1 &
pid=$!
wait "$pid"
gone 'a mismatch'
finish
