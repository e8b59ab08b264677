# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random programs with lifetime markers, and markers made wrong on purpose.

    python3 -m fuzz.lifetimes.run --programs 200               whole pipelines
    python3 -m fuzz.lifetimes.run --mutants 200                wrong markers
    python3 -m fuzz.lifetimes.run --only 1234 --print          one program's pipeline

Pipelines: each program of fuzz/memref_gen gets markers (either form), goes through upstream passes
in a random order, must pass verify-lifetimes, may go through pack-stack or buffer-reuse, is lowered (also with poison) at llc -O2, so that
LLVM merges stack slots as the markers allow, and runs. Every result must be what it was. Where the
same passes without ours go wrong, too, the fault is upstream's and only counted.

Mutants: one marker of a program is dropped, moved or doubled. If the poisoned program then computes
something else, verify-lifetimes must have reported it. (Not the other way round: a rule broken
where it happens to do no harm is reported, too.)

Exit status: 0 all well, 1 not, 2 bad usage or a missing tool.
"""

import random
import re
import sys
import tempfile
import time
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path

from fuzz.memref_gen import check, emit, grow, knobs
from fuzz.memref_gen import ops_calls, ops_control, ops_linalg, ops_loops, ops_memory, ops_views  # noqa: F401
from fuzz.memref_gen.passes import Config
from testing import batch, compiled, options

BATCH = 50
FINALIZE = "finalize-memref-to-llvm{use-generic-functions=1}"
UPSTREAM = ["canonicalize", "cse", "inline", "func.func(sroa)", "func.func(mem2reg)",
            "loop-invariant-code-motion", "func.func(canonicalize{region-simplify=aggressive})"]  # fmt: skip


# What may make arenas before: their views get markers, and are parts of buffers to a planner behind.
ARENAS = [[], [], ["buffer-reuse{min-size-in-bytes=48}"], ["merge-alloc{min-size-in-bytes=32}"]]

# What may make use of markers before LLVM does.
PLANNERS = [[], [], [], ["pack-stack"], ["pack-stack{poison=1}"],
            ["buffer-reuse{pool-all=1 poison=1}", "check-arena-plan", "pack-stack"],
            ["merge-alloc{poison=1}", "check-arena-plan"]]  # fmt: skip

# What makes one view of two, or of one in each iteration: the checker is asked before them (docs/check-arena-plan.md).
MOVES_VIEWS = {"cse", "loop-invariant-code-motion"}


class LifetimeTools(compiled.Toolchain):
    """Lowers what still has markers, at the level at which LLVM uses them."""

    def __init__(self, work, opt):
        super().__init__(work, opt)
        self.lower_with, self.level = opt, "-O2"
        self.lowering = self.lowering.replace(FINALIZE, FINALIZE + ",convert-lifetime-to-llvm")
        assert self.lowering != compiled.LOWERING


def generate(seeds, some_knobs):
    knobs.OVERRIDES.update(some_knobs)
    # Upstream's canonicalization takes the source for its clone, where it sees no dealloc of the source.
    return {f"p{s}": grow.generate(s, "all", strict_clones=True) for s in seeds}


# ---- Pipelines.


@dataclass
class Tally:
    programs: int = 0
    markers: int = 0
    upstream: dict = field(default_factory=dict)  # what it says of programs that the same passes without ours get wrong
    failures: list = field(default_factory=list)


def upstream_part(rng):
    chosen = rng.sample(UPSTREAM, rng.randint(0, len(UPSTREAM)))
    return chosen, rng.randint(0, len(chosen))


def pipelines(rng):
    """(ours, the same without our passes)"""
    form = rng.choice(["marker", "marker", "value"])
    chosen, split = upstream_part(rng)
    before, after = chosen[:split], chosen[split:]
    poison = rng.choice([" poison=1", ""])
    arenas = rng.choice(ARENAS)
    ours = before + arenas + [f"insert-lifetimes{{form={form}}}", "verify-lifetimes"] + after
    planner = rng.choice(PLANNERS)
    if arenas and MOVES_VIEWS & set(after):
        planner = [p for p in planner if p != "check-arena-plan"]
    ours += ["verify-lifetimes"] + planner + ["convert-lifetime-to-llvm{prepare" + poison + "}"]
    return ",".join(ours), ",".join(chosen)


def run_batch(tools, seeds, rng, tally):
    stack = {"alloca": rng.choice([0.7, 6])}
    programs = generate(seeds, stack)
    original = check.run_original(tools, programs, "freed")
    tally.failures += [(n, "none", f) for n, f in original.failures.items()]
    ours, without = pipelines(rng)
    config = Config("lifetimes", ours)
    result = check.check(tools, programs, original, config)
    tally.programs += len(result.outcomes.keys() | result.failures.keys())
    text = emit.module([emit.program(programs[n], n) for n in programs if n not in original.failures])
    try:
        tally.markers += tools.opt(text, "builtin.module(insert-lifetimes)").count("lifetime.")
    except compiled.StageError:
        pass
    if not result.failures:
        return
    suspects = {n: programs[n] for n in result.failures}
    blamed = check.check(tools, suspects, original, Config("upstream", without or "canonicalize"))
    for name, failure in result.failures.items():
        if name in blamed.failures:
            tally.upstream[str(failure)[:160]] = tally.upstream.get(str(failure)[:160], 0) + 1
        else:
            tally.failures.append((name, ours, failure))


# ---- Mutants.

MARKER = re.compile(r"\s*(%\S+ = )?lifetime\.(start|end) (%[\w#]+)")


def blocks_of(lines):
    """Per line, which of the line's own block stand after the value's definition cannot be told
    from text; a mutant that does not parse is thrown away."""
    return [i for i, line in enumerate(lines) if MARKER.match(line)]


def mutate(text, rng):
    lines = text.splitlines()
    markers = blocks_of(lines)
    if not markers:
        return None
    at = rng.choice(markers)
    kind = rng.choice(["drop", "move", "move", "move", "double"])
    moved = lines[at]
    if kind != "double":
        del lines[at]
    if kind != "drop":
        near = max(1, at - 12), min(len(lines) - 1, at + 12)
        far = 1, len(lines) - 1
        lines.insert(rng.randint(*rng.choice([near, near, far])), moved)
    return "\n".join(lines)


@dataclass
class Verdicts:
    mutants: int = 0
    wrong: int = 0
    reported: int = 0
    harmless: int = 0  # reported, but the program computes the same
    missed: list = field(default_factory=list)


def parses(tools, text):
    try:
        tools.opt(text, "builtin.module(canonicalize{max-iterations=0})")
        return True
    except compiled.StageError:
        return False


def is_reported(tools, text):
    try:
        tools.opt(text, "builtin.module(verify-lifetimes)")
        return False
    except compiled.StageError as error:
        if "uses memory" in error.said or " life" in error.said or "at once" in error.said:
            return True
        raise


def run_mutant(tools, name, program, was, common, text, verdicts):
    module = "\n".join(["module {"] + common + [text, "}"])
    if not parses(tools, module):
        return
    verdicts.mutants += 1
    reported = is_reported(tools, module)
    header, parts = batch.split(tools.opt(module, "builtin.module(convert-lifetime-to-llvm{prepare poison=1})"))
    failures = {}
    ran = check.execute(tools, {name: program}, {name: parts[name]}, header, [parts[None]],
                        "mutant", failures, "lower")  # fmt: skip
    wrong = name in failures or compiled.compare(was, ran[name], True) is not None
    verdicts.wrong += wrong
    verdicts.reported += reported
    verdicts.harmless += reported and not wrong
    if wrong and not reported:
        verdicts.missed.append((name, text))


def run_mutants(tools, seeds, rng, verdicts, wanted):
    programs = generate(seeds, {"alloca": 3, "spaces": 0})
    original = check.run_original(tools, programs, "freed")
    for name, program in programs.items():
        if name in original.failures or verdicts.mutants >= wanted:
            continue
        form = rng.choice(["marker", "marker", "value"])
        said = tools.opt(emit.module([emit.program(program, name)]),
                         f"builtin.module(insert-lifetimes{{form={form}}})")  # fmt: skip
        _, parts = batch.split(said)
        for _ in range(4):
            text = mutate(parts[name], rng)
            if text:
                run_mutant(tools, name, program, original.outcomes[name][0], [parts[None]], text,
                           verdicts)  # fmt: skip


# ---- The command line.


def arguments():
    p = options.parser(__doc__)
    options.add_seeds(p, programs=0)
    p.add_argument("--mutants", type=int, default=0)
    p.add_argument("--keep", metavar="DIR", help="where to write what was missed")
    return p.parse_args()


def show_failures(failures):
    for name, pipeline, failure in failures:
        print(f"{name}: {failure.kind}: {failure.said}\n  {pipeline}", flush=True)


def main_programs(tools, args):
    tally, start = Tally(), time.monotonic()
    for number, seeds in groupby(options.seeds(args), lambda seed: seed // BATCH):
        rng = random.Random(number * BATCH)  # a program alone gets the pipeline of its batch
        if args.print:
            rng.choice([0.7, 6])
            print(pipelines(rng)[0])
            continue
        run_batch(tools, list(seeds), rng, tally)
    show_failures(tally.failures)
    for said, count in tally.upstream.items():
        print(f"upstream, {count} times: {said}")
    print(f"{tally.programs} programs, {tally.markers} markers, {len(tally.failures)} failures, "
          f"{sum(tally.upstream.values())} wrong without our passes, too, {time.monotonic() - start:.0f} s")  # fmt: skip
    return bool(tally.failures) or (tally.programs > 0 and tally.markers == 0)


def main_mutants(tools, args):
    verdicts, start, seed = Verdicts(), time.monotonic(), args.seed
    while verdicts.mutants < args.mutants:
        run_mutants(tools, range(seed, seed + 10), random.Random(seed), verdicts, args.mutants)
        seed += 10
    for i, (name, text) in enumerate(verdicts.missed):
        print(f"missed: a mutant of {name}")
        if args.keep:
            Path(args.keep).mkdir(parents=True, exist_ok=True)
            Path(args.keep, f"{name}-{i}.mlir").write_text(text)
    print(f"{verdicts.mutants} mutants: {verdicts.wrong} compute something else, of which "
          f"{len(verdicts.missed)} are not reported; {verdicts.reported} reported, "
          f"{verdicts.harmless} of them harmless, {time.monotonic() - start:.0f} s")  # fmt: skip
    return bool(verdicts.missed) or verdicts.wrong == 0


def main():
    args = arguments()
    failed = False
    with tempfile.TemporaryDirectory(prefix="lifetimes") as work:
        tools = LifetimeTools(work, args.opt)
        if args.programs or args.only:
            failed |= main_programs(tools, args)
        if args.mutants:
            failed |= main_mutants(tools, args)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
