#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds and runs the CUDA programs of some folders on smcosim and prints a table.
# Usage: bench/suites/run.sh [options] DIR... [-- exec's options...].
# DIR is a copy of Rodinia (cuda/), PolyBench-GPU (CUDA/), cuda-samples (Samples/) or any folder
# with .cu files. Nothing is fetched. A program is a folder with .cu files of which at least one has
# main(). All its .cu, .cpp and .c files are compiled together. If that fails, each .cu file with
# main() is compiled alone. If that fails too, the folder's Makefile builds it, with a toolkit whose
# nvcc writes PTX and links the shared runtime. Copies are patched first (bench/suites/*.sed:
# functions that CUDA 12 and 13 removed; sizes). Settings of single programs are in bench/suites:
# arguments, flags (of nvcc), verdicts (where a good end looks different). File outside lists
# programs that are not counted, each with its reason. Script bench/suites/inputs makes the inputs
# that Rodinia's download brings and that are missing here.
#   --seconds N   processor time of each program, and of the simulator that runs it (default 60)
#   --jobs N      programs at the same time (default 1)
#   --keep DIR    folder for programs and their output (default: a temporary one)
#   --reuse       programs that an earlier run left in the folder of --keep are not built again
#   --only REGEX  programs whose name it matches; the table keeps what earlier runs with the same --keep have left
#   --build       build only
#   --oracle      every launch by the oracle alone: fast, for the program's own verdict; nothing runs on the SM
#   --smcosim FILE
# Columns: program; verdict; status of exec; launches; cycles; thousand cycles per second; processor
# time, of program and simulator together. Verdict passed: the program has ended with status 0, or
# as bench/suites/verdicts says, without "FAILED" or mismatches in its output. Verdict failed is the
# opposite; long: the processor time was over; waived: the program reports that the device lacks a
# feature. Verdict no-build: it does not compile; no-cuda: it calls no CUDA; outside: not counted.
# The percentages count passed, failed and long, the second one waived, too. Exit status 1 when one
# of these did not pass.
set -eu
here=$(cd "$(dirname "$0")" && pwd)

# ---- one program: work (folder of the suite), seconds, smcosim, oracle, reuse, build, only, options, nvcc come in the environment ----

has_main() { grep -qE '(^|[^A-Za-z0-9_])main[[:space:]]*\(' "$1"; }

# The line of a table of bench/suites whose first word ends NAME, without that word; nothing: no line.
entry() {
    awk -v name="$2" '!/^#/ && NF && substr(name, length(name) - length($1) + 1) == $1 { sub(/^[^ ]+ */, ""); print $0 " "; exit }' "$here/$1"
}

# row NAME VERDICT [STATUS LAUNCHES CYCLES SPEED SECONDS]
row() { printf '%-46s %-9s %6s %8s %11s %9s %8s\n' "$1" "$2" "${3:--}" "${4:--}" "${5:--}" "${6:--}" "${7:--}" >"$work/$(echo "$1" | tr / _).row"; }

# compile OUTPUT NAME FOLDER FILES..: in the patched copy
compile() {
    out=$1 title=$2; cd "$3"; shift 3
    more=$(entry flags "$title")
    if [ $# -gt 1 ] && grep -qsE 'extern[^;]*__(device|constant)__|__device__[^;{]*\)[[:space:]]*;' "$@"; then more="$more -rdc=true"; fi
    driver=
    if grep -qsE 'include *[<"](cuda|helper_cuda_drvapi)\.h' "$@"; then driver=-lcuda; fi
    ! grep -qsE '#pragma omp|omp\.h' "$@" || more="$more -Xcompiler -fopenmp"
    case $more in *-arch=*) ;; *) more="$more -arch=compute_75" ;; esac
    # Modules that the driver samples load: NAME_kernel64.fatbin or .ptx of NAME_kernel.cu.
    for module in *_kernel.cu; do
        [ -n "$driver" ] && [ -f "$module" ] || continue
        "$nvcc" -w -fatbin -arch=compute_75 -o "${module%.cu}64.fatbin" "$module" || true
        "$nvcc" -w -ptx -arch=compute_75 -o "${module%.cu}64.ptx" "$module" || true
    done
    # Folders of helper headers that several programs share (cuda-samples: Common, PolyBench-GPU: common).
    includes=$(find "$work/source" -type d \( -iname common -o -name inc -o -name include \) | sed 's/.*/-I&/' | head -20)
    # shellcheck disable=SC2086
    "$nvcc" -w -O2 -cudart shared -DcudaThreadSynchronize=cudaDeviceSynchronize -I. $includes -o "$out" "$@" -lm $more $driver
}

# one NAME LOG FOLDER FILES..: builds and measures; LOG gets the compiler's output.
one() {
    title=$1 said=$2 place=$3; shift 3
    flat=$(echo "$title" | tr / _)
    if [ ! -x "$work/$flat.exe" ] && ! { [ -n "$reuse" ] && [ -s "$said" ]; }; then
        (compile "$work/$flat.exe" "$title" "$place" "$@") >"$said" 2>&1 || true
    fi
    if [ ! -x "$work/$flat.exe" ]; then
        row "$title" no-build
        return 1
    fi
    measure "$title" "$place" "$work/$flat.exe"
}

# made NAME FOLDER: with its Makefile, and measures each program that this made
made() {
    title=$1 place=$2 flat=$(echo "$1" | tr / _)
    [ -f "$place/Makefile" ] || return 1
    if [ -z "$reuse" ] || [ ! -e "$work/$flat.before" ]; then
        touch "$work/$flat.before"
        (cd "$place" && PATH="$work/cuda/bin:$PATH" make CUDA_DIR="$work/cuda" CUDA_PATH="$work/cuda" CUDA_HOME="$work/cuda") \
            >>"$work/$flat.build" 2>&1 || return 1
    fi
    rm -f "$work/$flat.row"
    find "$place" -type f -perm -u+x -newer "$work/$flat.before" ! -name '*.o' ! -name '*.so' >"$work/$flat.programs"
    while read -r program; do
        [ "$(head -c 4 "$program" | tail -c 3)" = ELF ] || continue
        (measure "$title/$(basename "$program")" "$place" "$program")
    done <"$work/$flat.programs"
    ls "$work/$flat"*.row >/dev/null 2>&1
}

# judge STATUS FILE NAME: how the program ended. FILE.out: its output, FILE.err: output of smcosim.
judge() {
    wanted=$(entry verdicts "$3")
    if [ -n "$wanted" ]; then
        # shellcheck disable=SC2086
        set -- "$1" "$2" "$3" $wanted
        if [ "$1" = "$4" ] && grep -qF "$(echo "$wanted" | sed 's/^[^ ]* *//; s/ *$//')" "$2.out"; then echo passed; else echo failed; fi
    elif grep -qE 'ended by signal (9|24) ' "$2.err" || [ "$1" = 137 ] || [ "$1" = 152 ]; then echo long
    elif grep -qi 'waiv' "$2.out" || grep -q 'ended with status 2$' "$2.err"; then echo waived
    elif [ "$1" != 0 ] || grep -qE 'FAILED|[Tt]est failed|[Mm]ismatch' "$2.out" ||
        grep -qE 'Non-Matching CPU-GPU Outputs.*: [1-9]' "$2.out"; then echo failed
    else echo passed; fi
}

# measure NAME FOLDER PROGRAM: a line of the table in NAME.row
measure() {
    title=$1 place=$2 program=$3 flat=$(echo "$1" | tr / _)
    [ -z "$build" ] || { row "$title" built; return 0; }
    if ! readelf -d "$program" | grep -q 'NEEDED.*libcuda'; then row "$title" no-cuda; return 0; fi
    arguments=$(entry arguments "$title")
    # shellcheck disable=SC2086
    (cd "$place" && status=0 && (ulimit -t "$seconds" && exec "$smcosim" exec --json "$work/$flat.json" $oracle $options -- \
        "$program" $arguments) >"$work/$flat.out" 2>"$work/$flat.err" </dev/null || status=$?
        echo "$status"; times) >"$work/$flat.times"
    status=$(head -1 "$work/$flat.times")
    used=$(tail -1 "$work/$flat.times" | tr 'ms' '  ' | awk '{ printf "%.1f", 60 * ($1 + $3) + $2 + $4 }')
    launches=- cycles=- speed=-
    if [ -n "$oracle" ]; then
        launches=$(sed -n "s/.*met none of the program's \([0-9]*\) launches.*/\1/p" "$work/$flat.err")
        # No launch ran on the SM: exec calls that vacuous. The program has ended normally, its launches were executed.
        [ "$status" != 5 ] || [ -z "$launches" ] || status=0
    else
        # shellcheck disable=SC2046
        set -- $(python3 - "$work/$flat.json" <<'P' 2>/dev/null || echo "- - -"
import json, sys
l = json.load(open(sys.argv[1]))["launches"][0]
cycles, seconds = l["cycles"], l.get("seconds", 0)
print(sum(k["launches"] for k in l["kernels"]), cycles, round(cycles / seconds / 1000, 1) if seconds else "-")
P
        )
        launches=$1 cycles=$2 speed=$3
    fi
    # Programs that launch nothing are vacuous, too, and pass by their own rule alone (deviceQuery).
    [ "$status" != 5 ] || ! grep -q 'launched no kernel$' "$work/$flat.err" || status=0
    row "$title" "$(judge "$status" "$work/$flat" "$title")" "$status" "${launches:--}" "$cycles" "$speed" "$used"
}

# All programs of a folder.
folder() {
    name=${1#"$work/source"} name=${name#/}
    cd "$1"
    mains='' mine=0
    for file in ./*.cu ./*.cpp ./*.c; do
        if [ -f "$file" ] && has_main "$file"; then mains="$mains $(basename "$file")"; mine=$((mine + 1)); fi
    done
    [ "$mine" -gt 0 ] || return 0
    whole=${name:-top}
    [ -z "$only" ] || echo "$whole" | grep -qE "$only" || return 0
    log=$work/$(echo "$whole" | tr / _)
    rm -f "$log".row "$log"_*.row
    if [ -n "$(entry outside "$whole")" ]; then row "$whole" outside; return 0; fi
    if [ "$mine" = 1 ]; then
        # shellcheck disable=SC2046,SC2086
        one "$whole" "$log.build" "$1" $(ls ./*.cu ./*.cpp ./*.c 2>/dev/null) || one "$whole" "$log.main.build" "$1" $mains ||
            made "$whole" "$1" || true
    else
        for main in $mains; do one "$whole/${main%.*}" "$log.${main%.*}.build" "$1" "$main" || true; done
        ls "$log"*.exe >/dev/null 2>&1 || made "$whole" "$1" || true
    fi
}

if [ "${1:-}" = --folder ]; then folder "$2"; exit 0; fi

# ---- all of them ----

usage() { sed -n '3,29s/^# \{0,1\}//p' "$0"; }
seconds=60 jobs=1 smcosim=$here/../../build/smcosim keep= reuse= build= oracle= only=
while [ $# -gt 0 ]; do
    case $1 in
    --seconds) seconds=$2; shift 2 ;;
    --jobs) jobs=$2; shift 2 ;;
    --smcosim) smcosim=$2; shift 2 ;;
    --keep) keep=$2; shift 2 ;;
    --only) only=$2; shift 2 ;;
    --reuse) reuse=yes; shift ;;
    --build) build=yes; shift ;;
    --oracle) oracle='--blocks model --only 999999999'; shift ;;
    -h | --help) usage; exit 0 ;;
    *) break ;;
    esac
done
suites=
while [ $# -gt 0 ] && [ "$1" != -- ]; do
    [ -d "$1" ] || { echo "run.sh: $1: no such folder" >&2; exit 2; }
    suites="$suites $(cd "$1" && pwd)"
    shift
done
[ -n "$suites" ] || { usage >&2; exit 2; }
[ $# = 0 ] || shift
options=$*
nvcc=$(command -v nvcc || ls /usr/local/cuda/bin/nvcc 2>/dev/null || true)
[ -n "$nvcc" ] || { echo "run.sh: nvcc is not at hand" >&2; exit 7; }
[ -x "$smcosim" ] || { echo "run.sh: $smcosim: no such program" >&2; exit 7; }
smcosim=$(cd "$(dirname "$smcosim")" && pwd)/$(basename "$smcosim")
if [ -n "$keep" ]; then mkdir -p "$keep"; top=$(cd "$keep" && pwd)
else top=$(mktemp -d); trap 'rm -rf "$top"' EXIT; fi
LIBRARY_PATH=$(dirname "$(dirname "$(readlink -f "$nvcc")")")/lib64/stubs${LIBRARY_PATH:+:$LIBRARY_PATH}  # libcuda
export LIBRARY_PATH work seconds smcosim oracle reuse build only options nvcc

# The toolkit as Makefiles see it.
toolkit() {
    mkdir -p "$work/cuda/bin"
    for part in "$(dirname "$nvcc")"/../*; do
        [ "$(basename "$part")" = bin ] || ln -sfn "$(readlink -f "$part")" "$work/cuda/$(basename "$part")"
    done
    cat >"$work/cuda/bin/nvcc" <<'N'
#!/bin/bash
given=("$@") all=()
for ((i = 0; i < ${#given[@]}; i++)); do
    case ${given[i]} in
    -arch | -code | -gencode | -cudart | --gpu-architecture | --gpu-code | --generate-code | --cudart) i=$((i + 1)) ;;
    -arch=* | -code=* | -gencode=* | -cudart=* | --gpu-architecture=* | --gpu-code=* | --generate-code=* | --cudart=* | -deviceemu) ;;
    *) all+=("${given[i]}") ;;
    esac
done
exec NVCC -w -cudart shared -arch=compute_75 "${all[@]}"
N
    sed -i "s|^exec NVCC|exec $nvcc|" "$work/cuda/bin/nvcc"
    # Objects of nvcc that gcc links need C++'s runtime.
    printf '#!/bin/sh\nexec %s "$@" -lstdc++\n' "$(command -v gcc)" >"$work/cuda/bin/gcc"
    chmod +x "$work/cuda/bin/nvcc" "$work/cuda/bin/gcc"
}

# A patched copy of the suite, or the one that --keep has.
copy() {
    mkdir -p "$work"
    [ -n "$only" ] || rm -f "$work"/*.row
    if [ -n "$reuse" ] && [ -d "$work/source" ]; then return; fi
    rm -rf "$work/source" "$work"/*.exe "$work"/*.build
    cp -rL "$1" "$work/source" 2>/dev/null || cp -r "$1" "$work/source"
    find "$work/source" -name '*.cu' -o -name '*.cuh' -o -name '*.h' -o -name '*.cpp' | while read -r file; do
        for patch in "$here"/*.sed; do [ ! -f "$patch" ] || sed -i -E -f "$patch" "$file"; done
    done
    toolkit
}

sum() {
    awk -v what="$1" '$2 != "no-cuda" { all++; n[$2]++; used += $7 }
        END { counted = n["passed"] + n["failed"] + n["long"]
              printf "%s: %d programs: %d passed, %d failed, %d long, %d waived, %d outside, %d do not build%s\n", what, all, n["passed"],
                     n["failed"], n["long"], n["waived"], n["outside"], n["no-build"],
                     n["built"] ? sprintf("; %d only built", n["built"]) : ""
              if (counted) printf "%s: %.1f %% of %d passed (%.1f %% with those that waived themselves), %.0f s of processor time\n", what,
                     100 * n["passed"] / counted, counted, 100 * n["passed"] / (counted + n["waived"]), used
              exit n["passed"] < counted }'
}

for suite in $suites; do
    work=$top/$(basename "$suite")
    copy "$suite"
    "$here/inputs" "$work/source"
    find "$work/source" -name '*.cu' | xargs -r -n1 dirname | sort -u >"$work/folders"
    xargs -r -d '\n' -P "$jobs" -n 1 "$here/run.sh" --folder <"$work/folders" || true
    row program verdict status launches cycles kcycles/s seconds
    cat "$work/program.row"
    rm -f "$work/program.row"
    cat "$work"/*.row 2>/dev/null | sort
    cat "$work"/*.row 2>/dev/null | sum "$(basename "$suite")" || true
done
# shellcheck disable=SC2046
cat $(for suite in $suites; do ls "$top/$(basename "$suite")"/*.row 2>/dev/null; done) </dev/null | sum all
