#!/usr/bin/env python3
# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints which Python files import each other in a circle, also from within functions."""

import ast
from pathlib import Path


def imported(path, modules):
    """The names of those modules that a file imports."""
    for node in ast.walk(ast.parse(path.read_text())):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names = [f"{node.module}.{alias.name}" for alias in node.names] + [node.module]
        yield from (name for name in names if name in modules)


def circles(edges):
    """Each once: all that reach each other."""
    reached = {}
    for start in edges:
        seen, found = set(), [start]
        while found:
            new = edges[found.pop()] - seen
            seen |= new
            found += new
        reached[start] = seen
    return {tuple(sorted(b for b in reached[a] if a in reached[b])) for a in edges if a in reached[a]}


def main():
    root = Path(__file__).parent.parent
    modules = {".".join(path.relative_to(root).with_suffix("").parts): path
               for folder in ("bench", "fuzz", "scripts", "testing") for path in root.glob(f"{folder}/**/*.py")}
    edges = {name: set(imported(path, modules)) for name, path in modules.items()}
    for circle in sorted(circles(edges)):
        for name in circle:
            print(f"{modules[name].relative_to(root)}:1: in a circle of imports: {' '.join(circle)}")


if __name__ == "__main__":
    main()
