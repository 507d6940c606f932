#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A trace shows for each warp when it is in P-mode, the contents of its queue and the number of
# renamed registers. These agree with the counters of the run. A wave has the same three signals.
# Usage: shows.sh SMCOSIM BENCH
# SMCOSIM BENCH
set -u
scratch=$(mktemp -d) || exit 7
trap 'rm -rf "$scratch"' EXIT
die() { echo "shows: $*" >&2; exit 1; }
"$1" run "$2/reduction/small/launch.yaml" --arch pmode --blocks model --trace "$scratch/trace" --json "$scratch/json" >/dev/null ||
    die "exit status $?"
python3 - "$scratch/trace" "$scratch/json" <<'END' || die "the trace is not what the counters say"
import json, re, sys
events = json.load(open(sys.argv[1]))["traceEvents"]
counters = json.load(open(sys.argv[2]))["launches"][0]["counters"]["pmode"]
groups = {e["pid"]: e["args"]["name"] for e in events if e["ph"] == "M" and e["name"] == "process_name"}
slices = sorted((e["tid"], e["ts"], e["dur"], e["name"]) for e in events if e["ph"] == "X" and groups[e["pid"]] == "P-mode")
sessions = session_cycles = most_queue = most_renamed = 0
last = {}
for warp, begin, cycles, name in slices:
    mode, queue, renamed = re.fullmatch(r"([NP])-mode, (\d+) in the queue, (\d+) renamed", name).groups()
    ahead = mode == "P"
    was, end = last.get(warp, (False, 0))
    sessions += ahead and not (was and end == begin)
    session_cycles += cycles if ahead else 0
    most_queue, most_renamed = max(most_queue, int(queue)), max(most_renamed, int(renamed))
    last[warp] = (ahead, begin + cycles)
session_cycles -= sessions  # the cycle of the switch is in the trace
said = counters["sessions"], counters["session_cycles"]
if (sessions, session_cycles) != said or not 0 < most_queue <= 8 or not most_renamed:
    sys.exit(f"sessions, cycles {sessions}, {session_cycles}, expected {said}; queue {most_queue}, renamed {most_renamed}")
END
"$1" run "$2/reduction/small/launch.yaml" --arch pmode --blocks model --wave "$scratch/wave.fst:0-2000" >/dev/null || die "wave: status $?"
for signal in mode queue renamed; do
    grep -q "sm\.pmode\.warp0\.$signal\>" "$scratch/wave.gtkw" || die "the wave's save file lacks $signal"
done
