#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds one Verilated variant of a block, or finds it. Only this script builds variants, for the
# build and for shapes that are selected at run time.
#
# Rows of arrays by warp or by collector are traced. Rows of a register file bank are not traced,
# because their trace code would be most of the code.
#
# A variant is <block>-<hash>.so. The hash covers the RTL files that the block can reach,
# parameters, flags, glue and tool versions. A variant is built once under a lock and never changed.
# The script prints its path, then every file and folder that the hash depends on. With that list a
# caller can check later, without this script, that nothing changed.
#
#   verilate.sh --data DIR --toolchain FILE --have DIR --out DIR --block NAME --upper NAME --camel NAME
#               --obs WORDS [--testbug] [--cover] [--find] --param NAME=VALUE... --port DIR:NAME:BITS:TEXT...
#               [--flat] [--rtl FILE]...
#   verilate.sh --leaf --data DIR --toolchain FILE --have DIR --out DIR --block MODULE [--testbug] --param NAME=VALUE...
#
# --data     holds rtl/ models/ cosim/.
# --have     is searched before --out.
# --find     exits with 3 instead of building.
#
# --testbug  compiles the seeded faults in (faults.sh), and the port fault_i where they have it.
#
# --cover    compiles code coverage in.
# --rtl      uses the user's files instead of ours. They define the block's module; modules that
#            they do not define are taken from ours. The user's module may lack all observation
#            ports. If it has them, it may lack a parameter. Warnings are printed to stderr and do
#            not reject the module.
#
# <block>.leaves names submodules that are Verilated once (leaves.awk). --flat, --cover and --rtl ignore that file.
#
# --leaf makes such a leaf. The folder <module>-<hash>.leaf has an object file and its header.
# Exit: 0 done, 2 the RTL does not fit or does not compile, 3 not found, 7 a tool is missing or
# fails, 130 interrupted.
set -u
LC_ALL=C; export LC_ALL

fail() { status=$1; shift; printf '%s\n' "$*" >&2; exit "$status"; }

bug='' find='' params='' ports='' cover='' user='' flat='' leaf='' obs=0 upper='' camel=''
while [ $# -gt 0 ]; do
    case $1 in
    --data) data=$2; shift ;;
    --toolchain) toolchain=$2; shift ;;
    --have) have=$2; shift ;;
    --out) out=$2; shift ;;
    --block) block=$2; shift ;;
    --upper) upper=$2; shift ;;
    --camel) camel=$2; shift ;;
    --obs) obs=$2; shift ;;
    --param) params="$params $2"; shift ;;
    --port) ports="$ports $2"; shift ;;
    --testbug) bug=1 ;;
    --cover) cover=1 ;;
    --flat) flat=1 ;;
    --leaf) leaf=1 ;;
    --rtl) user="$user $2"
        case $2 in *[[:space:]]*) fail 2 "--rtl $2: file names with blanks do not work with verilator" ;; esac
        [ -f "$2" ] && [ -r "$2" ] || fail 2 "--rtl $block=$2: the file cannot be read"
        shift ;;
    --find) find=1 ;;
    *) fail 7 "verilate.sh: unknown option $1" ;;
    esac
    shift
done

case "$data$out" in *[[:space:]]*) fail 7 "$data, $out: folder names with blanks do not work with verilator" ;; esac
[ -r "$toolchain" ] || fail 7 "$toolchain: not found; the installation is incomplete"
# verilator= include= cxx= cxxflags= launcher= version= (written when the project is configured)
setting() { sed -n "s/^$1=//p" "$toolchain"; }

# Files that decide the result: the top module (or the user's files), and recursively every RTL file
# whose module a taken file names. Waivers, the glue and included files are added below. A name in a
# comment may take a file too many, which is harmless. The user's modules hide ours of the same
# name.
sources() {
    awk -v top="$block" -v users="$user" '
        BEGIN {
            count = split(users, list, " ")
            for (i = 1; i <= count; i++) own[list[i]] = 1
            for (i = 1; i < ARGC; i++) {
                if (ARGV[i] in own) continue
                name = ARGV[i]; sub(/.*\//, "", name); sub(/\.[^.]*$/, "", name)
                file[name] = ARGV[i]
            }
            hidden = count
        }
        # Strips comments, so that a comment of the user about a module hides none of ours.
        function plain(s,    out) {
            out = ""
            while (s != "") {
                if (inside) {
                    if (!match(s, /\*\//)) return out
                    inside = 0; s = substr(s, RSTART + 2)
                } else if (match(s, /\/[\/*]/)) {
                    out = out substr(s, 1, RSTART - 1) " "
                    if (substr(s, RSTART, 2) == "//") return out
                    inside = 1; s = substr(s, RSTART + 2)
                } else return out s
            }
            return out
        }
        FILENAME in own { $0 = plain($0) }
        { while (match($0, /[A-Za-z_][A-Za-z0-9_]*/)) {
              word = substr($0, RSTART, RLENGTH)
              if (FILENAME in own && last == "module" && word != "automatic") delete file[word]
              last = word
              if (word in file) uses[FILENAME] = uses[FILENAME] " " word
              $0 = substr($0, RSTART + RLENGTH) } }
        function take(f,    words, count, i) {
            if (f in taken) return
            taken[f] = 1
            if (!(f in own)) print f
            count = split(uses[f], words, " ")
            for (i = 1; i <= count; i++) if (words[i] in file) take(file[words[i]])
        }
        END { if (!hidden && top in file) take(file[top])
              for (i = 1; i <= hidden; i++) take(list[i]) }' \
        $user $(find -L "$data/rtl" -name '*.sv' | sort) /dev/null | sort
}
# Included files, recursively. A file that the user's files include is beside them (headers) or is
# one of ours. A file that ours include is below $data/rtl.
included() {
    todo="$user $files"
    while [ -n "$todo" ]; do
        set -- $todo; todo=''
        for f; do
            case $f in */*) folder=${f%/*} ;; *) folder=. ;; esac
            for name in $(sed -n 's/^[[:space:]]*`include[[:space:]]*"\([^"]*\)".*/\1/p' "$f"); do
                found=$folder/$name
                case " $user $headers " in *" $f "*) ;; *) found= ;; esac
                if [ -n "$found" ] && [ -r "$found" ]; then
                    case " $headers " in *" $found "*) ;; *) todo="$todo $found" headers="$headers $found" ;; esac
                elif [ -r "$data/rtl/$name" ]; then
                    found=$data/rtl/$name
                    case " $includes " in *" $found "*) ;; *) todo="$todo $found" includes="$includes $found" ;; esac
                fi
            done
        done
    done
}
files=$(sources)
headers='' includes=''
included
if [ -n "$user" ]; then
    grep -qE "^([^/]*[^A-Za-z0-9_/])?module[[:space:]]+(automatic[[:space:]]+)?$block([^A-Za-z0-9_]|\$)" $user ||
        fail 2 "--rtl: no module $block in$user; the module must have the block's name"
else
    [ -n "$files" ] || fail 2 "block $block has no RTL: no file $block.sv below $data/rtl"
fi
# Seeded faults are files beside the modules (faults.sh).
seeds=''
if [ -n "$bug" ]; then
    for f in $files; do [ ! -e "${f%.sv}.faults" ] || seeds="$seeds ${f%.sv}.faults"; done
    seeds="$seeds $data/cosim/faults.sh $data/cosim/faults.awk"
fi
waivers=$(find -L "$data/rtl" -name '*.vlt' | sort)
[ -r "$data/rtl/verilator.f" ] || fail 7 "$data/rtl/verilator.f: not found; the installation is incomplete"
contract=''
[ -n "$leaf" ] || contract=$(cd "$data" && find -L models -name "$block.h")  # models/<family>/<block>.h
[ -n "$contract$leaf" ] || fail 2 "block $block has no contract: no file $block.h below $data/models"
glue="$data/cosim/shim/block_shim.cc $data/cosim/shim/shim.h $data/models/block.h $data/$contract $data/cosim/verilate.sh $data/cosim/edge.awk $data/cosim/inputs.awk"
[ -z "$leaf" ] || glue="$data/cosim/verilate.sh $data/cosim/edge.awk"
# rtl/verilator.f holds the flags that the modules are written for. <block>.f beside a module adds
# flags for that block alone, except for code coverage. Names of the files that <block>.f names also
# begin with the block's name.
more=$(find -L "$data/rtl" -name "$block.f")
named=$(find -L "$data/rtl" -name "$block.cfg")
# If <block>.groups exists, the model's top is a wrapper of the block that registers inputs by
# groups (inputs.awk).
groups=$(find -L "$data/rtl" -name "$block.groups")
[ -z "$user$cover" ] || groups=''
leaves='' leaf_names=''
[ -n "$user$cover$flat$leaf" ] || leaves=$(find -L "$data/rtl" -name "$block.leaves")
if [ -n "$leaves" ]; then
    glue="$glue $data/cosim/leaves.awk $leaves"
    leaf_names=$(awk -v make=list -v params="$params" -f "$data/cosim/leaves.awk" "$leaves") || fail 7 "$leaves: cannot be read"
    [ -n "$leaf_names" ] || leaves=''
fi
if [ -n "$leaves" ]; then
    more='' named='' groups=''
    glue="$glue $data/cosim/shim/leaves.h"
fi
trace='--trace-fst --trace-max-width 16384 --trace-max-array 48'
flags="+define+SIM +define+RF_OBS${bug:+ +define+TESTBUG}"
# Code coverage: Verilator counts lines and branches, and its trace code counts toggles
# (cosim/shim/toggle). The trace has no limits, because it would silently omit wide ports and
# memories.
if [ -n "$cover" ]; then
    more='' named=''
    # Coverage counters are separate statements. If Verilator reorders or splits them, they read a
    # function's locals before these are set. (Verilator 5.006 counted every `if` of a function as
    # not taken.)
    flags="$flags --coverage-line -fno-reorder -fno-split --trace-underscore --trace-max-width 1000000000 --trace-max-array 1000000000"
    glue="$glue $data/cosim/shim/toggle/verilated_fst_c.h"
fi
if [ -n "$user" ]; then strict='-Wno-fatal'; else strict='-Wall -Wno-fatal'; fi
cxxflags=$(setting cxxflags)
machine=''
case $cxxflags in *march=native*) machine=$(grep -m1 '^flags' /proc/cpuinfo 2>/dev/null) ;; esac

done_with() {
    echo "$1"
    printf '%s\n' $user $headers $files $seeds $waivers $includes $glue "$data/rtl/verilator.f" $more $named $groups "$toolchain"
    find -L "$data/rtl" -type d
    exit 0
}
hash=$({ cat $user $headers $files $seeds $waivers $includes $glue "$data/rtl/verilator.f" $more $named $groups "$toolchain"; echo "$block $params $bug $cover $trace $flags $machine ${user:+user}"; } | sha256sum) ||
    fail 7 "$block: sources cannot be read"
hash=$(printf %.16s "$hash")
name=$block-$hash
if [ -n "$leaf" ]; then product=$name.leaf; else product=$name.so; fi
for dir in "$have" "$out"; do
    [ -r "$dir/$product" ] && done_with "$dir/$product"
done
[ -z "$find" ] || exit 3

# --- build ----------------------------------------------------------------------------------------------

command -v verilator >/dev/null 2>&1 ||
    fail 7 "block $block with$params is not built yet and verilator is not installed (apt install verilator)"
cxx=$(setting cxx)
command -v "$cxx" >/dev/null 2>&1 || fail 7 "block $block with$params is not built yet and the compiler $cxx is missing (apt install g++)"
found=$(verilator --version 2>/dev/null)
[ "$found" = "$(setting verilator)" ] ||
    fail 7 "verilator is '$found', but the project was built with '$(setting verilator)': build the project again"
mkdir -p "$out" 2>/dev/null || fail 7 "$out: cannot be made"

# The process that made the lock file removes it while it holds the lock. A process that waited for
# the removed file opens the new one.
lock=$out/$name.lock
(: >>"$lock") 2>/dev/null || fail 7 "$out: not writable"  # a redirection of exec that fails ends the shell
while :; do
    exec 9>"$lock"
    flock 9 || fail 7 "$lock: cannot be locked"
    [ "$lock" -ef /proc/self/fd/9 ] && break
done
trap 'rm -f "$lock"' EXIT
trap 'exit 130' INT TERM
[ -r "$out/$product" ] && done_with "$out/$product"
work=$out/$name.tmp
rm -rf "$work"; mkdir "$work" || fail 7 "$work: cannot be made"
trap 'rm -rf "$work"; rm -f "$lock"' EXIT

class=V_${block}_$hash
beside='' ours=$files
if [ -n "$bug" ]; then
    files=$(sh "$data/cosim/faults.sh" "$work/rtl" select $files) || fail 2 "block $block: its seeded faults do not fit it"
fi
# Each leaf, and the module that the block gets in its place.
leaf_folders=''
leaf_file() { printf '%s\n' $files | grep "/$1\.sv$"; }
for l in $leaf_names; do
    file=$(leaf_file "$l")
    given=$(awk -v make=given -v leaf="$l" -v params="$params" -f "$data/cosim/leaves.awk" "$leaves" "$file") || exit 7
    made=$(sh "$data/cosim/verilate.sh" --leaf --data "$data" --toolchain "$toolchain" --have "$have" --out "$out" \
        --block "$l" ${bug:+--testbug} $(printf -- '--param %s ' $given)) || exit
    leaf_folders="$leaf_folders $(printf '%s\n' "$made" | head -n 1)"
    mkdir -p "$work/outside"
    awk -v make=outside -v leaf="$l" -v params="$params" -f "$data/cosim/leaves.awk" "$leaves" "$file" \
        >"$work/outside/$l.sv" || exit 7
done
kinds=$files
for l in $leaf_names; do files=$(printf '%s\n' $files | sed "s|.*/$l\.sv\$|$work/outside/$l.sv|"); done
for f in $user; do beside="$beside -I$(dirname "$f")"; done
top=$block wrapper='' ngroups=0 grouped=$groups
if [ -n "$leaves" ]; then
    grouped=$work/groups
    awk -v make=groups -f "$data/cosim/leaves.awk" "$leaves" >"$grouped" && [ -s "$grouped" ] || fail 7 "$leaves: no groups"
fi
if [ -n "$grouped" ]; then
    top=smcosim_top wrapper=$work/smcosim_top.sv
    ngroups=$(grep -c '^[^#]' "$grouped")
    [ "$obs" = 0 ] || set -- in:obs_addr_i:32:observation "out:obs_data_o:$((32 * obs)):observation"
    # The port of injected faults. The block declares it when faults are compiled in.
    [ -z "$bug" ] || ! grep -qw fault_i $(printf '%s\n' $files | grep "/$block\.sv$") || set -- "$@" in:fault_i:64:fault
    printf '%s\n' $ports "$@" in:rst_ni:1:reset | awk -v block="$block" -v params="$params" -v groups="$grouped" \
        -v header="$work/groups.h" -f "$data/cosim/inputs.awk" >"$wrapper" || fail 7 "$grouped: cannot be read"
fi
# The file list is explicit, so that nothing outside the hash is read. Warnings are rejected below,
# after the check of the ports, because a wrong port is the better message.
verilated() {
    generics=''
    [ -n "$wrapper" ] || for p in $params; do
        case " $lacking " in *" ${p%%=*} "*) ;; *) generics="$generics -G$p" ;; esac
    done
    verilator --cc $strict -f "$data/rtl/verilator.f" $trace ${more:+-F $more} $flags --top-module "$top" --prefix "$class" --Mdir "$work" \
        $generics --output-split 30000 --output-split-cfuncs 3000 $beside -I"$data/rtl" $waivers $files $user $wrapper \
        >"$work/log" 2>&1
}
refused() {
    fail 2 "block $block with$params: the RTL is not accepted:
$(grep -v '^%Error: Exiting\|^%Error: Command Failed' "$work/log" | head -n 20)"
}
lacking=''
if ! verilated; then
    # A module without some of the parameters (a netlist) is compiled without them. The loader reads
    # its parameter values back.
    lacking=$(sed -n 's/^%Error: Parameters from the command line were not found in the design: //p' "$work/log" | tr -d ',')
    [ -n "$user" ] && [ -n "$lacking" ] || refused
    verilated || refused
fi
# Check that Verilator read nothing outside the hash.
for f in $(sed 's/^[^:]*://; s/\\$//' "$work/${class}__ver.d"); do
    case $f in "$data"/*|*/verilator_bin*|"$work"/*) continue ;; esac
    [ "${f##*.}" != vlt ] || continue
    case " $(echo $user $headers $files $waivers $includes) " in *" $f "*) ;;
    *) fail 2 "block $block: $f is read, but is not one of the files given with --rtl" ;; esac
done

# Compare the port table with the ports of the Verilog, taken from the generated header:
# VL_IN8(&rd_valid_i,15,0); VL_OUTW(&rd_data_o,4095,0,128);
sed -n 's/^ *VL_\(IN\|OUT\)[0-9W]*(&\([A-Za-z0-9_]*\),\([0-9]*\),\([0-9]*\).*/\1 \2 \3 \4/p' "$work/$class.h" |
    awk '{ print ($1 == "IN" ? "in" : "out"), $2, $3 - $4 + 1 }' >"$work/found"
has() { grep -q " $1 " "$work/found"; }
if [ -n "$user" ] && ! has obs_addr_i && ! has obs_data_o; then
    obs=0
    ports=$(printf '%s\n' $ports | grep -v '^out:obs_')
fi
[ "$obs" = 0 ] || ports="$ports in:obs_addr_i:32:observation out:obs_data_o:$((32 * obs)):observation"
fault=''
[ -z "$bug" ] || ! has fault_i || { fault=1; ports="$ports in:fault_i:64:fault"; }
[ -z "$wrapper" ] || for g in $(seq 0 $((ngroups - 1))); do ports="$ports in:group${g}_i:1:group"; done
for p in $ports in:clk_i:1:clock in:rst_ni:1:reset; do echo "$p"; done >"$work/expected"
[ -n "$leaf" ] || awk -v block="$block" -v params="$params" -v lacking="$lacking" -v obs="$obs" -v contract="$contract" '
    function say(text) { if (!bad++) print "block " block " with" params ": ports differ from the port table (" contract "):"; print "  " text }
    FILENAME ~ /found$/ { dir[$2] = $1; bits[$2] = $3; next }
    { split($0, e, ":"); seen[e[2]] = 1
      if (!(e[2] in dir)) say("port " e[2] " is missing in the Verilog; expected " e[1] "put of " e[3] " bits (" e[4] ")")
      else if (dir[e[2]] != e[1]) say("port " e[2] ": expected " e[1] "put, found " dir[e[2]] "put")
      else if (bits[e[2]] != e[3]) say("port " e[2] ": expected " e[3] " bits (" e[4] "), found " bits[e[2]]) }
    END { count = obs == 0 ? split(lacking, names, " ") : 0
          for (i = 1; i <= count; i++)
              say("parameter " names[i] " is missing in the Verilog, and no observation port tells its value")
          for (p in dir) if (!(p in seen)) say("port " p " (" dir[p] "put, " bits[p] " bits) is not in the port table")
          exit bad > 0 }' "$work/found" "$work/expected" >&2 || exit 2
if grep -q '^%Warning' "$work/log"; then
    [ -n "$user" ] || refused
    head -n 40 "$work/log" >&2
fi

# In waves the block has the same scope as without smcosim_top.
[ -z "$wrapper" ] || for f in "$work"/*Trace*Slow.cpp; do
    awk '/pushNamePrefix\(/ { skip = 0 } /pushNamePrefix\("smcosim_top "\)/ { sub(/smcosim_top /, ""); print; skip = 1 } !skip' \
        "$f" >"$f.new" && mv "$f.new" "$f"
done

# The instance's name has the scopes around a leaf, so the wave skips that of its module.
[ -z "$leaf" ] || for f in "$work"/*Trace*Slow.cpp; do
    awk -v push="pushNamePrefix(\"$block \")" '/trace_init_sub__TOP__0\(.*\{$/ { skip = 1 }
        skip && index($0, push) { sub(/".*"/, "\"\""); skip = 0 } !skip || !/tracep->decl/' "$f" >"$f.new" && mv "$f.new" "$f"
done

# Extract a clock edge without the logic behind the inputs, if edge.awk finds it correct.
edge=1
[ -z "$wrapper" ] || edge=0
[ "$edge" = 0 ] || awk -v class="$class" -f "$data/cosim/edge.awk" $(ls "$work/$class"*.cpp | grep -v "Trace\|Slow\|__Syms\|/$class\.cpp") \
    >"$work/edge.cpp" || { edge=0; rm "$work/edge.cpp"; }
[ -z "$leaf" ] || [ "$edge" = 1 ] || cat >"$work/edge.cpp" <<EOF
#include "${class}___024root.h"
void ${class}___024root___eval(${class}___024root *);
void ${class}___024root___edge(${class}___024root *v) { ${class}___024root___eval(v); }
EOF
root=${class}___024root models=$work/leaf_models.h
for l in $leaf_names; do
    kind=$(printf '%s\n' $leaf_folders | sed -n "s|.*/\($l-[0-9a-f]*\)\.leaf\$|V_\1|p" | tr - _)
    echo "#include \"$kind.h\"
class ${kind}___024root;
void ${kind}___024root___edge(${kind}___024root *);"
done >"$models"
for l in $leaf_names; do
    kind=$(sed -n "s/^#include \"\(V_${l}_[0-9a-f]*\)\.h\"\$/\1/p" "$models")
    awk -v make=kind -v leaf="$l" -v class="$kind" -v top="$root" -f "$data/cosim/leaves.awk" "$leaves" \
        $(printf '%s\n' $kinds | grep "/$l\.sv$") "$work/$root.h" "$(printf '%s\n' $leaf_folders | grep "/$l-")/$kind.h" || exit 7
done >"$work/leaf_kinds.h"

defines="-DSHIM_BLOCK=$block -DSHIM_UPPER=$upper -DSHIM_CAMEL=$camel -DSHIM_CLASS=$class -DSHIM_OBS_WORDS=$obs"
defines="$defines -DSHIM_FAULT=${fault:-0} -DSHIM_COVER=${cover:-0} -DSHIM_EDGE=$edge -DSHIM_GROUPS=$ngroups"
[ -z "$leaf_names" ] || defines="$defines -DSHIM_LEAVES=$(for l in $leaf_names; do printf 'LEAF(%s)' "$l"; done) -DSHIM_ROOT_HEADER=\"$root.h\""
for p in $params; do defines="$defines -DSHIM_PARAM_$p"; done
include=$(setting include) launcher=$(setting launcher)
common="-std=c++17 -fPIC -fvisibility=hidden -w -I$work${cover:+ -I$data/cosim/shim/toggle} -I$include -I$include/vltstd -DVM_COVERAGE=${cover:-0} -DVM_SC=0 -DVM_TRACE=1 -DVM_TRACE_FST=1 -DVM_TRACE_VCD=0 -DVM_TIMING=0"
# First-time code is large. It runs once in a run, but once per chunk of a verification (memories
# are cleared in loops; a leaf has these loops). Trace code runs only in windows. Files of one kind are compiled together,
# because their common headers take longer than most of the code. The size of a unit is limited so
# that all cores have work.
ls -l "$work"/*.cpp | awk -v work="$work" -v first="${leaf_names:+Slow|}Trace.*Slow|Syms" '
    { file = $NF
      opt = file ~ first ? "-O0" : file ~ /Slow|Trace/ ? "-O1" : "-O2"
      if (!(opt in unit) || size[opt] + $5 > 300000) { unit[opt] = work "/unit" ++units opt ".cc"; size[opt] = 0 }
      size[opt] += $5
      print "#include \"" file "\"" >unit[opt] }'
for f in "$work"/unit*.cc; do
    case $f in *-O2.cc) opt= ;; *) opt=${f##*-} opt=-${opt%.cc} ;; esac
    printf '%s\n' "$launcher $cxx $common $cxxflags $opt -c $f -o $f.o"
done >"$work/commands"
xargs -P "$(nproc)" -I{} sh -c '{}' <"$work/commands" 2>>"$work/log" || fail 7 "$block: $cxx failed:
$(tail -n 20 "$work/log")"
if [ -n "$leaf" ]; then
    mkdir "$work/leaf" && "$cxx" -r -nostdlib -o "$work/leaf/leaf.o" "$work"/*.o 2>>"$work/log" && cp "$work/$class.h" "$work/leaf" ||
        fail 7 "$block: linking failed:
$(tail -n 20 "$work/log")"
    mv "$work/leaf" "$out/$product" || fail 7 "$out: cannot be written"
    done_with "$out/$product"
fi
# The glue includes "cosim/shim/shim.h" and "models/..", both below --data.
leaf_objects='' leaf_include=''
for f in $leaf_folders; do leaf_objects="$leaf_objects $f/leaf.o" leaf_include="$leaf_include -I$f"; done
"$cxx" $common $leaf_include $cxxflags $defines -DSHIM_PARAMS="\"${params# }\"" -DSHIM_MODEL_HEADER="\"$contract\"" \
    -DSHIM_CLASS_HEADER="\"$class.h\"" -I"$data" -c "$data/cosim/shim/block_shim.cc" -o "$work/shim.o" 2>>"$work/log" ||
    fail 7 "$block: the glue does not compile:
$(tail -n 20 "$work/log")"
"$cxx" -shared -Wl,-soname,"$name.so" -o "$work/$name.so" "$work"/*.o $leaf_objects 2>>"$work/log" ||
    fail 7 "$block: linking failed:
$(tail -n 20 "$work/log")"
{
    echo "block $block"; echo "parameters$params"; echo "flags $trace $flags"; echo "toolchain $(setting version)"
    echo "files"; sha256sum $user $headers $ours $seeds $waivers $includes $glue $groups
} >"$work/$name.txt"
mv "$work/$name.txt" "$out/$name.txt" && mv "$work/$name.so" "$out/$name.so" || fail 7 "$out: cannot be written"
done_with "$out/$name.so"
