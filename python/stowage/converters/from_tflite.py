# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""from_tflite.py MODEL.tflite OUT.mlir: a model as TOSA, by Arm's converter.

Sizes that may change from call to call, such as a batch, become those that the file was made with.
"""

import re
import struct
import subprocess
import sys
from pathlib import Path

# Fields of the tables of TensorFlow Lite's schema.
SUBGRAPHS, TENSORS, SHAPE, SIGNATURE = 2, 0, 0, 7


class Buffer:
    """Tables of a flatbuffer, by where they begin."""

    def __init__(self, data):
        self.data = bytearray(data)

    def number(self, at, form="<I"):
        return struct.unpack_from(form, self.data, at)[0]

    def field(self, table, index):
        """Where the vector of a field begins; 0 where the table has none."""
        names = table - self.number(table, "<i")
        known = 4 + 2 * index < self.number(names, "<H")
        at = self.number(names + 4 + 2 * index, "<H") if known else 0
        return at and table + at + self.number(table + at)

    def places(self, vector):
        count = min(self.number(vector), len(self.data) // 4) if vector else 0
        return [vector + 4 + 4 * i for i in range(count)]

    def tables(self, vector):
        return [place + self.number(place) for place in self.places(vector)]

    def fix_sizes(self):
        for graph in self.tables(self.field(self.number(0), SUBGRAPHS)):
            for tensor in self.tables(self.field(graph, TENSORS)):
                sizes = zip(self.places(self.field(tensor, SHAPE)), self.places(self.field(tensor, SIGNATURE)))
                for actual, told in sizes:
                    self.data[told:told + 4] = self.data[actual:actual + 4]
        return self.data


def read(path):
    """What the converter gets; a file that is none of TensorFlow Lite as it is, for the converter to say so."""
    data = path.read_bytes()
    try:
        return Buffer(data).fix_sizes()
    except struct.error:
        return data


def main():
    source, target = Path(sys.argv[1]), Path(sys.argv[2])
    fixed = target.with_suffix(".tflite")
    fixed.write_bytes(read(source))
    program = Path(sys.executable).parent / "tosa-converter-for-tflite"
    done = subprocess.run([str(program), str(fixed), "--text", "-o", str(target)], capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stderr or f"tosa-converter-for-tflite: error: ended by signal {-done.returncode}")
    left = re.search(r'"(tfl?\.\w+)"\(', target.read_text())
    if left:
        sys.exit(f"error: op '{left[1]}' has no form in TOSA")


if __name__ == "__main__":
    main()
