# SPDX-License-Identifier: Apache-2.0
# Seeds the faults that stand beside a module into a copy of it: awk -v mode=MODE -v number=N -f faults.awk FAULTS MODULE.
# rtl/README.md says how such a file is written.
#   select  every fault, chosen at run time by +testbug=N (0 or none: the module as it is), and bits that can be
#           flipped through the port fault_i
#   one     fault N alone, in place of what it replaces
#   check   nothing; says what does not fit
# Lines keep their numbers. Blanks and comments do not count in a comparison. Exit: 1 after "FILE:LINE: what is wrong".

function fail(line, what) { printf "%s:%d: %s\n", faults, line, what >"/dev/stderr"; bad = 1 }
function word(c) { return c ~ /[A-Za-z0-9_$]/ }
# Text without its blanks, but one between two words. at[]: where in the text each character stands.
function dense(s, at,    i, c, out, last, blank) {
    sub(/\/\/.*/, "", s)
    for (i = 1; i <= length(s); i++) {
        c = substr(s, i, 1)
        if (c == " " || c == "\t") { blank = 1; continue }
        if (blank && word(last) && word(c)) { out = out " "; at[length(out)] = i - 1 }
        out = out c; at[length(out)] = i; last = c; blank = 0
    }
    return out
}
# The one place of what in norm from place lo to hi: its first character; 0 after a message.
function place(what, lo, hi, line, name,    p, part) {
    if (what == "") { fail(line, name " is empty"); return 0 }
    part = substr(norm, lo, hi - lo + 1)
    p = index(part, what)
    # a name is no part of a longer name
    while (p && !whole(part, p, what)) p = after(part, p, what)
    if (!p) { fail(line, name ": not found in " module); return 0 }
    for (hi = after(part, p, what); hi && !whole(part, hi, what); ) hi = after(part, hi, what)
    if (hi) { fail(line, name ": found more than once in " module); return 0 }
    return lo + p - 1
}
function after(part, p, what,    q) { q = index(substr(part, p + 1), what); return q ? p + q : 0 }
function whole(part, p, what,    last) {
    last = p + length(what)
    return !(p > 1 && word(substr(what, 1, 1)) && word(substr(part, p - 1, 1))) &&
           !(last <= length(part) && word(substr(what, length(what), 1)) && word(substr(part, last, 1)))
}

FNR == 1 { file++; if (file == 1) faults = FILENAME; else module = FILENAME }
file == 1 {
    if (/^#/ || /^[ \t]*$/) { kind = ""; next }
    if (/^[0-9]+  /) { current = $1; kind = ""; if (current in known) fail(FNR, "number " current " is there twice"); known[current] = FNR; numbers[++nnumbers] = current; next }
    if (/^flip/) { current = "flip"; kind = ""; next }
    rest = $0; sub(/^[ \t]*[a-z]*[ \t]*/, "", rest)
    if (/^    (in|old|new|after|before)( |$)/) {
        kind = $1
        if (current == "") fail(FNR, kind " without a number above")
        if (kind == "in") { pending = rest; pending_line = FNR }
        else if (kind == "new") { if (!open || current == "flip") fail(FNR, "new without old"); new[n] = rest; open = 0 }
        else {
            if (open) fail(at_line[n], what_kind[n] " without new")
            n++
            id[n] = current; within[n] = pending; within_line[n] = pending_line; what[n] = rest; at_line[n] = FNR
            what_kind[n] = kind; pending = ""; open = 1; new[n] = ""
        }
        next
    }
    if (/^    add( |$)/ && current != "" && n) { rest = $0; sub(/^    add ?/, "", rest); sub(/\/\/.*/, "", rest); sub(/^ +/, "", rest); new[n] = new[n] " " rest; raw[n] = 1; open = 0; kind = ""; next }
    if (/^      / && kind != "") {  # goes on
        rest = $0; sub(/^ +/, "", rest)
        if (kind == "in") pending = pending " " rest
        else if (kind == "new") new[n] = new[n] " " rest
        else if (kind == "old" || kind == "after" || kind == "before") what[n] = what[n] " " rest
        next
    }
    if (current != "" && kind == "" && /^ /) next  # words about the fault
    fail(FNR, "expected a number, flip, in, old, new, after, before or add")
    next
}
{
    split("", local)
    packed = dense($0, local)
    if (packed != "") {
        if (norm != "" && word(substr(norm, length(norm), 1)) && word(substr(packed, 1, 1))) { norm = norm " "; pos[length(norm)] = length(text) + 1 }
        base = length(norm)
        for (k = 1; k <= length(packed); k++) pos[base + k] = length(text) + local[k]
        norm = norm packed
    }
    if (head == 0 && /^module /) head = 1
    if (head == 1 && /^\);/) { head = 2; declare = length(text) + 3 }
    text = text $0 "\n"
}

# Which comes first: what begins first; of two that begin together an insertion, then the longer, then the first.
function before(a, b) {
    if (from[a] != from[b]) return from[a] < from[b]
    if ((to[a] == from[a]) != (to[b] == from[b])) return to[a] == from[a]
    if (to[a] != to[b]) return to[a] > to[b]
    return a < b
}
function build(lo, hi, i, n,    out, j, e) {
    while (i <= n) {
        e = order[i]
        out = out substr(text, lo, from[e] - lo)
        for (j = i + 1; j <= n && from[order[j]] < to[e]; j++)
            if (to[order[j]] > to[e]) fail(at_line[order[j]], "overlaps what line " at_line[e] " replaces")
        out = out chosen(e, build(from[e], to[e], i + 1, j - 1))
        lo = to[e]; i = j
    }
    return out substr(text, lo, hi - lo)
}
function chosen(e, old,    is) {
    if (from[e] == to[e] && (e > nread || raw[e])) return new[e] " "
    if (from[e] == to[e]) return (mode == "one" ? "" : " if (testbug == " id[e] ")") " begin " new[e] " end"
    if (id[e] == "flip") { gsub(/[^\n]/, "", old); return new[e] old }
    is = what[e] ~ /(;|[^A-Za-z0-9_]end)$/
    if (mode == "one") return is ? "begin " new[e] " end" : "(" new[e] ")"
    if (is) return "if (testbug == " id[e] ") begin " new[e] " end else begin " old " end"
    return "(testbug == " id[e] " ? (" new[e] ") : (" old "))"
}

END {
    if (open) fail(at_line[n], what_kind[n] " without new")
    nread = n
    if (head != 2) fail(1, module ": no module whose ports end in a line );")
    for (i = 1; i <= n; i++) {
        lo = 1; hi = length(norm); split("", none)
        if (within[i] != "") {
            p = place(dense(within[i], none), lo, hi, within_line[i], "in")
            if (!p) continue
            lo = p + length(dense(within[i], none))
            semi = index(substr(norm, lo), ";")
            hi = semi ? lo + semi - 1 : hi
        }
        what[i] = dense(what[i], none)
        p = place(what[i], lo, hi, at_line[i], what_kind[i])
        if (!p) continue
        from[i] = what_kind[i] == "after" ? pos[p + length(what[i]) - 1] + 1 : pos[p]
        to[i] = what_kind[i] == "before" ? pos[p] : pos[p + length(what[i]) - 1] + 1
        if (mode == "one" && id[i] != number) continue
        if (!raw[i] && what_kind[i] == "after" && what[i] !~ /(;|[^A-Za-z0-9_](begin|end)|\))$/)
            fail(at_line[i], "after: no statement ends or begins here")
        for (j = ++m; j > 1 && before(i, order[j - 1]); j--) order[j] = order[j - 1]
        order[j] = i
    }
    for (i = 1; i <= nnumbers; i++) { has = 0; for (j = 1; j <= n; j++) if (id[j] == numbers[i]) has = 1
        if (!has) fail(known[numbers[i]], "fault " numbers[i] " replaces nothing") }
    if (mode == "select") {
        e = ++n; from[e] = to[e] = declare; what[e] = ""
        new[e] = " integer testbug; initial if ($value$plusargs(\"testbug=%d\", testbug) == 0) testbug = 0;"
        for (j = ++m; j > 1 && before(e, order[j - 1]); j--) order[j] = order[j - 1]
        order[j] = e
    }
    out = build(1, length(text) + 1, 1, m)
    if (bad) exit 1
    if (mode != "check") printf "%s", out
}
