# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What benchmarks of time that grows with a program share: the command line, the rows, the table."""

import math
import sys
from dataclasses import dataclass
from typing import Callable

from bench import measure
from testing import tables


@dataclass(frozen=True)
class Growth:
    doc: str
    shapes: dict  # name -> what makes such a program
    sizes: list
    program: Callable  # (shape, size) -> text
    seconds: Callable  # (opt, shape, size) -> processor time
    title: str
    head: str  # below the title; may have {machine} and {notes}
    unit: str  # of sizes
    last: str  # the title of the last column
    tell: Callable  # (opt, shape, size) -> what stands in it, of the largest size


def row(growth, opt, shape, sizes):
    """The cells of a shape, and its longest time."""
    times = [growth.seconds(opt, shape, n) for n in sizes]
    power = f"{math.log2(times[-1] / times[-2]):.1f}" if len(times) > 1 else ""
    return [shape, *(f"{t:.2f} s" for t in times), power, growth.tell(opt, shape, sizes[-1])], max(times)


def main(growth):
    parser = measure.arguments(growth.doc)
    parser.add_argument("--limit", type=float)
    parser.add_argument("--sizes", type=int, nargs="+", default=growth.sizes)
    parser.add_argument("--print", action="store_true", help="the program of one shape and size")
    parser.add_argument("shapes", nargs="*", metavar="SHAPE", help=", ".join(growth.shapes))
    args = parser.parse_args()
    if args.print:
        print(growth.program(args.shapes[0], args.sizes[0]))
        return
    rows = [row(growth, args.opt, shape, args.sizes) for shape in args.shapes or growth.shapes]
    shown = tables.table([f"<{growth.unit}", *map(str, args.sizes), "power", growth.last], [cells for cells, _ in rows])
    notes = "\n".join(f"- {shape}: {made.__doc__}" for shape, made in growth.shapes.items())
    head = f"# {growth.title}\n\n" + growth.head.format(machine=tables.machine(), notes=notes)
    tables.write(args.output, f"{head}\n\n{shown}" if args.output else shown)
    slow = [f"{cells[0]}: {t:.2f} s" for cells, t in rows if args.limit and t > args.limit]
    sys.exit("; ".join(slow) or 0)
