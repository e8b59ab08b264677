# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Many generated programs at once, from MLIR text to running code: one mlir-opt, one mlir-translate, one llc
and one linker call for a whole batch, which costs about 15 ms per program.

driver.c calls each program with arguments that its line of a *manifest* describes, on a heap that
gives nothing out twice, guards and poisons, and prints a hash of all that it computed.
"""

import os
import re
from dataclasses import dataclass, replace
from pathlib import Path

from testing import places, process
from testing.batch import Failure
from testing.process import Limits, ToolError

DRIVER = Path(__file__).resolve().parent / "driver.c"
TOOL = Limits(clock=900, processor=30, memory=2 << 30)  # that one call of a tool may take

LOWERING = (
    "builtin.module(bufferization-lower-deallocations,convert-bufferization-to-memref,convert-linalg-to-loops,"
    "func.func(convert-vector-to-scf),func.func(scf-forall-to-for),expand-strided-metadata,"
    "lower-affine,convert-scf-to-cf,convert-vector-to-llvm,"
    "finalize-memref-to-llvm{use-generic-functions=1},convert-to-llvm,"
    "reconcile-unrealized-casts)"
)

# What programs with memref.realloc need first.
REALLOC = "expand-realloc"

# What programs with tasks need at the beginning, and before the types change.
# An await makes blocks of its region, which an affine.if has no room for. References are not counted: upstream
# drops those of a token that control carries once per name.
ASYNC = ("lower-affine,async-to-async-runtime", "convert-async-to-llvm")

# Behind these passes a token that control carries is still one of async, which no pass lowers.
TOKENS = ",stow-tokens,"

# What makes tasks of iterations, before all that.
THREADS = "func.func(scf-forall-to-parallel),async-parallel-for{num-workers=4 min-task-size=1}"

ALONE = "--mlir-disable-threading"  # `--jobs` is for that

RUNS = 3  # of each program, as driver.c has it
PATTERNS = ("0xA5", "0x17")  # what fresh memory holds, run by run


class StageError(ToolError):
    """A tool refused its input: which one, and what it said."""

    def __init__(self, stage, said):
        super().__init__(f"{stage}: {gist(said)}")
        self.stage, self.said = stage, said


def gist(said):
    """The lines of a tool's complaint that tell most."""
    lines = said.strip().splitlines()
    errors = [x for x in lines if "error:" in x or "Assertion" in x or "ERROR" in x]
    frames = [x.split("0x")[-1].split(" ", 1)[-1] for x in lines if " stow_" in x]
    return "; ".join((lines[:1] + errors[:2] + frames[:4]))[:600]


@dataclass(frozen=True)
class Outcome:
    """What one program did."""

    status: str  # "ok", "signal 11", ...
    hash: str = ""
    faults: int = 0
    leaks: int = 0
    allocs: int = 0
    peak: int = 0
    total: int = 0  # bytes of all allocations


class Toolchain:
    def __init__(self, work, stowage_opt=None, driver=None):
        self.work = Path(work)
        self.work.mkdir(parents=True, exist_ok=True)
        self.bin = places.llvm_bindir()
        self.stowage_opt = stowage_opt
        self.lowering, self.lower_with, self.level = LOWERING, self.bin / "mlir-opt", "-O0"
        self.flags = vector_flags()
        self.triple = call("llvm-config", [self.bin / "llvm-config", "--host-target"]).strip()
        self.driver = driver or self.build_driver()

    def build_driver(self):
        out = self.work / "driver"
        utils = self.bin.parent / "lib"
        call("cc", ["cc", "-std=gnu17", "-O1", "-rdynamic", DRIVER, "-o", out,
                    "-Wl,--no-as-needed", utils / "libmlir_c_runner_utils.so",
                    f"-Wl,-rpath,{utils}", "-ldl", "-pthread"])  # fmt: skip
        return out

    def opt(self, text, pipeline):
        """Our passes over a module."""
        return call("pass", [self.stowage_opt, ALONE, f"--pass-pipeline={pipeline}"], text)

    def refuses(self, text, pipeline):
        """The error that our passes end with; None if they do not."""
        try:
            self.opt(text, pipeline)
        except StageError as error:
            return error
        return None

    def lacks(self, pipeline):
        """What keeps the binary from knowing a pipeline; None if it knows it."""
        error = self.refuses("module {}", pipeline)
        errors = [x for x in error.said.splitlines() if "rror:" in x] if error else []
        return errors[0].split("rror: ")[-1] if errors else error and str(error)

    def verify(self, text):
        """The text as MLIR prints it."""
        return call("verify", [self.lower_with, ALONE], text)

    def build(self, text, name, threads=False):
        """A shared object of a module; with `threads`, one whose iterations run
        beside each other."""
        stem = str(self.work / name)
        tasks = threads or "async." in text
        lowering = with_tasks(self.lowering) if tasks else self.lowering
        if threads:
            lowering = lowering.replace("(", f"({THREADS},", 1)
        if "memref.realloc" in text:
            lowering = lowering.replace("(", f"({REALLOC},", 1)
        text = without_spaces(text)
        if "memref.alloca_scope" in text:
            text = self.without_alloca_scopes(text)
        if tasks:
            first, lowering = lowering.split(TOKENS)
            text = call("lower", [self.lower_with, f"--pass-pipeline={first})", "--verify-each=0", ALONE], text)
            text, lowering = text.replace("!async.token", "!llvm.ptr"), "builtin.module(" + lowering
        # Translation verifies what comes out; between the passes it would cost a fifth.
        call("lower", [self.lower_with, f"--pass-pipeline={lowering}", "--verify-each=0",
                       ALONE, "--emit-bytecode", "-o", stem + ".bc"], text)  # fmt: skip
        ir = call("translate", [self.bin / "mlir-translate", "--mlir-to-llvmir", stem + ".bc"])
        if tasks:  # their coroutines are split by LLVM
            ir = call("opt", [self.bin / "opt", "-S", "-O1"], ir)
        distinct = "llvm.noalias" in text  # what LLVM is told counts where it optimizes
        if distinct:
            ir = call("opt", [self.bin / "opt", "-S", "-O3", f"-mtriple={self.triple}", "-mcpu=native"], ir)
        llc = [self.bin / "llc", "-O3" if distinct else self.level, "-filetype=obj", "-relocation-model=pic", *self.flags]
        call("llc", llc + ["-o", stem + ".o"], ir)
        lib = self.bin.parent / "lib"
        runtime = [lib / "libmlir_async_runtime.so", f"-Wl,-rpath,{lib}"] if tasks else []
        call("link", ["cc", "-shared", stem + ".o", *runtime, "-o", stem + ".so"])
        os.unlink(stem + ".o")
        return stem + ".so"

    def without_alloca_scopes(self, text):
        """The lowering of 22 takes no loop inside an alloca_scope. An execute_region runs the same,
        between ops that save and restore the stack."""
        return with_saved_stacks(call("verify", [self.lower_with, "--mlir-print-op-generic"], text))

    def run(self, library, manifest, pattern, threads=False, large=False):
        """{name: Outcome} of every program in the manifest (a text); with `large`, on a heap of terabytes."""
        path = library + ".manifest"
        Path(path).write_text(manifest)
        limits = replace(TOOL, memory=None) if large else TOOL
        said = call("run", [self.driver, library, path, pattern] + ["threads"] * threads + ["large"] * large,
                    limits=limits)  # fmt: skip
        return dict(parse(line) for line in said.splitlines() if line)


def with_tasks(lowering):
    first, later = ASYNC
    lowering = lowering.replace("(", f"({first},", 1)
    return lowering.replace(",convert-vector-to-llvm", f",{later}{TOKENS}convert-vector-to-llvm")


def with_saved_stacks(text):
    """Generic IR whose alloca_scopes are regions between ops of LLVM."""
    lines, ends = [], []  # how the op's last line begins, and the value that restores
    for number, line in enumerate(text.splitlines()):
        indent = line[: len(line) - len(line.lstrip())]
        if '"memref.alloca_scope"()' in line:
            lines.append(f'{indent}%stack{number} = "llvm.intr.stacksave"() : () -> !llvm.ptr')
            ends.append((indent + "})", f"%stack{number}"))
        lines.append(line.replace('"memref.alloca_scope"', '"scf.execute_region"')
                     .replace('"memref.alloca_scope.return"', '"scf.yield"'))  # fmt: skip
        if ends and line.startswith(ends[-1][0]):
            lines.append(f'{indent}"llvm.intr.stackrestore"({ends.pop()[1]}) : (!llvm.ptr) -> ()')
    return "\n".join(lines) + "\n"


def without_spaces(text):
    """The lowering of 22 cannot free in another memory space, and on this host
    all spaces are one. The pass has seen them by now."""
    return SPACED.sub(r"memref<\1>", text)


SPACED = re.compile(r"memref<((?:[^<>]|<[^<>]*>)*), [12]>")


def vector_flags():
    """With AVX alone, fast instruction selection of 22 has a select of a scalar that is in memory read 16 bytes there, which may be
    more than the block has."""
    try:
        known = Path("/proc/cpuinfo").read_text().split()
    except OSError:
        known = []
    if "avx512f" in known:
        return ["-mattr=+avx512f"]
    return ["-mattr=+avx", "-fast-isel=false"] if "avx" in known else []


def call(stage, command, text=None, limits=TOOL):
    done = process.run(command, text, limits)
    if done.status != 0:
        raise StageError(stage, done.err if done.status is None else f"exit {done.status}\n{done.err}")
    return done.out


def parse(line):
    name, status, *rest = line.split()
    if status != "ok":
        return name, Outcome(" ".join([status] + rest))
    numbers = {k: int(v) for k, v in (pair.split("=") for pair in rest[1:])}
    return name, Outcome("ok", rest[0], **numbers)


# ---- verdicts ---------------------------------------------------------------------------


def fault(one, other, input):
    if one.status != "ok":
        return one.status
    if one.hash != other.hash:
        return "reads memory that was never written"
    if one.faults:
        return f"{one.faults} faults of memory"
    if input == "freed" and one.leaks:
        return f"{one.leaks} leaks"
    return None


def compare(before, after, may_stay, peak=None):
    """`may_stay`: how many allocations need not be freed; None: all. `peak`: how
    many bytes there may be at once."""
    for one in after:
        if one.status in ("use-after-free", "out-of-bounds"):
            return Failure("fault", one.status)
        if one.status != "ok":
            return Failure("crash", one.status)
        if one.faults:
            return Failure("fault", f"{one.faults} frees or writes of memory it does not hold")
        if one.hash != before.hash:
            return Failure("differs", f"{before.hash} before, {one.hash} after")
        if may_stay is not None and one.leaks > may_stay:
            return Failure("leak", f"{one.leaks} allocations are not freed, {may_stay} may be")
        if peak is not None and one.peak > peak:
            return Failure("late", f"{one.peak} bytes at once, {peak} are enough")
    return None
