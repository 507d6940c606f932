#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# none.sh SMCOSIM LAUNCH..: with scalar.paradigm none the architecture runs kernels as the baseline does, counter by counter.
set -eu
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
smcosim=$1
shift
"$smcosim" run "$@" --machine kepler --blocks model --json "$scratch/a" >"$scratch/text"
"$smcosim" run "$@" --machine kepler --blocks model --arch scalar --set scalar.paradigm=none --json "$scratch/b" >"$scratch/text"
python3 - "$scratch/a" "$scratch/b" <<'PYTHON'
import json
import sys

def counters(o, found):
    for k, v in o.items() if isinstance(o, dict) else enumerate(o) if isinstance(o, list) else ():
        if k == "counters":
            found.append(v)
        else:
            counters(v, found)
    return found

a, b = (counters(json.load(open(f)), []) for f in sys.argv[1:])
if not a or a != b:
    sys.exit("none.sh: %d and %d sets of counters, which differ" % (len(a), len(b)))
PYTHON
