# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Linalg ops on memrefs as vectors of this machine, by convert-linalg-to-vectors.

    text = vectors.vectorized(tools, text)                    # the bits are those of plain loops
    text = vectors.vectorized(tools, text, "contract=true")   # products fused with sums
"""

import platform
import re
from pathlib import Path

# What LLVM knows of processors, for the widest registers first.
REGISTERS = [("avx512_vnni", "vector-bits=512 registers=32 pairs dot=vnni"), ("avx512f", "vector-bits=512 registers=32 pairs"),
             ("avx_vnni", "vector-bits=256 registers=16 pairs dot=vnni"), ("avx2", "vector-bits=256 registers=16 pairs")]  # fmt: skip
OTHERS = {"aarch64": "vector-bits=128 registers=32"}


def registers():
    """Options of the pass for this machine."""
    try:
        flags = re.search(r"^flags\s*:(.*)$", Path("/proc/cpuinfo").read_text(), re.M)
    except OSError:
        flags = None
    known = flags[1].split() if flags else ()
    found = (options for flag, options in REGISTERS if flag in known)
    return next(found, OTHERS.get(platform.machine(), "vector-bits=128 registers=16"))


def vectorized(tools, text, more=""):
    """`more`: further options of the pass."""
    return tools.apply(text, f"builtin.module(convert-linalg-to-vectors{{{registers()} {more}}})")
