# SPDX-License-Identifier: Apache-2.0
"""What the writers of chapters share: options, results of commands of smcosim (csrc/cli/cmd_repro.c has
the protocol), numbers, tables, drawings and the document. Errors end the program with smcosim's
exit statuses."""
import json
import math
import os
import subprocess
import sys

NAME = os.path.basename(sys.argv[0])


def fail(status, message):
    print(f"smcosim repro {NAME}: {message}", file=sys.stderr)
    sys.exit(status)


def options(usage, defaults):
    """Values of --NAME VALUE; --plan is a flag. Exit status 2 for others."""
    o = dict(defaults, plan=False, results=None, data=None, output=None, findings=None,
             figures=None, program=None, spread=None)
    words = sys.argv[1:]
    while words:
        word = words.pop(0)
        if word in ("--help", "-h"):
            print(usage.strip())
            sys.exit(0)
        if word == "--plan":
            o["plan"] = True
        elif not word.startswith("--") or word[2:] not in o or not words:
            fail(2, f"{word}: unknown option, or its value is missing\n\n{usage.strip()}")
        else:
            o[word[2:]] = words.pop(0)
    for needed in ("data", "output", "findings"):
        if not o[needed]:
            fail(2, f"expected --data, --output and --findings\n\n{usage.strip()}")
    o["spread"] = number_of_runs(o["spread"])
    for size in (name for name in o if name.endswith("size")):
        if o[size] not in ("small", "paper"):
            fail(2, f"--{size}: found '{o[size]}', expected small or paper")
    return o


def number_of_runs(spread):
    """Of --spread; without it one."""
    if spread is None:
        return 1
    if not spread.isdigit() or not 2 <= int(spread) <= 100:
        fail(2, f"--spread: found '{spread}', expected 2 to 100")
    return int(spread)


def given(path):
    """The text of a file that an option names."""
    try:
        with open(path, encoding="utf-8") as f:
            return f.read()
    except OSError as e:
        fail(2, f"{path}: {e.strerror}")


def run(main):
    try:
        main()
    except OSError as e:
        fail(7, f"{e.filename}: {e.strerror}")
    except KeyError as e:
        fail(1, f"a report of smcosim lacks {e}")


# ---- results ----

class Cell:
    """One launch file in one run, by counters. `kernel`: of several, the one of most cycles."""

    def __init__(self, launch):
        self.launch, self.counters, self.kernels = launch, launch["all"], launch["kernels"]
        self.cycles, self.energy, self.config = launch["cycles"], launch["energy"], launch["config"]
        self.stall = launch["counters"]["stall"]
        self.kernel = max(self.kernels, key=lambda k: k["cycles"], default=None)

    def __getitem__(self, name):
        return self.counters[name]


class Results:
    def __init__(self, o):
        self.plan, self.asked, self.files, self.cells = o["plan"], set(), {}, {}
        for line in given(o["results"]).splitlines() if o["results"] else ():
            path, command = line.split("\t", 1)
            self.files[command] = path

    def of(self, words):
        """What the command printed: JSON, or text. None: missing, and the plan asks for it."""
        command = "\t".join(words)
        if command in self.files:
            with open(self.files[command], encoding="utf-8") as f:
                return json.load(f)["output"]
        if not self.plan:
            fail(2, "no result of: smcosim " + " ".join(words))
        if command not in self.asked:
            print(command)
        self.asked.add(command)
        return None

    def launch(self, path, arch, machine, *more, verdicts=("pass",)):
        """The only launch of a run on golden models, of a verdict that is expected; its counters by
        name in "all"."""
        report = self.of(["run", path, "--arch", arch, "--machine", machine, "--blocks", "model",
                          "--json", "-", *more])
        if report is None:
            return None
        try:
            launch = report["launches"][0]
        except (TypeError, KeyError, IndexError):
            fail(1, f"{arch} {' '.join(more)}: expected a report of smcosim run")
        if launch["verdict"] not in verdicts:
            fail(2, f"{launch['name']} on {arch}: {launch['verdict']}: {launch['message']}")
        launch["all"] = {name: value for group in launch["counters"].values()
                         if isinstance(group, dict) for name, value in group.items()}
        launch["config"] = report["config"]
        return launch

    def cell(self, *words, **verdicts):
        """The same as a Cell, read once."""
        if words not in self.cells:
            launch = self.launch(*words, **verdicts)
            self.cells[words] = launch and Cell(launch)
        return self.cells[words]

    def need(self):
        """Ends the program where a result is missing: what is asked for next depends on it."""
        if self.asked:
            sys.exit(0)

    def end_plan(self):
        """Ends the program after a plan."""
        if self.plan:
            sys.exit(0)


def launch_file(o, kernel, size):
    path = f"{o['data']}/{kernel}/{size}/launch.yaml"
    if not os.access(path, os.R_OK):
        fail(2, f"{path}: not there (target bench-data-{size} makes the data)")
    return path


def sets(keys):
    return [word for key in keys.split() for word in ("--set", key)]


# ---- numbers and tables ----

def add(values):
    """Their sum from left to right: sum() rounds in another way from Python 3.12 on."""
    total = 0.0
    for v in values:
        total += v
    return total


def mean(values):
    """Arithmetic, of those that are numbers. NaN: there are none."""
    there = [v for v in values if not math.isnan(v)]
    return add(there) / len(there) if there else math.nan


def show(v, digits=1, sign=""):
    return "-" if v is None or math.isnan(v) else f"{v:{sign}.{digits}f}"


def geometric(values):
    return math.exp(add(math.log(v) for v in values) / len(values)) if values else math.nan


def within(t, freedom):
    """The probability that |T| of Student's t is at most t, as a finite sum (Abramowitz and Stegun, 26.7.3, 26.7.4)."""
    angle = math.atan2(t, math.sqrt(freedom))
    c, s, odd = math.cos(angle), math.sin(angle), freedom % 2
    total, term = 0.0, c if odd else 1.0
    for k in range(3 if odd else 2, freedom + 1, 2):
        total += term
        term *= c * c * (k - 1) / k
    return 2 / math.pi * (angle + s * total) if odd else s * total


def quantile(freedom):
    """97.5 % of Student's t, as csrc/report/interval.c has it."""
    low, high = 0.0, 16.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if within(middle, freedom) < 0.95 else (low, middle)
    return high


# Kinds of means: the value that is averaged, and its inverse. `gain`: harmonic over 1 + per cent.
MEANS = {"arithmetic": (lambda v: v, lambda v: v), "geometric": (math.log, math.exp),
         "gain": (lambda v: 1 / (1 + v / 100), lambda v: 100 * (1 / v - 1))}


def interval(values, kind="arithmetic"):
    """Mean of the numbers among the values, and the ends of its 95 % interval; NaN: fewer than two."""
    there, back = MEANS[kind]
    v = [there(x) for x in values if not math.isnan(x)]
    if not v:
        return math.nan, math.nan, math.nan
    m = add(v) / len(v)
    if len(v) < 2:
        return back(m), math.nan, math.nan
    half = quantile(len(v) - 1) * math.sqrt(add((x - m) ** 2 for x in v) / (len(v) - 1) / len(v))
    return back(m), *sorted((back(m - half), back(m + half)))


def row(cells):
    """None: an empty cell, one blank wide."""
    return "".join("| " if c is None else f"| {c} " for c in cells) + "|"


def rule(text, numbers):
    return "|" + "---|" * text + "--:|" * numbers


def table(head, rows, text=1):
    """Lines of a table, and an empty one. text: columns on the left that hold words."""
    return [row(head), rule(text, len(head) - text)] + [row(r) for r in rows] + [""]


# ---- headlines with their intervals ----

MARK = 3  # per cent by which a baseline may move


class Headlines:
    """Numbers that a chapter is known by: means over kernels, with their intervals. --spread adds intervals over runs. A
    kernel has the words of Results.cell for the architecture and for its baseline."""

    def __init__(self, o, known):
        self.o, self.known, self.all = o, known, []

    def cells(self, words):
        """Of each run; the first is the machine itself."""
        return [self.known.cell(*words, *(sets(f"perturb.run={k}") if k else ())) for k in range(self.o["spread"])]

    def add(self, figure, what, arch, kernels, measure, kind="arithmetic", digits=1):
        """kernels: name, (words, words of the baseline). measure: of a cell beside the baseline's."""
        runs = {name: (self.cells(now), self.cells(base)) for name, (now, base) in kernels.items()}
        self.all.append((figure, what, arch, runs, measure, kind, digits))

    def numbers(self, headline):
        """The mean over runs of the means over kernels, its intervals, and the kernels that move."""
        _, _, _, runs, measure, kind, _ = headline
        of = {name: [measure(n, b) for n, b in zip(now, base)] for name, (now, base) in runs.items()}
        over_kernels = interval([interval(v)[0] for v in of.values()], kind)
        over_runs = interval([interval([v[k] for v in of.values()], kind)[0] for k in range(self.o["spread"])])
        moved = {}
        for name, (_, base) in runs.items():
            cycles = [c.cycles for c in base]
            moves = 100 * (max(cycles) - min(cycles)) * len(cycles) / add(cycles)
            if moves > MARK:
                moved[name] = moves
        return over_runs[0], over_kernels, over_runs, moved

    def table(self):
        """The section of a document."""
        spread = self.o["spread"] > 1
        rows = []
        for headline in self.all:
            figure, what, arch, runs, _, kind, digits = headline
            ours, kernels, of_runs, moved = self.numbers(headline)
            ends = lambda i: "-" if math.isnan(i[1]) else f"{i[1]:.{digits}f} to {i[2]:.{digits}f}"
            rows.append([figure, what, arch, str(len(runs)), "harmonic" if kind == "gain" else kind, show(ours, digits), ends(kernels)] +
                        ([ends(of_runs), ", ".join(f"{k} {v:.1f}" for k, v in moved.items()) or "-"] if spread else []))
        note = (f"{self.o['spread']} runs of each kernel, all but the first with `perturb.run`; the last column has the kernels whose baseline "
                f"moves by more than {MARK} %, in per cent." if spread else "`--spread N` adds the interval over perturbed runs.")
        return ["## Intervals", "", "Means over kernels with their 95 % intervals (Student's t), over kernels and over perturbed runs.", note, "",
                *table(["figure", "what", "architecture", "kernels", "mean", "ours", "95 % over kernels"] +
                       (["95 % over runs", "baselines that move"] if spread else []), rows, 3)]


# ---- document and drawings ----

def save(o, lines, findings=True):
    """Writes the document, all or nothing: lines, of which the last is empty, and the findings."""
    text = "\n".join([*lines, given(o["findings"]).strip("\n"), ""] if findings else lines)
    part = o["output"] + ".part"
    with open(part, "w", encoding="utf-8") as f:
        f.write(text)
    os.replace(part, o["output"])


def draw(o, ident, title, groups, means, series, unit="%", note="", kind="bars"):
    """A drawing beside the document. series: name, architecture, values of the groups (the last
    `means` are means), the paper's."""
    def plain(values):
        return [None if v is None or not math.isfinite(v) else v for v in values]
    if not o["figures"] or not o["program"]:
        return
    chart = {"id": ident, "title": title, "unit": unit, "note": note, "kind": kind,
             "groups": groups, "means": means,
             "series": [{"name": n, "arch": a, "values": plain(v), "paper": plain(p or [])}
                        for n, a, v, p in series]}
    done = subprocess.run([o["program"], "internal", "draw", o["figures"]],
                          input=json.dumps(chart), text=True)
    if done.returncode:
        fail(done.returncode, f"figure {ident}")
