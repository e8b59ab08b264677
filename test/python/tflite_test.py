#!/usr/bin/env python3
# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What from_tflite.py does to a file before the converter gets it. Needs Python alone."""

import struct
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python" / "stowage" / "converters"))
import from_tflite  # noqa: E402


def numbers(*values):
    return struct.pack(f"<I{len(values)}i", len(values), *values)


def table(fields):
    """A table of vectors, given as {field: the vector's bytes}: where its fields lie, and the table with the vectors behind."""
    count, size = max(fields) + 1, 4 + 4 * len(fields)
    places, body, behind = {field: 4 + 4 * i for i, field in enumerate(fields)}, b"", b""
    for field, vector in fields.items():
        body += struct.pack("<I", size + len(behind) - places[field])
        behind += vector
    names = struct.pack(f"<HH{count}H", 4 + 2 * count, size, *(places.get(i, 0) for i in range(count)))
    return names, struct.pack("<i", len(names)) + body + behind


def of_table(made):
    """A vector of one table. Where its fields lie stands in front of it."""
    names, body = made
    return struct.pack("<II", 1, 4 + len(names)) + names + body


def file_of(tensor):
    graph = table({from_tflite.TENSORS: of_table(table(tensor))})
    names, body = table({from_tflite.SUBGRAPHS: of_table(graph)})
    return struct.pack("<I", 4 + len(names)) + names + body


class Sizes(unittest.TestCase):
    def fixed(self, data):
        with tempfile.NamedTemporaryFile() as file:
            Path(file.name).write_bytes(data)
            return bytes(from_tflite.read(Path(file.name)))

    def test_open_sizes_become_those_of_the_file(self):
        shape = numbers(1, 76, 32)
        data = file_of({from_tflite.SHAPE: shape, from_tflite.SIGNATURE: numbers(-1, 76, -1)})
        self.assertEqual(self.fixed(data), file_of({from_tflite.SHAPE: shape, from_tflite.SIGNATURE: shape}))

    def test_nothing_is_open(self):
        for tensor in ({from_tflite.SHAPE: numbers(2, 3)}, {from_tflite.SIGNATURE: numbers(-1)}):
            data = file_of(tensor)
            self.assertEqual(self.fixed(data), data)

    def test_other_files_stay(self):
        whole = file_of({from_tflite.SHAPE: numbers(1), from_tflite.SIGNATURE: numbers(-1)})
        for data in (b"", b"no model", b"\xff" * 64, whole[:-9]):
            self.assertEqual(self.fixed(data), data)


if __name__ == "__main__":
    unittest.main()
