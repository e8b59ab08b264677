# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The package `stowage`, without converters."""

import gc
import io
import itertools
import math
import os
import signal
import subprocess
import sys
import tempfile
import unittest
import unittest.mock
from pathlib import Path

try:
    import numpy as np
except ImportError:
    print("skipped: no numpy; run scripts/setup.sh check", file=sys.stderr)
    raise SystemExit(77)

import stowage
from stowage import _library, _program, _roads

ROOT = Path(__file__).resolve().parents[2]
TUTORIAL = ROOT / "examples" / "tutorial"
WAITS = ROOT / "test" / "model" / "capacity.mlir"  # two buffers wait behind three products
INPUT = np.repeat(np.arange(34) // 4 % 2, 34).reshape(1, 34, 34, 1).astype(np.float32)  # horizontal stripes
EXPECTED = np.array([[-0.2421875, 0.0625, 0.22265625]], np.float32)

# Each product needs what the one before has made, and nothing earlier.
PRODUCT = """  %f{0} = linalg.fill ins(%zero : f32) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>
  %p{0} = linalg.matmul ins(%p{1}, %p0 : tensor<8x8xf32>, tensor<8x8xf32>) outs(%f{0} : tensor<8x8xf32>) -> tensor<8x8xf32>
"""
CHAIN = """func.func @chain(%p0: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x8xf32>
""" + "".join(PRODUCT.format(i + 1, i) for i in range(4)) + """  return %p4 : tensor<8x8xf32>
}
"""

DOUBLED = """func.func @net(%x: tensor<?xf32> {stowage.dims = [{name = "n", min = 1, max = 8}]}) -> tensor<?x1xf32> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %n = tensor.dim %x, %zero : tensor<?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %r = scf.for %i = %zero to %n step %one iter_args(%c = %e) -> (tensor<?xf32>) {
    %a = tensor.extract %x[%i] : tensor<?xf32>
    %b = arith.addf %a, %a : f32
    %d = tensor.insert %b into %c[%i] : tensor<?xf32>
    scf.yield %d : tensor<?xf32>
  }
  %m = tensor.dim %r, %zero : tensor<?xf32>
  %w = tensor.expand_shape %r [[0, 1]] output_shape [%m, 1] : tensor<?xf32> into tensor<?x1xf32>
  return %w : tensor<?x1xf32>
}
"""

MATHEMATICS = """#same = affine_map<(d0, d1) -> (d0, d1)>
func.func @mathematics(%x: tensor<3x37xf32>) -> tensor<3x37xf32> {
  %three = arith.constant 3 : i64
  %e = tensor.empty() : tensor<3x37xf32>
  %r = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<3x37xf32>) outs(%e : tensor<3x37xf32>) {
  ^bb0(%a: f32, %out: f32):
OPS
    linalg.yield %b : f32
  } -> tensor<3x37xf32>
  return %r : tensor<3x37xf32>
}
"""

LOOP = """func.func @main(%x: tensor<4xf32>, %n: tensor<i32>) -> tensor<4xf32> {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %end = tensor.extract %n[] : tensor<i32>
  %r:2 = scf.while (%i = %zero, %c = %x) : (i32, tensor<4xf32>) -> (i32, tensor<4xf32>) {
    %more = arith.cmpi slt, %i, %end : i32
    scf.condition(%more) %i, %c : i32, tensor<4xf32>
  } do {
  ^bb0(%i: i32, %c: tensor<4xf32>):
    %e = tensor.empty() : tensor<4xf32>
    %d = linalg.add ins(%c, %c : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    %j = arith.addi %i, %one : i32
    scf.yield %j, %d : i32, tensor<4xf32>
  }
  return %r#1 : tensor<4xf32>
}
"""

COUNTER = """ml_program.global private mutable @s(dense<[1.0, 2.0]> : tensor<2xf32>) : tensor<2xf32>
ml_program.global private mutable @n(dense<0> : tensor<1xi32>) : tensor<1xi32>
func.func @main(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<1xi32>, tensor<2xf32>, tensor<2xf32>) {
  %one = arith.constant dense<1> : tensor<1xi32>
  %a = ml_program.global_load @s : tensor<2xf32>
  %e = tensor.empty() : tensor<2xf32>
  %b = linalg.add ins(%a, %x : tensor<2xf32>, tensor<2xf32>) outs(%e : tensor<2xf32>) -> tensor<2xf32>
  ml_program.global_store @s = %b : tensor<2xf32>
  %c = ml_program.global_load @n : tensor<1xi32>
  %f = tensor.empty() : tensor<1xi32>
  %d = linalg.add ins(%c, %one : tensor<1xi32>, tensor<1xi32>) outs(%f : tensor<1xi32>) -> tensor<1xi32>
  ml_program.global_store @n = %d : tensor<1xi32>
  return %a, %d, %x, %x : tensor<2xf32>, tensor<1xi32>, tensor<2xf32>, tensor<2xf32>
}
"""


OPEN = """func.func @main(%x: tensor<?x3xf32> {stowage.dims = [{name = "n", min = 1, max = 40}, {}]},
                %y: tensor<?xf32> {stowage.dims = [{name = "n"}]}) -> (tensor<?x3xf32>, tensor<?x3xf32>, tensor<?xf32>, tensor<3xf32>) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %n = tensor.dim %x, %c0 : tensor<?x3xf32>
  %e = tensor.empty(%n) : tensor<?x3xf32>
  %a = linalg.exp ins(%x : tensor<?x3xf32>) outs(%e : tensor<?x3xf32>) -> tensor<?x3xf32>
  %b = linalg.exp ins(%a : tensor<?x3xf32>) outs(%e : tensor<?x3xf32>) -> tensor<?x3xf32>
  %m = arith.muli %n, %c2 : index
  %f = tensor.empty(%m) : tensor<?x3xf32>
  %g = tensor.insert_slice %b into %f[0, 0] [%n, 3] [1, 1] : tensor<?x3xf32> into tensor<?x3xf32>
  %h = tensor.insert_slice %a into %g[%n, 0] [%n, 3] [1, 1] : tensor<?x3xf32> into tensor<?x3xf32>
  %before = ml_program.global_load @first : tensor<3xf32>
  %row = tensor.extract_slice %x[0, 0] [1, 3] [1, 1] : tensor<?x3xf32> to tensor<3xf32>
  ml_program.global_store @first = %row : tensor<3xf32>
  return %b, %h, %y, %before : tensor<?x3xf32>, tensor<?x3xf32>, tensor<?xf32>, tensor<3xf32>
}
ml_program.global private mutable @first(dense<[1.0, 2.0, 3.0]> : tensor<3xf32>) : tensor<3xf32>
"""

BYTES = """func.func @forward(%x: tensor<4x8xi8>) -> tensor<4x16xi32> {
  %w = arith.constant dense<"0x00254A6F94B9DE03284D7297BCE1062B50759ABFE4092E53789DC2E70C31567BA0C5EA0F34597EA3C8ED12375C81A6CBF0153A5F84A9CEF3183D6287ACD1F61B40658AAFD4F91E43688DB2D7FC21466B90B5DAFF24496E93B8DD02274C7196BBE0052A4F7499BEE3082D52779CC1E60B30557A9FC4E90E33587DA2C7EC11365B"> : tensor<8x16xi8>
  %zero = arith.constant 0 : i32
  %empty = tensor.empty() : tensor<4x16xi32>
  %into = linalg.fill ins(%zero : i32) outs(%empty : tensor<4x16xi32>) -> tensor<4x16xi32>
  %y = linalg.matmul ins(%x, %w : tensor<4x8xi8>, tensor<8x16xi8>) outs(%into : tensor<4x16xi32>) -> tensor<4x16xi32>
  return %y : tensor<4x16xi32>
}
"""

class Plans(unittest.TestCase):
    def test_disjoint_lives_share_bytes(self):
        made = stowage.plan([4096, 4096], [0, 2], [2, 4])
        self.assertEqual((made.arena_bytes, made.bound, made.outcome), (4096, 4096, "optimal"))
        self.assertEqual(made.offset.tolist(), [0, 0])

    def test_overlapping_lives_share_none(self):
        made = stowage.plan(np.array([8, 24], np.uint32), np.array([0, 1]), np.array([2, 3]), alignment=16)
        low, high = sorted(zip(made.offset.tolist(), (8, 24)))
        self.assertLessEqual(low[0] + low[1], high[0])
        self.assertFalse((made.offset % 16).any())

    def test_no_buffers(self):
        self.assertEqual(stowage.plan([], [], []).arena_bytes, 0)

    def test_capacity_names_the_buffers(self):
        with self.assertRaisesRegex(stowage.InfeasibleError, r"buffer 0 \(image\).*buffer 2 \(mask\)") as caught:
            stowage.plan([60, 8, 60], [0, 5, 1], [2, 6, 3], capacity=100, names=["image", "late", "mask"])
        self.assertEqual(caught.exception.buffers, (0, 2))

    def test_fixed_offset(self):
        made = stowage.plan([8, 8], [0, 0], [1, 1], fixed=[-1, 0])
        self.assertEqual(made.offset.tolist(), [8, 0])

    def test_refuses_what_is_no_buffer(self):
        for arguments, text in ((([1, 2], [0, 3], [1, 3]), "buffer 1: its life ends"),
                                (([1, -2], [0, 0], [1, 1]), "buffer 1: its size is negative"),
                                (([1.5], [0], [1]), "whole numbers"), (([1], [0, 1], [1]), "2 entries for 1 buffers"),
                                (([[1]], [0], [1]), "one dimension")):
            with self.assertRaisesRegex(ValueError, text):
                stowage.plan(*arguments)
        with self.assertRaisesRegex(ValueError, "power of two"):
            stowage.plan([1], [0], [1], alignment=3)
        for capacity in (-1, 0, "", "64kib", "64 KiB", "18446744073709551616", "16777216TiB", "1KiB}"):
            for take in (lambda: stowage.plan([1], [0], [1], capacity=capacity), lambda: stowage.compile(CHAIN, capacity=capacity)):
                with self.subTest(capacity), self.assertRaisesRegex(ValueError, "capacity"):
                    take()

    def test_sizes_beyond_64_bits(self):
        with self.assertRaisesRegex(stowage.Error, "64 bits"):
            stowage.plan([2**63, 2**63], [0, 0], [1, 1])

    def test_map(self):
        picture = stowage.plan([8, 8], [0, 0], [1, 1], names=["<left>", "right"])._repr_html_()
        self.assertTrue(picture.startswith("<svg"))
        self.assertIn("&lt;left", picture)
        self.assertNotIn("<left>", picture)


class Programs(unittest.TestCase):
    def test_linalg_and_tosa_give_the_same(self):
        for file in ("network.mlir", "tosa.mlir", "torch.mlir"):
            with self.subTest(file):
                program = stowage.compile(TUTORIAL / file)
                np.testing.assert_array_equal(program(INPUT.reshape(program.inputs[0].shape)), EXPECTED)
                self.assertEqual(program.arena_bytes, 1360)
                self.assertGreater(program.weight_bytes, 0)

    def test_numbers_of_8_bits_give_the_same(self):
        program = stowage.compile(TUTORIAL / "int8.mlir")
        scores = program((16 * INPUT).astype(np.int8)).view(np.uint8).astype(np.float32)
        np.testing.assert_array_equal((scores - 128) / 256, EXPECTED)
        self.assertEqual(program.arena_bytes, 836)

    def test_arena_is_smaller_than_buffers(self):
        program = stowage.compile(CHAIN, reduce_peak=False)
        self.assertEqual(program.name, "model")
        self.assertLess(program.arena_bytes, program.unplanned_bytes)
        self.assertEqual(program.arena_bytes, program.unreduced_bytes)
        x = np.linspace(-1, 1, 64, dtype=np.float32).reshape(8, 8)
        np.testing.assert_allclose(program(x), x @ x @ x @ x @ x, rtol=1e-5, atol=1e-5)
        np.testing.assert_array_equal(program(x), stowage.compile(CHAIN)(x))

    def test_functions_without_an_instruction(self):
        x = np.linspace(-2, 2, 111, dtype=np.float32).reshape(3, 37)
        for op, wanted in (("math.erf %a : f32", np.vectorize(math.erf)(x)), ("math.tanh %a : f32", np.tanh(x)),
                           ("math.fpowi %a, %three : f32, i64", x * x * x), ("math.atan2 %a, %a : f32", np.arctan2(x, x))):
            with self.subTest(op):
                made = stowage.compile(MATHEMATICS.replace("OPS", f"    %b = {op}"))(x)
                np.testing.assert_allclose(made, wanted, rtol=1e-5, atol=1e-6)

    def test_global_arena(self):
        program = stowage.compile(TUTORIAL / "network.mlir", arena="global")
        np.testing.assert_array_equal(program(INPUT), EXPECTED)

    def test_loops_carry_tensors(self):
        program, x = stowage.compile(LOOP), np.array([1, -2, 0.5, 3], np.float32)
        for times in (0, 1, 5):
            np.testing.assert_array_equal(program(x, np.int32(times)), x * 2**times)

    def test_capacity(self):
        with self.assertRaises(stowage.CapacityError) as caught:
            stowage.compile(CHAIN, capacity=64, reduce_peak=False)
        self.assertIn("capacity", str(caught.exception))
        self.assertEqual(stowage.compile(CHAIN, capacity="1KiB").arena_bytes, stowage.compile(CHAIN, capacity=1024).arena_bytes)
        with self.assertRaisesRegex(stowage.CapacityError, "capacity-in-bytes is 64;"):
            stowage.compile(CHAIN, capacity="64B", reduce_peak=False)

    def test_ops_run_again_to_fit(self):
        x, m = np.linspace(-1, 1, 64, dtype=np.float32), np.linspace(0, 1, 64 * 64, dtype=np.float32).reshape(64, 64)
        alone = stowage.compile(WAITS)
        program = stowage.compile(WAITS, capacity=512)
        self.assertEqual((alone.arena_bytes, program.arena_bytes), (768, 512))
        np.testing.assert_array_equal(program(x, m), alone(x, m))
        self.assertIn("ops that run again: 1", "".join(said.text for said in program.remarks if said.pass_name == "fit-memory"))
        with self.assertRaisesRegex(stowage.CapacityError, "'linalg.matvec' alone needs 512 bytes"):
            stowage.compile(WAITS, capacity=256)

    def test_a_pipeline_that_is_none_is_one_error(self):
        module = _library.Compiler().parse(CHAIN)
        with self.assertRaises(stowage.CompileError) as caught:
            module.run("plan", "no-such-pass")
        self.assertEqual(len(caught.exception.messages), 1)
        self.assertIn("'no-such-pass' does not refer to a registered pass", str(caught.exception))

    def test_remarks_and_report(self):
        program = stowage.compile(CHAIN)
        self.assertIn("arena", {remark.name for remark in program.remarks})
        self.assertEqual(program.report["arenas"][0]["function"], "model")
        self.assertIn("<html", str(program.map))
        self.assertIn("<iframe", program._repr_html_())

    def test_stages_are_told_in_order(self):
        stages = []
        stowage.compile(CHAIN, progress=lambda stage, seconds: stages.append(stage))
        self.assertEqual(stages, ["convert (none needed)", "parse", "linalg", "plan", "machine code"])

    def test_errors_are_located(self):
        with self.assertRaises(stowage.CompileError) as caught:
            stowage.compile(CHAIN.replace("return %p4", "return %p5"))
        self.assertEqual((caught.exception.stage, caught.exception.location), ("parse", "text:12:10"))
        for text in ("func.func private @f()\n", "func.func @f() { return }\nfunc.func @g() { return }\n"):
            with self.assertRaisesRegex(stowage.CompileError, "function"):
                stowage.compile(text)
        gc.collect()  # the cycle of an exception and its frames

    def test_inputs_stay_as_they_are(self):
        text = """func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
          %0 = linalg.exp ins(%x : tensor<4xf32>) outs(%x : tensor<4xf32>) -> tensor<4xf32>
          return %0 : tensor<4xf32>
        }"""
        x = np.zeros(4, np.float32)
        np.testing.assert_array_equal(stowage.compile(text)(x), np.ones(4, np.float32))
        np.testing.assert_array_equal(x, np.zeros(4, np.float32))

    def test_state_is_kept(self):
        for arena in ("argument", "global"):
            program = stowage.compile(COUNTER, arena=arena)
            self.assertGreaterEqual(program.state_bytes, 20)
            sums, x = np.array([1, 2], np.float32), np.array([0.5, -1], np.float32)
            for call in range(1, 4):
                before, count, same, twice = program(x)
                np.testing.assert_array_equal(before, sums)  # read before it is written
                np.testing.assert_array_equal(count, [call])
                np.testing.assert_array_equal(same, x)
                np.testing.assert_array_equal(twice, x)
                self.assertFalse(np.shares_memory(same, x) or np.shares_memory(same, twice))
                sums = sums + x
            program.reset()
            np.testing.assert_array_equal(program(x)[0], [1, 2])
            self.assertEqual(stowage.compile(LOOP).state_bytes, 0)

    def test_results_in_larger_memory(self):
        text = """func.func @f(%x: tensor<4xf32>) -> tensor<2xf32> {
          %e = tensor.empty() : tensor<4xf32>
          %0 = linalg.exp ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
          %1 = tensor.extract_slice %0[1] [2] [2] : tensor<4xf32> to tensor<2xf32>
          return %1 : tensor<2xf32>
        }"""
        np.testing.assert_array_equal(stowage.compile(text)(np.zeros(4, np.float32)), [1, 1])

    def test_sizes_that_change(self):
        """The arena is as large as a call needs, or as the largest; memory of results has their sizes."""
        for dynamic in ("exact", "bound"):
            program, last = stowage.compile(OPEN, dynamic=dynamic, name="net"), np.array([1, 2, 3], np.float32)
            self.assertEqual(program.arena_formula is None, dynamic == "bound")
            for n in (3, 1, 40, 7):
                x, y = np.linspace(-1, 1, 3 * n, dtype=np.float32).reshape(n, 3), np.arange(n, dtype=np.float32)
                with self.subTest(dynamic=dynamic, n=n):
                    twice, both, same, before = program(x, y)
                    np.testing.assert_allclose(twice, np.exp(np.exp(x)), rtol=1e-5)
                    np.testing.assert_allclose(both, np.concatenate([np.exp(np.exp(x)), np.exp(x)]), rtol=1e-5)
                    np.testing.assert_array_equal(same, y)
                    np.testing.assert_array_equal(before, last)
                    last = x[0]
            for rows, numbers, said in ((0, 0, "dimension 0 of input 0 is 0; it was compiled for 1 to 40"),
                                        (41, 41, "dimension 0 of input 0 is 41"), (3, 4, "input 1 is 4, but dimension 0 of input 0, which is also n, is 3")):
                with self.assertRaisesRegex(ValueError, said):
                    program(np.zeros((rows, 3), np.float32), np.zeros(numbers, np.float32))
        with self.assertRaisesRegex(stowage.CompileError, "size is known at run time only: set dynamic=exact"):
            stowage.compile(OPEN)

    def test_sizes_of_what_loops_carry(self):
        program = stowage.compile(DOUBLED, dynamic="exact", name="net")
        for n in (3, 1, 8):
            x = np.arange(n, dtype=np.float32)
            np.testing.assert_array_equal(program(x), 2 * x[:, None])

    def test_dims_are_refused_where_nothing_reads_them(self):
        for dims, dynamic, kind, said in (({"n": (1, 4)}, "off", ValueError, "n may change from call to call: set dynamic"),
                                          ({"n": (4, 1)}, "exact", ValueError, r"n: expected a size or \(least, most\)"),
                                          ({"n": 4}, "off", stowage.CompileError, "the sizes that its types say\nwrite \\?")):
            with self.subTest(said), self.assertRaisesRegex(kind, said):
                stowage.compile(OPEN, dims=dims, dynamic=dynamic)

    def test_numbers(self):
        text = "func.func @f(%n: i32, %x: tensor<2xf32>) -> i32 { %0 = arith.addi %n, %n : i32\nreturn %0 : i32 }"
        self.assertEqual(stowage.compile(text)(np.int32(4), np.zeros(2, np.float32)), 8)

    def test_small_elements(self):
        for element, kind in (("i8", np.int8), ("i8", np.uint8), ("ui8", np.uint8), ("f16", np.float16), ("bf16", np.uint16)):
            x = np.array([1, 2, 250], np.uint8).astype(kind)
            text = f"func.func @f(%x: tensor<3x{element}>) -> tensor<3x{element}> {{ return %x : tensor<3x{element}> }}"
            with self.subTest(element):
                self.assertEqual(stowage.compile(text)(x).tobytes(), x.tobytes())

    def test_unsigned_elements_are_so_in_c(self):
        header = stowage.compile("""func.func @f(%x: tensor<4xui8>, %y: tensor<4xi8>) -> (tensor<4xui8>, tensor<4xi8>) {
            %i = tosa.cast %x : (tensor<4xui8>) -> tensor<4xi32>
            %z = tosa.cast %i : (tensor<4xi32>) -> tensor<4xi8>
            return %x, %z : tensor<4xui8>, tensor<4xi8> }""").header
        self.assertIn("void model(uint8_t *arg0, int8_t *arg1, int8_t *result, void *arena);", header)

    def test_names_that_c_does_not_take(self):
        self.assertEqual(stowage.compile(LOOP, name="while").name, "model_while")
        with self.assertRaisesRegex(stowage.CompileError, "C's library has that name"):
            stowage.compile(LOOP, name="sin")

    def test_wrong_inputs(self):
        program = stowage.compile(TUTORIAL / "network.mlir")
        for given in ((), (INPUT[0],), (INPUT.astype(np.float64),)):
            with self.assertRaisesRegex(ValueError, "network"):
                program(*given)
        np.testing.assert_array_equal(program(np.repeat(INPUT, 2, axis=1)[:, ::2]), EXPECTED)  # not contiguous
        with self.assertRaisesRegex(ValueError, "arena: expected argument or global"):
            stowage.compile(CHAIN, arena="stack")
        with self.assertRaises(FileNotFoundError):
            stowage.compile("missing.mlir")

    def test_main_gets_a_name(self):
        text = CHAIN.replace("@chain", "public @main")
        self.assertEqual(stowage.compile(text, name="net").name, "net")
        self.assertEqual(stowage.compile(text, name="main").name, "model")


class Files(unittest.TestCase):
    def test_every_target(self):
        program = stowage.compile(TUTORIAL / "network.mlir")
        for target in _library.targets():
            with self.subTest(target):
                self.assertEqual(program.object(target)[:4], b"\x7fELF")
        with self.assertRaisesRegex(stowage.CompileError, "no target 'z80'"):
            program.object("z80")

    def test_vectors_are_the_target_s(self):
        program = stowage.compile(CHAIN, name="chain")
        for name, vector in (("x86-64", b"<4 x float>"), ("x86-64-v3", b"<8 x float>"), ("cortex-m4", None)):
            with self.subTest(name):
                module, target = program._module.clone(), _library.find_target(name)
                module.lower(target)
                text = module.emit(target, 2)
                self.assertIn(vector, text) if vector else self.assertNotIn(b" x float>", text)

    def test_products_of_bytes_are_the_target_s(self):
        program = stowage.compile(BYTES, name="bytes")
        sdot, smlad = b"@llvm.aarch64.neon.sdot.v4i32.v16i8", b"@llvm.arm.smlad"
        for name, has in (("cortex-a76", sdot), ("cortex-a72", None), ("cortex-m4", smlad), ("cortex-m3", None)):
            with self.subTest(name):
                module, target = program._module.clone(), _library.find_target(name)
                module.lower(target)
                text = module.emit(target, 2)
                self.assertEqual([one for one in (sdot, smlad) if one in text], [has] if has else [])

    def test_saved_program_runs(self):
        with tempfile.TemporaryDirectory() as folder:
            for model, name, dynamic in ((TUTORIAL / "network.mlir", "network", "off"), (COUNTER, "counter", "off"),
                                         (OPEN, "exact", "exact"), (OPEN, "bound", "bound")):
                stowage.compile(model, name=name, dynamic=dynamic).save(folder)
                subprocess.run(["cc", "-Wall", "-Werror", "-I", folder, f"{folder}/example.c", f"{folder}/lib{name}.a", "-lm",
                                "-o", f"{folder}/example"], check=True)
                subprocess.run([f"{folder}/example"], check=True)

    def test_output_that_cannot_be_written(self):
        class Full(io.BytesIO):
            def write(self, data):
                raise OSError("full")

        module = _library.Compiler().parse(CHAIN)
        with self.assertRaisesRegex(OSError, "full"):
            module.print(Full())
        program = stowage.compile(CHAIN)
        with tempfile.TemporaryDirectory() as folder:
            with unittest.mock.patch("stowage._program.archive", side_effect=OSError("full")), self.assertRaises(OSError):
                program.save(folder)
            self.assertEqual(list(Path(folder).iterdir()), [])

    def write_over_old_files(self, at, happens):
        """What stands in a folder with two old files after three new ones; `happens` precedes move `at` of a file."""
        moves, move = itertools.count(), os.replace

        def replace(*paths):
            if next(moves) == at:
                happens()
            move(*paths)

        with tempfile.TemporaryDirectory() as folder, unittest.mock.patch("os.replace", replace):
            for name in ("a.o", "a.h"):
                Path(folder, name).write_bytes(b"old")
            with self.assertRaises((OSError, KeyboardInterrupt)):
                _program.write_files(folder, {name: b"new" for name in ("a.o", "a.h", "a.a")})
            return {path.name: path.read_bytes() for path in Path(folder).iterdir()}

    def test_old_files_stay_if_new_ones_cannot_be_moved(self):
        def fail():
            raise OSError("denied")

        for at in range(5):
            with self.subTest(at):
                self.assertEqual(self.write_over_old_files(at, fail), {"a.o": b"old", "a.h": b"old"})

    def test_an_interrupt_waits_until_all_files_are_moved(self):
        for at in range(5):
            with self.subTest(at):
                files = self.write_over_old_files(at, lambda: signal.raise_signal(signal.SIGINT))
                self.assertEqual(files, {"a.o": b"new", "a.h": b"new", "a.a": b"new"})

    def test_a_folder_in_the_place_of_a_file(self):
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "a.o").write_bytes(b"old")
            Path(folder, "a.h", "kept").mkdir(parents=True)
            with self.assertRaisesRegex(IsADirectoryError, "a.h is a directory: remove it"):
                _program.write_files(folder, {"a.o": b"new", "a.h": b"new"})
            self.assertEqual(sorted(path.name for path in Path(folder).rglob("*")), ["a.h", "a.o", "kept"])
            self.assertEqual(Path(folder, "a.o").read_bytes(), b"old")

    def test_an_interrupt_loses_no_output(self):
        class Interrupting(io.BytesIO):
            def write(self, data):
                signal.raise_signal(signal.SIGINT)
                super().write(data)

        module, kept = _library.Compiler().parse(CHAIN), Interrupting()
        with self.assertRaises(KeyboardInterrupt):
            module.print(kept)
        self.assertEqual(kept.getvalue().decode(), str(module))

    def test_a_function_of_the_model_hides_none_of_the_library(self):
        text = """func.func private @NAME(%x: tensor<4xf32>) -> tensor<4xf32> {
          %e = tensor.empty() : tensor<4xf32>
          %0 = linalg.add ins(%x, %x : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
          return %0 : tensor<4xf32>
        }
        func.func @net(%x: tensor<4xf32>) -> tensor<4xf32> {
          %e = tensor.empty() : tensor<4xf32>
          %0 = func.call @NAME(%x) {no_inline} : (tensor<4xf32>) -> tensor<4xf32>
          %1 = linalg.tanh ins(%0 : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
          return %1 : tensor<4xf32>
        }"""
        x = np.linspace(-1, 1, 4, dtype=np.float32)
        plain = stowage.compile(text.replace("NAME", "twice"))(x)
        for name in ("tanhf", "malloc", "memcpy"):
            np.testing.assert_array_equal(stowage.compile(text.replace("NAME", name))(x), plain)
        with self.assertRaisesRegex(stowage.CompileError, "C's library has that name"):
            stowage.compile(text.replace("NAME", "twice"), name="roundevenf")

    def test_a_name_of_a_size_with_a_new_line(self):
        program = stowage.compile(DOUBLED.replace('name = "n"', 'name = "n*/\\0A#error"'), name="net", dynamic="exact")
        x = np.arange(5, dtype=np.float32)
        np.testing.assert_array_equal(program(x)[:, 0], 2 * x)
        with tempfile.TemporaryDirectory() as folder:
            program.save(folder)
            subprocess.run(["cc", "-Wall", "-Werror", "-fsyntax-only", "-I", folder, f"{folder}/example.c"], check=True)

    def test_sizes_beyond_64_bits(self):
        for size in ("9223372036854775807x9223372036854775807", "4611686018427387904x4"):
            with self.assertRaisesRegex(stowage.CompileError, "input 0 is f32.*more than 64 bits can count"):
                stowage.compile(f"func.func @f(%x: tensor<{size}xf32>) {{ return }}")

    def test_command(self):
        with tempfile.TemporaryDirectory() as folder:
            command = [sys.executable, "-m", "stowage._command", "compile"]
            done = subprocess.run([*command, str(TUTORIAL / "tosa.mlir"), "-o", folder, "--target", "cortex-m4"],
                                  capture_output=True, text=True, check=True)
            self.assertRegex(done.stdout, r"arena +1,360 bytes")
            self.assertTrue(Path(folder, "libtosa.a").exists())
            Path(folder, "open.mlir").write_text(OPEN)
            done = subprocess.run([*command, f"{folder}/open.mlir", "-o", folder, "--dynamic", "exact"], capture_output=True, text=True, check=True)
            self.assertRegex(done.stdout, r"(?s)input +by the call\n.*arena of a call: .*\bn\b.* bytes\n")
            wrong = subprocess.run([*command, "missing.onnx", "-o", folder], capture_output=True, text=True)
            self.assertEqual(wrong.returncode, 1)
            self.assertNotIn("target", wrong.stderr)
            wrong_target = subprocess.run([*command, "missing.onnx", "-o", folder, "--target", "z80"], capture_output=True, text=True)
            self.assertIn("stowage: error: target: no target 'z80'", wrong_target.stderr)
            self.assertIn("stowage: error: missing.onnx", wrong.stderr)


class Roads(unittest.TestCase):
    def test_every_converter_is_there(self):
        for road in _roads.ROADS.values():
            self.assertTrue((_roads.CONVERTERS / road.script).exists())

    def test_a_converter_that_is_missing(self):
        """The error has what to install, whether or not a registry has this package."""
        for said, given in (('a==1; extra == "onnx"', "a==1"), ("numpy>=1", r"'\./python\[onnx\]'")):
            with unittest.mock.patch("importlib.metadata.requires", lambda name: [said]):
                self.assertRegex(_roads._needed("onnx"), f"^{given}$")

    def test_the_first_op_is_named(self):
        road = _roads.ROADS[".onnx"]
        said = "x.mlir:7:10: error: failed to legalize operation 'torch.aten.fft_rfft' that was explicitly marked illegal"
        error = _roads._refused(road, said)
        self.assertRegex(str(error), r"torch-mlir cannot convert the op torch\.aten\.fft_rfft")
        self.assertEqual(error.location, "x.mlir:7:10")
        said = """x.mlir:9:15: error: failed to legalize operation 'torch.operator' that was explicitly marked illegal: """ \
               """%7:2 = "torch.operator"(%5, %6) <{name = "onnx.LSTM"}> {torch.onnx.hidden_size = 128 : si64}"""
        self.assertRegex(str(_roads._refused(road, said)), r"torch-mlir cannot convert the op onnx\.LSTM: x.mlir:9:15: error")

        said = """Traceback (most recent call last):\n    raise NotImplementedError(\nNotImplementedError: operation 'cond' is not there\n"""
        self.assertRegex(str(_roads._refused(road, said)), r"cannot convert the op cond: NotImplementedError: operation")

    def test_no_error_names_a_folder_that_is_gone(self):
        with tempfile.TemporaryDirectory() as folder:
            script, target = Path(folder, "refuse.py"), Path(folder, "converted.mlir")
            script.write_text('import sys; sys.exit(sys.argv[2] + ":7:10: error: op x.y has no form")')
            road = _roads.Road("a converter", str(script), "", (), None)
            with self.assertRaises(stowage.CompileError) as raised:
                _roads._run(road, script, target, {})
        self.assertEqual(raised.exception.location, "converted.mlir:7:10")
        self.assertNotIn(folder, str(raised.exception))


if __name__ == "__main__":
    unittest.main()
