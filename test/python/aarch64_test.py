#!/usr/bin/env python3
# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Networks for AArch64, linked by GCC and run by an emulator: every bit as on this computer."""

import shutil
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
from testing import networks, process

GCC, EMULATOR = "aarch64-linux-gnu-gcc", "qemu-aarch64"

# Products of numbers of 32 bits and of 8 bits, depthwise too; exp and tanh.
NETWORKS = ["mobilenetv2 --size 32 --width 0.125 --classes 10", "ds-cnn", "resnet8", "attention --sequence 16 --hidden 32",
            "transformer --sequence 8 --hidden 32 --heads 2"]
TARGETS = ["aarch64", "cortex-a76"]  # with products of bytes, four at once, and without


def main_of(program):
    """Inputs from standard input, results to standard output."""
    function = program._function
    made = [name for name in function.arguments if name in function.made]
    given = [name for name in function.arguments if name not in (*made, "arena")]
    memory = [f"static _Alignas(64) unsigned char {name}[{max(array.bytes, 1)}];" for name, array in function.arguments.items()]
    reads = [f"  if (fread({name}, 1, sizeof {name}, stdin) != sizeof {name}) return 1;" for name in given]
    call = f"  {program.name}({', '.join(f'(void *){name}' for name in function.arguments)});"
    writes = [f"  fwrite({name}, 1, sizeof {name}, stdout);" for name in made]
    return "\n".join(["#include <stdio.h>", f'#include "{program.name}.h"', *memory, "int main(void) {", *reads, call, *writes, "  return 0;", "}", ""])


def numbers(array, seed):
    random = np.random.default_rng(seed)
    if array.dtype.kind == "f":
        return random.uniform(-1, 1, array.shape).astype(array.dtype)
    return random.integers(-100, 100, array.shape).astype(array.dtype)


class AArch64(unittest.TestCase):
    def emulated(self, program, target, inputs, folder):
        program.save(folder, target=target)
        main = Path(folder, "main.c")
        main.write_text(main_of(program))
        process.call([GCC, "-O1", "-static", main, Path(folder, f"lib{program.name}.a"), "-lm", "-o", Path(folder, "main")])
        given = b"".join(array.tobytes() for array in inputs)
        return subprocess.run([EMULATOR, Path(folder, "main")], input=given, capture_output=True, check=True).stdout

    def test_bits(self):
        for network in NETWORKS:
            program = stowage.compile(networks.generate(*network.split(), "--library"))
            inputs = [numbers(array, i) for i, array in enumerate(program.inputs)]
            made = program(*inputs)
            here = b"".join(array.tobytes() for array in (made if isinstance(made, tuple) else (made,)))
            for target in TARGETS:
                with self.subTest(network=network, target=target), tempfile.TemporaryDirectory() as folder:
                    self.assertEqual(self.emulated(program, target, inputs, folder), here)


if __name__ == "__main__":
    absent = [tool for tool in (GCC, EMULATOR) if not shutil.which(tool)]
    if absent:
        print(f"skipped: no {' and no '.join(absent)}; run scripts/setup.sh check", file=sys.stderr)
        raise SystemExit(77)
    unittest.main()
