# SPDX-License-Identifier: Apache-2.0
# Reads the code that Verilator 5 made of a model (without its trace and first-time files) and prints one more
# function, <class>___024root___edge: an edge of the clock, up or down, at which the inputs are what they were when
# they last settled. It is ___eval without the part that evaluates the logic behind the inputs, which Verilator
# repeats in every evaluation.
#
#   awk -v class=NAME -f edge.awk FILES > EDGE.cpp
#
# Exit 1, and what was printed is useless: logic other than the triggers looks at the clock (a gated clock, a
# latch), or the code is not laid out as expected. Such a model is evaluated in full.
BEGIN {
    root = class "___024root"
    eval = "void " root "___eval(" root "* vlSelf) {"
    print "#include \"verilated.h\"\n#include \"" root ".h\""
    count = split("eval_triggers__act eval_act eval_nba", names, " ")
    for (i = 1; i <= count; i++) print "void " root "___" names[i] "(" root "* vlSelf);"
}
/^[^ #}].*\) \{$/ { inside = $0 }
/clk_i/ && inside !~ /___eval_triggers__act\(|___eval_debug_assertions\(/ { wrong = 1 }
$0 == eval { found++; copy = 1; sub(/___eval\(/, "___edge(") }
!copy { next }
/^#ifdef VL_DEBUG$/ { debug = 1 }
/^    while \(__VicoContinue\) \{$/ { loops++; loop = 1 }
# In the loop that is left out: the logic behind the inputs and nothing else.
loop && /vlSelf\);$/ && !/___dump_triggers__/ { calls++; if (!/___eval(_triggers__|_)ico\(vlSelf\);$/) wrong = 1 }
!loop && !debug && /vlSelf\);$/ { kept++; if (!/___eval(_triggers__act|_act|_nba)\(vlSelf\);$/) wrong = 1 }
!loop && !debug && !/Vico/ { print }
/^#endif$/ { debug = 0 }
/^    \}$/ { loop = 0 }
/^\}$/ { copy = 0 }
END { exit wrong || found != 1 || loops != 1 || calls != 2 || kept != 3 }
