#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""cases.py SMCOSIM [NAME..]: kernels with a hand-written program for the scalar thread, a case per rule of the scalar
unit. Each writes launch file, PTX, thread and data into a scratch folder, runs it, and looks at status, words, counters
and the buffer `out`."""
import json
import os
import struct
import subprocess
import sys
import tempfile

SM = os.path.abspath(sys.argv[1])
HEAD = ".version 6.0\n.target sm_35\n.address_size 64\n"
MISMATCH, HANG, VACUOUS = 1, 4, 5
MODEL = ["--blocks", "model"]


def ptx(body, shared=512):
    return (HEAD + ".visible .entry k(.param .u64 in, .param .u64 out)\n{\n.reg .pred p<8>;\n.reg .b32 r<40>;\n.reg .b64 d<20>;\n"
            + ".shared .align 16 .b8 part[%d];\n" % shared + body + "ret;\n}\n")


def thread(lines, regs, preds=2):
    body = "\n".join("    " + l if not l.startswith("L") else l for l in lines)
    return (".kernel k_thread\n.regs %d\n.preds %d\n.local 0\n.spill 0 0 0\n.shared 512\n.params 16\n.barriers 2\n%s\n"
            % (regs, preds, body))


# address of word i of the CTA's part of `out` in R2.64 (stride words per CTA)
def out_at(stride):
    return ["s2r R0, %cta_linear", "mov R2.64, c[0][0x8].64", "imad.wide.u32 R2.64, R0, 0x%x, R2.64" % (4 * stride)]


REDUCE = """
    ld.param.u64 d1, [in];
    mov.u32 r1, %tid.x; mov.u32 r2, %ctaid.x; mov.u32 r20, %ntid.x;
    mad.lo.s32 r4, r2, r20, r1;
    cvta.to.global.u64 d2, d1; mul.wide.u32 d3, r4, 4; add.s64 d4, d2, d3;
    ld.global.u32 r5, [d4];
    mov.u32 r6, part; shl.b32 r7, r1, 2; add.s32 r8, r6, r7;
    st.shared.u32 [r8], r5;
    bar.sync 0;
    mov.u32 r9, 64;
L1: setp.ge.u32 p1, r1, r9;
    @p1 bra L2;
    shl.b32 r10, r9, 2; add.s32 r11, r8, r10;
    ld.shared.u32 r12, [r11]; ld.shared.u32 r13, [r8];
    add.s32 r14, r12, r13; st.shared.u32 [r8], r14;
L2: bar.sync 0;
    shr.u32 r9, r9, 1;
    setp.ge.u32 p2, r9, 4;
    @p2 bra L1;
    bar.sync 1;
"""
SUM = ["bar.scalar _, 0x1", "ld.shared.b128.u32 R4.128, [RZ]", "iadd R1, R4, R5", "iadd R1, R1, R6", "iadd R1, R1, R7"
       ] + out_at(1) + ["st.global.b32 _, [R2.64], R1", "exit _"]
DELAY = ["s2r R8, %clock", "L1:", "s2r R9, %clock", "iadd R9, R9, -R8", "isetp.lt.and.u32 _|P0, R9, 0x2710", "@P0 bra _, L1, exit"]


def delayed(first, rest):
    """first, ten thousand cycles, rest: labels are numbers of instructions."""
    n = len(first) + 1
    loop = [l.replace("L1", "L%d" % n) for l in DELAY]
    return first + loop + rest


def run(name, kernel, program, grid, block, options=(), status=0, words=None, out=None, counters=None, n_out=None, data=None,
        check="retire", machine="kepler", arch="scalar", blocks=MODEL):
    with tempfile.TemporaryDirectory() as d:
        def put(file, content):
            with open(os.path.join(d, file), "w" if isinstance(content, str) else "wb") as f:
                f.write(content)
        n_out = n_out or len(out or [0]) or 1
        data = data if data is not None else [i % 128 for i in range(grid * block)]
        put("k.ptx", kernel)
        put("k.sasm", program)
        put("in.bin", struct.pack("<%dI" % len(data), *data))
        if out is not None:
            put("want.bin", struct.pack("<%dI" % len(out), *[v & 0xffffffff for v in out]))
        put("launch.yaml", "name: k\nptx: k.ptx\nkernel: k\nscalar: k.sasm\ngrid: [%d]\nblock: [%d]\nargs:\n"
            "  - {type: ptr, buffer: in}\n  - {type: ptr, buffer: out}\nbuffers:\n  in: {bytes: %d, init: in.bin}\n"
            "  out: {bytes: %d, init: zero}\n" % (grid, block, 4 * len(data), 4 * n_out)
            + ("expect:\n  - {buffer: out, file: want.bin, type: u32}\n" if out is not None else ""))
        command = [SM, "run", "launch.yaml", "--machine", machine, "--arch", arch, "--check", check, "--json", "r.json",
                   "--bundle", "bundle", *blocks, *options]
        r = subprocess.run(command, cwd=d, capture_output=True, text=True)
        text = r.stdout + r.stderr
        if r.returncode != status:
            sys.exit("%s: exit status %d, expected %d\n%s" % (name, r.returncode, status, text[-3000:]))
        if words and words not in text:
            sys.exit("%s: expected '%s' in\n%s" % (name, words, text[-3000:]))
        found = {}
        if status == 0:
            with open(os.path.join(d, "r.json")) as f:
                found = flat(json.load(f))
            for key, value in (counters or {}).items():
                if not (value(found[key]) if callable(value) else found[key] == value):
                    sys.exit("%s: counter %s is %s" % (name, key, found[key]))
        return found, text


def flat(o, into=None):
    into = {} if into is None else into
    for k, v in (o.items() if isinstance(o, dict) else enumerate(o) if isinstance(o, list) else ()):
        if isinstance(v, (dict, list)):
            flat(v, into)
        elif isinstance(v, int):
            into.setdefault(k, v)
    return into


def need(name, ok, text):
    if not ok:
        sys.exit("%s: %s" % (name, text))


# ---- barriers ----

def corrected_reduction():
    for clock in (1, 2, 4, 8):
        run("reduction", ptx(REDUCE), thread(SUM, 10), 64, 128, ["--set", "scalar.clock=%d" % clock], out=[8128] * 64,
            counters={"scalar_barriers": 64, "scalar_barriers_alone": 0, "scalar_threads": 64})
    run("delayed reduction", ptx(REDUCE), thread(delayed([], SUM), 10), 64, 128, out=[8128] * 64,
        counters={"cycles": lambda v: v > 40000})
    run("oldest first", ptx(REDUCE), thread(SUM, 10), 64, 128, ["--set", "scalar.scheduler=oldest"], out=[8128] * 64)


def sides_that_ended():
    none = ptx("mov.u32 r1, 0;\n")
    run("warps ended", none, thread(delayed([], ["bar.scalar _, 0x1"] + out_at(1) + ["mov R1, 0x5", "st.global.b32 _, [R2.64], R1",
        "exit _"]), 10), 20, 96, out=[5] * 20, counters={"scalar_barriers_alone": 20})
    run("thread ended", ptx(REDUCE), thread(["exit _"], 2), 4, 128, n_out=1,
        counters={"scalar_barriers_alone": 4, "scalar_barriers": 4})


def arrival_and_reuse():
    twice = ptx("bar.sync 1;\nbar.sync 1;\nbar.sync 1;\nbar.arrive 1, 128;\n".replace("bar.arrive 1, 128;\n", ""))
    run("reuse", twice, thread(["bar.scalar _, 0x1"] * 3 + ["exit _"], 2), 32, 128, n_out=1, counters={"scalar_barriers": 96})
    arrive = ["bar.scalar.mode=1 _, 0x1", "bar.scalar _, 0x1", "bar.scalar _, 0x1", "exit _"]
    run("arrive", twice, thread(arrive, 2), 32, 128, n_out=1, counters={"scalar_barriers": 96})


def deadlock():
    run("deadlock", ptx("bar.sync 1;\n"), thread(["bar.scalar _, 0x2", "exit _"], 2), 2, 64, n_out=1, status=HANG,
        words="scalar thread of CTA (0,0,0) at pc 1")


# ---- life ----

def outlives():
    """A detached thread keeps its CTA's number while others run in the slot; an attached one keeps the shared memory."""
    store = out_at(1) + ["iadd R1, R0, 0x64", "st.global.b32 _, [R2.64], R1", "exit _"]
    f, _ = run("detached", ptx("mov.u32 r1, 0;\n"), thread(delayed([], store), 10), 40, 64, out=[100 + i for i in range(40)])
    need("detached", f["cycles"] < 40000, "%d cycles: threads of 16 CTAs and more run at once" % f["cycles"])
    killed, _ = run("killed", ptx("mov.u32 r1, 0;\n"), thread(delayed([], store), 10), 40, 64,
                       ["--set", "scalar.kill=1"], out=[0] * 40)
    need("killed", killed["cycles"] < 5000, "%d cycles" % killed["cycles"])
    fill = ptx("mov.u32 r1, %tid.x; mov.u32 r2, %ctaid.x; mov.u32 r6, part; shl.b32 r7, r1, 2; add.s32 r8, r6, r7;\n"
               "add.s32 r3, r1, r2; st.shared.u32 [r8], r3; bar.sync 1;\n", 512)
    read = ["bar.scalar _, 0x1"], ["ld.shared.b32.u32 R1, [_+12]"] + out_at(1) + ["st.global.b32 _, [R2.64], R1", "exit _"]
    run("attached", fill, thread(delayed(*read), 10), 40, 64, out=[3 + i for i in range(40)])


def admission():
    one = ["--set", "scalar.units=1"]
    _, text = run("registers", ptx(REDUCE), thread(SUM, 7 + 3), 64, 128, one + ["--set", "scalar.words=34"], out=[8128] * 64)
    need("registers", "3 CTAs" in text and "limited by scalar registers" in text, text[:600])
    _, text = run("contexts", ptx(REDUCE), thread(SUM, 10), 64, 128, ["--set", "scalar.threads=2"], out=[8128] * 64)
    need("contexts", "2 CTAs" in text and "limited by scalar threads" in text, text[:600])
    run("none fits", ptx(REDUCE), thread(SUM, 10), 64, 128, one + ["--set", "scalar.words=8"], status=2, n_out=64,
        words="scalar registers")
    # neighbors of odd size with pairs never overlap: each thread finds its own stores
    odd = out_at(1) + ["mov R4, 0x7", "mov R5, R0", "mov R6, R0"] + ["iadd R6, R6, R4"] * 9 + ["iadd R6, R6, R5",
           "st.global.b32 _, [R2.64], R6", "exit _"]
    run("odd", ptx("mov.u32 r1, 0;\n"), thread(odd, 7), 60, 64, one + ["--set", "scalar.words=64"], out=[63 + 2 * i for i in range(60)])


# ---- memory ----

def touches():
    """Timed by the thread itself: first from DRAM, then from L1; beyond the buffer: dropped. A prefetch is done when L1
    has taken it, so that its time says nothing."""
    def timed(what, cmp, cycles):
        return ["membar _", "s2r R4, %clock", what, "membar _", "s2r R5, %clock", "iadd R4, R5, -R4",
                "isetp.%s.and.u32 _|P0, R4, 0x%x" % (cmp, cycles), "p2r R1, 0x1, {P0}", "st.global.b32 _, [R2.64], R1",
                "lop3.lut=0xc0 R1, R4, 0x7", "st.global.b32 _, [R2.64+4], R1", "iadd R2, R2, 0x8"]
    at = out_at(4) + ["mov R6.64, c[0][0x0].64"]
    line, none = "[R6.64]", ["touch.global _, [RZ]", "touch.global _, [R6.64+1073741824]", "exit _"]
    idle = ptx("mov.u32 r1, 0;\n")
    touch, prefetch = "touch.global _, " + line, "prefetch.global _, " + line
    slow = ["--set", "scalar.clock=8"]
    # every second word is the difference modulo 8: of no interest here
    def runs(name, lines, options, want, counters=None):
        keep = [l for l in lines if "+4], R1" not in l and "0xc0" not in l]
        run(name, idle, thread(keep, 8), 1, 32, options, out=want, counters=counters)
    runs("touch", at + timed(touch, "ge", 300) + timed(touch, "le", 100) + none, [], [1, 0, 1, 0],
         {"touches": 4, "touches_dropped": 2})
    runs("prefetch", at + timed(prefetch, "le", 100) + none, [], [1, 0])
    run("slow", idle, thread(at + timed(touch, "ge", 300) + timed(touch, "ge", 8) + none, 8), 1, 32, slow, out=[1, 0, 1, 0])


def both_sides():
    """Atomics of warps and threads on one word; a flag in volatile memory, each side waits for the other."""
    add = ptx("ld.param.u64 d1, [out]; cvta.to.global.u64 d2, d1; atom.global.add.u32 r1, [d2], 1;\n")
    run("atomics", add, thread(["mov R2.64, c[0][0x8].64", "atom.add.global.b32.u32 R0, [R2.64], 0x64", "atom.add.global.b32.u32 _, [R2.64], 0x1",
                                "exit _"], 4), 8, 64, out=[8 * (64 + 101)])
    flag = ptx("ld.param.u64 d1, [out]; cvta.to.global.u64 d2, d1; mov.u32 r1, 1; st.volatile.global.u32 [d2], r1;\n"
               "L1: ld.volatile.global.u32 r2, [d2+4]; setp.ne.u32 p1, r2, 7; @p1 bra L1; st.volatile.global.u32 [d2+8], r2;\n")
    wait = ["mov R2.64, c[0][0x8].64", "L1:", "ld.global.ordered.b32.u32 R0, [R2.64]", "isetp.ne.and.u32 _|P0, R0, 0x1",
            "@P0 bra _, L1, exit", "mov R1, 0x7", "st.global.ordered.b32 _, [R2.64+4], R1", "exit _"]
    run("flags", flag, thread(wait, 4), 1, 32, out=[1, 7, 7])
    sharing = ptx("mov.u32 r6, part; mov.u32 r1, %tid.x; shl.b32 r7, r1, 2; add.s32 r8, r6, r7; mov.u32 r2, 3; bar.sync 1;\n"
                  "atom.shared.add.u32 r3, [r6], 1; bar.sync 1; bar.sync 1; ld.shared.u32 r4, [r6];\n"
                  "ld.param.u64 d1, [out]; cvta.to.global.u64 d2, d1; mul.wide.u32 d3, r1, 4; add.s64 d4, d2, d3; st.global.u32 [d4], r4;\n")
    both = ["mov R0, 0x3e8", "st.shared.b32 _, [RZ], R0", "bar.scalar _, 0x1", "bar.scalar _, 0x1", "ld.shared.b32.u32 R1, [RZ]",
            "iadd R1, R1, R1", "st.shared.b32 _, [RZ], R1", "atom.add.shared.b32.u32 R4, [RZ], 0x1", "bar.scalar _, 0x1", "exit _"]
    run("shared", sharing, thread(both, 6), 1, 64, out=[2 * 1064 + 1] * 64)


# ---- instructions ----

def instructions():
    """Results beside Python's; the retire check compares each."""
    a, b = 1000003, 77
    cases = [("iadd R1, R4, R5", a + b), ("iadd R1, R4, -R5", a - b), ("imul.lo.u32 R1, R4, R5", a * b), ("lea.shift=3 R1, R4, R5", a * 8 + b),
             ("imnmx.u32 R1, R4, R5", b), ("sad.u32 R1, R4, R5, R5", a - b + b), ("lop3.lut=0xc0 R1, R4, R5", a & b),
             ("shl R1, R4, 0x3", a << 3), ("shr.u32 R1, R4, 0x4", a >> 4), ("popc R1, R4", bin(a).count("1")),
             ("clz R1, R4", 32 - a.bit_length()), ("brev R1, R5", int("{:032b}".format(b)[::-1], 2)), ("ext.u8 R1, R4", a & 255),
             ("idiv.u32 R1, R4, R5", a // b), ("idiv.u32.mode=1 R1, R4, R5", a % b), ("imad.lo.u32 R1, R4, R5, R5", a * b + b),
             ("cvt.rn.f32.u32 R1, R5", 0x429a0000), ("bfe.u32 R1, R4, 0x4, 0x8", a >> 4 & 255), ("iabs R1, R5", b),
             ("s2r R1, %ntid.x", 64), ("s2r R1, %tid.x", 0), ("s2r R1, %ncta_resident", 16), ("s2r R1, %nctaid.x", 2),
             ("ldc.b32.u32 R1, [_+12]", 0), ("p2r R1, 0x9, {PT}", 9), ("sel R1, R4, R5, {!PT}", b), ("s2r R1, %ctaid.x", None)]
    lines = out_at(len(cases) + 2) + ["mov R4, 0x%x" % a, "mov R5, 0x%x" % b]
    for i, (text, _) in enumerate(cases):
        lines += [text, "st.global.b32 _, [R2.64+%d], R1" % (4 * i)]
    at = 4 * len(cases)
    n = len(lines)
    lines += ["cvt.rn.f32.u32 R6, R5", "fmul R6, R6, R6", "mufu.rcp R7, R6", "fadd R6, R6, R7", "dadd R8.64, R4.64, R4.64",
              "isetp.gt.and.u32 _|P0|P1, R4, R5", "plop3.lut=0xc0 _|P1, {P0, PT, PT}", "@!P1 iadd R6, R6, R6", "@P1 mov R1, 0x37",
              "st.global.b32 _, [R2.64+%d], R1" % at, "mov R1, 0x1"]
    table = n + 15
    lines += ["brx _, R1, T0, exit", "trap _", "trap _", "trap _", "st.global.b32 _, [R2.64+%d], R5" % (at + 4), "membar _", "nop _", "exit _"]
    program = thread(lines, 10).replace(".barriers 2\n", ".barriers 2\n.table L%d L%d\n" % (n + 12, table))
    program = program.replace("\n    trap _\n    trap _\n    trap _\n", "\nL%d:\n    trap _\n    trap _\n    trap _\nL%d:\n" % (n + 12, table))
    want = []
    for cta in range(2):
        want += [cta if v is None else v for _, v in cases] + [0x37, b]
    for machine in ("kepler", "fermi"):
        w = want if machine == "kepler" else [8 if i % (len(cases) + 2) == 21 else v for i, v in enumerate(want)]
        run("instructions on " + machine, ptx("mov.u32 r1, 0;\n"), program, 2, 64, out=w, machine=machine)


# ---- what is refused ----

def refused():
    k = ptx(REDUCE)
    for line, words in (("shfl R0, R0, R0, R0", "operates on the lanes of a warp"), ("nanosleep _, 0x5", "sleeps"),
                        ("bar _, 0x1", "does not expect the scalar thread"), ("ld.local.b32.u32 R0, [RZ]", "needs local memory"),
                        ("syscall R0, [RZ]", "is a system call")):
        run("refused", k, thread([line, "exit _"], 2), 1, 128, status=2, words=words)
    run("other architecture", k, thread(SUM, 10), 1, 128, status=2, words="expected an architecture with scalar units", arch="baseline")
    run("oracle", k, thread(SUM, 10), 1, 128, status=2, words="expected --check retire", check="oracle")
    run("bad address", k, thread(["st.global.b32 _, [RZ], RZ", "exit _"], 2), 1, 128, status=3, words="scalar thread of CTA (0,0,0), pc 0")
    run("trap", k, thread(["trap _"], 2), 1, 128, status=3, words="trap")
    run("beyond shared", k, thread(["ld.shared.b32.u32 R0, [_+4096]", "exit _"], 2), 1, 128, status=3, words="bytes of shared memory")
    run("barrier number", k, thread(["mov R0, 0x10", "bar.scalar _, R0", "exit _"], 2), 1, 128, status=3, words="barrier number 16")


# ---- combinations ----

def combinations():
    """The reduction beside systems that change the register path; what does not go with scalar threads says why."""
    for machine, arch in (("kepler", "regmutex:scalar"), ("fermi", "packing:rfv:scalar"), ("fermi", "corf:scalar"),
                          ("fermi", "corf++:rfv:scalar"), ("pascal", "bow-wr:scalar"), ("pascal", "regmutex:bow:scalar")):
        run(arch, ptx(REDUCE), thread(SUM, 10), 16, 128, out=[8128] * 16, machine=machine, arch=arch)
    for other, words in (("pmode", "it uses all registers"), ("larf", "it allocates and frees registers"), ("owf", "it maps every register"),
                         ("rfc", "fixed places"), ("hw-bdi", "combines with nothing"), ("direct-prefetch", "compared with pmode")):
        run(other, ptx(REDUCE), thread(SUM, 10), 1, 128, arch=other + ":scalar", status=2, words=words)


# ---- lockstep ----

def lockstep():
    """All four blocks as RTL beside their golden models (machine tiny); a thread of `exit` alone shows nothing; seeded
    faults are found, with the block's name."""
    tiny = {"machine": "tiny", "blocks": []}
    run("lockstep", ptx(REDUCE), thread(SUM, 8), 5, 128, out=[8128] * 5, **tiny)
    run("lockstep, slow clock", ptx(REDUCE), thread(SUM, 8), 3, 128, ["--set", "scalar.clock=4"], out=[8128] * 3, **tiny)
    run("rtl", ptx(REDUCE), thread(SUM, 8), 3, 128, out=[8128] * 3, machine="tiny", blocks=["--blocks", "rtl"])
    run("exit alone", ptx(REDUCE), thread(["exit _"], 2), 3, 128, n_out=1, status=VACUOUS, words="scalar_rf (lockstep", **tiny)
    for bug in ("scalar_rf=443", "scalar_collect=449", "scalar_alloc=447", "cta_barrier=456"):
        run("fault " + bug, ptx(REDUCE), thread(SUM, 8), 3, 128, ["--testbug", bug], status=MISMATCH, n_out=3,
            words="mismatch: block " + bug.split("=")[0], **tiny)


CASES = [corrected_reduction, sides_that_ended, arrival_and_reuse, deadlock, outlives, admission, touches, both_sides,
         instructions, refused, combinations]
for case in CASES + [lockstep]:
    if case.__name__ in sys.argv[2:] or (not sys.argv[2:] and case is not lockstep):
        case()
