#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""scalar.py [BUILD]: runs the kernels of the scalar-unit paper's kinds on machine kepler, with and without scalar threads,
every run with retire check and expected results, and writes bench/repro/scalar.md. The findings at the end are written
by hand (scalar.findings.md)."""
import json
import math
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
BUILD = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else os.path.join(HERE, "..", "..", "build"))
KINDS = [("prefetch", ["vecadd", "copy", "transpose", "dct8x8", "fft4", "reduction", "saxpy", "tmv", "scalarprod", "histogram", "hist64"]),
         ("divergence", ["mandelbrot", "laplace3d", "levelset", "rays", "queens"]),
         ("extract", ["reduction", "streamcost", "neuron1", "bitonicpass"]),
         ("auto", ["vecadd", "reduction", "mandelbrot", "streamcost", "spmv", "blackscholes", "nbody"])]
RF_ACCESS = 149.76          # pJ, csrc/report/energy.def; a scalar access at most a thirty-second
SHARE = 0.03                # static power of scalar units beside the SM's, from the paper's SS


def launch(kernel):
    path = os.path.join(BUILD, "bench", kernel, "small", "launch.yaml")
    data = os.path.exists(path) and any(f.endswith(".bin") for f in os.listdir(os.path.dirname(path)))
    return path if data else None


def run(kernel, *settings):
    with tempfile.TemporaryDirectory() as d:
        out = os.path.join(d, "r.json")
        command = [os.path.join(BUILD, "smcosim"), "run", launch(kernel), "--machine", "kepler", "--blocks", "model", "--check", "retire",
                   "--json", out]
        for s in settings:
            command += ["--arch", s[5:]] if s.startswith("arch=") else ["--set", s]
        r = subprocess.run(command, capture_output=True, text=True)
        if r.returncode:
            sys.exit("%s: exit status %d\n%s" % (" ".join(command), r.returncode, r.stderr[-800:]))
        with open(out) as f:
            found = json.load(f)["launches"][0]
    c = {}
    for group in found["counters"].values():
        c.update(group)
    c["notes"] = "; ".join(sorted({k["scalar"] for k in found["kernels"] if k.get("scalar")}))
    return c


def rate(a, b):
    return 100.0 * a / b if b else 0.0


def l1_rate(c):
    return rate(c["l1_misses"], c["l1_hits"] + c["l1_misses"])


def l2_rate(c):
    return rate(c["l2_misses"], c["l2_hits"] + c["l2_misses"])


def rf_energy(c):
    """Accesses of register files, in nJ: vector banks, and scalar words at their upper bound."""
    return (RF_ACCESS * (c["rf_reads"] + c["rf_writes"]) + RF_ACCESS / 32 * (c["scalar_rf_reads"] + c["scalar_rf_writes"])) / 1000


def geometric(values):
    return math.exp(sum(math.log(v) for v in values) / len(values)) if values else 0.0


def main():
    lines = []
    say = lines.append
    base = {}
    say("# The flexible scalar unit: our figures beside the paper's\n")
    say("Written by `bench/repro/scalar.py`; the findings at the end are written by hand (`scalar.findings.md`). Machine `kepler` (six")
    say("scalar units of 170 words), one SM, small launches of `bench/kernels`, golden models, each run with the retire check and its")
    say("expected results. Speed-up: cycles of the baseline over cycles. A kernel that the paradigm leaves as it is has 1.000.\n")
    for paradigm, kernels in KINDS:
        say("## `scalar.paradigm=%s`\n" % paradigm)
        say("| kernel | clock 1 | 1/2 | 1/4 | 1/8 | scalar per warp instr., % | per thread instr., % | L1 miss, % | L2 miss, % | RF energy, % | barriers | touches | what was done |")
        say("|---|--:|--:|--:|--:|--:|--:|---|---|--:|--:|--:|---|")
        ups = {1: [], 2: [], 4: [], 8: []}
        for kernel in kernels:
            if not launch(kernel):
                continue
            b = base.setdefault(kernel, run(kernel))
            cs = {d: run(kernel, "arch=scalar", "scalar.paradigm=" + paradigm, "scalar.clock=%d" % d) for d in ups}
            c = cs[1]
            up = {d: b["cycles"] / cs[d]["cycles"] for d in ups}
            if c["scalar_threads"]:
                for d in ups:
                    ups[d].append(up[d])
            say("| %s | %s | %.1f | %.2f | %.1f to %.1f | %.1f to %.1f | %+.1f | %d | %d | %s |" % (
                kernel, " | ".join("%.3f" % up[d] for d in ups), rate(c["scalar_instructions"], b["warp_instructions"]),
                rate(c["scalar_instructions"] + c["thread_instructions"] - b["thread_instructions"], b["thread_instructions"]),
                l1_rate(b), l1_rate(c), l2_rate(b), l2_rate(c), rate(rf_energy(c), rf_energy(b)) - 100, c["scalar_barriers"],
                c["touches"], c["notes"].replace("|", "/")))
        if ups[1]:
            say("| geometric mean of the %d with threads | %s | | | | | | | | |" % (
                len(ups[1]), " | ".join("%.3f" % geometric(ups[d]) for d in ups)))
        say("")
    say("## The paper's\n")
    say("| figure | what | paper |")
    say("|---|---|---|")
    for row in (("7", "prefetch speed-up, geometric mean (MC 19.3; all but VD, FFT above 19)", "19.3 %"),
                ("9", "prefetch, clock 1/2; the rest is in the plot only", "16.0 %"), ("VI", "scalar instructions, of thread instructions", "0.73 %"),
                ("8", "L1 miss rate; L2", "65.2 to 55.4 %; 47.0 to 9.6 %"), ("13", "LPS, SEG, RT, NQU, MB", "15.0, 10.6, 4.2, 1.3, 4.0 %"),
                ("15", "SS; VD; BS", "+26.8; +0.4; +2.7 %"), ("V", "area", "5.4 % of an SMX")):
        say("| %s | %s | %s |" % row)
    findings = os.path.join(HERE, "scalar.findings.md")
    if os.path.exists(findings):
        with open(findings) as f:
            lines.append("\n" + f.read().rstrip())
    with open(os.path.join(HERE, "scalar.md"), "w") as f:
        f.write("\n".join(lines) + "\n")


main()
