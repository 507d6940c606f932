#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# smcosim replay: the identical mismatch, gone, or another one; shrinking. Usage: replay.sh SMCOSIM SOURCE BUILD
. "$(dirname "$0")/../cli/lib.sh"
SMCOSIM_CACHE=$3/test-variants; export SMCOSIM_CACHE
unset DISPLAY WAYLAND_DISPLAY
bad() { failed=$((failed + 1)); echo "FAILED: $*"; }
cp -r "$3/bench/sgemm/small" "$scratch/sgemm"
bundle=$scratch/bundle
cd "$scratch" || exit 1
# Cycles of a stimulus, from its last line.
cycles_of() { sed -n 's/^\([0-9]*\) end$/\1/p' "$1"; }

# ---- a run ----
expect 1 'reproduced the same' "$smcosim" run sgemm/launch.yaml --testbug operand_collector=45 --bundle bundle --snapshot-interval 1000
mkdir elsewhere
cd elsewhere || exit 1
expect 1 'replay .*bundle: the same mismatch: block operand_collector, cycle [0-9]+, port older_o' "$smcosim" replay ../bundle
cases=$((cases + 1))
cmp -s ../bundle/mismatch.fst ../bundle/replay.fst || {
    for f in mismatch replay; do fst2vcd ../bundle/$f.fst | sed '/^\$date/,/^\$end/d' >$f.vcd; done
    cmp -s mismatch.vcd replay.vcd || bad 'the wave of the replay differs'; }
expect 1 '^gtkwave ../bundle/replay.fst ../bundle/replay.gtkw$' "$smcosim" replay ../bundle --open
# The failing block's inputs since reset, shrunk on the block alone.
expect 1 'shrunk from [0-9]+ cycles with [0-9]+ transactions to [1-9] with [1-6] ' "$smcosim" replay ../bundle --shrink
cases=$((cases + 1))
[ "$(cycles_of ../bundle/shrunk.txt)" -le 5 ] || bad "shrunk to $(cycles_of ../bundle/shrunk.txt) cycles"
[ -s ../bundle/shrunk.fst ] && [ -s ../bundle/shrunk.gtkw ] || bad 'no wave of the shrunk stimulus'
expect 1 'the same mismatch: block operand_collector, cycle [0-9], port older_o' "$smcosim" replay ../bundle --shrunk
cd ..
# Another mismatch than the recorded one.
sed -i.orig 's/^\(  cycle: \)\([0-9]*\)/\11\2/' bundle/replay.yaml
expect 6 "another mismatch: block operand_collector, .*the bundle's: block operand_collector" "$smcosim" replay bundle
mv bundle/replay.yaml.orig bundle/replay.yaml
# The bundle is complete: moved, and without its sources, it is the same.
mv sgemm gone
mkdir "it's mailed"
mv bundle "it's mailed/b 1"
cd "it's mailed" || exit 1
expect 1 "^gtkwave 'b 1/replay.fst' 'b 1/replay.gtkw'$" "$smcosim" replay 'b 1' --open
cd ..
mv "it's mailed/b 1" bundle
mv gone sgemm
cases=$((cases + 1))
grep -q '"/' bundle/replay.yaml && bad 'replay.yaml names absolute paths'
# Copies must equal their originals.
copy() { cp -r bundle copy; }
copy; printf '\n' >>copy/files/launch.yaml
expect 2 'copy/files/launch.yaml: changed since the mismatch' "$smcosim" replay copy
rm -r copy; copy; printf 'x' | dd of=copy/files/a.bin bs=1 seek=100 conv=notrunc 2>/dev/null
expect 2 'copy/files/a.bin: changed since the mismatch' "$smcosim" replay copy
rm copy/files/a.bin
expect 2 'copy/files/a.bin' "$smcosim" replay copy
ln -s "$scratch/sgemm/a.bin" copy/files/a.bin
expect 2 'copy/files/a.bin: not a regular file' "$smcosim" replay copy
# Nothing outside the bundle is read, and nothing that the list does not name.
for path in "$scratch/sgemm/a.bin" files/../../sgemm/a.bin ../sgemm/a.bin; do
    sed "s|path: \"files/a.bin\"|path: \"$path\"|" bundle/replay.yaml >copy/replay.yaml
    expect 2 'replay.yaml:[0-9]+:[0-9]+: .*expected a path below files/ of the bundle' "$smcosim" replay copy
done
sed '/files.a.bin/d' bundle/replay.yaml >copy/replay.yaml
expect 2 'launch.yaml:[0-9]+:[0-9]+: .*a.bin: the bundle has no copy of it' "$smcosim" replay copy
sed 's|^launch:.*|launch: "files/../sgemm/launch.yaml"|' bundle/replay.yaml >copy/replay.yaml
expect 2 'expected a path of the list' "$smcosim" replay copy
for version in 1 3; do
    sed "s/^replay: 2/replay: $version/" bundle/replay.yaml >copy/replay.yaml
    expect 2 'of another version of smcosim' "$smcosim" replay copy
done
rm -r copy
# A folder that is not a bundle's stays as it is; a bundle's is replaced.
mkdir -p taken/files; echo mine >taken/files/mine
expect 1 'taken/files: exists, but smcosim did not make it' "$smcosim" run sgemm/launch.yaml --testbug operand_collector=45 --bundle taken
cases=$((cases + 1))
[ "$(ls -A taken/files)" = mine ] && [ ! -e taken/replay.yaml ] || bad 'a folder of the user was changed'
touch bundle/files/stale
dead=$(sh -c 'echo $$')
mkdir "bundle/files.tmp$dead" && : >"bundle/files.tmp$dead/a"
expect 1 'reproduced the same' "$smcosim" run bundle/files/launch.yaml --testbug operand_collector=45 --bundle bundle
cases=$((cases + 1))
[ -e bundle/files/stale ] || [ -e "bundle/files.tmp$dead" ] && bad 'copies of an earlier mismatch stay'
expect 1 'the same mismatch' "$smcosim" replay bundle
expect 1 "^replay: +smcosim replay 'b 2'$" "$smcosim" run sgemm/launch.yaml --testbug operand_collector=45 --bundle 'b 2'
expect 1 "wave: gtkwave 'b 2/mismatch.fst' 'b 2/mismatch.gtkw'$" "$smcosim" run sgemm/launch.yaml --testbug operand_collector=45 --bundle 'b 2'
# A mismatch that does not repeat is gone.
expect 6 'nondeterministic' "$smcosim" run sgemm/launch.yaml --fault operand_collector:coll3.older5:glitch@3100 --bundle glitch
expect 0 'the mismatch no longer occurs' "$smcosim" replay glitch
expect 1 'reproduced the same' "$smcosim" run sgemm/launch.yaml --fault operand_collector:coll3.older5:flip@3100 --bundle fault
expect 1 'the same mismatch' "$smcosim" replay fault
# An injected fault is shrunk with the cycle that it belongs to: a flip, a bit that is held, one that only state shows.
expect 1 'shrunk from [0-9]{4,} cycles with [0-9]{4,} transactions to [1-9] with [0-9] ' "$smcosim" replay fault --shrink
cases=$((cases + 1))
grep -qE '^[0-9]+ fault' fault/shrunk.txt && [ -s fault/shrunk.fst ] || bad 'no fault in the shrunk stimulus'
expect 1 'the same mismatch: block operand_collector, cycle [0-9], port older_o' "$smcosim" replay fault --shrunk
sed -i 's/ fault//' fault/shrunk.txt
expect 0 'the mismatch no longer occurs' "$smcosim" replay fault --shrunk
expect 1 'reproduced the same' "$smcosim" run sgemm/launch.yaml --fault banked_rf:bank0.entry2.lane3.bit5:sa1@100 --bundle held
expect 1 'shrunk from [0-9]+ cycles with [0-9]{3,} transactions to [1-9] with [1-3] ' "$smcosim" replay held --shrink
expect 1 'the same mismatch: block banked_rf, cycle [0-9], port rd_data_o' "$smcosim" replay held --shrunk
expect 1 'reproduced the same' "$smcosim" run sgemm/launch.yaml --fault banked_rf:bank3.entry255.lane3.bit5:flip@3000 --bundle unread
expect 1 'shrunk from [0-9]{4,} cycles with [0-9]{4,} transactions to [1-9] with [0-3] ' "$smcosim" replay unread --shrink

# ---- the user repairs his RTL ----
own=$2/tests/cosim/own_rtl
sed 's/next_q <= after(next_q, wanted_d)/next_q <= ask_o \&\& grant_i ? after(next_q, wanted_d) : next_q/' \
    "$own/collector_slot.sv" >slot.sv
cp "$own/collector_ranks.sv" ranks.sv
expect 1 'reproduced the same' "$smcosim" run sgemm/launch.yaml --machine tiny --rtl operand_collector=ranks.sv,slot.sv --bundle own
# RTL inside a bundle is code: it is named, and run only when it is trusted.
expect 2 '^  own/files/rtl/operand_collector/slot.sv$' "$smcosim" replay own
expect 2 'the bundle contains RTL' "$smcosim" replay own --shrink
expect 1 'the same mismatch' "$smcosim" replay own --trust
expect 1 'shrunk from .* to [1-9] with' "$smcosim" replay own --trust --shrink
cp "$own/collector_slot.sv" slot.sv
expect 1 'the same mismatch' "$smcosim" replay own --trust
expect 0 'the mismatch no longer occurs' "$smcosim" replay own --rtl operand_collector=ranks.sv,slot.sv
expect 0 'the mismatch no longer occurs' "$smcosim" replay own --shrunk --rtl operand_collector=ranks.sv,slot.sv
cp slot.sv own/files/rtl/operand_collector/slot.sv
expect 2 'slot.sv: changed since the mismatch' "$smcosim" replay own --trust
sed 's|^  - "operand_collector=.*|  - "operand_collector=files/../slot.sv"|' own/replay.yaml >own/other.yaml
mv own/other.yaml own/replay.yaml
expect 2 'expected paths of the list' "$smcosim" replay own --trust

# ---- RTL with included files, in verify's bundle ----
mkdir -p tree/rtl tree/inc
echo "\`define SIGN 8'h40" >tree/inc/wrong.svh
sed -e "s/{8'h80}/{\`SIGN}/" -e 's/^module width_detect/`include "..\/inc\/wrong.svh"\n&/' "$2/rtl/pack/width_detect.sv" \
    >tree/rtl/width_detect.sv
expect 1 'mismatch: block width_detect' "$smcosim" verify width_detect --rtl width_detect=tree/rtl/width_detect.sv \
    --param NumPorts=1 --transactions 2000 --bundle included
mv tree away
expect 2 '^  included/files/rtl/width_detect/inc/wrong.svh$' "$smcosim" replay included
expect 1 'the same mismatch' "$smcosim" replay included --trust
mkdir 'a, b'
mv included 'a, b/in $1'
expect 1 'the same mismatch' "$smcosim" replay 'a, b/in $1' --trust
mv 'a, b/in $1' included
echo "\`define SIGN 8'h80" >included/files/rtl/width_detect/inc/wrong.svh
expect 2 'wrong.svh: changed since the mismatch' "$smcosim" replay included --trust

# ---- smcosim verify ----
# Found after thousands of transactions, shrunk to a handful. Which seed meets the fault late depends on the stimuli.
cases=$((cases + 1))
for seed in 12 13 16 24 25 27 $(seq 30 60); do
    "$smcosim" verify banked_rf --testbug banked_rf=35 --seed "$seed" --transactions 10000 --bundle verify >verify.log 2>&1
    grep -qE 'shrunk from [0-9]{3,} cycles with [0-9]{4,} transactions' verify.log && break
done
grep -E 'shrunk from [0-9]{3,} cycles with [0-9]{4,} transactions to [1-4] with [1-5] ' verify.log ||
    { bad 'no late failure that shrinks'; cat verify.log; }
expect 1 'replay verify: the same mismatch: block banked_rf, cycle [0-9]{3,}, port rd_data_valid_o' "$smcosim" replay verify
expect 1 'the same mismatch: block banked_rf, cycle [0-9], port rd_data_valid_o' "$smcosim" replay verify --shrunk
expect 1 'shrunk from' "$smcosim" replay verify --shrink
cases=$((cases + 1))
grep -q 'last [0-9]* cycles with activity at banked_rf' verify/mismatch.txt || bad 'no transactions in mismatch.txt'
grep -q '^  smcosim stimulus 1' verify/mismatch.txt || bad 'no shrunk stimulus in mismatch.txt'
[ -s verify/mismatch.fst ] && [ -s verify/mismatch.gtkw ] && [ -s verify/shrunk.fst ] || bad 'no waves'
sed -i 's/^testbug: .*//' verify/replay.yaml
expect 0 'the mismatch no longer occurs' "$smcosim" replay verify

# ---- bad input ----
expect 2 'expected one bundle, found 0' "$smcosim" replay
expect 2 'expected one bundle, found 2' "$smcosim" replay a b
expect 2 'exclude each other' "$smcosim" replay bundle --shrink --shrunk
expect 2 'nothere/replay.yaml' "$smcosim" replay nothere
expect 2 'glitch/shrunk.txt' "$smcosim" replay glitch --shrunk
sed 's/^kind: run/kind: walk/' bundle/replay.yaml >glitch/replay.yaml
expect 2 'replay.yaml:3:7: .*expected run or verify' "$smcosim" replay glitch
sed 's/^launch:/lunch:/' bundle/replay.yaml >glitch/replay.yaml
expect 2 'replay.yaml:[0-9]+:1: .*lunch' "$smcosim" replay glitch
sed 's/actual: "0x/actual: "0z/' bundle/replay.yaml >glitch/replay.yaml
expect 2 'expected 0x and 8 hexadecimal digits' "$smcosim" replay glitch
sed 's/Banks: 4/Banks: 99/' verify/replay.yaml >glitch/replay.yaml
expect 2 'expected a number in range' "$smcosim" replay glitch
sed 's/Entries=256/Entries=512/' verify/stimulus.txt >glitch/stimulus.txt
cp verify/replay.yaml glitch/replay.yaml
expect 2 'parameter Entries is 512, but 256 in replay.yaml' "$smcosim" replay glitch
: >glitch/replay.yaml
expect 2 'replay.yaml' "$smcosim" replay glitch
finish
