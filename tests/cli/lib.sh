# SPDX-License-Identifier: Apache-2.0
# Sourced by the scripts of this folder: a scratch folder, and `expect STATUS PATTERN COMMAND...`.
# The latter runs the command and demands the exit status and a line of output (stdout or stderr)
# that matches.
smcosim=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cases=0
failed=0

expect() {
    want=$1; pattern=$2; shift 2
    status=0
    (ulimit -t 300; exec "$@") >"$scratch/output" 2>&1 </dev/null || status=$?  # of processor time
    cases=$((cases + 1))
    if [ "$status" != "$want" ] || ! grep -qE -- "$pattern" "$scratch/output"; then
        failed=$((failed + 1))
        echo "FAILED: $*"
        echo "  wanted exit status $want and a line matching: $pattern"
        echo "  got exit status $status and:"
        sed 's/^/    /' "$scratch/output" | head -30
    fi
}

# words FILE N 'AWK EXPRESSION OF i': N words.
words() {
    # shellcheck disable=SC2059
    printf "$(awk "BEGIN { for (i = 0; i < $2; i++) { v = ($3); for (b = 0; b < 4; b++) { printf \"\\\\%03o\", v % 256; v = int(v / 256) } } }")" >"$1"
}

finish() {
    # The checker itself: a wrong status and a missing pattern must both be counted.
    before=$failed
    expect 1 '' true >/dev/null
    expect 0 'no such line' true >/dev/null
    [ "$failed" = $((before + 2)) ] || { echo "FAILED: expect does not notice failures"; exit 1; }
    failed=$before
    cases=$((cases - 2))
    echo "$((cases - failed)) passed, $failed failed"
    [ "$failed" = 0 ]
}
