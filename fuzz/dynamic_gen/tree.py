# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A program as text in a tree, so that a shrinker can cut parts out: what is cut and needed is a fault that
the verifier or an execution finds."""

import re
from dataclasses import dataclass, field
from typing import Any, List


@dataclass(eq=False)
class Node:
    """Lines (str) and blocks (lists of Nodes), in order."""

    parts: List[Any] = field(default_factory=list)
    free: bool = False  # a dealloc


def lines(nodes, freed, without=frozenset()):
    """The text of nodes but those in `without`; with deallocs if `freed`."""
    for node in nodes:
        if node in without or node.free and not freed:
            continue
        for part in node.parts:
            if isinstance(part, str):
                yield part
            else:
                yield from lines(part, freed, without)


def every(nodes):
    for node in nodes:
        yield node
        for part in node.parts:
            if isinstance(part, list):
                yield from every(part)


@dataclass(eq=False)
class Function:
    name: str  # behind the program's, "" for the one that is run
    args: List[Any] = field(default_factory=list)  # (name, type, attributes)
    results: List[str] = field(default_factory=list)  # types
    constants: dict = field(default_factory=dict)  # (number, type): name
    body: List[Node] = field(default_factory=list)
    names: int = 0

    def fresh(self, letter="v"):
        self.names += 1
        return f"%{letter}{self.names}"

    def constant(self, number, type="index"):
        key = (number, type)
        if key not in self.constants:
            sign, suffix = "m" if number < 0 else "", "" if type == "index" else "_" + type
            self.constants[key] = f"%c{sign}{abs(number)}{suffix}"
        return self.constants[key]

    def text(self, program, freed, without):
        name = f"{program}_{self.name}" if self.name else program
        args = ", ".join(f"{n}: {t}{' ' + a if a else ''}" for n, t, a in self.args)
        results = f" -> ({', '.join(self.results)})" if self.results else ""
        body = "\n".join("  " + line for line in lines(self.body, freed, without))
        used = set(re.findall(r"%c\w+", body))
        constants = "\n".join(f"  {name} = arith.constant {number} : {type}"
                              for (number, type), name in self.constants.items() if name in used)  # fmt: skip
        return f"func.func {'private ' if self.name else ''}@{name}({args}){results} {{\n{constants}\n{body}\n}}"


@dataclass(eq=False)
class Program:
    seed: int
    tuples: int = 0
    functions: List[Function] = field(default_factory=list)
    wrappers: List[Any] = field(default_factory=list)  # per tuple: see grow.wrapper
    manifests: List[str] = field(default_factory=list)
    cut: frozenset = frozenset()  # nodes that a shrinker took out
    static_bytes: int = 0  # of allocations of static shape in the text

    @property
    def name(self):
        return f"p{self.seed}"

    def text(self, freed):
        return "\n".join(f.text(self.name, freed, self.cut) for f in self.functions)
