# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""MLIR's own tests as programs to run: where they are, and one program per split.

$LLVM_TESTS names the folder mlir/test of LLVM 22's source. Without it there is
nothing to run.
"""

import os
import re
from dataclasses import dataclass
from pathlib import Path

from testing.places import skip


@dataclass(frozen=True)
class Program:
    name: str  # "Dialect/MemRef/ops.mlir#3", counted from 0
    text: str


def tests_folder():
    """The folder of MLIR's tests; ends the process where there is none."""
    given = os.environ.get("LLVM_TESTS")
    if not given:
        skip("LLVM_TESTS is not set; it names the folder mlir/test of LLVM 22's source")
    if not (Path(given) / "Dialect").is_dir():
        skip(f"LLVM_TESTS={given} is not a folder mlir/test: it has no folder Dialect")
    return Path(given)


def programs(folder, parts):
    """Every program of the parts (files, or folders with all below), in order of names."""
    paths = {p for part in parts for p in files(folder / part)}
    return [program for path in sorted(paths) for program in split(path, folder)]


def files(part):
    return part.rglob("*.mlir") if part.is_dir() else [part]


def split(path, folder):
    """A file's programs, as mlir-opt's --split-input-file takes them."""
    text = path.read_bytes().decode(errors="replace")
    name = path.relative_to(folder).as_posix()
    return [Program(f"{name}#{i}", part) for i, part in enumerate(MARKER.split(text))]


MARKER = re.compile(r"^// -----.*$", re.M)
