# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""MLIR's own executed tests, before and after each of our passes: see README.md.

    LLVM_TESTS=.../mlir/test python3 -m fuzz.upstream.integration
    ... --pipeline buffer-deallocation --pipeline tighten      some (--list)
    ... --only Dialect/SparseTensor/CPU/sparse_matmul --verbose         names that begin so
    ... --shard 2/20                                                    every 20th program

Exit status: 0 all passed, 1 not all, 2 bad usage, 77 LLVM_TESTS names no tests.
"""

import re
import subprocess
import sys
import tempfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from fuzz.upstream import inputs
from testing import execute, options
from testing.process import ToolError
from testing.run_lines import commands

PARTS = """
    Arith Complex ControlFlow Linalg Math MemRef SparseTensor Standard Tensor Tosa Vector""".split()

PIPELINES = {
    "buffer-deallocation": "buffer-deallocation",
    "prefer-clones": "buffer-deallocation{prefer=clones}",
    "tighten": "buffer-deallocation{tighten}",
    "hoist-allocations": "hoist-allocations",
    "simplify-only": "lower-clones{simplify-only}",
    "promote-allocs-to-stack": "promote-allocs-to-stack",
    "merge-alloc": "merge-alloc{alignment-in-bytes=1},buffer-deallocation",
    "dynamic-sizes": "merge-alloc{alignment-in-bytes=1 dynamic=exact poison=1},buffer-deallocation",
    "elide-copies": "elide-copies,merge-alloc{alignment-in-bytes=1},buffer-deallocation,lower-strided-copies",
    "order-for-memory": "order-for-memory,merge-alloc{alignment-in-bytes=1 poison=1},buffer-deallocation",
    "stream-rows": "stream-rows,merge-alloc{alignment-in-bytes=1 poison=1},buffer-deallocation",
    "reduce-peak": "reduce-peak,merge-alloc{alignment-in-bytes=1 poison=1},buffer-deallocation",
    "pack-stack": "pack-stack{poison=1}",
    "buffer-reuse": "buffer-reuse{alignment-in-bytes=1}",
    "stowage-memory": "stowage-memory",
    "all": "hoist-allocations,buffer-deallocation{tighten},stowage-memory,buffer-deallocation{tighten}",
}
# Hoisted buffers live longer, and are allocated on paths that do not need them.
PEAK_MAY_GROW = {"hoist-allocations", "all"}
SETTLED = {"buffer-deallocation"}  # a second run changes nothing

# The first passes of lowerings: what comes before them makes buffers.
LOWERINGS = """
    arith-expand async-to-async-runtime convert-arith-to-llvm convert-cf-to-llvm
    convert-complex-to-standard convert-func-to-llvm convert-linalg-to-affine-loops
    convert-linalg-to-loops convert-linalg-to-parallel-loops convert-math-to-libm
    convert-math-to-llvm convert-scf-to-cf convert-to-llvm convert-vector-to-llvm
    convert-vector-to-scf expand-realloc expand-strided-metadata finalize-memref-to-llvm
    lower-affine memref-expand""".split()


@dataclass(frozen=True)
class Case:
    """A program as a test runs it: mlir-opt's arguments, one tuple per call, then its entry."""

    name: str
    path: Path
    stages: tuple
    entry: str
    environment: tuple


class Refused(Exception):
    """A test that cannot be run here, and why."""


# ---- what tests say ---------------------------------------------------------------------


def cases(path, folder):
    """Every program that a test runs, once."""
    stages, found = (), {}
    sources = str(folder.parent)
    for words in commands(path):
        words = [w.replace("%mlir_src_dir/test", str(folder)).replace("%mlir_src_dir", sources)
                 for w in words]  # fmt: skip
        environment = tuple(w for w in words if re.match(r"[A-Z_0-9]+=", w))
        words = [w for w in words if w not in environment and w != "env"]
        if words and words[0] == "mlir-opt":
            arguments = tuple(w for w in without_files(words[1:]) if w != "%s")
            stages = (() if "%s" in words else stages) + (arguments,)
        elif words and words[0] == "mlir-runner" and stages:
            key = (stages, option(words, "e") or "main", environment)
            name = f"{path.relative_to(folder).as_posix()}#{len(found)}"
            if option(words, "entry-point-result") == "void" and key not in found:
                found[key] = Case(name, path, *key)
    return list(found.values())


def without_files(words):
    """Arguments but for the file that is read and the one that is written."""
    kept, skip = [], False
    for word in words:
        if not skip and word not in ("-o", ">", "%t"):
            kept.append(word)
        skip = word in ("-o", ">")
    return kept


def option(words, name):
    for i, word in enumerate(words):
        key, equals, value = word.lstrip("-").partition("=")
        if key == name and word.startswith("-"):
            return value if equals else words[i + 1]
    return None


# ---- programs ---------------------------------------------------------------------------


def buffers(tools, case):
    """The IR of a case right before it is lowered."""
    with tempfile.TemporaryDirectory(dir=tools.scratch.name) as folder:
        path = case.path
        for i, stage in enumerate(case.stages):
            out = Path(folder, f"{i}.mlir")
            dump = first_dump([tools.mlir_opt, path, *stage, "-o", out])
            if dump:
                return checked(dump)
            path = out
    raise Refused("no lowering is seen")


def first_dump(command):
    """What mlir-opt's first lowering is given; it is stopped there. None: it has no lowering."""
    show = ["--mlir-print-ir-before=" + ",".join(LOWERINGS), "--mlir-print-ir-module-scope",
            "--mlir-disable-threading"]  # fmt: skip
    dump, said = None, []
    with subprocess.Popen([*command, *show], stderr=subprocess.PIPE, text=True) as process:
        for line in process.stderr:
            if line.startswith("// -----// IR Dump Before"):
                if dump is not None:
                    process.kill()
                    break
                dump = []
            else:
                (said if dump is None else dump).append(line)
    if dump is None and process.returncode:
        raise Refused(f"mlir-opt refuses it: {''.join(said[:1]).strip()}")
    return dump and "".join(dump)


def checked(text):
    if re.search(r"\btensor<", text):
        raise Refused("it has tensors where it is lowered")
    return text


def run(tools, case, text):
    program = tools.lower(text, is_async="async." in text)
    done = tools.execute(program, case.entry, timeout=300, environment=case.environment)
    done.stdout = re.sub(r"\b0x[0-9a-f]{6,}\b", "0x-", done.stdout)  # addresses are printed, too
    return done


@dataclass
class Verdict:
    case: Case
    refused: str = None
    frees_all: bool = False
    changed: tuple = ()
    wrong: tuple = ()  # (pipeline, why)
    cost: tuple = ()  # (pipeline, Heap)


def judge(tools, case, pipelines):
    try:
        text = tools.apply(buffers(tools, case), "builtin.module()")
        first = run(tools, case, text)
    except (Refused, ToolError) as error:
        return Verdict(case, refused=str(error)[:300])
    if first.fault():
        return Verdict(case, refused=f"as given: {first.fault()}")
    verdict = Verdict(case, frees_all=not (first.heap.leaked_bytes or first.heap.unknown_frees))
    verdict.cost = (("as given", first.heap),)
    known = {text: first}
    for name in pipelines:
        judge_pipeline(tools, verdict, name, text, known)
    return verdict


def judge_pipeline(tools, verdict, name, text, known):
    first = known[text]
    try:
        after = tools.apply(text, f"builtin.module({PIPELINES[name]})")
        if name in SETTLED and tools.apply(after, f"builtin.module({PIPELINES[name]})") != after:
            verdict.wrong += ((name, "a second run changes something"),)
        if after not in known:
            known[after] = run(tools, verdict.case, after)
    except ToolError as error:
        verdict.wrong += ((name, str(error)[:2000]),)
        return
    second = known[after]
    why = execute.difference(first, second) or worse(first, second, name)
    verdict.changed += (name,) if after != text else ()
    verdict.wrong += ((name, why),) if why else ()
    if second.heap:
        verdict.cost += ((name, second.heap),)


def worse(first, second, name):
    before, after = first.heap, second.heap
    faults = (before.double_frees, before.unknown_frees, before.late_writes, before.overruns)
    if faults != (after.double_frees, after.unknown_frees, after.late_writes, after.overruns):
        return f"the heap is misused: {after}"
    if after.peak_bytes > before.peak_bytes and name not in PEAK_MAY_GROW:
        return f"the peak grows from {before.peak_bytes} to {after.peak_bytes} bytes"
    return None


# ---- the command line -------------------------------------------------------------------


def report(verdict, verbose):
    if verdict.refused and verbose:
        print(f"{verdict.case.name}: not run: {verdict.refused}")
    for name, why in verdict.wrong:
        lines = why.splitlines()
        print(f"{verdict.case.name}: {name}: " + "; ".join(lines if verbose else lines[:2]))
    for name, heap in verdict.cost if verbose else ():
        print(f"{verdict.case.name}: {name}: {heap.allocs} allocations, peak {heap.peak_bytes}, "
              f"left {heap.leaked_bytes}")
    sys.stdout.flush()


def summary(verdicts, pipelines):
    run = [v for v in verdicts if not v.refused]
    print(f"{len(verdicts)} programs, {len(run)} run, {sum(v.frees_all for v in run)} of them free "
          "all that they allocate")
    changed = Counter(name for v in run for name in v.changed)
    wrong = Counter(name for v in run for name, _ in v.wrong)
    for name in pipelines:
        print(f"{name}: {changed[name]} changed, {wrong[name]} wrong")
    return 1 if wrong or not run else 0


def arguments():
    parser = options.parser(__doc__)
    parser.add_argument("--pipeline", action="append", choices=PIPELINES)
    parser.add_argument("--only", action="append", default=[], metavar="NAME")
    options.add_shard(parser)
    options.add_jobs(parser, jobs=2)
    parser.add_argument("--list", action="store_true", help="names the programs")
    parser.add_argument("--verbose", action="store_true", help="says what each run cost")
    return parser.parse_args()


def selected(args):
    folder = inputs.tests_folder()
    root = folder / "Integration"
    paths = [p for part in PARTS for p in (root / "Dialect" / part).rglob("*.mlir")]
    found = [c for p in sorted(paths) for c in cases(p, folder)]
    only = tuple("Integration/" + name for name in args.only)
    return options.shard([c for c in found if not only or c.name.startswith(only)], args)


def main():
    args = arguments()
    chosen = selected(args)
    if args.list:
        print("\n".join(c.name for c in chosen))
        return 0
    tools = execute.Tools(opt=args.opt)
    pipelines = args.pipeline or list(PIPELINES)
    verdicts = []
    with ThreadPoolExecutor(args.jobs) as pool:
        for verdict in pool.map(lambda c: judge(tools, c, pipelines), chosen):
            verdicts.append(verdict)
            report(verdict, args.verbose)
    return summary(verdicts, pipelines)


if __name__ == "__main__":
    sys.exit(main())
