#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# auto.sh SMCOSIM LAUNCH..: what the compiler makes of a kernel by itself is no loss: no kernel takes more than 1.03 times
# the baseline's cycles, and all of them together take fewer.
set -eu
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
smcosim=$1
shift
"$smcosim" compare "$@" --machine kepler --arch baseline,scalar --blocks model --json "$scratch/c" >"$scratch/text"
python3 - "$scratch/c" <<'PYTHON'
import json
import sys

launches = json.load(open(sys.argv[1]))["launches"]
cycles = [(l["name"], *(l["archs"][a]["counters"]["cycles"] for a in ("baseline", "scalar"))) for l in launches]
slow = ["%s %d, baseline %d" % (name, now, base) for name, base, now in cycles if now > 1.03 * base]
if slow or len(cycles) < 10:
    sys.exit("auto.sh: slower than the baseline: " + "; ".join(slow))
if sum(c[2] for c in cycles) >= sum(c[1] for c in cycles):
    sys.exit("auto.sh: no gain: %s" % cycles)
PYTHON
