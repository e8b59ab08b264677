# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Original against rewritten, a batch of programs at a time."""

import re
from dataclasses import dataclass, field

from fuzz.memref_gen import emit, mutate, origins, steady, tree
from fuzz.memref_gen.passes import in_module
from testing.batch import ENOUGH, Failure, by_halves, split
from testing.compiled import PATTERNS, RUNS, Outcome, StageError, compare, fault


@dataclass
class Tally:
    """What the rewritten programs of one config show: a fuzzer under which
    everything is left alone proves nothing."""

    programs: int = 0
    allocs: int = 0  # memref.alloc in the text before
    planned: int = 0  # of those, how many became a view
    touched: int = 0  # programs with at least one such
    calls_before: int = 0  # of the allocator, at run time
    calls_after: int = 0
    peak_before: int = 0  # sum over programs of the run-time peak
    peak_after: int = 0
    refused: int = 0  # a located error that the config allows
    steady: int = 0  # programs that allocate, and whose report says that all is planned
    wrong: int = 0  # what goes wrong with passes that are only compared

    def __iadd__(self, other):
        for name, value in vars(other).items():
            setattr(self, name, getattr(self, name) + value)
        return self


@dataclass
class Result:
    failures: dict = field(default_factory=dict)  # name -> Failure
    outcomes: dict = field(default_factory=dict)
    ran: dict = field(default_factory=dict)  # what is run -> outcomes
    left: dict = field(default_factory=dict)  # of originals: statements -> {name: number}
    steady: dict = field(default_factory=dict)  # what is planned as a whole -> allocations of a run
    tally: Tally = field(default_factory=Tally)


# What is 22's fault: it does not read a switch that it printed itself (see
# ops_cfg.choose), and cannot lower an await inside a switch of a task.
LIMITS = ("result number not allowed in argument list", "that was explicitly marked illegal")


def is_limit(failure):
    return any(limit in failure.said for limit in LIMITS)


# ---- Running.


def execute(tools, programs, texts, header, common, label, failures, kind, threads=False):
    """{name: [Outcome per pattern]} of programs given as text."""

    def work(names):
        module = "\n".join(header + ["module {"] + common + [texts[n] for n in names] + ["}"])
        library = tools.build(module, label, threads)
        manifest = "\n".join(manifest_line(programs[n], n) for n in names)
        runs = [tools.run(library, manifest, pattern, threads) for pattern in PATTERNS]
        return {n: [run.get(n, Outcome("missing")) for run in runs] for n in names}

    ran = {}
    for tasks in (False, True):  # which need more tools
        names = [n for n in texts if ("async." in texts[n]) == tasks]
        ran.update(by_halves(work, names, failures, kind))
    return ran


def run_original(tools, programs, input="freed"):
    """Runs programs as they are; a failure here is the generator's own."""
    texts = {name: emit.program(p, name, input) for name, p in programs.items()}
    result = Result()

    def printed(names):
        header, parts = split(tools.verify(emit.module([texts[n] for n in names])))
        return {n: (header, [parts[None]], parts[n]) for n in names}

    programs_printed = by_halves(printed, list(texts), result.failures, "invalid")
    run_texts(tools, programs, programs_printed, "original", "invalid", False, result)
    for name, (one, other) in result.outcomes.items():
        said = fault(one, other, input)
        if said:
            kind = "skipped" if one.status == "too-large" else "invalid"
            result.failures[name] = Failure(kind, said)
    return result


def check(tools, programs, original, config, ran=None):
    """The rewritten programs under one config against `original`. `ran` keeps
    the outcome of every text that ran, as configs often agree."""
    ran = {} if ran is None else ran
    result = Result()
    sound = [
        name
        for name, p in programs.items()
        if name not in original.failures and config.takes(kinds(p))
    ]
    before = {name: emit.program(programs[name], name, config.input) for name in sound}
    rewritten = rewrite_all(tools, before, config, result)
    result.ran = {**original.ran, **ran}
    run_texts(tools, programs, rewritten, config.name, "lower", config.threads, result)
    ran.update(result.ran)
    may_stay = leaks_allowed(tools, programs, original, config)
    peaks = prompt_peaks(tools, programs, original, config) if config.prompt else {}
    for name, after in result.outcomes.items():
        was = original.outcomes[name][0]
        failure = compare(was, after, may_stay.get(name, 0), peaks.get(name)) or allocates(result, name)
        if failure:
            result.failures[name] = failure
        count(result.tally, before[name], rewritten[name][2], was, after[0])
        result.tally.steady += name in result.steady and was.allocs > 0
    for name, failure in list(result.failures.items()):
        if is_limit(failure):
            result.tally.refused += 1
            del result.failures[name]
    if "poison" in config.passes:
        result.tally.planned = result.tally.touched = 0  # its fills are views, too
    if config.comparison:
        result.tally.wrong, result.failures = len(result.failures), {}
    return result


def allocates(result, name):
    """A failure, if a program does that the report says is planned as a whole."""
    made, most = result.outcomes[name][0].allocs, RUNS * result.steady.get(name, 0)
    if name in result.steady and made > most:
        return Failure("allocates", f"all is planned, but {made} allocations are made, {most} by a wrapper")
    return None


def pipeline_for(tools, text, config):
    """Of one program: without the check at the end, if that does not follow the program's own views."""
    if config.pipeline != config.unchecked and tools.refuses(text, config.pipeline):
        if tools.refuses(text, config.before_planning):
            return config.unchecked
    return config.pipeline


def may_refuse(tools, text, config, said):
    """Whether the error is right, or it is somebody else's passes that end with one, or crash."""
    if config.refusal and re.search(config.refusal, said):
        return True
    return config.before and tools.refuses(emit.module([text]), in_module([config.before]))


def rewrite_all(tools, before, config, result):
    """{name: (lines before the module, what is common, text)} after the passes."""

    def rewrite(names):
        text = emit.module([before[n] for n in names])
        pipeline = pipeline_for(tools, text, config) if len(names) == 1 else config.pipeline
        report = tools.work / "report.json"
        said = tools.opt(text, steady.reporting(pipeline, report) if config.steady else pipeline)
        if config.steady:
            result.steady.update(steady.allowed(report, names))
        if config.twice and tools.opt(said, pipeline) != said:
            if len(names) == 1:
                result.failures[names[0]] = Failure("twice", "a second run changes the first's output")
                return {}
            raise StageError("twice", "")
        header, parts = split(said)
        return {n: (header, [parts[None]], parts[n]) for n in names}

    enough = len(before) + 1 if config.comparison or config.before or config.refusal else ENOUGH
    rewritten = by_halves(rewrite, list(before), result.failures, "pass", enough)
    for name, failure in list(result.failures.items()):
        if failure.kind == "pass" and (config.comparison or may_refuse(tools, before[name], config, failure.said)):
            result.tally.refused += 1
            del result.failures[name]
    return rewritten


def run_texts(tools, programs, texts, label, kind, threads, result):
    """Fills in the outcomes of texts, (lines before the module, what is common,
    program) each: by running those that did not run before."""
    groups, key = {}, {}
    for name, (header, common, text) in texts.items():
        key[name] = (tuple(header), text, threads)
        if key[name] in result.ran:
            result.outcomes[name] = result.ran[key[name]]
        else:
            groups.setdefault((tuple(header), tuple(common)), {})[name] = text
    for (header, common), some in groups.items():
        result.outcomes.update(
            execute(tools, programs, some, list(header), list(common), label, result.failures, kind,
                    threads)  # fmt: skip
        )
    result.ran.update((key[name], after) for name, after in result.outcomes.items())


def leaks_allowed(tools, programs, original, config):
    """{name: how many allocations may stay, None: any number}; where it has none, nothing may."""
    outcomes = original.outcomes
    if config.leaks == "before":
        return {name: one.leaks for name, (one, _) in outcomes.items()}
    counted = original.left.setdefault(config.leaving, {})
    new = {name: p for name, p in programs.items() if name not in counted}
    counted.update(count_left(tools, new, original, config))
    left = {name: counted[name] for name in programs if counted[name]}
    # What a function lets go and gives back stays, if its caller gets a clone; and if the caller is
    # the function itself, it lets that go, too.
    any_number = {name: None for name in left if origins.gives_what_it_gets(programs[name])}
    return {**left, **any_number}


def count_left(tools, programs, original, config):
    """{name: how many allocations a program makes that may leave its sight}"""
    texts = {}
    for name, program in programs.items():
        left = origins.left(program, config.leaving)
        if left and name not in original.failures:
            texts[name] = emit.program(program, name, config.input, mutate.Mark(left))
    failures = {}
    ran = execute(tools, programs, texts, [], emit.OUTSIDE, "marked", failures, "lower")
    assert not failures, failures
    more = {n: one.allocs - original.outcomes[n][0].allocs for n, (one, _) in ran.items()}
    return {name: more.get(name, 0) for name in programs}


def prompt_peaks(tools, programs, original, config):
    """{name: bytes at the peak if all is freed after its last use}, where the generator knows who
    owns what, and from values and not from control flow alone (`pair`) no more than the pass. A
    function that frees its argument before it is done is the generator's knowledge, too. What work
    that is started (`async`) holds at once with what follows differs from run to run. Of a buffer
    that is returned twice the pass makes a clone."""
    texts = {
        name: emit.program(p, name, "prompt")
        for name, p in programs.items()
        if name not in original.failures and not p.unowned and not (config.leaving | {"pair", "async"}) & kinds(p)
        and not any(v.owned for f in p.functions for v in f.body.args) and not origins.gives_one_twice(p)
    }
    failures = {}
    ran = execute(tools, programs, texts, [], emit.OUTSIDE, "prompt", failures, "lower")
    assert not failures, failures
    return {name: one.peak for name, (one, _) in ran.items()}


def manifest_line(program, name):
    """The program's arguments and results as driver.c reads them."""
    words = []
    args = program.functions[0].body.args
    for v in args:
        e = v.type.element
        words += [e.bytes, e.mask, v.type.rank, *v.dims]
    back = program.functions[0].results
    words.append(len(back))
    for type in back:
        words += [type.element.bytes, type.rank]
    return " ".join(map(str, [name, len(args)] + words))


def kinds(program):
    """Of its statements, and "given back" where a call's result may be one of its arguments."""
    statements = [s for f in program.functions for s in tree.statements(f.body)]
    given = any(s.kind in origins.CALLS and any(v.alias_of for v in s.results) for s in statements)
    return {s.kind for s in statements} | ({"given back"} if given else set())


ALLOC = re.compile(r"\bmemref\.alloc\(")
CLONE = re.compile(r"\bbufferization\.clone\b")
VIEW = re.compile(r"\bmemref\.view\b")


def count(tally, before, after, was, now):
    def number(pattern, text):
        return len(pattern.findall(text))

    planned = number(VIEW, after) - number(VIEW, before)
    tally.programs += 1
    tally.allocs += number(ALLOC, before) + number(CLONE, before)
    tally.planned += planned
    tally.touched += planned > 0
    tally.calls_before += was.allocs
    tally.calls_after += now.allocs
    tally.peak_before += was.peak
    tally.peak_after += now.peak
