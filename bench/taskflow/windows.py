#!/usr/bin/env python3
# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Windows of buffers between loop nests: bytes with and without, and whether the output is the same.

    python3 -m bench.taskflow.windows [--output bench/windows.md] [--opt FILE] [KERNEL ...]

The kernels lie in ../shared/data/kernels or $STOWAGE_SHARED. Each is executed as it is and fused, and what it
prints is compared.
"""

import sys

from bench import measure
from testing import places, tables
from testing.execute import Tools, difference
from testing.process import ToolError
from testing.taskflow import fuse

KERNELS = places.SHARED / "kernels"
NOALIAS = "assume-noalias-arguments"


def bytes_of(functions, when):
    return sum(f[when]["bytes"] for f in functions)


def row_of(tools, path):
    original = path.read_text()
    whole, _ = fuse(tools, original, f"{NOALIAS} windows=false", "convert-affine-to-taskflow{copies}")
    kept, after = fuse(tools, original, NOALIAS, "convert-affine-to-taskflow{copies}")
    said = difference(tools.run(original), tools.run(after))
    return [path.stem, bytes_of(whole, "before"), bytes_of(whole, "after"), bytes_of(kept, "after"),
            sum(f["after"]["tasks"] for f in kept), "DIFFERS" if said else "equal"]  # fmt: skip


def main():
    parser = measure.arguments(__doc__)
    parser.add_argument("kernels", nargs="*", metavar="KERNEL")
    args = parser.parse_args()
    tools = Tools(opt=args.opt)
    paths = [p for p in sorted(KERNELS.glob("*.mlir")) if not args.kernels or p.stem in args.kernels]
    if not paths:
        raise ToolError(f"no kernels in {KERNELS}: set $STOWAGE_SHARED to the folder that has data/kernels")
    head = ["<kernel", "as written", "fused, whole buffers", "fused, windows", "tasks", "<output"]
    table = tables.table(head, [row_of(tools, p) for p in paths])
    tables.write(args.output, f"# Windows of buffers between loop nests\n\n{HEAD}\n\n{table}")
    return 0


HEAD = """\
Written by `python3 -m bench.taskflow.windows`. Bytes are those of all local buffers of a kernel, added. What each kernel
prints is compared with what it prints as written, bit for bit."""

if __name__ == "__main__":
    try:
        sys.exit(main())
    except ToolError as error:
        sys.exit(str(error))
