# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Large constants go past LLVM into the object: what is there is what the model says, and what it computes."""

import ctypes
import struct
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

try:
    import numpy as np
except ImportError:
    print("skipped: no numpy; run scripts/setup.sh check", file=sys.stderr)
    raise SystemExit(77)

import stowage
from stowage import _constants, _library

CELLS = 5000
RANDOM = np.random.default_rng(7)
# One constant of each kind; the first is too small to be taken, booleans are packed in an attribute, the last two are
# one element each.
KINDS = {
    "small": ("f32", np.arange(8, dtype=np.float32)),
    "f32": ("f32", RANDOM.standard_normal(CELLS).astype(np.float32)),
    "f64": ("f64", RANDOM.standard_normal(CELLS)),
    "i8": ("i8", RANDOM.integers(-128, 127, CELLS).astype(np.int8)),
    "i16": ("i16", RANDOM.integers(-2**15, 2**15, CELLS).astype(np.int16)),
    "i64": ("i64", RANDOM.integers(-2**60, 2**60, CELLS)),
    "bits": ("i1", RANDOM.integers(0, 2, 9 * CELLS).astype(bool)),
    "splat": ("f32", np.full(CELLS, 2.5, np.float32)),
    "zeros": ("i32", np.zeros(CELLS, np.int32)),
}
TAKEN = [name for name in KINDS if name not in ("small", "bits")]


def literal(kind, values):
    if (values == values[0]).all():
        return f"dense<{'%e' % values[0] if kind[0] == 'f' else values[0]}>"
    data = np.packbits(values, bitorder="little") if kind == "i1" else values
    return f'dense<"0x{data.tobytes().hex().upper()}">'


def model(names, resource=False):
    """A function that gives its constants, copied, in the order of the names."""
    lines, types, blobs = [], [], []
    for name in names:
        kind, values = KINDS[name]
        types.append(f"tensor<{len(values)}x{kind}>")
        value = literal(kind, values)
        if resource:
            blobs.append(f'{name}: "0x08000000{values.tobytes().hex().upper()}"')
            value = f"dense_resource<{name}>"
        lines += [f"  %{name} = arith.constant {value} : {types[-1]}",
                  f"  %{name}e = tensor.empty() : {types[-1]}",
                  f"  %{name}c = linalg.copy ins(%{name} : {types[-1]}) outs(%{name}e : {types[-1]}) -> {types[-1]}"]
    results = ", ".join(f"%{name}c" for name in names)
    text = "\n".join([f"func.func @net() -> ({', '.join(types)}) {{", *lines, f"  return {results} : {', '.join(types)}", "}", ""])
    return text + (f"{{-# dialect_resources: {{ builtin: {{ {', '.join(blobs)} }} }} #-}}\n" if blobs else "")


def sections(code):
    """Of an ELF file, by name: type, alignment, and bytes."""
    wide = code[4] == 2
    at, size, count, names = struct.unpack_from("<Q10xHHH", code, 40) if wide else struct.unpack_from("<I10xHHH", code, 32)
    found = []
    for i in range(count):
        name, kind, *rest = struct.unpack_from("<IIQQQQIIQ" if wide else "<IIIIIIIII", code, at + i * size)
        found.append((name, kind, rest[2], rest[3], rest[6]))
    table = found[names][2]
    return {code[table + name:code.index(b"\0", table + name)].decode(): (kind, alignment, code[begin:begin + length])
            for name, kind, begin, length, alignment in found}


PRODUCT = """func.func @net(%x: tensor<1xROWSxi32>) -> tensor<1xCOLUMNSxi32> {
  %w = arith.constant VALUE : tensor<ROWSxCOLUMNSxi32>
  %zero = arith.constant 0 : i32
  %e = tensor.empty() : tensor<1xCOLUMNSxi32>
  %f = linalg.fill ins(%zero : i32) outs(%e : tensor<1xCOLUMNSxi32>) -> tensor<1xCOLUMNSxi32>
  %y = linalg.matmul ins(%x, %w : tensor<1xROWSxi32>, tensor<ROWSxCOLUMNSxi32>) outs(%f : tensor<1xCOLUMNSxi32>) -> tensor<1xCOLUMNSxi32>
  return %y : tensor<1xCOLUMNSxi32>
}
"""
RESOURCE = '{-# dialect_resources: { builtin: { w: "0x04000000DIGITS" } } #-}\n'
MEASURED = """
import sys
import stowage
def peak():  # of this process; getrusage has also what its parent took
    return 1024 * next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith("VmHWM"))
before = peak()
program = stowage.compile(sys.argv[1], reduce_peak=False)
program(program.inputs[0].empty())
print(peak() - before)
"""


class Weights(unittest.TestCase):
    def check(self, program, names):
        results = program()
        for name, given in zip(names, results if len(names) > 1 else [results]):
            with self.subTest(name):
                np.testing.assert_array_equal(given, KINDS[name][1])

    def test_every_kind(self):
        self.check(stowage.compile(model(KINDS), name="net"), list(KINDS))

    def test_a_model_named_like_the_weights(self):
        self.check(stowage.compile(model(["f32"]), name="stowage_weights"), ["f32"])

    def test_resources(self):
        names = ["f32", "i8", "i64"]
        self.check(stowage.compile(model(names, resource=True), name="net"), names)

    def test_alone(self):
        for name in KINDS:
            self.check(stowage.compile(model([name]), name="net"), [name])

    def test_every_target(self):
        program = stowage.compile(model(KINDS), name="net")
        for target in _library.targets():
            with self.subTest(target):
                kind, alignment, data = sections(program.object(target))[".rodata.stowage_weights"]
                self.assertEqual(kind, 1)  # it has bytes
                for name in TAKEN:
                    place = data.index(KINDS[name][1].tobytes()[:4096])
                    self.assertEqual(place % min(alignment, 16), 0)
                    self.assertEqual(data[place:place + KINDS[name][1].nbytes], KINDS[name][1].tobytes())

    def test_few_bytes_are_left_to_llvm(self):
        program = stowage.compile(model(["small"]), name="net")
        self.assertNotIn(".rodata.stowage_weights", sections(program.object()))

    def test_text_has_them(self):
        program = stowage.compile(model(["i8"]), name="net")
        module, host = program._module.clone(), _library.find_target("host")
        module.lower(host)
        self.assertIn(b"[5000 x i8]", module.emit(host, 2))
        self.assertNotIn(b"stowage_weights", module.emit(host, 1))

    def test_memory_of_the_process(self):
        """Three times the weights: the model's, as code reads them side by side, and those of a call."""
        rows, columns, own = 1024, 16384, 56 << 20  # the compiler takes 43 MiB itself
        digits = RANDOM.integers(0, 256, 4 * rows * columns, np.uint8).tobytes().hex().upper()
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "net.mlir")
            for value, end in ((f'dense<"0x{digits}">', ""), ("dense_resource<w>", RESOURCE.replace("DIGITS", digits))):
                path.write_text(PRODUCT.replace("VALUE", value).replace("ROWS", str(rows)).replace("COLUMNS", str(columns)) + end)
                done = subprocess.run([sys.executable, "-c", MEASURED, str(path)], capture_output=True, text=True, check=True)
                with self.subTest(end[:24]):
                    self.assertLess(int(done.stdout), 3 * 4 * rows * columns + own)

    def test_what_leaves_the_text(self):
        digits = "0a1B" * _constants.LEAST_DIGITS
        text = f"""a = dense<"0x{digits}"> b = dense<"0x0102"> c = "0x{digits}"
            {{-# dialect_resources: {{ builtin: {{ w: "0x04000000{digits}", "a b": "0x08000000{digits}", z: "0x0400000011" }} }} #-}}"""
        left, constants = _constants.split(text.encode())
        self.assertEqual(left.decode(), text.replace(f'dense<"0x{digits}">', "dense_resource<stowage_constant_0>")
                         .replace(f"04000000{digits}", "04000000").replace(f"08000000{digits}", "08000000"))
        self.assertEqual([(one.name, one.is_dense) for one in constants], [("stowage_constant_0", True), ("w", False), ("a b", False)])
        self.assertEqual({bytes(one.data) for one in constants}, {bytes.fromhex(digits)})

    def test_text_that_is_wrong(self):
        digits = "0a1B" * _constants.LEAST_DIGITS
        whole = "func.func @net() -> tensor<4xf32> {\n  %w = arith.constant VALUE : tensor<4xf32>\n  return %w : tensor<4xf32>\n}\n"
        for value, said in ((f'dense<"0x{digits}">', "text:2:8: error: the hexadecimal digits of a constant are not as many"),
                            (f'dense<"0x{digits}G">', r"text:2:\d+: error: .*hex"), (f'dense<"0x{digits}', r"text:2:\d+: error: ")):
            with self.subTest(value[-4:]), self.assertRaisesRegex(stowage.CompileError, said):
                stowage.compile(whole.replace("VALUE", value))

    def test_a_resource_without_alignment(self):
        for digits in ("0000803f", "0a1B" * _constants.LEAST_DIGITS):
            with self.assertRaisesRegex(stowage.CompileError, "line 2: the resource 'w' has an alignment of 0"):
                _constants.split(f'dense<"0x00000000">\n{{-# dialect_resources: {{ builtin: {{ w: "0x00000000{digits}" }} }} #-}}'.encode())

    def test_linked_into_a_library(self):
        names = ["f32", "splat", "i8"]
        program = stowage.compile(model(names), name="net")
        with tempfile.TemporaryDirectory() as folder:
            program.save(folder)
            subprocess.run(["cc", "-shared", "-o", f"{folder}/net.so", f"{folder}/net.o"], check=True)
            loaded = ctypes.CDLL(str(Path(folder, "net.so")))
            given = [np.empty_like(KINDS[name][1]) for name in names]
            arena = np.empty(program.arena_bytes + 64, np.uint8)
            arguments = [array.ctypes.data for array in given] + [arena.ctypes.data + -arena.ctypes.data % 64]
            loaded.net(*(ctypes.c_void_p(address) for address in arguments))
        for name, array in zip(names, given):
            np.testing.assert_array_equal(array, KINDS[name][1])


if __name__ == "__main__":
    unittest.main()
