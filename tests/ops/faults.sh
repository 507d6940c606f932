#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# faults.sh PROGRAM FAULT...: the program must fail when one function returns a wrong lowest bit.
program=$1
shift
[ -x "$program" ] || { echo "$program does not exist"; exit 1; }
for fault in "$@"; do
    if SMCOSIM_TEST_FAULT=$fault "$program" >/dev/null 2>&1; then
        echo "$program did not notice a fault in $fault"
        exit 1
    fi
done
echo "$# seeded faults noticed"
