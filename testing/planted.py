# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One mistake at a time in the streams of a network, by the build's planted-rows (test/rows/planted.c).

    known = faults(memrefs, "schedules")     # each with what the checker of src/stream says
    harm = effect(tools, memrefs, "schedules", known[0], expected)

Nothing but the checker or an execution may find a mistake: its IR is made as if it were right.
"""

import functools
from dataclasses import dataclass

from testing import places, process
from testing.execute import difference
from testing.process import Limits, ToolError

TOOL = places.BUILD / "test" / "rows" / "planted-rows"

# No arena: each buffer and window has guards of its own. Places are in one memory as it is.
PASSES = {"schedules": "stream-rows{overlap=false},buffer-deallocation", "places": "stream-rows,buffer-deallocation"}

# Small, so that each of their faults can be executed.
SMALL = [
    "resnet8", "ds-cnn", "lenet", "person-detection --size 32", "mobilenetv1 --size 32 --width 0.25 --classes 10",
    "mobilenetv2 --size 32 --width 0.25 --classes 10", "unet --size 16 --channels 4 --levels 2",
    "transformer --layers 1 --sequence 16 --hidden 16 --heads 2", "attention --sequence 16 --hidden 16 --heads 2",
    "decoder --layers 2 --context 8 --hidden 16 --heads 2", "mlp", "autoencoder",
]  # fmt: skip
CLOCK = 20  # seconds of an execution


@dataclass(frozen=True)
class Fault:
    number: int
    kind: str
    stream: int
    what: int  # of a delay the group's first statement, else the buffer
    found: bool  # by the checker


def stream(memrefs, kind, number=None):
    environment = {"STOWAGE_FAULTS": kind, **({} if number is None else {"STOWAGE_FAULT": str(number)})}
    return process.run([TOOL, "-", "--mlir-disable-threading", f"--pass-pipeline=builtin.module({PASSES[kind]})"],
                       memrefs, Limits(clock=600), environment)  # fmt: skip


@functools.lru_cache(maxsize=2)
def unplanted(memrefs, kind):
    return stream(memrefs, kind, -1).out


def faults(memrefs, kind):
    done = stream(memrefs, kind)
    if done.status != 0:
        raise ToolError(f"{TOOL}: {done.err[:500]}")
    words = [line.split() for line in done.err.splitlines() if line[:1].isdigit()]
    return [Fault(int(n), kind, int(stream), int(what), verdict == "found") for n, kind, stream, what, verdict in words]


def effect(tools, memrefs, kind, fault, expected):
    """What notices a fault without the checker: "refused", MLIR's verifier; "differs", an output bit; "fault", the
    heap, or the program does not end. None: nothing does. "unused": the pass took another version."""
    done = stream(memrefs, kind, fault.number)
    if done.out == unplanted(memrefs, kind):
        return "unused"
    if done.status != 0:
        return "refused"
    run = tools.execute(tools.lower(done.out), timeout=CLOCK)
    if run.fault():
        return "fault"
    return "differs" if difference(expected, run) else None
