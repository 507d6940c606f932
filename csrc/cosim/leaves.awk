# SPDX-License-Identifier: Apache-2.0
# A leaf of a block: a submodule with many instances, Verilated once, apart from the block around it (shim/leaves.h).
#
#   awk -v make=list -v params="NAME=VALUE .." -f leaves.awk BLOCK.leaves
#       names of the leaves, none in a small block
#   awk -v make=groups -f leaves.awk BLOCK.leaves
#       the block's inputs by groups, for inputs.awk
#   awk -v make=given -v leaf=NAME -v params="NAME=VALUE .." -f leaves.awk BLOCK.leaves <module>.sv
#       parameters of the leaf, with the values that the block's parameters of these names have
#   awk -v make=outside -v leaf=NAME -v params=.. -f leaves.awk BLOCK.leaves <module>.sv
#       the module that the block gets in place of the leaf: inputs are variables that the shim reads, outputs are
#       registers that take what the shim has written when leaf_NAME_take changes
#   awk -v make=kind -v leaf=NAME -v class=NAME -v top=CLASS -f leaves.awk BLOCK.leaves <module>.sv <top>___024root.h <leaf>.h
#       struct Leaf_NAME for shim/leaves.h: the instances in class `top`
#
# BLOCK.leaves: `from PARAMETER LEAST`: a block whose parameter is less has its submodules in it, which is faster for a
# few; `group PREFIX..` as in BLOCK.groups; then a line per leaf, its name, with indented lines:
#   rests EDGES EXPRESSION   while the expression over the ports holds, and has held for EDGES edges of the clock, neither
#                            state nor outputs change, whatever the other inputs do
#   now INPUT..              inputs that an output answers to in the same cycle
# Exit 1: a file is not laid out as expected (told on stderr).

function fail(what) { print FILENAME ": " what >"/dev/stderr"; bad = 1; exit 1 }
# Value of a parameter of the block; "" where it has none.
function value_of(name,    i, n, words, pair) {
    n = split(params, words, " ")
    for (i = 1; i <= n; i++) { split(words[i], pair, "="); if (pair[1] == name) return pair[2] + 0 }
    return ""
}
function each(list, text,    names, n, i, out, part) {
    n = split(list, names, " ")
    for (i = 1; i <= n; i++) { part = text; gsub(/@/, names[i], part); out = out part }
    return out
}
FNR == 1 { file++ }
file == 1 && $1 == "from" { if (make != "groups" && make != "kind" && value_of($2) == "") fail("no parameter " $2); small = value_of($2) < $3; next }
file == 1 && $1 == "group" { if (make == "groups") print substr($0, 7); next }
file == 1 && /^[a-z]/ { section = $1; if (make == "list" && !small) print $1; next }
file == 1 && section == leaf && $1 == "rests" { edges = $2; rests = $0; sub(/^ *rests *[0-9]+ */, "", rests); next }
file == 1 && section == leaf && $1 == "now" { for (i = 2; i <= NF; i++) now = now " " $i; next }
file == 1 { next }

# The module's head, to the end of its ports.
file == 2 && closed { next }
file == 2 {
    line = $0
    sub(/\/\/.*/, "")
    if (/^module /) open = 1
    if (open && match($0, /parameter +int +[A-Za-z0-9_]+/)) {
        name = substr($0, RSTART, RLENGTH); sub(/.* /, "", name); parameters = parameters " " name
    }
    if (open && match($0, /(input|output) +logic +(\[[^,]*\] +)?[a-z0-9_]+_n?[io]/)) {
        text = substr($0, RSTART, RLENGTH)
        dir = text ~ /^input/ ? "in" : "out"
        range = text; sub(/^[a-z]+ +logic +/, "", range)
        name = range; sub(/.* /, "", name); sub(/[a-z0-9_]+$/, "", range)
        if (name != "clk_i") { ports[dir] = ports[dir] " " name; width[name] = range }
    }
    head = head line "\n"
    if (/^module /) head = head "    /* verilator tracing_off */\n"
    if (open && /^\);/) closed = 1
    next
}
file == 3 && match($0, " smcosim_top__DOT__[A-Za-z0-9_]+__DOT__leaf_" leaf "_take;") {
    at = substr($0, RSTART + 1, RLENGTH - 1); sub("leaf_" leaf "_take;$", "", at)
    prefix[count++] = at
}
file == 4 && match($0, /VL_IN[0-9W]*\(&[A-Za-z0-9_]+/) {
    name = substr($0, RSTART, RLENGTH); sub(/.*&/, "", name); inputs = inputs " " name
}

END {
    if (bad || make == "list" || make == "groups") exit bad
    if (!closed || ports["in"] == "" || ports["out"] == "") { print leaf ": its ports are not found" >"/dev/stderr"; exit 1 }
    n = split(parameters, own, " ")
    for (i = 1; i <= n; i++) value[own[i]] = value_of(own[i])
    for (i = 1; i <= n && make != "kind"; i++)
        if (value[own[i]] == "") { print leaf ": the block has no parameter " own[i] >"/dev/stderr"; exit 1 }
    if (now == "") now = ports["in"]
    if (make == "given") { for (i = 1; i <= n; i++) print own[i] "=" value[own[i]]; exit 0 }
    if (make == "outside") outside()
    else kind()
}
function outside(    i, names, n) {
    print "/* verilator lint_off UNUSEDSIGNAL */ /* verilator lint_off UNUSEDPARAM */"
    printf "%s", head
    print "    /* verilator inline_module */"
    print "    logic leaf_" leaf "_take /* verilator public_flat_rw */;"
    if ("fault_op_i" in width) rests = "(" rests ") && fault_op_i == '0"
    print "    logic leaf_rests /* verilator public_flat_rd */;\n    assign leaf_rests = " (rests == "" ? "1'b0" : rests) ";"
    n = split(ports["in"], names, " ")
    for (i = 1; i <= n; i++)
        print "    logic " width[names[i]] "leaf_" names[i] " /* verilator public_flat_rd */;\n    assign leaf_" names[i] " = " names[i] ";"
    n = split(ports["out"], names, " ")
    for (i = 1; i <= n; i++) print "    logic " width[names[i]] "leaf_" names[i] " /* verilator public_flat_rw */;"
    print "    always_ff @(edge leaf_" leaf "_take) begin"
    for (i = 1; i <= n; i++) print "        " names[i] " <= leaf_" names[i] ";"
    print "    end"
    n = split(parameters, own, " ")
    for (i = 1; i <= n; i++)
        print "    initial if (" own[i] " != " value[own[i]] ") $fatal(1, \"" leaf ": " own[i] " = %0d, the leaf has " value[own[i]] "\", " own[i] ");"
    print "endmodule"
}
# "a__DOT__g_bank__BRA__3__KET____DOT__u_bank__DOT__" as "a g_bank[3] u_bank"
function path(at) {
    sub(/^smcosim_top__DOT__/, "", at); sub(/__DOT__$/, "", at)
    gsub(/__KET____DOT__/, "] ", at); gsub(/__BRA__/, "[", at); gsub(/__KET__/, "]", at); gsub(/__DOT__/, " ", at)
    return at
}
function kind(    i) {
    if (!count) { print leaf ": no instance" >"/dev/stderr"; exit 1 }
    print "struct Leaf_" leaf " {"
    print "    using Model = " class ";"
    print "    static constexpr int count = " count ", edges = " edges + 0 ";"
    print "    struct Wires {\n        CData *take, *rests;"
    printf "%s", each(ports["in"] ports["out"], "        std::remove_reference_t<decltype(Model::@)> *@;\n")
    print "    };"
    print "    static void edge(Model &m) { " class "___024root___edge(m.rootp); }"
    print "    static void clear(Model &m) {"
    printf "%s", each(inputs, "        m.@ = std::remove_reference_t<decltype(m.@)>{};\n")
    print "    }"
    print "    static bool differs(const Wires &w, const Model &m) {\n        return false" each(now, " || leaf_differs(*w.@, m.@)") ";\n    }"
    print "    static bool drive(const Wires &w, Model &m) {\n        bool news = false;"
    printf "%s", each(ports["in"], "        news |= leaf_copy(m.@, *w.@);\n")
    print "        return news;\n    }"
    print "    static bool answer(const Wires &w, const Model &m) {\n        bool news = false;"
    printf "%s", each(ports["out"], "        news |= leaf_copy(*w.@, m.@);\n")
    print "        return news;\n    }"
    print "    static const char *path(int i) {\n        static const char *const paths[] = {"
    for (i = 0; i < count; i++) print "            \"" path(prefix[i]) "\","
    print "        };\n        return paths[i];\n    }"
    print "    static void connect(Wires *w, " top " *root) {"
    for (i = 0; i < count; i++)
        print "        w[" i "] = {&root->" prefix[i] "leaf_" leaf "_take, &root->" prefix[i] "leaf_rests" \
            each(ports["in"] ports["out"], ", &root->" prefix[i] "leaf_@") "};"
    print "    }\n};"
}
