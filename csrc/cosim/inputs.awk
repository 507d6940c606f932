# SPDX-License-Identifier: Apache-2.0
# Reads a block's ports, a line DIR:NAME:BITS:TEXT each (without the clock), and prints module smcosim_top around it, in
# which registers take the inputs, those of a group when its signal groupN_i changes. To Verilator such inputs are state
# with a clock of its own: the edge of the clock and the inputs of the next cycle become one evaluation, as the edge takes
# the inputs as they were, and inputs that change later in a cycle evaluate what is behind their group and nothing else.
# Without it all that is behind any input is evaluated at each change, after the edge with inputs that are out of date.
#
#   awk -v block=NAME -v params="NAME=VALUE .." -v groups=FILE -v header=FILE -f inputs.awk
#
# groups: a line per group, the beginnings of its inputs' names; the first group has also all that no line names. Lines
# that begin with # are comments. Written to the header: the group of each input, and
# what changes the groups' signals.
BEGIN {
    FS = ":"
    n = 0
    while ((read = (getline line < groups)) > 0)
        if (line ~ /^[^#]/) {
            prefixes[n] = split(line, words, " ")
            for (i in words) prefix[n, i] = words[i]
            n++
        }
    if (read < 0 || n == 0) exit 1
}
function group(name,    g, i) {
    for (g = 0; g < n; g++)
        for (i = 1; i <= prefixes[g]; i++) if (index(name, prefix[g, i]) == 1) return g
    return 0
}
{
    range = $3 > 1 ? "[" $3 - 1 ":0] " : ""
    port[NR] = "    " $1 "put logic " range $2
    name[NR] = $2
    inner[NR] = $2
}
$1 == "in" {
    g = group($2)
    inner[NR] = $2 "_q"
    registers = registers "    logic " range $2 "_q;\n"
    takes[g] = takes[g] "        " $2 "_q <= " $2 ";\n"
    base = $2
    sub(/_i$/, "", base)
    print "constexpr uint32_t GROUP_" base " = 1u << " g ";" >header
}
END {
    if (read < 0 || n == 0) exit 1
    print "module smcosim_top (\n    /* verilator tracing_off */"
    for (g = 0; g < n; g++) print "    input logic group" g "_i,"
    print "    /* verilator tracing_on */\n    input logic clk_i,"
    for (i = 1; i <= NR; i++) print port[i] (i < NR ? "," : "")
    print ");\n    /* verilator tracing_off */\n" registers "    /* verilator tracing_on */"
    for (g = 0; g < n; g++) print "    always_ff @(edge group" g "_i) begin\n" takes[g] "    end"
    count = split(params, words, " ")
    for (i = 1; i <= count; i++) {
        split(words[i], pair, "=")
        list = list (i > 1 ? ", " : "") "." pair[1] "(" pair[2] ")"
    }
    print "    " block " #(" list ") " block " (\n        .clk_i"
    for (i = 1; i <= NR; i++) print "        , ." name[i] "(" inner[i] ")"
    print "    );\nendmodule"
    printf "static inline void shim_toggle(SHIM_CLASS &v, uint32_t groups) {" >header
    for (g = 0; g < n; g++) printf " v.group%d_i ^= groups >> %d & 1;", g, g >header
    print " }" >header
}
