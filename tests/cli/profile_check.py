# SPDX-License-Identifier: Apache-2.0
"""Checks a profile: profile_check.py PROFILE.json RUN.json [FAULT].

The sums over instructions are the counters of the run, which come from another run without profile.
FAULT takes one from a count of an instruction, to see that reported.
"""
import json
import sys

SUMS = {
    "issued": ["warp_instructions"],
    "lanes": ["thread_instructions"],
    "waited": ["resident_warp_cycles"],
    "flight_alu": ["flight_cycles"],
    "flight_mem": ["flight_cycles_ldst"],
    "uops": ["collector_uops"],
    "operands": ["operands_1_byte", "operands_2_bytes", "operands_3_bytes", "operands_4_bytes"],
    "forwarded": ["bow_forwards", "cache_reads"],
    "read_conflicts": ["read_bank_conflicts"],
    "write_conflicts": ["write_bank_conflicts"],
    "lines": ["memory_transactions"],
    "shared_conflicts": ["shared_conflict_cycles"],
    "served": ["larf_loads_served"],
}


def rows(profile):
    for kernel in profile["runs"][0]["kernels"]:
        for inst in kernel["instructions"]:
            yield inst["counts"]
        yield kernel["no_instruction"]


def seed(profile, fault):
    for counts in rows(profile):
        place = counts["scheduler_cycles"] if fault in counts["scheduler_cycles"] else counts
        if place.get(fault):
            place[fault] -= 1
            return
    sys.exit(f"profile_check: nothing has {fault}")


def main():
    profile, run = (json.load(open(path)) for path in sys.argv[1:3])
    if len(sys.argv) > 3:
        seed(profile, sys.argv[3])
    groups = run["launches"][0]["counters"]
    counters = {name: v for group in groups.values() for name, v in group.items()}
    wrong = []
    classes = list(groups["stall"])
    for name in classes:
        found = sum(c["scheduler_cycles"].get(name, 0) for c in rows(profile))
        if found != counters[name]:
            wrong.append(f"{name}: {found} in instructions, {counters[name]} in the run")
    for name, of in SUMS.items():
        found, counted = sum(c.get(name, 0) for c in rows(profile)), sum(counters[n] for n in of)
        if found != counted:
            wrong.append(f"{name}: {found} in instructions, {counted} in the run")
    launches = profile["runs"][0]["launches"]
    for name in ["cycles", "warp_instructions", "dram_reads", "rf_reads"]:
        found = sum(l["counters"].get(name, 0) for l in launches)
        if found != counters[name]:
            wrong.append(f"{name}: {found} in launches, {counters[name]} in the run")
    if wrong:
        sys.exit("profile_check: " + "; ".join(wrong))
    print(f"{len(classes) + len(SUMS)} sums of {sum(1 for _ in rows(profile))} rows equal")


main()
