# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Bufferized against rewritten, a batch of programs at a time."""

import re
from dataclasses import dataclass, field

from fuzz.net_gen import emit, model
from fuzz.net_gen.configs import BASELINE, BUFFERIZE, COPYING, MEMORIES, in_module
from testing.batch import ENOUGH, Failure, by_halves, join, split
from testing.compiled import ALONE, PATTERNS, Outcome, StageError, call, compare, fault
from testing.settled import settled


@dataclass
class Tally:
    """What a config did: one that leaves everything alone proves nothing."""

    programs: int = 0
    changed: int = 0  # programs whose text is not what the baseline makes of them
    lower: int = 0  # programs with a lower peak than the baseline's
    peak: int = 0  # sums of peaks
    baseline: int = 0
    refused: int = 0  # by a located error: of a loop that upstream cannot bufferize, of a capacity that is too small

    def __iadd__(self, other):
        for name, value in vars(other).items():
            setattr(self, name, getattr(self, name) + value)
        return self


@dataclass
class Batch:
    programs: dict
    texts: dict = field(default_factory=dict)  # name -> (lines before the module, what is common, text)
    outcomes: dict = field(default_factory=dict)  # of the programs as they are
    baseline: dict = field(default_factory=dict)  # texts and outcomes under the baseline
    failures: dict = field(default_factory=dict)  # of the generator, or of upstream's bufferization
    read_only: dict = None  # outcomes where no argument is written


def parts_of(said, names):
    header, parts = split(said)
    return {name: (header, parts.get(None, ""), parts[name]) for name in names}


def together(texts, names):
    """One module of programs that have what is common in common."""
    header, common, _ = texts[names[0]]
    return join(header, {None: common, **{name: texts[name][2] for name in names}}, names)


def in_groups(texts):
    groups = {}
    for name, (header, common, _) in texts.items():
        groups.setdefault((tuple(header), common), []).append(name)
    return groups.values()


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
        outcomes.update(by_halves(work, list(names), failures, kind))
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


ARENA = r"(%\w+) = memref\.alloc\(\).*: memref<(\d+)xi8{}>"
VIEW = re.compile(r"(%\w+) = memref\.\w+ (%\w+)")


def arenas_of(text, space=""):
    """Bytes of the arenas in a memory space, but for those that are memory of a result."""
    given = set(re.findall(r"%\w+", " ".join(re.findall(r"^ *return (.*)", text, re.M))))
    for view, source in reversed(VIEW.findall(text)):
        given |= {source} if view in given else set()
    return [int(size) for name, size in re.findall(ARENA.format(space and f", {space}"), text) if name not in given]


def memories(tools, config, capacity):
    """A file of a memory of so many bytes, of a slower one, and perhaps of one of constants."""
    path = tools.work / "memories.txt"
    flash = f', {{name = "flash", bytes = {2**30}, cost = 5, constants, read_only}}' if config.constants else ""
    path.write_text(f'[{{name = "fast", bytes = {capacity}, banks = {config.banks}, space = {config.space}}}, {{name = "slow", bytes = {2**30}, cost = 3}}{flash}]')
    return path


def fit(tools, config, batch, texts, failures):
    """Each program within its own capacity; those that a located error refuses are left out."""
    rewritten, refused = {}, 0
    for name, text in texts.items():
        capacity = max(64, int(sum(arenas_of(batch.baseline[name][0][2])) * config.share))
        capacity -= capacity % config.banks
        passes = config.passes.replace("CAPACITY", str(capacity))
        if config.space:
            passes = passes.replace(MEMORIES, str(memories(tools, config, capacity)))
        try:
            done = parts_of(settled(tools.opt(together(texts, [name]), in_module(passes)), late=True), [name])
            largest = max(arenas_of(done[name][2], config.space), default=0)
            if largest > capacity:
                failures[name] = Failure("above", f"an arena of {largest} bytes, not {capacity}")
            else:
                rewritten.update(done)
        except StageError as error:
            if re.search(r":\d+:\d+: error: fit-memory: ", error.said):
                refused += 1
            else:
                failures[name] = Failure("pass", error.said)
    return rewritten, refused


def originals(tools, programs):
    batch = Batch(programs)
    batch.texts = bufferize(tools, programs, batch.failures)
    batch.outcomes = execute(tools, programs, batch.texts, "original", batch.failures, "invalid")
    for name, (one, other) in batch.outcomes.items():
        said = fault(one, other, "none")
        if said:
            batch.failures[name] = Failure("invalid", said)
    sound = {name: batch.texts[name] for name in batch.outcomes if name not in batch.failures}
    done = rewrite(tools, BASELINE, sound, batch.failures)
    ran = execute(tools, programs, done, "baseline", batch.failures, "lower")
    for name, after in ran.items():
        failure = compare(batch.outcomes[name][0], after, 0)
        if failure:
            batch.failures[name] = failure
    batch.baseline = {name: (done[name], after) for name, after in ran.items()}
    return batch


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


def check(tools, batch, config):
    """({name: Failure}, Tally) of one config on the programs that are sound."""
    if config.arena:
        return check_model(tools, batch, config)
    failures, tally = {}, Tally()
    sound = {name: batch.texts[name] for name in batch.baseline if name not in batch.failures}
    if config.share:
        done, tally.refused = fit(tools, config, batch, sound, failures)
    else:
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
