#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# fourstate.sh SMCOSIM BLOCK [OPTION...]: the block passes under another simulator.
# fourstate.sh SMCOSIM BLOCK faults N:PORT... files FILE... options [OPTION...]: under Icarus each
# seeded fault must show at its port. Every fault that the RTL files document is in the list.
set -eu
smcosim=$1 block=$2
shift 2
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
if [ "${1:-}" != faults ]; then
    "$smcosim" verify "$block" --bundle "$tmp/bundle" "$@"
    exit
fi
shift
faults='' files=''
while [ "$1" != files ]; do faults="$faults $1"; shift; done
shift
while [ "$1" != options ]; do files="$files $1"; shift; done
shift

"$smcosim" verify "$block" --sim icarus --bundle "$tmp/bundle" "$@" >"$tmp/out" 2>&1 ||
    { echo "differs without a fault"; cat "$tmp/out"; exit 1; }
for fault in $faults; do
    status=0
    "$smcosim" verify "$block" --sim icarus --testbug "$block=${fault%:*}" --bundle "$tmp/bundle" "$@" \
        >"$tmp/out" 2>&1 || status=$?
    if [ "$status" != 1 ] || ! grep -q "^ *${fault#*:} \| port ${fault#*:}_o\[" "$tmp/out"; then
        echo "fault ${fault%:*}: expected to show at ${fault#*:}_o, exit status $status"; cat "$tmp/out"; exit 1
    fi
    echo "fault ${fault%:*}: $(grep -m 1 'mismatch: block' "$tmp/out" | sed 's/.*block/block/')"
done
documented=$(for file in $files; do sed -n 's|^\([0-9][0-9]*\)  .*|\1|p' "${file%.sv}.faults"; done | sort -n | tr '\n' ' ')
listed=$(for fault in $faults; do echo "${fault%:*}"; done | sort -n | tr '\n' ' ')
[ "$documented" = "$listed" ] || { echo "documented faults: $documented; tried: $listed"; exit 1; }
