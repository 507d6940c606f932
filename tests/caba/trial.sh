#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# trial.sh SMCOSIM DATA: bdi.trial last-first tries the encoding of the last image first, and all of
# them where it does not fit. Lines that are alike thus take fewer instructions (logscan: 25 for
# each, not 28), and lines that alternate take a second routine. The output of routines is compared
# with the codec, values and memory by retire check and oracle.
set -u
smcosim=$1 data=$2 failed=0
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
same() {  # TEXT EXPECTED FOUND
    [ "$2" = "$3" ] || { echo "FAILED: $1: expected $2, found $3"; failed=1; }
}
simulate() {  # TRIAL LAUNCH OPTIONS..
    trial=$1 launch=$2
    shift 2
    "$smcosim" run "$launch" --machine fermi-caba --arch caba-bdi --set bdi.trial=$trial "$@" --check retire,oracle,codec \
        --json "$tmp/json" >"$tmp/out" 2>&1 || { echo "FAILED: $launch, $trial: status $?: $(grep '^smcosim' "$tmp/out")"; failed=1; }
}
counter() { grep -oE "\"$1\": *[0-9]+" "$tmp/json" | head -1 | grep -oE '[0-9]+$'; }

# Every line is of 8-byte values with 1-byte deltas. Without routines of loads (caba.ideal load) all instructions are those
# of stores; the first few lines begin before one has an image.
logscan=$data/logscan/small/launch.yaml
simulate size "$logscan" --blocks model --set caba.ideal=load
same 'logscan, instructions of routines, size' $((28 * $(counter assist_stores))) "$(counter assist_issued)"
simulate last-first "$logscan" --blocks model --set caba.ideal=load
n=$(counter assist_stores) issued=$(counter assist_issued)
same 'logscan, lines compressed, last-first' "$n" "$(counter lines_stored_compressed)"
[ "$issued" -ge $((25 * n)) ] && [ "$issued" -lt $((26 * n)) ] || {
    echo "FAILED: logscan, last-first: expected 25 instructions for each of $n lines and a few more, found $issued"
    failed=1
}
simulate last-first "$logscan" --blocks model,assist_ctrl=lockstep,bdi_compress=lockstep,bdi_decompress=lockstep
simulate last-first "$data/blend/small/launch.yaml" --blocks model

# One warp stores 60 lines, one after the other. Their deltas are of a byte, of two, none that fits,
# zeros, and 8-byte values with a base. Last-first: the first routine of a line does not fit, with
# two exceptions. Zeros fit, because two bytes hold them too, and the very first line has no
# previous line.
cat >"$tmp/k.ptx" <<'PTX'
.version 7.8
.target sm_70
.address_size 64
.visible .entry k(.param .u64 k_in, .param .u64 k_out)
{
  .reg .u64 in, out, o;
  .reg .u32 lane, line, kind, a, b, c, d, v, t;
  .reg .pred P;
  ld.param.u64 in, [k_in];
  ld.param.u64 out, [k_out];
  mov.u32 lane, %laneid;
  mul.wide.u32 o, lane, 4;
  add.u64 out, out, o;
  mov.u32 line, 0;
  mul.lo.u32 b, lane, 1000;
  shr.u32 d, lane, 1;
  add.u32 d, d, 0x40000000;
  and.b32 t, lane, 1;
  setp.eq.u32 P, t, 1;
  selp.u32 d, 0x12345678, d, P;
L:
  rem.u32 kind, line, 5;
  shl.b32 c, line, 5;
  add.u32 c, c, lane;
  add.u32 c, c, 1;
  mul.lo.u32 c, c, 0x9e3779b9;
  mov.u32 v, 0;
  setp.eq.u32 P, kind, 0;
  selp.u32 v, lane, v, P;
  setp.eq.u32 P, kind, 1;
  selp.u32 v, b, v, P;
  setp.eq.u32 P, kind, 2;
  selp.u32 v, c, v, P;
  setp.eq.u32 P, kind, 4;
  selp.u32 v, d, v, P;
  st.global.u32 [out], v;
  mov.u32 t, 0;
WAIT:
  ld.volatile.global.u32 a, [in];
  add.u32 line, line, a;
  add.u32 t, t, a;
  add.u32 t, t, 1;
  setp.lt.u32 P, t, 12;
  @P bra WAIT;
  add.u64 out, out, 128;
  add.u32 line, line, 1;
  setp.lt.u32 P, line, 60;
  @P bra L;
  ret;
}
PTX
cat >"$tmp/launch.yaml" <<'YAML'
name: alternate
ptx: k.ptx
kernel: k
grid: [1, 1, 1]
block: [32, 1, 1]
args: [{type: ptr, buffer: in}, {type: ptr, buffer: out}]
buffers:
  in: {bytes: 4096, init: zero}
  out: {bytes: 7680, init: zero}
YAML
simulate size "$tmp/launch.yaml" --blocks model
same 'alternate, size: routines' 60 "$(counter assist_stores)"
same 'alternate, size: lines compressed' 48 "$(counter lines_stored_compressed)"
size=$(counter assist_issued)
simulate last-first "$tmp/launch.yaml" --blocks model
same 'alternate, last-first: routines' $((60 * 9 / 5 - 1)) "$(counter assist_stores)"
same 'alternate, last-first: lines compressed' 48 "$(counter lines_stored_compressed)"
[ "$(counter assist_issued)" -gt "$size" ] || { echo "FAILED: alternate: last-first takes no more instructions than $size"; failed=1; }
exit $failed
