#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: kernels.sh SMCOSIM BENCH_DATA OPTIONS...: all small launches, retire check and oracle.
# Every value that took a row was written back, dead or dropped in the end. These and results that
# bypassed the cache wrote the register file. Some of the last ones may still be in the write-back
# buffers, one for each write port.
set -eu
smcosim=$1
data=$2
shift 2
scratch=$(mktemp -d) || exit 7
trap 'rm -rf "$scratch"' EXIT
"$smcosim" run "$data"/*/small/launch.yaml --blocks model --check retire,oracle --json "$scratch/json" \
    --bundle "$scratch/bundle" "$@" >"$scratch/out" 2>"$scratch/err" || {
    status=$?
    grep '^verdict' "$scratch/out" | grep -v pass
    cat "$scratch/err"
    exit $status
}
awk -v check="$0" '
    function take(name) {
        if (!match($0, "\"" name "\": *[0-9]+")) return
        split(substr($0, RSTART, RLENGTH), part, ": *")
        v[name] = part[2]
    }
    { take("cache_allocations"); take("cache_written_back"); take("cache_dead"); take("cache_dropped")
      take("cache_bypassed"); take("rf_writes"); take("cache_reads") }
    /"cache_row_cycles"/ {
        left = v["cache_allocations"] - v["cache_written_back"] - v["cache_dead"] - v["cache_dropped"]
        late = v["cache_written_back"] + v["cache_bypassed"] - v["rf_writes"]
        if (left != 0 || late < 0 || late > 4) {
            printf "%s: launch %d: %d rows are not accounted for, %d writes\n", check, n + 1, left, late
            failed++
        }
        n++
        reads += v["cache_reads"]
    }
    END {
        if (!n || !reads) { print check ": no launch with a cache"; exit 1 }
        print n " launches, " failed + 0 " failed"
        exit failed > 0
    }' "$scratch/json"
