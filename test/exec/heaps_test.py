#!/usr/bin/env python3
# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The heap peaks of main that reports state, before and after, are what the counting heap measures."""

import json
import tempfile
import unittest
from pathlib import Path

from testing.execute import Tools

TOOLS = Tools()
T = "memref<64xf32>"
BEFORE_MAIN = f"""
func.func private @fills() -> {T} attributes {{llvm.emit_c_interface}} {{
  %f = arith.constant 2.0 : f32
  %t = memref.alloc() : memref<128xf32>
  linalg.fill ins(%f : f32) outs(%t : memref<128xf32>)
  memref.dealloc %t : memref<128xf32>
  %r = memref.alloc() : {T}
  linalg.fill ins(%f : f32) outs(%r : {T})
  return %r : {T}
}}
func.func private @copies(%a: {T}) {{
  %t = memref.alloc() : {T}
  memref.copy %a, %t : {T} to {T}
  memref.copy %t, %a : {T} to {T}
  memref.dealloc %t : {T}
  %u = memref.alloc() : {T}
  memref.copy %a, %u : {T} to {T}
  memref.copy %u, %a : {T} to {T}
  memref.dealloc %u : {T}
  return
}}"""


def new(name):
    return f"%{name} = memref.alloc() : {T}\nlinalg.fill ins(%f : f32) outs(%{name} : {T})"


def free(name):
    return f"memref.dealloc %{name} : {T}"


def copy(source, target):
    return f"memref.copy %{source}, %{target} : {T} to {T}"


def program(*lines):
    show = ["%v = memref.load %a[%c0] : " + T, "vector.print %v : f32"]
    return "\n".join([BEFORE_MAIN, "func.func @main() {", "%c0 = arith.constant 0 : index",
                      "%c1 = arith.constant 1 : index", "%c3 = arith.constant 3 : index",
                      "%f = arith.constant 1.5 : f32", "%no = arith.cmpi eq, %c0, %c1 : index", new("a"), *lines, *show,
                      free("a"), "return", "}"])  # fmt: skip


CHAIN = [new("b"), copy("a", "b"), new("d"), copy("b", "d"), free("b"), new("e"), copy("d", "e"),
         free("d"), copy("e", "a"), free("e")]  # fmt: skip


class Heaps(unittest.TestCase):
    def check(self, before, after, *lines, merged=None):
        for name, after in (("buffer-reuse", after), ("merge-alloc", merged or after)):
            with self.subTest(name), tempfile.TemporaryDirectory() as folder:
                path = Path(folder, "report")
                ir = program(*lines)
                changed = TOOLS.apply(ir, f"builtin.module({name}{{report=json:{path}}})")
                [told] = [h for h in json.loads(path.read_text())["heaps"] if h["function"] == "main"]
                runs = [TOOLS.run(text) for text in (ir, changed)]
                self.assertEqual([run.fault() for run in runs], [None, None])
                self.assertEqual(runs[0].output, runs[1].output)
                self.assertEqual((told["before"], told["after"], told["exact"]),
                                 (*[run.heap.peak_bytes for run in runs], True))  # fmt: skip
                self.assertEqual((told["before"], told["after"]), (before, after))

    def test_chain(self):
        self.check(768, 512, *CHAIN)

    def test_what_is_freed_late(self):
        late = [line for line in CHAIN if "dealloc" not in line]
        self.check(1024, 512, *late, free("b"), free("d"), free("e"))

    def test_loop(self):
        self.check(768, 512, "scf.for %i = %c0 to %c3 step %c1 {", *CHAIN, "}")

    def test_branches(self):
        one = [new("b"), copy("b", "a"), free("b")]
        self.check(768, 512, "scf.if %no {", *one, "} else {", *CHAIN, "}")

    def test_freed_in_branches(self):
        then = ["scf.if %no {", free("b"), "} else {", free("b"), new("d"), copy("d", "a"), free("d"), "}"]
        self.check(512, 512, new("b"), copy("b", "a"), *then, merged=768)

    def test_calls(self):
        self.check(512, 512, f"func.call @copies(%a) : ({T}) -> ()")

    def test_returned_by_callee(self):
        self.check(1024, 1024, f"%r = func.call @fills() : () -> {T}", copy("r", "a"), *CHAIN, free("r"))


if __name__ == "__main__":
    unittest.main()
