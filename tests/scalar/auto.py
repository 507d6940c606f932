#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""auto.py SMCOSIM DATA: what the compiler makes of a kernel by itself is no loss. Every small launch in DATA is run with
--arch baseline and scalar, machine kepler. One that takes more than 1.02 times the baseline's cycles is run again with
DRAM latencies up to four cycles less and more, which says nothing about scalar threads but sets requests off against
each other: its mean loss must be within 2 %, or within half of what the baseline itself varies by. All launches with
threads together gain, and threads are started only where there is something to do."""
import glob
import json
import math
import os
import subprocess
import sys

SMCOSIM, DATA = sys.argv[1:]
NOISE, LATENCIES, LEAST = 1.02, (296, 298, 302, 304), 60


def run(path, arch, *settings):
    r = subprocess.run([SMCOSIM, "run", path, "--machine", "kepler", "--arch", arch, "--blocks", "model", "--json", "-",
                        *settings], capture_output=True, text=True)
    if r.returncode:
        sys.exit("auto.py: %s %s: status %d\n%s" % (path, arch, r.returncode, r.stderr[-1000:]))
    counters = json.loads(r.stdout)["launches"][0]["counters"]
    return counters["sm"]["cycles"], counters["scalar"]["scalar_threads"]


def varied(path, first):
    """Mean ratio of cycles and half of the baseline's spread over the latencies."""
    pairs = [first] + [tuple(run(path, a, "--set", "dram.latency=%d" % n)[0] for a in ("baseline", "scalar")) for n in LATENCIES]
    base = [b for b, _ in pairs]
    return math.exp(sum(math.log(s / b) for b, s in pairs) / len(pairs)), 1 + (max(base) / min(base) - 1) / 2


logs, slow, seen = [], [], 0
for path in sorted(glob.glob(os.path.join(DATA, "*", "small", "launch.yaml"))):
    base, _ = run(path, "baseline")
    now, threads = run(path, "scalar")
    seen += 1
    if threads:
        logs.append(math.log(base / now))
    if now <= NOISE * base:
        continue
    mean, half = varied(path, (base, now))
    print("%s: %d, baseline %d; mean ratio %.3f, half of the baseline's spread %.3f" % (path, now, base, mean, half))
    if mean > max(NOISE, half):
        slow.append(path)
gain = math.exp(sum(logs) / len(logs)) if logs else 0
print("%d launches, %d with threads, geometric mean %.4f" % (seen, len(logs), gain))
if slow or gain < 1 or seen < LEAST or len(logs) < LEAST // 2:
    sys.exit("auto.py: slower than the baseline: %s" % slow)
