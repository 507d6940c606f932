# SPDX-License-Identifier: Apache-2.0
# Drives a Verilated block with the stimuli of its golden model, checked by the exported coroutine as cocotb would run it.
# Usage: drive.py BUILD BLOCK FAULT
import ctypes
import importlib
import sys

CYCLES = 3000


class Signal:
    def __init__(self, dut, name, count, width):
        self.dut, self.name, self.count, self.width = dut, name, count, width

    @property
    def value(self):
        total, words = 0, (ctypes.c_uint32 * 32)()
        for e in range(self.count):
            self.dut.lib.dut_get(self.dut.handle, self.name, e, words)
            total |= (int.from_bytes(bytes(words), "little") & ((1 << self.width) - 1)) << self.width * e
        return total


class Level:
    def __init__(self, value):
        self.value = value


class Dut:
    """The Verilated module with the names that cocotb gives to its ports."""

    def __init__(self, build, binding, fault):
        self.lib = ctypes.CDLL(build + "/tests/export/libdut.so")
        self.lib.dut_open.restype = ctypes.c_void_p
        self.handle = ctypes.c_void_p(self.lib.dut_open((build + "/data").encode(), binding.BLOCK.encode(), fault))
        if not self.handle:
            sys.exit(2)
        self.rst_ni = Level(0)
        self.inputs = [p for p in binding.PORTS if p[1] == "in"]
        for name, direction, count, width, *_ in binding.PORTS:
            setattr(self, name + ("_i" if direction == "in" else "_o"),
                    Level(0) if direction == "in" else Signal(self, name.encode(), count, width))

    def drive(self, inputs):
        for name, _, count, width, *_ in self.inputs:
            getattr(self, name + "_i").value = inputs[name]
            for e in range(count):
                words = (ctypes.c_uint32 * 32)()
                value = inputs[name] >> width * e & ((1 << width) - 1)
                ctypes.memmove(words, value.to_bytes(128, "little"), 128)
                self.lib.dut_set(self.handle, name.encode(), e, words)
        self.lib.dut_eval(self.handle)

    def edge(self):
        self.lib.dut_tick(self.handle) if self.rst_ni.value else self.lib.dut_reset(self.handle)


class Edge:
    def __await__(self):
        yield self


def misuse(binding):
    """The binding refuses what the block does not have."""
    with binding.Golden() as golden:
        for inputs, error in (({"nothing": 0}, KeyError), ({binding.PORTS[0][0]: 1 << 40}, ValueError)):
            try:
                golden.eval(inputs)
            except error:
                continue
            raise SystemExit(f"accepted: {inputs}")
    kept = dict(binding.PARAMETERS)
    for name, value in (("Nothing", 1), (next(iter(kept)), 1000000)):
        binding.PARAMETERS.clear()
        binding.PARAMETERS.update({**kept, name: value})
        try:
            binding.Golden()
            raise SystemExit(f"accepted: {name}={value}")
        except ValueError as error:
            assert name in str(error), error
    binding.PARAMETERS.clear()
    binding.PARAMETERS.update(kept)


def main(build, block, fault):
    binding = importlib.import_module(block + "_golden")
    misuse(binding)
    dut, checker = Dut(build, binding, int(fault)), binding.Checker()
    watching = binding.check(dut, checker, Edge())
    watching.send(None)
    with binding.Golden() as stimuli:
        stimuli.seed(7)
        for cycle in range(CYCLES):
            dut.rst_ni.value = int(cycle > 1 and cycle % 1000 != 0)
            inputs = stimuli.draw()
            dut.drive(inputs)
            watching.send(None)
            dut.edge()
            stimuli.tick(inputs) if dut.rst_ni.value else stimuli.reset()
        hit, declared = stimuli.bins()
    assert 0 < hit <= declared, (hit, declared)
    try:
        checker.finish()
    except binding.Difference as difference:
        print(difference)
        return 1
    print(f"{block}: pass, {checker.cycles} cycles, {checker.worked} with work, {hit} of {declared} bins")
    return 0


sys.exit(main(*sys.argv[1:]))
