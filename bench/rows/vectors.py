# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Linalg ops on memrefs, and copies of parts, as vectors of this machine, by convert-linalg-to-vectors.

    text = vectors.vectorized(tools, text)                    # the bits are those of plain loops
    text = vectors.vectorized(tools, text, "contract=true")   # products fused with sums
"""

from testing.registers import registers


def vectorized(tools, text, more=""):
    """`more`: further options of the pass."""
    return tools.apply(text, f"builtin.module(lower-strided-copies,convert-linalg-to-vectors{{{registers()} {more}}})")
