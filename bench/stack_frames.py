#!/usr/bin/env python3
# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures stack frames: as they are, with lifetime markers, and packed.

    stack_frames.py --build-dir build --output bench/stack.md

The networks of examples/generate.py, bufferized, all their temporaries promoted to the stack by
promote-buffers-to-stack. Each is then compiled three ways: as it is; with insert-lifetimes, so that
LLVM merges stack slots; with pack-stack. A frame is what llc -O2 reports for the network's function.
All three are executed and must print the same bits.
"""

import argparse
import os
import re
import resource
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "test" / "exec")]

from harness import ToolError, Tools, difference  # noqa: E402

NETWORKS = [
    "mlp --layers 1", "mlp --layers 2", "mlp --layers 4", "mlp --layers 8",
    "transformer --layers 1 --hidden 64 --sequence 32", "transformer --layers 2 --hidden 64 --sequence 32",
    "transformer --layers 4 --hidden 128 --sequence 64", "unet --size 16", "unet --size 32",
    "unet --size 64", "mobilenetv2 --size 32", "mobilenetv2 --size 64",
]  # fmt: skip
STACK = ("eliminate-empty-tensors,empty-tensor-to-alloc-tensor,one-shot-bufferize{"
         "bufferize-function-boundaries=1 function-boundary-type-conversion=identity-layout-map},"
         "canonicalize,cse,func.func(promote-buffers-to-stack{max-alloc-size-in-bytes=67108864 "
         "max-rank-of-allocated-memref=8})")  # fmt: skip
WAYS = {"as they are": "", "with markers": "insert-lifetimes,verify-lifetimes,", "packed": "pack-stack,"}
LOWER = "lower-lifetimes-to-llvm{use-generic-functions=1 use-aligned-alloc=1}"


def call(command, text):
    done = subprocess.run([str(c) for c in command], input=text, capture_output=True, text=True)
    if done.returncode:
        raise ToolError(f"{command}\n{done.stderr[:2000]}")
    return done


def frame(tools, program, function):
    """Bytes of the function's frame, as llc reports them."""
    ir = call([tools.bindir / "mlir-translate", "--mlir-to-llvmir"], program).stdout
    llc = [tools.bindir / "llc", "-O2", "-pass-remarks-analysis=prologepilog", "-o", "/dev/null"]
    said = call(llc, ir).stderr
    return int(re.search(rf"(\d+) stack bytes in function '{function}'", said).group(1))


def measure(tools, network, execute):
    source = call([sys.executable, ROOT / "examples" / "generate.py", *network.split()], "").stdout
    stack = tools.apply(source, f"builtin.module({STACK})")
    frames, runs = [], []
    for passes in WAYS.values():
        program = tools.apply(stack, f"builtin.module({passes}{LOWER})")
        frames.append(frame(tools, program, "forward"))
        if execute:
            runs.append(tools.execute(program, level=2, timeout=600))
            problem = difference(runs[0], runs[-1])
            if problem:
                raise ToolError(f"{network}: {problem}")
    allocas = len(re.findall(r"memref\.alloca\b", stack))
    return allocas, frames, bool(runs) and len(runs[0].output)


def row(network, allocas, frames, lines):
    shares = [f"{size:,} ({size / frames[0]:.0%})" for size in frames[1:]]
    return f"| {network} | {allocas} | {frames[0]:,} | {' | '.join(shares)} | {lines or '-'} |"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build-dir", type=Path, default=os.environ.get("STOWAGE_BUILD", ROOT / "build"))
    parser.add_argument("--output", type=Path)
    parser.add_argument("--network", action="append", help="of examples/generate.py, with its options")
    parser.add_argument("--no-run", action="store_true", help="frames only")
    args = parser.parse_args()
    hard = resource.getrlimit(resource.RLIMIT_STACK)[1]
    resource.setrlimit(resource.RLIMIT_STACK, (hard, hard))
    tools = Tools(opt=args.build_dir.resolve() / "bin" / "stowage-opt")
    lines = ["| network | allocas | frame, bytes | with markers | packed | lines equal |",
             "|---|---|---|---|---|---|"]  # fmt: skip
    smaller = True
    for network in args.network or NETWORKS:
        allocas, frames, equal = measure(tools, network, not args.no_run)
        smaller &= frames[1] <= frames[0] and frames[2] <= frames[0]
        lines.append(row(network, allocas, frames, equal))
        print(lines[-1], flush=True)
    if args.output:
        head = "# Stack frames\n\nWritten by `bench/stack_frames.py`, which says what is measured.\n\n"
        args.output.write_text(head + "\n".join(lines) + "\n")
    return 0 if smaller else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except ToolError as error:
        print(f"stack_frames: {error}", file=sys.stderr)
        sys.exit(2)
