# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random affine programs of products, as in an attention.

Products of matrices of two extents, one of them transposed now and then, with sums in memory; between them nests that
change each cell, by cells around it or by a sum of its row. So a buffer is often read for the last time where one of the
same type is written first, sometimes too early for it to take the place."""

from fuzz.affine_gen.gen import Buffer, Program, load, store
from fuzz.affine_gen.windows import Stages
from fuzz.rng import Rng


class Products(Stages):
    def fitting(self, extent):
        """A buffer of which some dimension has the extent, and which."""
        fit = [(b, k) for b in self.ready for k in (0, 1) if b.dims[k] == extent]
        return self.rng.pick(fit)

    def product(self, target=None):
        left = self.source()
        right, summed = self.fitting(left.dims[1])
        b = (target or self.local)((left.dims[0], right.dims[1 - summed]))
        w = self.writer()
        store(w, w.constant(self.rng.below(99)), b, self.nest(w, b.dims))
        self.done(w, b)
        w = self.writer()
        i, j = self.nest(w, b.dims)
        [k] = self.inner(w, [left.dims[1]])
        factors = [load(w, left, [i, k]), load(w, right, [j, k] if summed else [k, j])]
        store(w, w.mix([load(w, b, [i, j]), *factors]), b, [i, j])
        self.done(w, b)

    def cells(self):
        source, w = self.source(), self.writer()
        b = self.local(source.dims)
        i, j = self.nest(w, b.dims)
        around = self.rng.pick([j, j, f"{b.dims[1] - 1} - {j}", f"({j} + 1) mod {b.dims[1]}", "0"])
        store(w, w.mix([load(w, source, [i, j]), load(w, source, [i, around])]), b, [i, j])
        self.done(w, b)

    def rows(self):
        source = self.source()
        sums = self.local(source.dims[:1])
        w = self.writer()
        store(w, w.constant(1), sums, self.nest(w, sums.dims))
        self.done(w, self.ready[-1])
        w = self.writer()
        [i] = self.nest(w, sums.dims)
        [j] = self.inner(w, source.dims[1:])
        store(w, w.mix([load(w, sums, [i]), load(w, source, [i, j])]), sums, [i])
        self.done(w, self.ready[-1])
        w, b = self.writer(), self.local(source.dims)
        i, j = self.nest(w, b.dims)
        store(w, w.mix([load(w, source, [i, j]), load(w, sums, [i])]), b, [i, j])
        self.done(w, b)


def generate(seed):
    rng = Rng(seed * 7919 + 53)
    extents = [3 + rng.below(4), 3 + rng.below(6)]
    p = Program(f"p{seed}", [Buffer(f"%a{n}", tuple(extents if n else reversed(extents))) for n in range(2)], [])
    stages = Products(p, rng)
    stages.ready = list(p.args)
    for _ in range(2 + rng.below(5)):
        getattr(stages, rng.weighted([("product", 4), ("cells", 3), ("rows", 2)]))()

    def result(dims):
        p.args.append(Buffer("%a2", tuple(dims)))
        return p.args[-1]

    stages.product(result)
    return p
