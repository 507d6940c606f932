#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares two waves as VCD: same signals, same values at the same times. Usage: same_wave.py A.vcd B.vcd"""
import sys


def read(path):
    names, scopes, values, time = {}, [], {}, 0
    for line in open(path, errors='replace'):
        words = line.split()
        if line.startswith('$scope'):
            scopes.append(words[2])
        elif line.startswith('$upscope'):
            scopes.pop()
        elif line.startswith('$var'):
            names['.'.join(scopes + [words[4]])] = words[3]
        elif line[0] == '#':
            time = int(line[1:])
        elif line[0] in 'bB':
            values.setdefault(words[1], []).append((time, words[0][1:].lstrip('0') or '0'))
        elif line[0] in '01xz':
            values.setdefault(line[1:].strip(), []).append((time, line[0]))
    changes = {}
    for name, code in names.items():
        kept = []
        for at, value in values.get(code, []):
            if not kept or kept[-1][1] != value:
                kept.append((at, value))
        changes[name] = kept
    return changes


a, b = read(sys.argv[1]), read(sys.argv[2])
# Variables of unnamed loops are no signals: they keep their value while nothing evaluates the loop.
differ = sorted(n for n in set(a) | set(b) if a.get(n) != b.get(n) and '.unnamedblk' not in n)
for name in differ[:10]:
    print(f'{name}: {a.get(name, "none")[:4]} or {b.get(name, "none")[:4]}')
print(f'{len(a)} signals compared')
sys.exit(bool(differ) or len(a) < 100)
