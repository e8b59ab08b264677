# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ways through: if, switch, execute_region, alloca_scope, early return."""

from fuzz.memref_gen.actions import action
from fuzz.memref_gen.emit import emits
from fuzz.memref_gen.tree import roots
from fuzz.memref_gen.yields import give_back, ways

DEPTH = 3


def branchy(gen, scope):
    """Where blocks may be split, some statements are written as branches."""
    if scope.blocks_allowed and gen.allows("branches") and gen.rng.chance(0.5):
        return scope.blocks_allowed
    return None


def grow_ways(gen, scope, kind, operands, number, **attrs):
    if scope.depth >= DEPTH:
        return False
    style = branchy(gen, scope) if kind in ("if", "switch") else None
    budgets = gen.inner(scope)

    def fill(arm, i):
        gen.grow(arm, max(1, budgets // number))

    regions, results, adopts = ways(gen, scope, number, style, fill)
    if style:
        attrs["style"] = "cf"
    scope.add(kind, operands, results, regions, adopts, **attrs)
    return True


@action("if")
def grow_if(gen, scope):
    choice = scope.scalar("i1")
    return bool(choice) and grow_ways(gen, scope, "if", [choice], 2)


@action("affine_if")
def grow_affine_if(gen, scope):
    known = [v for v in scope.visible() if v.type == "index" and v in gen.symbols]
    return bool(known) and grow_ways(gen, scope, "if", [gen.rng.pick(known)], 2, affine=True)


@action("switch")
def grow_switch(gen, scope):
    choice = scope.scalar("index")
    return bool(choice) and grow_ways(gen, scope, "switch", [choice], gen.rng.between(2, 3))


@action("execute")
def grow_execute(gen, scope):
    if scope.depth >= DEPTH:
        return False

    def fill(arm, i):
        gen.grow(arm, gen.inner(scope))

    regions, results, adopts = ways(gen, scope, 1, "region", fill)
    scope.add("execute", [], results, regions, adopts)
    return True


@action("alloca_scope")
def grow_alloca_scope(gen, scope):
    return grow_ways(gen, scope, "alloca_scope", [], 1)


def as_branches(e, stmt):
    return e.blocks_allowed and stmt.attrs.get("style") == "cf"


def join(e, stmt, label, region, end):
    """One block of a branchy statement, up to its jump to `end`."""
    e.start(label)
    e.block(region)
    if not e.returned(region):
        e.line("cf.br " + e.target(end, region.yields))


@emits("if")
def emit_if(e, s):
    choice = s.operands[0]
    if as_branches(e, s):
        if choice.type == "index":
            choice = e.let(f"arith.cmpi sgt, {choice}, {e.constant(0)} : index")
        yes, no, end = e.label(), e.label(), e.label()
        e.line(f"cf.cond_br {choice}, {yes}, {no}")
        join(e, s, yes, s.regions[0], end)
        join(e, s, no, s.regions[1], end)
        e.start(end, s.results)
        return
    keyword, end = f"scf.if {choice}", "scf.yield"
    if s.attrs.get("affine"):
        keyword, end = f"affine.if affine_set<()[s0] : (s0 - 1 >= 0)>()[{choice}]", "affine.yield"
    e.line(f"{e.results(s)}{keyword}{e.result_types(s)} {{")
    e.yielding(s.regions[0], end)
    e.line("} else {")
    e.yielding(s.regions[1], end)
    e.line("}")


@emits("switch")
def emit_switch(e, s):
    choice, cases, default = s.operands[0], s.regions[:-1], s.regions[-1]
    if as_branches(e, s):
        emit_cf_switch(e, s, choice, cases, default)
        return
    types = ", ".join(str(v.type) for v in s.results)
    e.line(f"{e.results(s)}scf.index_switch {choice}" + (f" -> {types}" if types else ""))
    for i, region in enumerate(cases):
        e.line(f"case {i} {{")
        e.yielding(region)
        e.line("}")
    e.line("default {")
    e.yielding(default)
    e.line("}")


def emit_cf_switch(e, s, choice, cases, default):
    labels, other, end = [e.label() for _ in cases], e.label(), e.label()
    word = e.let(f"arith.index_cast {choice} : index to i64")
    flag = e.let(f"arith.trunci {word} : i64 to i32")
    e.line(f"cf.switch {flag} : i32, [")
    e.line(f"  default: {other}" + "".join(f",\n    {i}: {label}" for i, label in enumerate(labels)))
    e.line("]")
    for label, region in zip(labels + [other], cases + [default]):
        join(e, s, label, region, end)
    e.start(end, s.results)


@emits("execute")
def emit_execute(e, s):
    e.line(f"{e.results(s)}scf.execute_region{e.result_types(s)} {{")
    allowed, loops = e.blocks_allowed, e.loops
    e.blocks_allowed, e.loops = "region", []
    e.depth += 1
    e.block(s.regions[0])
    e.line("scf.yield" + e.typed(s.regions[0].yields))
    e.depth -= 1
    e.blocks_allowed, e.loops = allowed, loops
    e.line("}")


@emits("alloca_scope")
def emit_alloca_scope(e, s):
    e.line(f"{e.results(s)}memref.alloca_scope{e.result_types(s)} {{")
    e.yielding(s.regions[0], "memref.alloca_scope.return")
    e.line("}")


# ---- Leaving early. Both sit alone in one arm of an `if` made of branches.


@action("leave")
def grow_leave(gen, scope):
    """if (c) { a few statements; return } in the function's own blocks."""
    choice = scope.scalar("i1")
    function = gen.function
    if scope.blocks_allowed != "func" or not choice or "leave" not in function.traits:
        return False
    if "fresh" in function.traits:
        return leave_by(gen, scope, choice, "leave", None)
    given = [scope.find(lambda v, t=t: v.type == t and scope.readable(v) and arguments_only(gen, v))
             for t in function.results]  # fmt: skip
    if None in given:
        return False
    return leave_by(gen, scope, choice, "leave", given)


@action("break")
def grow_break(gen, scope):
    choice = scope.scalar("i1")
    if not scope.loop or not scope.blocks_allowed or not choice:
        return False
    return leave_by(gen, scope, choice, "break", [])


def arguments_only(gen, value):
    """Nothing of it is freed when the function is left."""
    return all(r in gen.function.body.args and not r.owned for r in roots(value))


def leave_by(gen, scope, choice, kind, operands):
    """`operands` None: what the function returns is made on the way out."""
    going = gen.region(scope, blocks_allowed=scope.blocks_allowed)
    gen.grow(going, gen.rng.between(1, 3))
    gen.finish(going)
    operands = give_back(gen, going) if operands is None else operands
    going.add(kind, operands)
    going.block.body[-1].moves = [v for v in dict.fromkeys(operands) if v.owned and v in going.gone]
    staying = gen.region(scope, blocks_allowed=scope.blocks_allowed)
    scope.add("if", [choice], [], [going.block, staying.block], style="cf")
    return True


@emits("leave")
def emit_leave(e, s):
    s.attrs["jumped"] = e.blocks_allowed == "func"
    if s.attrs["jumped"]:
        e.free_frames(0)
        e.give_back(s.operands)
    else:
        e.free(s.moves)


@emits("break")
def emit_break(e, s):
    s.attrs["jumped"] = bool(e.loops)
    if s.attrs["jumped"]:
        depth, label, values = e.loops[-1]
        e.free_frames(depth)
        e.line("cf.br " + e.target(label, values))
