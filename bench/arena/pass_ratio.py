#!/usr/bin/env python3
# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What passes cost in this build and in another one, in instructions: no matter how busy the machine is.

    python3 -m bench.arena.pass_ratio OTHER-PLUGIN [PROGRAM:PASSES ...] [--name NAME] [--output FILE]

OTHER-PLUGIN is the StowagePlugin.so of the other build, of the same LLVM. A program is a network of --models, or
SHAPE-OPS of bench.growth, as nested-12000. valgrind's callgrind counts from the pass manager's begin to its end. A build
runs all programs in one process, which loads MLIR once.

The other build of a COMMIT: git worktree add OTHER COMMIT && cmake -S OTHER -B OTHER/build -G Ninja \\
    -DCMAKE_BUILD_TYPE=Release && ninja -C OTHER/build StowagePlugin
"""

import re
import tempfile
from pathlib import Path

from bench import growth, measure
from bench.arena.pass_time import CLOCK
from testing import places, process, tables

OPTIONS = ["--tool=callgrind", "--toggle-collect=mlirPassManagerRunOnOp", "--dump-after=mlirPassManagerRunOnOp"]
PLUGIN = places.BUILD / "lib" / "StowagePlugin.so"

# The planner's effort is set: how long it searches is another question. Where more was found to search for, a row with
# no search says what the rest of the pass costs.
MERGE = "merge-alloc{planner-effort=300000}"
REUSE = "buffer-reuse{planner-effort=300000}"
CASES = [
    f"flat-3000:{REUSE}",
    f"nested-12000:{REUSE}",
    f"lean4-vit_fwd:{REUSE}",
    f"functions-3000:{MERGE}",
    f"blocks-3000:{MERGE}",
    f"lean4-vit_fwd:{MERGE}",
    f"lean4-resnet34_train_step:{MERGE}",
    "lean4-resnet34_train_step:merge-alloc{planner-effort=1}",
    "parallel-3000:pack-stack",
    "blocks-3000:stowage-memory",
    "nested-3000:buffer-deallocation",
    "merges-3000:buffer-deallocation",
    "blocks-3000:buffer-deallocation",
    "iree-mobilebert:buffer-deallocation",
    "carried-3000:insert-lifetimes",
    "iree-mobilebert:insert-lifetimes",
    f"nested-3000:{REUSE},check-arena-plan",
    f"lean4-vit_fwd:{MERGE},check-arena-plan",
    "functions-3000:elide-copies",
    "gen-unet-256:elide-copies",
    "imex-mobilenetv3:elide-copies",
    "lean4-vit_fwd:order-for-memory",
    "gen-unet-256:stream-rows",
]


def counts(plugin, runs):
    """Instructions of each run, a file and its passes."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "run"
        pairs = [part for path, passes in runs for part in (path, f"builtin.module({passes})")]
        process.call(["valgrind", *OPTIONS, f"--callgrind-out-file={out}", CLOCK, plugin, *pairs])
        dumps = [out.with_suffix(f".{i}").read_text() for i in range(1, len(runs) + 1)]
    return [int(re.search(r"^(?:totals|summary): (\d+)", dump, re.M)[1]) for dump in dumps]


def path_of(program, models):
    """None: it is a network that is not there."""
    given = dict(measure.given(models))
    shape, _, ops = program.rpartition("-")
    if program in given or shape not in growth.SHAPES:
        return given.get(program)
    path = places.BUILD / "bench" / f"{program}.mlir"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(growth.program(shape, int(ops))[0])
    return path


def rows(args):
    cases = [case.split(":", 1) for case in args.cases or CASES]
    cases = [(program, passes) for program, passes in cases if path_of(program, args.models)]
    runs = [(path_of(program, args.models), passes) for program, passes in cases]
    both = zip(*(counts(plugin, runs) for plugin in (args.other.resolve(), PLUGIN)), strict=True)
    for (program, passes), (before, now) in zip(cases, both, strict=True):
        yield [passes, program, *(f"{n / 1e6:.1f}" for n in (before, now)), f"{now / before:.2f}"]


HEAD = """\
# What passes cost, compared with an earlier build

Written by `python3 -m bench.arena.pass_ratio OTHER-PLUGIN {cases}--name {name} --output FILE`

{machine}

Millions of instructions of a pass, as valgrind's callgrind counts them, without parser, printer and verifier; *before*: at {name}.
The planner's effort is set: within it, a search that finds smaller arenas may take more of the steps than before."""


def main():
    parser = measure.arguments(__doc__, models=True)
    parser.add_argument("other", type=Path)
    parser.add_argument("cases", nargs="*", metavar="PROGRAM:PASSES")
    parser.add_argument("--name", default="the other build", help="what it is called on the page")
    args = parser.parse_args()
    cases = "".join(f"'{c}' " for c in args.cases)
    head = HEAD.format(cases=cases, machine=tables.machine(), name=args.name)
    columns = ["<pass", "<program", "before", "now", "ratio"]
    tables.write(args.output, head + "\n\n" + tables.table(columns, list(rows(args))))


if __name__ == "__main__":
    main()
