# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Many programs at a time, with an answer for each.

run: through one process of an mlir-opt, as one split input. What it prints for a program that fails is
empty. What fails is run alone, so that what was said is its own. A process that crashes is run again
with each half of its programs, one that takes too long with each program, so that what is found is
one program's.

by_halves: the same for any work on programs that are functions of one module; split and join take
such modules apart and put them together.
"""

import re
import signal
from dataclasses import dataclass

from testing import process
from testing.process import Limits, ToolError

# ---- splits of one input ----------------------------------------------------------------

MARKER = "//%% next program"
SECONDS, BYTES = 10, 4 << 30  # of a processor and of memory, that one program may take
PATIENCE = 1200  # seconds by the clock, on a machine that does other things
MARKS = [f"--split-input-file={MARKER}", f"--output-split-marker={MARKER}"]
FLAGS = ["--mlir-disable-threading", "--allow-unregistered-dialect"]


@dataclass(frozen=True)
class Outcome:
    status: str  # "ok", "error", "crash" or "timeout"
    text: str = ""  # what was printed
    said: str = ""  # standard error, where the status is not ok


def run(command, texts, explain=True):
    """The outcome of each text; without `explain` not what was said."""
    if not texts:
        return []
    done = call(command, texts)
    if len(texts) == 1:
        return [taken(done.out, "ok") if done.status == 0 else Outcome(status(done.status), said=done.err)]
    parts = done.out.split(MARKER)
    if done.status in (0, 1) and len(parts) == len(texts):
        return [taken(p) if p.strip() or not explain else run(command, [t])[0]
                for p, t in zip(parts, texts)]  # fmt: skip
    if status(done.status) == "timeout":
        return [run(command, [text], explain)[0] for text in texts]
    half = len(texts) // 2
    return run(command, texts[:half], explain) + run(command, texts[half:], explain)


def call(command, texts):
    limits = Limits(PATIENCE, SECONDS + len(texts) // 5, BYTES)
    return process.run([*command, *FLAGS, *MARKS], joined(texts), limits)


def joined(texts):
    return f"\n{MARKER}\n".join(texts)


def taken(printed, empty="error"):
    return Outcome("ok" if printed.strip() else empty, printed.strip() + "\n")


def status(code):
    if code is None or -code in (signal.SIGXCPU, signal.SIGKILL):
        return "timeout"
    return "error" if code == 1 else "crash"


# ---- functions of one module ------------------------------------------------------------


@dataclass(frozen=True)
class Failure:
    kind: str  # invalid, skipped (takes too much memory), pass, twice, lower, crash, fault, leak, late, differs
    said: str


TOP = re.compile(r"^  (func\.func|memref\.global)\b")
NAMED = re.compile(r"@(p\d+(?:x\d+)?)(?:_\w+)?[( ]")


def split(module):
    """(lines before the module, {program or None: its text}) of printed IR."""
    lines = module.rstrip().splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith("module"))
    parts, current = {}, None
    for line in lines[start + 1 : -1]:
        if TOP.match(line):
            found = NAMED.search(line)
            current = parts.setdefault(found.group(1) if found else None, [])
        if current is None:
            current = parts.setdefault(None, [])
        current.append(line)
    return lines[:start], {name: "\n".join(text) for name, text in parts.items()}


def join(header, parts, names):
    chosen = [parts[None]] if None in parts else []
    chosen += [parts[name] for name in names]
    return "\n".join(header + ["module {"] + chosen + ["}"]) + "\n"


ENOUGH = 6  # programs at fault, after which a batch is given up


def by_halves(work, names, failures, kind, enough=ENOUGH):
    """Runs `work(names)`, which gives a dict or raises ToolError; on an error
    both halves alone, down to the programs at fault."""
    if not names or sum(f.kind == kind for f in failures.values()) >= enough:
        return {}
    try:
        return work(names)
    except ToolError as error:
        if len(names) == 1:
            failures[names[0]] = Failure(kind, str(error))
            return {}
    middle = len(names) // 2
    found = by_halves(work, names[:middle], failures, kind, enough)
    found.update(by_halves(work, names[middle:], failures, kind, enough))
    return found
