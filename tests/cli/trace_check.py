# SPDX-License-Identifier: Apache-2.0
# A trace of `run --trace` is consistent: sorted, slices of a track one after the other. Every flow
# has a beginning and an end inside slices of one instruction. Values that are read are those
# written, and lines of the PTX text those of the instructions. Usage: trace_check.py TRACE PTX
# [FAULT]; FAULT damages the trace first.
import collections
import gzip
import json
import re
import sys

# PTX opcodes that the compiler lowers to a machine opcode, where the names differ.
PTX_OF = {"s2r": "mov", "imad": "mad|mul|add|sub", "lea": "mul|shl|add|mad|cvt", "isetp": "setp", "fsetp": "setp", "bra": "bra",
          "exit": "ret|exit|bra", "ffma": "fma|mad", "fadd": "add|sub", "fmul": "mul", "iadd": "add|sub", "ld": "ld", "st": "st",
          "bar": "bar"}


def damage(events, fault):
    """One of the ways in which a trace may be wrong."""
    flows = [e for e in events if e["ph"] == "f"]
    units = [e for e in events if e["ph"] == "X" and "instruction" in e.get("args", {})]
    if fault == "flow":
        events.remove(flows[len(flows) // 2])
    elif fault == "order":
        events[-1], events[len(events) // 2] = events[len(events) // 2], events[-1]
    elif fault == "overlap":
        units[len(units) // 2]["dur"] += 5000
    elif fault == "line":
        for e in (e for e in events if "PTX line" in e.get("args", {})):
            e["args"]["PTX line"] += 1
    elif fault == "value":
        groups = {e["pid"]: e["args"]["name"] for e in events if e["ph"] == "M" and e["name"] == "process_name"}
        written = [e for e in units if groups[e["pid"]] == "write ports"]
        for e in written[len(written) // 2:]:
            e["args"].update({k: "0xbad" for k in registers(e)})


def check_order(events):
    times = [e["ts"] for e in events if "ts" in e]
    assert times == sorted(times), "events are not sorted"


def check_tracks(events):
    """Returns the slices by track."""
    tracks = collections.defaultdict(list)
    named = {(e["pid"], e["tid"]) for e in events if e["ph"] == "M" and e["name"] == "thread_name"}
    for e in events:
        if e["ph"] == "X":
            tracks[e["pid"], e["tid"]].append(e)
    for track, slices in tracks.items():
        assert track in named, f"track {track} has no name"
        for a, b in zip(slices, slices[1:]):
            assert a["ts"] + a["dur"] <= b["ts"] + 1e-9, f"slices overlap on track {track}: {a} {b}"
    return tracks


def slice_at(tracks, e):
    slices = tracks[e["pid"], e["tid"]]
    low, high = 0, len(slices)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if slices[middle]["ts"] <= e["ts"] else (low, middle)
    s = slices[low]
    assert s["ts"] <= e["ts"] < s["ts"] + s["dur"], f"an arrow at no slice: {e}"
    return s


def check_flows(events, tracks):
    """Returns the slices of each flow."""
    flows = collections.defaultdict(list)
    for e in events:
        if e["ph"] in "stf":
            flows[e["id"]].append(e)
    assert flows, "no flow"
    followed = {}
    for number, points in flows.items():
        kinds = "".join(e["ph"] for e in points)
        assert re.fullmatch("st*f", kinds), f"flow {number} is {kinds}"
        slices = [slice_at(tracks, e) for e in points]
        assert len({(s["args"]["warp"], s["args"]["pc"], s["args"].get("PTX line")) for s in slices}) == 1, f"flow {number} mixes instructions"
        followed[number] = slices
    return followed


def check_lines(followed, ptx):
    text = open(ptx).read().split("\n")
    for slices in followed.values():
        for s in slices:
            if "PTX line" not in s["args"]:  # the compiler's own instruction
                continue
            line = text[s["args"]["PTX line"] - 1]
            opcode = s["name"].split(".")[0]
            assert re.search(rf"\b({PTX_OF.get(opcode, '[a-z]+')})\b", line), f"{s['args']} comes from no such line: {line}"


def registers(s):
    return {k: v for k, v in s["args"].items() if re.fullmatch(r"R\d+", k)}


def check_values(followed, groups):
    """Where an instruction reads a register in all lanes as the warp wrote it last, both show one value."""
    compared, last = 0, {}
    steps = []
    for slices in followed.values():
        where = {groups[s["pid"]]: s for s in slices}
        if "schedulers" in where:
            steps.append((where["schedulers"]["ts"], slices))
    for _, slices in sorted(steps, key=lambda x: x[0]):
        warp = slices[0]["args"]["warp"]
        for s in slices:
            if groups[s["pid"]] == "execution units":
                for reg, value in registers(s).items():
                    if (warp, reg) in last and "lanes" not in s["args"]:
                        compared += 1
                        assert last[warp, reg] == value, f"{s} reads {value}, {last[warp, reg]} was written"
        for s in slices:
            if groups[s["pid"]] == "write ports":
                for reg, value in registers(s).items():
                    last.pop((warp, reg), None)
                    if "lanes" not in s["args"]:  # all of them
                        last[warp, reg] = value
    return compared


def main(path, ptx, fault=None):
    with (gzip.open if path.endswith(".gz") else open)(path, "rt") as f:
        events = json.load(f)["traceEvents"]
    groups = {e["pid"]: e["args"]["name"] for e in events if e["ph"] == "M" and e["name"] == "process_name"}
    damage(events, fault)
    check_order(events)
    tracks = check_tracks(events)
    followed = check_flows(events, tracks)
    check_lines(followed, ptx)
    values = check_values(followed, groups)
    kinds = collections.Counter(tuple(groups[s["pid"]] for s in slices) for slices in followed.values())
    whole = sum(n for way, n in kinds.items() if way == ("schedulers", "operand collectors", "execution units", "write ports"))
    tracks_of = collections.Counter(groups[pid] for pid, _ in tracks)
    memory = {e["args"]["name"].split(",")[0] for e in events if e["ph"] == "M" and e["name"] == "thread_name" and groups[e["pid"]] == "memory"}
    print(f"{len(followed)} flows, {whole} from issue to write-back, {values} values, tracks {dict(tracks_of)}, memory {sorted(memory)}")


try:
    main(*sys.argv[1:])
except AssertionError as error:
    sys.exit(f"trace_check: {error}")
