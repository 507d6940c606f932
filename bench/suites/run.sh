#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds and runs the CUDA programs of a folder on smcosim and prints a table. Usage:
#   bench/suites/run.sh [--seconds N] [--jobs N] [--smcosim FILE] [--keep DIR] DIR [exec's options...]
# DIR is a copy of Rodinia (cuda/), PolyBench-GPU (CUDA/), cuda-samples (Samples/) or any folder with .cu files. Nothing
# is fetched. A program is a folder with .cu files of which at least one has main(): all its .cu, .cpp and .c files are
# compiled together; when that fails, each .cu file with main() alone; when that fails too, with the folder's Makefile,
# which gets a toolkit whose nvcc writes PTX and links the shared runtime. Copies are patched first (bench/suites/*.sed:
# what CUDA 12 and 13 removed; sizes). Arguments: bench/suites/arguments, a line "FOLDER ARGUMENTS.." where FOLDER ends
# the path; inputs that Rodinia's download brings and nobody has here are made by bench/suites/inputs.
#   --seconds  processor time of each run (default 60)          --jobs  programs at the same time (default 1)
#   --keep     folder for programs and their output (default: a temporary one)
#   --reuse    programs that an earlier run left in the folder of --keep are not built again
#   --build    build only
#   --oracle   every launch by the oracle alone: fast, for the program's own verdict; nothing runs on the SM
# Columns: program; built (yes, no, host: it calls no CUDA); status of exec; launches; cycles; the program's own verdict (PASSED, FAILED, WAIVED: the
# device lacks something that it wants, or -);
# thousand cycles per second. Exit status 1 when a program that was built did not pass.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
seconds=60 jobs=1 smcosim=$here/../../build/smcosim keep= reuse= build= oracle=
while [ $# -gt 0 ]; do
    case $1 in
    --seconds) seconds=$2; shift 2 ;;
    --jobs) jobs=$2; shift 2 ;;
    --smcosim) smcosim=$2; shift 2 ;;
    --keep) keep=$2; shift 2 ;;
    --reuse) reuse=yes; shift ;;
    --build) build=yes; shift ;;
    --oracle) oracle='--blocks model --only 999999999'; shift ;;
    -h | --help) sed -n '3,21s/^# \{0,1\}//p' "$0"; exit 0 ;;
    *) break ;;
    esac
done
[ $# -ge 1 ] && [ -d "$1" ] || { sed -n '3,21s/^# \{0,1\}//p' "$0" >&2; exit 2; }
suite=$(cd "$1" && pwd); shift
nvcc=$(command -v nvcc || ls /usr/local/cuda/bin/nvcc 2>/dev/null || true)
[ -n "$nvcc" ] || { echo "run.sh: nvcc is not at hand" >&2; exit 7; }
[ -x "$smcosim" ] || { echo "run.sh: $smcosim: no such program" >&2; exit 7; }
if [ -n "$keep" ]; then mkdir -p "$keep"; work=$(cd "$keep" && pwd)
    rm -f "$work"/*.row
    [ -n "$reuse" ] && [ -d "$work/source" ] || { reuse=; rm -rf "$work/source" "$work"/*.exe; }
else work=$(mktemp -d); trap 'rm -rf "$work"' EXIT; fi
LIBRARY_PATH=$(dirname "$(dirname "$(readlink -f "$nvcc")")")/lib64/stubs${LIBRARY_PATH:+:$LIBRARY_PATH}  # libcuda
export LIBRARY_PATH
# Folders of helper headers that several programs share (cuda-samples: Common, PolyBench-GPU: common).
includes=$(find "$suite" -type d \( -iname common -o -name inc -o -name include \) | sed 's/.*/-I&/' | head -20)

has_main() { grep -qE '(^|[^A-Za-z0-9_])main[[:space:]]*\(' "$1"; }

# compile OUTPUT FOLDER FILES..: in the patched copy
compile() {
    out=$1; cd "$2"; shift 2
    relocatable=
    if [ $# -gt 1 ] && grep -qsE 'extern[^;]*__(device|constant)__|__device__[^;{]*\)[[:space:]]*;' "$@"; then relocatable=-rdc=true; fi
    more=
    ! grep -qsE 'include *[<"]cuda\.h' "$@" || more=-lcuda
    ! grep -qsE '#pragma omp|omp\.h' "$@" || more="$more -Xcompiler -fopenmp"
    # shellcheck disable=SC2086
    # What the driver samples load: NAME_kernel64.fatbin of NAME_kernel.cu.
    for module in *_kernel.cu; do
        [ -z "$more" ] || [ ! -f "$module" ] || "$nvcc" -w -fatbin -arch=compute_75 -o "${module%.cu}64.fatbin" "$module" || true
    done
    # shellcheck disable=SC2086
    "$nvcc" -w -O2 -cudart shared -arch=compute_75 $relocatable -DcudaThreadSynchronize=cudaDeviceSynchronize -I. $includes -o "$out" "$@" -lm $more
}

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

# one NAME FOLDER FILES..: builds and measures
one() {
    title=$1 place=$2; shift 2
    flat=$(echo "$title" | tr / _)
    [ -z "$reuse" ] || [ ! -s "$work/$flat.build" ] || [ -x "$work/$flat.exe" ] || return 1
    if ! { [ -n "$reuse" ] && [ -x "$work/$flat.exe" ]; } &&
        ! (compile "$work/$flat.exe" "$place" "$@") >"$work/$flat.build" 2>&1; then
        printf '%-48s %-6s\n' "$title" no >"$work/$flat.row"
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
        measure "$title/$(basename "$program")" "$place" "$program"
    done <"$work/$flat.programs"
    ls "$work/$flat"*.row >/dev/null 2>&1
}

# measure NAME FOLDER PROGRAM: a line of the table in NAME.row
measure() {
    title=$1 place=$2 program=$3 flat=$(echo "$1" | tr / _)
    [ -z "$build" ] || { printf '%-48s yes\n' "$title" >"$work/$flat.row"; return 0; }
    arguments=$(awk -v name="$title" '!/^#/ && NF && substr(name, length(name) - length($1) + 1) == $1 { sub(/^[^ ]+ */, ""); print; exit }' "$here/arguments")
    status=0
    # shellcheck disable=SC2086
    (cd "$place" && ulimit -t "$seconds" && exec "$smcosim" exec --json "$work/$flat.json" $oracle $options -- "$program" $arguments) \
        >"$work/$flat.out" 2>"$work/$flat.err" </dev/null || status=$?
    built=yes
    readelf -d "$program" | grep -q 'NEEDED.*libcuda' || built=host
    own=-
    grep -qiE 'pass(ed)?([^a-z]|$)' "$work/$flat.out" && own=PASSED
    grep -qiE 'fail(ed)?([^a-z]|$)|mismatch' "$work/$flat.out" && own=FAILED
    grep -qE 'Non-Matching CPU-GPU Outputs.*: [1-9]' "$work/$flat.out" && own=FAILED
    ! grep -qi 'waiv' "$work/$flat.out" || own=WAIVED
    # With no launch on the SM exec says "vacuous": the program has ended normally, and its launches were executed.
    [ "$status" != 5 ] || ! grep -q 'met none of the program' "$work/$flat.err" || status=0
    grep -qE 'Non-Matching CPU-GPU Outputs.*: 0$' "$work/$flat.out" && own=PASSED
    row=$(python3 - "$work/$flat.json" <<'P' 2>/dev/null || echo "- - -"
import json, sys
l = json.load(open(sys.argv[1]))["launches"][0]
cycles, seconds = l["cycles"], l.get("seconds", 0)
print(sum(k["launches"] for k in l["kernels"]), cycles, round(cycles / seconds / 1000, 1) if seconds else "-")
P
    )
    # shellcheck disable=SC2086
    set -- $row
    [ -z "$oracle" ] || set -- "$(sed -n "s/.*met none of the program's \([0-9]*\) launches.*/\1/p" "$work/$flat.err")" - -
    printf '%-48s %-6s %6s %9s %12s  %-8s %10s\n' "$title" "$built" "$status" "$1" "$2" "$own" "$3" >"$work/$flat.row"
}

options="$*"
printf '%-48s %-6s %6s %9s %12s  %-8s %10s\n' program built status launches cycles own kcycles/s
if [ -z "$reuse" ]; then
    cp -rL "$suite" "$work/source" 2>/dev/null || cp -r "$suite" "$work/source"
    find "$work/source" -name '*.cu' -o -name '*.cuh' -o -name '*.h' -o -name '*.cpp' | while read -r file; do
        for patch in "$here"/*.sed; do [ ! -f "$patch" ] || sed -i -E -f "$patch" "$file"; done
    done
    toolkit
fi
"$here/inputs" "$work/source"
find "$work/source" -name '*.cu' | xargs -r -n1 dirname | sort -u >"$work/folders"
running=0
while read -r folder; do
    name=${folder#"$work/source"}
    name=${name#/}
    mains='' mine=0
    for file in "$folder"/*.cu "$folder"/*.cpp "$folder"/*.c; do
        if [ -f "$file" ] && has_main "$file"; then mains="$mains $(basename "$file")"; mine=$((mine + 1)); fi
    done
    [ "$mine" -gt 0 ] || continue
    (
        cd "$folder"
        if [ "$mine" = 1 ]; then
            # shellcheck disable=SC2046,SC2086
            one "${name:-top}" "$folder" $(ls ./*.cu ./*.cpp ./*.c 2>/dev/null) || one "${name:-top}" "$folder" $mains ||
                made "${name:-top}" "$folder" || true
        else
            for main in $mains; do one "${name:+$name/}${main%.*}" "$folder" "$main" || true; done
            ls "$work/$(echo "$name" | tr / _)"*.json >/dev/null 2>&1 || made "$name" "$folder" || true
        fi
    ) </dev/null &
    running=$((running + 1))
    if [ "$running" -ge "$jobs" ]; then wait; running=0; fi
done <"$work/folders"
wait
cat "$work"/*.row 2>/dev/null | sort
awk '{ all++ } $2 == "yes" { built++; if ($6 == "WAIVED") waived++; else if ($3 == 137) long++; else if ($3 == 0 && $6 != "FAILED") passed++ }
    END { printf "%d programs, %d built: %d passed, %d waived themselves, %d took too long\n", all, built, passed, waived, long
          exit passed + waived + long < built }' "$work"/*.row
