# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random series-parallel graphs of ops, as functions.

Each op makes one buffer, which all read that follow it; or, `apart`, one for each of these: a tensor per edge, for which such graphs are
known to have a best order that can be computed (stowage/order.h names the papers).
"""

import random


class Graph:
    """Ops by number, and of each those that it reads."""

    def __init__(self, seed, ops, apart=False):
        self.random, self.reads, self.apart = random.Random(seed), [[]], apart
        self.grow(0, ops - 1)
        readers = {made: [op for op, reads in enumerate(self.reads) if made in reads] for made in range(len(self.reads))}
        # Of each op the buffers that it makes: name and type.
        self.made = [[self.buffer(name) for name in ([f"%v{op}_{r}" for r in readers[op]] if apart and op < ops - 1 else [f"%v{op}"])]
                     for op in readers]  # fmt: skip

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

    def buffer(self, name):
        return name, f"memref<{self.random.randint(1, 64) * 16}xi8>"

    def text(self):
        lines = ["#one = affine_map<(d0) -> (0)>", "#all = affine_map<(d0) -> (d0)>",
                 "func.func @forward(%in: memref<16xi8>, %out: memref<16xi8>) {"]  # fmt: skip
        for op, reads in enumerate(self.reads):
            lines += [f"  {name} = memref.alloc() : {type}" for name, type in self.made[op]]
            lines.append(self.use(self.made[op], [self.read(made, op) for made in reads]))
        return "\n".join([*lines, self.use([("%out", "memref<16xi8>")], self.made[-1]), "  return", "}"]) + "\n"

    def read(self, made, op):
        """What an op reads of what another one made."""
        return next(b for b in self.made[made] if not self.apart or b[0] == f"%v{made}_{op}")

    def use(self, goals, reads):
        """Each element of the goals, one dimension each, from the first one of what is read."""
        reads = reads or [("%in", "memref<16xi8>")]
        dims = ", ".join(f"d{i}" for i in range(len(goals)))
        one = "#one" if len(goals) == 1 else f"affine_map<({dims}) -> (0)>"
        every = ["#all"] if len(goals) == 1 else [f"affine_map<({dims}) -> (d{i})>" for i in range(len(goals))]
        args = ", ".join([f"%x{i}: i8" for i in range(len(reads))] + [f"%y{i}: i8" for i in range(len(goals))])
        yields = f"{', '.join(['%x0'] * len(goals))} : {', '.join(['i8'] * len(goals))}"
        loops = ", ".join(['"parallel"'] * len(goals))
        return (f"  linalg.generic {{indexing_maps = [{', '.join([one] * len(reads) + every)}], "
                f"iterator_types = [{loops}]}} "
                f"ins({of(reads)}) outs({of(goals)}) {{\n"
                f"  ^bb0({args}):\n    linalg.yield {yields}\n  }}")  # fmt: skip


def of(buffers):
    return f"{', '.join(name for name, _ in buffers)} : {', '.join(type for _, type in buffers)}"
