#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Makes copies of RTL files with their seeded faults: those of FILE.sv are in FILE.faults.
#   faults.sh OUT select FILE...     all, chosen at run time by +testbug=N, and the port fault_i
#   faults.sh OUT NUMBER FILE...     fault NUMBER alone
# Prints the file to use for each FILE: a copy in the folder OUT, or FILE itself without such a
# fault.
# Exit: 0 done, 1 a fault does not fit its module (named on stderr), 7 the copy cannot be written.
set -u
LC_ALL=C; export LC_ALL
awk=${0%.sh}.awk out=$1 mode=$2
shift 2
number=0
[ "$mode" = select ] || { number=$mode; mode=one; }
for file; do
    faults=${file%.sv}.faults
    if [ "$faults" = "$file" ] || [ ! -e "$faults" ]; then printf '%s\n' "$file"; continue; fi
    if [ "$mode" = one ] && ! grep -q "^$number  " "$faults"; then printf '%s\n' "$file"; continue; fi
    mkdir -p "$out" || exit 7
    copy=$out/${file##*/}
    : >"$copy" || exit 7
    awk -v mode="$mode" -v number="$number" -f "$awk" "$faults" "$file" >"$copy" || exit 1
    printf '%s\n' "$copy"
done
