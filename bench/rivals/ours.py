# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Stowage: one network op by op and at the bytes of reduce-peak, in each lowering of bench/pairs.py.

Bytes: the arena, which is intermediates alone.
"""

import itertools
import time

from bench import pairs
from bench.arena.networks import arenas_of, bytes_of
from bench.rivals import side
from testing import networks, tables
from testing.execute import Tools
from testing.native import Native

VERSION = f"Stowage {tables.commit()}"
FORMS = {"op by op": "merge-alloc", "streamed": "reduce-peak,merge-alloc"}
RUNS = {"loops": 2, "vectors": 10, "contract": 10}  # of the network in a program, of which the fastest counts
LIMIT = 300  # seconds of a program


def timed(native, program, seconds):
    """The least time of programs that run for so long, and what they print."""
    times, begun = [], time.monotonic()
    while not times or time.monotonic() - begun < seconds:
        run = native.run(program, LIMIT)
        if run.fault():
            return {"reason": run.fault().splitlines()[0]}, None
        times.append(run.measures["seconds"])
    return {"seconds": min(times)}, run.output


def row(native, generated, passes, lowering, seconds):
    memrefs = networks.bufferized(native.tools, *generated.split(), "--constants", "--runs", str(RUNS[lowering]))
    planned = bytes_of(arenas_of(native.tools, memrefs, passes), "forward")
    form = native.tools.apply(memrefs, f"builtin.module({passes})")
    program = native.optimized(pairs.LOWERINGS[lowering](native.tools, form), cpu="native")
    found, printed = timed(native, program, seconds)
    return {"bytes": planned, **found}, printed


def measure(generated, folder, seconds):
    """The rows, and whether loops and vectors print the same, and so both forms with fused products."""
    native, found, printed = Native(Tools()), {}, {"exact": set(), "fused": set()}
    for (form, passes), lowering in itertools.product(FORMS.items(), pairs.LOWERINGS):
        found[f"{form}, {lowering}"], lines = row(native, generated, passes, lowering, seconds)
        if lines:
            printed["fused" if lowering == "contract" else "exact"].add(tuple(lines[:2]))
    return {"rows": found, "equal": all(len(lines) == 1 for lines in printed.values())}


if __name__ == "__main__":
    side.run(VERSION, measure)
