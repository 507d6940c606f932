#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""faults.py SCALAR_FAULTY DATA LAUNCHES: each fault seeded into a transformation is found by a run of a kernel, with the exit
status that says how, or by a counter, as prefetching changes no result; without a fault the same runs pass."""
import json
import os
import subprocess
import sys
import tempfile

FAULTY, DATA, LAUNCHES = sys.argv[1:]  # LAUNCHES: of tests/compile/scalar, for kernels that DATA has not
MISMATCH, WRONG, HANG = 1, 3, 4
CASES = [  # fault, kernel, options, exit statuses
    ("tid-uniform", "vecadd", ["--arch", "scalar-gcn"], {MISMATCH}),
    ("wrong-load", "binomial", ["--arch", "scalar-gcn"], {MISMATCH}),
    ("high-word-lost", "laplace3d", ["--arch", "scalar-gcn"], {MISMATCH}),
    ("other-barrier", "reduction", ["--arch", "scalar-extract"], {HANG}),
    ("other-barrier", "binomial", ["--arch", "scalar-extract", "--set", "scalar.extract=all"], {HANG}),
    ("item-lost", "mandelbrot", ["--arch", "scalar-divergence", "--set", "scalar.remap_every=4"], {WRONG}),
    ("item-twice", "mandelbrot", ["--arch", "scalar-divergence", "--set", "scalar.remap_every=4"], {MISMATCH, WRONG, HANG}),
    ("item-lost", "mandelbrot", ["--arch", "scalar-divergence", "--set", "scalar.remap_every=4", "--set",
                                 "scalar.helper=simt"], {WRONG}),
    ("no-barrier", "binomial", ["--arch", "scalar-extract", "--set", "scalar.extract=all"], {MISMATCH, WRONG, HANG}),
    ("wrong-live-out", "binomial", ["--arch", "scalar-extract", "--set", "scalar.extract=all"], {WRONG}),
    ("misplaced-live-out", "binomial", ["--arch", "scalar-extract", "--set", "scalar.extract=all"], {WRONG}),
    ("items-not-awaited", "mandelbrot", ["--arch", "scalar-divergence", "--set", "scalar.remap_every=4"], {WRONG, HANG}),
    ("ended-not-told", "rays", ["--arch", "scalar-divergence"], {WRONG}),
    ("wrong-place", "mandelbrot", ["--arch", "scalar-divergence", "--set", "scalar.remap_every=4"], {MISMATCH, WRONG, HANG}),
    ("item-lost", "cutcells", ["--arch", "scalar"], {WRONG}),
    ("items-not-awaited", "cutcells", ["--arch", "scalar"], {WRONG, HANG}),
    ("wrong-place", "cutcells", ["--arch", "scalar"], {MISMATCH, WRONG, HANG}),
    ("item-twice", "rows", ["--arch", "scalar-divergence"], {WRONG}),
    ("item-lost", "rows", ["--arch", "scalar-divergence"], {WRONG}),
    ("tid-in-region", "rows", ["--arch", "scalar-divergence"], {WRONG}),
    ("end-apart", "leavers", ["--arch", "scalar-divergence", "--set", "scalar.remap_every=2"], {MISMATCH, WRONG, HANG}),
    ("misplaced-sum", "cutcells", ["--arch", "scalar"], {MISMATCH, WRONG, HANG}),
    ("starts-at-once", "nearest", ["--arch", "scalar-extract"], {WRONG}),
    ("starts-at-once", "fenced", ["--arch", "scalar-extract", "--set", "scalar.extract=all"], {WRONG}),
    ("body-not-awaited", "early_late", ["--arch", "scalar-extract", "--set", "scalar.extract=all"], {WRONG}),
    ("accesses-passed", "nearest", ["--arch", "scalar-extract"], {WRONG}),
    ("accesses-passed", "early_late", ["--arch", "scalar-extract", "--set", "scalar.extract=all"], {WRONG}),
    ("accesses-passed", "two", ["--arch", "scalar-extract", "--set", "scalar.extract=all"], {WRONG}),
    ("half-table", "fft4", ["--arch", "scalar-extract", "--set", "scalar.extract=all"], {WRONG}),
    ("wrong-live-out", "fft4", ["--arch", "scalar-extract", "--set", "scalar.extract=all"], {WRONG}),
    ("no-barrier", "fft4", ["--arch", "scalar-extract", "--set", "scalar.extract=all"], {WRONG}),
    ("half-table", "turns", ["--arch", "scalar-extract", "--set", "scalar.extract=all"], {WRONG}),
    ("misplaced-live-out", "turns", ["--arch", "scalar-extract", "--set", "scalar.extract=all"], {WRONG}),
    ("wrong-live-out", "turns", ["--arch", "scalar-extract", "--set", "scalar.extract=all"], {WRONG}),
    ("no-barrier", "turns", ["--arch", "scalar-extract", "--set", "scalar.extract=all"], {WRONG}),
    ("cta-left-out", "neuron1", ["--arch", "scalar-extract"], {WRONG}),
    ("cta-left-out", "alone_odd", ["--arch", "scalar-extract"], {WRONG}),
    ("whole-grid", "alone_cube", ["--arch", "scalar-extract"], {WRONG}),
    ("misplaced-sum", "mandelbrot", ["--arch", "scalar-divergence", "--set", "scalar.remap_every=4"], {MISMATCH, WRONG, HANG}),
]


TOUCHES = 384  # vecadd: 16 lines for each of 32 CTAs but the 8 of the first wave


def run(fault, kernel, options):
    launch = os.path.join(DATA, kernel, "small", "launch.yaml")
    if not os.path.exists(launch):
        launch = os.path.join(LAUNCHES, kernel + ".yaml")
    env = dict(os.environ, SCALAR_FAULT=fault)
    r = subprocess.run([FAULTY, "run", launch, "--machine", "kepler", "--blocks", "model", "--check", "retire,oracle",
                        "--max-cycles", "300000", *options], capture_output=True, text=True, env=env)
    return r.returncode, r.stdout + r.stderr


def touches(fault, kernel="vecadd", arch="scalar-prefetch"):
    with tempfile.NamedTemporaryFile() as out:
        status, text = run(fault, kernel, ["--arch", arch, "--json", out.name])
        if status:
            sys.exit(kernel + " ends with status %d\n%s" % (status, text[-2000:]))
        with open(out.name) as f:
            return counter(json.load(f), "touches")


def counter(o, name):
    """The first of that name."""
    for k, v in o.items() if isinstance(o, dict) else enumerate(o):
        found = v if k == name else counter(v, name) if isinstance(v, (dict, list)) else None
        if found is not None:
            return found
    return None


for fault, kernel, options, want in CASES:
    status, text = run("", kernel, options)
    if status:
        sys.exit("without a fault %s ends with status %d\n%s" % (kernel, status, text[-2000:]))
    status, text = run(fault, kernel, options)
    if status not in want:
        sys.exit("fault %s in %s: status %d, expected %s\n%s" % (fault, kernel, status, want, text[-2000:]))
if touches("") != TOUCHES or touches("other-cta") == TOUCHES:
    sys.exit("touches of vecadd: %d, with a fault %d, expected %d" % (touches(""), touches("other-cta"), TOUCHES))
regroups = ["scalar thread: divergence" in run(fault, "cutcells", ["--arch", "scalar"])[1] for fault in ("", "one-trip")]
if regroups != [True, False]:
    sys.exit("cutcells: `auto` does not count the trips of its loops, or regroups with the fault, too")
if touches("", "scalarprod", "scalar") or not touches("sets-not-asked", "scalarprod", "scalar"):
    sys.exit("scalarprod: touches although CTAs share sets, or none with the fault")
