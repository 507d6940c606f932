#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# smcosim repro pmode writes a complete document whose numbers are those of smcosim run, the same
# each time. A different counter changes the document, and a run without a report leaves nothing.
# Usage: report.sh SMCOSIM BENCH
set -u
smcosim=$1 bench=$2
scratch=$(mktemp -d) || exit 7
trap 'rm -rf "$scratch"' EXIT
die() { echo "report: $*" >&2; exit 1; }
# To FILE, from the results that are kept; $CHANGE: an edit of those of architecture pmode.
report() {
    results=$scratch/results
    if [ -n "${CHANGE-}" ]; then
        rm -rf "$scratch/changed"
        cp -r "$results" "$scratch/changed"
        results=$scratch/changed
        for file in $(grep -l '"--arch","pmode",' "$results"/*.json); do
            sed "$CHANGE" "$file" >"$scratch/edited" && cp "$scratch/edited" "$file"
        done
    fi
    "$smcosim" repro pmode --kernels reduction,walsh,sgemm --data "$bench" --results "$results" --output "$scratch/out" -j2 >/dev/null 2>"$scratch/err" &&
        cp "$scratch/out/pmode.md" "$1"
}
report "$scratch/a.md" || die "$(cat "$scratch/err")"
for title in Classes Performance 'Scheduler cycles' 'Instructions covered' 'Energy of the GPU' Kernels Findings; do
    grep -q "^## $title" "$scratch/a.md" || die "no section $title"
done
grep -qw 'nan\|inf' "$scratch/a.md" && die "a number is none: $(grep -w 'nan\|inf' "$scratch/a.md")"
awk -F'|' '!/^[|]/ {n = 0; next}
    !n {n = NF}
    NF != n {print NF " cells, expected " n ": " $0; bad = 1}
    END {exit bad}' "$scratch/a.md" || die "a table is ragged"
"$smcosim" run "$bench/reduction/small/launch.yaml" --blocks model --json "$scratch/base" >/dev/null &&
    "$smcosim" run "$bench/reduction/small/launch.yaml" --arch pmode --blocks model --json "$scratch/pmode" >/dev/null || die "run"
agrees() { python3 - "$scratch" "$1" <<'END'
import json, sys
base, pmode = (json.load(open(f"{sys.argv[1]}/{n}"))["launches"][0]["cycles"] for n in ("base", "pmode"))
row = next(l for l in open(sys.argv[2]) if l.startswith("| reduction ")).split("|")
if row[2].strip() != str(base) or row[3].strip() != f"{base / pmode:.3f}":
    sys.exit(f"reduction: {row[2:4]}, expected {base}, {base / pmode:.3f}")
END
}
agrees "$scratch/a.md" || die "the document is not what the runs say"
# The document as it should be, beside one of changed counters.
CHANGE='s/"cycles":\([0-9]\)/"cycles":1\1/g' report "$scratch/b.md" || die "$(cat "$scratch/err")"
agrees "$scratch/b.md" 2>"$scratch/said" && die "changed cycles are not noticed"
CHANGE='s/"reused":[0-9]*/"reused":1/g' report "$scratch/b.md" || die "$(cat "$scratch/err")"
diff "$scratch/a.md" "$scratch/b.md" >"$scratch/diff"
grep -q '^< .*\.\.\. reused' "$scratch/diff" && grep -q '^< | pmode, ' "$scratch/diff" || die "a changed counter changes no row"
report "$scratch/b.md" && cmp "$scratch/a.md" "$scratch/b.md" || die "the same runs give another document"
rm "$scratch/b.md" "$scratch/out/pmode.md"
CHANGE='s/"output":.*/"output":"no report"}/' report "$scratch/b.md" && die "runs without a report pass"
grep -q 'expected a report' "$scratch/err" || die "expected a refusal, found: $(cat "$scratch/err")"
[ ! -e "$scratch/b.md" ] && [ ! -e "$scratch/out/pmode.md" ] || die "a document is left by a run that failed"
