# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""From MLIR text to running code: one mlir-opt, one mlir-translate, one llc and
one linker call for a whole batch, which costs about 15 ms per program."""

import os
import re
import resource
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from memtypes import count

HERE = Path(__file__).resolve().parent

LOWERING = (
    "builtin.module(convert-bufferization-to-memref,convert-linalg-to-loops,"
    "func.func(convert-vector-to-scf),func.func(scf-forall-to-for),expand-strided-metadata,"
    "lower-affine,convert-scf-to-cf,convert-vector-to-llvm,"
    "finalize-memref-to-llvm{use-generic-functions=1},convert-to-llvm,"
    "reconcile-unrealized-casts)"
)

# What programs with memref.realloc need first.
REALLOC = "expand-realloc"

# What programs with tasks need at the beginning, and before the types change.
ASYNC = ("async-to-async-runtime,async-runtime-ref-counting", "convert-async-to-llvm")

# What makes tasks of iterations, before all that.
THREADS = "func.func(scf-forall-to-parallel),async-parallel-for{num-workers=4 min-task-size=1}"

ALONE = "--mlir-disable-threading"  # `--jobs` is for that

PATTERNS = ("0xA5", "0x17")  # what fresh memory holds, run by run


class StageError(Exception):
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


class Toolchain:
    def __init__(self, work, stowage_opt=None, driver=None):
        self.work = Path(work)
        self.work.mkdir(parents=True, exist_ok=True)
        self.bin = llvm_bin()
        self.stowage_opt = stowage_opt
        self.lowering, self.lower_with, self.level = LOWERING, self.bin / "mlir-opt", "-O0"
        self.flags = ["-mattr=+avx"] if has_avx() else []
        self.driver = driver or self.build_driver()

    def build_driver(self):
        out = self.work / "driver"
        utils = self.bin.parent / "lib"
        call("cc", ["cc", "-std=gnu17", "-O1", "-rdynamic", HERE / "driver.c", "-o", out,
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
        # Translation verifies what comes out; between the passes it would cost a fifth.
        call("lower", [self.lower_with, f"--pass-pipeline={lowering}", "--verify-each=0",
                       ALONE, "--emit-bytecode", "-o", stem + ".bc"], text)  # fmt: skip
        ir = call("translate", [self.bin / "mlir-translate", "--mlir-to-llvmir", stem + ".bc"])
        if tasks:  # their coroutines are split by LLVM
            ir = call("opt", [self.bin / "opt", "-S", "-O1"], ir)
        llc = [self.bin / "llc", self.level, "-filetype=obj", "-relocation-model=pic", *self.flags]
        call("llc", llc + ["-o", stem + ".o"], ir)
        lib = self.bin.parent / "lib"
        runtime = [lib / "libmlir_async_runtime.so", f"-Wl,-rpath,{lib}"] if tasks else []
        call("link", ["cc", "-shared", stem + ".o", *runtime, "-o", stem + ".so"])
        os.unlink(stem + ".o")
        return stem + ".so"

    def without_alloca_scopes(self, text):
        """The lowering of 22 takes no loop inside an alloca_scope. An
        execute_region runs the same, its stack memory only lives longer."""
        text = call("verify", [self.lower_with, "--mlir-print-op-generic"], text)
        text = text.replace('"memref.alloca_scope"', '"scf.execute_region"')
        return text.replace('"memref.alloca_scope.return"', '"scf.yield"')

    def run(self, library, manifest, pattern, threads=False):
        """{name: Outcome} of every program in the manifest (a text)."""
        path = library + ".manifest"
        Path(path).write_text(manifest)
        said = call("run", [self.driver, library, path, pattern] + ["threads"] * threads)
        return dict(parse(line) for line in said.splitlines() if line)


def with_tasks(lowering):
    first, later = ASYNC
    lowering = lowering.replace("(", f"({first},", 1)
    return lowering.replace("convert-vector-to-llvm", f"{later},convert-vector-to-llvm")


def llvm_bin():
    """The folder of LLVM 22's tools: $LLVM_BIN, or where the PATH has them."""
    if os.environ.get("LLVM_BIN"):
        return Path(os.environ["LLVM_BIN"])
    for name in ("mlir-opt-22", "mlir-opt"):
        if shutil.which(name):
            return Path(os.path.realpath(shutil.which(name))).parent
    raise SystemExit("memref_gen: mlir-opt-22 not found; set LLVM_BIN")


def without_spaces(text):
    """The lowering of 22 cannot free in another memory space, and on this host
    all spaces are one. The pass has seen them by now."""
    return SPACED.sub(r"memref<\1>", text)


SPACED = re.compile(r"memref<((?:[^<>]|<[^<>]*>)*), [12]>")


def has_avx():
    try:
        return " avx " in Path("/proc/cpuinfo").read_text()
    except OSError:
        return False


SECONDS, BYTES = 30, 2 << 30  # of a processor and of memory, that one call of a tool may take
PATIENCE = 900  # seconds by the clock, on a machine that does other things


def limit():
    if not os.environ.get("STOWAGE_SANITIZED"):  # AddressSanitizer reserves terabytes
        resource.setrlimit(resource.RLIMIT_AS, (BYTES, BYTES))
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))


def call(stage, command, text=None):
    try:
        done = subprocess.run([str(c) for c in command], input=text, capture_output=True, text=True,
                              timeout=PATIENCE, preexec_fn=limit)  # fmt: skip
    except subprocess.TimeoutExpired:
        raise StageError(stage, f"no end after {PATIENCE} s")
    if done.returncode:
        raise StageError(stage, f"exit {done.returncode}\n{done.stderr}")
    return done.stdout


def parse(line):
    name, status, *rest = line.split()
    if status != "ok":
        return name, Outcome(" ".join([status] + rest))
    numbers = {k: int(v) for k, v in (pair.split("=") for pair in rest[1:])}
    return name, Outcome("ok", rest[0], **numbers)


def manifest_line(program, name):
    """The program's arguments and results as driver.c reads them."""
    words = []
    args = program.functions[0].body.args
    for v in args:
        e = v.type.element
        words += [e.bytes, e.mask, v.type.rank, *v.dims]
    back = program.functions[0].results
    words.append(len(back))
    for type in back:
        words += [type.element.bytes, type.rank]
    return " ".join(map(str, [name, len(args)] + words))
