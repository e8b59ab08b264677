#!/usr/bin/env python3
# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Windows of buffers between loop nests: bytes and time with and without, and whether the output is the same, beside
upstream's affine-loop-fusion.

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
FREED = re.compile(r"^ *memref\.dealloc %T\d+ .*\n", re.M)
MADE = re.compile(r"^    (%\w+) = memref\.alloc\(\) .*: (memref<.*>)$", re.M)
UPSTREAM = "builtin.module(func.func(affine-loop-fusion),canonicalize,cse)"
CALLS = 5000


def figures(functions, when):
    return next(f[when] for f in functions if f["function"] == "kernel")


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


def fused_upstream(tools, original):
    """By affine-loop-fusion, which makes buffers smaller where nothing frees them."""
    text = tools.apply(FREED.sub("", original), UPSTREAM)
    begin = text.index("func.func @kernel(")
    end = text.index("\n    return", begin)
    made = MADE.findall(text, begin, end)
    return text[:end] + "".join(f"\n    memref.dealloc {name} : {kind}" for name, kind in made) + text[end:]


def upstreams(native, args, original, expected, whole):
    """Bytes, output and time of affine-loop-fusion; no time where it computes something else."""
    text = fused_upstream(native.tools, original)
    functions, _ = fuse(native.tools, text, "max-rounds=0")
    said = difference(expected, native.tools.run(text))
    time = "" if said else f"{ratio_of(native, args, whole, text):.2f}"
    return [figures(functions, "before")["bytes"], "DIFFERS" if said else "equal", time]


def row_of(native, args, path):
    tools = native.tools
    original = path.read_text()
    whole, plain = fuse(tools, original, f"{NOALIAS} windows=false", "convert-affine-to-taskflow{copies}")
    kept, after = fuse(tools, original, NOALIAS, "convert-affine-to-taskflow{copies}")
    expected = tools.run(original)
    said = difference(expected, tools.run(after))
    return [path.stem, figures(whole, "before")["bytes"], figures(whole, "after")["bytes"], figures(kept, "after")["bytes"],
            figures(kept, "after")["tasks"], "DIFFERS" if said else "equal",
            f"{ratio_of(native, args, plain, after):.2f}",
            *upstreams(native, args, original, expected, plain)]  # fmt: skip


def main():
    parser = measure.arguments(__doc__)
    pairs.arguments(parser)
    parser.add_argument("kernels", nargs="*", metavar="KERNEL")
    args = parser.parse_args()
    native = Native(Tools(opt=args.opt))
    paths = [p for p in sorted(KERNELS.glob("*.mlir")) if not args.kernels or p.stem in args.kernels]
    if not paths:
        raise ToolError(f"no kernels in {KERNELS}: set $STOWAGE_SHARED to the folder that has data/kernels")
    head = ["<kernel", "as written", "fused, whole buffers", "fused, windows", "tasks", "<output", "time", "upstream",
            "<output", "time"]
    table = tables.table(head, [row_of(native, args, p) for p in paths])
    tables.write(args.output, f"# Windows of buffers between loop nests\n\n{HEAD}\n\n{table}")
    return 0


HEAD = """\
Written by `python3 -m bench.taskflow.windows`. Bytes are those of all local buffers of a kernel, added. What each kernel
prints is compared with what it prints as written, bit for bit. Time is that of one thread as a multiple of the time with
whole buffers, the median of pairs: kernels of some hundred cells, all of them in the first cache. Where a window has a
few cells alone, the inner loops are short and LLVM makes no vectors of them. The last three columns are of upstream's
`affine-loop-fusion`, which may compute values again."""

if __name__ == "__main__":
    try:
        sys.exit(main())
    except ToolError as error:
        sys.exit(str(error))
