# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the runners of random programs have in common: configs and knobs by name, batches in processes of
their own, failures as they come.

A *config* has a name and a pipeline. A failure is (seed, config or what the program was instead, Failure)."""

import sys
import tempfile
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from testing import options, places
from testing.compiled import Toolchain


def add_arguments(p, table, stop_after=40):
    """`table`: a module with CONFIGS and GROUPS."""
    p.add_argument("--knob", action="append", default=[], metavar="NAME=WEIGHT")
    p.add_argument("--config", action="append", default=[], metavar="NAME",
                   help=f"of {', '.join([*table.GROUPS, *table.CONFIGS])}")  # fmt: skip
    p.add_argument("--rotate", type=int, metavar="N",
                   help="each batch goes through N of the configs, the next batch through the next N (default: all); batches are so small that all come")  # fmt: skip
    p.add_argument("--shrink", action="store_true", help="reduce the failures found")
    p.add_argument("--shrink-limit", type=int, default=3, help="how many of them")
    p.add_argument("--stop-after", type=int, default=stop_after, metavar="N", help="failures")
    p.add_argument("--keep", metavar="DIR", help="where to write failing programs")


def chosen(names, table):
    """The configs of these names and groups, each once."""
    names = dict.fromkeys(n for name in names for n in table.GROUPS.get(name, [name]))
    unknown = [n for n in names if n not in table.CONFIGS]
    if unknown:
        sys.exit(f"run.py: unknown config {unknown[0]}; there are {', '.join([*table.GROUPS, *table.CONFIGS])}")
    return [table.CONFIGS[n] for n in names]


def set_knobs(args, knobs):
    for text in args.knob:
        name, _, weight = text.partition("=")
        if name not in knobs.WEIGHTS:
            sys.exit(f"run.py: unknown knob {name}; there are {', '.join(knobs.WEIGHTS)}")
        knobs.OVERRIDES[name] = float(weight)


def known_by(tools, wanted):
    """The configs that this stowage-opt can run; says which it cannot."""
    lacks = {c.name: tools.lacks(c.pipeline) for c in wanted}
    for name, lack in lacks.items():
        if lack:
            print(f"MISSING config {name}: {lack}", flush=True)
    return [c for c in wanted if not lacks[c.name]]


def turn(configs, index, size):
    """The configs of a batch: all, or `size` of them, so that all come equally often."""
    first = index * (size or 0)
    return [configs[(first + i) % len(configs)] for i in range(min(size or len(configs), len(configs)))]


def run_all(args, wanted, seeds, size, run_batch, tally):
    """Batches of `size` seeds, each through its turn of the `wanted` configs:
    (failures, {config: tally}, how many configs the binary lacks).
    `run_batch` takes (seeds, args, configs, driver) and gives failures and tallies."""
    failures = []
    with tempfile.TemporaryDirectory(prefix="fuzz") as work:
        tools = Toolchain(work, args.opt)
        known = known_by(tools, wanted)
        tallies = {c.name: tally() for c in known}
        turns = -(-len(known) // (args.rotate or len(wanted) or 1)) or 1  # until all configs have come
        batches = options.batches(seeds, min(size, max(1, len(seeds) // turns)))
        jobs = [(some, args, turn(known, i, args.rotate), tools.driver) for i, some in enumerate(batches)]
        with ProcessPoolExecutor(max_workers=args.jobs) as pool:
            for found, parts in pool.map(run_batch, jobs if known or not wanted else []):
                failures += found
                for name, part in parts.items():
                    tallies[name] += part
                for seed, config, failure in found:
                    print(f"seed {seed}, config {label(config)}: {failure.kind}: {failure.said}", flush=True)
                if len(failures) >= args.stop_after:
                    print(f"stopped after {len(failures)} failures")
                    pool.shutdown(cancel_futures=True)
                    break
    return failures, tallies, len(wanted) - len(known)


def label(config):
    return getattr(config, "name", config)


def status(failures, missing):
    """The exit status of a run."""
    return 1 if failures else places.SKIPPED if missing else 0


def show_reduced(args, text, name):
    """Prints a reduced program, and keeps it where that is asked for."""
    print(text)
    if args.keep:
        Path(args.keep).mkdir(parents=True, exist_ok=True)
        Path(args.keep, name).write_text(text + "\n")
