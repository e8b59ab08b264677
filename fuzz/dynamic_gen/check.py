# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Original against rewritten, a batch of programs at a time, each with several tuples of sizes.

A program is run as it is in two forms: with its deallocs, and without, where it leaks all it has; the second says
how many bytes all its buffers take apart.
"""

import re
from dataclasses import dataclass, field

from fuzz.dynamic_gen import configs
from testing.batch import Failure, by_halves, join, split
from testing.compiled import PATTERNS, Outcome, compare, fault

OUTSIDE = "func.func private @stow_fuzz_touch(memref<?xi8>, i64) attributes {llvm.emit_c_interface}"
CHECK_ALONE = f"builtin.module({configs.CHECK})"
RUNS = 3  # of the driver, in one process
PADDING = 512  # of one allocation in an arena


@dataclass
class Tally:
    programs: int = 0
    allocs: int = 0  # in the text before
    planned: int = 0  # of those, how many became a view
    calls_before: int = 0
    calls_after: int = 0
    apart: int = 0  # bytes of all buffers of a run
    held: int = 0  # at the peak, with the program's own deallocs
    peak: int = 0  # the same after the passes
    worst: tuple = (0, "")  # peak to held, and where

    def __iadd__(self, other):
        self.worst = max(self.worst, other.worst)
        for name, value in vars(other).items():
            if name != "worst":
                setattr(self, name, getattr(self, name) + value)
        return self


@dataclass
class Batch:
    programs: dict
    texts: dict = field(default_factory=dict)  # freed or not -> {name: text}
    outcomes: dict = field(default_factory=dict)  # freed or not -> {name: [Outcome per tuple]}
    failures: dict = field(default_factory=dict)
    ran: dict = field(default_factory=dict)  # text -> outcomes


def module(texts):
    return "\n".join(["module {", OUTSIDE, *texts, "}"]) + "\n"


def execute(tools, programs, texts, header, common, label, failures, kind, large):
    """{name: [per tuple [Outcome per pattern]]} of programs given as text."""

    def work(names):
        parts = {n: "\n".join([texts[n], *programs[n].wrappers]) for n in names}
        library = tools.build(join(header, {None: common, **parts}, names), label)
        manifest = "\n".join(line for n in names for line in programs[n].manifests)
        runs = [tools.run(library, manifest, pattern, large=large) for pattern in PATTERNS]
        return {n: [[run.get(f"{n}_t{t}", Outcome("missing")) for run in runs]
                    for t in range(programs[n].tuples)] for n in names}  # fmt: skip

    return by_halves(work, list(texts), failures, kind)


def originals(tools, programs):
    """Runs programs as they are; a failure here is the generator's own."""
    batch = Batch(programs)
    for freed in (False, True):
        batch.texts[freed] = {n: p.text(freed) for n, p in programs.items() if n not in batch.failures}
        printed = by_halves(lambda names: parts_of(tools.verify(module([batch.texts[freed][n] for n in names])), names),
                            list(batch.texts[freed]), batch.failures, "invalid")  # fmt: skip
        found = run_texts(tools, batch, printed, f"original{int(freed)}", batch.failures, "invalid")
        batch.outcomes[freed] = {n: [one for one, _ in runs] for n, runs in found.items()}
        for name, runs in found.items():
            said = next(filter(None, (fault(*run, "freed" if freed else "none") for run in runs)), None)
            if said:
                large = any(one.status == "too-large" for one, _ in runs)
                batch.failures[name] = Failure("skipped" if large else "invalid", said)
    for name in set(batch.outcomes[False]) & set(batch.outcomes[True]) - set(batch.failures):
        if [o.hash for o in batch.outcomes[False][name]] != [o.hash for o in batch.outcomes[True][name]]:
            batch.failures[name] = Failure("invalid", "deallocs change what it computes")
    return batch


def parts_of(text, names):
    """{name: (lines before the module, what is common, text)}"""
    header, parts = split(text)
    return {n: (tuple(header), parts.get(None, ""), parts[n]) for n in names}


def run_texts(tools, batch, texts, label, failures, kind, large=False):
    """The outcomes of texts, by running those that did not run before."""
    groups, found = {}, {}
    for name, (header, common, text) in texts.items():
        if (header, text) in batch.ran:
            found[name] = batch.ran[header, text]
        else:
            groups.setdefault((header, common), {})[name] = text
    for (header, common), some in groups.items():
        ran = execute(tools, batch.programs, some, list(header), common, label, failures, kind, large)
        batch.ran.update(((header, some[n]), runs) for n, runs in ran.items())
        found.update(ran)
    return found


def rewrite(tools, texts, config):
    """The passes' output. The checker may say no to a program's own views; then it says nothing of ours."""
    text = module(texts)
    if len(texts) == 1 and config.unchecked != config.pipeline and tools.refuses(text, CHECK_ALONE):
        return tools.opt(text, config.unchecked)
    return tools.opt(text, config.pipeline)


def check(tools, batch, config):
    """({name: Failure}, Tally) of the programs after one config's passes."""
    failures, tally = {}, Tally()
    sound = [n for n in batch.programs if n not in batch.failures]
    before = batch.texts[config.freed]
    rewritten = by_halves(lambda names: parts_of(rewrite(tools, [before[n] for n in names], config), names),
                          sound, failures, "pass", len(sound) + 1)  # fmt: skip
    for name, runs in run_texts(tools, batch, rewritten, config.name, failures, "lower", config.bounds).items():
        failure = judge(batch, name, runs, config)
        if failure:
            failures[name] = failure
        count(tally, batch, name, runs, config, before[name], rewritten[name][2])
    return failures, tally


def judge(batch, name, runs, config):
    for t, after in enumerate(runs):
        was, apart = batch.outcomes[config.freed][name][t], batch.outcomes[False][name][t]
        failure = compare(was, after, was.leaks if config.leaks else 0)
        if not failure and not config.bounds:
            failure = dearer(batch.programs[name], apart, after[0])
        if failure:
            return Failure(failure.kind, f"{failure.said} (sizes {t})")
    return None


def dearer(program, apart, now):
    """More bytes than all buffers take apart. What a branch that is not taken needs may be there, too, where its size
    is in the text; what still leaks is there several times."""
    most = apart.total // RUNS + PADDING * (apart.allocs // RUNS + 8) + program.static_bytes
    if not now.leaks and now.peak > most:
        return Failure("late", f"{now.peak} bytes at once, {most} are enough for all apart")
    return None


ALLOC = re.compile(r"\bmemref\.alloc\(")
VIEW = re.compile(r"\bmemref\.view\b")


def count(tally, batch, name, runs, config, before, after):
    tally.programs += 1
    tally.allocs += len(ALLOC.findall(before))
    tally.planned += len(VIEW.findall(after)) - len(VIEW.findall(before)) if "poison" not in config.passes else 0
    for t, (now, _) in enumerate(runs):
        held, apart = batch.outcomes[True][name][t], batch.outcomes[False][name][t]
        tally.calls_before += apart.allocs
        tally.calls_after += now.allocs
        tally.apart += apart.total // RUNS
        if not now.leaks:
            tally.held += held.peak
            tally.peak += now.peak
            if held.peak > 4096:
                tally.worst = max(tally.worst, (round(now.peak / held.peak, 2), f"{name} sizes {t}"))
