#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# profile.sh SMCOSIM DATA: caba.profile measured runs a kernel as the baseline, cycle for cycle, if
# its two numbers leave it out. Every other kernel runs with assist warps as without the key. The
# numbers are those of runs of their own.
set -eu
smcosim=$1 data=$2
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
die() { echo "FAILED: $*"; exit 1; }
simulate() {  # FILE KERNEL OPTIONS..
    to=$tmp/$1 kernel=$2
    shift 2
    "$smcosim" run "$data/$kernel/small/launch.yaml" --machine fermi-caba --blocks model "$@" --json "$to" >"$tmp/table" 2>&1 || {
        cat "$tmp/table"
        die "$kernel $*"
    }
}
number() { grep -oE "\"$2\": ?[0-9.]+" "$tmp/$1" | head -1 | grep -oE '[0-9.]+$'; }
# KERNEL ARCH on|off REASON: by `bus` alone, or by the `ratio` too
expect() {
    simulate base "$1" --arch baseline
    simulate plain "$1" --arch "$2"
    simulate profiled "$1" --arch "$2" --set caba.profile=measured --check retire,oracle
    awk -v busy="$(number base dram_busy_cycles)" -v cycles="$(number base cycles)" -v raw="$(number plain dram_raw_bursts)" \
        -v moved="$(number plain dram_moved_bursts)" -v said_busy="$(number profiled dram_busy)" -v said_ratio="$(number profiled ratio || :)" \
        -v want="$3" -v by="$4" '
        function near(a, b) { return a - b < 1e-9 && b - a < 1e-9 }
        BEGIN {
            bound = busy / cycles >= 0.3
            right = near(said_busy, busy / cycles) && bound == (by == "ratio") && (bound ? near(said_ratio, raw / moved) : said_ratio == "")
            exit !(right && want == (bound && raw / moved >= 1.1 ? "on" : "off"))
        }' || die "$1 on $2: expected $3 by $4: $(grep -A4 caba_profile "$tmp/profiled" | tr -d '\n')"
    case $3 in
    on) same=plain other=base said=': with assist warps' ;;
    off) same=base other=plain said=': runs as the baseline' ;;
    esac
    grep -q "  profile: DRAM bus busy .*$said" "$tmp/table" || die "$1 on $2: the table does not say '$said'"
    [ "$(number profiled cycles)" = "$(number $same cycles)" ] || die "$1 on $2: cycles of $same were expected"
    [ "$(number profiled cycles)" != "$(number $other cycles)" ] || die "$1 on $2: as many cycles with as without, which shows nothing"
}
expect logscan caba-bdi on ratio
expect noise caba-bdi off ratio
expect busy caba-bdi off bus
expect blend caba-best on ratio
# The codec sets the value of a ratio: the same lines.
expect imat caba-fpc on ratio

refused() {  # TEXT STATUS OPTIONS..
    text=$1 status=$2 got=0
    shift 2
    "$smcosim" run "$data/busy/small/launch.yaml" --machine fermi-caba --arch caba-bdi --set caba.profile=measured "$@" >"$tmp/out" 2>&1 || got=$?
    [ $got = "$status" ] && grep -q -- "$text" "$tmp/out" || { cat "$tmp/out"; die "$*: expected status $status and '$text', found $got"; }
}
refused "excluded by caba.profile, so it runs as the baseline: --blocks: block 'assist_ctrl'" 2 --blocks model,assist_ctrl=model
refused 'no assist warp compressed a line' 5 --blocks model --check codec
refused 'caba.profile is one of none' 2 --set caba.profile=often
