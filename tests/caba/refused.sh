#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# refused.sh SMCOSIM DATA: statements of README on assist warps and compressed lines beside other
# systems. Every architecture of `list archs` beside each of them is refused, with one error that
# has a reason, and no combination with one is listed. Schedulers, codecs and designs of caches all
# combine, except for those that are refused by name. Keys beyond the possible are refused too.
set -u
smcosim=$1 data=$2
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
failed=0
fail() { echo "FAILED: $*"; failed=1; }
simulate() {
    kernel=$1
    shift
    "$smcosim" run "$data/$kernel/small/launch.yaml" --machine fermi-caba --blocks model "$@" >"$tmp/out" 2>&1
}
refused() {  # TEXT OPTIONS..
    text=$1
    shift
    simulate vecadd "$@"
    status=$?
    [ $status = 2 ] && grep -q -- "$text" "$tmp/out" && [ "$(wc -l <"$tmp/out")" = 1 ] ||
        fail "$*: expected status 2 and one error '$text', found $status: $(head -3 "$tmp/out")"
}
runs() {
    simulate "$@" --check retire,oracle || fail "$*: $(grep '^smcosim' "$tmp/out" | head -3)"
}
"$smcosim" list archs --all >"$tmp/archs" || fail "list archs"
lines="hw-bdi hw-bdi-mem ideal-bdi caba-bdi caba-fpc caba-cpack caba-best caba-off caba-memo caba-prefetch"
all=$(awk '$1 !~ /:/ { print $1 }' "$tmp/archs") n=0
for arch in $lines; do
    grep -q "^$arch " "$tmp/archs" || fail "list archs has no $arch"
    grep -E "^[^ ]*:$arch[: ]|^$arch:" "$tmp/archs" && fail "list archs combines $arch"
    for other in $all las; do
        if [ "$other" = "$arch" ]; then
            refused "'$arch' twice" --arch "$arch:$arch"
            continue
        fi
        case " $lines " in
        *" $other "*) refused "expected at most one of .*$arch" --arch "$arch:$other" ;;
        *) refused " combines with .*: [A-Za-z].*, found '.*' in '.*$arch.*'" --arch "$arch:$other" ;;
        esac
        n=$((n + 1))
    done
done
[ $n -ge 300 ] || fail "only $n combinations were asked for"
for arch in caba-bdi caba-fpc caba-cpack caba-best; do
    refused 'expected --sms 1' --arch $arch --sms 2
    for design in l1-2x l2-4x raw-l2; do runs logscan --arch $arch --set caba.design=$design; done
done
for arch in caba-fpc caba-cpack caba-best; do refused 'than direct-load' --arch $arch --set caba.design=direct-load; done
for scheduler in gto lrr two-level; do
    for arch in caba-best caba-memo caba-prefetch; do runs redshift --arch $arch --set sm.scheduler=$scheduler --allow-idle; done
    runs logscan --arch caba-bdi --set sm.scheduler=$scheduler
done
refused 'expected l1.line 128 and l1.sector 0' --arch caba-bdi --set l1.sector=32
refused 'expected dram.access 32' --arch caba-bdi --set dram.access=64
refused 'expected bdi.base first-misfit, or hw-bdi' --arch caba-bdi --set bdi.base=first-bytes
for arch in caba-fpc caba-cpack caba-best hw-bdi hw-bdi-mem ideal-bdi; do
    refused 'expected bdi.trial size, or caba-bdi, found last-first' --arch $arch --set bdi.trial=last-first
done
for arch in caba-memo caba-prefetch; do refused '--check codec' --arch $arch --check codec; done
refused 'memo.entries must be a power of two, found 100' --arch caba-memo --set memo.entries=100
refused 'memo.entries' --arch caba-memo --set memo.entries=8
refused 'prefetch.ahead must be a power of two, found 3' --arch caba-prefetch --set prefetch.ahead=3
refused 'prefetch.loads' --arch caba-prefetch --set prefetch.loads=5
exit $failed
