# SPDX-License-Identifier: Apache-2.0
# Reads the code that Verilator 5 made of smcosim_top (inputs.awk; without its trace and first-time files) and prints
# one more function, <class>___024root___early: ___eval without what is behind the late group of inputs. All that is
# evaluated when these change, too: at the clock edge, with inputs of the cycle before, it would be evaluated in vain.
# The late group's signal has to change after it in any case.
#
#   awk -v class=NAME -v late=GROUP -f early.awk FILES > EARLY.cpp
#
# Exit 1, and what was printed is useless: an output is among what would be left out, which would then answer too late,
# or the code is not laid out as expected. Such a model is evaluated in full.
BEGIN {
    root = class "___024root"
    print "#include \"verilated.h\"\n#include \"" class "__Syms" ".h\"\n#include \"" root ".h\""
    count = split("eval_triggers__act eval_act", names, " ")
    for (i = 1; i <= count; i++) print "void " root "___" names[i] "(" root "* vlSelf);"
}
/^[^ #}].*\) \{$/ { inside = $0; sub(/\(.*/, "", inside); sub(/.* /, "", inside) }
# Functions that may write a top-level output (what is read stands behind a cast), and those that call others.
inside && /vlSelf->[A-Za-z0-9_]*_o([^A-Za-z0-9_]|$)/ && $0 !~ /^ *VL_DEBUG_IF/ {
    rest = $0
    gsub(/\([A-Z]Data\)\(vlSelf->/, "", rest)
    while (match(rest, /vlSelf->[A-Za-z0-9_]*_o([^A-Za-z0-9_]|$)/)) {
        if (substr(rest, RSTART, RLENGTH) !~ /__DOT__/) outputs[inside] = 1
        rest = substr(rest, RSTART + RLENGTH)
    }
}
inside && /\(vlSelf\);$/ { nested[inside] = 1 }
# The late group's number among the triggers.
inside ~ /___eval_triggers__act$/ && /__VactTriggered\.at\([0-9]+U\) = / && index($0, "group" late "_i") {
    if (trigger != "") wrong = 1
    match($0, /at\([0-9]+U\)/)
    trigger = substr($0, RSTART, RLENGTH)
}
inside == root "___eval" || inside == root "___eval_nba" { body[inside, lines[inside]++] = $0 }
/^\}$/ { inside = "" }
END {
    if (trigger == "" || !lines[root "___eval"] || !lines[root "___eval_nba"]) exit 1
    # Blocks whose condition names the trigger are left out.
    name = root "___eval_nba"
    for (i = 0; i < lines[name]; i++) {
        line = body[name, i]
        if (line ~ /^    if \(.*Triggered/) { condition = line; open = 1; block = ""; calls = 0 }
        if (open == 1 && line !~ /^    if/) condition = condition line
        if (line ~ /\(vlSelf\);$/) {
            call = line
            sub(/\(vlSelf\);$/, "", call); sub(/^ */, "", call)
            if (!open) wrong = 1
            called[++calls] = call
        }
        # In a block whose condition is complete: calls of the model's functions, and marks for waves.
        else if (open == 2 && line !~ /^    \}$/ && line !~ /^        vlSelf->__Vm_traceActivity\[(0x)?[0-9a-f]+U\] = 1U;$/) wrong = 1
        if (open) block = block line "\n"; else if (i) text = text line "\n"
        if (open == 1 && line ~ /\{$/) open = 2
        if (open == 2 && line ~ /^    \}/) {
            open = 0
            if (line != "    }") wrong = 1
            left = index(condition, trigger) > 0
            if (left) blocks++
            for (c = 1; c <= calls; c++)
                if (!left) print "void " called[c] "(" root "* vlSelf);"
                else if (outputs[called[c]] || nested[called[c]]) wrong = 1
            if (!left) text = text block
        }
    }
    print "static void early_nba(" root "* vlSelf) {\n" text
    name = root "___eval"
    for (i = 0; i < lines[name]; i++) {
        line = body[name, i]
        if (line ~ /^#ifdef VL_DEBUG$/) debug = 1
        if (!i) line = "void " root "___early(" root "* vlSelf) {"
        if (!debug && line ~ /\(vlSelf\);$/) {
            kept++
            if (line !~ /___eval(_triggers__act|_act|_nba)\(vlSelf\);$/) wrong = 1
            if (sub(/[A-Za-z0-9_]*___eval_nba\(/, "early_nba(", line)) replaced++
        }
        if (!debug) print line
        if (line ~ /^#endif$/) debug = 0
    }
    exit wrong || kept != 3 || replaced != 1 || !blocks
}
