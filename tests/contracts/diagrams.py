#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Replays the timing diagrams of the contracts on the golden models.

A contract (models/<family>/<block>.h) shows what happens when in one or more diagrams:

    // Diagram  What it shows, in one line or more (NumPorts=2 Depth=4)
    //   cycle            0   1   2
    //   in_valid         1   .   .
    //   in_data[0]      a5   .   .
    //   out_valid        .   1   .
    //   out_data[0]      -  a5   -

The parameters of the shape stand at the end of the title; what is missing has its default. A row is a port or one element
of it ([i]); a column is what stands there in a cycle after reset: a hexadecimal number, `.` for 0, `-` for an output that
is not looked at. 12@1+34 is 12 in byte slice 1 (bits 256 to 511 of a row) and 34 in slice 0. Inputs without a row are
0. The memories that a block leaves
undefined are 0 in its golden model.

Usage: diagrams.py SMCOSIM CONTRACT...          every diagram holds, and none would if one of its outputs were another
       diagrams.py SMCOSIM --write CONTRACT...  writes what the golden model answers into the rows of outputs
Exit: 0 all hold, 1 one does not, 2 a diagram cannot be read.
"""
import importlib.util
import os
import re
import subprocess
import sys
import tempfile


class Unreadable(Exception):
    pass


CELL = r"(?:[0-9a-f]+(?:@[0-3])?(?:\+[0-9a-f]+(?:@[0-3])?)*|[.-])"


def number(cell):
    """The value of a cell that is not -."""
    if cell == ".":
        return 0
    terms = (term.split("@") for term in cell.split("+"))
    return sum(int(term[0], 16) << 256 * int(term[1] if term[1:] else 0) for term in terms)


def cell_of(value):
    """The cell that stands for a value."""
    if value < 1 << 64:
        return f"{value:x}" if value else "."
    slices = [(value >> 256 * s & (1 << 256) - 1, s) for s in (3, 2, 1, 0)]
    return "+".join(f"{v:x}@{s}" if s else f"{v:x}" for v, s in slices if v)


class Row:
    def __init__(self, line, name, element, cells):
        self.line, self.name, self.element, self.cells = line, name, element, cells


class Diagram:
    """One diagram: where it stands, its shape, its rows."""

    def __init__(self, path, line, title):
        self.path, self.line, self.title, self.rows, self.cycles = path, line, title, [], 0

    def shape(self):
        """NAME=VALUE .. of the parentheses at the end of the title."""
        found = re.search(r"\(([A-Za-z0-9]+=[0-9]+(?: [A-Za-z0-9]+=[0-9]+)*)\)$", self.title)
        if not found:
            raise Unreadable(f"{self.path}:{self.line}: the title does not end in the parameters of the shape: (NAME=VALUE ..)")
        return found[1]


def read(path):
    """The diagrams of a contract."""
    diagrams, now = [], None
    with open(path, encoding="utf-8") as file:
        for line, text in enumerate(file, 1):
            text = text.rstrip("\n")
            row = re.fullmatch(r"//   ([a-z][a-z0-9_]*)(?:\[(\d+)\])?((?: +" + CELL + r")+)", text)
            if text.startswith("// Diagram "):
                now = Diagram(path, line, text[len("// Diagram "):].strip())
                diagrams.append(now)
            elif not now:
                continue
            elif not text.startswith("//   "):
                now = None
            elif row and row[1] == "cycle" and not now.cycles:
                now.cycles = len(row[3].split())
            elif not now.cycles:
                now.title += " " + text[2:].strip()
            elif not row:
                raise Unreadable(f"{path}:{line}: not a row of a diagram (a port, then hexadecimal numbers, . or -): {text[2:].strip()}")
            elif len(row[3].split()) != now.cycles:
                raise Unreadable(f"{path}:{line}: {len(row[3].split())} columns, expected {now.cycles}, one for each cycle")
            else:
                now.rows.append(Row(line, row[1], None if row[2] is None else int(row[2]), row[3].split()))
    for d in diagrams:
        if not d.rows:
            raise Unreadable(f"{d.path}:{d.line}: a diagram without rows")
    return diagrams


def binding(smcosim, block, shape, folder):
    """The Python module of a block's golden model at a shape."""
    command = [smcosim, "export", block, "--cocotb", "--out", folder]
    for pair in shape.split():
        command += ["--param", pair]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise Unreadable((done.stderr or done.stdout).strip())
    spec = importlib.util.spec_from_file_location(block, os.path.join(folder, block + "_golden.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def replay(diagram, module):
    """The outputs that the golden model has in each cycle of a diagram, and what the rows show of them: {(row, cycle): value}."""
    ports = {p[0]: p for p in module.PORTS}
    answers = {}
    for row in diagram.rows:
        where = f"{diagram.path}:{row.line}"
        if row.name not in ports:
            raise Unreadable(f"{where}: {module.BLOCK} has no port {row.name}")
        count, width = ports[row.name][2:4]
        if row.element is not None and row.element >= count:
            raise Unreadable(f"{where}: {row.name} has elements 0 to {count - 1}, not {row.element}")
        for cell in row.cells:
            if cell != "-" and number(cell) >> (width if row.element is not None else count * width):
                raise Unreadable(f"{where}: {row.name}: {cell} has more bits than the port")
            if cell == "-" and ports[row.name][1] == "in":
                raise Unreadable(f"{where}: an input has a value in every cycle, not -")
    with module.Golden() as golden:
        golden.reset()
        for cycle in range(diagram.cycles):
            inputs = {}
            for row in diagram.rows:
                if ports[row.name][1] == "in":
                    shift = 0 if row.element is None else row.element * ports[row.name][3]
                    inputs[row.name] = inputs.get(row.name, 0) | number(row.cells[cycle]) << shift
            outputs = golden.eval(inputs)
            for index, row in enumerate(diagram.rows):
                if ports[row.name][1] == "out":
                    value = outputs[row.name]
                    if row.element is not None:
                        value = module.elements(row.name, value)[row.element]
                    answers[index, cycle] = value
            golden.tick(inputs)
    return answers


def differences(diagram, answers):
    """What a diagram says and the golden model does not, as text."""
    for (index, cycle), value in sorted(answers.items()):
        row = diagram.rows[index]
        cell = row.cells[cycle]
        if cell != "-" and value != number(cell):
            element = "" if row.element is None else f"[{row.element}]"
            yield f"{diagram.path}:{row.line}: {row.name}{element}, cycle {cycle}: the diagram shows {cell}, the golden model has {cell_of(value)}"


def insensitive(diagram, answers):
    """Cells that could be another without a difference: there must be none."""
    for (index, cycle), value in answers.items():
        row = diagram.rows[index]
        kept = row.cells[cycle]
        if kept == "-":
            continue
        row.cells[cycle] = cell_of(value ^ 1)
        if not any(True for _ in differences(diagram, answers)):
            yield f"{diagram.path}:{row.line}: cycle {cycle} could be another value unnoticed"
        row.cells[cycle] = kept


def write(diagram, answers):
    """The file's rows anew, columns as wide as their widest cell."""
    for (index, cycle), value in answers.items():
        if diagram.rows[index].cells[cycle] != "-":
            diagram.rows[index].cells[cycle] = cell_of(value)
    names = [row.name + ("" if row.element is None else f"[{row.element}]") for row in diagram.rows]
    left = max(len(name) for name in names + ["cycle"])
    widths = [max(len(row.cells[c]) for row in diagram.rows + [Row(0, "", None, [str(i) for i in range(diagram.cycles)])])
              for c in range(diagram.cycles)]
    with open(diagram.path, encoding="utf-8") as file:
        lines = file.readlines()

    def text(name, cells):
        return f"//   {name:<{left}}  " + " ".join(f"{cell:>{max(w, 3)}}" for cell, w in zip(cells, widths)) + "\n"

    for name, row in zip(names, diagram.rows):
        lines[row.line - 1] = text(name, row.cells)
    for at in range(diagram.line, diagram.rows[0].line):
        if re.match(r"//   cycle ", lines[at]):
            lines[at] = text("cycle", [str(c) for c in range(diagram.cycles)])
    with open(diagram.path, "w", encoding="utf-8") as file:
        file.writelines(lines)


def main():
    smcosim, arguments = sys.argv[1], sys.argv[2:]
    writing = arguments[:1] == ["--write"]
    os.environ.setdefault("SMCOSIM_GOLDEN", os.path.join(os.path.dirname(os.path.abspath(smcosim)), "libsmcosim_golden.so"))
    sys.dont_write_bytecode = True
    shown, cells, wrong = 0, 0, 0
    for path in arguments[writing:]:
        block = os.path.basename(path)[:-2]
        diagrams = read(path)
        if not diagrams:
            print(f"{path}: no diagram")
            wrong += 1
        for diagram in diagrams:
            with tempfile.TemporaryDirectory() as folder:
                try:
                    answers = replay(diagram, binding(smcosim, block, diagram.shape(), folder))
                except Unreadable as error:
                    text = str(error)
                    raise Unreadable(text if text.startswith(path) else f"{path}:{diagram.line}: {text}") from None
            if writing:
                write(diagram, answers)
                continue
            looked_at = sum(diagram.rows[index].cells[cycle] != "-" for index, cycle in answers)
            if not any(answers[index, cycle] and diagram.rows[index].cells[cycle] != "-" for index, cycle in answers):
                print(f"{path}:{diagram.line}: no output is ever anything but 0: the diagram shows nothing")
                wrong += 1
            for text in [*differences(diagram, answers), *insensitive(diagram, answers)]:
                print(text)
                wrong += 1
            shown, cells = shown + 1, cells + looked_at
    if not writing:
        print(f"diagrams: {shown} diagrams, {cells} values of outputs, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Unreadable as error:
        print(error, file=sys.stderr)
        sys.exit(2)
