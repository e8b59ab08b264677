# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Two builds of stowage-opt: do they print the same?

    python3 -m fuzz.same_output OLD-OPT NEW-OPT               tests, models, 200 random programs
    python3 -m fuzz.same_output OLD-OPT NEW-OPT --quick       fewer pipelines, no models, 50 programs
    python3 -m fuzz.same_output OLD-OPT NEW-OPT --programs 2000 --seed 7
    python3 -m fuzz.same_output OLD-OPT NEW-OPT --only test/dealloc --config dealloc

A refactoring changes no output. What is compared, byte for byte: the IR printed, all diagnostics
with every remark, the JSON reports, and the exit status; for the commands of the tests' RUN lines
also the files they write. Programs are what lies under test/, examples/ and the folder of models,
one per split, and what the random generators grow.

Of each difference the first line that differs is printed, and the command that repeats it.

Exit status: 0 all equal, 1 some differ, 2 bad usage.
"""

import argparse
import itertools
import os
import re
import shlex
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import fuzz.affine_gen.gen
import fuzz.memref_gen.programs
import fuzz.paths.grow
from fuzz.upstream import configs
from fuzz.upstream.inputs import Program
from testing import batch, options, places, process
from testing.places import ROOT
from testing.run_lines import commands
from testing.taskflow import BACK, FUSE, TO

CHUNK = 40  # programs for one process
FLAGS = [*batch.FLAGS, "--remarks-filter=.*"]
REPORT = 'report="json:/dev/stderr"'

# Passes with all that they can say.
REPORTING = {
    "analysis-report": f"buffer-reuse{{analysis annotate require-dealloc=0 unknown-ops=use {REPORT}}}",
    "reuse-report": f"buffer-reuse{{{REPORT}}}",
    "reuse-all-report": f"buffer-reuse{{require-dealloc=0 pool-all unknown-ops=use {REPORT}}}",
    "merge-report": f"merge-alloc{{hoist-parallel {REPORT}}}",
    "memory-report": f"stowage-memory{{stack-bytes=1024 hoist {REPORT}}}",
    "fusion-report": f"{TO}{{copies}},{FUSE}{{{REPORT}}},{BACK}",
    "dealloc-tight": "buffer-deallocation,buffer-deallocation{tighten}",
    "lifetimes-checked": "insert-lifetimes{unknown-ops=use},verify-lifetimes",
    "check-all": "check-arena-plan",
    "verify-markers": "verify-lifetimes",
}  # fmt: skip
PIPELINES = {**REPORTING, **{c.name: c.passes for c in configs.ALL}}


@dataclass(frozen=True)
class Difference:
    name: str
    what: str  # config or command
    line: str
    repeat: str


# ---- programs ---------------------------------------------------------------------------

MARKER = re.compile(r"^(?:// -----|//--- ).*$", re.M)


def written(folder, shown):
    """The programs of the files below a folder; `shown` is what the folder is called."""
    for path in sorted(folder.rglob("*.mlir")):
        parts = MARKER.split(path.read_text(errors="replace"))
        for i, part in enumerate(parts):
            if part.strip():
                yield Program(f"{shown}/{path.relative_to(folder).as_posix()}#{i}", part)


def random_programs(count, seed):
    """Of each generator a part; memref_gen's with all deallocs and with none."""
    for s in range(seed, seed + max(1, count // 4)):
        for input in ("freed", "none"):
            yield Program(f"memref_gen {s} {input}", fuzz.memref_gen.programs.module([s], input))
        yield Program(f"affine_gen {s}", fuzz.affine_gen.gen.text(fuzz.affine_gen.gen.generate(s)))
        yield Program(f"paths {s}", fuzz.paths.grow.grow(s, f"p{s}", ())[0])


def programs(args):
    yield from written(args.tests, "test")
    yield from written(ROOT / "examples", "examples")
    if not args.quick and args.models.is_dir():
        yield from written(args.models, "models")
    if args.programs:
        yield from random_programs(args.programs, args.seed)


# ---- pipelines over programs ------------------------------------------------------------


def run(opt, arguments, text=None, folder=None):
    """The end of a build, which is called by one name in both."""
    done = process.run(["stowage-opt", *arguments], text, folder=folder, executable=opt)
    crashed = done.status is None or done.status < 0  # then it prints addresses
    return process.Done(done.status, done.out, "") if crashed else done


def pipeline_arguments(passes):
    return [*FLAGS, f"--pass-pipeline=builtin.module({passes})"]


def compare_chunk(args, config, chunk):
    """The differences of a config over some programs. Where one process does not come to their
    end, or something differs, each half by itself."""
    arguments = pipeline_arguments(PIPELINES[config])
    if len(chunk) > 1:
        arguments += batch.MARKS
    text = batch.joined([p.text for p in chunk])
    old, new = run(args.old, arguments, text), run(args.new, arguments, text)
    if old == new and (old.status in (0, 1) or len(chunk) == 1):
        return []
    if len(chunk) == 1:
        return [difference(args, chunk[0], config, old, new)]
    middle = len(chunk) // 2
    return compare_chunk(args, config, chunk[:middle]) + compare_chunk(args, config, chunk[middle:])


def difference(args, program, config, old, new):
    args.keep.mkdir(parents=True, exist_ok=True)
    path = args.keep / (re.sub(r"\W+", "-", program.name) + ".mlir")
    path.write_text(program.text)
    arguments = [*pipeline_arguments(PIPELINES[config]), path]
    return Difference(program.name, config, first_line(old, new), repeat(args, arguments))


def repeat(args, arguments):
    both = [shlex.join(map(str, [opt, *arguments])) for opt in (args.old, args.new)]
    return f"diff <({both[0]} 2>&1) <({both[1]} 2>&1)"


def first_line(old, new):
    """What differs first, in words."""
    if old.status != new.status:
        return f"exit status {old.status} became {new.status}"
    for before, after in ((old.out, new.out), (old.err, new.err)):
        for a, b in itertools.zip_longest(before.splitlines(), after.splitlines(), fillvalue=""):
            if a != b:
                return f"{shown(a)}\n    became {shown(b)}"
    return "line ends"


def shown(line):
    return line.strip()[:300] or "nothing"


# ---- the commands of the tests -------------------------------------------------------------


def test_commands(tests):
    """(test, arguments) of what tests call stowage-opt with, on themselves."""
    for path in sorted(tests.rglob("*.mlir")):
        for words in commands(path):
            words = [w for w in words if w != "not"]
            if words[:1] == ["stowage-opt"] and "%s" in words and "--mlir-timing" not in words:
                yield path, words[1 : first(words, ">")]


def first(words, mark):
    """Where redirections begin: at a word such as "2", ">", "file"."""
    at = next((i for i, w in enumerate(words) if w.startswith(mark)), len(words))
    return at - 1 if at < len(words) and words[at - 1].isdigit() else at


def compare_command(args, path, words):
    found = [run_in_folder(opt, path, words) for opt in (args.old, args.new)]
    if found[0] == found[1]:
        return []
    name = f"test/{path.relative_to(args.tests).as_posix()}"
    arguments = [placed(w, path, args.keep) for w in words]
    return [Difference(name, "as it is tested", first_line(*found), repeat(args, arguments))]


def placed(word, path, out):
    for name, value in (("%s", path), ("%S", path.parent), ("%t", out)):
        word = word.replace(name, str(value))
    return word


def run_in_folder(opt, path, words):
    """What a command prints, and the files that it writes."""
    with tempfile.TemporaryDirectory(prefix="same-output-") as folder:
        done = run(opt, [placed(w, path, "out") for w in words], folder=folder)
        files = sorted(f for f in Path(folder).rglob("*") if f.is_file())
        written = "".join(f"{f.name}\n{f.read_text(errors='replace')}" for f in files)
        return process.Done(done.status, done.out + written, done.err)


# ---- the command line -------------------------------------------------------------------


def arguments():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("old", type=Path)
    p.add_argument("new", type=Path)
    p.add_argument("--programs", type=int, help="random ones, of all generators (200; with --quick 50)")
    p.add_argument("--seed", type=int, default=70_000_000, help="of the first of each generator")
    p.add_argument("--models", type=Path, default=places.MODELS)
    p.add_argument("--tests", type=Path, default=ROOT / "test")
    p.add_argument("--quick", action="store_true")
    p.add_argument("--only", action="append", metavar="NAME", help="programs whose name begins so")
    p.add_argument("--config", action="append", choices=list(PIPELINES))
    options.add_jobs(p)
    p.add_argument("--most", type=int, default=10, help="differences that are printed")
    p.add_argument("--keep", type=Path, default=Path(tempfile.gettempdir(), "same-output"),
                   help="where programs that differ are written")  # fmt: skip
    args = p.parse_args()
    for opt in (args.old, args.new):
        if not os.access(opt, os.X_OK):
            p.error(f"{opt} cannot be run")
    args.old, args.new = args.old.resolve(), args.new.resolve()
    args.programs = (50 if args.quick else 200) if args.programs is None else args.programs
    return args


def jobs(args):
    """(how many comparisons, a function that makes them)"""
    chosen = [p for p in programs(args)
              if not args.only or any(p.name.startswith(n) for n in args.only)]  # fmt: skip
    models = [p for p in chosen if p.name.startswith("models/")]
    others = [p for p in chosen if not p.name.startswith("models/")]
    for config in args.config or (REPORTING if args.quick else PIPELINES):
        for chunk in options.batches(others, CHUNK):
            yield len(chunk), compare_chunk, (args, config, chunk)
        for model in models if config in REPORTING or args.config else ():
            yield 1, compare_chunk, (args, config, [model])
    if not args.only and not args.config:
        for path, words in test_commands(args.tests):
            yield 1, compare_command, (args, path, words)


def main():
    args = arguments()
    work = list(jobs(args))
    total, differ = sum(count for count, _, _ in work), 0
    with ThreadPoolExecutor(args.jobs) as pool:
        for differences in pool.map(lambda job: job[1](*job[2]), work):
            for found in differences:
                differ += 1
                if differ <= args.most:
                    print(f"{found.name}, {found.what}: {found.line}\n  {found.repeat}", flush=True)
    print(f"{total - differ} equal, {differ} differ")
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main())
