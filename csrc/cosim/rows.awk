# SPDX-License-Identifier: Apache-2.0
# Verilator's code moves a row word by word. Here runs of such statements become one copy each, or one fill with zeros,
# which compiles in a fraction of the time and runs as fast.
#
#   awk -f rows.awk MODEL.cpp > MODEL.new
function number(text) { return text ~ /^0x/ ? hex(substr(text, 3)) : text + 0 }
function hex(text,    i, value) {
    for (i = 1; i <= length(text); i++) value = 16 * value + index("0123456789abcdef", substr(text, i, 1)) - 1
    return value
}
# "NAME[0x1fU]" into part[0], its name, and part[1], its index; 0: it is no word of a row.
function word(text, part,    at) {
    if (text !~ /^[A-Za-z0-9_>-]+\[[0-9a-fx]+U\]$/) return 0
    at = index(text, "[")
    part[0] = substr(text, 1, at - 1)
    part[1] = number(substr(text, at + 1, length(text) - at - 2))
    return 1
}
function flush() {
    if (run >= 4 && from == "") print "    std::memset(&" to "[" first "], 0, " 4 * run ");"
    else if (run >= 4) print "    std::memcpy(&" to "[" first "], &" from "[" from_first "], " 4 * run ");"
    else printf "%s", lines
    run = 0; lines = ""
}
# A statement of one line, or of two.
function move(text, raw,    at, left, right, l, r) {
    at = index(text, " = ")
    left = substr(text, 1, at - 1); right = substr(text, at + 3)
    if (!word(left, l)) return 0
    if (right == "0U") { r[0] = ""; r[1] = 0 }
    else if (!word(right, r) || l[0] == r[0]) return 0
    if (run && !(l[0] == to && r[0] == from && l[1] == first + run && (from == "" || r[1] == from_first + run))) flush()
    if (!run) { to = l[0]; from = r[0]; first = l[1]; from_first = r[1] }
    run++
    lines = lines raw
    return 1
}
function done(raw) { flush(); printf "%s", raw }
NR == 1 { print "#include <cstring>" }
held != "" {
    raw = held $0 "\n"; text = head " " $0; held = ""
    sub(/;$/, "", text); gsub(/ +/, " ", text)
    if (!/;$/ || !move(text, raw)) done(raw)
    next
}
/^ +[A-Za-z0-9_>-]+\[[0-9a-fx]+U\] *$/ { held = $0 "\n"; head = $1; next }
/^ +[A-Za-z0-9_>-]+\[[0-9a-fx]+U\] = .*;$/ {
    text = $0; sub(/^ +/, "", text); sub(/;$/, "", text)
    if (!move(text, $0 "\n")) done($0 "\n")
    next
}
{ done($0 "\n") }
END { printf "%s", held; flush() }
