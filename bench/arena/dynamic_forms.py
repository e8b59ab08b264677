# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Bufferized networks of a fixed batch or sequence with allocations of any: each allocation with that extent gets its size from
an argument, or another number for it, and is cast back to the type that its users have.

    python3 -m bench.arena.dynamic_forms NETWORK.memref.mlir 128 > dynamic.mlir
    python3 -m bench.arena.dynamic_forms NETWORK.memref.mlir 1 --leading --at 16 > batch16.mlir

Such IR is for planning: lives and sizes are those of the network at any size; it runs right at the old one only.
"""

import argparse
import re
import sys
from pathlib import Path

ALLOC = re.compile(r"^(\s*)(%[\w#]+) = memref\.alloc\(\)(.*?) : memref<([\dx]+x)(\w+)>(.*)$", re.M)
FUNCTION = re.compile(r"func\.func (?:private |public )?@([\w.$-]+)\(")
SIZE = "%stow_size"


def resized(text, extent, leading, size=None):
    """The text with allocations of another size; None: of the size that is the function's new first argument."""
    called = set(re.findall(r"\bcall @([\w.$-]+)", text))

    def allocation(found):
        indent, name, attributes, shape, element, rest = found.groups()
        dims = shape[:-1].split("x")
        changed = [d == str(extent) and (i == 0 and len(dims) > 1 if leading else True) for i, d in enumerate(dims)]
        if not any(changed):
            return found[0]
        given = "?" if size is None else str(size)
        old, open_ = f"memref<{shape}{element}>", "x".join(["?" if c else d for c, d in zip(changed, dims)])
        sized = "x".join([given if c else d for c, d in zip(changed, dims)])
        sizes = ", ".join([SIZE] * sum(changed)) if size is None else ""
        made = f"{indent}{name}_stow = memref.alloc({sizes}){attributes} : memref<{sized}x{element}>{rest}\n"
        if size is None:
            return made + f"{indent}{name} = memref.cast {name}_stow : memref<{open_}x{element}> to {old}"
        return (made + f"{indent}{name}_open = memref.cast {name}_stow : memref<{sized}x{element}> to memref<{open_}x{element}>\n"
                f"{indent}{name} = memref.cast {name}_open : memref<{open_}x{element}> to {old}")  # fmt: skip

    parts, last = [], 0
    heads = [m for m in FUNCTION.finditer(text)]
    for head, after in zip(heads, [*(h.start() for h in heads[1:]), len(text)]):
        body = text[head.end() : after]
        if head[1] in called or not ALLOC.search(body):
            continue
        argument = f"{SIZE}: index{'' if body.startswith(')') else ', '}" if size is None else ""
        parts += [text[last : head.end()], argument, ALLOC.sub(allocation, body)]
        last = after
    return "".join([*parts, text[last:]])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path)
    parser.add_argument("extent", type=int, help="of the dimensions to change")
    parser.add_argument("--leading", action="store_true", help="only of the first dimension of buffers that have several")
    parser.add_argument("--at", type=int, help="a fixed size in its place")
    args = parser.parse_args()
    sys.stdout.write(resized(args.file.read_text(), args.extent, args.leading, args.at))


if __name__ == "__main__":
    main()
