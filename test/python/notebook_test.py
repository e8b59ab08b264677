#!/usr/bin/env python3
# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The notebooks under examples/: without output as committed, and each cell of code runs, in order, and shows something."""

import ast
import contextlib
import io
import json
import os
import sys
import unittest
from pathlib import Path

try:
    import numpy  # noqa: F401
except ImportError:
    print("skipped: no numpy", file=sys.stderr)
    sys.exit(77)

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


def cells_of(path):
    return [cell for cell in json.loads(path.read_text())["cells"] if cell["cell_type"] == "code"]


def run(source, names):
    """What a cell prints, and what a notebook would show of its last expression."""
    tree, printed, value = ast.parse(source), io.StringIO(), None
    last = ast.Expression(tree.body.pop().value) if isinstance(tree.body[-1], ast.Expr) else None
    with contextlib.redirect_stdout(printed):
        exec(compile(tree, "cell", "exec"), names)
        value = eval(compile(last, "cell", "eval"), names) if last else None
    return printed.getvalue() + ("" if value is None else getattr(value, "_repr_html_", value.__repr__)())


class Notebooks(unittest.TestCase):
    def test_there_is_one(self):
        self.assertTrue(list(EXAMPLES.glob("*.ipynb")))

    def test_no_output_is_committed(self):
        for path in EXAMPLES.glob("*.ipynb"):
            for cell in cells_of(path):
                self.assertEqual((cell["outputs"], cell["execution_count"]), ([], None), path.name)

    def test_cells_run(self):
        os.chdir(EXAMPLES)
        for path in sorted(EXAMPLES.glob("*.ipynb")):
            names, shown = {"__name__": "__main__"}, []
            for number, cell in enumerate(cells_of(path)):
                with self.subTest(f"{path.name}, cell {number} of code"):
                    shown.append(run("".join(cell["source"]), names))
                    self.assertTrue(shown[-1])
            self.check(path.name, "\n".join(shown))

    def check(self, name, shown):
        for wanted in ("<svg", "<iframe", "31,284 bytes apart, 21,008 together, at least 21,008", "20,496 op by op, 1,360 row by row",
                       "int main(void)"):
            with self.subTest(name, wanted=wanted):
                self.assertTrue(wanted in shown)


if __name__ == "__main__":
    unittest.main()
