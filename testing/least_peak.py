# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The least heap peak that any placement of deallocs could give a program on its own input.

    least = least_peak(Tools(), ir)          # ir frees nothing
    least.run.output, least.allocs, least.bytes

The program is lowered, every access to memory is told to test/exec/runtime/least_peak.c before it is made,
and each block counts from its allocation to its last access. Nothing is estimated: an op that
mentions a pointer and is in neither table below is an error.
"""

import os
import re
from dataclasses import dataclass

from testing import places, process
from testing.execute import Heap, Run
from testing.process import Limits, ToolError

# Which operands of an access are addresses.
ACCESSES = {
    "llvm.load": [0], "llvm.store": [1], "llvm.intr.memcpy": [0, 1], "llvm.intr.memmove": [0, 1],
    "llvm.intr.memset": [0], "llvm.atomicrmw": [0], "llvm.cmpxchg": [0],
    "llvm.intr.masked.load": [0], "llvm.intr.masked.store": [1],
}  # fmt: skip
HARMLESS = {
    "llvm.alloca", "llvm.br", "llvm.call", "llvm.cond_br", "llvm.extractvalue", "llvm.func",
    "llvm.getelementptr", "llvm.icmp", "llvm.insertvalue", "llvm.intr.assume",
    "llvm.intr.stackrestore", "llvm.intr.stacksave", "llvm.inttoptr", "llvm.mlir.addressof",
    "llvm.mlir.global", "llvm.mlir.poison", "llvm.mlir.undef", "llvm.mlir.zero", "llvm.ptrtoint",
    "llvm.return", "llvm.select", "llvm.switch",
}  # fmt: skip
OP = re.compile(r'^\s*(?:%[\w:, %]+ = )?"?(llvm\.[\w.]+)')
VALUE = re.compile(r"%\w+")
HOOKS = """  llvm.func @stowage_touch(!llvm.ptr)
  llvm.func @stowage_touch_unranked(!llvm.ptr)
"""


@dataclass
class Least:
    run: Run
    allocs: int
    bytes: int


def call(hook, value):
    return f"    llvm.call @{hook}({value}) : (!llvm.ptr) -> ()\n"


def hooks_of(line):
    """The calls to put before a line of lowered IR."""
    found = OP.match(line)
    name = found[1] if found else None
    if name == "llvm.call" and "@memrefCopy(" in line:
        _, source, target = VALUE.findall(line.split("@memrefCopy(", 1)[1])[:3]
        return call("stowage_touch_unranked", source) + call("stowage_touch_unranked", target)
    if name in ACCESSES:
        operands = VALUE.findall(line[found.end():])
        return "".join(call("stowage_touch", operands[i]) for i in ACCESSES[name])
    if name and name not in HARMLESS and "!llvm.ptr" in line:
        raise ToolError(f"least_peak.py does not know what this does with memory: {line.strip()}")
    return ""


def instrumented(program):
    lines = program.splitlines(keepends=True)
    start = next(i for i, line in enumerate(lines) if line.startswith("module"))
    body = "".join(hooks_of(line) + line for line in lines[start + 1:])
    return "".join(lines[:start + 1]) + HOOKS + body


def least_peak(tools, ir, level=0, timeout=300):
    program = instrumented(tools.lower(ir))
    heap = places.BUILD / "lib" / "libstowage_least_peak.so"
    names = [heap, *(tools.libdir / f"lib{n}.so" for n in ("mlir_c_runner_utils", "mlir_runner_utils"))]
    report = os.path.join(tools.scratch.name, "least")
    command = [tools.runner, "-", "-e", "main", "-entry-point-result=void", f"-O{level}",
               "-shared-libs=" + ",".join(map(str, names))]
    done = process.run(command, program, Limits(clock=timeout), {"STOWAGE_ALLOC_REPORT": report})
    if done.status != 0:
        raise ToolError(f"the program with touches: exit status {done.status}\n{done.err}")
    with open(report, encoding="utf-8") as text:
        found = dict(re.findall(r"(\w+)=(\d+)", text.read()))
    run = Run(done.out, done.err, done.status, Heap())
    return Least(run, int(found["allocs"]), int(found["least_peak_bytes"]))
