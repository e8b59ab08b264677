# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs within a capacity of their own, which is a share of what merge-alloc alone needs.

Each is tried in the smallest share of its config first, then in the next one, until it fits. Capacities are rounded down, so that
programs have some in common: those of one capacity go through one process."""

import math
import re
from collections import Counter
from dataclasses import dataclass, field

from fuzz.net_gen.configs import MEMORIES, in_module
from fuzz.net_gen.elements import BYTES
from fuzz.net_gen.texts import alone, parts_of, united
from testing import process
from testing.batch import MARKER, MARKS, Failure, joined
from testing.compiled import ALONE
from testing.process import Limits
from testing.settled import settled

FLAGS = [ALONE, "--mlir-print-local-scope", "--remarks-filter=fit-memory", *MARKS]
SAID = re.compile(r"^\S+?:(\d+):\d+: (error|remark): (.*)$", re.M)
ALONE_NEEDS = re.compile(r"fit-memory: '[\w.]+' alone needs (\d+) bytes")
FUNCTION_NEEDS = re.compile(r"fit-memory: the function needs (\d+) bytes.*: ([^:]+)$")
ALLOC = re.compile(r"(%\w+) = memref\.alloc\(\)(?: \{alignment = (\d+) : i64\})? : (memref<((?:\d+x)*)(\w+)(?:, (.+?))?>)")
FUNCTION = re.compile(r"^ *func\.func ", re.M)
VIEW = re.compile(r"(%\w+) = memref\.\w+ (%\w+)")
SECONDS = 20  # of a processor, that one program may take


@dataclass
class Fitted:
    texts: dict = field(default_factory=dict)
    capacities: dict = field(default_factory=dict)  # of these
    shares: Counter = field(default_factory=Counter)  # how many fit into which, and not into a smaller one
    refused: Counter = field(default_factory=Counter)  # how often, by share and reason
    again: int = 0  # programs of which ops run again


@dataclass(frozen=True)
class Alloc:
    name: str
    type: str
    bytes: int
    alignment: int  # that it states, or 0
    space: str


def allocs_of(text):
    made = []
    for name, alignment, type, dims, element, space in ALLOC.findall(text):
        bytes = BYTES.get(element, 8) * math.prod(int(n) for n in dims.split("x")[:-1])
        made.append(Alloc(name, type, bytes, int(alignment or 0), space))
    return made


def returned_by(function):
    """The buffers that it returns, also those of which it returns a view."""
    returned = set(re.findall(r"%\w+", " ".join(re.findall(r"^ *return (.*)", function, re.M))))
    for view, source in reversed(VIEW.findall(function)):
        returned |= {source} if view in returned else set()
    return returned


def arenas_and_others(text, given):
    """The arenas of a program, and its other buffers: memory of a result, and what merge-alloc leaves alone. Buffers of the program as it
    was `given` that state no alignment are none of its arenas."""
    own = {a.type for a in allocs_of(given) if not a.alignment}
    arenas, others = [], []
    for function in FUNCTION.split(text):  # each has names of its own
        returned = returned_by(function)
        for a in allocs_of(function):
            is_arena = re.match(r"memref<\d+xi8[,>]", a.type) and a.name not in returned and (a.alignment or a.type not in own)
            (arenas if is_arena else others).append(a)
    return arenas, others


def capacity_of(config, arena, share):
    """At least 64; to four bits, so at most an eighth less than the share."""
    bytes = max(64, int(arena * share))
    bytes -= bytes % (1 << max(0, bytes.bit_length() - 4))
    return bytes - bytes % config.banks


def memories(tools, config, capacity):
    """A file of a memory of so many bytes, of a slower one, and perhaps of one of constants."""
    path = tools.work / "memories.txt"
    flash = f', {{name = "flash", bytes = {2**30}, cost = 5, constants, read_only}}' if config.constants else ""
    path.write_text(f'[{{name = "fast", bytes = {capacity}, banks = {config.banks}, space = {config.space}}}, {{name = "slow", bytes = {2**30}, cost = 3}}{flash}]')
    return path


def pipeline(tools, config, capacity):
    passes = config.passes.replace("CAPACITY", str(capacity))
    return in_module(passes.replace(MEMORIES, str(memories(tools, config, capacity))) if config.space else passes)


def by_part(said, modules):
    """For each module what was said of it: [(kind, text)]."""
    ends, told = [], [[] for _ in modules]
    for module in modules:
        ends.append((ends[-1] if ends else 0) + module.count("\n") + 2)  # and the marker
    for line, kind, text in SAID.findall(said):
        told[next(i for i, end in enumerate(ends) if int(line) <= end)].append((kind, text))
    return told


def through(command, modules):
    """[(what was printed, [(kind, text)])]; where the process does not end well, of one module at a time."""
    done = process.run(command, joined(modules), Limits(clock=1200, processor=SECONDS * len(modules), memory=4 << 30))
    parts = done.out.split(MARKER)
    if done.status in (0, 1) and len(parts) == len(modules):
        return list(zip(parts, by_part(done.err, modules)))
    if len(modules) > 1:
        return [result for module in modules for result in through(command, [module])]
    errors = [("error", line) for line in done.err.splitlines() if "error:" in line or "Assertion" in line]
    return [("", errors or [("error", f"exit {done.status}")])]


def refusal(told, capacity):
    """(why fit-memory refuses a program, the bytes that are needed at least); (None, what is wrong with that)."""
    error = next((text for kind, text in told if kind == "error"), "neither text nor error")
    alone_needs, needs = ALONE_NEEDS.match(error), FUNCTION_NEEDS.match(error)
    found = alone_needs or needs
    if not found:
        return None, error
    if int(found[1]) <= capacity:
        return None, f"refused, though {found[1]} bytes are not more than {capacity}"
    return ("an op alone needs more", int(found[1])) if alone_needs else (needs[2], 0)


def fit_some(tools, config, share, capacity, texts, out, failures):
    """Those that this capacity is enough for go to `out`; gives those that are refused, and what they need at least."""
    command = [tools.stowage_opt, *FLAGS, f"--pass-pipeline={pipeline(tools, config, capacity)}"]
    refused = {}
    for name, (printed, told) in zip(texts, through(command, [alone(text, name) for name, text in texts.items()])):
        if printed.strip():
            out.texts.update(parts_of(settled(printed, late=True) if "dma_start" in printed else printed, [name]))
            out.capacities[name] = capacity
            out.shares[share] += 1
            out.again += any("ops that run again" in text for _, text in told)
            continue
        reason, needs = refusal(told, capacity)
        if reason:
            refused[name] = needs
            out.refused[share, reason] += 1
        else:
            failures[name] = Failure("pass", needs)
    return refused


def fit(tools, config, arenas, texts, failures):
    """What fits, and the names of what does not. `arenas`: what merge-alloc alone needs, by name."""
    out, left = Fitted(), dict.fromkeys(texts, 0)
    for share in config.shares:
        groups = {}
        for name, needs in left.items():
            capacity = capacity_of(config, arenas[name], share)
            if capacity >= needs:
                groups.setdefault(capacity, []).append(name)
        for capacity, names in sorted(groups.items()):
            refused = fit_some(tools, config, share, capacity, {n: texts[n] for n in names}, out, failures)
            left = {n: refused.get(n, needs) for n, needs in left.items() if n in refused or n not in names}
    out.texts = united(out.texts)
    for name, (_, _, text) in out.texts.items():
        arenas, _ = arenas_and_others(text, texts[name][2])
        largest = max((a.bytes for a in arenas if a.space == config.space), default=0)
        if largest > out.capacities[name]:
            failures[name] = Failure("above", f"an arena of {largest} bytes, not {out.capacities[name]}")
    return out, left
