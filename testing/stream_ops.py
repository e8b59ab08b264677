# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How many ops stream-rows makes of those of a stream, bodies and allocations counted, and all that stands around them.

    for before, after in stream_ops.counts(opt, text): ...

An op that the pass makes has the location of one that was there, so each is counted with the stream that it is of.
"""

import collections
import json
import re
import tempfile
from pathlib import Path

from testing import process

LOCATION = re.compile(r'^(#loc\d*) = loc\(".*":(\d+):\d+\)$', re.M)
END = re.compile(r" loc\((#loc\d*)\)$", re.M)  # of each op, where the text is generic
GENERIC = ["--allow-unregistered-dialect", "--mlir-print-op-generic"]


def lines_of(lines, first):
    """The lines of the op that begins there: one, or up to where its last region ends."""
    end = " " * (len(lines[first]) - len(lines[first].lstrip())) + "})"
    last = first
    if lines[first].endswith("({"):
        last = next(i for i in range(first, len(lines)) if lines[i].startswith(end))
    return range(first, last + 1)


def counts(opt, text):
    """Per stream, of the ops that run in its steps and the buffers of these: how many before, and after."""
    with tempfile.TemporaryDirectory() as folder:
        source, made, report = (Path(folder, name) for name in ("in.mlir", "out.mlir", "rows.json"))
        process.call([opt, "-", "-o", source, *GENERIC], text)
        process.call([opt, source, "-o", made, *GENERIC, "--mlir-print-debuginfo", f"--stream-rows=report=json:{report}"])
        lines, after = source.read_text().splitlines(), made.read_text()
        functions = json.loads(report.read_text())["functions"]
    line_of = {name: int(line) - 1 for name, line in LOCATION.findall(after)}
    ends = collections.Counter(line_of.get(name) for name in END.findall(after))
    for stream in (stream for f in functions if not f["undone"] for stream in f["streams"]):
        places = {int(one["location"].split(":")[-2]) - 1 for kind in ("ops", "buffers") for one in stream[kind]}
        within = {line for first in places for line in lines_of(lines, first)}
        yield sum('"(' in lines[line] for line in within), sum(ends[line] for line in within)
