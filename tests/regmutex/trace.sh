#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# trace.sh SMCOSIM KERNELS: a trace has a track per warp of the shared registers that the warp took.
# The slices together are as long as the counters say.
set -eu
smcosim=$1 kernels=$2
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
for run in "regmutex section_cycles R26..R35 --set regmutex.rule=most" \
    "regmutex-paired section_cycles R26..R35 --set regmutex.rule=most" \
    "owf shared_register_cycles R20..R35 --set owf.threshold=20 --set owf.pairs=all"; do
    # shellcheck disable=SC2086
    set -- $run
    arch=$1 counter=$2 registers=$3
    shift 3
    "$smcosim" run "$kernels/lavamd/small/launch.yaml" --arch "$arch" --blocks model --trace "$tmp/trace.json" --json "$tmp/run.json" \
        "$@" >"$tmp/out" || { cat "$tmp/out"; exit 1; }
    python3 - "$tmp" "$counter" "$registers" <<'PY' || { echo "trace.sh: $arch: trace and counter differ"; exit 1; }
import json, sys
tmp, counter, registers = sys.argv[1:]
events = json.load(open(f"{tmp}/trace.json"))["traceEvents"]
pid = next(e["pid"] for e in events if e["ph"] == "M" and e["args"]["name"] == "shared registers taken")
held = [e for e in events if e["pid"] == pid and e["ph"] == "X"]
groups = json.load(open(f"{tmp}/run.json"))["launches"][0]["counters"]
want = next(g[counter] for g in groups.values() if counter in g)
assert want > 0 and sum(e["dur"] for e in held) == want, (len(held), want)
assert {e["name"] for e in held} == {registers}, held[0]
PY
done
