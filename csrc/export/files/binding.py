# Everything below is the same for every block. A value of a port is an integer, element 0 in the lowest bits, as the
# Verilog port has it; `element` and `elements` take it apart.
import ctypes
import os


def _library():
    """$SMCOSIM_GOLDEN, else libsmcosim_golden.so where the loader finds it."""
    lib = ctypes.CDLL(os.environ.get("SMCOSIM_GOLDEN", "libsmcosim_golden.so"))
    words, handle = ctypes.c_char_p, ctypes.c_void_p
    for name, result, arguments in (
        ("abi", ctypes.c_int, []), ("open", handle, [words, words]), ("error", words, [handle]), ("close", None, [handle]),
        ("bits", ctypes.c_int, [handle, ctypes.c_int]), ("reset", None, [handle]), ("tick", None, [handle, words]),
        ("eval", None, [handle, words, handle]), ("seed", None, [handle, ctypes.c_uint64]), ("draw", None, [handle, handle]),
        ("fill", ctypes.c_int, [handle, ctypes.c_uint32, handle]), ("bins", ctypes.c_int, [handle]),
        ("bins_hit", ctypes.c_int, [handle]),
    ):
        function = getattr(lib, "smcosim_golden_" + name)
        function.restype, function.argtypes = result, arguments
    if lib.smcosim_golden_abi() != 1:
        raise OSError("libsmcosim_golden has another interface; export the block again")
    return lib


def _mask(bits):
    return (1 << bits) - 1


def _size(direction):
    return sum(count * width for _, way, count, width, *_ in PORTS if way == direction)


def elements(name, value):
    """The elements of a port's value, element 0 first."""
    _, _, count, width, *_ = next(p for p in PORTS if p[0] == name)
    return [value >> width * e & _mask(width) for e in range(count)]


def join(name, values):
    """A port's value from its elements."""
    _, _, count, width, *_ = next(p for p in PORTS if p[0] == name)
    if len(values) != count or any(v != v & _mask(width) for v in values):
        raise ValueError(f"{name}: {count} elements of {width} bits")
    return sum(v << width * e for e, v in enumerate(values))


class Golden:
    """The golden model. Inputs and outputs are dictionaries by port; an input that is missing is 0."""

    def __init__(self):
        self._lib = _library()
        shape = " ".join(f"{name}={value}" for name, value in PARAMETERS.items())
        self._handle = self._lib.smcosim_golden_open(BLOCK.encode(), shape.encode())
        error = self._lib.smcosim_golden_error(self._handle).decode()
        if not error and [self._lib.smcosim_golden_bits(self._handle, d) for d in (0, 1)] != [_size("in"), _size("out")]:
            error = f"{BLOCK}: the library has another port table; export the block again"
        if error:
            self.close()
            raise ValueError(error)

    def close(self):
        if self._handle:
            self._lib.smcosim_golden_close(self._handle)
        self._handle = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    @staticmethod
    def _pack(inputs):
        unknown = set(inputs) - {p[0] for p in PORTS if p[1] == "in"}
        if unknown:
            raise KeyError(f"{BLOCK} has no input {', '.join(sorted(unknown))}")
        vector, at = 0, 0
        for name, direction, count, width, *_ in PORTS:
            if direction == "in":
                value = int(inputs.get(name, 0))
                if value != value & _mask(count * width):
                    raise ValueError(f"{name}: {value:#x} has more than {count * width} bits")
                vector |= value << at
                at += count * width
        return vector.to_bytes((at + 31) // 32 * 4, "little")

    @staticmethod
    def _unpack(data, direction):
        vector, values = int.from_bytes(data, "little"), {}
        for name, way, count, width, *_ in PORTS:
            if way == direction:
                values[name] = vector & _mask(count * width)
                vector >>= count * width
        return values

    def _receive(self, direction, call):
        buffer = ctypes.create_string_buffer((_size(direction) + 31) // 32 * 4)
        result = call(ctypes.cast(buffer, ctypes.c_void_p))
        return result, self._unpack(buffer.raw, direction)

    def reset(self):
        """A clock edge with rst_ni low."""
        self._lib.smcosim_golden_reset(self._handle)

    def eval(self, inputs):
        """Outputs from inputs and state."""
        data = self._pack(inputs)
        return self._receive("out", lambda out: self._lib.smcosim_golden_eval(self._handle, data, out))[1]

    def tick(self, inputs):
        """A clock edge with these inputs."""
        self._lib.smcosim_golden_tick(self._handle, self._pack(inputs))

    def seed(self, seed):
        self._lib.smcosim_golden_seed(self._handle, seed)

    def draw(self):
        """Constrained-random inputs of the next cycle, legal in the present state; tick this object with them."""
        return self._receive("in", lambda out: self._lib.smcosim_golden_draw(self._handle, out))[1]

    def fill(self, cycle):
        """Inputs of cycle 0, 1, .. that write undefined memory entries; None: there are no more. Reset afterwards."""
        more, inputs = self._receive("in", lambda out: self._lib.smcosim_golden_fill(self._handle, cycle, out))
        return inputs if more else None

    def bins(self):
        """Functional bins of the stimuli: hit, declared."""
        return self._lib.smcosim_golden_bins_hit(self._handle), self._lib.smcosim_golden_bins(self._handle)


class Difference(AssertionError):
    pass


class Checker:
    """Compares a module's outputs with the golden model's, cycle by cycle, by the classes of the port table."""

    def __init__(self, limit=10):
        self.golden = Golden()
        self.limit = limit  # differences kept
        self.differences, self.cycles, self.compared, self.worked, self._reset = [], 0, 0, 0, False

    def edge(self, reset, inputs, outputs):
        """A clock edge: what stood at the ports before it. outputs: port -> integer, None where it is no number (X)."""
        if reset:
            self.golden.reset()
            self._reset = True
        elif self._reset:
            self._compare(self.golden.eval(inputs), outputs)
            self.golden.tick(inputs)
        self.cycles += 1

    def _compare(self, want, found):
        work = False
        for name, direction, count, width, kind, valid, meaning in PORTS:
            if direction != "out":
                continue
            work |= kind == "work" and want[name] != 0
            for e in range(count):
                if valid and not want[valid] >> e & 1:
                    continue
                self.compared += valid is not None
                expected = want[name] >> width * e & _mask(width)
                actual = None if found[name] is None else found[name] >> width * e & _mask(width)
                if expected != actual and len(self.differences) < self.limit:
                    shown = "X" if actual is None else f"{actual:#x}"
                    self.differences.append(
                        f"{BLOCK}: cycle {self.cycles}: {name}_o[{e}]: expected {expected:#x}, found {shown} ({meaning})")
        self.worked += work

    def finish(self):
        """Raises Difference when something differed or the block was given no work."""
        self.golden.close()
        if self.differences:
            raise Difference("\n".join(self.differences))
        if not self.worked:
            raise Difference(f"{BLOCK}: vacuous: the block was given no work")


def _read(dut, name):
    try:
        return int(getattr(dut, name).value)
    except ValueError:  # X or Z
        return None


async def check(dut, checker, rising_edge):
    """Coroutine for cocotb: cocotb.start_soon(check(dut, checker, RisingEdge(dut.clk_i))). dut is the block's module."""
    while True:
        await rising_edge
        inputs = {p[0]: _read(dut, p[0] + "_i") or 0 for p in PORTS if p[1] == "in"}
        outputs = {p[0]: _read(dut, p[0] + "_o") for p in PORTS if p[1] == "out"}
        checker.edge(_read(dut, "rst_ni") != 1, inputs, outputs)
