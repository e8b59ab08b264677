# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random GPU kernels through merge-alloc and check-arena-plan, beside a model of threads and barriers.

    python3 -m fuzz.kernels.run --programs 2000
    python3 -m fuzz.kernels.run --only 1234 --print
    python3 -m fuzz.kernels.run --only 1234 --shrink

The plan must hold in the model, and the checker must find it right. Then each barrier and each wait for copies is taken out: where
the model finds that the plan needs it, the checker must, too. Exit status: 0 all well, 1 not."""

import re
import sys

from fuzz.kernels import grow, threads
from fuzz.paths import generic, shrink
from testing import batch, options, process

BARRIER = "gpu.barrier"
WAIT = re.compile(r"^ *nvgpu\.device_async_wait .*\n", re.M)


def without(text, index):
    """The text without its barrier of that index."""
    parts = text.split(BARRIER)
    return BARRIER.join(parts[: index + 1]) + BARRIER.join(["", *parts[index + 1 :]])[len(BARRIER) :]


def judge(opt, sources):
    """What is wrong, by name, and counts."""
    wrong, counts = {}, {"planned": 0, "needed": 0, "not needed": 0, "reported": 0}
    planned = outcomes([opt, "--merge-alloc"], sources)
    sharing = {n: o.text for n, o in planned.items() if o.status == "ok" and "memref.view" in o.text}
    wrong |= {n: f"merge-alloc: {o.said}" for n, o in planned.items() if o.status != "ok"}
    mutants, read = {}, {}
    for name, outcome in outcomes([opt, "--mlir-print-op-generic"], sharing).items():
        module = generic.read_modules(outcome.text)[0]
        read[name] = list(threads.traces(module))
        if threads.races(read[name]):
            wrong[name] = "the plan races in the model"
        elif threads.loses(read[name]):
            wrong[name] = "the plan loses what a buffer holds in the model"
        for i, barrier in enumerate(threads.barriers(module)):
            mutants[name, f"barrier {i}"] = (without(sharing[name], i), threads.races(read[name], barrier))
    mutants |= without_waits(opt, sharing)
    counts["planned"] = len(sharing)
    check = [opt, "--check-arena-plan"]
    for name, outcome in outcomes(check, sharing).items():
        if outcome.status != "ok":
            wrong.setdefault(name, f"the checker finds a fault: {outcome.said}")
    found = outcomes(check, {key: text for key, (text, _) in mutants.items()}, explain=False)
    for (name, what), outcome in found.items():
        needed = mutants[name, what][1]
        counts["needed" if needed else "not needed"] += 1
        counts["reported"] += outcome.status != "ok"
        if needed and outcome.status == "ok":
            wrong.setdefault(name, f"the checker does not find that {what} is missing")
    return wrong, counts


def without_waits(opt, sharing):
    """(name, what is taken out) -> (text, whether the plan needs it)."""
    cut = {(name, f"wait {i}"): text[: found.start()] + text[found.end() :]
           for name, text in sharing.items() for i, found in enumerate(WAIT.finditer(text))}  # fmt: skip
    read = outcomes([opt, "--mlir-print-op-generic"], cut)
    return {key: (cut[key], threads.races(list(threads.traces(generic.read_modules(o.text)[0])))) for key, o in read.items()}


def outcomes(command, texts, explain=True):
    return dict(zip(texts, batch.run(command, list(texts.values()), explain)))


def shrink_one(args, seed):
    def wrong(text):
        try:
            return judge(args.opt, {seed: text})[0].get(seed, "")
        except (threads.Invalid, KeyError, IndexError, SyntaxError):
            return ""

    print(shrink.shrink(grow.grow(seed), wrong))


def main():
    parser = options.parser(__doc__)
    options.add_seeds(parser, programs=200, seed=0)
    parser.add_argument("--shrink", action="store_true", help="with --only")
    args = parser.parse_args()
    seeds = options.seeds(args)
    if args.print:
        print("\n// -----\n".join(map(grow.grow, seeds)))
        return 0
    if args.shrink:
        for seed in seeds:
            shrink_one(args, seed)
        return 0
    bad, total = 0, {}
    for some in options.batches(seeds, 50):
        wrong, counts = judge(args.opt, {seed: grow.grow(seed) for seed in some})
        for seed, what in wrong.items():
            print(f"{seed}: {what}", flush=True)
        bad += len(wrong)
        total = {key: total.get(key, 0) + count for key, count in counts.items()}
    print(f"{len(seeds)} kernels, {bad} wrong, {total}")
    return bad > 0


if __name__ == "__main__":
    sys.exit(main())
