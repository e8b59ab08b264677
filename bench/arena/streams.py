#!/usr/bin/env python3
# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What stream-rows makes of whole networks, and where it makes little, why: what is alive at the peak that is left.

    python3 -m bench.arena.streams --output bench/streams.md
    python3 -m bench.arena.streams --only bert

Networks are the files NAME.memref.mlir of --models, where that folder is, and those of examples/generate.py. Of each,
the function `forward` counts, or the one with the largest arena. Reasons are those of stream-rows' own report, by their share of the bytes
alive at the peak of the arena that merge-alloc plans afterwards.
"""

import collections
import json
import re
import sys
import tempfile
from pathlib import Path

from bench import measure
from testing import networks, process, tables
from testing.execute import Tools
from testing.process import ToolError

LITTLE = 1.5  # an arena that becomes smaller by less is explained
SHOWN, LEAST = 3, 0.05  # so many reasons, of such shares at least


HEAD = """# Streams

Written by `python3 -m bench.arena.streams`.

Bytes of the arena without streams and with them; *factor* is without divided by with. Where that is below 1.5, the last column says by what
reason buffers alive at the remaining peak stayed whole, and by which op; shares are of the bytes alive there.
[stream-rows](../docs/stream-rows.md#report) explains the reasons."""


def reports_of(opt, source):
    """What stream-rows says, and then merge-alloc."""
    with tempfile.TemporaryDirectory() as folder:
        rows, plan = Path(folder, "rows.json"), Path(folder, "plan.json")
        process.call([str(opt), "--allow-unregistered-dialect", str(source), "-o", "/dev/null",
                      f"--pass-pipeline=builtin.module(stream-rows{{report=json:{rows}}},"
                      f"merge-alloc{{report=json:{plan}}})"])  # fmt: skip
        return json.loads(rows.read_text()), json.loads(plan.read_text())


def network_of(rows):
    return max(rows["functions"], key=lambda f: (f["function"] == "forward", f["arena_before"]), default=None)


def reason_names(function):
    """By location and type: why a buffer is whole. By location: rows are kept, in windows that stand at an op."""
    streams = [] if function["undone"] else function["streams"]
    names = {op["location"]: "rows kept" for stream in streams for op in stream["ops"]}
    for whole in function["whole"]:
        op = f" ({whole['op']})" if whole.get("op") else ""
        names[whole["location"], whole["type"]] = whole["reason"] + op
    return names


def reasons_of(function, arenas):
    """Shares of the bytes alive at the peak of the function's largest arena, as text."""
    arena = max(arenas, key=lambda a: a["arena_size"])
    names, shares = reason_names(function), collections.Counter()
    for buffer in arena["buffers"]:
        if buffer["live_at_peak"]:
            place = buffer["location"]
            name = names.get((place, buffer["type"])) or names.get(place, "among no linalg ops")
            shares[name] += buffer["size"] / max(1, arena["load"])
    found = [f"{tables.percent(share)} {name}" for name, share in shares.most_common(SHOWN) if share >= LEAST]
    return ", ".join(found)


def row_of(name, rows, plan):
    function = network_of(rows)
    if not function:
        return name, "-", "-", "-", "0", f"nothing planned: {rows.get('note', '')}"
    arenas = [a for a in plan["arenas"] if a["function"] == function["function"]]
    before, after = function["arena_before"], sum(a["arena_size"] for a in arenas if not a["within"])
    streams = 0 if function["undone"] else len(function["streams"])
    factor = before / after if after else float("inf")
    why = reasons_of(function, arenas) if factor < LITTLE else ""
    if function["undone"]:
        why = f"undone, {function['arena_after']:,} with streams; {why}"
    return name, tables.count(before), tables.count(after), f"{factor:.2f}", streams, why


def sources_of(args, tools, folder):
    if args.models.is_dir():
        yield from measure.given(args.models)
    else:
        tables.say("skipped: there is no ../shared/data/models; the generated networks alone")
    for network in networks.EVERY:
        if re.search(args.only or "", network):
            path = Path(folder, "generated.mlir")
            path.write_text(networks.bufferized(tools, *network.split()))
            yield network, path


def rows_of(args):
    tools = Tools(opt=args.opt)
    with tempfile.TemporaryDirectory() as folder:
        for name, path in sources_of(args, tools, folder):
            if re.search(args.only or "", name):
                tables.say(name)
                yield row_of(name, *reports_of(args.opt, path))


def main():
    parser = measure.arguments(__doc__, models=True)
    parser.add_argument("--only", help="networks whose name matches this regular expression")
    args = parser.parse_args()
    head = ["<network", "`merge-alloc`", "`stream-rows,merge-alloc`", "factor", "streams",
            f"<below {LITTLE}: alive at the peak"]  # fmt: skip
    parts = [HEAD] if args.output else []
    tables.write(args.output, "\n\n".join([*parts, tables.table(head, list(rows_of(args)))]))
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except ToolError as error:
        print(f"streams: {error}", file=sys.stderr)
        sys.exit(2)
