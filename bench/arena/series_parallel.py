# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random series-parallel graphs of ops, as functions: each op makes one buffer, which all read that follow it."""

import random


class Graph:
    """Ops by number, and of each those that it reads."""

    def __init__(self, seed, ops):
        self.random, self.reads = random.Random(seed), [[]]
        self.grow(0, ops - 1)
        self.bytes = [self.random.randint(1, 64) * 16 for _ in self.reads]

    def op(self, reads):
        self.reads.append(reads)
        return len(self.reads) - 1

    def grow(self, first, ops):
        """Between an op and the one that it gives: ops in a row, and branches that are such graphs."""
        while ops > 0:
            branches, share = self.random.randint(2, 5), 0
            if ops >= 4 and self.random.random() < 0.5:
                share = self.random.randrange(ops - 1) // branches
            heads = [self.grow(first, share) for _ in range(branches if share else 0)]
            first = self.op(heads or [first])
            ops -= 1 + share * branches
        return first

    def text(self):
        lines = ["#one = affine_map<(d0) -> (0)>", "#all = affine_map<(d0) -> (d0)>",
                 "func.func @forward(%in: memref<16xi8>, %out: memref<16xi8>) {"]  # fmt: skip
        lines += [self.op_text(i, reads) for i, reads in enumerate(self.reads)]
        lines += [self.use("%out", "memref<16xi8>", [len(self.reads) - 1]), "  return", "}"]
        return "\n".join(lines) + "\n"

    def type(self, op):
        return f"memref<{self.bytes[op]}xi8>"

    def op_text(self, op, reads):
        return f"  %v{op} = memref.alloc() : {self.type(op)}\n{self.use(f'%v{op}', self.type(op), reads)}"

    def use(self, goal, type, reads):
        """Each element of the goal from the first one of what is read."""
        names = [f"%v{r}" for r in reads] or ["%in"]
        types = [self.type(r) for r in reads] or ["memref<16xi8>"]
        maps = ", ".join(["#one"] * len(names) + ["#all"])
        args = ", ".join([f"%x{i}: i8" for i in range(len(names))] + ["%y: i8"])
        return (f"  linalg.generic {{indexing_maps = [{maps}], iterator_types = [\"parallel\"]}} "
                f"ins({', '.join(names)} : {', '.join(types)}) outs({goal} : {type}) {{\n"
                f"  ^bb0({args}):\n    linalg.yield %x0 : i8\n  }}")  # fmt: skip
