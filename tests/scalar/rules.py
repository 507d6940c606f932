#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""rules.py SMCOSIM KERNELS DATA TESTS: what is left names its line and the reason: each rule of `auto`, and what no paradigm
can transform."""
import json
import os
import re
import subprocess
import sys
import tempfile

SMCOSIM, KERNELS, DATA, TESTS = map(os.path.abspath, sys.argv[1:5])
NOTES = [  # kernel, block, paradigm, the note
    ("fc", "32,1", "auto sm.ctas=4", r"refused +prefetch +line \d+: load: the thread takes about \d+ cycles for an iteration, the warps about \d+ for 2"),
    ("tmv", "256,1", "auto", r"refused +prefetch +line \d+: load: 8 CTAs would hold \d+ lines, L1 has 384"),
    ("btree", "96,1", "auto", r"refused +divergence line \d+: loop: an iteration takes its latency of about \d+ cycles"),
    ("mandelbrot", "16,8", "auto", r"refused +divergence line \d+: loop: a remapping takes about \d+ cycles, and an iteration saves \d+"),
    ("binomial", "128,1", "auto", r"refused +extract +line \d+: uniform operations: \d+ cycles of issue removed, about \d+ of waiting added"),
    ("spmv", "128,1", "prefetch", r"refused +prefetch +line \d+: load: its address is not affine in tid"),
    ("rays", "16,8", "divergence", r"done +divergence line \d+: loop: items of 7 registers, 2 returned to their owner, 32 loaded by"),
    ("vecadd", "256,1", "divergence", None),
    ("laplace3d", "32,4", "divergence", r"done +divergence line \d+: if: items of 8 registers, 0 returned to their owner"),
    ("cutcells", "256,1", "divergence", r"done +divergence line \d+: if: items of 4 registers, 2 returned to their owner"),
    ("mergesort", "128,1", "divergence", r"done +divergence line 92: loop: items of"),
    ("pathfinder", "256,1", "divergence", r"refused +divergence line 86: if: the if of line 238 is transformed"),
    ("cutcp", "16,8", "divergence", r"refused +divergence line \d+: if: not all threads of the CTA reach it: a branch which"),
    ("cifarnet", "32,4", "divergence", r"refused +divergence line \d+: if: a load of a shared value precedes it, and threads may"),
    ("sides_met", "96,1", "divergence", r"refused +divergence line \d+: loop: its exit paths do not join"),
    ("sides_heads", "96,1", "divergence", r"refused +divergence line \d+: if: its exit paths join only at the head of an enclosing loop"),
    ("topk", "128,1", "divergence", r"refused +divergence line \d+: if: it has other entries"),
    ("median3", "16,16", "auto", r"refused +divergence line \d+: if: the launch does not determine which threads take it"),
    ("bitonic", "128,1", "auto", r"refused +divergence line \d+: if: 4.0 of 4 warps execute it where 2.0 would do: \d+ cycles saved"),
    ("neuron1", "1,1", "extract", r"done +extract +CTAs of one thread: the scalar threads run every second CTA"),
    ("neuron1", "1,1", "extract scalar.clock=4", r"refused +extract +CTAs of one thread: the thread's clock is 4 times slower"),
    ("neuron1", "2,1", "extract", None),
    ("alone_chain", "1,1", "extract scalar.extract=all", r"refused +extract +line \d+: CTAs of one thread: a volatile or ordered load"),
    ("bfs", "1024,1", "prefetch", r"refused +prefetch +line \d+: load: its address depends on data"),
]


def check(good, *what):
    if not good:
        sys.exit("rules.py: " + " ".join(map(str, what)))


def touches(kernel, *settings):
    r = subprocess.run([SMCOSIM, "run", os.path.join(DATA, kernel, "small", "launch.yaml"), "--machine", "kepler", "--arch",
                        "scalar", "--blocks", "model", "--check", "retire,oracle", "--json", "-", *settings],
                       capture_output=True, text=True)
    check(r.returncode == 0, kernel, r.stderr[-1000:])
    launch = json.loads(r.stdout)["launches"][0]
    counters = launch["counters"]["scalar"]
    return counters["touches"], counters["scalar_threads"], launch["kernels"][0].get("scalar", "")


for kernel, block, paradigm, note in NOTES:
    settings = [word for s in ("scalar.paradigm=" + paradigm).split() for word in ("--set", s)]
    path = os.path.join(KERNELS, kernel, kernel + ".ptx")
    of_tests = [] if os.path.exists(path) else [os.path.join(TESTS, kernel.split("_")[0] + ".ptx"), "--kernel", kernel]
    r = subprocess.run([SMCOSIM, "compile", *(of_tests or [path]), "--block", block, "--machine",
                        "kepler", "--arch", "scalar", *settings, "--dump", "scalar"],
                       capture_output=True, text=True)
    check(r.returncode == 0, kernel, r.stderr)
    check("nothing was transformed" in r.stdout if note is None else re.search(note, r.stdout), kernel, "expected", note,
          "found\n", r.stdout[:1500])

# All CTAs at once: none starts later. Without the rule the thread would be started and touch nothing.
count, threads, note = touches("dct8x8")
check(count == threads == 0 and "all 12 CTAs are resident at once" in note, "dct8x8", count, threads, note)
# Vectors of a power of two: all CTAs begin in two of L1's sets. With the sets hashed they do not.
count, threads, note = touches("scalarprod")
check(count == 0 and threads == 24, "scalarprod", count, threads, note)
count, threads, note = touches("scalarprod", "--set", "l1.hash=hash")
check(count > 500, "scalarprod, hashed sets", count, threads, note)
# A row that moves by 16 bytes in an iteration enters a new line every eighth: 32 rows of 640 bytes,
# five lines each.
count, threads, note = touches("fc", "--set", "scalar.paradigm=prefetch")
check(0 < count < 1000, "fc", count, threads, note)

# Registers that the file of machine tiny does not have: the kernel as it was.
r = subprocess.run([SMCOSIM, "run", os.path.join(DATA, "neuron1", "small", "launch.yaml"), "--machine", "tiny", "--arch", "scalar-extract",
                    "--blocks", "model", "--json", "-"], capture_output=True, text=True)
check(r.returncode == 0, "neuron1, tiny", r.stderr[-1000:])
launch = json.loads(r.stdout)["launches"][0]
count, note = launch["counters"]["scalar"]["scalar_threads"], launch["kernels"][0].get("scalar", "")
check(count == 0 and note == "nothing: the thread requires 21 registers, but a scalar unit has 16", "neuron1, tiny", count, note)


# Trips of loops: the samples of cutcells as a constant, and from the launch (its argument `width`).
# With two by two of them the kernel is unchanged.
def sampled(inner, outer, width, *settings):
    with tempfile.TemporaryDirectory() as d:
        with open(os.path.join(DATA, "cutcells", "small", "cutcells.ptx")) as f:
            text = f.read()
        check("%r24, 8;" in text and "%r22, 8;" in text, "cutcells: where its samples are counted")
        with open(os.path.join(d, "cutcells.ptx"), "w") as f:
            f.write(text.replace("%r24, 8;", "%%r24, %s;" % inner).replace("%r22, 8;", "%%r22, %s;" % outer))
        with open(os.path.join(DATA, "cutcells", "small", "launch.yaml")) as f:
            launch = f.read().split("expect:")[0].replace("value: 64", "value: %d" % width)
        with open(os.path.join(d, "launch.yaml"), "w") as f:
            f.write(launch.replace("init: corner.bin", "init: " + os.path.join(DATA, "cutcells", "small", "corner.bin")))
        r = subprocess.run([SMCOSIM, "run", os.path.join(d, "launch.yaml"), "--machine", "kepler", "--arch", "scalar",
                            "--blocks", "model", "--check", "retire,oracle", "--json", "-", *settings], capture_output=True, text=True)
        check(r.returncode == 0, "cutcells", inner, outer, r.stderr[-1000:])
        launch = json.loads(r.stdout)["launches"][0]
        return launch["counters"]["scalar"]["scalar_threads"], launch["kernels"][0].get("scalar", ""), launch["counters"]["sm"]["cycles"]


for inner, outer, width, taken in (("8", "8", 64, True), ("2", "2", 64, False), ("%r10", "2", 64, True)):
    threads, note, cycles = sampled(inner, outer, width)
    if "-v" in sys.argv:
        print("cutcells, %s x %s samples, width %d: %d threads, %d cycles, of the baseline %d, regrouped %d; %s" % (
            outer, inner, width, threads, cycles, sampled(inner, outer, width, "--set", "scalar.paradigm=none")[2],
            sampled(inner, outer, width, "--set", "scalar.paradigm=divergence")[2], note))
    check(taken == ("the if of line" in note and threads == 16), "cutcells", inner, outer, width, threads, note)
