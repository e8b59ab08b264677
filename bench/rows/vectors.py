# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Linalg ops on memrefs as vectors, by upstream's tiling and vectorizer of linalg.

    text = vectors.vectorized(tools, text)

Each op is made generic. Where a loop runs along contiguous elements of the result, and along those of each operand that
it indexes, the op is tiled by `transform.structured.tile_using_for`, and a tile becomes vector ops by
`transform.structured.vectorize`; products that are summed up become outer products. All other ops stay as they are: those
whose result needs sums along the contiguous elements, those with an op of STAYS, and convolutions along an
image's columns with a stride.

This file chooses the sizes of tiles. They divide their loops, so nothing is left over. Each element of a result is summed
up in the order of the plain loops, and multiplications are not fused with additions, so the bits are those of plain
loops.
"""

import itertools
import math
import re
from dataclasses import dataclass
from pathlib import Path

# Of a tile, at most: its elements, those beside its vectors, the terms of a sum.
ELEMENTS, BESIDE, TERMS = 64, 4, 8
FEWEST_LANES = 4
STAYS = ("linalg.index", "math.fpowi")  # as it is, if it is in an op's body; upstream lowers no vectors of the second

ALIAS = re.compile(r"^(#map\d*) = affine_map<(.*)>$", re.M)
GENERIC = re.compile(r"linalg\.generic \{indexing_maps = \[(?P<maps>[^\]]*)\], iterator_types = \[(?P<iterators>[^\]]*)\]\} "
                     r"(?P<operands>.*) \{$", re.M)  # fmt: skip
TILED = re.compile(GENERIC.pattern.replace(r" \{$", r' attrs = +\{tiles = "(?P<tiles>[\d_]+)"\} \{$'), re.M)
LISTS = re.compile(r"(ins|outs)\((.*?) : (.*?)\)(?= outs\(|$)")
TYPE = re.compile(r"memref<((?:\d+x)*)(\w+)(?:, strided<\[([^\]]*)\](, offset: [^>]*)?>)?>|\w+")
FUSED = re.compile(r"%(\w+) = vector\.fma (%[\w#]+), (%[\w#]+), (%[\w#]+) : (vector<.*>)$", re.M)
PATTERNS = [
    ["vector.reduction_to_contract", "vector.transfer_permutation_patterns"],
    ["vector.lower_contraction lowering_strategy = outerproduct"],
    ["vector.lower_outerproduct"],
    ["vector.lower_multi_reduction lowering_strategy = innerparallel"],
    ["vector.transfer_permutation_patterns", "vector.lower_broadcast", "vector.lower_transpose"],
    ["vector.lower_transfer max_transfer_rank = 1"],
]


@dataclass
class Operand:
    dims: list   # per dimension, the loops whose sum is the index, {loop: factor}; None: it is no such sum
    shape: list
    dense: bool  # the elements of its last dimension are contiguous

    def is_along(self, loop):
        """Whether the loop runs along contiguous elements, or is not in its indices."""
        return not any(loop in dim for dim in self.dims[:-1]) and (
            not self.dims or loop not in self.dims[-1] or self.dense)

    def allows(self, tiled):
        """Whether each index is one of the tiled loops, or does not change within a tile."""
        return all(sum(loop in tiled for loop in dim) <= 1 and all(f == 1 for loop, f in dim.items() if loop in tiled)
                   for dim in self.dims)


def index(text):
    found = {}
    for term in text.split(" + "):
        match = re.fullmatch(r"d(\d+)(?: \* (\d+))?", term)
        if match:
            found[int(match[1])] = int(match[2] or 1)
        elif term != "0":
            return None
    return found


def results(map_text):
    inside = map_text.split("-> ")[1][1:-1]
    return inside.split(", ") if inside else []


def operands_of(match, aliases):
    """None for one whose type is read by no rule."""
    types = [t for listed in LISTS.finditer(match["operands"]) for t in TYPE.finditer(listed[3])]
    for name, kind in itertools.zip_longest(match["maps"].split(", "), types):
        if not name or not kind:
            yield None
            continue
        shape = [int(n) for n in (kind[1] or "").split("x")[:-1]]
        yield Operand([index(r) for r in results(aliases[name])], shape, not kind[3] or kind[3].split(", ")[-1] == "1")


def divisor(extent, most):
    return max(n for n in range(1, min(extent, most) + 1) if extent % n == 0)


def tiles_of(match, aliases):
    """A size per loop; None for an op that stays as it is."""
    operands, iterators = list(operands_of(match, aliases)), match["iterators"].split(", ")
    if not all(operands) or any(dim is None for o in operands for dim in o.dims):
        return None
    extents = {loop: n for o in operands for dim, n in zip(o.dims, o.shape) if list(dim.values()) == [1] for loop in dim}
    result = operands[-1]
    if len(extents) < len(iterators) or not result.dims or len(result.dims[-1]) != 1:
        return None
    (along,) = result.dims[-1]
    if not all(o.is_along(along) and o.allows({along}) for o in operands):
        return None
    tiles = [1] * len(iterators)

    def divide(loop, most):
        """Whether it could be done."""
        others = {along, *(i for i, n in enumerate(tiles) if n > 1)}
        if all(o.allows({loop, *others}) for o in operands):
            tiles[loop] = divisor(extents[loop], most)
        return tiles[loop] > 1

    inwards = [i for i in reversed(range(len(iterators))) if extents[i] > 1 and i != along]
    beside = next((i for i in inwards if "parallel" in iterators[i] and divide(i, BESIDE)), along)
    tiles[along] = divisor(extents[along], ELEMENTS // tiles[beside])
    for loop in [i for i in inwards if "reduction" in iterators[i]][:1]:
        divide(loop, TERMS)
    return tiles if tiles[along] >= FEWEST_LANES else None


def labelled(text):
    """The ops that become vectors say the sizes of their tiles."""
    aliases = dict(ALIAS.findall(text))

    def label(match):
        body = text[match.end() :].partition("linalg.yield")[0]
        tiles = None if any(op in body for op in STAYS) else tiles_of(match, aliases)
        return f'{match[0][:-2]} attrs = {{tiles = "{"_".join(map(str, tiles))}"}} {{' if tiles else match[0]

    return GENERIC.sub(label, text)


def sizes(label):
    return [int(n) for n in label.split("_")]


def narrowed(name, kind, number):
    """A view of a memref without its dimensions of one element: the op that makes it, its name and its type."""
    shape = [int(n) for n in kind[1].split("x")[:-1]]
    strides = kind[3].split(", ") if kind[3] else [str(math.prod(shape[i + 1 :])) for i in range(len(shape))]
    kept = [i for i, n in enumerate(shape) if n > 1]
    lengths = "".join(f"{shape[i]}x" for i in kept)
    made = f"memref<{lengths}{kind[2]}, strided<[{', '.join(strides[i] for i in kept)}]{kind[4] or ''}>>"
    ones = [1] * len(shape)
    return f"%narrow{number} = memref.subview {name}{[0] * len(shape)} {shape} {ones} : {kind[0]} to {made}\n", f"%narrow{number}", made


def without_unit_loops(text):
    """Tiles without the loops and dimensions of one element: upstream's pass takes these from dense memrefs only, and its
    vectorizer takes no indices that are sums."""
    aliases, numbers = dict(ALIAS.findall(text)), itertools.count()

    def rewrite(match):
        tiles = sizes(match["tiles"])
        loops = [i for i, n in enumerate(tiles) if n > 1]
        maps, views, lists = [], [], []
        for name in match["maps"].split(", "):
            kept = [f"d{i}" for r in results(aliases[name]) for i in index(r) if tiles[i] > 1]
            maps.append(f"affine_map<({', '.join(f'd{i}' for i in loops)}) -> ({', '.join(kept)})>")
        for role, names, kinds in LISTS.findall(match["operands"]):
            made = [narrowed(name, kind, next(numbers)) if kind[0].startswith("memref") else ("", name, kind[0])
                    for name, kind in zip(names.split(", "), TYPE.finditer(kinds), strict=True)]  # fmt: skip
            views += [view for view, _, _ in made]
            lists.append(f"{role}({', '.join(name for _, name, _ in made)} : {', '.join(kind for _, _, kind in made)})")
        iterators = [match["iterators"].split(", ")[i] for i in loops]
        return (f"{''.join(views)}linalg.generic {{indexing_maps = [{', '.join(maps)}], iterator_types = [{', '.join(iterators)}]}} "
                f'{" ".join(lists)} attrs = {{tiles = "{match["tiles"]}"}} {{')  # fmt: skip

    return TILED.sub(rewrite, text)


ANY = "!transform.any_op"


def tile(i, tiles):
    made = ", ".join([ANY] * (len(tiles) + 1))
    return f"%tile{i}, %loops{i}:{len(tiles)} = transform.structured.tile_using_for %ops{i} tile_sizes {tiles} : ({ANY}) -> ({made})"


def vectorize(i, _):
    return f"transform.structured.vectorize %ops{i} : {ANY}"


def transformed(tools, text, act, patterns=()):
    """With the ops of each label, %ops0 and so on, `act` is done; then groups of patterns."""
    lines = []
    for i, label in enumerate(sorted({match["tiles"] for match in TILED.finditer(text)})):
        lines.append(f'%ops{i} = transform.structured.match attributes{{tiles = "{label}"}} in %module : ({ANY}) -> {ANY}')
        lines.append(act(i, sizes(label)))
    lines.append(f'%functions = transform.structured.match ops{{["func.func"]}} in %module : ({ANY}) -> {ANY}')
    for group in patterns:
        applied = " ".join(f"transform.apply_patterns.{pattern}" for pattern in group)
        lines.append(f"transform.apply_patterns to %functions {{ {applied} }} : {ANY}")
    library = Path(tools.scratch.name, "tiles.mlir")
    library.write_text("module attributes {transform.with_named_sequence} {\n"
                       f"transform.named_sequence @__transform_main(%module: {ANY} {{transform.consumed}}) {{\n"
                       + "\n".join(lines) + "\ntransform.yield\n}\n}\n")  # fmt: skip
    return tools.apply(text, f"builtin.module(transform-preload-library{{transform-library-paths={library}}},"
                             "transform-interpreter,canonicalize,cse)", opt=tools.mlir_opt)  # fmt: skip


def unfused(text):
    """Plain loops round each product."""
    return FUSED.sub(r"%product_\1 = arith.mulf \2, \3 : \5\n%\1 = arith.addf \4, %product_\1 : \5", text)


def vectorized(tools, text):
    generic = tools.apply(text, "builtin.module(linalg-generalize-named-ops)", opt=tools.mlir_opt)
    tiled = transformed(tools, labelled(generic), tile)
    return unfused(transformed(tools, without_unit_loops(tiled), vectorize, PATTERNS))
