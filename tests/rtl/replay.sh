#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# replay.sh RTL_REPLAY BLOCK SEED CYCLES NAME=VALUE...: the module under Icarus (4-state) against
# the golden model, random stimuli. Parameters in the order of the block's table.
# replay.sh RTL_REPLAY BLOCK faults: each seeded fault must show, and at its port.
set -eu
replay=$1 block=$2 seed=$3
shift 3
top=$(cd "$(dirname "$0")/../.." && pwd)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
case $block in
banked_rf) rtl=$top/rtl/rf ;;
operand_collector) rtl=$top/rtl/collect ;;
esac

build() {  # flag, NAME=VALUE...
    define=$1; shift
    set_params=''; values=''
    for pair in "$@"; do set_params="$set_params -P${block}_tb.$pair"; values="$values ${pair#*=}"; done
    # shellcheck disable=SC2086
    iverilog -g2012 -DSIM $define $set_params -s "${block}_tb" -o "$tmp/vvp" "$rtl"/*.sv "$top/tests/rtl/${block}_tb.v"
}

if [ "$seed" != faults ]; then
    cycles=$1; shift
    build '' "$@"
    # shellcheck disable=SC2086
    "$replay" "$block" "$seed" "$cycles" $values >"$tmp/in"
    exec vvp -n "$tmp/vvp" "+replay=$tmp/in"
fi

# fault:port at which it must show, alone or among others
case $block in
banked_rf)
    build -DTESTBUG Banks=4 Entries=12 NumColl=5 NumWr=2
    faults="1:rd_data 2:rd_data 3:rd_data 11:rd_data 12:rd_data 13:rd_data 21:rd_grant 22:wr_ready
            23:rd_grant 24:rd_grant 31:rd_data_valid 32:rd_data_coll 33:rd_data 34:rd_data 35:rd_data_valid" ;;
operand_collector)
    build -DTESTBUG NumColl=6 NumOps=3 NumAlloc=2 NumDisp=2 Banks=4 Entries=12
    faults="41:rd_entry 42:disp_slot 43:older 44:disp_data 45:older 46:disp_valid" ;;
esac
# shellcheck disable=SC2086
"$replay" "$block" 7 600 $values >"$tmp/in"
vvp -n "$tmp/vvp" "+replay=$tmp/in" || { echo "differs without a fault"; exit 1; }
for fault in $faults; do
    status=0
    vvp -n "$tmp/vvp" "+replay=$tmp/in" "+testbug=${fault%:*}" >"$tmp/out" || status=$?
    if [ "$status" != 1 ] || ! grep -q "differs:.* ${fault#*:}_o" "$tmp/out"; then
        echo "fault ${fault%:*}: expected to show at ${fault#*:}_o, exit status $status"; cat "$tmp/out"; exit 1
    fi
    echo "fault ${fault%:*}: $(tr -s " " <"$tmp/out")"
done
# Every fault that the sources document is in the list above.
documented=$(sed -n 's|^    // *\([0-9]\{1,2\}\)  .*|\1|p' "$rtl"/*.sv | sort -n | tr '\n' ' ')
listed=$(for fault in $faults; do echo "${fault%:*}"; done | sort -n | tr '\n' ' ')
[ "$documented" = "$listed" ] || { echo "documented faults: $documented; tried: $listed"; exit 1; }
