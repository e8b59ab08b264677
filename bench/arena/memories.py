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
from testing import networks, process, tables
from testing.execute import Tools
from testing.process import ToolError

HEAD = """# Several memories

Written by `python3 -m bench.arena.memories`.

Networks of examples/generate.py, on a machine with a fast memory of so many bytes, in which a byte costs 1, and a large one, in which it
costs 8. Weights are arguments, and not counted. What runs *before*: `reduce-peak`, as `fit-memory` has it run, whose streams have all rows
in one buffer, which is in one memory as a whole; *windows apart*, which is `elide-copies,order-for-memory,stream-rows{overlap=false}`, whose
streams have a buffer for each window; or nothing. *More time* is what buffers in the large memory add to the model's time, *at
least* what any choice with as few bytes alive adds. [fit-memory](../docs/fit-memory.md#several-memories) says how places are found."""

NETWORKS = [("mobilenetv2 --type i8", 128 << 10), ("mobilenetv2 --type i8", 192 << 10), ("mobilenetv1", 1 << 20), ("resnet50", 2 << 20),
            ("person-detection", 12 << 10), ("person-detection", 24 << 10)]  # fmt: skip

APART = "elide-copies,order-for-memory,stream-rows{overlap=false},"
BEFORE = {"reduce-peak": ("", "true"), "windows apart": (APART, "false"), "nothing": ("", "false")}

COLUMNS = ["<network", "fast bytes", "<before", "arena before", "in the fast one", "in the large one", "placed there", "more time", "at least"]

REMARK = re.compile(r"fast: arenas of (\d+) bytes(?:, not (\d+))?(?:, of which [^;]*)?(?:; buffers placed in large: (\d+), of \d+ bytes)?"
                    r"(?:; ops that run again: \d+)?(?:; buffers spilled: [^;]*)?(?:; ([0-9.]+) % more time by the model, at least ([0-9.]+) %)?")  # fmt: skip


def row_of(opt, source, memories, network, size, before):
    passes, reduces = BEFORE[before]
    said = process.run([str(opt), str(source), "-o", "/dev/null", "--remarks-filter=fit-memory", "--mlir-disable-threading",
                        f"--pass-pipeline=builtin.module({passes}fit-memory{{memories={memories} reduce-peak={reduces}}})"]).err  # fmt: skip
    fast = max(REMARK.findall(said), key=lambda m: int(m[0]), default=None)
    if not fast:
        raise ToolError(f"{network}: {said.strip()}")
    large = max((int(n) for n in re.findall(r"large: arenas of (\d+)", said)), default=0)
    now, given, placed, more, least = fast
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


def main():
    args = measure.arguments(__doc__).parse_args()
    with tempfile.TemporaryDirectory() as folder:
        table = tables.table(COLUMNS, list(rows(Tools(opt=args.opt), folder)))
    tables.write(args.output, "\n\n".join([HEAD] * bool(args.output) + [table]))
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except ToolError as error:
        print(f"memories: {error}", file=sys.stderr)
        sys.exit(2)
