#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""fuzz.py SMCOSIM FIRST COUNT [NEED | faults]: random kernels, from seeds FIRST .. FIRST + COUNT - 1, with each paradigm of the compiler,
with and without a unit, and in mode scalar-gcn, against the oracle, which executes the PTX. A kernel has loops that threads
leave together or one by one, ifs of one thread, of some, and of all or none, ends of threads before and between them,
barriers (in loops, too) and exchanges through shared memory, guarded stores, atomics, 64-bit values and predicates that
outlive a loop; CTAs are of sizes that no multiple of 32 is, too, and one kernel in ten has CTAs of one thread. Each paradigm must have transformed NEED of the kernels
and more (default 0). faults: SMCOSIM is the program of faulty.c; each fault of FAULTS must be found by one of the kernels, none
of which fails without."""
import os
import random
import re
import struct
import subprocess
import sys
import tempfile

SM, FIRST, COUNT = os.path.abspath(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
SEEDED = sys.argv[4:] == ["faults"]
NEED = int(sys.argv[4]) if len(sys.argv) > 4 and not SEEDED else 0
SHAPES = [(33,), (64,), (96,), (97,), (128,), (100, 2), (16, 3, 2), (11, 3, 3), (20, 5), (32, 4), (8, 8, 2), (255,), (30, 1, 3)]
MODES = [("prefetch", ["--arch", "scalar-prefetch"]), ("divergence", ["--arch", "scalar-divergence"]),
         ("divergence", ["--arch", "scalar-divergence", "--set", "scalar.remap_every=2"]),
         ("divergence mask", ["--arch", "scalar-divergence", "--set", "scalar.compact=mask", "--set", "scalar.remap_every=3"]),
         ("divergence array", ["--arch", "scalar-divergence", "--set", "scalar.compact=array", "--set", "scalar.remap_every=5"]),
         ("divergence simt", ["--arch", "scalar-divergence", "--set", "scalar.helper=simt", "--set", "scalar.remap_every=2"]),
         ("extract", ["--arch", "scalar-extract", "--set", "scalar.extract=all"]), ("auto", ["--arch", "scalar"]),
         ("extract simt", ["--arch", "scalar-extract", "--set", "scalar.extract=all", "--set", "scalar.helper=simt"]),
         ("gcn", ["--arch", "scalar-gcn"]), ("gcn unwritten", ["--arch", "scalar-gcn", "--set", "scalar.loads=unwritten"])]
DIVERGENCE, EXTRACT = MODES[2][1], MODES[6][1]
FAULTS = [(fault, DIVERGENCE) for fault in ("item-lost", "item-twice", "items-not-awaited", "wrong-place", "thread-astray")] + [
    (fault, EXTRACT) for fault in ("other-barrier", "no-barrier", "wrong-live-out")] + [("tid-uniform", MODES[-1][1]), ("wrong-load", MODES[-1][1])]
INTS, WIDE, PREDS, WORDS = 6, 2, 2, 16
HEAD = """.version 6.0
.target sm_35
.address_size 64
.visible .entry k(.param .u64 at_in, .param .u64 at_out, .param .u64 at_sums, .param .u32 param_n)
{
.reg .pred p, q<%d>, g<200>; .reg .b32 a<%d>, c<64>, x<400>, t, gid, n, size, cta, u; .reg .b64 w<%d>, y<400>, in, out, sums, own;
.shared .align 16 .b8 part[1024];
ld.param.u64 in, [at_in]; ld.param.u64 out, [at_out]; ld.param.u64 sums, [at_sums]; ld.param.u32 n, [param_n];
cvta.to.global.u64 in, in; cvta.to.global.u64 out, out; cvta.to.global.u64 sums, sums;
mov.u32 x0, %%tid.x; mov.u32 x1, %%tid.y; mov.u32 x2, %%tid.z; mov.u32 x3, %%ntid.x; mov.u32 x4, %%ntid.y; mov.u32 cta, %%ctaid.x;
mad.lo.u32 t, x2, x4, x1; mad.lo.u32 t, t, x3, x0; mov.u32 x5, %%ntid.z; mul.lo.u32 size, x3, x4; mul.lo.u32 size, size, x5;
mad.lo.u32 gid, cta, size, t; mul.wide.u32 own, gid, %d; add.u64 own, own, out; mad.lo.u32 u, cta, 7, n;
""" % (PREDS, INTS, WIDE, 4 * WORDS)


class Kernel:
    def __init__(self, seed):
        self.r = random.Random(seed)
        self.lines, self.labels, self.temps, self.wides, self.guards, self.counters = [], 0, 10, 0, 0, 0
        self.ended = False      # threads may have ended: they store and fetch nothing in shared memory
        self.loads = 0
        shape = self.r.choice(SHAPES)
        self.block = (list(shape) + [1, 1])[:3]
        self.threads = self.block[0] * self.block[1] * self.block[2]
        self.grid = self.r.randint(1, 4)
        self.turns = seed % 10 == 7  # begins with values of tid.x modulo a power of two
        self.alone = seed % 10 == 3  # CTAs of one thread, without shared memory and barriers
        if self.alone:
            self.block, self.threads, self.grid = [1, 1, 1], 1, 1 + seed // 10 % 41
        self.n = self.r.randint(1, 40)

    def put(self, text):
        self.lines.append(text)

    def temp(self):
        self.temps += 1
        return "x%d" % (self.temps - 1)

    def guard(self):
        self.guards += 1
        return "g%d" % (self.guards - 1)

    def label(self):
        self.labels += 1
        return "L%d" % self.labels

    def value(self):
        return "a%d" % self.r.randrange(INTS)

    def load(self, to, at):
        x, y = self.temp(), "y%d" % self.wides
        self.wides += 1
        self.put("and.b32 %s, %s, 1023; mul.wide.u32 %s, %s, 4; add.u64 %s, %s, in;" % (x, at, y, x, y, y))
        self.put("ld.global%s.u32 %s, [%s];" % (self.r.choice(["", ".nc"]), to, y))

    def store(self):
        at = 4 * self.r.randrange(WORDS - INTS - 2 * WIDE - 1)
        if self.r.random() < .5:
            p = self.guard()
            self.put("setp.%s.u32 %s, %s, %d; @%s st.global.u32 [own+%d], %s;"
                     % (self.r.choice(["lt", "ne", "gt"]), p, self.value(), self.r.randint(0, 9), p, at, self.value()))
        else:
            self.put("st.global.u32 [own+%d], %s;" % (at, self.value()))

    def arithmetic(self):
        kind, a, b, c = self.r.randrange(9), self.value(), self.value(), self.value()
        wide, q = "w%d" % self.r.randrange(WIDE), "q%d" % self.r.randrange(PREDS)
        if kind < 3:
            self.put("%s %s, %s, %s;" % (self.r.choice(["add.u32", "xor.b32", "mul.lo.u32", "sub.u32", "max.u32", "min.s32"]), a, b, c))
        elif kind == 3:
            self.put("mad.lo.u32 %s, %s, 1664525, %s; shr.u32 %s, %s, %d;" % (a, b, c, b, a, self.r.randint(1, 5)))
        elif kind == 4:
            self.put("mad.wide.u32 %s, %s, 77, %s;" % (wide, a, wide))
        elif kind == 5:
            self.put("cvt.u32.u64 %s, %s; add.u64 %s, %s, %d;" % (a, wide, wide, wide, self.r.randint(1, 99)))
        elif kind == 6:
            self.put("setp.%s.s32 %s, %s, %s;" % (self.r.choice(["lt", "ge", "eq"]), q, a, b))
        elif kind == 7:
            self.put("selp.b32 %s, %s, %s, %s;" % (a, b, c, q))
        else:  # the same in all threads
            x, y = self.temp(), self.temp()
            self.put("mad.lo.u32 %s, u, %d, n; or.b32 %s, n, 1; div.u32 %s, %s, %s; rem.u32 %s, %s, 13; add.u32 %s, %s, %s;"
                     % (x, self.r.randint(2, 9), y, y, x, y, x, x, y, y, x))
            self.put("add.u32 %s, %s, %s;" % (a, a, y))

    def condition(self):
        """Predicate, and whether all threads of the CTA agree on it."""
        p, x, kind = self.guard(), self.temp(), self.r.randrange(6)
        if kind == 0:
            self.put("setp.eq.u32 %s, t, %d;" % (p, self.r.choice([0, 5, self.threads - 1, self.threads])))
        elif kind == 1:
            self.put("setp.lt.u32 %s, t, %d;" % (p, self.r.choice([1, 17, 32, 40, self.threads])))
        elif kind == 2:
            self.put("and.b32 %s, t, 3; setp.eq.u32 %s, %s, %d;" % (x, p, x, self.r.randrange(4)))
        elif kind == 3:
            self.put("and.b32 %s, %s, 7; setp.gt.u32 %s, %s, %d;" % (x, self.value(), p, x, self.r.randrange(7)))
        elif kind == 4:
            self.put("mov.u32 %s, %%tid.%s; setp.lt.u32 %s, %s, %d;" % (x, self.r.choice("xyz"), p, x, self.r.randint(1, 20)))
        else:
            self.put("and.b32 %s, u, 3; setp.gt.u32 %s, %s, %d;" % (x, p, x, self.r.randrange(3)))
        return p, kind == 5

    def branch(self, depth, alike):
        p, same = self.condition()
        other, end = self.label(), self.label()
        both = self.r.random() < .4
        self.put("@!%s bra %s;" % (p, other))
        self.body(depth + 1, alike and same)
        if both:
            self.put("bra %s;" % end)
        self.put("%s:" % other)
        if both:
            self.body(depth + 1, alike and same)
            self.put("%s:" % end)

    def loop(self, depth, alike):
        c, p, head = "c%d" % self.counters, self.guard(), self.label()
        self.counters += 1
        same = self.r.random() < .5
        self.put("mov.u32 %s, 0;" % c)
        self.put("%s:" % head)
        if same:
            self.body(depth + 1, alike)
            self.put("add.u32 %s, %s, 1; setp.lt.u32 %s, %s, %s; @%s bra %s;" % (c, c, p, c, self.r.choice(["2", "3"]), p, head))
            return
        end, v, x, p2 = self.label(), self.value(), self.temp(), self.guard()
        self.put("and.b32 %s, %s, 7; setp.eq.u32 %s, %s, %d; @%s bra %s;" % (x, v, p, x, self.r.randrange(8), p, end))
        self.body(depth + 1, False)
        self.put("mad.lo.u32 %s, %s, 1664525, 1013904223; shr.u32 %s, %s, 13; xor.b32 %s, %s, %s;" % (v, v, x, v, v, v, x))
        self.put("add.u32 %s, %s, 1; setp.lt.u32 %s, %s, %d; @%s bra %s;" % (c, c, p2, c, self.r.choice([3, 9, 17]), p2, head))
        self.put("%s:" % end)

    def exchange(self):
        x, y, z = self.temp(), self.temp(), self.temp()
        self.put("mov.u32 %s, part; shl.b32 %s, t, 2; add.u32 %s, %s, %s; bar.sync 0; st.shared.u32 [%s], %s; bar.sync 0;"
                 % (x, y, y, x, y, y, self.value()))
        self.put("add.u32 %s, t, %d; rem.u32 %s, %s, size; shl.b32 %s, %s, 2; add.u32 %s, %s, %s; ld.shared.u32 %s, [%s];"
                 % (z, self.r.randint(1, 70), z, z, z, z, z, x, z, self.value(), z))

    def statement(self, depth, alike):
        kind = self.r.random()
        if kind < .38:
            self.arithmetic()
        elif kind < .48 and self.loads < 20:
            self.loads += 1
            self.load(self.value(), self.r.choice(["gid", self.value(), "t", "u"]))
        elif kind < .58:
            self.store()
        elif kind < .62:
            y = "y%d" % self.wides
            self.wides += 1
            self.put("add.u64 %s, sums, %d; red.global.add.u32 [%s], %s;" % (y, 4 * self.r.randrange(8), y, self.value()))
        elif kind < .70 and alike and not self.ended and not self.alone:
            self.exchange()
        elif kind < .73 and alike and not self.alone:
            self.put("bar.sync 0;")
        elif kind < .76 and depth == 0:
            p, same = self.condition()
            self.put("@%s exit;" % p)
            self.ended |= not same
        elif depth < 3:
            (self.branch if self.r.random() < .6 else self.loop)(depth, alike)
        else:
            self.arithmetic()

    def body(self, depth, alike):
        for _ in range(self.r.randint(1, (7, 4, 3, 2)[depth])):
            self.statement(depth, alike)

    def text(self):
        for i in range(INTS):
            if i < 3:
                self.load("a%d" % i, ("gid", "t", "u")[i])
            else:
                self.put("mad.lo.u32 a%d, gid, %d, n;" % (i, 3 * i))
        if self.turns:
            self.put("mad.lo.u32 x8, x0, %d, n; and.b32 x8, x8, %d; mad.lo.u32 x9, x8, x8, n; rem.u32 x9, x9, 11; "
                     "mad.lo.u32 x9, x9, x8, u; add.u32 a0, a0, x9; mul.lo.u32 x9, x9, x8; xor.b32 a4, a4, x9;"
                     % (1 + self.n % 6, (1, 3, 5, 6, 7)[self.n % 5]))
        for i in range(WIDE):
            self.put("cvt.u64.u32 w%d, a%d;" % (i, i))
        for i in range(PREDS):
            self.put("setp.lt.u32 q%d, a%d, a%d;" % (i, i, i + 3))
        for _ in range(2):
            self.body(0, True)
        for i in range(INTS):
            self.put("st.global.u32 [own+%d], a%d;" % (4 * (WORDS - INTS + i), i))
        for i in range(WIDE):
            self.put("st.global.u64 [own+%d], w%d;" % (4 * (WORDS - INTS - 2 * WIDE + 2 * i), i))
        self.put("selp.u32 x6, 1, 0, q0; selp.u32 x7, 2, 0, q1; add.u32 x6, x6, x7; st.global.u32 [own+%d], x6;"
                 % (4 * (WORDS - INTS - 2 * WIDE - 1)))
        head = HEAD.replace(".shared .align 16 .b8 part[1024];\n", "") if self.alone else HEAD
        return head + "\n".join(self.lines) + "\nret;\n}\n"


def write(folder, seed):
    k = Kernel(seed)
    text = k.text()
    with open(os.path.join(folder, "k%d.ptx" % seed), "w") as f:
        f.write(text)
    path = os.path.join(folder, "k%d.yaml" % seed)
    with open(path, "w") as f:
        f.write("name: k%d\nptx: k%d.ptx\nkernel: k\ngrid: [%d]\nblock: %s\nargs:\n  - {type: ptr, buffer: in}\n"
                "  - {type: ptr, buffer: out}\n  - {type: ptr, buffer: sums}\n  - {type: u32, value: %d}\nbuffers:\n"
                "  in: {bytes: 4096, init: in.bin}\n  out: {bytes: %d, init: zero}\n  sums: {bytes: 64, init: zero}\n"
                % (seed, seed, k.grid, k.block, k.n, 4 * WORDS * k.threads * k.grid))
    return path


def command_of(options):
    return [SM, "run", "--machine", "kepler", "--blocks", "model", "--check", "retire,oracle", "--max-cycles", "400000", *options]


def failed(folder, files, name, options):
    """Runs all, and each by itself where one of them fails."""
    command = command_of(options)
    r = subprocess.run(command[:2] + files + command[2:], cwd=folder, capture_output=True, text=True)
    if r.returncode == 0:
        return r.stdout, []
    bad = []
    for f in files:
        one = subprocess.run(command[:2] + [f] + command[2:], cwd=folder, capture_output=True, text=True)
        if one.returncode:
            bad.append("%s, %s: status %d\n%s" % (os.path.basename(f), name, one.returncode, (one.stdout + one.stderr)[-700:]))
    return r.stdout, bad or ["%s: status %d of all, none alone\n%s" % (name, r.returncode, r.stderr[-700:])]


def not_found(folder, files):
    """What is wrong: a kernel that fails without a fault, a fault that none finds."""
    for options in (DIVERGENCE, EXTRACT, MODES[-1][1]):
        _, bad = failed(folder, files, " ".join(options), options)
        if bad:
            return bad[0]
    for fault, options in FAULTS:
        env = dict(os.environ, SCALAR_FAULT=fault)
        found = {}
        for f in files:
            command = command_of(options)
            r = subprocess.run([*command[:2], f, *command[2:]], cwd=folder, capture_output=True, text=True, env=env)
            if r.returncode:
                found[os.path.basename(f)] = r.returncode
                if r.returncode not in (1, 3, 4):
                    return "fault %s: status %d\n%s" % (fault, r.returncode, (r.stdout + r.stderr)[-700:])
                break
        print("%-18s %s" % (fault, "status %d of %s" % next((s, k) for k, s in found.items()) if found else "not found"))
        if not found:
            return "fault %s is found by none of %d kernels" % (fault, len(files))
    return 0


with tempfile.TemporaryDirectory() as scratch:
    folder = os.environ.get("SCALAR_FUZZ_KEEP", scratch)
    data = random.Random(1)
    with open(os.path.join(folder, "in.bin"), "wb") as f:
        f.write(struct.pack("<1024I", *[data.getrandbits(32) for _ in range(1024)]))
    files = [write(folder, FIRST + i) for i in range(COUNT)]
    if SEEDED:
        sys.exit(not_found(folder, files))
    wrong, few = [], []
    for name, options in MODES:
        text, bad = failed(folder, files, name, options)
        wrong += bad
        done = len(re.findall(r"scalar thread: (?!nothing)", text)) if name.split()[0] != "gcn" else COUNT
        print("%-18s %d of %d kernels transformed, %d wrong" % (name, done, COUNT, len(bad)))
        if name.split()[0] in ("divergence", "extract") and name != "extract simt" and done < NEED:
            few.append(name)
    for text in wrong[:5]:
        print(text)
    if wrong or few:
        sys.exit("fuzz.py: %d wrong; transformed too few: %s" % (len(wrong), few))
