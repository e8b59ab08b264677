#!/usr/bin/env python3
# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests of the harness itself: what it must notice, what it must let pass.

Every test of the passes by execution rests on these. Only stock tools are used.
"""

import unittest

from testing import callers, networks
from testing.execute import Tools, difference, drop_memory_spaces
from testing.process import ToolError

TOOLS = Tools()
ALLOC = "%a = memref.alloc() : memref<8xf32>\n"
DEALLOC = "memref.dealloc %a : memref<8xf32>\n"



def program(*lines):
    return "\n".join(["func.func @main() {",
                      "%c1 = arith.constant 1 : index",
                      "%past = arith.constant 8 : index",
                      "%before = arith.constant -1 : index",
                      "%f = arith.constant 1.5 : f32",
                      "%i = arith.constant 7 : i32", *lines, "return", "}"])


def store(index):
    return f"memref.store %f, %a[%{index}] : memref<8xf32>\n"


class Heap(unittest.TestCase):
    def run_program(self, *lines):
        return TOOLS.run(program(*lines))

    def assert_misuse(self, counter, *lines):
        run = self.run_program(*lines)
        self.assertEqual(run.status, 66)
        self.assertEqual(getattr(run.heap, counter), 1)
        self.assertIn("counting_alloc:", run.fault())

    def test_counts(self):
        run = self.run_program(ALLOC, "%b = memref.alloc() : memref<4xi64>", DEALLOC,
                               "%c = memref.alloc() : memref<4xi8>",
                               "memref.dealloc %b : memref<4xi64>",
                               "memref.dealloc %c : memref<4xi8>")
        self.assertIsNone(run.fault())
        # The lowering rounds a size up to the alignment, which is 16 at least.
        self.assertEqual((run.heap.allocs, run.heap.frees), (3, 3))
        self.assertEqual((run.heap.total_bytes, run.heap.peak_bytes), (80, 64))

    def test_leak_is_counted_not_judged(self):
        run = self.run_program(ALLOC, store("c1"))
        self.assertIsNone(run.fault())
        self.assertEqual(run.heap.leaked_bytes, 32)

    def test_second_free(self):
        self.assert_misuse("double_frees", ALLOC, DEALLOC, DEALLOC)

    def test_unknown_free(self):
        self.assert_misuse("unknown_frees", "%a = memref.alloca() : memref<8xf32>", DEALLOC)

    def test_write_past(self):
        self.assert_misuse("overruns", ALLOC, store("past"), DEALLOC)

    def test_write_past_a_block_never_freed(self):
        self.assert_misuse("overruns", ALLOC, store("past"))

    def test_write_before(self):
        self.assert_misuse("overruns", ALLOC, store("before"), DEALLOC)

    def test_write_after_free(self):
        self.assert_misuse("late_writes", ALLOC, DEALLOC, store("c1"))

    def test_read_after_free(self):
        read = ["%v = memref.load %a[%c1] : memref<8xf32>", "vector.print %v : f32"]
        run = TOOLS.run(program(ALLOC, store("c1"), DEALLOC, *read), protect=True)
        self.assertEqual((run.status, run.heap.late_touches), (66, 1))
        self.assertIn("use after free", run.fault())
        run = TOOLS.run(program(ALLOC, store("c1"), *read, DEALLOC), protect=True)
        self.assertEqual((run.fault(), run.output), (None, ["1.5"]))

    def test_free_inside_a_block(self):
        run = TOOLS.run("llvm.func @_mlir_memref_to_llvm_free(!llvm.ptr)\n" + program(
            ALLOC, "%p = memref.extract_aligned_pointer_as_index %a : memref<8xf32> -> index",
            "%n = arith.constant 4 : index", "%q = arith.addi %p, %n : index",
            "%w = arith.index_cast %q : index to i64", "%r = llvm.inttoptr %w : i64 to !llvm.ptr",
            "llvm.call @_mlir_memref_to_llvm_free(%r) : (!llvm.ptr) -> ()", DEALLOC))
        self.assertEqual((run.status, run.heap.unknown_frees, run.heap.frees), (66, 1, 1))
        self.assertIn("free of a pointer into a block", run.fault())

    def test_fresh_and_freed_bytes_are_poison(self):
        read = ("%v{0} = memref.load %a[%c1] : memref<8xf32>\n"
                "%b{0} = arith.bitcast %v{0} : f32 to i32\nvector.print %b{0} : i32")
        run = self.run_program(ALLOC, read.format(0), DEALLOC, read.format(1))
        self.assertEqual(run.output, ["-1", str(0x7F7F7F7F)])

    def test_no_alignment_by_luck(self):
        run = self.run_program(
            "%a = memref.alloc() {alignment = 128} : memref<8xf32>",
            "%p = memref.extract_aligned_pointer_as_index %a : memref<8xf32> -> index",
            "%n = arith.constant 256 : index", "%m = arith.remui %p, %n : index",
            "vector.print %m : index", DEALLOC)
        self.assertEqual(run.output, ["128"])

    def test_without_poison_it_still_counts(self):
        run = TOOLS.run(program(ALLOC, DEALLOC), poison=False)
        self.assertEqual((run.fault(), run.heap.allocs, run.heap.peak_bytes), (None, 1, 32))


class Programs(unittest.TestCase):
    def test_difference(self):
        seven = TOOLS.run(program("vector.print %i : i32"))
        eight = TOOLS.run(program("%j = arith.addi %i, %i : i32", "vector.print %j : i32"))
        self.assertIsNone(difference(seven, seven))
        self.assertIn("-7\n+14", difference(seven, eight))

    def test_a_new_leak_is_a_difference(self):
        freed = TOOLS.run(program(ALLOC, store("c1"), DEALLOC))
        kept = TOOLS.run(program(ALLOC, store("c1")))
        self.assertIn("leaks 32 bytes", difference(freed, kept))
        self.assertIsNone(difference(kept, freed))

    def test_a_crash_is_a_difference(self):
        good = TOOLS.run(program())
        crash = TOOLS.run(program("%null = llvm.mlir.zero : !llvm.ptr",
                                  "llvm.store %i, %null : i32, !llvm.ptr"))
        self.assertLess(crash.status, 0)
        self.assertIn("SIGSEGV", difference(good, crash))

    def test_an_endless_loop_is_a_difference(self):
        run = TOOLS.run(program("cf.br ^a", "^a:", "cf.br ^a", "^b:"), timeout=1)
        self.assertIn("in time", difference(run, run))

    def test_measurements_are_not_compared(self):
        run = TOOLS.run(program('vector.print str "# seconds 0.5\\n# seconds 0.25\\n"',
                                "vector.print %i : i32"))
        self.assertEqual((run.output, run.measures), (["7"], {"seconds": 0.25}))

    def test_invalid_ir(self):
        with self.assertRaisesRegex(ToolError, "custom op 'nonsense'"):
            TOOLS.run(program("nonsense"))

    def test_async(self):
        run = TOOLS.run(program(ALLOC, "%t = async.execute {", store("c1"), "async.yield", "}",
                                "async.await %t : !async.token",
                                "%v = memref.load %a[%c1] : memref<8xf32>",
                                "vector.print %v : f32", DEALLOC), is_async=True, level=1)
        self.assertEqual((run.fault(), run.output), (None, ["1.5"]))

    def test_memory_spaces(self):
        given = ("memref<2xmemref<4xf32, 1>, 2 : i32> memref<4xf32, strided<[1], offset: ?>, 3> "
                 "memref<4xf32, affine_map<(d0) -> (d0)>> memref<?xf32, #gpu.address_space<x>>")
        self.assertEqual(drop_memory_spaces(given),
                         "memref<2xmemref<4xf32>> memref<4xf32, strided<[1], offset: ?>> "
                         "memref<4xf32, affine_map<(d0) -> (d0)>> memref<?xf32>")
        run = TOOLS.run(program("%a = memref.alloc() : memref<8xi32, 3>",
                                "memref.store %i, %a[%c1] : memref<8xi32, 3>",
                                "%v = memref.load %a[%c1] : memref<8xi32, 3>",
                                "vector.print %v : i32", "memref.dealloc %a : memref<8xi32, 3>"))
        self.assertEqual((run.fault(), run.output), (None, ["7"]))


class Examples(unittest.TestCase):
    """Small forms of the example networks, with every life upstream's passes give them."""

    def check(self, *arguments):
        memrefs = networks.bufferized(TOOLS, *arguments)
        memrefs = TOOLS.apply(memrefs, f"builtin.module({networks.DEALLOCATION})", opt=TOOLS.mlir_opt)
        shorter = TOOLS.apply(memrefs, f"builtin.module({networks.LIVENESS})", opt=TOOLS.mlir_opt)
        reseeded = memrefs.replace("arith.constant 3000009 : i32", "arith.constant 1 : i32")
        self.assertNotEqual(memrefs, reseeded)
        expected = TOOLS.run(memrefs)
        self.assertIsNone(difference(expected, TOOLS.run(shorter)))
        self.assertIsNotNone(difference(expected, TOOLS.run(reseeded)))
        self.assertLess(abs(float(expected.output[1])), 100)  # nan and inf are not
        self.assertEqual(expected.heap.leaked_bytes, 0)

    def test_mobilenetv2(self):
        self.check("mobilenetv2", "--size", "32", "--width", "0.25", "--classes", "10")

    def test_transformer(self):
        self.check("transformer", "--layers", "2", "--sequence", "8", "--hidden", "16")

    def test_unet(self):
        self.check("unet", "--size", "16", "--channels", "4", "--levels", "2")

    def test_mlp(self):
        self.check("mlp", "--inputs", "20", "--hidden", "16", "--layers", "2")


class Called(unittest.TestCase):
    """A function without a main."""

    COPIES = """module {
  func.func public @main(%arg0: memref<2x3xf32> {bufferization.access = "read"}, %arg1: memref<i64>, %arg2: memref<3xf64>, \
%arg3: memref<4xi1>) -> (memref<2x3xf32>, memref<i64>, memref<3xf64>, memref<4xi1>) {
    return %arg0, %arg1, %arg2, %arg3 : memref<2x3xf32>, memref<i64>, memref<3xf64>, memref<4xi1>
  }
}
"""

    def hashes(self, text):
        run = TOOLS.run(callers.with_main(text, "main"))
        self.assertIsNone(run.fault())
        return [line for line in run.output if "#" not in line]

    def test_every_type(self):
        printed = self.hashes(self.COPIES)
        self.assertEqual(len(set(printed)), 4)

    def test_bits_count(self):
        other = self.COPIES.replace("{\n    return", """{
    %c2 = arith.constant 2 : index
    %value = memref.load %arg2[%c2] : memref<3xf64>
    %less = arith.negf %value : f64
    memref.store %less, %arg2[%c2] : memref<3xf64>
    return""")
        pairs = list(zip(self.hashes(self.COPIES), self.hashes(other), strict=True))
        self.assertEqual([a == b for a, b in pairs], [True, True, False, True])

    def test_refused(self):
        for type in ("memref<?xf32>", "memref<*xf32>", "memref<4xf32, strided<[2]>>", "i32"):
            with self.subTest(type), self.assertRaisesRegex(ToolError, "static shape"):
                callers.with_main(f"module {{\n  func.func @f(%a: {type}) {{\n    return\n  }}\n}}\n", "f")


if __name__ == "__main__":
    unittest.main()
