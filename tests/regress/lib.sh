# SPDX-License-Identifier: Apache-2.0
# Beginning of each test of this folder: $smcosim, an empty folder, words.
set -eu
smcosim=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT INT TERM
cd "$work"
fail() { echo "FAILED: $*" >&2; exit 1; }
expect() {  # STATUS COMMAND..: its outputs in out and err
    want=$1 got=0
    shift
    "$@" >out 2>err || got=$?
    [ "$got" = "$want" ] || { cat out err >&2; fail "status $got, expected $want: $*"; }
}
said() { grep -qF -- "$1" out err || { cat out err >&2; fail "not said: $1"; }; }
query() { python3 -c 'import sqlite3, sys; [print(*r) for r in sqlite3.connect(sys.argv[1]).execute(sys.argv[2])]' "$@"; }
