#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Accesses of the register file beside the baseline's, on every kernel. Without forwarding there are
# as many reads and writes, in `bow` as many writes and fewer reads, with write bits fewer writes.
# Counters add up; compare shows the figures. Usage: traffic.sh SMCOSIM "FILE;FILE;.."
set -eu
smcosim=$1 files=$(echo "$2" | tr ';' ' ')
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
archs=baseline,bow-nofwd,bow,bow-wb,bow-wr,bow-wr-half
# shellcheck disable=SC2086
"$smcosim" compare $files --machine pascal --arch $archs --blocks model --set stats.reuse=1 --json "$tmp/c.json" >"$tmp/table"
for figure in 'bow r' 'bow w' 3.7 3.9 3.10 3.11 3.12 3.13; do
    grep -q "^$figure " "$tmp/table" || { echo "the table lacks figure $figure"; exit 1; }
done
python3 - "$tmp/c.json" <<'PY'
import json, sys
doc = json.load(open(sys.argv[1]))
def check(kernel, holds, what):
    if not holds: sys.exit(f"{kernel}: {what}")
sums = {}
for launch in doc["launches"]:
    name, v = launch["name"], {a: c["counters"] for a, c in launch["archs"].items()}
    for a, c in launch["archs"].items(): check(name, c["verdict"] == "pass", f"{a}: {c['verdict']} {c['message']}")
    base = v["baseline"]
    if any(c["warp_instructions"] != base["warp_instructions"] for c in v.values()):  # it waits in a loop for others
        check(name, name in ("flags", "handoff"), "instructions differ")
        continue
    for access in "rf_reads", "rf_writes":
        check(name, v["bow-nofwd"][access] == base[access], f"bow-nofwd: {access} differ")
    check(name, v["bow"]["rf_writes"] == base["rf_writes"], "bow: rf_writes differ")
    check(name, v["bow"]["rf_reads"] <= base["rf_reads"], "bow: more reads")
    for a in doc["archs"][1:]:
        c = v[a]
        check(name, c["bow_sources"] == c["rf_reads"] + c["bow_forwards"], f"{a}: sources")
        check(name, c["rf_writes"] == c["bow_direct_writes"] + c["bow_saves"] + c["bow_pressure_saves"], f"{a}: writes")
        check(name, c["bow_stored"] == sum(c["bow_" + k] for k in
              ("saves", "pressure_saves", "overwritten", "merged", "dead", "dropped")), f"{a}: stored")
        check(name, c["bow_results"] == sum(c["results_%d_byte%s" % (n, "s" * (n > 1))] for n in (1, 2, 3, 4)), f"{a}: results")
        check(name, c["bow_window_cycles"] == sum(c[f"bow_rows_{n}"] for n in range(29)), f"{a}: histogram")
        if a.startswith("bow-wr"):
            for n in range(4):
                bits = f"{n >> 1}{n & 1}"
                check(name, c["bow_bits_" + bits] == c["results_bits_" + bits], f"{a}: bits {bits}")
    for a in doc["archs"]:
        for k in "rf_reads", "rf_writes", "bow_read_again", "bow_pressure_saves": sums[a, k] = sums.get((a, k), 0) + v[a][k]
check("all", sums["bow", "rf_reads"] < 0.8 * sums["baseline", "rf_reads"], "bow saves no reads")
check("all", sums["bow-wr", "rf_writes"] < sums["bow-wb", "rf_writes"] < sums["bow", "rf_writes"], "writes do not fall")
check("all", sums["bow-wr-half", "bow_read_again"] > 0, "half of the rows never run short")
PY
