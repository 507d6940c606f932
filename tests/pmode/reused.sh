#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# In every kernel that bench/repro/pmode.md has as Type-L, N-mode reuses results of P-mode: their
# checks are not vacuous. The same with a pool of four registers. Three kernels are exceptions,
# because nothing can be executed ahead. Kernel mummer halts at the branch that depends on its load.
# Behind copy's load and vecadd's sum are a store and the end.
# Usage: reused.sh SMCOSIM BENCH DOCUMENT
set -u
smcosim=$1 bench=$2 document=$3
scratch=$(mktemp -d) || exit 7
trap 'rm -rf "$scratch"' EXIT
kernels=$(sed -n '/^Type-L/,/^$/p' "$document" | tr '\n' ' ' | sed 's/^[^:]*: //; s/,//g; s/ [0-9][0-9]*//g; s/[.]//')
n=0
for kernel in $kernels; do
    launch=$bench/$kernel/small/launch.yaml
    for set in pmode.registers=128 pmode.registers=4; do
        "$smcosim" run "$launch" --arch pmode --set $set --blocks model --json "$scratch/json" >"$scratch/out" 2>&1 || {
            echo "reused: $kernel: $(cat "$scratch/out")" >&2
            exit 1
        }
        set -- $(python3 -c 'import json, sys
launches = json.load(open(sys.argv[1]))["launches"]
print(*(sum(l["counters"]["pmode"][n] for l in launches) for n in ("executed", "reused")))' "$scratch/json") $set
        case $kernel in
        copy | mummer | vecadd) [ "$1" -eq 0 ] || { echo "reused: $kernel, $3: executed ahead: $1" >&2; exit 1; } ;;
        *) [ "$2" -gt 0 ] || { echo "reused: $kernel, $3: nothing is reused" >&2; exit 1; } ;;
        esac
    done
    n=$((n + 1))
done
[ $n -ge 8 ] || { echo "reused: $n kernels of Type-L, expected 8 or more" >&2; exit 1; }
