#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Chains of dependent operations take the documented cycles. On gtx480 these are those of GPGPU-Sim
# 4.2 and micro-benchmarks (int add: 18 shader clocks), on kepler those of micro-benchmarks. On
# pascal they follow from GPGPU-Sim's options as on gtx480. A conversion has a latency of 1 in
# GPGPU-Sim, where a chain sees 7.1, because its pipeline is longer. A wrong latency is noticed.
# Usage: chains.sh SMCOSIM SOURCE
set -eu
SMCOSIM=$1
export SMCOSIM
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cat >"$scratch/gtx480" <<'END'
int add|9|0.5
f32 add|9|0.5
int multiply|10.2|0.5
int multiply-add|11.2|0.5
special function|14.1|2.5
convert|5|0.5
shared load|32|1
L1 hit|40|1
L2 hit|143|2
DRAM, row closed|318|4
END
cat >"$scratch/kepler" <<'END'
int add|9.5|0.5
f32 add|9|0.5
shuffle|24|1
shared load|29.5|3.5
L1 hit|35|1
L2 hit|175|1
END
cat >"$scratch/pascal" <<'END'
convert|5|0.5
special function|24|0.5
shared load|30|1
L1 hit|87|1
L2 hit|216|1
END
check() {  # SOURCE MACHINE, options of bench/chains; prints results outside their tolerance
    # shellcheck disable=SC2086
    "$1/bench/chains" --machine "$2" $3 >"$scratch/chains" || { cat "$scratch/chains"; exit 1; }
    awk -F'|' '
        NR == FNR { wanted[$1] = $2; tolerance[$1] = $3; n++; next }
        {
            name = substr($0, 1, 26)
            sub(/ +$/, "", name)
            if (!(name in wanted)) next
            seen = substr($0, 27, 9) + 0
            found++
            if (seen < wanted[name] - tolerance[name] || seen > wanted[name] + tolerance[name])
                printf "%s: %.1f cycles, expected %s to within %s\n", name, seen, wanted[name], tolerance[name]
        }
        END { if (found != n) printf "%d chains of %d\n", found, n }' "$scratch/$2" "$scratch/chains"
}
for machine in gtx480 kepler pascal; do
    bad=$(check "$2" $machine '')
    [ -z "$bad" ] || { echo "$machine: $bad"; exit 1; }
done
bad=$(check "$2" gtx480 '--set shared.latency=28 --set exec.fp32.latency=6')
for name in 'shared load: 36' 'f32 add: 11'; do
    case $bad in *"$name"*) ;; *) echo "not noticed: $name"; echo "$bad"; exit 1 ;; esac
done
[ "$(echo "$bad" | wc -l)" = 2 ] || { echo "$bad"; exit 1; }
echo "chains.sh: 23 passed, 0 failed"
