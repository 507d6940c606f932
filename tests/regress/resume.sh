# SPDX-License-Identifier: Apache-2.0
# After Ctrl-C and after kill -9 only the missing cases run again; nothing is lost or counted twice.
. "$(dirname "$0")/lib.sh"
{
    echo "name: s"; echo "jobs:"
    for i in 1 2 3 4 5 6 7 8; do echo "  - {name: c$i, command: [sh, -c, \"echo $i >>$work/log; sleep 0.3; echo done$i >>$work/log\"]}"; done
} >s.yaml
for signal in INT KILL; do
    rm -rf regress-s smcosim-history.db
    : >log
    "$smcosim" regress s.yaml --jobs 2 >out 2>err &
    pid=$!
    while [ "$(grep -c done log)" -lt 3 ]; do kill -0 $pid || fail "it ended too early"; sleep 0.05; done
    kill -"$signal" $pid
    got=0; wait $pid || got=$?
    case $signal in
    INT) [ "$got" = 130 ] || fail "status $got after Ctrl-C"; said "--resume runs the missing cases" ;;
    KILL) [ "$got" = 137 ] || fail "status $got after kill -9" ;;
    esac
    sleep 0.5
    before=$(ls regress-s/cases/*/result.json | wc -l)
    [ "$before" -ge 1 ] && [ "$before" -lt 8 ] || fail "$before results before the resume: nothing was interrupted"
    expect 2 "$smcosim" regress s.yaml
    said "the folder already holds a campaign"
    ran=$(grep -c '^[0-9]' log)
    expect 0 "$smcosim" regress --resume --out regress-s --jobs 2
    said "suite s: 8 of 8 cases pass"
    [ "$(($(grep -c '^[0-9]' log) - ran))" = "$((8 - before))" ] || fail "ran more or less than was missing"
    expect 0 "$smcosim" regress --resume --out regress-s
    [ "$(query smcosim-history.db 'SELECT count(*), count(DISTINCT key), count(DISTINCT campaign) FROM result')" = "8 8 1" ] || fail "the history"
done
