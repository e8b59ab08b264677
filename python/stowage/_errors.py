# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What goes wrong, as exceptions, and what the compiler says."""

import re
from dataclasses import dataclass

ERROR, WARNING, NOTE, REMARK, MISSED = "error", "warning", "note", "remark", "missed"
KINDS = (ERROR, WARNING, NOTE, REMARK, MISSED)


@dataclass(frozen=True)
class Message:
    """One thing that the compiler said: an error, a warning, a note, or a remark of a pass."""

    kind: str  # error, warning, note, remark or missed
    text: str
    location: str = ""  # "net.mlir:3:8", or ""
    pass_name: str = ""  # of a remark
    name: str = ""  # of a remark: "left-alone"
    function: str = ""  # of a remark
    reason: str = ""  # of a remark
    suggestion: str = ""  # of a remark

    def __str__(self):
        where = f"{self.location}: " if self.location else ""
        more = "".join(f"; {part}" for part in (self.reason, self.suggestion) if part)
        return f"{where}{self.kind}: {self.text}{more}"


def short_location(text):
    """loc("net.mlir":3:8) as net.mlir:3:8; the first of several; "" of an unknown one."""
    found = re.search(r'"((?:[^"\\]|\\.)*)":(\d+):(\d+)', text)
    if found:
        return ":".join(found.groups())
    named = re.search(r'"((?:[^"\\]|\\.)+)"', text)
    return named.group(1) if named else ""


class Error(Exception):
    """Everything that this package raises for what it was given."""


class InfeasibleError(Error):
    """No plan fits the capacity: proven, or none was found. `buffers` are the indices that cannot lie together, or
    all where none is proven."""

    def __init__(self, text, buffers=(), bound=0):
        super().__init__(text)
        self.buffers = tuple(buffers)
        self.bound = bound  # bytes


class CompileError(Error):
    """A model that could not be compiled. `stage` says where, `messages` what was said; the first error names the op."""

    def __init__(self, stage, messages=(), text="", advice=""):
        errors = [message for message in messages if message.kind == ERROR]
        lines = (str(message) for message in messages if message.kind in (ERROR, NOTE))
        said = text or "\n".join(dict.fromkeys(lines)) or "nothing was said"
        super().__init__(f"{stage}: {said}" + (f"\n{advice}" if advice else ""))
        self.stage = stage
        self.messages = list(messages)
        self.location = errors[0].location if errors else ""
        self.advice = advice


class CapacityError(CompileError):
    """The arena is larger than the capacity; the message lists what is alive at the peak."""
