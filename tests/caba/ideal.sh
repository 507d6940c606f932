#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# ideal.sh SMCOSIM DATA: caba.ideal leaves out the routines that it names, and no other; the table
# calls such a run ideal. Values and memory are right in all of them (retire check and oracle), and
# the remaining routines are compared with the codec. An L1 hit takes 35 cycles here, so that the
# saving of the window is visible. Kernel halfstore: L2 requests lines raw, each a trip that has its
# routine in every bound.
set -u
smcosim=$1 data=$2 failed=0
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
fail() { echo "FAILED: $*"; failed=1; }
simulate() {  # STATUS KERNEL IDEAL CHECKS
    "$smcosim" run "$data/$2/small/launch.yaml" --machine fermi-caba --arch caba-bdi --set l1.latency=35 --set caba.ideal="$3" --blocks model --check "$4" \
        --json "$tmp/json" >"$tmp/out" 2>&1
    status=$?
    [ $status = "$1" ] || fail "$2, caba.ideal $3: expected status $1, found $status: $(grep '^smcosim' "$tmp/out")"
}
counter() { grep -oE "\"$1\": *[0-9]+" "$tmp/json" | head -1 | grep -oE '[0-9]+$'; }
said() { grep '^  ideal: ' "$tmp/out"; }

simulate 0 logscan none retire,oracle,codec
[ -z "$(said)" ] || fail "none: the table says '$(said)'"
plain=$(counter cycles) loads=$(counter assist_loads)
for ideal in window load store both; do
    case $ideal in both) checks=retire,oracle ;; *) checks=retire,oracle,codec ;; esac
    simulate 0 logscan $ideal $checks
    [ "$(said)" = "  ideal: caba.ideal $ideal, a bound that no hardware reaches" ] || fail "$ideal: the table says '$(said)'"
    [ "$(counter cycles)" -lt "$plain" ] || fail "$ideal: $(counter cycles) cycles, without it $plain"
    [ "$(counter lines_stored_compressed)" -gt 0 ] || fail "$ideal: no line is stored compressed"
    case $ideal in load | both) want=0 ;; *) want=$loads ;; esac
    [ "$(counter assist_loads)" = "$want" ] || fail "$ideal: expected $want routines of loads, found $(counter assist_loads)"
    case $ideal in store | both) want=0 ;; *) want=[1-9]* ;; esac
    case $(counter assist_stores) in $want) ;; *) fail "$ideal: expected $want routines of stores, found $(counter assist_stores)" ;; esac
done
simulate 5 logscan both codec
grep -q 'no assist warp compressed a line' "$tmp/out" || fail "both: $(grep '^smcosim' "$tmp/out")"
simulate 0 halfstore both retire,oracle,codec
[ "$(counter assist_trips)" = 128 ] || fail "halfstore, both: expected 128 trips, found $(counter assist_trips)"
exit $failed
