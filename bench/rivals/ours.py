# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Stowage: one network op by op and at the bytes of reduce-peak, in each lowering of bench/pairs.py.

Bytes: the arena, which is intermediates alone.
"""

import json
import re
import time

from bench import pairs
from bench.arena.networks import bytes_of
from bench.rivals import side
from testing import networks, process, tables
from testing.execute import Tools
from testing.native import Native

VERSION = f"Stowage {tables.commit()}"
FORMS = {"op by op": "", "streamed": "reduce-peak,"}
RUNS = 3     # of the network in a program, of which the fastest counts
MOST = 1000  # times that a program runs
LIMIT = 900  # seconds of a process
WEIGHTS = re.compile(r'^( *)memref\.global "private" constant @(\w+) : (memref<[^>]*>) = dense<"0x([0-9A-F]+)">(.*)$', re.M)


def without_weights(text, folder):
    """The text without large constants, which LLVM's tools would take minutes for, and an object that has them."""
    lines = [".section .rodata"]

    def cut(match):
        indent, name, kind, digits, attributes = match.groups()
        path = folder / f"{name}.bin"
        path.write_bytes(bytes.fromhex(digits))
        lines.append(f'.balign 64\n.globl {name}\n{name}: .incbin "{path}"')
        return f"{indent}memref.global @{name} : {kind}{attributes}"

    text = WEIGHTS.sub(cut, text)
    source, made = folder / "weights.s", folder / "weights.o"
    source.write_text("\n".join([*lines, '.section .note.GNU-stack,"",@progbits', ""]))
    process.call(["cc", "-c", source, "-o", made])
    return text, made


def planned(tools, memrefs, passes, folder):
    """After merge-alloc, and the arena's bytes."""
    report = folder / "arenas.json"
    text = tools.apply(memrefs, f'builtin.module({passes}merge-alloc{{report="json:{report}"}})')
    return text, bytes_of(json.loads(report.read_text())["arenas"], "forward")


def timed(native, program, seconds):
    """The least time of runs for so many seconds, in one process as those of the rivals are, and what one run prints."""
    begun = time.monotonic()
    first = native.run(program, LIMIT)
    if first.fault():
        return {"reason": first.fault().splitlines()[0]}, None
    more = min(MOST, int(seconds / (time.monotonic() - begun)))
    runs = [first, native.run(program, LIMIT, times=more)] if more else [first]
    return {"seconds": min(run.measures["seconds"] for run in runs)}, first.output


def measure(generated, folder, seconds):
    """The rows, and whether loops and vectors print the same, and so both forms with fused products."""
    native, found, printed = Native(Tools()), {}, {"exact": set(), "fused": set()}
    memrefs = networks.bufferized(native.tools, *generated.split(), "--constants", "--runs", str(RUNS))
    for form, passes in FORMS.items():
        text, arena = planned(native.tools, memrefs, passes, folder)
        for lowering, lower in pairs.LOWERINGS.items():
            program, weights = without_weights(lower(native.tools, text), folder)
            program = native.build(native.tools.lower(program, counted=False), "default<O2>", link=[weights], cpu="native")
            times, lines = timed(native, program, seconds)
            found[f"{form}, {lowering}"] = {"bytes": arena, **times}
            if lines:
                printed["fused" if lowering == "contract" else "exact"].add(tuple(lines))
    return {"rows": found, "equal": all(len(lines) == 1 for lines in printed.values())}


if __name__ == "__main__":
    side.run(VERSION, measure)
