#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Cycles and counters do not depend on whether a block is a golden model or RTL: ten kernels run in model mode and in
lockstep, and every number of the report but the times and the blocks' comparisons is the same.
Usage: modes.py SMCOSIM BENCH [--all] [--part I/N] [--arch A,B,..] [--key KEY=VALUE]
  --all   every line of `list archs --all`, combinations too; otherwise single architectures
  --part  only every N-th architecture, from the I-th on
  --key   --set of the run in lockstep alone: the two must differ, which shows that a difference is found"""
import argparse
import json
import os
import subprocess
import sys
import tempfile

KERNELS = "halfstore median3 histogram queens rle walsh mm2 stencil2d sgemm weather".split()
MACHINES = "fermi pascal pascal-larf fermi-caba kepler".split()
OWN_MACHINE = {"larf": "pascal-larf", "las": "pascal-larf"}  # fermi gives larf's merges no work
NOT_COUNTED = {"seconds", "sim_cycles_per_second", "time", "blocks", "checks", "file", "cycles_not_clocked"}


def architectures(smcosim, combined):
    out = subprocess.run([smcosim, "list", "archs", "--all"], check=True, capture_output=True, text=True).stdout
    names = [line.split()[0] for line in out.splitlines() if line.strip()]
    return [n for n in names if combined or ":" not in n]


def run(smcosim, launches, arch, machine, mode, extra, scratch):
    path = os.path.join(scratch, mode + ".json")
    command = [smcosim, "run", *launches, "--arch", arch, "--machine", machine, "--blocks", mode, "--bundle", os.path.join(scratch, "bundle"), "--json", path, *extra]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        return done, None
    with open(path, encoding="utf-8") as f:
        return done, json.load(f)


def numbers(value, path=()):
    """All numbers of a report by their place in it."""
    if isinstance(value, dict):
        for key, v in value.items():
            if key not in NOT_COUNTED:
                yield from numbers(v, path + (key,))
    elif isinstance(value, list):
        for i, v in enumerate(value):
            yield from numbers(v, path + (str(i),))
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        yield ".".join(path), value


def differences(model, lockstep):
    assert len(model["launches"]) == len(lockstep["launches"]) == len(KERNELS)
    for a, b in zip(model["launches"], lockstep["launches"]):
        x, y = dict(numbers(a)), dict(numbers(b))
        for key in sorted(x.keys() | y.keys()):
            if x.get(key) != y.get(key):
                yield a["name"], key, x.get(key), y.get(key)


def compare(args, launches, arch, scratch):
    """The machine, the numbers compared and the differences of an architecture, on the first machine that accepts it."""
    idle = ["--allow-idle"] if ":" in arch else []  # no machine gives every combination all kinds of work
    own = [OWN_MACHINE[name] for name in arch.split(":") if name in OWN_MACHINE]
    for machine in own[:1] or MACHINES:
        done, model = run(args.smcosim, launches, arch, machine, "model", idle, scratch)
        if done.returncode == 2:
            continue
        if model is None:
            sys.exit(f"modes: {arch} on {machine}, model: status {done.returncode}\n{done.stderr[-2000:]}")
        extra = ["--set", args.key] if args.key else []
        done, lockstep = run(args.smcosim, launches, arch, machine, "lockstep", idle + extra, scratch)
        if lockstep is None:
            sys.exit(f"modes: {arch} on {machine}, lockstep: status {done.returncode}\n{done.stderr[-2000:]}")
        count = sum(1 for launch in model["launches"] for _ in numbers(launch))
        return machine, count, list(differences(model, lockstep))
    sys.exit(f"modes: none of {' '.join(MACHINES)} accepts {arch}\n{done.stderr[-2000:]}")


def main():
    p = argparse.ArgumentParser()
    p.add_argument("smcosim")
    p.add_argument("bench")
    p.add_argument("--all", action="store_true")
    p.add_argument("--part", default="0/1")
    p.add_argument("--arch", default="")
    p.add_argument("--key", default="")
    args = p.parse_args()
    first, step = map(int, args.part.split("/"))
    archs = args.arch.split(",") if args.arch else architectures(args.smcosim, args.all)[first::step]
    launches = [os.path.join(args.bench, k, "small", "launch.yaml") for k in KERNELS]
    failed = 0
    with tempfile.TemporaryDirectory() as scratch:
        for arch in archs:
            machine, count, found = compare(args, launches, arch, scratch)
            if count < 100 * len(KERNELS):
                sys.exit(f"modes: {arch} on {machine}: only {count} numbers were compared")
            print(f"{arch} {machine}: {count} numbers, {len(found)} differ", flush=True)
            for name, key, x, y in found[:8]:
                print(f"  {name} {key}: model {x}, lockstep {y}")
            failed += bool(found)
    if args.key:
        return 0 if failed == len(archs) else 1
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
