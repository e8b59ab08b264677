# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random GPU kernels through merge-alloc and check-arena-plan, beside a model of threads and barriers.

    python3 -m fuzz.kernels.run --programs 2000
    python3 -m fuzz.kernels.run --only 1234 --print
    python3 -m fuzz.kernels.run --only 1234 --shrink

The plan must hold in the model, and the checker must find it right. Then each barrier, each fence and each wait for copies or loads is taken out: where
the model finds that the plan needs it, the checker must, too. Exit status: 0 all well, 1 not."""

import re
import sys

from fuzz import judged
from fuzz.judged import outcomes
from fuzz.kernels import grow, threads
from fuzz.paths import generic

BARRIER = "gpu.barrier"
WAIT = re.compile(r"^ *nvgpu\.(device_async_wait|mbarrier\.try_wait\.parity) .*\n", re.M)
FENCE = re.compile(r"^ *nvvm\.fence\.proxy .*\n", re.M)


def without(text, index):
    """The text without its barrier of that index."""
    parts = text.split(BARRIER)
    return BARRIER.join(parts[: index + 1]) + BARRIER.join(["", *parts[index + 1 :]])[len(BARRIER) :]


def judge(opt, sources):
    """What is wrong, by name, and counts."""
    wrong, counts = {}, {"planned": 0, "needed": 0, "not needed": 0}
    planned = {}
    for part, flag in enumerate(["", "=dynamic-workgroup-memory"]):
        planned |= outcomes([opt, f"--merge-alloc{flag}"], {n: text for n, text in sources.items() if n % 2 == part})
    sharing = {n: o.text for n, o in planned.items() if o.status == "ok" and "memref.view" in o.text}
    wrong |= {n: f"merge-alloc: {o.said}" for n, o in planned.items() if o.status != "ok"}
    cut = {}  # (name, what is taken out that the plan needs) -> text

    def note_cut(key, text, needed):
        counts["needed" if needed else "not needed"] += 1
        if needed:
            cut[key] = text

    before = models_of(opt, {name: sources[name] for name in sharing})
    for name, model in models_of(opt, sharing).items():
        was = list(before[name].runs())
        runs = list(model.runs(was))
        if threads.races(runs):
            wrong[name] = "the plan races in the model"
        elif threads.differ(was, runs):
            wrong[name] = "the plan loses what a buffer holds in the model"
        for i in range(model.barriers):
            note_cut((name, f"barrier {i}"), without(sharing[name], i), threads.races(runs, i))
        for i, text in enumerate(cuts(sharing[name], FENCE)):
            note_cut((name, f"fence {i}"), text, threads.races(runs, fence=i))
        for i, text in enumerate(cuts(sharing[name], WAIT)):
            note_cut((name, f"wait {i}"), text, threads.races(model.runs(before[name].runs(skipped=i), i)))
    counts["planned"] = len(sharing)
    check = [opt, "--check-arena-plan"]
    for name, outcome in outcomes(check, sharing).items():
        if outcome.status != "ok":
            wrong.setdefault(name, f"the checker finds a fault: {outcome.said}")
    for (name, what), outcome in outcomes(check, cut, explain=False).items():
        if outcome.status == "ok":
            wrong.setdefault(name, f"the checker does not find that {what} is missing")
    return wrong, counts


def cuts(text, kind):
    return [text[: found.start()] + text[found.end() :] for found in kind.finditer(text)]


def models_of(opt, texts):
    read = outcomes([opt, "--mlir-print-op-generic"], texts)
    return {key: threads.Model(generic.read_modules(o.text)[0]) for key, o in read.items()}


if __name__ == "__main__":
    sys.exit(judged.main(__doc__, "kernels", grow.grow, judge, threads.Invalid))
