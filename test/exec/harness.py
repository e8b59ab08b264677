#!/usr/bin/env python3
# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Executes memref-level MLIR and compares what it prints, bit for bit.

On the command line:

    harness.py run FILE                      lower, execute, print the output
    harness.py compare [LABEL=]FILE ...      execute all; print a table of what each cost
    harness.py check FILE --pipeline 'builtin.module(buffer-reuse)'
                                             FILE against FILE after the pipeline

Exit status: 0 all well; 1 outputs differ, or a program crashed, misused its heap or leaked
(where the first one did not); 2 a tool failed.

From Python:

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

Memory comes from the counting allocator (runtime/counting_alloc.c): poisoned, guarded,
counted to the byte; poison=False leaves only the counting, for measuring time;
protect=True closes the pages of what is freed, so that a late read is a fault. Memory
spaces are checked by MLIR's verifier and then dropped: execution has one flat memory.

A tool that fails raises ToolError, which carries its command and stderr. A program that
fails does not raise: that is a result, see Run.fault.
"""

import argparse
import difflib
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from dataclasses import dataclass, fields
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("STOWAGE_BUILD", ROOT / "build")).absolute()

# Structured ops first, then addresses, then control flow, then one dialect after another.
LOWERING = """
    convert-bufferization-to-memref scf-forall-to-for convert-linalg-to-loops lower-affine
    convert-vector-to-scf{full-unroll=1} expand-realloc memref-expand expand-strided-metadata
    lower-affine convert-scf-to-cf arith-expand
    convert-vector-to-llvm convert-complex-to-standard convert-math-to-llvm
    convert-math-to-libm convert-complex-to-llvm convert-index-to-llvm
    finalize-memref-to-llvm{use-generic-functions=1;use-aligned-alloc=1}
    convert-arith-to-llvm convert-ub-to-llvm convert-cf-to-llvm convert-func-to-llvm
    reconcile-unrealized-casts""".split()
ASYNC_BEFORE = ["async-to-async-runtime", "async-runtime-ref-counting", "convert-async-to-llvm"]


class ToolError(Exception):
    """A compiler tool failed. Not raised for a program that ran and went wrong."""


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
        self.bindir = Path(bindir or os.environ.get("LLVM_BINDIR") or self._ask("--bindir"))
        self.libdir = self.bindir.parent / "lib"
        self.mlir_opt = self.bindir / "mlir-opt"
        self.runner = self.bindir / "mlir-runner"
        self.opt = Path(opt or os.environ.get("STOWAGE_OPT", BUILD / "bin" / "stowage-opt"))
        self.allocator = Path(allocator or os.environ.get("STOWAGE_ALLOC") or self._allocator())

    @staticmethod
    def _ask(question):
        for config in ("llvm-config-22", "llvm-config"):
            if shutil.which(config):
                return subprocess.check_output([config, question], text=True).strip()
        raise ToolError("llvm-config-22 is not on PATH; set LLVM_BINDIR")

    def _allocator(self):
        """The one that was built; without a build, one compiled on the spot."""
        name = "libstowage_counting_alloc.so"
        if (BUILD / "lib" / name).exists():
            return BUILD / "lib" / name
        out = Path(self.scratch.name, name)
        source = Path(__file__).with_name("runtime") / "counting_alloc.c"
        self._call(["cc", "-std=c17", "-O2", "-fPIC", "-shared", "-pthread", source, "-o", out])
        return out

    @staticmethod
    def _call(command, text=None, timeout=600):
        command = [str(word) for word in command]
        try:
            done = subprocess.run(command, input=text, capture_output=True, text=True,
                                  timeout=timeout)
        except (OSError, subprocess.TimeoutExpired) as error:
            raise ToolError(f"{command[0]}: {error}") from error
        if done.returncode:
            raise ToolError(f"{' '.join(command)}\nexit status {done.returncode}\n{done.stderr}")
        return done

    def apply(self, ir, pipeline, opt=None):
        """IR after a pass pipeline, by stowage-opt (or another mlir-opt)."""
        return self._call([opt or self.opt, "-", f"--pass-pipeline={pipeline}"], _text(ir)).stdout

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
            environment = dict(os.environ, STOWAGE_ALLOC_REPORT=str(report),
                               STOWAGE_ALLOC_POISON="1" if poison else "0",
                               STOWAGE_ALLOC_PROTECT="1" if protect else "0",
                               **dict(word.split("=", 1) for word in environment))
            try:
                done = subprocess.run(command, input=program, capture_output=True, text=True,
                                      errors="replace", timeout=timeout, env=environment)
            except subprocess.TimeoutExpired:
                return Run("", "", None, None)
            heap = Heap.parse(report.read_text()) if report.exists() else None
            return Run(done.stdout, done.stderr, done.returncode, heap)

    def run(self, ir, entry="main", level=0, poison=True, timeout=120, is_async=False,
            protect=False):
        program = self.lower(ir, is_async)
        return self.execute(program, entry, level, poison, timeout, protect)


def _text(ir):
    return ir.read_text() if isinstance(ir, Path) else ir


# ---- the command line -------------------------------------------------------------------


def print_table(labels, runs, times):
    base = runs[0].heap.peak_bytes or 1
    width = max(map(len, labels))
    print(f"{'':{width}}  {'peak bytes':>14} {'of first':>9} {'allocations':>12} {'seconds':>9}")
    for label, run, seconds in zip(labels, runs, times):
        heap = run.heap
        shown = f"{seconds:.3f}" if seconds is not None else "-"
        print(f"{label:{width}}  {heap.peak_bytes:>14,} {heap.peak_bytes / base:>8.1%} "
              f"{heap.allocs:>12,} {shown:>9}")


def command_run(tools, args):
    run = tools.run(args.file, args.entry, args.level, not args.time, args.timeout, args.is_async)
    sys.stdout.write(run.stdout)
    if run.fault():
        print(run.fault(), file=sys.stderr)
        return 1
    heap = " ".join(f"{f.name}={getattr(run.heap, f.name)}" for f in fields(Heap))
    print(heap, file=sys.stderr)
    return 0


def compare(tools, labelled, args):
    """Every program against the first. Poisoned runs are compared; time is taken without."""
    runs, times = [], []
    for label, ir in labelled:
        program = tools.lower(ir, args.is_async)
        runs.append(tools.execute(program, args.entry, args.level, True, args.timeout))
        problem = difference(runs[0], runs[-1])
        if problem:
            print(f"{label}: {problem}", file=sys.stderr)
            return 1
        if args.time:
            quick = tools.execute(program, args.entry, args.level, False, args.timeout)
            times.append(quick.measures.get("seconds"))
        else:
            times.append(runs[-1].measures.get("seconds"))
    if not runs[0].output:
        print("the programs print nothing: nothing was compared", file=sys.stderr)
        return 1
    print_table([label for label, _ in labelled], runs, times)
    lines = len(runs[0].output)
    print(f"outputs: {lines} lines, equal bit for bit in all {len(runs)} programs")
    return 0


def command_compare(tools, args):
    def split(word):
        label, equals, path = word.partition("=")
        return (label, Path(path)) if equals else (word, Path(word))

    return compare(tools, [split(word) for word in args.files], args)


def command_check(tools, args):
    after = tools.apply(args.file, args.pipeline)
    return compare(tools, [("before", args.file), ("after", after)], args)


def main(argv):
    parser = argparse.ArgumentParser(description="Execute MLIR programs and compare them.")
    parser.add_argument("--opt", help="an mlir-opt that has the passes (default: stowage-opt)")
    parser.add_argument("--bindir", help="where mlir-opt and mlir-runner are")
    parser.add_argument("--allocator", help="the counting allocator's shared library")
    common = argparse.ArgumentParser(add_help=False)
    common.add_argument("--entry", default="main")
    common.add_argument("--level", type=int, default=0, help="the JIT's optimization level")
    common.add_argument("--timeout", type=float, default=120, help="seconds per execution")
    common.add_argument("--time", action="store_true", help="take times without poison")
    common.add_argument("--async", dest="is_async", action="store_true")
    commands = parser.add_subparsers(required=True)
    run = commands.add_parser("run", parents=[common])
    run.add_argument("file", type=Path)
    run.set_defaults(command=command_run)
    several = commands.add_parser("compare", parents=[common])
    several.add_argument("files", nargs="+", metavar="[LABEL=]FILE")
    several.set_defaults(command=command_compare)
    check = commands.add_parser("check", parents=[common])
    check.add_argument("file", type=Path)
    check.add_argument("--pipeline", required=True)
    check.set_defaults(command=command_check)
    args = parser.parse_args(argv)
    try:
        return args.command(Tools(args.bindir, args.opt, args.allocator), args)
    except (ToolError, OSError) as error:
        print(f"harness: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
