#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# messages.sh PROGRAM FOLDER: PROGRAM's output for each FOLDER/NAME.ptx must equal NAME.err.
program=$1
cd "$2" || exit 1
failed=0
count=0
for ptx in *.ptx; do
    count=$((count + 1))
    "$program" "$ptx" | diff -a -u "${ptx%.ptx}.err" - || failed=1
done
[ "$count" -ge 30 ] || { echo "only $count cases found"; failed=1; }
exit $failed
