# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""From a failing program to a small one that fails in the same way.

Works on the tree: statements are cut out with all that uses them, regions are
replaced by one of their arms, loops run once, frees move to the usual places.
Because deallocs follow from the tree, a cut never makes a leak; a cut that
makes a program read what was never written is seen when the original runs, and
refused. Many cuts are tried in one batch.
"""

import copy

from fuzz import shrinker
from fuzz.memref_gen import check, ops_cfg, tree


def shrink(tools, program, config, failure, say=lambda text: None):
    """The smallest program found that fails with `failure.kind`."""
    return shrinker.smallest(program, lambda p: improve(tools, p, config, failure.kind),
                             lambda p: say(f"shrink: {size(p)} statements"))  # fmt: skip


def size(program):
    return sum(1 for f in program.functions for _ in tree.statements(f.body))


def weight(program):
    """What is made smaller: statements first, then whatever is unusual."""
    odd = 0
    for f in program.functions:
        odd += len(f.body.args) + len(f.body.yields)
        for s in tree.statements(f.body):
            odd += (s.attrs.get("style") == "cf") + len(s.operands) + 2 * len(s.results)
            odd += 2 * bool(s.attrs.get("bounded")) + (s.attrs.get("fixed", 0) > 1)
            odd += 3 * len(s.regions) + sum(map(len, s.attrs.get("targets", ())))
            odd += s.attrs.get("fuel", 0) + len(s.attrs.get("entries", ()))
            odd += sum(v.align > 0 for v in s.results) + sum(v.free not in (0.0, 1.0) for v in s.results)
            odd += sum(0.5 for v in s.results if v.free)
    return size(program) * 100 + odd


def improve(tools, program, config, kind):
    limit, seen = weight(program), set()

    def apply(cut):
        candidate = copy.deepcopy(program)
        if not cut(candidate) or not tidy(candidate) or weight(candidate) >= limit:
            return None
        text = check.emit.program(candidate, "p0")
        known = text in seen
        seen.add(text)
        return None if known else candidate

    return shrinker.best_cut(groups(program), weight, apply, lambda some: still_failing(tools, some, config, kind))


def still_failing(tools, candidates, config, kind):
    programs = {f"p{c.seed}x{i}": c for i, c in enumerate(candidates)}
    original = check.run_original(tools, programs, config.input)
    result = check.check(tools, programs, original, config)
    return [programs[n] for n, f in result.failures.items() if f.kind == kind]


# ---- Cuts. Each is a function of a fresh copy and gives False if it cannot.


def groups(program):
    """Lists of cuts, the bold ones first."""
    total = size(program)
    length = total // 2
    while length >= 1:
        yield [cut_range(i, length) for i in range(0, total, max(1, length // 2))]
        length //= 2
    # In a nest the cuts of the inner statements come last.
    yield [unwrap(i, arm) for i in range(total) for arm in range(3)]
    yield [drop_result(i, k) for i in range(total) for k in range(4)]
    yield [drop_block(i, k) for i in range(total) for k in range(5)]
    yield [drop_way(i, k, way) for i in range(total) for k in range(5) for way in range(4)]
    yield [less_fuel(i) for i in range(total)] + [drop_first(i) for i in range(total)]
    yield [drop_returned(k) for k in range(3)]
    yield [drop_operand(i, k) for i in range(total) for k in range(1, 4)]
    yield [plain(i) for i in range(total)] + [free_all(0.0), free_all(1.0), no_arguments]
    yield [free_one(i) for i in range(total)]


def numbered(program):
    return [s for f in program.functions for s in tree.statements(f.body)]


def blocks(program):
    for f in program.functions:
        yield from tree.blocks(f.body)


def cut_range(first, length):
    def cut(program):
        return remove(program, set(numbered(program)[first : first + length]))

    return cut


def replacement(stmt, result):
    """What may stand for a result when its statement goes."""
    for value in stmt.operands:
        if value.type == result.type and value.dims == result.dims and value is not result:
            if not result.owned or value in stmt.moves:
                return value
    return None


def remove(program, doomed):
    """Removes statements and all that cannot be without them."""
    mapping = {}
    while True:
        lost = set()
        for stmt in doomed:
            taken = set()
            for result in stmt.results:
                other = replacement(stmt, result)
                if other is None or (result.owned and other in taken):
                    lost.add(result)
                else:
                    mapping[result] = other
                    taken.add(other)
            for region in stmt.regions:
                for inner in tree.statements(region):
                    lost.update(inner.results)
        more = {s for s in numbered(program) if s not in doomed and lost & set(s.operands)}
        if not more:
            break
        doomed |= more
    for block in blocks(program):
        block.body = [s for s in block.body if s not in doomed]
    substitute(program, mapping)
    return True


def substitute(program, mapping):
    def final(value):
        while value in mapping:
            value = mapping[value]
        return value

    def all_of(values):
        return [final(v) for v in values]

    for block in blocks(program):
        block.yields = all_of(block.yields)
        block.adopts = all_of(block.adopts)
        for s in block.body:
            s.operands, s.moves = all_of(s.operands), all_of(s.moves)
    for value in every_value(program):
        value.alias_of = all_of(value.alias_of)


def every_value(program):
    for block in blocks(program):
        yield from block.args
        for s in block.body:
            yield from s.results


def unwrap(number, arm):
    """Puts one region of a statement in its place."""

    def cut(program):
        stmt = numbered(program)[number]
        if arm >= len(stmt.regions) or stmt.kind in ("beside", "crowd"):
            return False
        region = stmt.regions[arm]
        mapping = dict(zip(stmt.results, region.yields))
        if stmt.kind in ("for", "while", "maze", "turn"):
            return False
        home = next(b for b in blocks(program) if stmt in b.body)
        at = home.body.index(stmt)
        home.body[at : at + 1] = region.body
        substitute(program, mapping)
        return True

    return cut


def drop_result(number, k):
    """Removes an unused result of a region statement, with what is yielded."""

    def cut(program):
        stmt = numbered(program)[number]
        if k >= len(stmt.results) or not stmt.regions or stmt.kind in ("beside", "crowd", "turn"):
            return False
        result = stmt.results[k]
        used = {v for f in program.functions for s in f.body.body for v in tree.uses(s)}
        used |= {v for b in blocks(program) for v in b.yields + b.adopts}
        if result in used and not result.owned:
            return False
        if result in used:
            return False
        if stmt.kind in ("for", "while"):
            return drop_slot(stmt, k)
        if stmt.kind == "maze":
            return drop_maze_slot(stmt, k)
        for region in stmt.regions:
            del region.yields[k]
        del stmt.results[k]
        return True

    return cut


def drop_slot(stmt, k):
    shift = len(stmt.operands) - len(stmt.results)
    for block in stmt.regions:
        arg, others = block.args[k + 1], block.yields[:k] + block.yields[k + 1 :]
        if arg in others or any(arg in tree.uses(s) for s in block.body):
            return False
        if block.yields[k].owned and block.yields[k] is not arg:
            return False
    for block in stmt.regions:
        del block.args[k + 1], block.yields[k]
    drop_start(stmt, k + shift)
    del stmt.results[k]
    return True


def drop_start(stmt, at):
    start = stmt.operands.pop(at)
    if start in stmt.moves and start not in stmt.operands:
        stmt.moves.remove(start)


# ---- Mazes, and what else has blocks.


def drop_maze_slot(stmt, k):
    slots = len(stmt.results)
    for block in stmt.regions:
        if any(block.args[k + 1] in tree.uses(s) for s in block.body):
            return False
        if any(block.args[k + 1] is v for i, v in enumerate(block.yields) if i % slots != k):
            return False
    for block in stmt.regions:
        block.yields = [v for i, v in enumerate(block.yields) if i % slots != k]
        del block.args[k + 1]
    drop_start(stmt, k + stmt.attrs["choice"])
    del stmt.results[k]
    return True


def drop_block(number, k):
    """Jumps to block k of a maze leave the maze instead."""

    def cut(program):
        stmt = numbered(program)[number]
        if stmt.kind != "maze" or k >= len(stmt.regions) or len(stmt.regions) == 1:
            return False

        def renumber(i):
            return len(stmt.regions) if i == k else i - (i > k)

        del stmt.regions[k]
        targets = [[renumber(i) for i in t] for at, t in enumerate(stmt.attrs["targets"]) if at != k]
        entries = [renumber(i) for i in stmt.attrs["entries"] if i != k] or [0]
        stmt.attrs.update(targets=targets, entries=entries)
        return all_reached(stmt)

    return cut


def drop_way(number, k, way):
    """One jump less from block k of a maze; the last ways are entries."""

    def cut(program):
        stmt = numbered(program)[number]
        if stmt.kind != "maze" or k >= len(stmt.regions):
            return False
        targets, slots = stmt.attrs["targets"][k], len(stmt.results)
        fixed = 0 if stmt.attrs["forward"] else 1
        if len(stmt.attrs["entries"]) > 1 and way == 3:
            del stmt.attrs["entries"][1]
        elif fixed <= way < len(targets) and len(targets) > fixed + 1:
            del targets[way], stmt.regions[k].yields[way * slots : (way + 1) * slots]
        else:
            return False
        return all_reached(stmt)

    return cut


def all_reached(stmt):
    return not ops_cfg.unreached(stmt.attrs["targets"], stmt.attrs["entries"])


def less_fuel(number):
    def cut(program):
        stmt = numbered(program)[number]
        if stmt.attrs.get("fuel", 0) < 2:
            return False
        stmt.attrs["fuel"] //= 2
        return True

    return cut


def drop_first(number):
    """The first region of a while passes on what it gets."""

    def cut(program):
        stmt = numbered(program)[number]
        if stmt.kind != "while" or len(stmt.regions) < 2:
            return False
        del stmt.regions[1]
        return True

    return cut


def drop_returned(k):
    def cut(program):
        main = program.functions[0]
        if k >= len(main.results):
            return False
        del main.results[k], main.body.yields[k]
        for stmt in tree.statements(main.body):
            if stmt.kind == "leave":
                gone = stmt.operands.pop(k)
                stmt.moves = [v for v in stmt.moves if v is not gone or v in stmt.operands]
        return True

    return cut


def drop_operand(number, k):
    """A nest or a row reads one source less."""

    def cut(program):
        stmt = numbered(program)[number]
        if stmt.kind not in ("nest", "row") or k >= len(stmt.operands) or (stmt.kind == "row" and k < 2):
            return False
        del stmt.operands[k]
        return True

    return cut


def plain(number):
    def cut(program):
        stmt = numbered(program)[number]
        before = (dict(stmt.attrs), [v.align for v in stmt.results], len(stmt.operands))
        stmt.attrs.pop("style", None) if stmt.regions else None
        if stmt.kind in ("nest",):
            stmt.attrs["style"] = "for"
        if stmt.attrs.get("bounded"):
            del stmt.operands[0]
            stmt.attrs.update(bounded=False, fixed=2)
        elif stmt.attrs.get("fixed", 0) > 1:
            stmt.attrs["fixed"] = 1
        for v in stmt.results:
            v.align = 0
        return before != (dict(stmt.attrs), [v.align for v in stmt.results], len(stmt.operands))

    return cut


def free_all(where):
    def cut(program):
        for v in every_value(program):
            v.free = where
        return True

    return cut


def free_one(number):
    def cut(program):
        for v in numbered(program)[number].results:
            v.free = 0.0
        return True

    return cut


def no_arguments(program):
    """Drops the buffers the run function is given and does not use."""
    body = program.functions[0].body
    used = {v for s in body.body for v in tree.uses(s)}
    kept = [v for i, v in enumerate(body.args) if i < 1 or v in used]
    changed = len(kept) < len(body.args)
    body.args = kept
    return changed


# ---- A cut tree made whole again.


def tidy(program):
    """Drops what nothing calls; False if a value is used out of its scope."""
    for stmt in numbered(program):
        stmt.moves = [v for v in stmt.moves if v in stmt.operands or adopted(stmt, v)]
        for region in stmt.regions:
            region.adopts = [v for v in region.adopts if v in stmt.moves]
    tree.drop_uncalled(program)
    return all(scoped(f.body, set()) for f in program.functions)


def adopted(stmt, value):
    return bool(stmt.regions) and all(value in r.adopts for r in stmt.regions)


def scoped(block, outer):
    seen = outer | set(block.args)
    for stmt in block.body:
        if not set(stmt.operands) <= seen:
            return False
        if not all(scoped(region, seen) for region in stmt.regions):
            return False
        seen |= set(stmt.results)
    return set(block.yields) <= seen
