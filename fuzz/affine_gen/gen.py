# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random affine programs: loop nests over shared buffers.

A program is a list of steps, each some lines of IR that stand on their own: a nest, a copy,
a call, an access between nests. So a program is shrunk by leaving steps out. All arithmetic
is on i32 with operands in an order that matters, so that no change of order goes unseen.

Indices are in bounds by construction: a variable with its range is taken as an index only
where every value of it, offset included, fits the dimension."""

import ast
from dataclasses import dataclass, field, replace

from fuzz.rng import Rng

SIZES = [(1, 1), (2, 2), (3, 3), (4, 6), (5, 3)]


@dataclass(frozen=True)
class Buffer:
    name: str
    dims: tuple
    dynamic: bool = False  # the type has `?`; the sizes are in %n0, %n1, ...

    @property
    def type(self):
        return "memref<" + "".join(("?" if self.dynamic else str(d)) + "x" for d in self.dims) + "i32>"


@dataclass(frozen=True)
class Var:
    name: str
    low: int
    high: int  # exclusive


@dataclass
class Program:
    name: str
    args: list
    local: list
    returned: Buffer = None
    bump: str = None  # the type that a helper function takes
    aliased: bool = False
    sizes: dict = field(default_factory=dict)  # dynamic: size -> SSA name
    steps: list = field(default_factory=list)

    @property
    def manifest(self):
        words = [self.name, len(self.args)]
        for b in self.args:
            words += [4, 255, len(b.dims), *b.dims]
        words.append(1 if self.returned else 0)
        if self.returned:
            words += [4, len(self.returned.dims)]
        return " ".join(map(str, words))


class Writer:
    """Lines with fresh names."""

    def __init__(self, rng, prefix):
        self.rng, self.prefix, self.count, self.lines, self.depth = rng, prefix, 0, [], 2
        self.scf = False  # loops are those of scf, so indices are computed by arith

    def fresh(self, kind="v"):
        self.count += 1
        return f"%{kind}{self.prefix}_{self.count}"

    def line(self, text):
        self.lines.append("  " * self.depth + text)

    def open(self, text):
        self.line(text)
        self.depth += 1

    def close(self, text="}"):
        self.depth -= 1
        self.line(text)

    def constant(self, value):
        name = self.fresh("c")
        self.line(f"{name} = arith.constant {value} : i32")
        return name

    def index_constant(self, value):
        name = self.fresh("c")
        self.line(f"{name} = arith.constant {value} : index")
        return name

    def index_value(self, text):
        """The value of an index that is given as an affine expression."""
        return self.computed(ast.parse(text.replace("%", "_").replace(" mod ", " % "), mode="eval").body)

    def computed(self, tree):
        """By sums and products, of which upstream's affine-raise-from-memref makes affine maps."""
        if isinstance(tree, ast.Constant):
            return self.index_constant(tree.value)
        if isinstance(tree, ast.Name):
            return "%" + tree.id[1:]
        if isinstance(tree, ast.UnaryOp):
            tree = ast.BinOp(tree.operand, ast.Mult(), ast.Constant(-1))
        if isinstance(tree.op, ast.Sub):
            tree = ast.BinOp(tree.left, ast.Add(), ast.UnaryOp(ast.USub(), tree.right))
        operands = self.computed(tree.left), self.computed(tree.right)
        op = {ast.Add: "addi", ast.Mult: "muli", ast.Mod: "remui"}[type(tree.op)]
        name = self.fresh("x")
        self.line(f"{name} = arith.{op} {', '.join(operands)} : index")
        return name

    def loop(self, variable, low, high, step=1, carried=None):
        """Opens a loop. `carried`: names of its result and of the value in it, and the first value."""
        carries = f" iter_args({carried[1]} = {carried[2]}) -> (i32)" if carried else ""
        result = f"{carried[0]} = " if carried else ""
        if self.scf:
            ends = [n if str(n).startswith("%") else self.index_constant(n) for n in (low, high, step)]
            self.open(f"{result}scf.for {variable} = {ends[0]} to {ends[1]} step {ends[2]}{carries} {{")
        else:
            steps = f" step {step}" if step > 1 else ""
            self.open(f"{result}affine.for {variable} = {low} to {high}{steps}{carries} {{")

    def end_carrying(self, value):
        self.line(f"{'scf' if self.scf else 'affine'}.yield {value} : i32")
        self.close()

    def mix(self, values):
        """One value out of several, in which each and their order counts."""
        result = values[0]
        for value in values[1:]:
            scaled, summed = self.fresh(), self.fresh()
            factor = self.constant(self.rng.odd() % 100000)
            self.line(f"{scaled} = arith.muli {result}, {factor} : i32")
            op = self.rng.pick(["addi", "subi", "xori"])
            self.line(f"{summed} = arith.{op} {scaled}, {value} : i32")
            result = summed
        if len(values) == 1 or self.rng.chance(0.3):
            changed, k = self.fresh(), self.constant(self.rng.odd() % 1000)
            self.line(f"{changed} = arith.{self.rng.pick(['addi', 'muli', 'xori'])} {result}, {k} : i32")
            result = changed
        return result


# ---- Indices.


def fits(var, offset, size):
    return var.low + offset >= 0 and var.high - 1 + offset < size


def index(rng, size, candidates, preferred):
    """An index into a dimension, as text; `preferred` is what would be the natural one."""
    if preferred and fits(preferred, 0, size) and rng.chance(0.85):
        return preferred.name
    choices = []
    for var in candidates:
        choices += [f"{var.name} + {o}" if o > 0 else f"{var.name} - {-o}" if o < 0 else var.name
                    for o in (-2, -1, 0, 0, 0, 1, 2) if fits(var, o, size)]  # fmt: skip
        if var.low >= 0 and fits(Var("", size - var.high, size - var.low), 0, size) and rng.chance(0.2):
            choices.append(f"-{var.name} + {size - 1}")
        if rng.chance(0.1):
            choices.append(f"({var.name} + {rng.below(3) + 8}) mod {size}")
    if not choices or rng.chance(0.08):
        return str(rng.below(size))
    return rng.pick(choices)


def place(rng, buffer, loops, natural, exact=False):
    """Indices into `buffer`; exact: dimension k takes variable k of `natural`."""
    result = []
    for k, size in enumerate(buffer.dims):
        preferred = natural[k] if k < len(natural) else None
        if exact:
            result.append(preferred.name)
        else:
            result.append(index(rng, size, loops, preferred))
    return result


def load(w, buffer, indices):
    name = w.fresh()
    if w.scf:
        indices = [w.index_value(i) for i in indices]
    plain = all(i.startswith("%") and " " not in i for i in indices)
    dialect = "memref" if w.scf or (plain and w.rng.chance(0.2)) else "affine"
    w.line(f"{name} = {dialect}.load {buffer.name}[{', '.join(indices)}] : {buffer.type}")
    return name


def store(w, value, buffer, indices):
    if w.scf:
        indices = [w.index_value(i) for i in indices]
    plain = all(i.startswith("%") and " " not in i for i in indices)
    if plain and indices and w.rng.chance(0.04):
        vector = w.fresh()
        w.line(f"{vector} = vector.broadcast {value} : i32 to vector<1xi32>")
        w.line(f"vector.store {vector}, {buffer.name}[{', '.join(indices)}] : {buffer.type}, vector<1xi32>")
        return
    dialect = "memref" if w.scf or (plain and w.rng.chance(0.2)) else "affine"
    w.line(f"{dialect}.store {value}, {buffer.name}[{', '.join(indices)}] : {buffer.type}")


def another_name(w, buffer, others):
    """The same memory by another value."""
    name = w.fresh("b")
    same = [b for b in others if b.type == buffer.type and b != buffer]
    if same and w.rng.chance(0.6):
        w.line(f"{name} = arith.select %yes, {buffer.name}, {w.rng.pick(same).name} : {buffer.type}")
    else:
        w.line(f"{name} = memref.assume_alignment {buffer.name}, 4 : {buffer.type}")
    return replace(buffer, name=name)


def size(w, buffer):
    name = w.fresh("d")
    w.line(f"{name} = memref.dim {buffer.name}, %x{w.rng.below(len(buffer.dims))} : {buffer.type}")
    return name


def fact(w, buffer):
    """A number that tells of the buffer and not of what is in it: a size, or what is left of its address."""
    if buffer.dims and w.rng.chance(0.7):
        number = size(w, buffer)
    else:
        address, number = w.fresh(), w.fresh()
        w.line(f"{address} = memref.extract_aligned_pointer_as_index {buffer.name} : {buffer.type} -> index")
        w.line(f"{number} = arith.remui {address}, {address} : index")
    result = w.fresh()
    w.line(f"{result} = arith.index_cast {number} : index to i32")
    return result


def sum_natural(var, offset):
    return var.name if offset == 0 else f"{var.name} + {offset}" if offset > 0 else f"{var.name} - {-offset}"


# ---- Nests.


class Nest:
    def __init__(self, program, rng, number, readable):
        self.program, self.rng, self.readable = program, rng, readable
        self.w = Writer(rng, f"{number}")
        self.w.scf = rng.chance(0.12)

    def bound(self, size):
        """A size from outside, or of a buffer that is asked inside of another loop."""
        alike = [(b, k) for b in self.readable for k, d in enumerate(b.dims) if b.dynamic and d == size]
        if self.w.depth == 2 or not alike or self.rng.chance(0.7):
            return self.program.sizes[size]
        b, k = self.rng.pick(alike)
        name = self.w.fresh("d")
        self.w.line(f"{name} = memref.dim {b.name}, %x{k} : {b.type}")
        return name

    def loop(self, var, size, dynamic, step=1):
        self.w.loop(var.name, var.low, self.bound(size) if dynamic else var.high, step)

    def variables(self, target, full):
        """A loop variable per dimension of the target, and the offset at which it indexes."""
        result = []
        for size in target.dims:
            low, high, offset = 0, size, 0
            if not target.dynamic and not full and self.rng.chance(0.25):
                low = self.rng.below(size)
                high = low + (0 if self.rng.chance(0.04) else 1 + self.rng.below(size - low))
            if not target.dynamic and self.rng.chance(0.12):
                offset = self.rng.between(-2, 2)
            result.append((Var(self.w.fresh("i"), low - offset, high - offset), offset))
        return result

    def source(self):
        return self.rng.pick(self.readable)

    def loads(self, loops, natural, at_most=3):
        values = []
        for _ in range(self.rng.below(at_most) + (1 if self.rng.chance(0.8) else 0)):
            b = self.source()
            if self.rng.chance(0.06):
                b = another_name(self.w, b, self.readable)
            values.append(self.guarded_load(b, place(self.rng, b, loops, natural), loops))
        if values and self.rng.chance(0.05):
            values.append(fact(self.w, self.source()))
        return values

    def guarded_load(self, buffer, indices, loops):
        w = self.w
        if not loops or w.scf or not self.rng.chance(0.08):
            return load(w, buffer, indices)
        var = self.rng.pick(loops)
        cut = self.rng.between(var.low, var.high)
        other, result = w.constant(self.rng.below(50)), w.fresh()
        w.open(f"{result} = affine.if affine_set<(d0) : (d0 - {cut} >= 0)>({var.name}) -> i32 {{"
               .replace("- -", "+ "))
        w.line(f"affine.yield {load(w, buffer, indices)} : i32")
        w.close("} else {")
        w.depth += 1
        w.line(f"affine.yield {other} : i32")
        w.close()
        return result

    def guarded_store(self, value, target, indices, loops, full):
        w = self.w
        if full or not loops or w.scf or not self.rng.chance(0.1):
            return store(w, value, target, indices)
        var = self.rng.pick(loops)
        cut = self.rng.between(var.low, var.high)
        w.open(f"affine.if affine_set<(d0) : (d0 - {cut} >= 0)>({var.name}) {{".replace("- -", "+ "))
        store(w, value, target, indices)
        w.close()

    def emit(self, target, full):
        """A nest that writes the target: all of it, if `full`."""
        rng, w = self.rng, self.w
        if not full and target.dims and not target.dynamic and rng.chance(0.25):
            return self.emit_perfect(target)
        pairs = self.variables(target, full)
        natural = [Var(sum_natural(v, o), v.low + o, v.high + o) for v, o in pairs]
        indices = [n.name for n in natural]
        order = list(range(len(pairs)))
        if rng.chance(0.3):
            for k in range(len(order) - 1, 0, -1):
                j = rng.below(k + 1)
                order[k], order[j] = order[j], order[k]
        outer = []
        for position, k in enumerate(order):
            var, _ = pairs[k]
            step = 2 if not full and not target.dynamic and rng.chance(0.06) else 1
            self.loop(var, target.dims[k], target.dynamic, step)
            outer.append(var)
            if position + 1 < len(order) and rng.chance(0.1):
                self.side_effect(outer)
        kind = rng.weighted([("elementwise", 6), ("reduction", 3), ("carried", 2), ("in-place", 1)])
        plain = [v for v, o in pairs]
        same = [v if o == 0 else None for v, o in pairs]
        if kind == "elementwise" or (full and kind == "in-place"):
            values = self.loads(outer, same) or [w.constant(rng.below(99))]
            self.guarded_store(w.mix(values), target, indices, outer, full)
            if rng.chance(0.12):
                self.side_effect(outer)
        elif kind == "in-place":
            values = [load(w, target, indices)] + self.loads(outer, same)
            self.guarded_store(w.mix(values), target, indices, outer, full)
        elif kind == "reduction":
            if full or rng.chance(0.5):
                first = self.loads(outer, same, 1) or [w.constant(rng.below(99))]
                store(w, first[0], target, indices)
            k = Var(w.fresh("k"), 0, 1 + rng.below(4))
            self.loop(k, k.high, False)
            values = [load(w, target, indices)] + self.loads(outer + [k], same)
            self.guarded_store(w.mix(values), target, indices, outer + [k], False)
            w.close()
            if rng.chance(0.2):
                values = [load(w, target, indices)] + self.loads(outer, same, 1)
                store(w, w.mix(values), target, indices)
        else:
            k = Var(w.fresh("k"), 0, 1 + rng.below(4))
            init = (self.loads(outer, same, 1) or [w.constant(rng.below(99))])[0]
            result, carried = w.fresh(), w.fresh("s")
            w.loop(k.name, 0, k.high, carried=(result, carried, init))
            w.end_carrying(w.mix([carried] + (self.loads(outer + [k], same) or [w.constant(3)])))
            store(w, result, target, indices)
        for _ in plain:
            w.close()
        return "\n".join(w.lines)

    def emit_perfect(self, target):
        """A perfect nest in place: over neighbours, or a sum whose loop stands anywhere."""
        rng, w = self.rng, self.w
        if rng.chance(0.5):
            steps = [rng.between(-1, 1) for _ in target.dims]
            loops = [Var(w.fresh("i"), max(0, -o), d - max(0, o)) for d, o in zip(target.dims, steps)]
            others = [[sum_natural(v, o) for v, o in zip(loops, steps)]]
        else:
            loops = [Var(w.fresh("i"), 0, d) for d in target.dims]
            others = []
        same = list(loops)
        order = list(loops)
        for _ in range(1 if others and rng.chance(0.7) else 1 + rng.below(2)):
            if not others:
                order.insert(rng.below(len(order) + 1), Var(w.fresh("k"), 0, 1 + rng.below(4)))
        if rng.chance(0.4):
            order.reverse()
        for var in order:
            self.loop(var, 0, False)
        values = [load(w, target, place) for place in others + [[v.name for v in loops]]]
        values += self.loads(order, same)
        store(w, w.mix(values), target, [v.name for v in loops])
        for _ in order:
            w.close()
        return "\n".join(w.lines)

    def side_effect(self, loops):
        """Writes something else, where it happens to fit."""
        writable = self.program.written
        if not writable:
            return
        b = self.rng.pick(writable)
        indices = place(self.rng, b, loops, loops)
        values = self.loads(loops, loops, 1) or [self.w.constant(7)]
        store(self.w, self.w.mix(values), b, indices)


# ---- Programs.


def new_buffer(rng, name, sizes, dynamic):
    rank = rng.weighted([(1, 3), (2, 5), (3, 2)])
    if rng.chance(0.03) and not dynamic:
        rank = 0
    return Buffer(name, tuple(rng.pick(sizes) for _ in range(rank)), dynamic)


def generate(seed):
    rng = Rng(seed * 7919 + 17)
    dynamic = rng.chance(0.2)
    sizes = [1 + rng.below(6) for _ in range(2)] if rng.chance(0.8) else [4]
    p = Program(f"p{seed}", [], [])
    p.aliased = rng.chance(0.15)
    first_dims = [sizes[0], sizes[-1]]
    p.args.append(Buffer("%a0", tuple(first_dims), dynamic))
    for k in range(1, 1 + rng.below(3)):
        shape = p.args[0].dims if p.aliased else new_buffer(rng, "", sizes, dynamic).dims
        p.args.append(Buffer(f"%a{k}", shape, dynamic))
    if dynamic:
        p.sizes = {size: f"%n{k}" for k, size in reversed(list(enumerate(first_dims)))}
    for k in range(2 + rng.below(4)):
        b = new_buffer(rng, f"%t{k}", sizes, dynamic)
        if p.local and rng.chance(0.5):
            b = Buffer(b.name, rng.pick(p.local + p.args).dims, dynamic)
        p.local.append(b)
    p.written = []  # buffers all of whose cells are written
    p.written += [a for a in p.args if rng.chance(0.7)]
    readable, number = list(p.args), 0
    for b in p.local:
        for _ in range(rng.below(3)):
            number += 1
            step(p, rng, number, readable)
        number += 1
        p.steps.append(Nest(p, rng, number, readable).emit(b, full=True))
        if b == p.local[-1] or not rng.chance(0.15):  # or else it is only written
            readable.append(b)
        p.written.append(b)
    for _ in range(1 + rng.below(4)):
        number += 1
        step(p, rng, number, readable)
    if rng.chance(0.4):
        p.returned = p.local[-1]
    return p


def step(p, rng, number, readable):
    if not p.written:
        return
    target = rng.pick(p.written)
    kind = rng.weighted([("nest", 12), ("copy", 1), ("call", 0.4), ("access", 0.6), ("result", 1), ("name", 1)])
    w = Writer(rng, f"{number}")
    if kind == "copy":
        same = [b for b in readable if b.dims == target.dims and b != target]
        if same and p.args[0].name != "" and not p.aliased:
            p.steps.append(f"    memref.copy {rng.pick(same).name}, {target.name} : {target.type} to {target.type}")
            return
    elif kind == "call" and len(target.dims) == 2 and not target.dynamic and p.bump in (None, target.type):
        p.steps.append(f"    call @{p.name}_bump({target.name}) : ({target.type}) -> ()")
        p.bump = target.type
        return
    elif kind == "access" and not target.dynamic:
        b = rng.pick(readable)
        zeros = w.fresh("z")
        w.line(f"{zeros} = arith.constant 0 : index")
        value = w.mix([load(w, b, [zeros] * len(b.dims))])
        store(w, value, target, [zeros] * len(target.dims))
        p.steps.append("\n".join(w.lines))
        return
    elif kind == "name":
        named = another_name(w, target, p.written)
        zeros = w.fresh("z")
        w.line(f"{zeros} = arith.constant 0 : index")
        value = w.mix([load(w, named, [zeros] * len(named.dims)), fact(w, rng.pick(readable))])
        store(w, value, named, [zeros] * len(named.dims))
        p.steps.append("\n".join(w.lines))
        return
    elif kind == "result" and not target.dynamic and len(target.dims):
        source = rng.pick([b for b in readable if b.dims] or [target])
        if source.dims and not source.dynamic:
            p.steps.append(result_nest(w, rng, source, target))
            return
    p.steps.append(Nest(p, rng, number, readable).emit(target, full=False))


def result_nest(w, rng, source, target):
    """A top-level loop with a result, which is stored after it."""
    init, result, carried = w.constant(rng.below(99)), w.fresh(), w.fresh("s")
    variables = [Var(w.fresh("i"), 0, d) for d in source.dims]
    inner = []
    for k, v in enumerate(variables):
        start = init if k == 0 else inner[-1][1]
        name = (w.fresh(), w.fresh("s"))
        w.open(f"{name[0]} = affine.for {v.name} = 0 to {v.high} iter_args({name[1]} = {start}) -> (i32) {{")
        inner.append(name)
    value = w.mix([inner[-1][1], load(w, source, [v.name for v in variables])])
    for k in range(len(variables) - 1, -1, -1):
        w.line(f"affine.yield {value} : i32")
        w.close()
        value = inner[k][0]
    zero = w.fresh("z")
    w.line(f"{zero} = arith.constant 0 : index")
    w.line(f"memref.store {value}, {target.name}[{', '.join([zero] * len(target.dims))}] : {target.type}")
    return "\n".join(w.lines)


def text(p, steps=None):
    """The functions of a program; with `steps`, only these."""
    result = f" -> {p.returned.type}" if p.returned else ""
    params = ", ".join(f"{b.name}: {b.type}" for b in p.args)
    types = ", ".join(b.type for b in p.args)
    inner = p.name + "_f0" if p.aliased else p.name
    lines = []
    if p.bump:
        lines += bump(p)
    if p.aliased:
        names = [p.args[0].name if k else p.args[0].name for k, _ in enumerate(p.args)]
        lines.append(f"  func.func @{p.name}({params}){result} attributes {{llvm.emit_c_interface}} {{")
        call = f"func.call @{inner}({', '.join(names)}) : ({types}){result or ' -> ()'}"
        lines.append(f"    %r = {call}" if result else f"    {call}")
        lines += [f"    return %r : {p.returned.type}" if result else "    return", "  }"]
    lines.append(f"  func.func @{inner}({params}){result}"
                 + ("" if p.aliased else " attributes {llvm.emit_c_interface}") + " {")
    lines += [f"    %x{k} = arith.constant {k} : index" for k in range(3)]
    lines.append("    %yes = arith.cmpi eq, %x1, %x1 : index")
    for k, (size, name) in enumerate(p.sizes.items()):
        lines.append(f"    %d{k} = arith.constant {p.args[0].dims.index(size)} : index")
        lines.append(f"    {name} = memref.dim {p.args[0].name}, %d{k} : {p.args[0].type}")
    for b in p.local:
        sizes = ", ".join(p.sizes[d] for d in b.dims) if b.dynamic else ""
        lines.append(f"    {b.name} = memref.alloc({sizes}) : {b.type}")
    lines += p.steps if steps is None else [p.steps[k] for k in steps]
    lines += [f"    memref.dealloc {b.name} : {b.type}" for b in p.local if b != p.returned]
    lines += [f"    return {p.returned.name} : {p.returned.type}" if p.returned else "    return", "  }"]
    return "\n".join(lines)


def bump(p):
    return [f"  func.func @{p.name}_bump(%b: {p.bump}) {{",
            "    %z = arith.constant 0 : index", "    %k = arith.constant 5 : i32",
            f"    %v = memref.load %b[%z, %z] : {p.bump}", "    %w = arith.muli %v, %k : i32",
            f"    memref.store %w, %b[%z, %z] : {p.bump}", "    return", "  }"]  # fmt: skip
