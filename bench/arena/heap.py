#!/usr/bin/env python3
# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The heap at the peak of a run, results included, beside upstream's deallocation.

    python3 -m bench.arena.heap --programs 100 --output bench/heap.md
    python3 -m bench.arena.heap --programs 50 --show 5

Random networks (fuzz/net_gen) are bufferized and executed under each pipeline; what they allocate is counted. The
anchor is upstream's deallocation with optimize-allocation-liveness, which frees each buffer after its last use.
--show lists the programs that are furthest above it.
"""

import sys
import tempfile

from bench import measure
from fuzz.net_gen import check, grow
from fuzz.net_gen.configs import MERGE, Config
from fuzz.net_gen.run import BATCH
from testing import options, tables
from testing.compiled import Toolchain

HEAD = """# Heap

Written by `python3 -m bench.arena.heap --programs {programs}`.

The heap at the peak of a run, results included, of {programs} random networks executed after each pipeline. It is compared with that after
upstream's `buffer-deallocation-pipeline` and `optimize-allocation-liveness`, which free each buffer after its last use: how many networks
have a higher peak (*above*) and a lower one (*below*), the largest ratio of a network's two peaks, and the ratio of the sums of all."""
ANCHOR = "buffer-deallocation-pipeline,func.func(optimize-allocation-liveness)"
APART = MERGE.replace("merge-alloc", "merge-alloc{lend-results=false}")
PHASES = MERGE.replace("merge-alloc", "merge-alloc{max-heap-overhead=0}")
PIPELINES = (APART, MERGE, PHASES, f"elide-copies,{MERGE}", "stowage-memory{reduce-peak}")
SEED = 900000


def peaks_of(tools, batch, pipeline):
    """{program: bytes at the peak}; those that fail are an error of the bench."""
    failures = {}
    texts = {name: text for name, text in batch.texts.items() if name not in batch.failures}
    done = check.rewrite(tools, Config(pipeline, pipeline), texts, failures)
    runs = check.execute(tools, batch.programs, done, "heap", failures, "lower")
    for name, failure in failures.items():
        sys.exit(f"heap.py: {name}, {pipeline}: {failure.said}")
    return {name: outcomes[0].peak for name, outcomes in runs.items()}


def measure_all(args):
    """{pipeline: {program: bytes}}"""
    peaks = {pipeline: {} for pipeline in (ANCHOR, *args.pipelines)}
    with tempfile.TemporaryDirectory(prefix="heap") as work:
        tools = Toolchain(work, args.opt)
        for seeds in options.batches(range(args.seed, args.seed + args.programs), BATCH):
            batch = check.originals(tools, {f"p{s}": grow.generate(s, "all") for s in seeds})
            for pipeline, found in peaks.items():
                found.update(peaks_of(tools, batch, pipeline))
    return peaks


def row_of(pipeline, peaks, anchor):
    ratios = [peaks[name] / max(anchor[name], 1) for name in anchor]
    return (f"`{pipeline}`", str(sum(r > 1 for r in ratios)), str(sum(r < 1 for r in ratios)), f"{max(ratios):.3f}",
            tables.ratio(sum(peaks.values()), sum(anchor.values())))  # fmt: skip


def main():
    parser = measure.arguments(__doc__)
    parser.add_argument("--programs", type=int, default=200)
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--with", dest="pipelines", action="append", metavar="PASSES")
    parser.add_argument("--show", type=int, default=0, metavar="N")
    args = parser.parse_args()
    args.pipelines = args.pipelines or PIPELINES
    peaks = measure_all(args)
    anchor = peaks.pop(ANCHOR)
    rows = [row_of(pipeline, found, anchor) for pipeline, found in peaks.items()]
    parts = [HEAD.format(programs=args.programs)] if args.output else []
    parts.append(tables.table(("<pipeline", "above", "below", "largest ratio", "sum of the peaks"), rows))
    tables.write(args.output, "\n\n".join(parts))
    for pipeline, found in peaks.items():
        worst = sorted(anchor, key=lambda name: found[name] / max(anchor[name], 1), reverse=True)
        for name in worst[: args.show]:
            print(f"{pipeline}: {name} {found[name]} instead of {anchor[name]}")


if __name__ == "__main__":
    main()
