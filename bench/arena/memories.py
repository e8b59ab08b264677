#!/usr/bin/env python3
# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What fit-memory places in a small memory and in a large one behind it.

    python3 -m bench.arena.memories --output bench/memories.md
"""

import re
import sys
import tempfile
from pathlib import Path

from bench import measure
from bench.arena.budget import compiled
from testing import networks, process, tables
from testing.execute import Tools, difference
from testing.native import Native
from testing.process import ToolError
from testing.settled import settled

HEAD = """# Several memories

Written by `python3 -m bench.arena.memories`.

Networks of examples/generate.py, on a machine with a fast memory of so many bytes, in which a byte costs 1, and a large one, in which it
costs 8. Weights are arguments, and not counted. What runs *before*: `reduce-peak`, as `fit-memory` has it run, whose streams have all rows
in one buffer, which is in one memory as a whole; *windows apart*, which is `elide-copies,order-for-memory,stream-rows{overlap=false}`, whose
streams have a buffer for each window; or nothing. *More time* is what buffers in the large memory add to the model's time, *at
least* what any choice with as few bytes alive adds. [fit-memory](../docs/fit-memory.md#several-memories) says how places are found."""

CONSTANTS = """## Weights in flash

The same networks with weights as constants, in a third memory in which a byte costs 8, and windows apart. Copies of weights in the fast
memory are made by `memref.copy`, or by transfers one op ahead (`dma`); with these, constants that are not copied as a whole come *by rows*,
in tiles that are transferred while the op works on the one before. *Without room* are those that would pay as a whole, but have none; *more time* is what that and buffers in the large memory add to the model's time, *less time* what the copies that are left save of
it. Time that transfers hide is *hidden*: a model, which no machine has measured. Each program is executed before and after, with
`merge-alloc{poison}` and `check-arena-plan`, with transfers that end where they start and with those that end at their wait: the hashes of
all results and arguments are equal. [Constants](../docs/fit-memory.md#constants) are described with the pass."""

ALONE = "merge-alloc,buffer-deallocation"
FITTED = "merge-alloc{poison},check-arena-plan,buffer-deallocation,lower-memory-spaces"

NETWORKS = [("mobilenetv2 --type i8", 128 << 10), ("mobilenetv2 --type i8", 192 << 10), ("mobilenetv1", 1 << 20), ("resnet50", 2 << 20),
            ("person-detection", 12 << 10), ("person-detection", 24 << 10)]  # fmt: skip
SECONDS = 600  # that a network may run
WEIGHTS = [("person-detection", 12 << 10), ("person-detection", 24 << 10), ("mobilenetv2 --type i8", 128 << 10), ("mobilenetv2 --type i8", 192 << 10)]

APART = "elide-copies,order-for-memory,stream-rows{overlap=false},"
BEFORE = {"reduce-peak": ("", "true"), "windows apart": (APART, "false"), "nothing": ("", "false")}

COLUMNS = ["<network", "fast bytes", "<before", "arena before", "in the fast one", "in the large one", "placed there", "more time", "at least"]

REMARK = re.compile(r"fast: arenas of (\d+) bytes(?:, not (\d+))?(?:, of which [^;]*)?(?:; buffers placed in large: (\d+), of \d+ bytes)?"
                    r"(?:; constants without room: (\d+), of (\d+) bytes)?(?:; ops that run again: \d+)?(?:; buffers spilled: [^;]*)?(?:; ([0-9.]+) % more time by the model, at least ([0-9.]+) %)?")  # fmt: skip


COPIED = re.compile(r"constants copied from flash: (\d+), of (\d+) bytes(?:; by rows: (\d+), of (\d+) bytes)?; ([0-9.]+) % less time by the model(?:, if transfers run beside other ops for ([0-9.]+) %)?")
COPIED_COLUMNS = ["<network", "fast bytes", "<copied by", "in the fast one", "in the large one", "placed there", "weights copied", "bytes of them",
                  "by rows", "bytes of them", "without room", "more time", "at least", "less time", "hidden"]  # fmt: skip


def fitted(opt, source, memories, network, before, options="", behind=""):
    """The program after other passes `behind`, and what the pass says: all, what the fast memory has, and how many bytes the large one has."""
    passes, reduces = BEFORE[before]
    done = process.call([str(opt), str(source), "--remarks-filter=fit-memory", "--mlir-disable-threading",
                        f"--pass-pipeline=builtin.module({passes}fit-memory{{memories={memories} reduce-peak={reduces} {options}}}{behind})"])  # fmt: skip
    said = done.err
    fast = max(REMARK.findall(said), key=lambda m: int(m[0]), default=None)
    if not fast:
        raise ToolError(f"{network}: {said.strip()}")
    return done.out, said, fast, max((int(n) for n in re.findall(r"large: arenas of (\d+)", said)), default=0)


def ran(native, text, function, late=False):
    return native.run(compiled(native, settled(text, late), function), SECONDS)


def execute(native, source, network, options, text):
    """Raises ToolError where a result of the text differs from that of merge-alloc alone."""
    function = re.findall(r"func\.func @(\w+)", source.read_text())[-1]
    first = ran(native, native.tools.apply(source, f"builtin.module({ALONE})"), function)
    for late in (False, True):
        problem = difference(first, ran(native, text, function, late))
        if problem:
            raise ToolError(f"{network}, {options or 'copies'}: {problem}")


def copied_row(native, source, memories, network, size, options):
    text, said, (now, _, placed, left, _, more, least), large = fitted(native.tools.opt, source, memories, network, "windows apart", options, f",{FITTED}")
    execute(native, source, network, options, text)
    count, moved, tiled, sent, less, hidden = (COPIED.findall(said) or [("0", "0", "", "", "0", "")])[0]
    return (network, tables.count(size), "transfers" if options else "copies", tables.count(int(now)), tables.count(large), placed or "0",
            count, tables.count(int(moved)), tiled or "0", tables.count(int(sent or 0)), left or "0", f"{more or 0} %", f"{least or 0} %", f"{less} %", f"{hidden} %" if hidden else "-")  # fmt: skip


def row_of(opt, source, memories, network, size, before):
    _, _, (now, given, placed, _, _, more, least), large = fitted(opt, source, memories, network, before)
    return (network, tables.count(size), before, tables.count(int(given or now)), tables.count(int(now)),
            tables.count(large), placed or "0", f"{more or 0} %", f"{least or 0} %")  # fmt: skip


def rows(tools, folder):
    source, memories = Path(folder, "network.mlir"), Path(folder, "memories.txt")
    for network, size in NETWORKS:
        tables.say(network)
        source.write_text(networks.bufferized(tools, *network.split()))
        memories.write_text(f'[{{name = "fast", bytes = {size}}}, {{name = "large", bytes = {1 << 30}, cost = 8}}]')
        for before in BEFORE:
            yield row_of(tools.opt, source, memories, network, size, before)


def copied_rows(tools, folder):
    native = Native(tools)
    source, memories = Path(folder, "network.mlir"), Path(folder, "memories.txt")
    for network, size in WEIGHTS:
        tables.say(f"{network} --constants")
        source.write_text(networks.bufferized(tools, *network.split(), "--constants"))
        memories.write_text(f'[{{name = "fast", bytes = {size}}}, {{name = "large", bytes = {1 << 30}, cost = 8}}, '
                            f'{{name = "flash", bytes = {1 << 30}, cost = 8, constants, read_only}}]')  # fmt: skip
        for options in ("", "dma"):
            yield copied_row(native, source, memories, network, size, options)


def main():
    args = measure.arguments(__doc__).parse_args()
    with tempfile.TemporaryDirectory() as folder:
        tools = Tools(opt=args.opt)
        placed = tables.table(COLUMNS, list(rows(tools, folder)))
        copied = tables.table(COPIED_COLUMNS, list(copied_rows(tools, folder)))
    tables.write(args.output, "\n\n".join([HEAD] * bool(args.output) + [placed] + [CONSTANTS] * bool(args.output) + [copied]))
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except ToolError as error:
        print(f"memories: {error}", file=sys.stderr)
        sys.exit(2)
