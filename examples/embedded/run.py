#!/usr/bin/env python3
# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Networks without malloc, on this computer and on emulated boards: what they need, and that outputs are equal.

    make embedded
    PYTHONPATH=. python3 examples/embedded/run.py ds-cnn

It ends with an error where an output differs, or where memory is used that the arena's constant does not tell.
"""

import argparse
import sys

from testing import embedded, places, tables
from testing.embedded import Network
from testing.process import ToolError

NETWORKS = ["person-detection", "ds-cnn", "resnet8", "autoencoder"]
COLUMNS = ["<network", "flash", "of it constants", "arena", "input and output", "other variables", "stack reserved",
           "RAM in total", "stack used", "instructions per call", "<outputs on host, M4, M7"]  # fmt: skip


def outputs(printed):
    return [line for line in printed.splitlines() if line.startswith("output")]


def check_own_arena(name, expected):
    """The same with arena=global: the arena is the object's, and no argument."""
    target = "cortex-m4"
    network = Network(name, places.BUILD / "embedded" / f"{name}-global", arena="global")
    network.compile(target)
    printed, *_ = embedded.on_board(network.board(target), target)
    if outputs(printed) != outputs(expected):
        raise ToolError(f"{name} on {target} with an arena of its own: outputs differ\n{expected}on the host\n{printed}on the board")


def row(name):
    network = Network(name, places.BUILD / "embedded" / name)
    network.compile("host")
    expected = embedded.on_host(network.host())
    for target in embedded.BOARDS:
        network.compile(target)
        elf = network.board(target)
        found = embedded.faults(network, target, elf)
        printed, stack, instructions = embedded.on_board(elf, target)
        if printed != expected:
            found.append(f"outputs differ\n{expected}on the host\n{printed}on the board")
        if found:
            raise ToolError(f"{name} on {target}: " + "; ".join(found))
        if target == "cortex-m4":
            memory, used, counted = embedded.memory_of(network, target, elf), stack, instructions
    check_own_arena(name, expected)
    sizes = (memory.flash, memory.constants, memory.arena, memory.arguments, memory.rest, memory.stack, memory.ram, used, counted)
    return (name, *map(tables.count, sizes), "equal")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("networks", nargs="*", default=NETWORKS)
    args = parser.parse_args()
    if embedded.missing():
        places.skip(f"not installed: {', '.join(embedded.missing())}; scripts/setup.sh embedded installs them")
    print(tables.table(COLUMNS, [row(name) for name in args.networks]))


if __name__ == "__main__":
    try:
        main()
    except ToolError as error:
        sys.exit(f"embedded: {error}")
