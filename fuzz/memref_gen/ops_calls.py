# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls to functions of the module, and what leaves the module's sight."""

from fuzz.memref_gen import knobs, ops_results, tree
from fuzz.memref_gen.actions import action
from fuzz.memref_gen.emit import emits
from fuzz.memref_gen.memtypes import ELEMENTS, MemRef, count
from fuzz.memref_gen.ops_control import arguments_only
from fuzz.memref_gen.ops_memory import allocate, filled, write
from fuzz.memref_gen.scope import Scope, apart
from fuzz.memref_gen.tree import Block, Function, roots
from fuzz.memref_gen.yields import Exchange, give_back

# What a callee does with its first argument, besides working on it.
KINDS = [
    ("work", 4),  # returns nothing
    ("give", 2),  # returns one of its arguments
    ("make", 2),  # returns a fresh buffer, which the caller frees
    ("eat", 1),  # frees it
    ("again", 1),  # calls itself
    ("mixed", 2),  # returns a fresh buffer or an argument: where nothing is owned
]

GIVING = {"mixed", "deep", "several"}

# Of later seeds.
MORE = [
    ("deep", 4),  # calls itself, and returns what that gives, or a fresh buffer
    ("several", 4),  # returns two
    ("grown", 6),  # gives its first argument back, or frees it and gives another buffer
    ("into", 6),  # writes all of its first argument before it reads any
    ("shared", 6),  # returns a fresh buffer, and it once more or a part of it
]

EATING = {"eat", "grown"}  # owns its first argument
OUTSIDE = {"work", "make", "into"}  # what may be called from outside, or by its address


def grow_callees(gen):
    if not gen.allows("call"):
        return
    known = gen.rng.between(0, 3)
    for i in range(known):
        kind = gen.rng.weighted(KINDS + [k for k in MORE if gen.allows(k[0])])
        if kind in EATING and not gen.allows("moves"):
            kind = "work"
        if kind == "mixed" and not gen.unowned:
            kind = "make"
        gen.callees.append((grow_callee(gen, f"f{i}", kind), kind))
    if gen.allows("tower"):
        known = grow_tower(gen, known)
    if gen.allows("indirect"):
        known = grow_twin(gen, known)
    if gen.allows("around"):
        types = gen.type(), gen.type()
        names = f"f{known}", f"f{known + 1}"
        pair = [grow_callee(gen, a, "around", types, b) for a, b in (names, names[::-1])]
        gen.callees += [(function, "around") for function in pair]


def grow_tower(gen, known):
    """Functions that each call some of those before, in a program of many calls. Gives how many there are then."""
    gen.weights["call"] *= 5
    for i in range(known, known + gen.rng.between(2, 5)):
        kind = gen.rng.weighted([("work", 4), ("into", 2), ("make", 2), ("again", 1)])
        gen.callees.append((grow_callee(gen, f"f{i}", kind, calls=gen.rng.between(1, 2)), kind))
    return i + 1


def grow_twin(gen, known):
    """A function that can be called in the place of another."""
    models = [(f, kind) for f, kind in gen.callees if kind in OUTSIDE]
    if not models:
        return known
    model, kind = gen.rng.pick(models)
    types = [v.type for v in model.body.args[:2]]
    gen.callees.append((grow_callee(gen, f"f{known}", kind, types), kind))
    return known + 1


def grow_callee(gen, name, kind, types=None, other=None, calls=0):
    first, second = types or (gen.type(), gen.type())
    eaten = kind in EATING
    goal = gen.owned(first) if eaten else gen.value(first, whole=True)
    source = gen.value(second, whole=True)
    scalars = [gen.value(t) for t in ("i1", "index", "i64")]
    gen.symbols.add(scalars[1])
    function = Function(name, Block(args=[goal, source] + scalars))
    gen.program.functions.append(function)
    gen.function = function
    gen.out = source if eaten or not count(goal.dims) else goal
    if kind in ("work", "give"):
        function.traits.add("leave")
    if kind in ("give", "grown"):
        function.results = [first]
    if kind in ("make", "mixed", "deep"):
        function.results = [second]
    if kind == "several":
        function.results = [first, second]
    if kind == "shared":
        ops_results.add(function, second, lambda scope, given: ops_results.fresh(gen, scope, second))
        ops_results.beside(gen, function, 0)
    if kind in GIVING:
        function.traits |= {"leave", "fresh"}
    scope = Scope(gen, None, function.body, "func")
    if kind in OUTSIDE and gen.allows("open") and gen.rng.chance(0.3):
        function.traits.add("open")
    if kind == "into" and count(goal.dims):
        scope.written.remove(goal)
        write(gen, scope, goal)
    gen.left = gen.rng.between(1, 8)
    for _ in range(calls):
        grow_call(gen, scope)
    if kind in ("again", "around"):
        grow_again(gen, scope, function, other)
    if kind == "deep":
        grow_deep(gen, scope, function)
    gen.grow(scope, gen.left)
    gen.finish(scope)
    if kind == "give":
        found = scope.find(lambda v: v.type == first and v.dims == first.shape
                           and arguments_only(gen, v))  # fmt: skip
        function.body.yields = [found]
    if kind == "grown":
        function.body.yields = [grow_grown(gen, scope, function)]
    if kind == "make":
        function.body.yields = [ops_results.fresh(gen, scope, second)]
    if kind in GIVING or kind == "shared":
        function.body.yields = give_back(gen, scope)
    return function


def given_by(gen, type, arguments):
    """A result of a function that gives fresh buffers, or, where nothing is owned, what it is given."""
    if not gen.unowned:
        return gen.owned(type)
    made = gen.value(type, whole=True)  # no statement makes it, the callee does
    made.constant = copies(gen)
    return gen.value(type, dims=type.shape, alias_of=[*arguments, made])


def copies(gen):
    """A function that gives an argument on one way and its own buffer on another gives a copy of
    the argument when deallocation is done with it: neither side may be written from then on."""
    return gen.unowned and gen.program.seed >= knobs.SINCE


def freeze(values):
    for value in values:
        for root in roots(value):
            root.constant = True


def grow_deep(gen, scope, function):
    """What a call of the function by itself gives, or something else."""
    goal, source, flag, depth, word = function.body.args
    gen.left += 6
    exchange = Exchange(gen, function.results[0])
    deeper, other = gen.region(scope), gen.region(scope)
    less, inner = gen.value("index"), given_by(gen, exchange.type, [goal, source])
    deeper.add("less", [depth], [less])
    deeper.add("call", [goal, source, flag, less, word], [inner], callee=function.name)
    deeper.written.add(inner)
    if copies(gen):
        freeze([goal, source])
    for arm in (deeper, other):
        gen.grow(arm, gen.rng.between(1, 2))
        gen.finish(arm)
        arm.block.yields = [exchange.give(arm)]
    more, result = gen.value("i1"), exchange.result(deeper.block.yields + other.block.yields)
    scope.add("positive", [depth], [more])
    scope.add("if", [more], [result], [deeper.block, other.block])
    scope.written.add(result)


def grow_grown(gen, scope, function):
    """The first argument in one arm and another buffer in the other one, if it is still there."""
    goal, _, flag = function.body.args[:3]
    exchange = Exchange(gen, goal.type)
    if goal not in scope.mine():
        return exchange.give(scope)
    gen.left += 6
    arms = [gen.region(scope, adopts=[goal], blocks_allowed=scope.blocks_allowed) for _ in range(2)]
    same = gen.rng.below(2)
    for i, arm in enumerate(arms):
        gen.grow(arm, gen.rng.between(0, 2))
        gen.finish(arm)
        back = i == same and goal in arm.mine()
        arm.block.yields = [goal if back else exchange.give(arm)]
        if back:
            arm.take(goal)
    result = exchange.result([arm.block.yields[0] for arm in arms])
    style = {"style": "cf"} if scope.blocks_allowed and gen.rng.chance(0.5) else {}
    scope.add("if", [flag], [result], [arm.block for arm in arms], [goal], **style)
    scope.written.add(result)
    scope.take(result)
    return result


def grow_again(gen, scope, function, other):
    """A buffer that lives across a call of the function by itself, or by another that calls it and is
    given that buffer."""
    goal, source, flag, depth, word = function.body.args
    gen.left += 6
    mine = filled(gen, scope, source.type if other else gen.type())
    if other and gen.rng.chance(0.7):
        source = mine
    deeper = gen.region(scope)
    less = gen.value("index")
    deeper.add("less", [depth], [less])
    # The callee may write its arguments: sources stay readable for it.
    deeper.add(way(gen, 0.3), [goal, source, flag, less, word], callee=other or function.name)
    more = gen.value("i1")
    scope.add("positive", [depth], [more])
    scope.add("if", [more], [], [deeper.block, gen.region(scope).block])
    if scope.full(mine):
        scope.add("sink", [goal, mine] if count(goal.dims) else [mine, mine], factor=3, term=5, shift=1)


@emits("less")
def emit_less(e, s):
    small = e.let(f"arith.minsi {s.operands[0]}, {e.constant(2)} : index")
    e.line(f"{s.results[0]} = arith.subi {small}, {e.constant(1)} : index")


@emits("positive")
def emit_positive(e, s):
    e.line(f"{s.results[0]} = arith.cmpi sgt, {s.operands[0]}, {e.constant(0)} : index")


def argument(gen, scope, type, accept):
    """A value in sight of this type, or a new one."""
    found = scope.find(lambda v: v.type == type and v.dims == type.shape and accept(v))
    return found if found and gen.rng.chance(0.8) else filled(gen, scope, type)


@action("call")
def grow_call(gen, scope):
    known = [c for c in gen.callees if c[0] is not gen.function]
    if not known:
        return False
    callee, kind = gen.rng.pick(known)
    first, second = (v.type for v in callee.body.args[:2])
    if kind == "into" and gen.rng.chance(0.7):
        goal = allocate(gen, scope, first)
    elif kind in EATING:
        mine = [v for v in scope.mine() if v.type == first and scope.readable(v)]
        goal = gen.rng.pick(mine) if mine else filled(gen, scope, first)
    elif kind in GIVING and copies(gen):
        goal = filled(gen, scope, first)
    else:
        goal = argument(gen, scope, first, lambda v: scope.readable(v) and scope.writable(v))
    if kind in GIVING and copies(gen):
        source = filled(gen, scope, second)
    else:
        source = argument(
            gen, scope, second, lambda v: scope.readable(v) and scope.writable(v) and apart(v, goal)
        )
    scalars = [scope.scalar(t) for t in ("i1", "index", "i64")]
    if None in scalars:
        return False
    results = []
    if kind == "give":
        results = [gen.value(first, dims=first.shape, alias_of=[goal, source])]
    if kind in ("make", "shared"):
        results = [gen.owned(second)]
    if kind == "shared":  # the second is a clone when deallocation is done with it: neither may be written
        type = callee.results[1]
        results.append(gen.value(type, dims=type.shape, whole=type == second, alias_of=results[:1]))
        freeze(results)
    if kind == "grown":
        results = [gen.owned(first)]
    if kind in GIVING:
        results = [given_by(gen, type, [goal, source]) for type in callee.results]
    how = way(gen, 0.4) if kind in OUTSIDE else "call"
    scope.add(how, [goal, source] + scalars, results, moves=[goal] if kind in EATING else [],
              callee=callee.name, **(other_than(gen, callee, kind) if how == "indirect" else {}))  # fmt: skip
    scope.written |= set(results)
    if kind == "into":
        scope.wrote_all(goal)
    if kind in GIVING and copies(gen):
        freeze([goal, source])
    return True


def way(gen, share):
    """How a function is called."""
    return "indirect" if gen.allows("indirect") and gen.rng.chance(share) else "call"


def other_than(gen, callee, kind):
    """Another function of its kind that the address may be of, if there is one."""
    like = [f.name for f, k in gen.callees if k == kind and f not in (callee, gen.function) and alike(f, callee)]
    return {"other": gen.rng.pick(like)} if like else {}


def alike(a, b):
    types = [([v.type for v in f.body.args], f.results) for f in (a, b)]
    return types[0] == types[1]


@emits("call")
def emit_call(e, s):
    e.call(s, s.operands)


@emits("indirect")
def emit_indirect(e, s):
    """The third operand of all functions that are called so is an i1."""
    type = e.signature(s, s.operands)
    address, *others = (e.let(f"func.constant {e.callee(name)} : {type}") for name in tree.callees(s))
    for other in others:
        address = e.let(f"arith.select {s.operands[2]}, {address}, {other} : {type}")
    names = ", ".join(map(str, s.operands))
    e.line(f"{e.results(s)}func.call_indirect {address}({names}) : {type}")


# ---- Out of sight.


def byte_row(v):
    return (v.type.element.text == "i8" and v.type.rank == 1 and v.type.space == 0
            and v.type.layout is None)  # fmt: skip


def as_bytes(e, value):
    if str(value.type) == "memref<?xi8>":
        return str(value)
    return e.let(f"memref.cast {value} : {value.type} to memref<?xi8>")


@action("touch")
def grow_touch(gen, scope):
    goal = scope.find(lambda v: byte_row(v) and scope.readable(v) and scope.writable(v))
    word = scope.scalar("i64")
    if not goal or not word:
        return False
    scope.add("touch", [goal, word])
    return True


@emits("touch")
def emit_touch(e, s):
    goal, word = s.operands
    e.line(f"func.call @stow_fuzz_touch({as_bytes(e, goal)}, {word}) : (memref<?xi8>, i64) -> ()")


@action("keep")
def grow_keep(gen, scope):
    """A buffer that a function without a body remembers and reads later."""
    if gen.function.name != "main" or scope.writable_only is not None or scope.beside or gen.keeping:
        return False
    gen.keeping = True
    made = filled(gen, scope, MemRef((gen.rng.between(4, 60),), ELEMENTS["i8"]))
    scope.add("keep", [made])
    gen.grow(scope, gen.rng.between(1, 4))
    gen.keeping = False
    if not scope.readable(made):
        return True
    later = gen.allows("revise") and scope.scalar("i64")
    if later and scope.writable(made):
        scope.add("revise", [made, later])
        return True
    word = gen.value("i64")
    scope.add("recall", [made], [word])
    if scope.writable(gen.out):
        scope.add("note", [gen.out, word], shift=gen.rng.below(50))
    return True


@emits("keep")
def emit_keep(e, s):
    e.line(f"func.call @stow_fuzz_keep({as_bytes(e, s.operands[0])}) : (memref<?xi8>) -> ()")


@emits("revise")
def emit_revise(e, s):
    e.line(f"func.call @stow_fuzz_revise({s.operands[1]}) : (i64) -> ()")


@emits("recall")
def emit_recall(e, s):
    e.line(f"{s.results[0]} = func.call @stow_fuzz_recall() : () -> i64")


@emits("note")
def emit_note(e, s):
    goal, word = s.operands
    where = [e.constant(s.attrs["shift"] % d) for d in goal.dims]
    e.store(e.mix(e.load(goal, where), word, 5, 7), goal, where)


@action("pointer")
def grow_pointer(gen, scope):
    """A buffer whose address is taken and read through later."""
    source = scope.find(lambda v: scope.full(v) and v.type.plain and v.type.space == 0 and v.whole)
    if source is None:
        return False
    # Not of type index: nothing else may take it for a small number.
    address = gen.value("address")
    scope.add("address", [source], [address])
    gen.grow(scope, gen.rng.between(1, 4))
    if not scope.readable(source):
        return True
    word = gen.value("i64")
    scope.add("peek", [address, source], [word])
    if scope.writable(gen.out) and count(gen.out.dims):
        scope.add("note", [gen.out, word], shift=gen.rng.below(50))
    return True


@action("poke")
def grow_poke(gen, scope):
    """A buffer that is written through its address, when it may have got other names."""
    source = scope.find(lambda v: v.type.element.text in ("i8", "i32", "i64") and scope.full(v)
                        and scope.writable(v) and v.type.plain and v.type.space == 0 and v.whole
                        and count(v.dims))  # fmt: skip
    if source is None:
        return False
    address = gen.value("address")
    scope.add("address", [source], [address])
    gen.grow(scope, gen.rng.between(1, 4))
    word = scope.scalar("i64")
    if word and scope.readable(source) and scope.writable(source):
        scope.add("poke", [address, source, word])
        gen.grow(scope, gen.rng.between(1, 3))
    return True


@emits("poke")
def emit_poke(e, s):
    e.line(f"func.call @stow_fuzz_poke({s.operands[0]}, {s.operands[2]}) : (index, i64) -> ()")


@action("echo")
def grow_echo(gen, scope):
    """A function without a body that gives back what it is given. For all that is known it writes to
    it, too, so iterations that run beside each other do not share it."""
    source = scope.find(lambda v: byte_row(v) and scope.readable(v) and scope.writable(v))
    if source is None:
        return False
    type = MemRef((None,), ELEMENTS["i8"])
    scope.add("echo", [source], [gen.value(type, dims=source.dims, alias_of=[source])])
    return True


@emits("echo")
def emit_echo(e, s):
    given = as_bytes(e, s.operands[0])
    e.line(f"{s.results[0]} = func.call @stow_fuzz_echo({given}) : (memref<?xi8>) -> memref<?xi8>")


@emits("address")
def emit_address(e, s):
    source = s.operands[0]
    e.line(f"{s.results[0]} = memref.extract_aligned_pointer_as_index {source} : {source.type} -> index")


@emits("peek")
def emit_peek(e, s):
    e.line(f"{s.results[0]} = func.call @stow_fuzz_peek({s.operands[0]}) : (index) -> i64")


@action("stash")
def grow_stash(gen, scope):
    """A buffer that waits in a memref of memrefs."""
    source = scope.find(lambda v: scope.readable(v) and v.type.plain)
    if source is None:
        return False
    box = gen.owned(f"memref<1x{source.type}>")
    scope.add("stash", [source], [box])
    gen.grow(scope, gen.rng.between(1, 3))
    if scope.readable(source):
        scope.add("unstash", [box, source], [gen.twin(source, alias_of=[source])])
    return True


@emits("stash")
def emit_stash(e, s):
    source, box = s.operands[0], s.results[0]
    e.line(f"{box} = memref.alloc() : {box.type}")
    e.line(f"memref.store {source}, {box}[{e.constant(0)}] : {box.type}")


@emits("unstash")
def emit_unstash(e, s):
    box = s.operands[0]
    e.line(f"{s.results[0]} = memref.load {box}[{e.constant(0)}] : {box.type}")
