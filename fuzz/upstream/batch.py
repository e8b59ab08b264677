# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Many programs through one process of an mlir-opt, with an answer for each.

A process takes a batch as one split input. What it prints for a program that
fails is empty. What fails is run alone, so that what was said is its own. A
process that crashes is run again with each half of its programs, one that takes
too long with each program, so that what is found is one program's.
"""

import resource
import signal
import subprocess
from dataclasses import dataclass

MARKER = "//%% next program"
SECONDS, BYTES = 10, 4 << 30  # of a processor and of memory, that one program may take
PATIENCE = 1200  # seconds by the clock, on a machine that does other things
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
    code, out, said = call([*command, *FLAGS, f"--split-input-file={MARKER}",
                            f"--output-split-marker={MARKER}"],
                           f"\n{MARKER}\n".join(texts), SECONDS + len(texts) // 5)  # fmt: skip
    if len(texts) == 1:
        return [Outcome("ok", out.strip() + "\n") if code == 0 else Outcome(status(code), said=said)]
    parts = out.split(MARKER)
    if code in (0, 1) and len(parts) == len(texts):
        return [taken(p) if p.strip() or not explain else run(command, [t])[0]
                for p, t in zip(parts, texts)]  # fmt: skip
    if status(code) == "timeout":
        return [run(command, [text], explain)[0] for text in texts]
    half = len(texts) // 2
    return run(command, texts[:half], explain) + run(command, texts[half:], explain)


def taken(printed):
    return Outcome("ok", printed.strip() + "\n") if printed.strip() else Outcome("error")


def status(code):
    if code is None or -code in (signal.SIGXCPU, signal.SIGKILL):
        return "timeout"
    return "error" if code == 1 else "crash"


def call(command, text, seconds):
    """The exit code (None: no end), what was printed, what was said."""
    limits = [(resource.RLIMIT_CPU, seconds), (resource.RLIMIT_AS, BYTES), (resource.RLIMIT_CORE, 0)]

    def limit():
        for what, most in limits:
            resource.setrlimit(what, (most, most))

    try:
        done = subprocess.run([str(c) for c in command], input=text.encode(), capture_output=True,
                              timeout=PATIENCE, preexec_fn=limit)  # fmt: skip
    except subprocess.TimeoutExpired:
        return None, "", f"no end after {PATIENCE} s"
    return done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace")
