#!/usr/bin/env python3
# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Windows of buffers between loop nests: bytes and time with and without, and whether the output is the same.

    python3 -m bench.taskflow.windows [--output bench/windows.md] [--opt FILE] [KERNEL ...]

The kernels lie in ../shared/data/kernels or $STOWAGE_SHARED. Each is executed as it is and fused, and what it
prints is compared.
"""

import re
import sys

from bench import measure, pairs
from testing import places, tables
from testing.execute import Tools, difference
from testing.native import Native
from testing.process import ToolError
from testing.taskflow import fuse

KERNELS = places.SHARED / "kernels"
NOALIAS = "assume-noalias-arguments"
CALL = re.compile(r"^ *(?:func\.)?(call @kernel\(.*)$", re.M)
CALLS = 5000


def bytes_of(functions, when):
    return sum(f[when]["bytes"] for f in functions)


def clocked(text):
    """A program that calls its kernel so often, and prints the seconds that this took."""
    around = [f"%clock_calls = arith.constant {CALLS} : index", "%clock_zero = arith.constant 0 : index",
              "%clock_one = arith.constant 1 : index", "%clock_start = func.call @rtclock() : () -> f64",
              "scf.for %clock_call = %clock_zero to %clock_calls step %clock_one {", f"func.{CALL.search(text)[1]}", "}",
              "%clock_end = func.call @rtclock() : () -> f64", "%clock_seconds = arith.subf %clock_end, %clock_start : f64",
              'vector.print str "# seconds "', "vector.print %clock_seconds : f64 punctuation <no_punctuation>",
              "func.call @printNewline() : () -> ()"]  # fmt: skip
    text = CALL.sub(lambda _: "\n".join(around), text, count=1)
    end = text.rindex("}")
    return text[:end] + "func.func private @rtclock() -> f64\n}\n"


def ratio_of(native, args, whole, windows):
    programs = [native.optimized(clocked(form), noinline=("kernel",), cpu="native") for form in (whole, windows)]
    return pairs.timed(native, programs, args.seconds, args.pairs).median()


def row_of(native, args, path):
    tools = native.tools
    original = path.read_text()
    whole, plain = fuse(tools, original, f"{NOALIAS} windows=false", "convert-affine-to-taskflow{copies}")
    kept, after = fuse(tools, original, NOALIAS, "convert-affine-to-taskflow{copies}")
    said = difference(tools.run(original), tools.run(after))
    return [path.stem, bytes_of(whole, "before"), bytes_of(whole, "after"), bytes_of(kept, "after"),
            sum(f["after"]["tasks"] for f in kept), "DIFFERS" if said else "equal",
            f"{ratio_of(native, args, plain, after):.2f}"]  # fmt: skip


def main():
    parser = measure.arguments(__doc__)
    pairs.arguments(parser)
    parser.add_argument("kernels", nargs="*", metavar="KERNEL")
    args = parser.parse_args()
    native = Native(Tools(opt=args.opt))
    paths = [p for p in sorted(KERNELS.glob("*.mlir")) if not args.kernels or p.stem in args.kernels]
    if not paths:
        raise ToolError(f"no kernels in {KERNELS}: set $STOWAGE_SHARED to the folder that has data/kernels")
    head = ["<kernel", "as written", "fused, whole buffers", "fused, windows", "tasks", "<output", "time"]
    table = tables.table(head, [row_of(native, args, p) for p in paths])
    tables.write(args.output, f"# Windows of buffers between loop nests\n\n{HEAD}\n\n{table}")
    return 0


HEAD = """\
Written by `python3 -m bench.taskflow.windows`. Bytes are those of all local buffers of a kernel, added. What each kernel
prints is compared with what it prints as written, bit for bit. Time is that of one thread as a multiple of the time with
whole buffers, the median of pairs: kernels of some hundred cells, all of them in the first cache. Where a window has a
few cells alone, the inner loops are short and LLVM makes no vectors of them."""

if __name__ == "__main__":
    try:
        sys.exit(main())
    except ToolError as error:
        sys.exit(str(error))
