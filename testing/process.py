# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A tool, run within limits of time and memory."""

import os
import resource
import subprocess
from dataclasses import dataclass


class ToolError(Exception):
    """A tool failed. Not raised for a program that ran and went wrong."""


@dataclass(frozen=True)
class Limits:
    """None: no limit."""

    clock: float = 600  # seconds
    processor: int = None  # seconds
    memory: int = None  # bytes of address space

    def set(self):
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        if self.processor:
            resource.setrlimit(resource.RLIMIT_CPU, (self.processor, self.processor))
        if self.memory and not os.environ.get("STOWAGE_SANITIZED"):  # AddressSanitizer reserves terabytes
            resource.setrlimit(resource.RLIMIT_AS, (self.memory, self.memory))


@dataclass(frozen=True)
class Done:
    status: int  # negative: killed by that signal; None: out of time
    out: str
    err: str


def run(command, text=None, limits=Limits(), environment=None, folder=None, executable=None):
    """The end of a command. ToolError only where it cannot be started."""
    try:
        done = subprocess.run([str(word) for word in command], input=text, capture_output=True, text=True,
                              errors="replace", timeout=limits.clock, preexec_fn=limits.set, cwd=folder,
                              executable=executable,
                              env=environment and {**os.environ, **environment})  # fmt: skip
    except subprocess.TimeoutExpired:
        return Done(None, "", f"no end after {limits.clock} s")
    except OSError as error:
        raise ToolError(f"{command[0]}: {error}") from error
    return Done(done.returncode, done.stdout, done.stderr)


def call(command, text=None, limits=Limits(), environment=None):
    """The same of a command that must succeed."""
    done = run(command, text, limits, environment)
    if done.status != 0:
        raise ToolError(f"{' '.join(map(str, command))}\nexit status {done.status}\n{done.err}")
    return done
