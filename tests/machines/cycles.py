#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Cycles on machine gpgpusim, 15 SMs, against those that GPGPU-Sim takes (cycles.txt).

Pearson's correlation of the logarithms is at least 0.985, the mean error of cycles at most 12 %. On gtx480, where the
compiler schedules, atomics take nine cycles and DRAM moves no byte in vain, the same comparison fails.
Also printed: cycles per instruction, where each side has its own instructions (warps of 32 threads).
Usage: cycles.py SMCOSIM BENCH_GEN SOURCE [MACHINE [--set KEY=VALUE]...]
"""
import json
import math
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

CORRELATION, ERROR = 0.985, 0.12


def recorded():
    lines = (Path(__file__).parent / 'cycles.txt').read_text().splitlines()
    rows = [line.split() for line in lines if line and not line.startswith('#')]
    return {name: (int(cycles), int(instructions)) for name, cycles, instructions in rows}


def make_data(bench_gen, source, tmp, names):
    subprocess.run([bench_gen, tmp, 'paper', *names], check=True, stdout=subprocess.DEVNULL)
    for name in names:
        kernel, folder = Path(source) / 'bench/kernels' / name, Path(tmp) / name / 'paper'
        shutil.copy(kernel / f'{name}.ptx', folder)
        shutil.copy(kernel / 'launch.paper.yaml', folder / 'launch.yaml')


def simulate(smcosim, tmp, names, machine):
    report = Path(tmp) / 'report.json'
    files = [str(Path(tmp) / name / 'paper/launch.yaml') for name in names]
    command = [smcosim, 'run', *files, '--sms', '15', '--blocks', 'model', '--json', str(report), '--machine', *machine]
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        sys.exit(f'cycles.py: status {done.returncode}: {done.stderr}')
    launches = json.loads(report.read_text())['launches']
    return {launch['name']: launch for launch in launches}


def pearson(xs, ys):
    mx, my = sum(xs) / len(xs), sum(ys) / len(ys)
    both = sum((x - mx) * (y - my) for x, y in zip(xs, ys))
    return both / math.sqrt(sum((x - mx) ** 2 for x in xs) * sum((y - my) ** 2 for y in ys))


def compare(known, launches, machine):
    """Prints the table; correlation and mean error of cycles."""
    print(f'{" ".join(machine):14} {"GPGPU-Sim":>10} {"here":>10} {"ratio":>6} {"CPI ratio":>10}')
    cpi = []
    for name, (cycles, ptx) in known.items():
        here = launches[name]
        ratio = here['cycles'] / cycles
        threads = sum(group.get('thread_instructions', 0) for group in here['counters'].values())
        cpi.append(ratio * ptx / threads)
        print(f'{name:14} {cycles:10} {here["cycles"]:10} {ratio:6.2f} {cpi[-1]:10.2f}')
    ratios = [launches[name]['cycles'] / known[name][0] for name in known]
    correlation = pearson([math.log(known[name][0]) for name in known],
                          [math.log(launches[name]['cycles']) for name in known])
    error = sum(abs(ratio - 1) for ratio in ratios) / len(ratios)
    print(f'Pearson {correlation:.4f}, mean error {100 * error:.1f} % of cycles, '
          f'{100 * sum(abs(c - 1) for c in cpi) / len(cpi):.1f} % of cycles per instruction')
    return correlation, error


def main():
    smcosim, bench_gen, source = sys.argv[1:4]
    known, failed = recorded(), 0
    with tempfile.TemporaryDirectory() as tmp:
        make_data(bench_gen, source, tmp, list(known))
        machine = sys.argv[4:] or ['gpgpusim']
        correlation, error = compare(known, simulate(smcosim, tmp, list(known), machine), machine)
        if correlation < CORRELATION or error > ERROR:
            print(f'FAILED: expected a correlation of at least {CORRELATION} and an error of at most {100 * ERROR:.0f} %')
            failed = 1
        if machine == ['gpgpusim']:
            correlation, error = compare(known, simulate(smcosim, tmp, list(known), ['gtx480']), ['gtx480'])
            if correlation >= CORRELATION or error <= ERROR:
                print('FAILED: gtx480 is not told from gpgpusim')
                failed = 1
    sys.exit(failed)


main()
