#!/usr/bin/env python3
# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""With max-heap-overhead=0 the heap never holds more than with an allocation for each buffer, whichever branches are taken."""

import itertools
import random
import unittest

from testing.execute import Tools, difference

TOOLS = Tools()
BRANCHES = 3
SEEDS = range(2)
FREED = "buffer-reuse{max-heap-overhead=0 pool-all},check-arena-plan"
CONFIGS = {
    "merge": "merge-alloc{max-heap-overhead=0},check-arena-plan,buffer-deallocation",
    "merge-wide": "merge-alloc{max-heap-overhead=0 conditional-share=100},check-arena-plan,buffer-deallocation",
    "reuse": f"buffer-deallocation,{FREED}",
    "freed": FREED,
}


class Program:
    """Buffers that live in front of, around and in branches; each is freed after its last use."""

    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.lines, self.names = [], itertools.count()

    def alloc(self, indent):
        name, cells = f"%b{next(self.names)}", 16 * 4 ** self.rng.randrange(5)
        self.lines += [f"{indent}{name} = memref.alloc() : memref<{cells}xf32>",
                       f"{indent}linalg.fill ins(%v : f32) outs({name} : memref<{cells}xf32>)"]
        return name, cells

    def use(self, buffer, indent):
        name, cells = buffer
        part = f"{name}_{next(self.names)}"
        of = f"memref<{cells}xf32> to memref<16xf32, strided<[1], offset: {cells - 16}>>"
        self.lines += [f"{indent}{part} = memref.subview {name}[{cells - 16}] [16] [1] : {of}",
                       f"{indent}linalg.add ins({part}, %acc : memref<16xf32, strided<[1], offset: {cells - 16}>>, "
                       f"memref<16xf32>) outs(%acc : memref<16xf32>)"]

    def free(self, buffer, indent):
        self.use(buffer, indent)
        self.lines.append(f"{indent}memref.dealloc {buffer[0]} : memref<{buffer[1]}xf32>")

    def stretch(self, indent):
        """Some buffers, of which two may live at a time."""
        last = None
        for _ in range(self.rng.randrange(1, 4)):
            buffer = self.alloc(indent)
            if last:
                self.free(last, indent)
            last = buffer
        self.free(last, indent)

    def text(self, bits):
        for branch in range(BRANCHES):
            around = self.alloc("  ") if self.rng.random() < 0.5 else None
            self.stretch("  ")
            self.lines.append(f"  scf.if %c{branch} {{")
            self.stretch("    ")
            if self.rng.random() < 0.5:
                self.lines.append("  } else {")
                self.stretch("    ")
            self.lines.append("  }")
            if around:
                self.free(around, "  ")
        arguments = ", ".join(f"%c{i}: i1" for i in range(BRANCHES))
        given = "\n".join(f"  %c{i} = arith.constant {'true' if bit else 'false'}" for i, bit in enumerate(bits))
        names, types = ", ".join(f"%c{i}" for i in range(BRANCHES)), "i1, " * BRANCHES
        body = "\n".join(self.lines)
        return f"""func.func private @f({arguments}, %acc: memref<16xf32>) attributes {{passthrough = ["noinline"]}} {{
  %v = arith.constant 1.5 : f32
{body}
  return
}}
func.func @main() {{
  %zero = arith.constant 0.0 : f32
  %first = arith.constant 0 : index
{given}
  %acc = memref.alloca() : memref<16xf32>
  linalg.fill ins(%zero : f32) outs(%acc : memref<16xf32>)
  call @f({names}, %acc) : ({types}memref<16xf32>) -> ()
  %r = memref.load %acc[%first] : memref<16xf32>
  vector.print %r : f32
  return
}}
"""


class NeverAbove(unittest.TestCase):
    def test_branches(self):
        for seed, bits in itertools.product(SEEDS, itertools.product((False, True), repeat=BRANCHES)):
            text = Program(seed).text(bits)
            before = TOOLS.run(text)
            bare = "\n".join(line for line in text.splitlines() if "memref.dealloc" not in line)
            for name, passes in CONFIGS.items():
                with self.subTest(seed=seed, bits=bits, config=name):
                    after = TOOLS.run(TOOLS.apply(text if name == "freed" else bare, f"builtin.module({passes})"))
                    self.assertIsNone(difference(before, after))
                    self.assertLessEqual(after.heap.peak_bytes, before.heap.peak_bytes)


if __name__ == "__main__":
    unittest.main()
