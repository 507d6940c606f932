#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The RTL in threads beside the SM's: the same report and output of the kernel for any number of
# them. The mismatch and its bundle are the same, for any block that differs first and any thread
# that evaluates it. Usage: threads.sh SMCOSIM BUILD [archs]
# archs: instead, every architecture on the machine of its paper, with one thread and with two.
. "$(dirname "$0")/../cli/lib.sh"
build=$(cd "$2" && pwd) source=$(cd "$(dirname "$0")/../.." && pwd)
cd "$scratch" || exit 1
kernel() { echo "$build/bench/$1/small/launch.yaml"; }
# Everything but where the host's time went and the number of threads.
report() { # JSON
    python3 - "$1" <<'P'
import json, re, sys
def plain(o):
    if isinstance(o, dict): return {k: plain(v) for k, v in o.items() if k not in ('time', 'seconds', 'sim_cycles_per_second')}
    if isinstance(o, list): return [plain(v) for v in o]
    return re.sub(r'--threads \d|[jN]\d?q?\.json', '', o) if isinstance(o, str) else o
print(json.dumps(plain(json.load(open(sys.argv[1]))), indent=1))
P
}
if [ "${3-}" = archs ]; then
    for arch in $(BUILD=$build "$source/bench/threads" --list); do
        for n in 1 2; do
            expect 0 'verdict .*: pass' "$smcosim" run "$(kernel reduction)" --arch "${arch%@*}" --machine "${arch#*@}" --allow-idle --threads $n --json j$n.json
            report j$n.json >r$n 2>&1
        done
        expect 0 '^same' sh -c 'test -s r1 && cmp r1 r2 && echo same'
    done
    finish
    exit
fi
while read -r name arch; do
    for n in 1 2 3 5 2q 3q; do
        case $n in *q) queues='internal queues 1' ;; *) queues= ;; esac
        expect 0 'verdict .*: pass' "$smcosim" $queues run "$(kernel "$name")" --arch "$arch" --check retire,oracle --allow-idle --threads ${n%q} --json j$n.json
        report j$n.json >r$n 2>&1
        expect 0 '^same' sh -c 'test -s r1 && cmp r1 r$0 && echo same' $n
    done
done <<'K'
bfs baseline
bfs corf++
sgemm regmutex
reduction pmode
K

# A fault: output and files do not depend on the threads. With "sm" the SM's thread alone evaluates
# the faulty block, and its queues are as short as possible.
fault() { # KERNEL ARCH FAULT [OPTION..]
    name=$1 arch=$2 bug=$3
    shift 3
    for n in 1 2 3 2sm 3sm; do
        rm -rf bundle
        case $n in *sm) queues="internal queues 1,${bug%=*}" ;; *) queues= ;; esac
        "$smcosim" $queues run "$(kernel "$name")" --arch "$arch" --testbug "$bug" "$@" --threads ${n%sm} --bundle bundle >out$n 2>err$n
        status=$?
        rm -rf b$n
        mv bundle b$n
        sed -i "s/--threads ${n%sm}/--threads N/" err$n b$n/*.txt b$n/*.yaml
        sed -i '/cycles\/s/d' out$n
        # The header of a wave tells when it was written (119 characters at byte 202).
        python3 -c 'f = open("b'$n'/mismatch.fst", "r+b"); f.seek(202); f.write(bytes(119))'
        sed -i '/^smcosim: verilat/d' err$n
        expect 0 '^status 1$' echo "status $status"
        expect 0 '^same$' sh -c 'diff out1 out$0 && diff err1 err$0 && diff -r b1 b$0 && echo same' $n
    done
    expect 1 'mismatch' "$smcosim" replay b2
}
fault sgemm baseline banked_rf=2
fault sgemm baseline operand_collector=44
fault bfs baseline operand_collector=42 --snapshot-interval 1000
fault vecadd corf++ rf_datapath=188 --machine tiny
fault vecadd rfc reg_cache=370 --machine tiny
fault vecadd larf addr_map_table=300 --machine tiny --allow-idle
expect 2 "no block 'banked'" "$smcosim" internal queues 0,banked run "$(kernel vecadd)" --threads 2
for queues in '' x 1x 1, ,banked_rf; do expect 2 'expected BYTES' "$smcosim" internal queues "$queues" run "$(kernel vecadd)"; done

# The output of a kernel appears once, also when its run was repeated.
for n in 1 2; do "$smcosim" run "$(kernel hello)" --threads $n >out 2>print$n; done
expect 0 '^same$' sh -c 'test -s print1 && cmp print1 print2 && echo same'
# Where every block must be in step with the SM, it is.
expect 0 'verdict' "$smcosim" run "$(kernel vecadd)" --threads 2 --wave w.fst:0-100
expect 0 '^there$' sh -c 'test -s w.fst && echo there'
expect 1 'mismatch: block banked_rf' "$smcosim" run "$(kernel sgemm)" --threads 2 --fault banked_rf:bank2.entry17.lane3.bit5:sa1@1
expect 0 'verdict' "$smcosim" run "$(kernel vecadd)" --threads 2 --blocks rtl
expect 0 'verdict' "$smcosim" run "$(kernel vecadd)" --threads 2 --blocks model
expect 0 'verdict' "$smcosim" run "$(kernel vecadd)" --threads auto
# compare has the option, too, and prints the same table.
for n in 1 2; do "$smcosim" compare "$(kernel vecadd)" --arch baseline,corf --blocks lockstep --threads $n >c$n 2>/dev/null || echo failed; done
expect 0 '^same$' sh -c 'test -s c1 && cmp c1 c2 && echo same'
for n in 0 65 x 2x ''; do expect 2 'threads' "$smcosim" run "$(kernel vecadd)" --threads "$n"; done
# Ctrl-C ends all threads.
"$smcosim" run "$(kernel bfs)" "$(kernel sgemm)" "$(kernel bfs)" "$(kernel mm2)" --threads 3 >/dev/null 2>&1 &
pid=$!
sleep 0.1
kill -INT $pid
rc=0
wait $pid || rc=$?
expect 0 '^(130|0)$' echo $rc
# .. with full queues, too.
"$smcosim" internal queues 1 run "$build/bench/sgemm/small/launch.yaml" "$build/bench/mm2/small/launch.yaml" --arch bow --machine pascal --threads 2 >/dev/null 2>&1 &
pid=$!
sleep 0.2
kill -INT $pid
rc=0
wait $pid || rc=$?
expect 0 '^(130|0)$' echo $rc
finish
