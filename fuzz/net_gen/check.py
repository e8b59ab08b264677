# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Bufferized against rewritten, a batch of programs at a time."""

import re
from collections import Counter
from dataclasses import dataclass, field

from fuzz.net_gen import capacities, emit, model
from fuzz.net_gen.configs import BASELINE, BUFFERIZE, COPYING, in_module
from fuzz.net_gen.texts import in_groups, parts_of, together
from testing import options
from testing.batch import ENOUGH, Failure, by_halves
from testing.compiled import ALONE, PATTERNS, Outcome, call, compare, fault

AT_ONCE = 50  # programs of one shared object
LINE = 64  # bytes, the largest alignment


@dataclass
class Tally:
    """What a config did: one that leaves everything alone proves nothing."""

    programs: int = 0
    changed: int = 0  # programs whose text is not what the baseline makes of them
    lower: int = 0  # programs with a lower peak than the baseline's
    peak: int = 0  # sums of peaks
    baseline: int = 0
    refused: int = 0  # by a located error: of a loop that upstream cannot bufferize, of a capacity that is too small
    shares: Counter = field(default_factory=Counter)  # programs that fit, by the share that is enough
    reasons: Counter = field(default_factory=Counter)  # why they do not, by share and reason
    again: int = 0  # programs that fit by ops that run again
    above: int = 0  # programs that need more than their capacity

    def __iadd__(self, other):
        for name, value in vars(other).items():
            setattr(self, name, getattr(self, name) + value)
        return self


@dataclass
class Batch:
    programs: dict
    texts: dict = field(default_factory=dict)  # name -> (lines before the module, what is common, text)
    outcomes: dict = field(default_factory=dict)  # of the programs as they are
    rewritten: dict = field(default_factory=dict)  # texts under the baseline
    baseline: dict = None  # these, and their outcomes
    failures: dict = field(default_factory=dict)  # of the generator, or of upstream's bufferization
    read_only: dict = None  # outcomes where no argument is written


def bufferize(tools, programs, failures, passes=BUFFERIZE, mark=""):
    texts = {name: emit.in_memory(emit.program(p, name, mark)) for name, p in programs.items()}
    pipeline = f"--pass-pipeline=builtin.module({passes})"

    def work(names):
        given = emit.module([texts[name] for name in names])
        return parts_of(call("bufferize", [tools.lower_with, ALONE, pipeline], given), names)

    return by_halves(work, list(texts), failures, "invalid")


def execute(tools, programs, texts, label, failures, kind, large=False):
    """{name: [Outcome per pattern]}; `large`: memory that is allocated again in each step of a loop fits, too."""
    outcomes = {}

    def work(names):
        library = tools.build(together(texts, names), label)
        lines = "\n".join(emit.manifest(programs[name], name) for name in names)
        runs = [tools.run(library, lines, pattern, large=large) for pattern in PATTERNS]
        return {name: [run.get(name, Outcome("missing")) for run in runs] for name in names}

    for names in in_groups(texts):
        for some in options.batches(names, AT_ONCE):
            outcomes.update(by_halves(work, some, failures, kind))
    return outcomes


SIGNATURE = re.compile(r"func\.func @(\w+)\((.*)\) -> (.*) attributes")


def called(text, name):
    """The program as a private function, and one of its name that calls it."""
    _, given, back = SIGNATURE.search(text).groups()
    types = ", ".join(argument.split(": ", 1)[1] for argument in given.split(", %")) if given else ""
    values = ", ".join(re.findall(r"%\w+", given))
    count = back.count("memref<")
    results = ", ".join(f"%r#{i}" for i in range(count)) if count > 1 else "%r"
    body = SIGNATURE.sub(f"func.func private @{name}_body({given}) -> {back} attributes", text, count=1)
    return body.replace(" attributes {llvm.emit_c_interface}", "", 1) + f"""
  func.func @{name}({given}) -> {back} attributes {{llvm.emit_c_interface}} {{
    %r{f":{count}" if count > 1 else ""} = call @{name}_body({values}) : ({types}) -> {back}
    return {results} : {back.strip("()")}
  }}"""


def rewrite(tools, config, texts, failures):
    rewritten = {}
    if config.called:
        texts = {name: (header, common, called(text, name)) for name, (header, common, text) in texts.items()}

    def work(names):
        return parts_of(tools.opt(together(texts, names), config.pipeline), names)

    for names in in_groups(texts):
        enough = len(names) + 1 if config.before else ENOUGH
        rewritten.update(by_halves(work, list(names), failures, "pass", enough))
    if config.before:
        for name in [n for n in failures if tools.refuses(together(texts, [n]), in_module(config.before))]:
            del failures[name]
    return rewritten


def originals(tools, programs):
    batch = Batch(programs)
    batch.texts = bufferize(tools, programs, batch.failures)
    batch.outcomes = execute(tools, programs, batch.texts, "original", batch.failures, "invalid")
    for name, (one, other) in batch.outcomes.items():
        said = fault(one, other, "none")
        if said:
            batch.failures[name] = Failure("invalid", said)
    sound = {name: batch.texts[name] for name in batch.outcomes if name not in batch.failures}
    batch.rewritten = rewrite(tools, BASELINE, sound, batch.failures)
    return batch


def run_baseline(tools, batch):
    """What the passes under test are compared with, where that is when it runs."""
    if batch.baseline is not None:
        return
    ran = execute(tools, batch.programs, batch.rewritten, "baseline", batch.failures, "lower")
    for name, after in ran.items():
        failure = compare(batch.outcomes[name][0], after, 0)
        if failure:
            batch.failures[name] = failure
    batch.baseline = {name: (batch.rewritten[name], after) for name, after in ran.items()}


def read_only(tools, batch):
    """The programs as upstream bufferizes them with copies in front of all writes, and with arguments that nobody writes."""
    if batch.read_only is None:
        programs = {name: batch.programs[name] for name in batch.baseline if name not in batch.failures}
        failures = {}
        texts = bufferize(tools, programs, failures, COPYING, emit.READ_ONLY)
        batch.read_only = execute(tools, programs, texts, "read_only", failures, "invalid")
        batch.failures.update(failures)
    return batch.read_only


REFUSAL = re.compile(r"error: '[\w.]+' op not bufferizable under the given constraints: cannot avoid RaW conflict")


def check_model(tools, batch, config):
    """The same of stowage-model."""
    failures, tally = {}, Tally()
    run_baseline(tools, batch)
    before = read_only(tools, batch)
    programs = {name: batch.programs[name] for name in before if model.takes(batch.programs[name])}

    def work(names):
        said = tools.opt(emit.module([emit.program(programs[n], n, entry=model.ENTRY) for n in names]),
                         model.pipeline(tools, config))  # fmt: skip
        return model.wrapped(tools, config, programs, parts_of(said, names))

    done = by_halves(work, list(programs), failures, "pass", enough=len(programs) + 1)
    refused = [name for name, failure in failures.items() if REFUSAL.search(failure.said)]
    for name in refused:
        del failures[name]
    tally.refused = len(refused)
    ran = execute(tools, programs, done, config.name, failures, "lower")
    for name, after in ran.items():
        failure = compare(before[name][0], after, 0) or model.allocates(done[name], after)
        if failure:
            failures[name] = failure
        peak = batch.baseline[name][1][0].peak
        tally += Tally(1, True, after[0].peak < peak, after[0].peak, peak)
    return failures, tally


def padding(program):
    """What lowered allocations take beside their bytes: each its alignment, so that it can begin at a multiple of it."""
    return sum(map(int, re.findall(r"memref\.alloc\(.*alignment = (\d+)", program[2])))


def carries(program):
    """Whether a loop carries tensors. What an iteration allocates is updated in place then, in memory that is there for longer."""
    return any(step.kind == "carried" for step in program.steps)


def total(allocs):
    return sum(a.bytes for a in allocs)


def check_capacity(tools, batch, config):
    """The same of programs within capacities. What is allocated at once when they run is at most that, and the buffers that are in no arena
    under the baseline either; each may take a line more, to begin at a multiple of its alignment. Peaks are those of arenas."""
    failures = {}
    sound = {name: batch.texts[name] for name in batch.rewritten if name not in batch.failures}
    parts = {name: capacities.arenas_and_others(batch.rewritten[name][2], sound[name][2]) for name in sound}
    needs = {name: total(arenas) for name, (arenas, _) in parts.items()}
    fitted, refused = capacities.fit(tools, config, needs, sound, failures)
    tally = Tally(refused=len(refused), shares=fitted.shares, reasons=fitted.refused, again=fitted.again)
    ran = execute(tools, batch.programs, fitted.texts, config.name, failures, "lower", large=True)
    for name, after in ran.items():
        arenas, _ = capacities.arenas_and_others(fitted.texts[name][2], sound[name][2])
        others = parts[name][1]
        most = fitted.capacities[name] + total(others) + LINE * len(arenas + others)
        held = config.one_memory and not carries(batch.programs[name])
        failure = compare(batch.outcomes[name][0], after, 0)
        if not failure and held and max(one.peak for one in after) > most:
            failure = Failure("above", f"{after[0].peak} bytes at once, not {most}")
        if failure and name not in failures:
            failures[name] = failure
        tally += Tally(1, True, total(arenas) < needs[name], total(arenas), needs[name])
    tally.above = sum(failure.kind == "above" for failure in failures.values())
    return failures, tally


def check(tools, batch, config):
    """({name: Failure}, Tally) of one config on the programs that are sound."""
    if config.arena:
        return check_model(tools, batch, config)
    if config.shares:
        return check_capacity(tools, batch, config)
    failures, tally = {}, Tally()
    run_baseline(tools, batch)
    sound = {name: batch.texts[name] for name in batch.baseline if name not in batch.failures}
    done = rewrite(tools, config, sound, failures)
    new = {name: text for name, text in done.items() if text[2] != batch.baseline[name][0][2]}
    ran = execute(tools, batch.programs, new, config.name, failures, "lower", large=not config.bounded)
    for name in done:
        after = ran.get(name) or ([] if name in new else batch.baseline[name][1])
        peak = batch.baseline[name][1][0].peak
        more = max(0, padding(done[name]) - padding(batch.baseline[name][0]))  # a result that is an aligned buffer now
        bounded = config.bounded and not carries(batch.programs[name])
        failure = compare(batch.outcomes[name][0], after, 0, peak + more if bounded else None)
        if failure and name not in failures:
            failures[name] = failure
        if after:
            tally += Tally(1, name in new, after[0].peak < peak, after[0].peak, peak)
    return failures, tally
