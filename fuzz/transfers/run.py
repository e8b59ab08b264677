# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random programs with work that goes on, through the arena passes, buffer-deallocation and check-arena-plan, beside a model that runs
works early and late.

    python3 -m fuzz.transfers.run --programs 2000
    python3 -m fuzz.transfers.run --only 1234 --print
    python3 -m fuzz.transfers.run --only 1234 --shrink

Programs of odd seeds are streams of a GPU. What is planned must write the same in all schedules, without a race of two views, and the
checker must find it right. Then each wait is taken out, of many some: where two views of an arena race in the model, the checker must find
a fault. Exit status: 0 all well, 1 not."""

import re
import sys

from fuzz import judged
from fuzz.judged import outcomes
from fuzz.paths import generic
from fuzz.transfers import grow, machine, streams

PIPELINES = {
    "merge-alloc": ["--merge-alloc"],
    "buffer-reuse": ["--buffer-deallocation", "--buffer-reuse=pool-all"],
    "buffer-deallocation": ["--buffer-deallocation"],
}
CHECK = ["--check-arena-plan"]
WAIT = re.compile(r"^ *(async\.await |async\.await_all |gpu\.wait \[|mpi\.wait|memref\.dma_wait)")
LISTED = re.compile(r"(async\.execute|gpu\.(?:launch|memcpy|dealloc|wait) async|gpu\.(?:memcpy|dealloc)) \[[^\]]*\]")


MOST = 16  # of a program's waits that are taken out


def spread(items):
    """At most so many of them, from front to back."""
    return items[:: -(-len(items) // MOST)] if items else []


def weakened(text):
    """The text without each of its waits, and without what each work is behind."""
    lines = text.splitlines()
    for i, line in enumerate(lines):
        if WAIT.match(line):
            yield i, "\n".join(lines[:i] + lines[i + 1 :])
        elif LISTED.search(line):
            yield i, "\n".join([*lines[:i], LISTED.sub(r"\1", line), *lines[i + 1 :]])


def is_stream(seed):
    return seed % 2 == 1


def grown(seed):
    return (streams if is_stream(seed) else grow).grow(seed)


def modules(opt, texts):
    read = outcomes([opt, "--mlir-print-op-generic"], texts)
    return {key: generic.read_modules(o.text)[0] for key, o in read.items() if o.status == "ok"}


def settled(written):
    """Whether the schedules of a program make no difference."""
    first = machine.POLICIES[0]
    return all(values == written[first, numbers] for (_, numbers), values in written.items())


def judge(opt, sources):
    """What is wrong, by seed, and counts."""
    wrong, counts = {}, {"planned": 0, "the same in all schedules": 0, "needed": 0, "not needed": 0}
    read = modules(opt, sources)
    before = {seed: machine.written(m) for seed, m in read.items()}
    wrong |= {seed: "the program is invalid" for seed in sources if seed not in before}
    racing = {seed for seed, m in read.items() if machine.racing(m, one_view=True)}
    wrong |= {seed: "the program races by itself" for seed in racing if is_stream(seed)}
    for name, passes in PIPELINES.items():
        planned = outcomes([opt, *passes], {seed: sources[seed] for seed in before})
        wrong |= {s: f"{name}: {o.said}" for s, o in planned.items() if o.status != "ok"}
        texts = {s: o.text for s, o in planned.items() if o.status == "ok"}
        judge_planned(opt, name, before, racing, texts, wrong, counts)
    return wrong, counts


def judge_planned(opt, name, before, racing, texts, wrong, counts):
    # Of a program that races by itself nothing is promised: it writes to what a message still reads. The few schedules that are run
    # may not show that.
    texts = {seed: text for seed, text in texts.items() if settled(before[seed])}
    for seed, module in modules(opt, texts).items():
        counts["the same in all schedules"] += 1
        if machine.racing(module):
            wrong.setdefault(seed, f"{name}: accesses race in the model")
        elif seed not in racing and machine.written(module) != before[seed]:
            wrong.setdefault(seed, f"{name}: writes differ in the model")
    sharing = {s: t for s, t in texts.items() if "memref.view" in t}
    counts["planned"] += len(sharing)
    for seed, outcome in outcomes([opt, *CHECK], sharing).items():
        if outcome.status != "ok":
            wrong.setdefault(seed, f"{name}: the checker finds a fault: {outcome.said}")
    mutants = {(s, i): m for s, t in sharing.items() for i, m in spread(list(weakened(t)))}
    read = modules(opt, mutants)
    needed = [key for key, module in read.items() if machine.races_in_arena(module)]
    counts["needed"] += len(needed)
    counts["not needed"] += len(read) - len(needed)
    for (seed, line), outcome in outcomes([opt, *CHECK], {key: mutants[key] for key in needed}, explain=False).items():
        if outcome.status == "ok":
            wrong.setdefault(seed, f"{name}: the checker does not find that the wait of line {line + 1} is missing")


if __name__ == "__main__":
    sys.exit(judged.main(__doc__, "programs", grown, judge, machine.Invalid))
