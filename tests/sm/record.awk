# SPDX-License-Identifier: Apache-2.0
# A report (smcosim run --json) as lines of the record: kernel, machine, architecture, columns, sum over everything.
# Wants machine, arch, known: counters that the sum takes, in this order ("": all, as they come, their names to `names`);
# show: a kernel of which all counters are printed instead.
# The sum takes banks and registers per thread, too. It is a polynomial modulo a prime below 2^31, exact in doubles.
function add(value) { sum = (sum * 1000003 + value % 2147483647 + 1) % 2147483647 }
function flush(    i, n, name) {
    if (kernel == "") return
    if (show != "") { if (kernel == show) printf "%s", text; return }
    for (i = 1; i <= nnames; i++) {
        name = order[i]
        if (!(name in value)) { print "no counter " name " any more" > "/dev/stderr"; exit 1 }
        add(value[name])
    }
    for (i = 1; i <= nextra; i++) add(extra[i])
    data = value["raw_long_latency"] + value["raw_short_latency"] + value["memory_order"]
    units = value["address_pipe_full"] + value["memory_system_full"] + value["ldst_waits"] + value["sfu_waits"] + value["sp_waits"]
    print kernel, machine, arch, value["cycles"], value["warp_instructions"], value["issued"], data, units, value["rf_reads"],
          value["rf_writes"], value["rename_lookups"], value["memory_transactions"], sprintf("%08x", sum)
}
function number(    n) { n = $0; sub(/^.*: */, "", n); sub(/,.*$/, "", n); return n + 0 }
function key(    k) { k = $0; sub(/^[^"]*"/, "", k); sub(/".*$/, "", k); return k }
BEGIN { nnames = split(known, order, " "); learn = nnames == 0 }
/^    {$/ || /^  "launches": \[$/ { next }
/^      "name": / { name = $0; sub(/^.*: "/, "", name); sub(/".*$/, "", name); next_kernel = name; next }
/^      "verdict": / && !/"pass"/ { print next_kernel, machine, arch ": it does not pass" > "/dev/stderr"; failed = 1; exit 1 }
/^      "kernels": \[$/ { flush(); kernel = next_kernel; sum = nextra = 0; text = ""; where = "kernels"; next }
/^      "counters": {$/ { where = "counters"; next }
/^      "banks": \[$/ { where = "banks"; next }
/^      []}]/ || /^      "/ { where = ""; next }
where == "counters" && /^          "/ {
    if (learn && !(key() in seen)) { seen[key()] = 1; order[++nnames] = key() }
    value[key()] = number()
    text = text key() " " number() "\n"
}
where == "banks" && /: [0-9]/ || where == "kernels" && /"(registers|instructions|ctas_per_sm|warps_per_sm)": / {
    extra[++nextra] = number()
    text = text (where == "banks" ? "bank " : "") key() " " number() "\n"
}
END {
    if (failed) exit 1
    flush()
    if (learn && names != "") for (i = 1; i <= nnames; i++) printf "%s%s", order[i], i < nnames ? " " : "\n" > names
}
