#!/usr/bin/env python3
# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures stack frames: as they are, with lifetime markers, and packed.

    python3 -m bench.lifetime.stack_frames --output bench/stack.md

The networks of examples/generate.py, bufferized, all their temporaries promoted to the stack by
promote-buffers-to-stack. Each is then compiled three ways: as it is; with insert-lifetimes, so that
LLVM merges stack slots; with pack-stack. A frame is what llc -O2 reports for the network's function.
All three are executed and must print the same bits.
"""

import re
import resource
import sys

from bench import measure
from testing import networks, tables
from testing.execute import Tools, difference
from testing.process import ToolError, call

NETWORKS = [
    "mlp --layers 1", "mlp --layers 2", "mlp --layers 4", "mlp --layers 8",
    "transformer --layers 1 --hidden 64 --sequence 32", "transformer --layers 2 --hidden 64 --sequence 32",
    "transformer --layers 4 --hidden 128 --sequence 64", "unet --size 16", "unet --size 32",
    "unet --size 64", "mobilenetv2 --size 32", "mobilenetv2 --size 64",
]  # fmt: skip
STACK = "func.func(promote-buffers-to-stack{max-alloc-size-in-bytes=67108864 max-rank-of-allocated-memref=8})"
WAYS = {"as they are": "", "with markers": "insert-lifetimes,verify-lifetimes,", "packed": "pack-stack,"}
LOWER = "lower-lifetimes-to-llvm{use-generic-functions=1 use-aligned-alloc=1}"


HEAD = """# Stack frames

Written by `python3 -m bench.lifetime.stack_frames`.

The temporaries of the networks of `examples/generate.py`, promoted to the stack by `promote-buffers-to-stack`. *Frame* is what
`llc -O2` reports for the network's function: as it is; *with markers*, after `insert-lifetimes`, so that LLVM merges stack slots;
*packed*, after `pack-stack`. All three are executed and must print the same: *lines equal* counts the lines."""


def frame(tools, program, function):
    """Bytes of the function's frame, as llc reports them."""
    ir = call([tools.bindir / "mlir-translate", "--mlir-to-llvmir"], program).out
    llc = [tools.bindir / "llc", "-O2", "-pass-remarks-analysis=prologepilog", "-o", "/dev/null"]
    said = call(llc, ir).err
    return int(re.search(rf"(\d+) stack bytes in function '{function}'", said).group(1))


def frames_of(tools, network, execute):
    memrefs = networks.bufferized(tools, *network.split())
    stack = tools.apply(memrefs, f"builtin.module({STACK})")
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
    return network, allocas, f"{frames[0]:,}", *shares, lines or "-"


def main():
    parser = measure.arguments(__doc__)
    parser.add_argument("--network", action="append", help="of examples/generate.py, with its options")
    parser.add_argument("--no-run", action="store_true", help="frames only")
    args = parser.parse_args()
    hard = resource.getrlimit(resource.RLIMIT_STACK)[1]
    resource.setrlimit(resource.RLIMIT_STACK, (hard, hard))
    tools = Tools(opt=args.opt)
    smaller, rows = True, []
    for network in args.network or NETWORKS:
        tables.say(network)
        allocas, frames, equal = frames_of(tools, network, not args.no_run)
        smaller &= frames[1] <= frames[0] and frames[2] <= frames[0]
        rows.append(row(network, allocas, frames, equal))
    columns = ["<network", "allocas", "frame, bytes", "with markers", "packed", "lines equal"]
    tables.write(args.output, (f"{HEAD}\n\n" if args.output else "") + tables.table(columns, rows))
    return 0 if smaller else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except ToolError as error:
        print(f"stack_frames: {error}", file=sys.stderr)
        sys.exit(2)
