#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Writes kernels/<name>/<name>.ptx with nvcc and <name>.clang.ptx with clang-16, where these are at
# hand. A kernel whose source says "nvcc-only" needs the CUDA mathematics library or
# printf and has no clang form. Usage: bench/ptx.sh [NAME...]        (default: all kernels)
set -eu
cd "$(dirname "$0")/kernels"
[ $# -gt 0 ] || set -- */
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT INT TERM

# Comments and .file lines may hold this machine's paths.
strip_paths() {
    sed -e '/^[[:space:]]*\.file[[:space:]]/d' -e "s|$PWD/||g" "$1" > "$1.out"
}

for dir in "$@"; do
    name=${dir%/}
    if command -v nvcc > /dev/null; then
        nvcc -ptx -arch=sm_75 -O3 -I. "$name/$name.cu" -o "$tmp/a.ptx"
        strip_paths "$tmp/a.ptx"
        mv "$tmp/a.ptx.out" "$name/$name.ptx"
    fi
    if command -v clang-16 > /dev/null && ! grep -q nvcc-only "$name/$name.cu"; then
        clang-16 -x cuda --cuda-gpu-arch=sm_70 --cuda-device-only --cuda-feature=+ptx78 \
            -nocudainc -nocudalib -Wno-unknown-cuda-version -S -O3 -I. \
            "$name/$name.cu" -o "$tmp/a.ptx"
        strip_paths "$tmp/a.ptx"
        mv "$tmp/a.ptx.out" "$name/$name.clang.ptx"
    fi
done
