# SPDX-License-Identifier: Apache-2.0
"""Results of commands of smcosim for the writers of chapters (csrc/cli/repro.c has the protocol)."""
import json
import math
import subprocess
import sys


def options(name, usage, words, defaults):
    """Values of --NAME VALUE; --plan is a flag. Exit status 2 for others."""
    o = dict(defaults, plan=False, results=None, data=None, output=None, findings=None, figures=None, program=None)
    words = list(words)
    while words:
        word = words.pop(0)
        if word in ("--help", "-h"):
            print(usage.strip())
            sys.exit(0)
        if word == "--plan":
            o["plan"] = True
        elif not word.startswith("--") or word[2:] not in o or not words:
            fail(name, 2, f"{word}: unknown option, or its value is missing\n\n{usage.strip()}")
        else:
            o[word[2:]] = words.pop(0)
    for needed in ("data", "output", "findings"):
        if not o[needed]:
            fail(name, 2, f"expected --data, --output and --findings\n\n{usage.strip()}")
    if o.get("size") not in (None, "small", "paper"):
        fail(name, 2, f"--size: found '{o['size']}', expected small or paper")
    return o


def fail(name, status, message):
    print(f"smcosim repro {name}: {message}", file=sys.stderr)
    sys.exit(status)


class Results:
    def __init__(self, name, index, plan):
        self.name, self.plan, self.asked, self.files = name, plan, set(), {}
        if index:
            with open(index, encoding="utf-8") as f:
                for line in f:
                    path, command = line.rstrip("\n").split("\t", 1)
                    self.files[command] = path

    def of(self, words):
        """What the command printed: JSON, or text. None: it is missing, and the plan asks for it."""
        command = "\t".join(words)
        if command in self.files:
            with open(self.files[command], encoding="utf-8") as f:
                return json.load(f)["output"]
        if not self.plan:
            fail(self.name, 2, "no result of: smcosim " + " ".join(words))
        if command not in self.asked:
            print(command)
        self.asked.add(command)
        return None

    def launch(self, path, arch, machine, *more):
        """The only launch of a run on golden models, which passed; its counters by name in "all"."""
        report = self.of(["run", path, "--arch", arch, "--machine", machine, "--blocks", "model", "--json", "-", *more])
        if report is None:
            return None
        try:
            launch = report["launches"][0]
        except (TypeError, KeyError, IndexError):
            fail(self.name, 1, f"{arch} {' '.join(more)}: expected a report of smcosim run")
        if launch["verdict"] != "pass":
            fail(self.name, 2, f"{launch['name']} on {arch}: {launch['verdict']}: {launch['message']}")
        launch["all"] = {name: value for group in launch["counters"].values() if isinstance(group, dict) for name, value in group.items()}
        return launch

    def end_plan(self):
        """Ends the program after a plan."""
        if self.plan:
            sys.exit(0)


def sets(keys):
    return [word for key in keys.split() for word in ("--set", key)]


def draw(name, o, ident, title, groups, means, series, unit="%"):
    """A drawing beside the document. series: name, architecture, values of the groups (the last `means` are means), the paper's."""
    def plain(values):
        return [None if v is None or math.isnan(v) else v for v in values]
    if not o["figures"] or not o["program"]:
        return
    chart = {"id": ident, "title": f"{ident} {title}" if ident[0].isdigit() else title, "unit": unit, "groups": groups, "means": means,
             "series": [{"name": n, "arch": a, "values": plain(v), "paper": plain(p or [])} for n, a, v, p in series]}
    done = subprocess.run([o["program"], "internal", "draw", o["figures"]], input=json.dumps(chart), text=True)
    if done.returncode:
        fail(name, done.returncode, f"figure {ident}")
