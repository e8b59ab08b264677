# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The program: steps in order, each of which makes tensors of those before it.

Nothing is freed here, and no step writes what another reads: that is for bufferization to decide. So a
step can always be replaced by one that makes the same type out of nothing, and what nobody uses dropped.
"""

from dataclasses import dataclass, field
from math import prod


@dataclass(eq=False)
class Value:
    number: int
    shape: tuple
    element: str
    bound: float = 0  # of what floats may be, so that no infinity comes of a long chain
    channels_first: bool = False  # of rank 4: [batch, channels, rows, columns]
    memory: bool = False  # an argument that is a buffer, to be written

    @property
    def name(self):
        return f"%v{self.number}"

    @property
    def rank(self):
        return len(self.shape)

    @property
    def size(self):
        return prod(self.shape)

    @property
    def type(self):
        found = tensor(self.shape, self.element)
        return found.replace("tensor", "memref") if self.memory else found


@dataclass(frozen=True)
class State:
    """A tensor that the program keeps from call to call."""

    number: int
    shape: tuple
    element: str
    first: tuple  # what it begins with

    @property
    def type(self):
        return tensor(self.shape, self.element)


@dataclass(eq=False)
class Step:
    kind: str
    inputs: list
    results: list
    attrs: dict = field(default_factory=dict)

    @property
    def result(self):
        return self.results[0]


@dataclass(eq=False)
class Program:
    seed: int
    arguments: list = field(default_factory=list)
    steps: list = field(default_factory=list)
    returned: list = field(default_factory=list)


def tensor(shape, element):
    return f"tensor<{''.join(f'{size}x' for size in shape)}{element}>"


LASTING = {"sink", "store", "deliver", "save"}  # steps that are there for what they write


def attributes(step):
    """Those of the step, and of the ops of a loop that it is."""
    return [step.attrs, *(op.attrs for op in step.attrs["loop"].ops())] if "loop" in step.attrs else [step.attrs]


def states(program):
    found = {a["kept"] for step in program.steps for a in attributes(step) if "kept" in a}
    return sorted(found, key=lambda state: state.number)


def lasting(step):
    return step.kind in LASTING or "loop" in step.attrs and step.attrs["loop"].saves()


def prune(program):
    """Drops the steps that nothing needs."""
    needed, kept = set(program.returned), []
    for step in reversed(program.steps):
        if lasting(step) or needed & set(step.results):
            kept.append(step)
            needed |= set(step.inputs)
    program.steps = kept[::-1]
    program.arguments = [v for v in program.arguments if v in needed]


def substitute(program, old, new):
    for step in program.steps:
        step.inputs = [new if v is old else v for v in step.inputs]
    program.returned = [new if v is old else v for v in program.returned]
