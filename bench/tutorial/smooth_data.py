#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes x.bin, the input of smooth, and y.bin, its expected output. Usage: smooth_data.py FOLDER"""
import array
import sys

N = 4000
x = [float(i * 37 % 256) for i in range(N)]
y = [0.25 * x[max(i - 1, 0)] + 0.5 * x[i] + 0.25 * x[min(i + 1, N - 1)] for i in range(N)]
for name, values in (("x", x), ("y", y)):
    with open(f"{sys.argv[1]}/{name}.bin", "wb") as file:
        array.array("f", values).tofile(file)
