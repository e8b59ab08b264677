#!/usr/bin/env python3
# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures merge-alloc: whole networks before deallocation, control flow, locality, growth.

    python3 -m bench.arena.merge_alloc --output bench/merge-alloc.md

Networks are those of models.py. Control flow is the programs of test/exec and test/ir/ranges.mlir,
and random programs (fuzz/memref_gen); each is planned twice, with its live pieces and exclusive
pairs, and with one interval per buffer.
"""

import json
import sys
import tempfile
from pathlib import Path

from bench import growth, measure
from bench.arena import models
from fuzz.memref_gen import programs
from testing import process, tables
from testing.execute import difference
from testing.networks import DEALLOCATION
from testing.places import BUILD, ROOT
from testing.process import ToolError
from testing.tables import count, percent, ratio, say


def arenas_of(bench, source, options="", pass_name="merge-alloc"):
    report = bench.folder / "merge-alloc.json"
    pipeline = f"{pass_name}{{{options} report=\"json:{report}\"}}"
    bench.run(bench.opt, source, pipeline)
    return measure.reported(report)


def footprint(arenas):
    """Bytes of all arenas, and of the buffers left alone whose size is known."""
    return (sum(a["arena_size"] for a in arenas), sum(a["left_alone_bytes"] for a in arenas))


def network_rows(bench, found):
    for name, memref in found:
        dealloc = bench.made(f"{name}.dealloc", bench.mlir_opt, memref, DEALLOCATION)
        for extra in ["", "unknown-ops=use"] if name.startswith("byteir") else [""]:
            say(f"{name} {extra}")
            merged = arenas_of(bench, memref, extra)
            arena, alone = footprint(merged)
            bound = sum(a["lower_bound"] for a in merged)
            reused, reused_alone = footprint(arenas_of(bench, dealloc, extra, "buffer-reuse"))
            timing = bench.timing(memref, f"merge-alloc{{{extra} report=none}}", "MergeAlloc", 5)
            yield (f"{name}{' ' + extra if extra else ''}", sum(a["planned"] + a["left_alone"] for a in merged),
                   count(bound), count(arena), ratio(arena, bound),
                   count(alone), count(arena + alone),
                   count(reused + reused_alone),
                   ratio(arena + alone, reused + reused_alone),
                   percent(timing.ratio))


# ---- control flow -----------------------------------------------------------------------


def intervals_only(bench, arena):
    """The arena of the same buffers with one interval each."""
    rows = [f"{i},{b['begin']},{b['end']},{b['size']},{b['alignment']}"
            for i, b in enumerate(arena["buffers"])]
    text = "id,lower,upper,size,alignment\n" + "\n".join(rows) + "\n"
    with tempfile.NamedTemporaryFile("w", suffix=".json", delete=False) as out:
        result = Path(out.name)
    try:
        process.call([bench.tool, "plan", "-", "--json", result, "--output", "/dev/null"], text)
        return json.loads(result.read_text())["arenas"][0]["arena_size"]
    finally:
        result.unlink()


def control_rows(bench, sets):
    for name, files in sets:
        functions = gaining = with_pieces = without = 0
        for path in files:
            arenas = arenas_of(bench, path, "alignment-in-bytes=1")
            for arena in arenas:
                if not arena["planned"]:
                    continue
                interval = intervals_only(bench, arena)
                functions += 1
                gaining += arena["arena_size"] < interval
                with_pieces, without = with_pieces + arena["arena_size"], without + interval
        yield (name, functions, gaining, count(without), count(with_pieces),
               percent(1 - with_pieces / without) if without else "-")


def random_programs(bench, number):
    path = bench.folder / "random.mlir"
    path.write_text(programs.module(range(1, number + 1)))
    return [path]


# ---- locality ---------------------------------------------------------------------------

LOCALITY = {"auto": "", "best-fit-start": "strategy=best-fit-start",
            "first-fit-size": "strategy=first-fit-size"}


def locality_rows(bench, found, rounds=3):
    """Networks executed after merge-alloc; rounds interleave the ways, the fastest counts."""
    for name, memref in found:
        say(f"locality: {name}")
        ways, best = {}, {}
        for label, options in LOCALITY.items():
            ways[label] = bench.made(f"{name}.{len(ways)}.merged", bench.opt, memref,
                                     f"merge-alloc{{{options} report=none}}")
        for _ in range(rounds):
            for label, path in ways.items():
                run = bench.tools.run(path, level=2, poison=False, timeout=300)
                first = best.setdefault("auto", run)
                wrong = difference(first, run)
                if wrong and "leak" not in wrong:
                    raise ToolError(f"{name}, {label}: {wrong}")
                if label not in best or run.measures["seconds"] < best[label].measures["seconds"]:
                    best[label] = run
        base = best["auto"].measures["seconds"]
        for label, run in best.items():
            arena, _ = footprint(arenas_of(bench, memref, LOCALITY[label]))
            yield (name, label, count(arena), f"{1000 * run.measures['seconds']:.1f}",
                   f"{run.measures['seconds'] / base:.3f}")


# ---- growth -----------------------------------------------------------------------------


def growth_rows(bench):
    for shape in growth.SHAPES:
        say(f"growth: {shape}")
        for wanted in models.GROWTH_SIZES:
            text, ops, allocs = growth.program(shape, wanted)
            path = bench.folder / f"growth-{shape}.mlir"
            path.write_text(text)
            timing = bench.timing(path, "merge-alloc{report=none}", "MergeAlloc", 3, typical=min)
            yield (shape, count(ops), count(allocs), f"{timing.work:.1f}",
                   f"{1000 * timing.work / ops:.2f}", percent(timing.ratio))


SECTIONS = [
    ("Networks before deallocation",
     "Bytes. *Left alone* are the buffers that keep their own allocation. *buffer-reuse* is the same sum "
     "for buffer-reuse after upstream's deallocation pipeline. *Time* is that of the pass, of parser and "
     "output.",
     ["<network", "buffers", "bound", "arena", "arena / bound", "left alone", "together",
      "buffer-reuse", "of that", "time"]),
    ("What gaps and exclusion save",
     "Bytes of all arenas, slices unaligned, planned with one interval per buffer and with what control "
     "flow tells.",
     ["<programs", "arenas", "smaller", "intervals", "pieces", "saved"]),
    ("Locality",
     "Generated networks executed after merge-alloc, bytes of the arenas and milliseconds. A plan that then moved each buffer to "
     "the bytes freed last took 1.00 times as long (mlp, ten pairs), and 1.00 to 1.02 for the others: so none does.",
     ["<network", "<plan", "arena", "ms", "of auto"]),
    ("Growth", "Milliseconds, microseconds per op, and the pass's share of parser and output.",
     ["<shape", "ops", "allocs", "ms", "us / op", "share"]),
]


def main(argv):
    parser = measure.arguments(__doc__, ROOT / "bench" / "merge-alloc.md", models=True)
    parser.add_argument("--random", type=int, default=300, help="random programs (default: 300)")
    args = parser.parse_args(argv)
    args.runs = 5
    bench = measure.Bench(args)
    bench.tool = BUILD / "bin" / "stowage"
    found = [*measure.given(args.models), *measure.generated(bench)]
    executed = sorted((ROOT / "test/exec/programs").glob("*.mlir"))
    sets = [("test/exec/programs", executed), ("test/ir/ranges.mlir", [ROOT / "test/ir/ranges.mlir"]),
            (f"{args.random} random programs", random_programs(bench, args.random))]
    parts = network_rows(bench, found), control_rows(bench, sets), locality_rows(
        bench, list(measure.generated(bench))), growth_rows(bench)
    lines = ["# merge-alloc, measured", "", "Written by `python3 -m bench.arena.merge_alloc`.", "",
             tables.machine(), ""]
    for (title, text, head), rows in zip(SECTIONS, parts):
        lines += [f"## {title}", "", text, "", tables.table(head, rows), ""]
    args.output.write_text("\n".join(lines))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
