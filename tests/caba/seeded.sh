#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# seeded.sh SMCOSIM DATA: faults in the RTL of assist_ctrl, md_cache, bdi_compress and
# bdi_decompress, found while a kernel runs. Lockstep finds them, and with the RTL alone the
# comparisons of the SM. Without a fault the RTL alone passes.
set -u
smcosim=$1 launch=$2/logscan/small/launch.yaml
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
failed=0
check() {  # STATUS TEXT OPTIONS..
    want=$1 text=$2
    shift 2
    "$smcosim" run "$launch" --machine tiny --set l1.sets=20 --set dram.access=32 --bundle "$tmp/bundle" "$@" >"$tmp/out" 2>&1
    status=$?
    if [ $status != "$want" ] || ! grep -q "$text" "$tmp/out"; then
        echo "FAILED: $*: expected status $want and '$text', found $status:"
        head -5 "$tmp/out"
        failed=1
    fi
}
check 0 'verdict logscan: pass' --arch caba-bdi --blocks model,assist_ctrl=rtl,md_cache=rtl
for fault in 430:over 431:dep 434:dep 435:dep 436:dep 437:busy 438:over 439:dep; do
    check 1 "mismatch: block assist_ctrl, .*port ${fault#*:}" --arch caba-bdi --blocks model,assist_ctrl=lockstep \
        --testbug "assist_ctrl=${fault%:*}"
done
check 1 'assist warp .*the codec' --arch caba-bdi --blocks model,assist_ctrl=rtl --testbug assist_ctrl=430
check 1 'mismatch: block md_cache' --arch hw-bdi --blocks model,md_cache=lockstep --testbug md_cache=421
check 1 'md_cache: field' --arch hw-bdi --blocks model,md_cache=rtl --testbug md_cache=425
check 1 'mismatch: block bdi_compress' --arch hw-bdi --blocks model,bdi_compress=lockstep --testbug bdi_compress=414
check 1 'bdi_compress: expected encoding' --arch hw-bdi --blocks model,bdi_compress=rtl --testbug bdi_compress=414
check 1 'bdi_decompress: an image' --arch hw-bdi --blocks model,bdi_decompress=rtl --testbug bdi_decompress=403
exit $failed
