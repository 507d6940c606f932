#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Numbers of the machine presets against the options of the simulator that each stands for.

The line `# Simulator: NAME` in the head of a preset names tests/machines/options/NAME.txt. Each key of RULES must
have the value that follows from these options, or stand in departures.txt with its value and a source. A departure
that is none is an error, so is a comment that names another version or not the option. `shown` prints the table.
Usage: presets.py SOURCE [shown]
"""
import re
import sys
from pathlib import Path

SOURCES = re.compile(r'(P-mode|CORF|RegMutex|CABA|scalar-unit paper|BOW|LARF|CUDA guide|NVIDIA|micro-benchmark|'
                     r'computed|assumed|GPGPU-Sim)')


class Options:
    def __init__(self, path):
        text = path.read_text()
        self.version = re.search(r'GPGPU-Sim ([0-9.]+[0-9])', text).group(1)
        self.commit = re.search(r'commit ([0-9a-f]{40})', text).group(1)
        self.file = re.search(r'file (\S+)', text).group(1)
        self.of = dict(line.split(' ', 1) for line in text.splitlines() if line and line[0] != '#')

    def __contains__(self, name):
        return name in self.of

    def __getitem__(self, name):
        return self.of[name]

    def number(self, name, default=0):
        return int(self.of.get(name, default))

    def list(self, name):
        return [int(v) for v in self.of[name].split(',')]

    def cache(self, name):
        """sets, line, ways, sectors, hashed, MSHRs, merges, queue, bytes per cycle of a cache."""
        part = self.of[name].split(',')
        shape = part[0].split(':')
        kind = shape.pop(0) if shape[0].isalpha() else 'N'
        sets, line, ways = map(int, shape)
        index = part[1].split(':')
        mshrs = part[2].split(':')
        return dict(sets=sets, line=line, ways=ways, sector=32 if kind == 'S' else 0,
                    hash='hash' if len(index) > 4 and index[4] == 'H' else 'mod', mshrs=int(mshrs[1]),
                    merges=int(mshrs[2]), queue=int(part[3].split(':')[0]),
                    port=int(part[4]) if len(part) > 4 else line)

    def timing(self, name):
        return int(dict(p.split('=') for p in self.of['gpgpu_dram_timing_opt'].split(':'))[name])

    def clock(self, index):
        return float(self.of['gpgpu_clock_domains'].split(':')[index])

    def sms(self):
        return self.number('gpgpu_n_clusters') * self.number('gpgpu_n_cores_per_cluster')

    def slices(self):
        return self.number('gpgpu_n_mem') * self.number('gpgpu_n_sub_partition_per_mchannel', 1)

    def collectors(self, unit):
        # Defaults of the code for a configuration without the option.
        if self.number('gpgpu_operand_collector_num_units_gen'):
            return 0
        return self.number('gpgpu_operand_collector_num_units_' + unit, {'sp': 4, 'sfu': 4, 'mem': 2}.get(unit, 0))

    def operation(self, option, kind, index):
        return self.list(f'ptx_opcode_{option}_{kind}')[index]

    def burst(self):
        return (self.number('gpgpu_n_mem_per_ctrlr') * self.number('gpgpu_dram_buswidth') *
                self.number('gpgpu_dram_burst_length'))


def cache(name, what):
    return name, lambda o: o.cache(name)[what]


def option(name):
    return name, lambda o: o.number(name)


def timing(name):
    return 'gpgpu_dram_timing_opt', lambda o: o.timing(name)


def operation(key, kind, index):
    return {f'exec.{key}.latency': (f'ptx_opcode_latency_{kind}', lambda o: o.operation('latency', kind, index)),
            f'exec.{key}.interval': (f'ptx_opcode_initiation_{kind}', lambda o: o.operation('initiation', kind, index))}


def code(key, value):
    """What has no option: the code's latency and interval."""
    return {f'exec.{key}.latency': ('code', lambda o: value), f'exec.{key}.interval': ('code', lambda o: value)}


def special(o, what):
    return o.number(f'ptx_opcode_{what}_sfu', 8)


RULES = {
    'gpu.sms': ('gpgpu_n_clusters', Options.sms),
    'sm.threads': ('gpgpu_shader_core_pipeline', lambda o: int(o['gpgpu_shader_core_pipeline'].split(':')[0])),
    'sm.warps': ('gpgpu_shader_core_pipeline', lambda o: int(o['gpgpu_shader_core_pipeline'].split(':')[0]) // 32),
    'sm.ctas': option('gpgpu_shader_cta'),
    'sm.schedulers': option('gpgpu_num_sched_per_core'),
    'sm.scheduler': ('gpgpu_scheduler', lambda o: o['gpgpu_scheduler']),
    'rf.banks': option('gpgpu_num_reg_banks'),
    'rf.entries': ('gpgpu_shader_registers',
                   lambda o: o.number('gpgpu_shader_registers') // 32 // o.number('gpgpu_num_reg_banks')),
    'rf.write_ports': ('gpgpu_pipeline_widths', lambda o: o.list('gpgpu_pipeline_widths')[-1] + 1),
    'oc.collectors': ('gpgpu_operand_collector_num_units',
                      lambda o: o.number('gpgpu_operand_collector_num_units_gen') or sum(
                          o.collectors(unit) for unit in ('sp', 'sfu', 'mem', 'dp'))),
    'oc.sp': ('gpgpu_operand_collector_num_units_sp', lambda o: o.collectors('sp')),
    'oc.sfu': ('gpgpu_operand_collector_num_units_sfu', lambda o: o.collectors('sfu')),
    'oc.mem': ('gpgpu_operand_collector_num_units_mem', lambda o: o.collectors('mem')),
    'oc.alloc_ports': ('gpgpu_pipeline_widths', lambda o: o.list('gpgpu_pipeline_widths')[0]),
    'oc.dispatch_ports': ('gpgpu_num_sp_units',
                          lambda o: o.number('gpgpu_num_sp_units') + o.number('gpgpu_num_sfu_units') + 1),
    **operation('int', 'int', 0), **operation('imul', 'int', 3), **operation('idiv', 'int', 4),
    **operation('fp32', 'fp', 0), **operation('fdiv', 'fp', 4),
    **operation('fp64', 'dp', 0), **operation('ddiv', 'dp', 4),
    **code('cmp', 1), **code('shift', 1), **code('cvt', 1),
    'exec.sfu.latency': ('ptx_opcode_latency_sfu', lambda o: special(o, 'latency')),
    'exec.sfu.interval': ('ptx_opcode_initiation_sfu', lambda o: special(o, 'initiation')),
    'shared.bytes': option('gpgpu_shmem_size'),
    'shared.banks': option('gpgpu_shmem_num_banks'),
    'const.bytes': ('gpgpu_const_cache:l1', lambda o: (lambda c: c['sets'] * c['line'] * c['ways'])(
        o.cache('gpgpu_const_cache:l1'))),
    'const.line': cache('gpgpu_const_cache:l1', 'line'),
    'const.ways': cache('gpgpu_const_cache:l1', 'ways'),
    'icache.bytes': ('gpgpu_cache:il1', lambda o: (lambda c: c['sets'] * c['line'] * c['ways'])(
        o.cache('gpgpu_cache:il1'))),
    'icache.line': cache('gpgpu_cache:il1', 'line'),
    'icache.ways': cache('gpgpu_cache:il1', 'ways'),
    'icache.mshrs': cache('gpgpu_cache:il1', 'mshrs'),
    'l1.sets': cache('gpgpu_cache:dl1', 'sets'),
    'l1.ways': cache('gpgpu_cache:dl1', 'ways'),
    'l1.line': cache('gpgpu_cache:dl1', 'line'),
    'l1.sector': cache('gpgpu_cache:dl1', 'sector'),
    'l1.hash': cache('gpgpu_cache:dl1', 'hash'),
    'l1.mshrs': cache('gpgpu_cache:dl1', 'mshrs'),
    'l1.merges': cache('gpgpu_cache:dl1', 'merges'),
    'l1.queue': cache('gpgpu_cache:dl1', 'queue'),
    'l1.loads': ('gpgpu_gmem_skip_L1D', lambda o: 'nc' if o.number('gpgpu_gmem_skip_L1D') else 'all'),
    # A load passes three stages in 3.x, and as many as its latency in 4.x. The way there and back
    # is longer here, so the value is smaller. Chains then take 32 and 40 cycles, as in 4.2
    # (tests/sm/chains.sh).
    'l1.latency': ('gpgpu_l1_latency', lambda o: 4 if o.version < '4' else o.number('gpgpu_l1_latency') - 5),
    'shared.latency': ('gpgpu_smem_latency', lambda o: 2 if o.version < '4' else
                       o.number('gpgpu_smem_latency', o.number('smem_latency')) - 2),
    'l2.bytes': ('gpgpu_cache:dl2', lambda o: o.slices() * (lambda c: c['sets'] * c['line'] * c['ways'])(
        o.cache('gpgpu_cache:dl2'))),
    'l2.ways': cache('gpgpu_cache:dl2', 'ways'),
    'l2.banks': ('gpgpu_n_mem', Options.slices),
    'dram.channels': option('gpgpu_n_mem'),
    'dram.queue': option('gpgpu_frfcfs_dram_sched_queue_size'),
    'dram.banks': timing('nbk'),
    'dram.row': ('gpgpu_mem_addr_mapping', lambda o: 1 << sum(o['gpgpu_mem_addr_mapping'].count(c) for c in 'CS')),
    'dram.access': ('gpgpu_dram_burst_length', Options.burst),
    'dram.groups': timing('nbkgrp'),
    'dram.bytes_per_kcycle': ('gpgpu_clock_domains', lambda o: round(
        o.number('gpgpu_n_mem') * o.number('gpgpu_n_mem_per_ctrlr') * o.number('gpgpu_dram_buswidth') *
        o.number('dram_data_command_freq_ratio') * o.clock(3) * 1000 / o.clock(0))),
    'dram.clock_permille': ('gpgpu_clock_domains', lambda o: round(o.clock(3) * 1000 / o.clock(0))),
    'dram.tcl': timing('CL'), 'dram.trp': timing('RP'), 'dram.trc': timing('RC'), 'dram.tras': timing('RAS'),
    'dram.trcd': timing('RCD'), 'dram.trrd': timing('RRD'), 'dram.tccd': timing('CCD'), 'dram.tccdl': timing('CCDL'),
    'dram.twr': timing('WR'), 'dram.twl': timing('WL'), 'dram.tcdlr': timing('CDLR'), 'dram.trtpl': timing('RTPL'),
}


# Values that follow from other numbers of the preset, too: one SM's share.
SHARES = {
    'l2.mshrs': ('gpgpu_cache:dl2', lambda o, of: round(
        int(of['l2.banks'][0]) * o.cache('gpgpu_cache:dl2')['mshrs'] / int(of['gpu.sms'][0]))),
}


def preset(folder, name):
    """key -> (value, comment, preset that sets it), and the preset's options."""
    text = (folder / f'{name}.yaml').read_text()
    like = re.search(r'^like: (\S+)', text, re.M)
    of = dict(preset(folder, like.group(1))[0]) if like else {}
    for key, value, comment in re.findall(r'^([a-z0-9_]+\.[a-z0-9_.]+): (\S+) *(?:# ?(.*))?$', text, re.M):
        of[key] = (value, comment, name)
    simulator = re.search(r'^# Simulator: (\S+)$', text, re.M)
    return of, simulator and simulator.group(1), text


def departures(path):
    of = {}
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if line.startswith('#') or not line.strip():
            continue
        part = [p.strip() for p in line.split('|')]
        if len(part) != 4 or not SOURCES.match(part[3]):
            sys.exit(f'{path}:{number}: expected machine | key | value | source')
        of[part[0], part[1]] = (part[2], number)
    return of


def check(root, shown):
    folder, here = root / 'csrc/config/machines', Path(__file__).parent
    known = departures(here / 'departures.txt')
    bad, same, left = [], 0, set(known)
    for path in sorted(folder.glob('*.yaml')):
        name = path.stem
        if name in ('all-systems', 'cover', 'tiny'):
            continue
        values, simulator, text = preset(folder, name)
        if not simulator:
            bad.append(f'{path}: no line `# Simulator: NAME`')
            continue
        options = Options(here / 'options' / f'{simulator}.txt')
        for word in (options.commit[:8], options.file, options.version):
            if word not in text:
                bad.append(f'{path}: its head does not name {word} of {simulator}')
        rules = [(key, source, rule(options)) for key, (source, rule) in RULES.items()]
        rules += [(key, source, rule(options, values)) for key, (source, rule) in SHARES.items()]
        for key, source, number in rules:
            value, comment, setter = values[key]
            wanted = str(number)
            departure = known.get((name, key))
            left.discard((name, key))
            if shown:
                print(f'{name:16} {key:22} {value:>10} {wanted:>10}  {source}')
            if departure:
                if departure[0] != value:
                    bad.append(f'{name}: {key} is {value}, departures.txt:{departure[1]} has {departure[0]}')
                elif value == wanted:
                    bad.append(f'{name}: {key} is {options.version}\'s {value}, no departure (departures.txt:{departure[1]})')
                else:
                    same += 1
                continue
            if value != wanted:
                bad.append(f'{name}: {key} is {value}; {simulator} has {wanted} ({source})')
                continue
            same += 1
            if setter == name and f'GPGPU-Sim {options.version}: {source}' not in comment:
                bad.append(f'{name}: the comment of {key} does not say `GPGPU-Sim {options.version}: {source}`')
        for key, (value, comment, setter) in sorted(values.items()):
            if setter == name and re.match(r'GPGPU-Sim', comment) and f'GPGPU-Sim {options.version}' not in comment:
                bad.append(f'{name}: {key} is of another version than {options.version}: {comment}')
    bad += [f'departures.txt:{known[pair][1]}: no preset {pair[0]} with a rule for {pair[1]}' for pair in sorted(left)]
    return bad, same


def main():
    bad, same = check(Path(sys.argv[1]), sys.argv[2:] == ['shown'])
    print('\n'.join(bad))
    print(f'presets.py: {same} passed, {len(bad)} failed')
    sys.exit(1 if bad or not same else 0)


main()
