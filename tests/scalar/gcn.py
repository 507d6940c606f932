#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""gcn.py SMCOSIM DATA: mode scalar-gcn. What goes to scalar registers and pairs of them, and what must not, as the compiler
prints it; loads by the units; runs at each clock; fewer accesses of the register file; refusals; with `lockstep` the blocks
as RTL, and a seeded fault."""
import json
import os
import re
import subprocess
import sys
import tempfile

SM, DATA = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
HEAD = ".version 6.0\n.target sm_35\n.address_size 64\n"
KERNEL = HEAD + """.visible .entry k(.param .u64 out, .param .u32 n, .param .u64 in)
{
.reg .pred p<8>; .reg .b32 r<40>; .reg .b64 d<20>;
ld.param.u64 d1, [out]; cvta.to.global.u64 d2, d1;
ld.param.u32 r1, [n]; mov.u32 r2, %tid.x; mov.u32 r3, %ctaid.x; mov.u32 r20, %ntid.x;
mad.lo.s32 r4, r3, r20, r2;
%BODY%
mul.wide.u32 d3, r4, 4; add.s64 d4, d2, d3; st.global.u32 [d4], r9;
ret;
}
"""
# Sums over a loop whose counter is the same in all lanes; i and 3 i + n both meet the lane's own value at once.
TWO = """mov.u32 r5, 0; mov.u32 r9, 0;
L1: mul.lo.s32 r6, r5, 3; add.s32 r6, r6, r1; shr.u32 r10, r6, 1; xor.b32 r10, r10, r5;
mad.lo.s32 r7, r6, r2, r5; add.s32 r9, r9, r7; add.s32 r9, r9, r10;
add.s32 r5, r5, 1; setp.lt.s32 p1, r5, r1; @p1 bra L1;"""
# r5 depends on a branch that lanes take differently, with a loop in it.
SPLIT = """mov.u32 r5, 1; setp.lt.u32 p1, r2, 7; @p1 bra L1; mov.u32 r6, 0;
L2: mul.lo.s32 r7, r6, r6; xor.b32 r7, r7, r3; add.s32 r5, r5, r7; add.s32 r6, r6, 1; setp.lt.u32 p2, r6, r1; @p2 bra L2;
L1: add.s32 r9, r2, r5;"""

# Three scalar operands at a time, two of them in one bank of scalar_rf: instructions meet in scalar_collect.
MANY = """mov.u32 r5, 0; mov.u32 r6, 1; mov.u32 r10, 2; mov.u32 r11, 3; mov.u32 r12, 4;
L1: mad.lo.s32 r6, r5, r1, r6; mad.lo.s32 r10, r5, r3, r10; mad.lo.s32 r11, r5, r1, r11; mad.lo.s32 r12, r5, r3, r12;
add.s32 r5, r5, 1; setp.lt.s32 p1, r5, r1; @p1 bra L1;
add.s32 r6, r6, r10; add.s32 r11, r11, r12; add.s32 r6, r6, r11; add.s32 r9, r2, r6;"""

# Sums of 64 bits that are the same in all lanes; the lanes read one of them as a pair, beside their own product.
PAIRS = """mov.u32 r5, 0; cvt.u64.u32 d5, r3; mov.u32 r9, 0;
L1: mad.wide.u32 d5, r5, 1000003, d5; mul.lo.u64 d6, d5, 5; xor.b64 d5, d5, d6;
mad.wide.u32 d7, r2, 77, d5; shr.u64 d8, d7, 7; cvt.u32.u64 r6, d8; xor.b32 r9, r9, r6; cvt.u32.u64 r7, d7; add.s32 r9, r9, r7;
add.s32 r5, r5, 1; setp.lt.s32 p1, r5, r1; @p1 bra L1;"""
# The same in f64: fused multiply-adds and a division.
FLOATS = """mov.u32 r5, 0; cvt.rn.f64.u32 d5, r1; mov.f64 d6, 0d3FF8000000000000; mov.u32 r9, 0;
L1: fma.rn.f64 d5, d5, d6, d6; div.rn.f64 d7, d5, 0d4008000000000000; cvt.rn.f64.u32 d8, r2; add.f64 d8, d8, d7;
cvt.rzi.u32.f64 r6, d8; add.s32 r9, r9, r6; add.s32 r5, r5, 1; setp.lt.s32 p1, r5, r1; @p1 bra L1;"""
# A word and a pair of read-only memory at an address of the CTA, a quad, and a word at an address of the lane.
LOADS = """ld.param.u64 d5, [in]; cvta.to.global.u64 d5, d5; mul.wide.u32 d6, r3, 16; add.s64 d6, d5, d6; mov.u32 r5, 0; mov.u32 r9, 0;
L1: ld.global.nc.u32 r6, [d6+4]; ld.global.nc.u64 d7, [d6+8]; cvt.u32.u64 r7, d7; shr.u64 d8, d7, 32; cvt.u32.u64 r8, d8;
mad.lo.s32 r9, r6, r2, r9; mad.lo.s32 r9, r7, r2, r9; xor.b32 r9, r9, r8; add.s64 d6, d6, 16;
add.s32 r5, r5, 1; setp.lt.s32 p1, r5, r1; @p1 bra L1;
ld.global.nc.v4.u32 {r10, r11, r12, r13}, [d5+32]; add.s32 r9, r9, r10; add.s32 r9, r9, r13;
mul.wide.u32 d9, r2, 4; add.s64 d9, d9, d5; ld.global.nc.u32 r14, [d9]; add.s32 r9, r9, r14;"""
# A plain load before the store reads a word that is never written; one behind it does not.
PLAIN = """ld.param.u64 d5, [in]; cvta.to.global.u64 d5, d5; ld.global.u32 r5, [d5+8]; add.s32 r6, r5, 1; mad.lo.s32 r9, r2, r6, r5;
mul.wide.u32 d3, r4, 4; add.s64 d4, d2, d3; st.global.u32 [d4], r9; ld.global.u32 r7, [d5+12]; add.s32 r9, r9, r7;"""
IN = [(i * 2654435761 + 12345) & 0xffffffff for i in range(128)]


def pairs(i, n):
    tid, cta, r9, s, m = i % 128, i // 128, 0, i // 128, 2 ** 64 - 1
    for k in range(n):
        s = (1000003 * k + s) & m
        s ^= 5 * s & m
        v = (77 * tid + s) & m
        r9 = (r9 ^ (v >> 7) & 0xffffffff) + (v & 0xffffffff) & 0xffffffff
    return r9


def floats(i, n):
    r9, f = 0, float(n)
    for k in range(n):
        f = f * 1.5 + 1.5       # exact: few bits
        r9 += int(i % 128 + f / 3.0)
    return r9 & 0xffffffff


def loads(i, n):
    tid, at, r9 = i % 128, i // 128 * 4, 0
    for k in range(n):
        r9 = (r9 + (IN[at + 1] + IN[at + 2]) * tid ^ IN[at + 3]) & 0xffffffff
        at += 4
    return (r9 + IN[8] + IN[11] + IN[tid]) & 0xffffffff


def plain(i, n):
    return ((IN[2] + 1) * (i % 128) + IN[2] + IN[3]) & 0xffffffff


def many(i, n):
    tid, cta = i % 128, i // 128
    return tid + 10 + sum(2 * k * n + 2 * k * cta for k in range(n))


def two(i, n):
    r9, tid = 0, i % 128
    for k in range(n):
        r6 = 3 * k + n
        r9 += r6 * tid + k + ((r6 >> 1) ^ k)
    return r9 & 0xffffffff


def split(i, n):
    tid, cta = i % 128, i // 128
    return tid + 1 + (0 if tid < 7 else sum((k * k) ^ cta for k in range(n)))


def need(ok, text):
    if not ok:
        sys.exit("gcn.py: " + text)


def flat(o, into):
    for k, v in o.items() if isinstance(o, dict) else enumerate(o):
        if isinstance(v, (dict, list)):
            flat(v, into)
        elif isinstance(v, int):
            into.setdefault(k, v)
    return into


def call(*words, status=0):
    r = subprocess.run([SM, *words], capture_output=True, text=True)
    need(r.returncode == status, "%s: status %d, expected %d\n%s" % (" ".join(words), r.returncode, status, (r.stdout + r.stderr)[-2000:]))
    return r.stdout + r.stderr


def run(scratch, body, want, *options, machine="kepler", blocks=("--blocks", "model"), status=0, arch="scalar-gcn"):
    def put(name, text):
        with open(os.path.join(scratch, name), "w" if isinstance(text, str) else "wb") as f:
            f.write(text)
    put("k.ptx", KERNEL.replace("%BODY%", body))
    put("want.bin", b"".join(want(i, 9).to_bytes(4, "little") for i in range(256)))
    put("in.bin", b"".join(v.to_bytes(4, "little") for v in IN))
    put("launch.yaml", "name: k\nptx: k.ptx\nkernel: k\ngrid: [2]\nblock: [128]\nargs:\n  - {type: ptr, buffer: out}\n"
        "  - {type: u32, value: 9}\n  - {type: ptr, buffer: in}\nbuffers:\n  out: {bytes: 1024, init: zero}\n"
        "  in: {bytes: 512, init: in.bin}\nexpect:\n  - {buffer: out, file: want.bin, type: u32}\n")
    out = os.path.join(scratch, "r.json")
    text = call("run", os.path.join(scratch, "launch.yaml"), "--machine", machine, "--arch", arch, "--check", "retire,oracle",
                "--json", out, "--bundle", os.path.join(scratch, "bundle"), *blocks, *options, status=status)
    if status:
        return text
    with open(out) as f:
        return flat(json.load(f), {})


def program(scratch, body, want, *options):
    """The marked instructions and the others, of the compiled program; the text is read back."""
    run(scratch, body, want, *options)
    text = call("compile", os.path.join(scratch, "k.ptx"), "--arch", "scalar-gcn", "--machine", "kepler", "--dump", "regs", *options)
    lines = [l.split("//")[0].strip() for l in text.splitlines() if l.startswith("    ")]
    header = dict(l.split(None, 1) for l in text.splitlines() if l.startswith(".") and " " in l)
    first = int(header[".regs"]) - int(header.get(".scalars", "0"))
    return [l for l in lines if ".scalar" in l], [l for l in lines if ".scalar" not in l], first


def scalars_of(line, first):
    words = line.replace(",", " ").replace("[", " ").replace("]", " ").replace("-", "").replace("|", " ").split()
    return {w for w in words[2:] if re.fullmatch(r"R\d+(\.\d+)?", w) and int(w[1:].split(".")[0]) >= first}


def what_goes(scratch):
    there, lanes, first = program(scratch, TWO, two)
    need(len(there) >= 5, "the loop's counter stays with the lanes: %s" % there)
    need(any(l.startswith("isetp") for l in there), "the loop's condition stays with the lanes: %s" % there)
    need(all(len(scalars_of(l, first)) <= 1 for l in lanes), "two scalar operands: %s" % lanes)
    need(any(l.startswith("mov R") and scalars_of(l, first) for l in lanes), "no MOV for a second scalar operand: %s" % lanes)
    there, lanes, first = program(scratch, SPLIT, split)
    need(not any(l.startswith(("imul", "imad", "lop3", "and", "or", "xor", "not", "iadd", "isetp")) for l in there), "a result under a divergent branch is scalar: %s" % there)


def of_pairs(scratch):
    for body, want, ops in ((PAIRS, pairs, ("imad.wide",)), (FLOATS, floats, ("dfma", "ddiv"))):
        there, lanes, first = program(scratch, body, want)
        for op in ops:
            need(any(l.startswith(op) and ".64" in l for l in there), "no %s of pairs on the unit: %s" % (op, there))
        need(first % 2 == 0, "pairs begin at R%d" % first)
        need(any(".64" in w for l in lanes for w in scalars_of(l, first)),
             "no instruction of the lanes reads a scalar pair: %s" % lanes)
        need(all(len(scalars_of(l, first)) <= 1 for l in lanes), "two scalar operands: %s" % lanes)


def of_loads(scratch):
    there, lanes, first = program(scratch, LOADS, loads)
    need(sum(l.startswith("ld.") for l in there) == 2, "other loads than a word and a pair are the unit's: %s" % there)
    need(any(l.startswith("ld.") and ".b128" in l for l in lanes), "where is the quad? %s" % lanes)
    c = run(scratch, LOADS, loads)
    need(c["scalar_ldst"] == c["scalar_requests"] == 2 * 8 * 9, "%d loads, %d requests" % (c["scalar_ldst"], c["scalar_requests"]))
    need(run(scratch, LOADS, loads, "--set", "scalar.loads=none")["scalar_ldst"] == 0, "loads although there are none")
    run(scratch, LOADS, loads, "--sms", "2")
    for which, n in (("nc", 0), ("unwritten", 1)):
        there, lanes, first = program(scratch, PLAIN, plain, "--set", "scalar.loads=" + which)
        need(sum(l.startswith("ld.") for l in there) == n, "scalar.loads=%s: %s" % (which, there))


def clocks(scratch):
    cycles = []
    for clock in (1, 2, 4, 8):
        cycles.append(run(scratch, TWO, two, "--set", "scalar.clock=%d" % clock)["cycles"])
    need(cycles == sorted(cycles) and cycles[0] < cycles[3], "cycles at clock 1, 1/2, 1/4, 1/8: %s" % cycles)
    for body, want in ((TWO, two), (PAIRS, pairs), (LOADS, loads)):
        run(scratch, body, want, "--set", "scalar.units=1", "--set", "scalar.words=1024", "--set", "scalar.collectors=1")
        run(scratch, body, want, "--set", "scalar.clock=4")
    base, now = run(scratch, TWO, two, arch="baseline"), run(scratch, TWO, two)
    need(now["scalar_instructions"] > 0 and now["scalar_rf_writes"] > 0, "nothing ran there")
    need(now["rf_reads"] + now["rf_writes"] < base["rf_reads"] + base["rf_writes"], "as many accesses of the register file")
    need(base["scalar_instructions"] == 0, "the baseline has a scalar unit")


def refusals(scratch):
    text = run(scratch, TWO, two, status=2, arch="scalar-gcn:packing")
    need("have no scalar registers" in text, text)
    text = run(scratch, TWO, two, "--set", "scalar.words=8", status=2)
    need("expected at least 22" in text, text)


def lockstep(scratch):
    """Each fault of the two blocks that a kernel can show is found. Two of scalar_rf no kernel shows, and verifying the
    block alone does (verify.test_testbug): 440, a read that sees the write of its own cycle, since the scoreboard holds an
    instruction back while a register of its own is to be written or, when it writes it, to be read; 442, a write without
    clock enable, since the SM asks for none in such a cycle. 450 to 452 are found alone, too."""
    small = dict(machine="tiny", blocks=())
    words = ("--set", "scalar.words=32")
    run(scratch, TWO, two, *words, **small)
    run(scratch, "mov.u32 r9, r2;", lambda i, n: i % 128, *words, status=0, **small)
    # both schedulers' instructions go to one unit, which collects operands of two
    one = ("--set", "scalar.words=1024", "--set", "scalar.units=1", "--set", "scalar.collectors=2")
    slow = ("--set", "scalar.words=512", "--set", "scalar.clock=2")
    for body, want in ((PAIRS, pairs), (FLOATS, floats), (LOADS, loads)):
        run(scratch, body, want, "--set", "scalar.words=128", **small)
        run(scratch, body, want, *one, **small)
    text = run(scratch, PAIRS, pairs, *one, "--testbug", "scalar_collect=449", status=1, **small)
    need("mismatch: block scalar_collect" in text, text)
    for bug, body, want, options in (("scalar_collect=449", TWO, two, words), ("scalar_collect=448", MANY, many, one),
                                     ("scalar_rf=443", MANY, many, one), ("scalar_rf=441", MANY, many, slow)):
        text = run(scratch, body, want, *options, "--testbug", bug, status=1, **small)
        need("mismatch: block " + bug.split("=")[0] in text, text)
    # kernels with pairs and with loads, in the shape of kepler
    blocks = ("--blocks", "banked_rf=model,operand_collector=model,scalar_rf=lockstep,scalar_collect=lockstep")
    for kernel, which in (("laplace3d", "nc"), ("binomial", "nc"), ("neuron1", "unwritten"), ("tmv", "unwritten")):
        text = call("run", os.path.join(DATA, kernel, "small", "launch.yaml"), "--machine", "kepler", "--arch", "scalar-gcn",
                    "--check", "retire,oracle", "--set", "scalar.loads=" + which, *blocks)
        need(re.search(r"scalar_rf +lockstep +[1-9]", text) and re.search(r"scalar_collect +lockstep +[1-9]", text), text)
    for bug, options in (("scalar_rf=440", one), ("scalar_rf=442", slow)):
        text = run(scratch, MANY, many, *options, "--testbug", bug, status=5, **small)
        need("not observed: no compared output and no compared state showed it" in text, text)


with tempfile.TemporaryDirectory() as scratch:
    for case in [lockstep] if "lockstep" in sys.argv[3:] else [what_goes, of_pairs, of_loads, clocks, refusals]:
        case(scratch)
