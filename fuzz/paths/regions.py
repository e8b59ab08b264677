# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Statements with regions, and what these yield."""

from fuzz.paths.plain import T


class Regions:
    def region(self, most, end, arguments=()):
        self.enter()
        self.refs[-1] += arguments
        self.statements(most)
        end()
        self.leave()

    def yields(self, op, count):
        def end():
            values = [self.ref() for _ in range(count)]
            types = f" {', '.join(values)} : {', '.join([T] * count)}" if count else ""
            self.put(f"{op}{types}")
        return end

    def results(self, count):
        names = [self.name() for _ in range(count)]
        text = f"{', '.join(names)} = " if count else ""
        types = f" -> ({', '.join([T] * count)})" if count else ""
        return names, text, types

    def if_(self):
        count = self.rng.pick([0, 0, 1, 1, 2])
        names, left, types = self.results(count)
        self.put(f"{left}scf.if {self.bit()}{types} {{")
        self.region(4, self.yields("scf.yield", count))
        if count or self.chance(0.5):
            self.put("} else {")
            self.region(4, self.yields("scf.yield", count))
        self.put("}")
        self.refs[-1] += names

    def affine_if(self):
        i = self.name()
        self.put(f"affine.for {i} = 0 to 2 {{")
        self.enter()
        count = self.rng.pick([0, 1])
        names, left, types = self.results(count)
        types = types.replace("(", "").replace(")", "")
        self.put(f"{left}affine.if affine_set<(d0) : (d0 - 1 >= 0)>({i}){types} {{")
        self.region(3, self.yields("affine.yield", count))
        if count or self.chance(0.5):
            self.put("} else {")
            self.region(3, self.yields("affine.yield", count))
        self.put("}")
        self.refs[-1] += names
        self.statements(2)
        self.leave()
        self.put("}")

    def carried(self):
        count = self.rng.pick([0, 1, 1, 2, 2, 3])
        return count, [self.ref() for _ in range(count)], [self.name() for _ in range(count)]

    def for_(self):
        n = self.trips()
        count, inits, inside = self.carried()
        names, left, types = self.results(count)
        pairs = ", ".join(f"{a} = {b}" for a, b in zip(inside, inits))
        carried = f" iter_args({pairs}){types}" if count else ""
        self.put(f"{left}scf.for {self.name()} = {self.c0} to {n} step {self.c1}{carried} {{")
        self.region(4, self.yields("scf.yield", count), inside)
        self.put("}")
        self.refs[-1] += names

    def affine_for(self):
        count, inits, inside = self.carried()
        names, left, types = self.results(count)
        pairs = ", ".join(f"{a} = {b}" for a, b in zip(inside, inits))
        carried = f" iter_args({pairs}){types}" if count else ""
        self.put(f"{left}affine.for {self.name()} = 0 to {self.rng.between(0, 2)}{carried} {{")
        self.region(4, self.yields("affine.yield", count), inside)
        self.put("}")
        self.refs[-1] += names

    def while_(self):
        count, inits, inside = self.carried()
        after = self.rng.pick([count, 0, 1, 2])
        handed = [self.name() for _ in range(after)]
        names, left, _ = self.results(after)
        pairs = ", ".join(f"{a} = {b}" for a, b in zip(inside, inits))
        self.put(f"{left}scf.while {'(' + pairs + ') ' if pairs else ''}: "
                 f"({', '.join([T] * count)}) -> ({', '.join([T] * after)}) {{")

        def condition():
            c = self.define("func.call @choose() : () -> i1")
            values = [self.ref() for _ in range(after)]
            types = f" {', '.join(values)} : {', '.join([T] * after)}" if after else ""
            self.put(f"scf.condition({c}){types}")
        self.region(2, condition, inside)
        self.put("} do {")
        typed = ", ".join(f"{a}: {T}" for a in handed)
        if typed:
            self.put(f"^bb0({typed}):")
        self.region(3, self.yields("scf.yield", count), handed)
        self.put("}")
        self.refs[-1] += names

    def switch(self):
        count = self.rng.pick([0, 1, 2])
        names, left, types = self.results(count)
        types = types.replace("(", "").replace(")", "")
        self.put(f"{left}scf.index_switch {self.trips()}{types}")
        for head in ["case 1", "case 2", "default"][self.rng.pick([0, 1]):]:
            self.put(f"{head} {{")
            self.region(3, self.yields("scf.yield", count))
            self.put("}")
        self.refs[-1] += names

    def execute(self):
        count = self.rng.pick([0, 1, 1, 2])
        names, left, types = self.results(count)
        self.put(f"{left}scf.execute_region{types} {{")
        self.enter()
        self.body(self.yields("scf.yield", count), self.chance(0.6))
        self.leave()
        self.put("}")
        self.refs[-1] += names

    def scope(self):
        self.put("memref.alloca_scope {")
        self.region(3, lambda: None)
        self.put("}")

    def parallel(self):
        self.put(f"scf.parallel ({self.name()}) = ({self.c0}) to ({self.trips()}) "
                 f"step ({self.c1}) {{")
        self.closed(3)
        self.put("}")

    def reduce(self):
        z = self.define("arith.constant 0 : i8")
        v = self.name()
        self.put(f"{v} = scf.parallel ({self.name()}) = ({self.c0}) to ({self.trips()}) "
                 f"step ({self.c1}) init ({z}) -> i8 {{")
        self.closed(2)
        a, b = self.name(), self.name()
        self.put(f"  scf.reduce({z} : i8) {{")
        self.put(f"  ^bb0({a}: i8, {b}: i8):")
        self.enter()
        self.statements(2)
        w = self.define(f"memref.load {self.ref()}[{self.c0}] : {T}")
        self.put(f"scf.reduce.return {w} : i8")
        self.leave()
        self.put("  }")
        self.put("}")
        self.put(f"func.call @trace({v}) : (i8) -> ()")

    def closed(self, most):
        self.enter()
        self.statements(most)
        self.leave()

    def forall(self):
        self.put(f"scf.forall ({self.name()}) in ({self.rng.pick([1, 1, 2])}) {{")
        self.closed(3)
        self.put("}")

    def async_(self):
        token = self.name()
        self.put(f"{token} = async.execute {{")
        self.closed(3)
        self.put("  async.yield")
        self.put("}")
        self.statements(2)
        self.put(f"async.await {token} : !async.token")
