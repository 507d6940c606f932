#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Seeded faults of the CUDA runtime: the programs of tests/exec/programs must notice each.
Usage: faults.py BUILD PROGRAMS. A fault is one changed line; the file is compiled as the build compiles it, linked into a
library or smcosim of its own, and the program runs with that. Skipped (77) where nvcc or ninja is not at hand."""
import os, re, shlex, shutil, subprocess, sys, tempfile

# The library with the fault, source, program, the line's text and the fault.
FAULTS = [
    ("data/cuda/libcudart.so.13", "csrc/cuda/graphs.c", "conditions", "return body_run(w, !value);", "return body_run(w, 0);"),
    ("data/cuda/libcudart.so.13", "csrc/cuda/graphs.c", "conditions", "CONDITION_SWITCH) return body_run(w, value);",
     "CONDITION_SWITCH) return body_run(w, value + 1);"),
    ("data/cuda/libcudart.so.13", "csrc/cuda/graphs.c", "conditions", "(w->conditional == CONDITION_WHILE && !value)",
     "(w->conditional == CONDITION_WHILE)"),
    ("data/cuda/libcudart.so.13", "csrc/cuda/graphs.c", "conditions", "sizeof c->value, COPY_TO_DEVICE);",
     "0, COPY_TO_DEVICE);"),
    ("data/cuda/libcuda.so.1", "csrc/cuda/driver/driver_link.c", "driver", "if (kind == INPUT_PTX) return add_ptx(s, data, n);",
     "if (kind == INPUT_PTX) return s->n > sizeof(LinkedHeader) ? CUDA_Success : add_ptx(s, data, n);"),
    ("data/cuda/libcuda.so.1", "csrc/cuda/driver/driver_link.c", "driver", "s->n == sizeof(LinkedHeader)) return", "0) return"),
    ("data/cuda/libcuda.so.1", "csrc/cuda/device.c", "driver", "runtime.limits[limit].set ? runtime.limits[limit].value :", ""),
    ("data/cuda/libcudart.so.13", "csrc/cuda/processes.c", "processes",
     "if (handle->what != what) return CUDA_InvalidResourceHandle;", ""),
    ("data/cuda/libcudart.so.13", "csrc/cuda/processes.c", "processes",
     "if (handle->process != (uint32_t)getpid()) return CUDA_Success;", "return CUDA_Success;"),
    ("smcosim", "csrc/device/queued.c", "nested", ": copy_queued(c, &slots[i]);", ": CUDA_Success;"),
    ("smcosim", "csrc/device/queued.c", "nested", "while (head->taken && !error) {", "if (head->taken && !error) {"),
    ("smcosim", "csrc/device/queued.c", "nested", "qsort(slots, n, sizeof *slots, by_order);",
     "qsort(slots, n, sizeof *slots, by_order); if (n == 4) slots[1].order = 0;"),
    ("smcosim", "csrc/fatbin/link.c", "driver", "s->is_extern |= token_is(p, end, \".extern\");", ""),
]


def ninja(build, target):
    out = subprocess.run(["ninja", "-C", build, "-t", "commands", target], capture_output=True, text=True, check=True).stdout
    return out.splitlines()


def link_with_fault(build, root, scratch, target, source, old, new):
    """Path of the target with the fault in the source."""
    text = open(os.path.join(root, source)).read()
    if text.count(old) != 1:
        sys.exit(f"{source}: the line of a fault is there {text.count(old)} times: {old}")
    faulty, made, linked = (os.path.join(scratch, name) for name in ("faulty.c", "faulty.o", os.path.basename(target)))
    with open(faulty, "w") as f:
        f.write(text.replace(old, new))
    commands = ninja(build, target)
    compiles = [c for c in commands if c.endswith(" -c " + os.path.join(root, source))]
    link = commands[-1]
    own = [c for c in compiles if re.search(r" -o (\S+)", c).group(1) in link] or compiles[:1]
    object_ = re.search(r" -o (\S+)", own[0]).group(1)
    words = shlex.split(own[0])
    words[words.index("-o") + 1] = made
    words[-1] = faulty
    words = [w for w in words if w not in ("-MD", "-Werror")] + ["-I" + os.path.dirname(os.path.join(root, source)), "-w"]
    for flag in ("-MT", "-MF"):
        at = words.index(flag)
        del words[at:at + 2]
    subprocess.run(words, cwd=build, check=True)
    words = shlex.split(link.replace(": && ", "", 1).rsplit(" && ", 1)[0])
    words[words.index("-o") + 1] = linked
    if object_ in words:
        words[words.index(object_)] = made
    else:  # of a static library: the linker takes the object that is named earlier
        words.insert(next(i for i, w in enumerate(words) if w.endswith(".a")), made)
    subprocess.run(words, cwd=build, check=True)
    return linked


def compile_program(nvcc, build, programs, name, scratch):
    source = os.path.join(programs, name + ".cu")
    text = open(source).read()
    flags = (re.findall(r"^// nvcc: (.*)", text, re.M) or [""])[0].split()
    if "<cuda.h>" in text:
        flags += ["-Xlinker", os.path.join(build, "data/cuda/libcuda.so.1")]
    program = os.path.join(scratch, name)
    subprocess.run([nvcc, "-cudart", "shared", "-arch=compute_75", "-w", "-o", program, source] + flags, check=True)
    return program


def run(smcosim, data, program, options):
    """Did the program end well?"""
    environment = dict(os.environ, SMCOSIM_DATA=data)
    command = [smcosim, "exec", "--blocks", "model"] + options + ["--", program]
    try:
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120, cwd=os.path.dirname(program))
    except subprocess.TimeoutExpired:
        return False
    return done.returncode == 0 and "PASSED" in done.stdout


def main():
    build, programs = (os.path.abspath(p) for p in sys.argv[1:3])
    nvcc = shutil.which("nvcc") or ("/usr/local/cuda/bin/nvcc" if os.path.exists("/usr/local/cuda/bin/nvcc") else None)
    if not nvcc or not shutil.which("ninja") or not os.path.exists(os.path.join(build, "build.ninja")):
        print("no nvcc or no ninja: nothing is compiled")
        return 77
    root = os.path.dirname(os.path.dirname(os.path.dirname(programs)))
    smcosim, missed = os.path.join(build, "smcosim"), 0
    with tempfile.TemporaryDirectory() as scratch:
        made, options = {}, {}
        for name in sorted({f[2] for f in FAULTS}):
            made[name] = compile_program(nvcc, build, programs, name, scratch)
            options[name] = (re.findall(r"^// exec: (.*)", open(os.path.join(programs, name + ".cu")).read(), re.M) or [""])[0].split()
            if not run(smcosim, os.path.join(build, "data"), made[name], options[name]):
                sys.exit(f"{name} does not pass without a fault")
        for number, (target, source, name, old, new) in enumerate(FAULTS):
            place = os.path.join(scratch, str(number))
            os.mkdir(place)
            linked = link_with_fault(build, root, place, target, source, old, new)
            data, faulty = os.path.join(build, "data"), smcosim
            if target == "smcosim":
                faulty = linked
            else:
                data = os.path.join(place, "data")
                os.mkdir(data)
                for entry in os.listdir(os.path.join(build, "data")):
                    if entry != "cuda":
                        os.symlink(os.path.join(build, "data", entry), os.path.join(data, entry))
                shutil.copytree(os.path.join(build, "data/cuda"), os.path.join(data, "cuda"), symlinks=True)
                os.replace(linked, os.path.join(data, "cuda", os.path.basename(target)))
            noticed = not run(faulty, data, made[name], options[name])
            print(f"{'noticed' if noticed else 'NOT NOTICED'}: {source}, by {name}: {new or 'without'} {'' if new else old}")
            missed += not noticed
    print(f"{len(FAULTS) - missed} of {len(FAULTS)} seeded faults noticed")
    return missed != 0


sys.exit(main())
