#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A kernel that registers do not limit runs as in the baseline; that RegMutex's blocks had no work is said. Mapped all the
# same, its registers lie where arch_to_phys says. Usage: vacuous.sh SMCOSIM BENCH
set -u
scratch=$(mktemp -d) || exit 7
trap 'rm -rf "$scratch"' EXIT
die() { echo "vacuous: $*" >&2; exit 1; }
run() { "$1" run "$2/vecadd/small/launch.yaml" --blocks model,srp_allocator=rtl,arch_to_phys=rtl --arch regmutex $3 >"$scratch/out" 2>"$scratch/err"; }
run "$1" "$2" ""
[ $? -eq 5 ] || die "a kernel that is not split: expected exit status 5"
grep -q 'gave no work to srp_allocator.*arch_to_phys' "$scratch/err" || die "the blocks without work are not named"
run "$1" "$2" "--set regmutex.es=0"
[ $? -eq 5 ] || die "no sections: expected exit status 5"
grep 'gave no work to' "$scratch/err" | grep -q arch_to_phys && die "arch_to_phys mapped registers and is called vacuous"
"$1" run "$2/vecadd/small/launch.yaml" --blocks model,owf_locks=rtl,arch_to_phys=rtl --arch owf >"$scratch/out" 2>"$scratch/err"
[ $? -eq 5 ] || die "nothing shared: expected exit status 5"
grep -q 'gave no work to.*arch_to_phys.*owf_locks\|gave no work to.*owf_locks.*arch_to_phys' "$scratch/err" ||
    die "the blocks of owf without work are not named"
exit 0
