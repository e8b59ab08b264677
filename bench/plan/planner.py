# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The planner alone, on public sets of problems and on synthetic ones: planner_bench.c, as a page.

    python3 -m bench.plan.planner --output bench/planner.md
    python3 -m bench.plan.planner --sizes 1000            growth alone, small, printed

The sets lie in ../shared/data/dsa (--files); without them the page has the synthetic problems alone.
"""

import random
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from bench import measure
from testing import places, process, tables
from testing.process import Limits
from testing.tables import count, say

STRATEGIES = ["auto", "peak", *(f"{fit}-{order}" for fit in ("first-fit", "best-fit")
                                for order in ("size", "area", "duration", "start")),
              "layered", "repair", "exact"]  # fmt: skip
FINDERS = ["first-fit-size", "best-fit-start", "first-fit-area", "first-fit-duration", "peak", "repair", "exact"]  # of auto
SIZES = [1_000, 10_000, 100_000, 1_000_000]
SHAPE_SIZE = 100_000
PACKING_EFFORT = 1_000_000_000
# Tight packings of packings.c, from a seed on that nothing was tuned on.
UNSEEN = 1_000_002
FAMILY_EFFORT = 2_000_000_000
FAMILY_SIZES = {0: 300, 400: 36}  # 0: 40 to 250 buffers, by the seed
LEAST_EFFORT, LEAST_COUNT = 200_000_000, 120
PROVEN = "optimal"
# Milliseconds of google/minimalloc, as its authors tell them, on a machine of the same kind.
MINIMALLOC = {"A": 4400, "C": 580, "E": 3280, "H": 1480, "I": 3330}
LONG = Limits(clock=7200)


@dataclass(frozen=True)
class Line:
    """What planner_bench prints of one problem."""

    name: str
    buffers: int
    outcome: str
    arena: int
    bound: int
    ratio: str
    strategy: str
    milliseconds: float
    megabytes: int

    @staticmethod
    def read(text):
        name, buffers, outcome, arena, bound, ratio, strategy, ms, _, _, _, megabytes, *_ = text.split()
        return Line(name.removesuffix(".csv"), int(buffers), outcome, int(arena), int(bound), ratio,
                    strategy, float(ms), int(megabytes))  # fmt: skip

    @property
    def shown(self):
        return self.ratio + "*" * (self.outcome == PROVEN)

    @property
    def fits(self):
        return self.outcome in (PROVEN, "feasible")

    @property
    def family(self):
        return self.name.split("-")[0]

    @property
    def capacity(self):
        return int(self.name.rsplit(".", 1)[1])


def run(*arguments):
    """Its lines. A problem without a plan is an answer, too; what is no plan is an error."""
    done = process.run([places.BUILD / "bin" / "planner_bench", *arguments], limits=LONG)
    if done.status not in (0, 1) or "NOT A PLAN" in done.out or done.err:
        raise process.ToolError(f"planner_bench: {done.out}{done.err}")
    return [Line.read(line) for line in done.out.splitlines()]


def file_part(files):
    by_strategy = {}
    for strategy in STRATEGIES:
        say(strategy)
        by_strategy[strategy] = {line.name: line for line in run("--strategy", strategy, *files)}
    auto = by_strategy["auto"]
    rows = [[name, line.buffers, *(f"{s[name].shown} {s[name].milliseconds:.1f}" for s in by_strategy.values())]
            for name, line in auto.items()]  # fmt: skip
    proven = sum(line.outcome == PROVEN for line in auto.values())
    return [FILES, tables.table(["<file", "buffers", *STRATEGIES], rows),
            f"`auto` is proven optimal on {proven} of {len(auto)}."]  # fmt: skip


def capacity_part(files):
    say("capacity")
    lines = [line for line in run("--capacity", "name", *files)]
    named = [(line.name.split(".")[0], line) for line in lines]
    rows = [[name, line.outcome, f"{line.milliseconds:.1f}", MINIMALLOC[name],
             f"{MINIMALLOC[name] / line.milliseconds:.0f}x"] for name, line in named]  # fmt: skip
    ours, theirs = sum(line.milliseconds for line in lines), sum(MINIMALLOC[name] for name, _ in named)
    rows.append(["together", "", f"{ours:.1f}", theirs, f"{theirs / ours:.0f}x"])
    return [CAPACITY, tables.table(["<file", "<outcome", "ms", "minimalloc ms", "ratio"], rows)]


def packing_part(files):
    say("packings")
    lines = run("--effort", PACKING_EFFORT, *files)
    met = [line for line in lines if line.arena == line.bound]
    left = sorted(line.buffers for line in lines if line.arena != line.bound)
    return [f"Of {len(lines)} perfect packings by guillotine cuts ({min(x.buffers for x in lines)} to "
            f"{max(x.buffers for x in lines)} buffers), {len(met)} are solved within `--effort {PACKING_EFFORT}`; "
            f"these take {sum(line.milliseconds for line in met) / 1000:.1f} s together. Buffers of those left: "
            f"{', '.join(map(str, left)) or 'none'}."]  # fmt: skip


def family_part():
    rows, left = [], []
    for size, number in FAMILY_SIZES.items():
        say(f"packings, {size}")
        lines = run("--effort", FAMILY_EFFORT, "--packings", UNSEEN, number, size)
        families = {}
        for line in lines:
            families.setdefault(line.family, []).append(line.fits)
        solved = [line for line in lines if line.fits]
        left += [line for line in lines if not line.fits]
        rows.append([size or "40 to 250", *(f"{sum(f)}/{len(f)}" for f in families.values()),
                     f"{len(solved)}/{len(lines)}", f"{len(solved) / len(lines):.0%}",
                     f"{sum(line.milliseconds for line in solved) / 1000:.1f}"])  # fmt: skip
    slowest = max((line.milliseconds for line in left), default=0) / 1000
    return [FAMILIES, tables.table(["<buffers", *families, "solved", "share", "seconds of these"], rows),
            f"Each of those left open took at most {slowest:.1f} s."]  # fmt: skip


def least_part():
    say("minimising")
    packings = ["--packings", UNSEEN, LEAST_COUNT, 0]
    fitted = run("--effort", LEAST_EFFORT, *packings)
    least = run("--effort", LEAST_EFFORT, "--minimize", *packings)
    families = {}
    for fit, line in zip(fitted, least, strict=True):
        families.setdefault(line.family, []).append((fit, line))
    rows = [[name, *least_row(pairs)] for name, pairs in families.items()]
    rows.append(["all", *least_row(list(zip(fitted, least, strict=True)))])
    return [LEAST, tables.table(["<family", "packings", "fitted", "minimised to the capacity", "mean arena",
                                 "largest"], rows)]  # fmt: skip


def least_row(pairs):
    ratios = [line.arena / line.capacity for _, line in pairs]
    return [len(pairs), sum(fit.fits for fit, _ in pairs), sum(ratio <= 1 for ratio in ratios),
            f"{sum(ratios) / len(ratios):.4f}", f"{max(ratios):.4f}"]  # fmt: skip


def model_problems(folder):
    """The arenas that merge-alloc plans of each model, as files of the folder."""
    for model in sorted((places.SHARED / "models").glob("*.memref.mlir")):
        passes = f"builtin.module(merge-alloc{{report=csv:{folder}/{model.name.split('.')[0]}.csv}})"
        process.run([places.OPT, model, "-o", "/dev/null", f"--pass-pipeline={passes}"], limits=LONG)
    return sorted(Path(folder).glob("*.csv"))


def found_row(name, *arguments):
    """Who found the plans, and who proved them: a bound that only a search reaches is a search's."""
    say(f"found, {name}")
    lines = run(*arguments)
    first = {line.name: line.bound for line in run("--strategy", STRATEGIES[2], *arguments)}
    proven = [line.bound == first[line.name] for line in lines if line.outcome == PROVEN]
    return [name, len(lines), *(sum(line.strategy == s for line in lines) for s in FINDERS),
            sum(not line.fits for line in lines), sum(proven), len(proven) - sum(proven)]  # fmt: skip


def found_part(files):
    with tempfile.TemporaryDirectory() as folder:
        rows = [found_row("public", *files), found_row("public, their capacity", "--capacity", "name", *files[:5]),
                found_row("perfect packings", *sorted(files[0].parent.glob("guillotine/*.csv"))),
                found_row("models", *model_problems(folder)),
                found_row("tight packings", "--packings", UNSEEN, 300, 0),
                found_row("the same, minimised", "--effort", LEAST_EFFORT, "--minimize", "--packings", UNSEEN,
                          LEAST_COUNT, 0)]  # fmt: skip
    return [FOUND, tables.table(["<set", "problems", *FINDERS, "none", "proven by the bound", "by a search"], rows),
            LET_GO]  # fmt: skip


def growth_part(sizes):
    rows = []
    for size in sizes:
        say(f"synthetic, {size}")
        (line,) = run("--synthetic", size)
        rows.append([count(size), line.shown, line.strategy, f"{line.milliseconds / 1000:.3f}", line.megabytes])
    return [GROWTH, tables.table(["buffers", "ratio", "<strategy", "seconds", "peak resident MB"], rows)]


# ---- hard shapes ------------------------------------------------------------------------


def together(rng, i):
    return 0, 10, 64 * rng.randint(1, 999), 1, ""


def odd_sizes(rng, i):
    return 0, 10, rng.randint(1, 99_999), 64, ""


def mixed_alignments(rng, i):
    return 0, 10, rng.randint(1, 99_999), 1 << rng.randint(0, 8), ""


def nested(rng, i):
    return i, 2 * SHAPE_SIZE - i, 64 * rng.randint(1, 999), 1, ""


def three_pieces(rng, i):
    begin = rng.randint(0, SHAPE_SIZE // 5)
    return begin, begin + 10, 64 * rng.randint(1, 999), 1, f"{begin + 2}-{begin + 4} {begin + 6}-{begin + 8}"


SHAPES = {
    "all alive at once": together,
    "the same with odd sizes, aligned to 64": odd_sizes,
    "the same with mixed alignments": mixed_alignments,
    "nested lives": nested,
    "three pieces to every life": three_pieces,
}


def shape_part(size):
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "shape.csv")
        for name, shape in SHAPES.items():
            say(name)
            rng = random.Random(1)
            lines = [",".join(map(str, (i, *shape(rng, i)))) for i in range(size)]
            path.write_text("\n".join(["id,lower,upper,size,alignment,gaps", *lines]) + "\n")
            tool = [places.BUILD / "bin" / "stowage"]
            whole, _ = measure.processor_seconds([*tool, "plan", path, "--map=none", "--output=/dev/null"])
            around, _ = measure.processor_seconds([*tool, "convert", path, "--output=/dev/null", "--to=csv"])
            rows.append([name, f"{max(whole - around, 0):.2f}"])
    return [HARD.format(size=size), tables.table(["<shape", "seconds"], rows)]


# ---- the page ---------------------------------------------------------------------------

HEAD = """# The planner, measured

Written by `python3 -m bench.plan.planner --output bench/planner.md`, which `make bench` runs.

{machine}"""

FILES = """## Public sets

Ratio of the arena to the lower bound, and processor time in milliseconds on one thread, with the default effort; `*` is a
proven optimum. google/minimalloc's "challenging" set: A to I; idealloc's traces: the others.

    build/bin/planner_bench --strategy NAME FILE.csv..."""

CAPACITY = """## Fitting a capacity

The capacity is in the file's name. Beside it the milliseconds that google/minimalloc needs for the same, as its authors tell them.

    build/bin/planner_bench --capacity name FILE.csv..."""

FOUND = """## Who finds the plans

How many plans each search of `auto` found, with the default effort but in the last row, and whether the bound that is known before all
searches proves them optimal, or a search does. A search that comes first takes from those behind it. Models: each arena of `merge-alloc`."""

LET_GO = """Measured once, of 1,181 problems of the networks, models and trials of `reduce-peak`, with 3,000,000 steps. What is left after the first search
goes to climbs, not to another search: 14 are smaller, none larger, with 3 % fewer steps. Problems with byte windows are not fitted to 0.3 %, 1 %
and 3 % above the bound: all plans are the same, with 13 % fewer steps. `first-fit-duration`, of up to 600 buffers: 4 are smaller, none larger,
with 0.1 % more steps; of more, the public files would take 164 million steps instead of 143 for the same plans. With 4,000,000 steps, now the
passes' default, 30 are smaller than before all this, and one trial is larger, by 2.6 %, with 5 % more steps of all; of 200 packings (seed
8800000 on) 15 are smaller, minimised, none larger, and 165 are fitted instead of 161.

What was left out and measured, and stays. Without the search along time 288 of 300 tight packings (seed 8100000 on, 2,000,000,000
steps) are fitted instead of 297. Without the moves of one block at a time, of 200 packings (seed 8500000 on, minimised, 3,000,000 steps) 14
are larger, on average of all by 0.03 %; with the default effort one of 94, and none of 100 (seed 8300000 on) with 200,000,000 steps, is
larger without any reordering after the first search.

Each stage left out alone of the planner of 784d9467, with 3,000,000 steps, measured once: how many of 823 problems of the networks, models
and trials of `reduce-peak` are larger or smaller and the most that one is larger, how many proofs are lost, and how many of 200 packings (seed 8700000
on) are larger, minimised, and fitted. Twice the steps make up for `best-fit-start` alone: with these and nothing left out, too, 3 problems
are larger than with half of them.

| left out | larger | smaller | most | proofs lost | packings larger | fitted |
|---|---:|---:|---:|---:|---:|---:|
| nothing | 0 | 0 | | 0 | 0 | 148 |
| search along a skyline | 14 | 12 | 10.4 % | 10 | 84 | 93 |
| search by offset beside it | 20 | 0 | 1.8 % | 18 | 1 | 149 |
| search through byte windows | 1 | 10 | 3.0 % | 9 | 0 | 148 |
| gaps of pairs, in first fit | 13 | 0 | 7.0 % | 0 | 0 | 148 |
| moves that only keep a plan's size | 4 | 1 | 4.0 % | 0 | 0 | 148 |
| squeaky wheel | 27 | 8 | 3.4 % | 8 | 4 | 148 |
| moves of one block at a time | 21 | 0 | 6.8 % | 0 | 13 | 148 |
| `peak` | 13 | 12 | 3.7 % | 5 | 10 | 148 |
| `first-fit-area` | 12 | 14 | 0.7 % | 0 | 0 | 149 |
| `best-fit-start` | 0 | 4 | | 0 | 0 | 148 |
| fitting to 0.3 %, 1 % and 3 % above the bound | 6 | 0 | 10.4 % | 0 | 30 | 148 |

Without `best-fit-start` 29 problems are larger with 100,000 steps, all together by 0.9 %. The search along time begins after 8,000,000
steps and changes nothing here; with 400,000,000, 89 of 100 packings are fitted without it instead of 93."""

FAMILIES = f"""## Tight packings

Pictures that rectangles fill, up to a tenth of them taken away, with the picture's height for a capacity (`plan/packings.c`): so a
plan exists. Nothing was tuned on these seeds. A picture without holes is mostly easy. Of one with holes the search goes along time.
What stays open mostly is of the family `tiles`, with few different sizes. Measured once: of the 36 of 400 buffers from seed 9000006 on,
35 are solved, without the search along time 31.

    build/bin/planner_bench --effort {FAMILY_EFFORT} --packings FIRST COUNT SIZE"""

LEAST = f"""## Minimising

The same packings, {LEAST_COUNT} of 40 to 250 buffers, first with the picture's height for a capacity, then without any, both with
`--effort {LEAST_EFFORT}`; the arena by the picture's height, which holes leave some way above the least. Minimising asks
for the bound and for 0.3 %, 1 % and 3 % above it with this effort each, as fitting does, so that it never ends above a plan that fitting
finds there. A caller who knows a height between these can do better.

    build/bin/planner_bench --effort {LEAST_EFFORT} --minimize --packings FIRST COUNT SIZE"""

ABOVE = """## Optimum above the load

Problems of equal load everywhere: what ends is replaced by as many bytes, cut otherwise, so that many optima are above the load. 200
problems of 12 to 60 buffers, of seeds not used for tuning, minimised; before: proofs went unit by unit.
*Gap*: arena above bound, mean of all. Measured once.
Most of `wide` (8 and more alive together) stay open: there neither plan nor proof is near. A search that asked what the buffers alive in an
interval need alone proved two more of `fine`, and made no plan smaller, for 250 lines; it is gone.

    python3 -m bench.plan.recut DIRECTORY 5000
    build/bin/planner_bench --effort 100000000 DIRECTORY/*.csv

| kind | problems | proven before | proven | gap before | gap |
|---|---:|---:|---:|---:|---:|
| coarse | 50 | 45 | 45 | 0.42 % | 0.42 % |
| fine | 50 | 25 | 25 | 1.26 % | 0.99 % |
| hole | 50 | 35 | 38 | 0.50 % | 0.43 % |
| wide | 50 | 16 | 17 | 3.77 % | 1.63 % |"""

NOT_KEPT = """## What did not pay

Measured once, on seeds for tuning, while this was written; what is kept was refined afterwards, to gaps of 1/32 and classes of size^4, so
that these figures compare rows and are not the tables above. *Excess*: by how much the arena of 120 packings, from seed 6000 on, exceeds the
picture's height on average when minimising with `--effort 200000000`. *Ratio*: first fit of 100,000 synthetic buffers, arena to bound.

| what was tried | instead of | figure | kept | tried |
|---|---|---|---|---|
| the scheme before: one target, a sixteenth of the effort for questions above it | falling capacities | excess | 0.23 % | 1.25 % |
| half of the effort for questions above the target | as much as at the target | excess | 0.23 % | 0.32 % |
| as many steps for these in every round | twice as many as in the round before | excess | 0.23 % | 0.30 % |
| twice as many in every round | as many as there are | excess | 0.23 % | 0.33 % |
| order of exact sizes | classes of about size^3.3 x duration, a factor of 1.5 to 2 wide | ratio | 1.0174 | 1.0399 |
| order of area | the same | ratio | 1.0174 | 1.0403 |
| classes of size alone | the same | ratio | 1.0174 | 1.0223 |
| classes of size^2 x duration | the same | ratio | 1.0174 | 1.0203 |
| narrower classes, by a third | the same | ratio | 1.0174 | 1.0187 |

The order in which the search along a skyline tries items. *Fitted*: of 40 packings of 400 buffers, seeds 70002 to 70049 without the
family `equal`, with `--strategy exact --effort 300000000`. One that is easy under one order is hard under another, so that a row may be off by one or two.

| what was tried | instead of | figure | kept | tried |
|---|---|---|---|---|
| first who touches most walls | that and, in turn, first who leaves nothing empty beside it | fitted | 26 | 22 |
| first who leaves nothing empty beside it | the same | fitted | 26 | 24 |
| first who leaves the fewest corners in the skyline | the same | fitted | 26 | 23 |
| this rule for the first of the two | the same | fitted | 26 | 24 |
| this one as a third | the same | fitted | 26 | 25 |
| closing a valley before an item that leaves something empty beside it | last | fitted | 24 | 15 |
| 50 dead ends before the search begins anew | 100 | fitted | 26 | 25 |
| dead ends that grow by an eighth | by a quarter | fitted | 26 | 25 |
| shuffles by a 32nd | by a 16th | fitted | 26 | 23 |

What is seen to be a dead end, and what is kept from one attempt for the next. *Fitted*: of 48 packings of 400 buffers, seeds 70000 to
70047, with `--strategy exact --effort 600000000`; for the row with its effort given, with that; a second figure is of the
next 48 as well. What finds no more packings with as many steps is not worth its steps, nor its code.

| what was tried | instead of | fitted | kept | tried |
|---|---|---|---|---|
| a valley is a dead end where what still fits into it leaves more empty below its lower wall than there is slack | seen later, when it is filled | fitted | 34 | 34 |
| so is a clique whose items, stacked from their lowest places on, leave more empty than its slack (one machine with release times), 300000000 steps of 4 times the time | the lowest item alone | fitted | 33 | 33 |
| half of the counts of dead ends are kept for the next search | each search counts anew | fitted | 34 | 32 |
| every second pair of attempts keeps to the plan with the most items so far, but for a window of an eighth to five eighths of the cliques | all attempts by rank | fitted | 34, 36 | 34, 38 |
| the same, a sixteenth to five sixteenths | the same | fitted | 34, 36 | 33, 37 |
| the same, a quarter to three quarters | the same | fitted | 34, 36 | 34, 37 |

More effort alone does not pay: of 36 packings of 400 buffers, seeds 70000 to 70035, 200000000 steps find as many plans as 2000000000
do, 24. Nor did guesses of the rectangles that stay empty, as further items of the same search: in 1,000,000,000 steps each, of 90 packings
of 40 to 250 buffers, seeds 9300002 on, 89 were fitted with them and 88 without; for 378 lines.

Two other searches fell short of this one by far, on packings of the same kind. A beam along the skyline, of 64 to 15,000 plans with the
least waste, mostly ended with less than half of the items placed: its plans meet the same dead end at once. Moving items to where they
overlap least, with a weight per pair that grows while they overlap, fitted the family `equal` and next to nothing else.

Classes of size pay where sizes are many and spread. Where they are few, as in the traces above, `layered` loses to `first-fit-size`;
`auto` uses it from 50,000 buffers on only."""

GROWTH = """## Growth

Synthetic problems: sizes log-uniform from 64 B to 1 MiB, starts uniform over n/5 steps, lengths log-uniform up to 10,000 steps.

    build/bin/planner_bench --synthetic N"""

HARD = """## Hard shapes

{size:,} buffers each, through `stowage plan` with its default effort, which grows with the buffers; processor time without that of
reading and writing. Where lives have several pieces all of it is used, and a step takes several times as long as elsewhere: first fit
alone is there in a tenth of the time, with an arena 8.6 % above the bound instead of 2.9 %."""


def main():
    parser = measure.arguments(__doc__)
    parser.add_argument("--files", type=Path, default=places.SHARED / "dsa")
    parser.add_argument("--sizes", type=int, nargs="+", help="of synthetic problems, and no files")
    args = parser.parse_args()
    files = sorted(args.files.glob("*.csv"))
    parts = [HEAD.format(machine=tables.machine())]
    if args.sizes:
        files = []
    elif not files:
        say(f"skipped: there are no public sets in {args.files}")
        parts.append("**Skipped**: the public sets, which are not there.")
    if files:
        parts += file_part(files) + capacity_part([f for f in files if f.stem.split(".")[0] in MINIMALLOC])
        parts += packing_part(sorted((args.files / "guillotine").glob("*.csv")))
        parts += found_part(files)
    if not args.sizes:
        parts += family_part() + least_part() + [ABOVE, NOT_KEPT]
    parts += growth_part(args.sizes or SIZES) + shape_part(min(args.sizes or [SHAPE_SIZE]))
    tables.write(args.output, "\n\n".join(parts))


if __name__ == "__main__":
    try:
        sys.exit(main())
    except process.ToolError as error:
        sys.exit(f"planner: {error}")
