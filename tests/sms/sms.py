#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Several SMs on one memory system. Usage: sms.py checks|numbers|threads|lockstep|faults|refused|commands SMCOSIM BENCH

BENCH: folder of the kernels' data."""

import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

what, smcosim, bench = sys.argv[1:4]
smcosim = os.path.abspath(smcosim)
scratch = tempfile.TemporaryDirectory()
failures = []
WAVE_HEADER = 330


def fail(text):
    failures.append(text)
    print('FAIL:', text)


def launch(kernel):
    """Of a kernel; a path is one already."""
    return kernel if '/' in kernel else os.path.join(os.path.abspath(bench), kernel, 'small', 'launch.yaml')


def run(kernel, *options, env=None, sms=None, threads=None):
    """Exit status, both outputs, report of the launch."""
    report = os.path.join(scratch.name, 'report.json')
    if os.path.exists(report):
        os.unlink(report)
    command = [smcosim, 'run', launch(kernel), '--json', report, '--bundle', os.path.join(scratch.name, 'bundle'), *options]
    if '--blocks' not in options:
        command += ['--blocks', 'model']
    if sms:
        command += ['--sms', str(sms)]
    if threads:
        command += ['--threads', str(threads)]
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **(env or {})}, timeout=600)
    found = json.load(open(report))['launches'][0] if os.path.exists(report) else None
    return done.returncode, done.stdout, done.stderr, found


def passes(kernel, *options, **more):
    status, _, err, report = run(kernel, *options, **more)
    if status:
        fail(f'{kernel} {options} {more}: status {status}: {err.strip()[:400]}')
    return report


def without_time(report):
    return {k: v for k, v in report.items() if k not in ('seconds', 'sim_cycles_per_second', 'time')} if report else None


def checks():
    kernels = ['vecadd', 'bfs', 'histogram', 'reduction', 'handoff', 'flags', 'hello', 'sgemm', 'scan', 'atax']
    for kernel in kernels:
        for sms in (2, 3, 15):
            passes(kernel, '--check', 'retire,oracle', sms=sms)
    archs = ['packing:rfv', 'corf++', 'rfc', 'regmutex', 'regmutex-paired', 'owf', 'larf:las', 'pmode', 'direct-prefetch',
             '2xtlp', 'scalar', 'scalar-gcn', 'caba-off']
    for arch in archs:
        for kernel in ('reduction', 'handoff', 'histogram'):
            passes(kernel, '--arch', arch, '--check', 'retire,oracle', sms=3)
    for kernel in ('reduction', 'handoff'):
        passes(kernel, '--arch', 'bow-wr', '--machine', 'pascal', '--check', 'retire,oracle', sms=3)
    # malloc is first called while the kernel runs.
    here = os.path.dirname(os.path.abspath(__file__))
    for name in ('heap.ptx', 'heap.yaml'):
        shutil.copy(os.path.join(here, name), scratch.name)
    with open(os.path.join(scratch.name, 'heap.bin'), 'wb') as f:
        for cta in range(24):
            f.write((cta + 1).to_bytes(4, 'little') * 64)
    for sms in (1, 2, 15):
        passes(os.path.join(scratch.name, 'heap.yaml'), '--check', 'retire,oracle', sms=sms)
    passes('reduction', '--machine', 'tiny', '--set', 'gpu.sms=2', '--blocks', 'lockstep', sms=2)


def numbers():
    for kernel in ('bfs', 'sgemm', 'histogram'):
        alone, one = passes(kernel), passes(kernel, sms=1)
        if without_time(alone) != without_time(one):
            fail(f'{kernel}: --sms 1 differs from no option')
        if alone and 'sms' in alone:
            fail(f'{kernel}: a report of one SM lists SMs')
    for kernel, sms in (('vecadd', 3), ('sgemm', 4)):
        report = passes(kernel, sms=sms)
        parts = report['sms']
        if len(parts) != sms:
            fail(f'{kernel}: {len(parts)} SMs in the report')
        for group, counters in report['counters'].items():
            for name, value in counters.items():
                found = [p['counters'][group][name] for p in parts]
                expected = found[0] if name == 'cycles' else sum(found)
                if value != expected or (name == 'cycles' and len(set(found)) != 1):
                    fail(f'{kernel}: {group}.{name} is {value}, of the SMs {found}')
        ctas = [p['counters']['sm']['ctas'] for p in parts]
        if kernel == 'sgemm' and max(ctas) - min(ctas) > 1:  # all start at once
            fail(f'sgemm: CTAs were not handed out in turn: {ctas}')
    # A kernel that DRAM limits: the memory system grows with the SMs.
    one, two, four = (passes('vecadd', sms=n)['cycles'] for n in (1, 2, 4))
    if one < 1.5 * two or two < 1.2 * four:
        fail(f'vecadd: {one}, {two}, {four} cycles on 1, 2, 4 SMs')


THREADED = ['bfs', 'histogram', 'reduction', 'handoff', 'flags', 'hello', 'vecadd', 'hash']


def threads():
    for kernel in THREADED:
        for sms in (2, 5):
            first = None
            for n in (1, 2, 3):
                status, out, err, report = run(kernel, '--check', 'retire,oracle', sms=sms, threads=n)
                now = (status, err, without_time(report))
                if status:
                    fail(f'{kernel}, {sms} SMs, {n} threads: status {status}: {err.strip()[:300]}')
                first = first or now
                if now != first:
                    fail(f'{kernel}, {sms} SMs: {n} threads differ from one')
    for arch in ('corf++', 'larf', 'regmutex', 'scalar', 'pmode'):
        reports = [without_time(passes('handoff', '--arch', arch, sms=3, threads=n)) for n in (1, 2)]
        if reports[0] != reports[1]:
            fail(f'handoff, {arch}: 2 threads differ from one')
    # Report and counters of a run that ends early.
    beyond = os.path.join(scratch.name, 'beyond')
    shutil.copytree(os.path.dirname(launch('sgemm')), beyond)
    path = os.path.join(beyond, 'launch.yaml')
    with open(path) as f:
        text = f.read()
    with open(path, 'w') as f:
        f.write(re.sub(r'(c: {bytes: )\d+', r'\g<1>256', text[:text.index('expect:')]))
    ends = [run(path, sms=2, threads=n) for n in (1, 2, 2, 2)]
    ends = [(status, err, without_time(report)) for status, _, err, report in ends]
    if any(e != ends[0] for e in ends) or ends[0][0] != 3 or 'past the end of buffer c' not in ends[0][1]:
        fail(f'a store past the end: {ends[0][:2]} {[e == ends[0] for e in ends]}')
    ends = [run('bfs', '--max-cycles', '1000', sms=3, threads=n)[::2] for n in (1, 2)]
    if ends[0] != ends[1] or ends[0][0] != 4 or 'SM 0' not in ends[0][1]:
        fail(f'a cycle limit: {ends}')


def orders(kernel, fault, *options):
    """Does the report depend on the order in which the parts of a window are simulated?"""
    found = []
    for order in ('', 'forward', 'reverse', 'odd', 'ahead'):
        status, _, err, report = run(kernel, *options, sms=3, threads=2, env={'SMS_FAULT': fault, 'SMS_ORDER': order})
        found.append((status, without_time(report)))
    return any(f != found[0] for f in found)


def faults():
    for kernel in THREADED:
        if orders(kernel, ''):
            fail(f'{kernel}: the report depends on the order, without a fault')
    for fault, kernels in (('store-at-once', ['handoff', 'flags']), ('load-early', ['handoff', 'flags', 'bfs']), ('atomic-at-once', ['handoff', 'flags', 'hash'])):
        seen = [k for k in kernels if orders(k, fault, '--machine', 'gtx480')]
        print(f'{fault}: seen by {seen}')
        if not seen:
            fail(f'fault {fault} was not found by {kernels}')
    for check, expected in (('oracle', 3), ('retire', 1)):
        status, _, err, _ = run('vecadd', '--check', check, sms=2, env={'SMS_FAULT': 'lost-stores'})
        print(f'lost-stores, {check}: status {status}')
        if status != expected:
            fail(f'fault lost-stores, {check}: status {status}, expected {expected}')


def refused():
    def says(status, text, kernel, *options):
        found, _, err, _ = run(kernel, *options)
        if found != status or text not in err:
            fail(f'{options}: status {found}, expected {status} and "{text}": {err.strip()[:300]}')
        if err.count('\n') > 1:
            fail(f'{options}: more than one line: {err.strip()[:300]}')
    for arch in ('caba-bdi', 'hw-bdi', 'ideal-bdi', 'hw-bdi-mem'):
        says(2, f'--sms 2: with {arch} only one SM can', 'vecadd', '--sms', '2', '--arch', arch)
    says(2, '--sms 3: the machine has 2 (gpu.sms)', 'vecadd', '--sms', '3', '--machine', 'kepler')
    says(2, '--wave shows one of the 2 SMs', 'vecadd', '--sms', '2', '--wave', 'w.fst')
    says(2, '--trace shows one of the 2 SMs', 'vecadd', '--sms', '2', '--trace', 't.json')
    says(2, 'the run has one SM, expected --sms N', 'vecadd', '--lockstep-sm', '0')
    says(2, '2 is out of range, expected 0 to 1 or all', 'vecadd', '--sms', '2', '--lockstep-sm', '2')
    for value in ('-1', '15', 'some', ''):
        says(2, '--lockstep-sm', 'vecadd', '--sms', '2', f'--lockstep-sm={value}')
    for value in ('0', '16', '-1', 'two', '2x', '', '1.5', '99999999999999999999'):
        found, _, err, _ = run('vecadd', f'--sms={value}')
        if found != 2 or '--sms' not in err:
            fail(f'--sms={value}: status {found}: {err.strip()[:200]}')


def command(*words):
    done = subprocess.run([smcosim, *words], capture_output=True, text=True, timeout=600)
    return done.returncode, done.stdout, done.stderr


def commands():
    """compare, sweep and regress with several SMs: the cycles are those of run, and what is refused is said once."""
    cycles = {n: passes('reduction', sms=n)['counters']['sm']['cycles'] for n in (1, 2)}
    if cycles[1] == cycles[2]:
        fail(f'one and two SMs take {cycles[1]} cycles')
    for n in (1, 2):
        status, out, err = command('compare', launch('reduction'), '--arch', 'baseline,corf', '--sms', str(n), '--json', '-')
        found = json.loads(out)['launches'][0]['archs']['baseline']['counters']['cycles'] if not status else err
        if found != cycles[n]:
            fail(f'compare --sms {n}: {found}, expected {cycles[n]}')
        results = os.path.join(scratch.name, 'results')
        status, out, err = command('sweep', launch('reduction'), '--sms', str(n), '--set', 'oc.collectors=8,16', '--csv', '-', '--results', results)
        rows = [line.split(',') for line in out.splitlines()]
        at16 = [row for row in rows[1:] if row[2] == '16'] if not status else []
        if len(at16) != 1 or int(at16[0][rows[0].index('cycles')]) != cycles[n]:
            fail(f'sweep --sms {n}: {at16 or err}, expected {cycles[n]} cycles')
    suite, folder = os.path.join(scratch.name, 'suite.yaml'), os.path.join(scratch.name, 'regress')
    with open(suite, 'w') as f:
        f.write(f'name: sms\njobs:\n  - {{name: few, run: {launch("reduction")}, blocks: model, sms: [1, 2]}}\n'
                f'  - {{name: side, compare: {launch("reduction")}, arch: "baseline,corf", sms: 2}}\n')
    status, out, err = command('regress', suite, '--out', folder, '-j', '1', '--history', os.path.join(scratch.name, 'history.db'))
    ran = sorted(json.load(open(os.path.join(path, 'report.json')))['command'] for path in glob.glob(folder + '/cases/*'))
    if status or [c.count('--sms 2') for c in ran] != [1, 0, 1]:
        fail(f'regress: status {status}, {ran}: {out[-300:]}{err[-300:]}')
    for words in (['compare', 'vecadd', '--arch', 'baseline,hw-bdi', '--sms', '2'], ['sweep', 'vecadd', '--arch', 'hw-bdi', '--sms', '2'],
                  ['compare', 'vecadd', '--machine', 'kepler', '--sms', '3'], ['sweep', 'vecadd', '--machine', 'kepler', '--sms', '3'],
                  ['compare', 'vecadd', '--sms', '16'], ['sweep', 'vecadd', '--sms', 'x']):
        status, out, err = command(words[0], launch(words[1]), *words[2:])
        if status != 2 or err.count('\n') != 1 or '--sms' not in err or out:
            fail(f'{words}: status {status}: {err.strip()[:300]}')


def lockstep():
    """Blocks of all SMs or of one in lockstep; a seeded fault of the RTL leaves the same bundle for any number of threads."""
    whole = passes('reduction', '--blocks', 'lockstep', '--check', 'retire', sms=2)
    one = passes('reduction', '--blocks', 'lockstep', '--lockstep-sm', '1', '--check', 'retire', sms=2)
    model = passes('reduction', sms=2)
    if not whole['counters'] == one['counters'] == model['counters']:
        fail('counters depend on which SM runs RTL')
    compared = [sum(n for b in r['blocks'].values() for n in b['compared'].values()) for r in (whole, one)]
    if not 0 < compared[1] < compared[0]:
        fail(f'comparisons: {compared[0]} in all SMs, {compared[1]} in one')
    bundle = os.path.join(scratch.name, 'bundle')
    for lockstep_sm, says in (('all', 'SM 1: '), ('0', 'SM 0: ')):
        texts = []
        for n in (1, 2):
            shutil.rmtree(bundle, ignore_errors=True)
            status, _, err, _ = run('reduction', '--blocks', 'lockstep', '--testbug', 'banked_rf=1', '--lockstep-sm', lockstep_sm,
                                    '--snapshot-interval', '0', sms=2, threads=n)
            if status != 1 or says not in err or 'reproduced the same mismatch' not in err:
                fail(f'--lockstep-sm {lockstep_sm}, {n} threads: status {status}: {err.strip()[:600]}')
            with open(os.path.join(bundle, 'mismatch.fst'), 'rb') as f:
                wave = f.read()[WAVE_HEADER:]  # which has the date
            said = err[err.find('smcosim: mismatch'):]  # not that a variant was made for the first run
            texts.append((re.sub(r'--threads \d', '', said), wave))
        if texts[0] != texts[1]:
            fail(f'--lockstep-sm {lockstep_sm}: a mismatch depends on the number of threads')
        done = subprocess.run([smcosim, 'replay', bundle], capture_output=True, text=True, timeout=600)
        if 'the same mismatch' not in done.stdout + done.stderr:
            fail(f'--lockstep-sm {lockstep_sm}: replay: {done.stdout} {done.stderr}')
    wave, trace = os.path.join(scratch.name, 'w.fst'), os.path.join(scratch.name, 't.json')
    passes('reduction', '--lockstep-sm', '1', '--wave', wave + ':100-200', '--blocks', 'lockstep', sms=3, threads=2)
    passes('reduction', '--lockstep-sm', '1', '--trace', trace, sms=3, threads=2)
    if not os.path.getsize(wave) or not json.load(open(trace)):
        fail('nothing in the wave or the trace of SM 1')


{'checks': checks, 'lockstep': lockstep, 'numbers': numbers, 'threads': threads, 'faults': faults, 'refused': refused, 'commands': commands}[what]()
print(f'{what}: {"passed" if not failures else f"{len(failures)} failures"}')
sys.exit(1 if failures else 0)
