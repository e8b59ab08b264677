# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A task, and what runs beside it until it is awaited.

Both sides are regions of one statement, so that a buffer which either uses is
freed after the await. Each writes one buffer from outside that the other side
does not touch, and reads what it likes."""

from fuzz.memref_gen.actions import action
from fuzz.memref_gen.emit import emits
from fuzz.memref_gen.ops_control import DEPTH
from fuzz.memref_gen.tree import roots


@action("async")
def grow_async(gen, scope):
    if scope.depth >= DEPTH or scope.beside or gen.keeping:
        return False
    goal = scope.find(lambda v: scope.writable(v) and scope.full(v) and not any(r.stack for r in roots(v)))
    if goal is None:
        return False
    seen = gen.collector(scope)
    task = gen.region(scope)
    task.gone.add(seen)
    task.writable_only, task.beside = set(roots(goal)), True
    task.goal = goal
    gen.grow(task, gen.inner(scope, 0.4))
    gen.finish(task)
    meanwhile = gen.region(scope)
    meanwhile.writable_only, meanwhile.goal = {seen}, seen
    meanwhile.gone |= roots(goal)
    gen.grow(meanwhile, gen.inner(scope, 0.4))
    gen.finish(meanwhile)
    scope.add("async", [goal], [], [task.block, meanwhile.block])
    gen.sink(scope, seen)
    return True


def awaits_it(e, token):
    e.line(f"async.await {token} : !async.token")


def in_both_arms(e, token):
    e.line(f"scf.if {e.constant(1, 'i1')} {{")
    awaits_it(e, token)
    e.line("} else {")
    awaits_it(e, token)
    e.line("}")


def through_an_if(e, token):
    """One arm gives the token itself, the other one that of work behind it."""
    chosen = e.temporary()
    e.line(f"{chosen} = scf.if {e.constant(1, 'i1')} -> (!async.token) {{")
    e.line(f"scf.yield {token} : !async.token")
    e.line("} else {")
    behind = e.temporary()
    e.line(f"{behind} = async.execute [{token}] {{")
    e.line("async.yield")
    e.line("}")
    e.line(f"scf.yield {behind} : !async.token")
    e.line("}")
    awaits_it(e, chosen)


def emit_straight(e, task, meanwhile, wait):
    token = emit_task(e, task)
    emit_beside(e, meanwhile)
    wait(e, token)


def emit_pipelined(e, task, meanwhile):
    """A loop that waits in each turn for the task of the turn before."""
    first = emit_task(e, task)
    carried, last = e.temporary(), e.temporary()
    bounds = f"{e.constant(0)} to {e.constant(2)} step {e.constant(1)}"
    e.line(f"{last} = scf.for {e.temporary()} = {bounds} iter_args({carried} = {first}) -> (!async.token) {{")
    emit_beside(e, meanwhile)
    awaits_it(e, carried)
    e.line(f"scf.yield {emit_task(e, task)} : !async.token")
    e.line("}")
    awaits_it(e, last)


def emit_task(e, task):
    token = e.temporary()
    e.line(f"{token} = async.execute {{")
    e.region(task, "async.yield")
    e.line("}")
    return token


def emit_beside(e, meanwhile):
    allowed, e.blocks_allowed = e.blocks_allowed, None
    e.block(meanwhile)
    e.blocks_allowed = allowed


# No group: async.await_all of the runtime of 22 may return while a worker still uses the group.
WAITS = [awaits_it, in_both_arms, through_an_if]


@emits("async")
def emit_async(e, s):
    task, meanwhile = s.regions
    form = e.temporaries % (len(WAITS) + 1)
    if form < len(WAITS):
        emit_straight(e, task, meanwhile, WAITS[form])
    else:
        emit_pipelined(e, task, meanwhile)
