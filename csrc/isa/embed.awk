# SPDX-License-Identifier: Apache-2.0
# Programs in text files as C: for each routine #define TEXT_NAME "text" and
# #define ROUTINE_NAME {"name", lanes, TEXT_NAME}.
# A file holds lines of a program (of the assembler, csrc/isa/isa.h, or of IR, csrc/compile/irtext.c) and
#   // ..                      a comment, to the end of the line
#   .routine NAME [LANES]      a routine, up to .end; it runs in these lanes (a mask; all if it is left out)
#   .part NAME [PARAMETER ..]  lines that routines share, up to .end; @PARAMETER@ is the argument
#   .use NAME [ARGUMENT ..]    the lines of a part; an argument that is left out is empty
# Any other @NAME@ stays in the text.
function refuse(what) { printf "%s:%d: %s\n", where[at], line_of[at], what > "/dev/stderr"; failed = 1; exit 1 }

{
    sub(/\/\/.*/, "")
    gsub(/^[ \t]+|[ \t\r]+$/, "")
    if ($0 == "") next
    at = ++n
    text[n] = $0; where[n] = FILENAME; line_of[n] = FNR
    if ($1 == ".routine" || $1 == ".part") {
        if (open != "") refuse("expected .end of " open)
        if (first[$2]) refuse("a second " $2)
        open = $2; kind[$2] = $1; first[$2] = n + 1
        head[$2] = $0
        if ($1 == ".routine") routines[++nroutines] = $2
    } else if (open == "") refuse("expected .routine or .part, found " $1)
    else if ($1 == ".end") { last[open] = n - 1; open = "" }
}

# The lines of a part or routine, with the arguments of a .use.
function expand(name, arguments,    i, k, line, given, parameters, m) {
    m = split(head[name], parameters, " ")
    split(arguments, given, " ")
    for (i = first[name]; i <= last[name]; i++) {
        at = i
        line = text[i]
        for (k = 3; k <= m && kind[name] == ".part"; k++) gsub("@" parameters[k] "@", given[k], line)
        sub(/^ +/, "", line)
        if (line !~ /^\.use /) {
            printf " \\\n    \"%s\\n\"", line
            continue
        }
        split(line, word, " ")
        if (kind[word[2]] != ".part") refuse("no part " word[2])
        expand(word[2], line)
    }
}

END {
    if (failed) exit 1
    if (open != "") refuse("expected .end of " open)
    print "// Made by csrc/isa/embed.awk."
    for (r = 1; r <= nroutines; r++) {
        split(head[routines[r]], word, " ")
        name = toupper(word[2])
        gsub(/\./, "_", name)
        lanes = word[3] == "" ? "0xffffffff" : word[3]
        printf "#define TEXT_%s", name
        expand(routines[r], "")
        printf "\n#define ROUTINE_%s {\"%s\", %s, TEXT_%s}\n", name, routines[r], lanes, name
    }
}
