#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Faults of reg_cache are found under a kernel: seeded ones in lockstep, and, in the RTL alone, a row that is lost. Usage:
# found.sh SMCOSIM BENCH
set -u
scratch=$(mktemp -d) || exit 7
trap 'rm -rf "$scratch"' EXIT
# Words of the report, options.
expect() {
    words=$1
    shift
    "$smcosim" run "$bench/sgemm/small/launch.yaml" --arch rfc --bundle "$scratch/bundle" "$@" >/dev/null 2>"$scratch/err"
    status=$?
    [ $status -eq 1 ] && grep -q "$words" "$scratch/err" && return
    echo "found: $*: exit status $status, expected 1 and \`$words\`" >&2
    cat "$scratch/err" >&2
    exit 1
}
smcosim=$1
bench=$2
for bug in 377 383; do
    expect 'mismatch: block reg_cache' --blocks model,reg_cache=lockstep --testbug reg_cache=$bug
done
expect 'leak: block reg_cache' --blocks model,reg_cache=rtl --fault reg_cache:warp3.way1.valid:flip@2000
