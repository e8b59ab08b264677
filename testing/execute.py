# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Executes memref-level MLIR; what it prints is compared bit for bit.

    tools = Tools()                          # or Tools(bindir=..., opt=..., allocator=...)
    after = tools.apply(before, "builtin.module(buffer-reuse{poison})")
    run = tools.run(before, entry="main", level=0, poison=True, timeout=120)
    run.stdout, run.status, run.heap.peak_bytes, run.heap.allocs, run.measures["seconds"]
    run.fault()                              # None, or what went wrong, in words
    difference(run_a, run_b)                 # None, or what differs, in words
    program = tools.lower(before)            # lower once, then tools.execute(program) often

Wherever IR is taken, a Path is a file and a str is the text itself; IR is returned as text.

A program is a module in any mix of linalg, scf, cf, affine, vector, memref, arith, math,
complex, index (and async, with is_async=True). Its entry takes nothing and returns nothing.
What it prints is its result: print bit patterns, not rounded decimals. A line that begins
with '#' is a measurement, '# seconds 0.12': it is not compared, and run.measures keeps the
smallest value of each name.

Memory comes from the counting allocator (test/exec/runtime/counting_alloc.c): poisoned, guarded,
counted to the byte; poison=False leaves only the counting, for measuring time;
protect=True closes the pages of what is freed, so that a late read is a fault. Memory
spaces are checked by MLIR's verifier and then dropped: execution has one flat memory.

A tool that fails raises ToolError, which carries its command and stderr. A program that
fails does not raise: that is a result, see Run.fault.
"""

import difflib
import re
import signal
import tempfile
from dataclasses import dataclass, fields
from pathlib import Path

from testing import places, process
from testing.process import Limits

TOOL = Limits(clock=600, memory=8 << 30)

# Structured ops first, then addresses, then control flow, then one dialect after another.
LOWERING = """
    bufferization-lower-deallocations convert-bufferization-to-memref scf-forall-to-for
    convert-linalg-to-loops lower-affine
    convert-vector-to-scf{full-unroll=1} expand-realloc memref-expand expand-strided-metadata
    lower-affine convert-scf-to-cf arith-expand
    convert-vector-to-llvm convert-complex-to-standard convert-math-to-llvm
    convert-math-to-libm convert-vector-to-llvm convert-complex-to-llvm convert-index-to-llvm
    finalize-memref-to-llvm{use-generic-functions=1;use-aligned-alloc=1}
    convert-arith-to-llvm convert-ub-to-llvm convert-cf-to-llvm convert-func-to-llvm
    reconcile-unrealized-casts""".split()
# References are not counted: async-runtime-ref-counting drops those of a token that control carries once per name.
ASYNC_BEFORE = ["async-to-async-runtime", "convert-async-to-llvm"]


@dataclass
class Heap:
    """What the counting allocator saw."""

    allocs: int = 0
    frees: int = 0
    total_bytes: int = 0
    peak_bytes: int = 0
    leaked_bytes: int = 0
    double_frees: int = 0
    unknown_frees: int = 0
    overruns: int = 0
    late_writes: int = 0
    late_touches: int = 0  # with protect only, and then the end

    @staticmethod
    def parse(line):
        found = dict(re.findall(r"(\w+)=(\d+)", line))
        return Heap(**{f.name: int(found[f.name]) for f in fields(Heap)})


@dataclass
class Run:
    """One execution. heap is None if the program died before it could be summed up."""

    stdout: str
    stderr: str
    status: int  # negative: killed by that signal; None: out of time
    heap: Heap

    @property
    def output(self):
        """What is compared: the printed lines without the measurements."""
        return [line for line in self.stdout.splitlines() if not line.startswith("#")]

    @property
    def measures(self):
        smallest = {}
        for name, value in re.findall(r"^# (\w+) ([-+.\w]+)$", self.stdout, re.M):
            smallest[name] = min(float(value), smallest.get(name, float("inf")))
        return smallest

    def fault(self):
        if self.status is None:
            return "did not end in time"
        if self.status < 0:
            return f"killed by {signal.Signals(-self.status).name}"
        if self.status or self.heap is None:
            return f"exit status {self.status}\n{self.stderr.strip()}"
        return None


def difference(expected, actual):
    """None if both runs went well and agree on every printed bit, and the second leaks no
    more than the first; otherwise what is wrong."""
    for name, run in (("first", expected), ("second", actual)):
        if run.fault():
            return f"the {name} program: {run.fault()}"
    if expected.output != actual.output:
        lines = difflib.unified_diff(expected.output, actual.output, "first", "second", lineterm="")
        return "outputs differ\n" + "\n".join(list(lines)[:40])
    if actual.heap.leaked_bytes > expected.heap.leaked_bytes:
        return (f"the second program leaks {actual.heap.leaked_bytes} bytes, "
                f"the first {expected.heap.leaked_bytes}")
    return None


def drop_memory_spaces(text):
    """The same IR with every memref in the default memory space."""
    cuts = []
    for match in re.finditer("memref<", text):
        depth, comma, i = 1, 0, match.end()
        while depth and i < len(text):
            if text[i] in "<([{":
                depth += 1
            elif text[i] in ")]}" or (text[i] == ">" and text[i - 1] != "-"):
                depth -= 1
            elif text[i] == "," and depth == 1:
                comma = i
            i += 1
        if comma and re.match(r",\s*(\d|\"|#gpu|@)", text[comma:i]):
            cuts.append((comma, i - 1))
    pieces, start = [], 0
    for begin, end in sorted(cuts):
        pieces.append(text[start:begin])
        start = end
    return "".join(pieces) + text[start:]


class Tools:
    """The programs a test needs, found once."""

    def __init__(self, bindir=None, opt=None, allocator=None):
        self.scratch = tempfile.TemporaryDirectory(prefix="stowage-exec-")
        self.bindir = Path(bindir or places.llvm_bindir())
        self.libdir = self.bindir.parent / "lib"
        self.mlir_opt = self.bindir / "mlir-opt"
        self.runner = self.bindir / "mlir-runner"
        self.opt = Path(opt or places.OPT)
        self.allocator = Path(allocator or self._allocator())

    def _allocator(self):
        """The one that was built; without a build, one compiled on the spot."""
        name = "libstowage_counting_alloc.so"
        if (places.BUILD / "lib" / name).exists():
            return places.BUILD / "lib" / name
        out = Path(self.scratch.name, name)
        source = places.ROOT / "test" / "exec" / "runtime" / "counting_alloc.c"
        process.call(["cc", "-std=c17", "-O2", "-fPIC", "-shared", "-pthread", source, "-o", out])
        return out

    def apply(self, ir, pipeline, opt=None):
        """IR after a pass pipeline, by stowage-opt (or another mlir-opt)."""
        command = [opt or self.opt, "-", "--mlir-disable-threading", f"--pass-pipeline={pipeline}"]
        return process.call(command, _text(ir), TOOL).out

    def lower(self, ir, is_async=False, counted=True):
        """The program in the LLVM dialect, calling the counting allocator, or malloc and free."""
        passes = ",".join((ASYNC_BEFORE if is_async else []) + LOWERING).replace(";", " ")
        if not counted:
            passes = passes.replace("use-generic-functions=1 ", "")
        text = drop_memory_spaces(_text(ir))
        return self.apply(text, f"builtin.module({passes})", opt=self.mlir_opt)

    def execute(self, program, entry="main", level=0, poison=True, timeout=120,
                protect=False, environment=()):
        """Runs what lower() made, at the JIT's optimization level. With `protect` a read
        of freed memory ends the program. `environment`: "NAME=value", ..."""
        names = ["mlir_c_runner_utils", "mlir_runner_utils"]
        names += ["mlir_async_runtime"] if "@mlirAsyncRuntime" in program else []
        libraries = [self.allocator] + [self.libdir / f"lib{name}.so" for name in names]
        with tempfile.TemporaryDirectory(dir=self.scratch.name) as folder:
            report = Path(folder, "heap")
            command = [self.runner, "-", "-e", entry, "-entry-point-result=void", f"-O{level}",
                       "-shared-libs=" + ",".join(map(str, libraries))]
            settings = {"STOWAGE_ALLOC_REPORT": str(report), "STOWAGE_ALLOC_POISON": str(int(poison)),
                        "STOWAGE_ALLOC_PROTECT": str(int(protect)),
                        **dict(word.split("=", 1) for word in environment)}  # fmt: skip
            done = process.run(command, program, Limits(clock=timeout), settings)
            heap = Heap.parse(report.read_text()) if report.exists() else None
            return Run(done.out, done.err, done.status, heap)

    def run(self, ir, entry="main", level=0, poison=True, timeout=120, is_async=False,
            protect=False):
        program = self.lower(ir, is_async)
        return self.execute(program, entry, level, poison, timeout, protect)


def _text(ir):
    return ir.read_text() if isinstance(ir, Path) else ir
