#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# all_systems.sh SMCOSIM KERNELS: machine all-systems accepts every architecture of `list archs --all`, and a comparison
# of one system of each family passes on it. A machine that does not is noticed.
set -eu
smcosim=$1 launch=$2/vecadd/small/launch.yaml
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
fail() { echo "all_systems.sh: $*"; exit 1; }

refused() {  # prints the architectures that the machine refuses
    "$smcosim" list archs --all | sed -n 's/^\([a-z0-9][^ ]*\).*/\1/p' >"$tmp/archs"
    while read -r arch; do
        "$smcosim" run "$launch" --arch "$arch" --machine "$1" --blocks model >"$tmp/out" 2>"$tmp/err" ||
            echo "$arch: $(head -1 "$tmp/err")"
    done <"$tmp/archs"
}
refused all-systems >"$tmp/refused"
[ ! -s "$tmp/refused" ] || fail "$(cat "$tmp/refused")"
# `las` needs another system, so it is no row by itself.
"$smcosim" list archs | sed -n 's/^\([a-z0-9][^ ]*\).*/\1/p' >"$tmp/systems"
[ "$(wc -l <"$tmp/systems")" -ge 37 ] || fail "only $(wc -l <"$tmp/systems") systems"
while read -r system; do
    grep -qxF "$system" "$tmp/archs" || [ "$system" = las ] || fail "$system was not run"
done <"$tmp/systems"
grep -qxF larf:las "$tmp/archs" || fail "larf:las was not run"

"$smcosim" compare "$launch" --machine all-systems --allow-idle \
    --arch baseline,corf++:rfv,rfc,bow-wr,regmutex,owf,larf:las,pmode,2xtlp,hw-bdi,caba-best,caba-memo,scalar-gcn >"$tmp/out" ||
    fail "compare: $(cat "$tmp/out")"

# Seeded: the warps of fermi, which are more than its collectors.
printf 'like: all-systems\nsm.warps: 48\nsm.threads: 1536\n' >"$tmp/more.yaml"
refused "$tmp/more.yaml" >"$tmp/refused"
grep -q '^bow-wr: .*one per warp\|^bow-wr: .*sm.warps is 48' "$tmp/refused" || fail "a machine with too many warps is accepted"
echo "all-systems: $(wc -l <"$tmp/archs") architectures on one machine"
