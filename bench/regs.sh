#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Registers per thread of every kernel in bench/kernels: ours beside ptxas at -maxrregcount=63, and the median ratio.
# usage: bench/regs.sh [SMCOSIM]. The ptxas of nvcc must be on the PATH; PTXAS names another one.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
smcosim=${1:-$here/../build/smcosim}
ptxas=${PTXAS:-ptxas}
[ -x "$smcosim" ] || { echo "regs.sh: $smcosim: not built" >&2; exit 2; }
command -v "$ptxas" >/dev/null || { echo "regs.sh: no ptxas on the PATH: nothing to compare with" >&2; exit 7; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT INT TERM
printf '%-14s %-24s %6s %6s %6s %7s %7s\n' file kernel ours ptxas ratio insts spillB
for ptx in "$here"/kernels/*/*.ptx; do
    file=$(basename "$ptx" .ptx)
    arch=$(sed -n 's/^\.target *\(sm_[0-9]*\).*/\1/p' "$ptx" | head -1)
    case $arch in sm_7[0-4]) arch=sm_75 ;; esac
    "$ptxas" -v -arch="$arch" --maxrregcount=63 -o "$work/out.cubin" "$ptx" 2>"$work/ptxas.txt" || {
        echo "$file: ptxas failed: $(head -1 "$work/ptxas.txt")" >&2
        continue
    }
    sed -n -e "s/.*Compiling entry function '\([^']*\)'.*/K \1/p" -e 's/.*Used \([0-9]*\) registers.*/R \1/p' \
        "$work/ptxas.txt" | awk '$1 == "K" {k = $2} $1 == "R" {print k, $2}' >"$work/theirs"
    "$smcosim" compile "$ptx" --set compiler.addr_bits=64 >"$work/ours" 2>"$work/err" || { echo "$file: $(cat "$work/err")" >&2; continue; }
    awk -v file="$file" 'NR == FNR {theirs[$1] = $2; next}
        $1 in theirs {printf "%-14s %-24s %6d %6d %6.2f %7d %7d\n", file, $1, $2, theirs[$1], $2 / theirs[$1], $3, $5}' \
        "$work/theirs" "$work/ours"
done | tee "$work/table"
sort -n -k5,5 "$work/table" | awk '{r[NR] = $5} END {
    if (!NR) exit 1
    m = NR % 2 ? r[(NR + 1) / 2] : (r[NR / 2] + r[NR / 2 + 1]) / 2
    printf "kernels %d, median ratio %.2f, least %.2f, most %.2f\n", NR, m, r[1], r[NR]}'
