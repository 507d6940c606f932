#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Corners of assist warps that memoize and that prefetch, a kernel each.

usage: corners.py SMCOSIM

The kernels are generated here. Each runs on machine fermi-caba with the retire check, the oracle and block assist_ctrl
in lockstep, so values are right or the run fails; then its counters must be those of the case, so that what the case is
about has happened.
"""
import json
import os
import struct
import subprocess
import sys
import tempfile

HEAD = """.version 7.8
.target sm_70
.address_size 64
.visible .entry k(.param .u64 k_in, .param .u64 k_out, .param .f32 k_f, .param .u32 k_n)
{
  .reg .u64 in, out, p, q, o, x;
  .reg .u32 tid, lane, warp, a, b, c, i, n, s, t;
  .reg .f32 f, g, h, y, z, sum, par;
  .reg .pred P, Q;
%s  ld.param.u64 in, [k_in];
  ld.param.u64 out, [k_out];
  ld.param.f32 par, [k_f];
  ld.param.u32 n, [k_n];
  mov.u32 tid, %%tid.x;
  and.b32 lane, tid, 31;
  shr.u32 warp, tid, 5;
  mov.f32 sum, 0f00000000;
  mov.u32 s, 0;
  mov.u32 i, 0;
  mul.wide.u32 o, tid, 4;
  add.u64 o, o, out;
"""
TAIL = "  st.global.f32 [o], sum;\n  st.global.u32 [o+4096], s;\n  ret;\n}\n"


ONE_HALF = "0f3FC00000"


def chain(to, of, other=None, start=ONE_HALF):
    """Five square roots and five reciprocals; another register is added in each step."""
    text = f"  add.f32 {to}, {of}, {start};\n"
    for _ in range(5):
        text += f"  sqrt.rn.f32 {to}, {to};\n  rcp.rn.f32 {to}, {to};\n  add.f32 {to}, {to}, {other or 'par'};\n"
    return text


def loop(body, turns="n"):
    return f"L:\n{body}  add.u32 i, i, 1;\n  setp.lt.u32 P, i, {turns};\n  @P bra L;\n"


def of_int(to, number):
    return f"  cvt.rn.f32.u32 {to}, {number};\n"


ADD = "  add.f32 sum, sum, g;\n"
# A word of memory, opaque to compilers.
SAME = "  ld.global.f32 f, [in];\n  add.f32 f, f, 0f40400000;\n" + chain("g", "f") + ADD
LANES = "  and.b32 t, lane, 3;\n" + of_int("f", "t") + chain("g", "f") + ADD


def place(value, bits):
    """Entry of an input of the first computation: the compiler takes what comes before the first square root."""
    word = struct.unpack("<I", struct.pack("<f", value + 1.5))[0]
    return (word * 0x9e3779b1 + 0x61c88647 & 0xffffffff) >> (32 - bits)


def colliding(bits):
    """Two whole numbers whose entries are the same."""
    return next((a, b) for b in range(1, 500) for a in range(1, b) if place(float(a), bits) == place(float(b), bits))


def some(value):
    return value > 0


class Case:
    def __init__(self, name, body, want, n=8, threads=32, grid=1, sets=(), shared=0, arch="caba-memo"):
        self.name, self.body, self.want, self.n, self.threads, self.grid = name, body, want, n, threads, grid
        self.sets, self.shared, self.arch = tuple(sets), shared, arch


def prefetching(name, body, want, **more):
    return Case("prefetch-" + name, body, want, arch="caba-prefetch", **more)


def stream(step, first="  mul.wide.u32 p, tid, 4;\n  add.u64 p, p, in;\n", more=""):
    """A sum over words, each `step` bytes behind the last."""
    return first + loop(f"  ld.global.u32 a, [p];\n  mad.lo.u32 s, s, 31, a;\n{more}  add.s64 p, p, {step};\n")


A, B = colliding(8)
CASES = [
    # The eight turns have the same inputs: the first enters, the others skip.
    Case("hit", loop(SAME), {"memo_lookups": 8, "memo_inserts": 1, "memo_skips": 7, "memo_lane_hits": 7 * 32}),
    # A lane's results are another's, too: all find the entry that one of them has entered.
    Case("lanes", loop(LANES), {"memo_lookups": 8, "memo_inserts": some, "memo_skips": some}),
    # Warps that compute the same at the same time enter it both; each entry is whole.
    Case("two-warps", loop(SAME), {"memo_lookups": 16, "memo_inserts": 2, "memo_skips": 14}, threads=64),
    Case("many-warps", loop(LANES), {"memo_inserts": some, "memo_skips": some}, threads=512, grid=3),
    # 64 inputs and 16 entries.
    Case("table-full", loop("  and.b32 t, i, 1;\n  shl.b32 t, t, 5;\n  add.u32 t, t, lane;\n" + of_int("f", "t") + chain("g", "f") + ADD),
         {"memo_entries": 16, "memo_lookups": 8, "memo_skips": 0, "memo_inserts": 8}, sets=("memo.entries=16",)),
    # Two inputs in turn, with the same hash: each throws the other out.
    Case("collision", loop(f"  and.b32 t, i, 1;\n  setp.eq.u32 Q, t, 0;\n  selp.u32 t, {A}, {B}, Q;\n" + of_int("f", "t") + chain("g", "f") + ADD),
         {"memo_lookups": 8, "memo_lane_hits": 0, "memo_inserts": 8}),
    # ... and in all lanes at once: of each entry the last lane's stays.
    Case("collision-in-a-warp", f"  and.b32 t, lane, 1;\n  setp.eq.u32 Q, t, 0;\n  selp.u32 t, {A}, {B}, Q;\n" + of_int("f", "t") +
         loop(chain("g", "f") + ADD), {"memo_lookups": 8, "memo_skips": 0, "memo_lane_hits": 7 * 16}),
    # Minus zero is another input than zero, and a NaN is itself.
    Case("bits", loop("  and.b32 t, i, 3;\n  shl.b32 t, t, 31;\n  mov.b32 f, t;\n  setp.gt.u32 Q, i, 5;\n  selp.f32 f, 0f7FFFFFFF, f, Q;\n  sqrt.rn.f32 f, f;\n" + chain("g", "f") +
         "  mov.b32 a, g;\n  xor.b32 s, s, a;\n"), {"memo_inserts": 3, "memo_skips": 5}),
    # Lanes leave the loop one after the other: look-ups in fewer and fewer of them.
    Case("diverged", "  add.u32 n, lane, 1;\n" + loop(SAME), {"memo_lookups": 32, "memo_inserts": 1, "memo_skips": 31,
                                                              "memo_lane_hits": 31 * 32 // 2}),
    # Odd and even lanes each on their own way to the same computation, and back together.
    Case("two-ways", loop("  and.b32 t, lane, 1;\n  setp.eq.u32 Q, t, 1;\n  @Q bra ODD;\n" + LANES + "  bra MEET;\nODD:\n" + SAME + "MEET:\n"),
         {"memo_lookups": 16, "memo_inserts": 2, "memo_skips": 14}),
    Case("partial-warp", loop(SAME), {"memo_lookups": 16, "memo_inserts": 2, "memo_skips": 14, "memo_lane_hits": 7 * 40}, threads=40),
    # Other warps are at a barrier while one is held.
    Case("barrier", loop("  add.u32 t, warp, i;\n" + of_int("f", "t") + chain("g", "f") + ADD + "  bar.sync 0;\n"),
         {"memo_inserts": some, "memo_skips": some}, threads=128),
    # Only the last 2 KB of shared memory are free, and none.
    Case("small-room", loop(SAME), {"memo_entries": 128, "memo_skips": 7}, shared=30720),
    Case("no-room", loop(SAME), {"memo_entries": 0, "memo_lookups": 0}, shared=32768),
    # The kernel's own shared memory, beside the table.
    Case("shared", "  mov.u32 t, room;\n  mad.lo.u32 t, tid, 4, t;\n" + loop("  st.shared.u32 [t], i;\n" + SAME + "  ld.shared.u32 a, [t];\n  add.u32 s, s, a;\n"),
         {"memo_skips": some}, shared=4096, threads=256, grid=4),
    # No value repeats: after 256 look-ups none is asked.
    Case("least", loop(of_int("f", "i") + chain("g", "f") + ADD), {"memo_lookups": 256, "memo_not_asked": 44}, n=300),
    Case("never-given-up", loop(of_int("f", "i") + chain("g", "f") + ADD), {"memo_lookups": 300, "memo_not_asked": 0}, n=300, sets=("memo.least=0",)),
    # Two inputs; the second one alone differs.
    Case("two-inputs", "  and.b32 t, lane, 3;\n" + of_int("y", "t") + loop("  and.b32 t, i, 1;\n" + of_int("z", "t") + chain("g", "y", "z") + ADD),
         {"memo_lookups": 8, "memo_inserts": 2, "memo_skips": 6}),
    # The same input to two computations that differ.
    Case("two-computations", loop(SAME) + "  mov.u32 i, 0;\n" + loop(SAME).replace(
        "L:", "M:").replace("bra L", "bra M").replace("rcp", "sqrt"), {"memo_lookups": 16, "memo_inserts": 2, "memo_skips": 14}),
    # The result is the last that the warp does.
    Case("last", SAME, {"memo_lookups": 8, "memo_inserts": some}, grid=8),
    # Too cheap.
    Case("cost", loop(SAME), {"memo_lookups": 0}, sets=("memo.cost=500",)),
    # Few collectors, small buffers, one of each.
    Case("tight", loop(LANES), {"memo_skips": some}, threads=256, sets=("sm.ibuffer=2", "oc.collectors=4", "lsu.queue=1")),

    prefetching("stride", stream(128), {"prefetch_instructions": some, "prefetched_used": some}, n=64),
    prefetching("down", stream(-128, "  mul.wide.u32 p, tid, 4;\n  add.u64 p, p, in;\n  add.u64 p, p, 16384;\n"), {"prefetch_instructions": some}, n=64),
    # The same line again and again, and no stride at all.
    prefetching("still", stream(0), {"prefetch_instructions": 0}, n=16),
    prefetching("no-stride", "  mov.u32 b, lane;\n" + loop("  mad.lo.u32 b, b, 1664525, 1013904223;\n  shr.u32 t, b, 20;\n  mul.wide.u32 p, t, 4;\n  add.u64 p, p, in;\n"
                "  ld.global.u32 a, [p];\n  add.u32 s, s, a;\n"), {"prefetch_routines": some, "prefetch_instructions": 0}, n=32),
    # Beyond the last buffer nothing is prefetched, and nothing faults.
    prefetching("end-of-memory", "  add.u64 p, out, 32640;\n" + stream(-128, ""), {"prefetch_instructions": some}, n=200),
    prefetching("diverged", "  add.u32 n, lane, 1;\n" + stream(128), {"prefetch_instructions": some}),
    prefetching("barrier", stream(128, more="  bar.sync 0;\n"), {"prefetch_instructions": some, "prefetched_late": some}, n=32, threads=128),
    # Warps end behind a load whose routine has not run.
    prefetching("killed", stream(128), {"assist_killed": some}, n=2, threads=256, grid=6),
    prefetching("held-back", stream(128), {"prefetch_routines_held_back": some}, n=64, threads=256, grid=2, sets=("prefetch.busy=1",)),
    prefetching("no-room-in-l1", stream(128), {"preload_lines_dropped": some}, n=64, threads=128, sets=("l1.mshrs=1",)),
    prefetching("two-loads", stream(128, more="  ld.global.u32 b, [p+8192];\n  add.u32 s, s, b;\n"), {"prefetch_instructions": some}, n=48),
    prefetching("one-of-two", stream(128, more="  ld.global.u32 b, [p+8192];\n  add.u32 s, s, b;\n"), {"prefetch_instructions": some}, n=48, sets=("prefetch.loads=1",)),
]


def launch(folder, case):
    at = os.path.join(folder, case.name)
    os.mkdir(at)
    shared = f"  .shared .align 16 .b8 room[{case.shared}];\n" if case.shared else ""
    body = case.body if not case.shared or "room" in case.body else "  mov.u32 t, room;\n  st.shared.u32 [t], tid;\n" + case.body
    with open(os.path.join(at, "k.ptx"), "w", encoding="utf-8") as f:
        f.write(HEAD % shared + body + TAIL)
    with open(os.path.join(at, "launch.yaml"), "w", encoding="utf-8") as f:
        f.write(f"name: {case.name}\nptx: k.ptx\nkernel: k\ngrid: [{case.grid}, 1, 1]\nblock: [{case.threads}, 1, 1]\n"
                "args: [{type: ptr, buffer: in}, {type: ptr, buffer: out}, {type: f32, value: 1.5}, "
                f"{{type: u32, value: {case.n}}}]\n"
                "buffers:\n  in: {bytes: 32768, init: zero}\n  out: {bytes: 32768, init: zero}\n")
    return os.path.join(at, "launch.yaml")


def run(smcosim, case, folder):
    command = [smcosim, "run", launch(folder, case), "--machine", "fermi-caba", "--arch", case.arch, "--blocks", "model,assist_ctrl=lockstep",
               "--check", "retire,oracle", "--allow-idle", "--json", "-", "--bundle", os.path.join(folder, case.name, "bundle")]
    for word in case.sets:
        command += ["--set", word]
    done = subprocess.run(command, capture_output=True, text=True)
    try:
        one = json.loads(done.stdout)["launches"][0]
    except ValueError:
        return [f"{case.name}: exit status {done.returncode}: {done.stderr.strip()}"]
    counters = {name: value for group in one["counters"].values() for name, value in group.items()}
    bad = [] if one["verdict"] == "pass" and not done.returncode else [f"{case.name}: {one['verdict']}: {done.stderr.strip()}"]
    for name, want in case.want.items():
        if not want(counters[name]) if callable(want) else counters[name] != want:
            bad.append(f"{case.name}: {name}: expected {'some' if callable(want) else want}, found {counters[name]}")
    return bad


def parameters(smcosim, folder):
    """Constants differ between launches: what the first has entered is not found by the second."""
    at = os.path.join(folder, "parameters")
    os.mkdir(at)
    with open(os.path.join(at, "k.ptx"), "w", encoding="utf-8") as f:
        f.write(HEAD % "" + loop(SAME) + TAIL)
    with open(os.path.join(at, "launch.yaml"), "w", encoding="utf-8") as f:
        f.write("name: parameters\nptx: k.ptx\nlaunches:\n" + "".join(
            "  - {kernel: k, grid: [1, 1, 1], block: [32, 1, 1], args: [{type: ptr, buffer: in}, {type: ptr, buffer: out}, "
            f"{{type: f32, value: {value}}}, {{type: u32, value: 8}}]}}\n" for value in (1.5, 2.5, 1.5)) +
            "buffers:\n  in: {bytes: 32768, init: zero}\n  out: {bytes: 32768, init: zero}\n")
    done = subprocess.run([smcosim, "run", os.path.join(at, "launch.yaml"), "--machine", "fermi-caba", "--arch", "caba-memo", "--blocks",
                           "model", "--check", "retire,oracle", "--json", "-"], capture_output=True, text=True)
    if done.returncode:
        return [f"parameters: exit status {done.returncode}: {done.stderr.strip()}"]
    found = [one["counters"]["memo"]["memo_inserts"] for one in json.loads(done.stdout)["launches"]]
    if found[0] == 3 or found == [1, 1, 1]:
        return []
    return [f"parameters: memo_inserts: expected 1 in each of three launches, found {found}"]


def main():
    with tempfile.TemporaryDirectory() as folder:
        bad = [line for case in CASES for line in run(sys.argv[1], case, folder)] + parameters(sys.argv[1], folder)
    for line in bad:
        print(f"corners.py: {line}")
    print(f"corners.py: {len(CASES) + 1} cases, {len(bad)} differences")
    sys.exit(1 if bad else 0)


main()
