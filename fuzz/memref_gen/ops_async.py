# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A task, and what runs beside it until it is awaited.

Both sides are regions of one statement, so that a buffer which either uses is
freed after the await. Each writes one buffer from outside that the other side
does not touch, and reads what it likes."""

from fuzz.memref_gen.emit import emits
from fuzz.memref_gen.grow import action
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


@emits("async")
def emit_async(e, s):
    task, meanwhile = s.regions
    token = e.temporary()
    e.line(f"{token} = async.execute {{")
    e.region(task, "async.yield")
    e.line("}")
    allowed, e.blocks_allowed = e.blocks_allowed, None
    e.block(meanwhile)
    e.blocks_allowed = allowed
    e.line(f"async.await {token} : !async.token")
