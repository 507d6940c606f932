#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Kernels at the edges of control flow (shapes.ptx) under every architecture of `list archs --all`: they compile, and every
instruction and the result is checked. Usage: shapes.py SMCOSIM"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

from modes import MACHINES, architectures

LAUNCH = """name: {0}
ptx: shapes.ptx
kernel: {0}
grid: [2, 1, 1]
block: [40, 1, 1]
args:
  - {{type: ptr, buffer: in}}
  - {{type: ptr, buffer: out}}
buffers:
  in: {{bytes: 4096, init: zero}}
  out: {{bytes: 4096, init: zero}}
"""


def main():
    smcosim = sys.argv[1]
    ptx = os.path.join(os.path.dirname(os.path.abspath(__file__)), "shapes.ptx")
    with open(ptx, encoding="utf-8") as f:
        entries = re.findall(r"\.entry (\w+)\(", f.read())
    failed = 0
    with tempfile.TemporaryDirectory() as scratch:
        shutil.copy(ptx, scratch)
        launches = []
        for entry in entries:
            launches.append(os.path.join(scratch, entry + ".yaml"))
            with open(launches[-1], "w", encoding="utf-8") as f:
                f.write(LAUNCH.format(entry))
        archs = architectures(smcosim, True)
        for arch in archs:
            for machine in MACHINES:
                done = subprocess.run([smcosim, "run", *launches, "--arch", arch, "--machine", machine, "--blocks", "model",
                                       "--allow-idle", "--check", "retire,oracle", "--bundle", os.path.join(scratch, "b")],
                                      capture_output=True, text=True)
                if done.returncode != 2:
                    break
            if done.returncode or done.stdout.count(": pass") != len(entries):
                failed += 1
                print(f"shapes: {arch} on {machine}: status {done.returncode}\n{done.stderr[-1000:]}")
        print(f"{len(entries)} kernels, {len(archs)} architectures, {failed} failed")
    return 1 if failed or len(entries) < 8 or len(archs) < 100 else 0


if __name__ == "__main__":
    sys.exit(main())
