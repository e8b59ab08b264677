# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The generator: a program from a seed."""

from fuzz.dynamic_gen import buffers, calls, control, knobs, views  # noqa: F401  they register actions
from fuzz.dynamic_gen.actions import ACTIONS, LOADED
from fuzz.dynamic_gen.scope import MOST, Buffer, Family, Scope
from fuzz.dynamic_gen.sizes import INSANE, Size
from fuzz.dynamic_gen.tree import Function, Program
from fuzz.memref_gen.memtypes import ELEMENT_WEIGHTS, ELEMENTS, MemRef
from fuzz.rng import Rng

TUPLES = 4  # of sizes that each program runs with
DEEPEST = 3
PLAIN = [("f32", 4), ("i8", 3), ("i64", 2)]


class Generator:
    def __init__(self, seed, tuples=TUPLES):
        self.rng, self.tuples = Rng(seed), tuples
        self.weights = knobs.weights(self.rng, seed)
        self.program = Program(seed, tuples)
        self.callees = []
        self.left = 0
        self.deep = 0

    def allows(self, name):
        return self.weights.get(name, 0) > 0

    def element(self, outside=False):
        while True:
            found = ELEMENTS[self.rng.weighted(ELEMENT_WEIGHTS if self.allows("elements") else PLAIN)]
            if found.bytes <= 16 and not (outside and found.text == "i24"):
                return found

    def grow(self, scope, budget):
        """Statements at the end of a block; the budget is shared with what is inside them."""
        while budget > 0 and self.left > 0:
            names = [(n, w) for n, w in self.weights.items() if n in ACTIONS]
            name = self.rng.weighted(names)
            before = self.left
            if ACTIONS[name](scope) is not False:
                self.left -= 1
            else:
                self.left -= 0.1
            budget -= before - self.left
            if self.rng.chance(0.5):
                scope.settle()

    def inside(self, scope):
        """The statements of a block in another one."""
        self.deep += 1
        self.grow(scope, self.rng.between(1, 6) if self.deep <= DEEPEST else 1)
        self.deep -= 1

    def may_nest(self):
        return self.deep < DEEPEST and self.left > 1


# ---- Arguments ------------------------------------------------------------------------------

SMALL = (1, 2, 3, 4, 5, 7, 8, 13, 16, 17, 24, 31, 32, 40, 64)
EDGE = (0, 0, 1, 1, 2)


def symbol_values(rng, count, tuple):
    """The sizes that a program is told, in its tuple-th run."""
    if tuple % 4 == 0:
        return [rng.pick(SMALL) for _ in range(count)]
    if tuple % 4 == 1:
        return [rng.pick(EDGE) for _ in range(count)]
    large = rng.below(count)
    return [rng.pick((1000, 1025, 4096, 5000)) if i == large else rng.pick((0, 1, 1, 2, 3)) for i in range(count)]


def symbols(gen):
    """[values per tuple] of each symbol."""
    count = gen.rng.between(2, 4)
    return list(zip(*(symbol_values(gen.rng, count, t) for t in range(gen.tuples))))


def insane(rng, values):
    """The same, insane in some tuples."""
    return tuple(rng.pick(INSANE) if rng.chance(0.5) else v for v in values)


def stated(gen, dims, names):
    """The attribute that states what is true of an argument's sizes."""
    def one(values, name):
        if min(values) < 0 or not gen.rng.chance(0.7):
            return "{}"
        low, high = min(values), max(values)
        parts = [f'name = "{name}"'] * (name is not None)
        parts += [f"min = {gen.rng.pick((0, low))}"] * gen.rng.chance(0.7)
        most = high + gen.rng.pick((0, 0, 1, 100))
        parts += [f"max = {most}"] * (gen.rng.chance(0.7) and most <= MOST)  # no memory has more
        parts += [f"hint = {gen.rng.pick(values)}"] * gen.rng.chance(0.3)
        return "{" + ", ".join(parts) + "}"

    if not gen.allows("ranges") or not gen.rng.chance(0.7):
        return ""
    return f"{{stowage.dims = [{', '.join(map(one, dims, names))}]}}"


def arguments(gen, scope):
    """Memory, sizes, and what runs the program with each tuple gives for them."""
    rng, function = gen.rng, scope.function
    known = symbols(gen)
    calls = [[] for _ in range(gen.tuples)]  # (type given by the driver, values) or a number
    loaded = [insane(rng, rng.pick(known)) if gen.allows("insane") and rng.chance(0.3) else rng.pick(known)
              for _ in range(LOADED)]  # fmt: skip
    gen.loaded = loaded
    function.args += [("%out", "memref<16xi64>", ""), ("%sizes", f"memref<{LOADED}xindex>", "")]
    for number in range(rng.between(1, 3)):
        element = gen.element(outside=True)
        rank = rng.weighted([(1, 4), (2, 4), (3, 1)])
        chosen = [rng.below(len(known)) if rng.chance(0.85) else None for _ in range(rank)]
        while max(product([known[c][t] if c is not None else 4 for c in chosen]) for t in range(gen.tuples)) > 20000:
            chosen = chosen[1:] or [None]
        dims = [known[c] if c is not None else (4,) * gen.tuples for c in chosen]
        shape = tuple(None if c is not None else 4 for c in chosen)
        type, name = MemRef(shape, element), f"%x{number}"
        attribute = stated(gen, dims, [None if c is None else f"n{c}" for c in chosen])
        function.args.append((name, str(type), attribute))
        for t in range(gen.tuples):
            calls[t].append((type, MemRef(tuple(d[t] for d in dims), element)))
        sizes = [4 if c is None else Size("", tuple((v, v) for v in d)) for c, d in zip(chosen, dims)]
        scope.buffers.append(Buffer(name, type, tuple(sizes), frozenset([Family(written=True)])))
    for number in range(rng.between(1, 3)):
        at = rng.below(len(known))
        values = insane(rng, known[at]) if gen.allows("insane") and rng.chance(0.4) else known[at]
        same = values == known[at]
        function.args.append((f"%n{number}", "index", stated(gen, [values], [f"n{at}" if same else None])))
        scope.sizes.append(Size(f"%n{number}", tuple((v, v) for v in values)))
        for t in range(gen.tuples):
            calls[t].append(values[t])
    function.args.append(("%seed", "i64", ""))
    name_dims(scope)
    return calls


def name_dims(scope):
    """Argument dims have no name until the program asks for them."""
    for buffer in scope.buffers:
        dims = [scope.dim(buffer, i) if isinstance(d, Size) else d for i, d in enumerate(buffer.dims)]
        buffer.dims = tuple(dims)


def product(numbers):
    total = 1
    for n in numbers:
        total *= n
    return total


# ---- Functions ------------------------------------------------------------------------------


def grow_main(gen):
    function = Function("")
    scope = Scope(gen, function, active=frozenset(range(gen.tuples)), blocks=True, digest="%seed", out="%out")
    gen.program.functions.append(function)
    calls = arguments(gen, scope)
    if gen.allows("asserted"):  # passes read the first block
        for _ in range(gen.rng.below(4)):
            ACTIONS["asserted"](scope)
    gen.grow(scope, gen.left)
    back = []
    if gen.allows("returned"):
        scope.settle()
        whole = [f for f in scope.owned if f.root.type.element.text != "i24" and f.root.type.layout is None]
        back = gen.rng.shuffled(whole)[: gen.rng.weighted([(0, 3), (1, 2), (2, 1)])]
    scope.close(back)
    function.results = [str(f.root.type) for f in back]
    scope.line("return" + typed([f.root for f in back]))
    function.body = scope.nodes
    finish_wrappers(gen, function, calls, [f.root.type for f in back])


def typed(values):
    return f" {', '.join(map(str, values))} : {', '.join(str(v.type) for v in values)}" if values else ""


def finish_wrappers(gen, function, calls, results):
    for t, values in enumerate(calls):
        gen.program.wrappers.append(wrapper(gen, function, t, values))
        taken = [type for type in (v[1] for v in values if isinstance(v, tuple))]
        words = [f"{gen.program.name}_t{t}", 1 + len(taken), 8, 255, 1, 16]
        for type in taken:
            words += [type.element.bytes, type.element.mask, type.rank, *type.shape]
        words += [len(results)]
        for type in results:
            words += [type.element.bytes, type.rank]
        gen.program.manifests.append(" ".join(map(str, words)))


def wrapper(gen, function, t, values):
    """The function that the driver calls: it tells the program its sizes."""
    name, lines, given = gen.program.name, [], ["%out", "%sizes"]
    head = ["%out: memref<16xi64>"]
    lines.append(f"%sizes = memref.alloca() : memref<{LOADED}xindex>")
    for i, values_of in enumerate(gen.loaded):
        lines += [f"%l{i} = arith.constant {values_of[t]} : index", f"%at{i} = arith.constant {i} : index",
                  f"memref.store %l{i}, %sizes[%at{i}] : memref<{LOADED}xindex>"]  # fmt: skip
    for i, value in enumerate(values):
        if isinstance(value, tuple):
            type, fixed = value
            head.append(f"%x{i}: {fixed}")
            lines.append(f"%g{i} = memref.cast %x{i} : {fixed} to {type}" if type != fixed else None)
            given.append(f"%g{i}" if type != fixed else f"%x{i}")
        else:
            lines.append(f"%g{i} = arith.constant {value} : index")
            given.append(f"%g{i}")
    lines.append("%seed = arith.constant 88172645463325252 : i64")
    given.append("%seed")
    back = ", ".join(function.results)
    results = f"%r:{len(function.results)} = " if function.results else ""
    types = ", ".join(type for _, type, _ in function.args)
    lines.append(f"{results}func.call @{name}({', '.join(given)}) : ({types}) -> ({back})")
    names = ", ".join(f"%r#{i}" for i in range(len(function.results)))
    lines.append(f"return {names} : {back}" if back else "return")
    body = "\n".join("  " + line for line in lines if line)
    arrow = f" -> ({back})" if back else ""
    return (f"func.func @{name}_t{t}({', '.join(head)}){arrow} attributes {{llvm.emit_c_interface}} {{\n"
            f"{body}\n}}")  # fmt: skip


def generate(seed, tuples=TUPLES):
    gen = Generator(seed, tuples)
    calls.grow_callees(gen)
    gen.left = gen.rng.weighted(knobs.STATEMENTS)
    grow_main(gen)
    gen.program.functions = gen.program.functions[::-1]
    return gen.program
