#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# refused.sh SMCOSIM DATA: what does not go with caba-memo and caba-prefetch, and keys beyond what there can be: exit
# status 2, and one error with the reason.
set -u
smcosim=$1 launch=$2/vecadd/small/launch.yaml
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
failed=0
refused() {  # TEXT OPTIONS..
    text=$1
    shift
    "$smcosim" run "$launch" --machine fermi-caba --blocks model "$@" >"$tmp/out" 2>"$tmp/err"
    status=$?
    if [ $status != 2 ] || ! grep -q -- "$text" "$tmp/err" || [ "$(grep -c '^smcosim: ' "$tmp/err")" != 1 ]; then
        echo "FAILED: $*: expected status 2 and one error '$text', found $status:"
        head -5 "$tmp/err"
        failed=1
    fi
}
for arch in caba-memo caba-prefetch; do
    for other in corf rfv regmutex bow pmode larf scalar owf rfc 2xbw baseline; do  # the reason is one side's
        refused " goes with .*: .*, found '.*' in '.*$arch.*'" --arch "$arch:$other"
    done
    for other in caba-bdi hw-bdi caba-off; do refused 'expected at most one of .*caba-prefetch' --arch "$arch:$other"; done
    refused '--check codec' --arch $arch --check codec
done
refused 'expected at most one of' --arch caba-memo:caba-prefetch
refused 'memo.entries must be a power of two, found 100' --arch caba-memo --set memo.entries=100
refused 'prefetch.ahead must be a power of two, found 3' --arch caba-prefetch --set prefetch.ahead=3
refused 'memo.entries' --arch caba-memo --set memo.entries=8
refused 'prefetch.loads' --arch caba-prefetch --set prefetch.loads=5
exit $failed
