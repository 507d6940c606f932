#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# refused.sh SMCOSIM: architectures and machines that larf and las do not go with, and why.
set -eu
expect() {
    words=$1
    shift
    status=0
    text=$("$@" 2>&1) || status=$?
    [ $status = 2 ] || { echo "refused.sh: $*: exit status $status, expected 2"; exit 1; }
    echo "$text" | grep -qF -- "$words" || { echo "refused.sh: $*: expected '$words', found: $text"; exit 1; }
}
expect "requires one of larf" "$1" run vecadd --arch las
expect "expected at most one of" "$1" run vecadd --arch rfv:larf
expect "combines with" "$1" run vecadd --arch bow:larf
expect "combines with" "$1" run vecadd --arch regmutex:larf
expect "a table without RTL" "$1" run vecadd --arch larf --set larf.table=flat
expect "larf.ideal is 1: a table without RTL" "$1" run vecadd --arch larf:las --set larf.ideal=1 --blocks addr_map_table=rtl
expect "only the flat table supports this, expected larf.table=flat" "$1" run vecadd --arch larf --set larf.enter_merged=1 --blocks model
expect "only the flat table supports this, expected larf.table=flat" "$1" run vecadd --arch larf --set larf.partial=any --blocks model
expect "oc.collectors = 32: the architecture derives 33 from it" "$1" run vecadd --machine kepler --arch larf
