# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Grows small programs, each around a few of the ways in which a buffer can get on.

A program is text from the start: what is visible where is kept in scopes, and bodies are
either a straight line of statements or a *maze*, blocks with jumps anywhere, filled in the
order of their dominators. Every buffer is written where it is made, so that nothing depends
on what memory held before.

Most programs are strict: whatever they allocate can be freed. A *loose* one stores addresses
or starts work that nobody awaits, so that leaks are no faults.
"""

from fuzz.lines import Lines
from fuzz.paths.plain import Plain, T
from fuzz.paths.regions import Regions
from fuzz.rng import Rng

# Statements and their weights; each program has a random part of them.
COMMON = dict(alloc=5, store=4, load=5, copy=2, use=2)
RARE = dict(select=3, alias=2, view=1, get_global=1, stack=1, call=3, indirect=1, make=1,
            if_=5, for_=4, while_=2, switch=1, execute=2, parallel=1, reduce=1, forall=1,
            async_=1, scope=1, affine_for=1, affine_if=1, realloc=1, local=1, nested_global=1,
            freed_by_callee=1, freed_by_either=1, read_by_callee=2, recursion=1, cast_from_pointer=1)
LOOSE = dict(store_ref=2, load_ref=2, pointer=1, unawaited=1)


class Grower(Lines, Plain, Regions):
    def __init__(self, seed, without=()):
        super().__init__()
        self.rng = Rng(seed)
        r = self.rng
        self.loose = r.chance(0.15)
        part = r.pick([0.2, 0.35, 0.6])
        self.weights = dict(COMMON)
        for name, weight in RARE.items():
            if r.chance(part):
                self.weights[name] = weight * r.pick([1, 1, 3])
        self.recursive = "recursion" in self.weights and "recursion" not in without
        self.weights.pop("recursion", None)
        if self.loose:
            self.weights.update({n: w for n, w in LOOSE.items() if r.chance(0.6)})
        for name in without:
            self.weights.pop(name, None)
        self.budget = r.pick([12, 20, 35])
        self.helpers = []
        self.plan_helpers()

    def chance(self, p):
        return self.rng.chance(p)

    # ---- Functions

    def plan_helpers(self):
        r = self.rng
        for i in range(r.pick([0, 1, 1, 2, 3])):
            takes = r.pick([0, 1, 1, 2])
            gives = r.pick([0, 1, 1, 2])
            self.helpers.append((f"f{i}", takes, gives))

    def module(self, name):
        self.put(f"module @{name} {{")
        self.indent += 1
        for f, result in (("choose", "i1"), ("count", "index"), ("make", T)):
            self.put(f"func.func private @{f}() -> {result}")
        self.put("func.func private @trace(i8)")
        self.put(f"func.func private @use({T})")
        self.put(f"memref.global @g : {T} = dense<1>")
        self.put(f'memref.global "private" @h : memref<{T}>')
        self.put(f"func.func private @freeing(%a: {T}) {{")
        self.put(f"  memref.dealloc %a : {T}")
        self.put("  return")
        self.put("}")
        self.put(f"func.func private @reading(%a: {T}) {{")
        self.put("  %zero = arith.constant 0 : index")
        self.put(f"  %v = memref.load %a[%zero] : {T}")
        self.put("  func.call @trace(%v) : (i8) -> ()")
        self.put("  return")
        self.put("}")
        whole = self.budget
        for f, takes, gives in self.helpers:
            self.budget = whole // 3
            private = "private " if self.chance(0.5) else ""
            self.fresh = takes == 0 or self.chance(0.5)
            self.function(f, private, takes, gives)
        self.fresh = self.chance(0.5) if "unawaited" in self.weights else None
        self.budget = whole
        self.function("main", "", self.rng.pick([1, 2, 2, 3]), self.rng.pick([0, 1, 1, 2]))
        self.indent -= 1
        self.put("}")
        return "\n".join(self.lines)

    def function(self, name, private, takes, gives):
        arguments = [f"%{name}a{i}" for i in range(takes)]
        flags = [f"%{name}c{i}" for i in range(2)]
        typed = [f"{a}: {T}" for a in arguments] + [f"{c}: i1" for c in flags]
        typed += [f"%{name}n: index"]
        results = f" -> ({', '.join([T] * gives)})" if gives else ""
        self.put(f"func.func {private}@{name}({', '.join(typed)}){results} {{")
        self.indent += 1
        self.c0 = self.define("arith.constant 0 : index")
        self.c1 = self.define("arith.constant 1 : index")
        self.bits, self.sizes = [flags], [[f"%{name}n"]]
        self.refs = [list(arguments)]
        self.given = list(arguments)
        self.gives = gives
        self.stacked = False  # whether a value may be memory that ends with the function
        self.name_of_function = name
        self.body(lambda: self.finish(gives), self.chance(0.35))
        self.indent -= 1
        self.put("}")

    # Where some returns give an argument and others a buffer of the function's own, the pass may
    # clone the argument: callers that write the result would see it, and so would work that goes on
    # behind the return. So helpers do not mix, nor does a main with such work.
    def finish(self, gives):
        values = [self.result() for _ in range(gives)]
        types = f" {', '.join(values)} : {', '.join([T] * gives)}" if gives else ""
        self.put(f"return{types}")

    def result(self):
        if self.fresh is None and not self.stacked:
            return self.ref()
        if self.fresh is False:
            return self.either_given()
        source = self.ref()
        result = self.define(f"memref.alloc() : {T}")
        self.put(f"memref.copy {source}, {result} : {T} to {T}")
        return result

    def either_given(self):
        a, b = (self.rng.pick(self.given) for _ in range(2))
        if a == b:
            return a
        result = self.define(f"scf.if {self.bit()} -> ({T}) {{")
        for value, end in ((a, "} else {"), (b, "}")):
            self.put(f"  scf.yield {value} : {T}")
            self.put(end)
        return result

    # ---- Scopes

    def enter(self):
        self.refs.append([])
        self.bits.append([])
        self.sizes.append([])
        self.indent += 1

    def leave(self):
        self.refs.pop()
        self.bits.pop()
        self.sizes.pop()
        self.indent -= 1

    def ref(self):
        known = [v for scope in self.refs for v in scope]
        if not known or self.chance(0.08):
            return self.alloc()
        if self.chance(0.6):
            known = known[-4:]
        return self.rng.pick(known)

    def add(self, value):
        self.refs[-1].append(value)
        return value

    def bit(self):
        known = [v for scope in self.bits for v in scope]
        if known and self.chance(0.4):
            return self.rng.pick(known)
        bit = self.define("func.call @choose() : () -> i1")
        self.bits[-1].append(bit)
        return bit

    def trips(self):
        known = [v for scope in self.sizes for v in scope]
        if known and self.chance(0.3):
            return self.rng.pick(known)
        return self.define("func.call @count() : () -> index")

    def statements(self, most):
        for _ in range(self.rng.between(0, most)):
            if self.budget <= 0:
                return
            self.budget -= 1
            name = self.rng.weighted(self.weights.items())
            getattr(self, name)()

    # A body is a straight line, or a maze of blocks.
    def body(self, finish, maze):
        if maze:
            self.blocks(finish)
        else:
            self.statements(9)
            finish()

    def blocks(self, finish):
        r = self.rng
        n = r.between(2, 6)
        prefix = f"^b{self.count}_"
        self.count += 1
        arity = [0] + [r.pick([0, 0, 1, 1, 2]) for _ in range(n - 1)]
        after = []
        for i in range(n):
            if i == n - 1 or (i > 0 and self.chance(0.12)):
                after.append([])
            else:
                more = r.pick([0, 1, 1, 1, 2])
                after.append([r.between(i + 1, n - 1)] +
                             [r.between(1, n - 1) for _ in range(more)])
        doms = dominators(n, after)
        texts, values = {}, {}
        saved = (self.refs, self.bits, self.sizes)
        for i in sorted(range(n), key=lambda b: len(doms[b])):
            outer = self.lines
            self.lines = []
            above = sorted(doms[i] - {i}, key=lambda b: len(doms[b]))
            arguments = [self.name() for _ in range(arity[i])]
            self.refs = saved[0] + [values[b][0] for b in above] + [list(arguments)]
            self.bits = saved[1] + [values[b][1] for b in above] + [[]]
            self.sizes = saved[2] + [values[b][2] for b in above] + [[]]
            if i:
                typed = ", ".join(f"{a}: {T}" for a in arguments)
                self.put(f"{prefix}{i}{'(' + typed + ')' if typed else ''}:")
            self.statements(4)
            self.end_block(prefix, after[i], arity, finish)
            values[i] = (self.refs[-1], self.bits[-1], self.sizes[-1])
            texts[i] = self.lines
            self.lines = outer
        self.refs, self.bits, self.sizes = saved
        order = list(range(1, n))
        if self.chance(0.3):
            order = r.shuffled(order)
        for i in [0] + order:
            self.lines += texts[i]

    def jump(self, prefix, block, arity):
        values = [self.ref() for _ in range(arity[block])]
        typed = f"({', '.join(values)} : {', '.join([T] * len(values))})" if values else ""
        return f"{prefix}{block}{typed}"

    def end_block(self, prefix, after, arity, finish):
        if not after:
            finish()
        elif len(after) == 1:
            self.put(f"cf.br {self.jump(prefix, after[0], arity)}")
        elif len(after) == 2:
            forward, other = (self.jump(prefix, b, arity) for b in after)
            c = self.define("func.call @choose() : () -> i1")
            self.put(f"cf.cond_br {c}, {other}, {forward}")
        else:
            jumps = [self.jump(prefix, b, arity) for b in after]
            n = self.define("func.call @count() : () -> index")
            i = self.define(f"arith.index_cast {n} : index to i32")
            cases = ", ".join(f"{k}: {j}" for k, j in enumerate(jumps[1:], 1))
            self.put(f"cf.switch {i} : i32, [default: {jumps[0]}, {cases}]")


def dominators(n, after):
    before = [[] for _ in range(n)]
    for i, targets in enumerate(after):
        for t in targets:
            before[t].append(i)
    reached, work = {0}, [0]
    while work:
        for t in after[work.pop()]:
            if t not in reached:
                reached.add(t)
                work.append(t)
    doms = [set(range(n)) for _ in range(n)]
    doms[0] = {0}
    changed = True
    while changed:
        changed = False
        for i in range(1, n):
            if i not in reached:
                new = {0, i}
            else:
                new = {i} | set.intersection(*(doms[p] for p in before[i] if p in reached))
            changed |= new != doms[i]
            doms[i] = new
    return doms


def grow(seed, name, without=()):
    """A module's text, and whether it is loose."""
    g = Grower(seed, without)
    return g.module(name), g.loose
