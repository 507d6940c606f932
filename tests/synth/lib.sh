# SPDX-License-Identifier: Apache-2.0
# Sourced by the tests of this folder: `expect`, a cache of their own, and the JSON output of
# `smcosim synth`.
. "$(dirname "$0")/../cli/lib.sh"
SMCOSIM_CACHE=$scratch/cache
export SMCOSIM_CACHE
synth="$smcosim synth"

# field FILE EXPRESSION VALUE: the expected value of a Python expression over the document `d`.
field() {
    cases=$((cases + 1))
    found=$(python3 -c "import json,sys; d=json.load(open(sys.argv[1])); r=d['results'][0]; print($2)" "$1" 2>&1) || true
    [ "$found" = "$3" ] || { failed=$((failed + 1)); echo "FAILED: $2 is $found, expected $3"; }
}
