# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Large constants leave MLIR's text before it is parsed.

As text they take twice their bytes, and MLIR would make two copies of them while it reads. Here they are read piece by piece:

    %w = arith.constant dense<"0x0A1B..."> : tensor<...>      =>  dense_resource<stowage_constant_0>
    {-# dialect_resources: { builtin: { w: "0x040000000A1B..." } } #-}  =>  w: "0x04000000"
"""

from __future__ import annotations

import binascii
import mmap
import re
from dataclasses import dataclass

from stowage._errors import CompileError

LEAST_DIGITS = 1 << 16  # shorter ones stay
PIECE = 1 << 20
ALIGNMENT_DIGITS = 8  # in front of a resource's
DENSE, DENSE_NAME = b"dense<", "stowage_constant_"
RESOURCE = re.compile(rb'(?:([\w.$-]+)|"([^"\\]*)")\s*:\s*\Z')


@dataclass(frozen=True)
class Constant:
    name: str  # of the resource
    data: bytearray
    is_dense: bool  # dense<...> in the text


def take(path):
    """A file's text without its large constants, and these."""
    if not path.stat().st_size:
        return b"", []
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as whole:
        try:
            return split(whole)
        except ValueError:  # not digits: the parser says where
            return bytes(whole), []


def split(whole):
    text, constants, copied, at = bytearray(), [], 0, 0
    while (begin := whole.find(b'"0x', at)) >= 0:
        at = begin + 3
        short = whole.find(b'"', at, at + LEAST_DIGITS)
        text += whole[copied:begin]
        copied = begin
        refuse_no_alignment(whole, begin, text)
        named = None if short >= 0 else read_name(text, len(constants))
        if not named:
            at = max(at, short + 1)
            continue
        name, is_dense = named
        head = 0 if is_dense else ALIGNMENT_DIGITS
        data, end = read_digits(whole, at + head)
        if is_dense:
            text[-len(DENSE):] = b"dense_resource<" + name.encode()
        else:
            text += whole[begin:at + head] + b'"'
        constants.append(Constant(name, data, is_dense))
        copied = at = end + 1
        forget(whole, at)
    return bytes(text + whole[copied:]), constants


def refuse_no_alignment(whole, begin, before):
    digits = whole[begin + 3:begin + 3 + ALIGNMENT_DIGITS]
    name, is_dense = digits == b"0" * ALIGNMENT_DIGITS and read_name(before, 0) or (None, True)
    if not is_dense:  # MLIR's parser aborts
        line = whole[:begin].count(b"\n") + 1
        raise CompileError("parse", text=f"line {line}: the resource '{name}' has an alignment of 0",
                           advice="its first eight digits are the alignment, as a little-endian number")


def read_name(before, count):
    """The name of the constant that follows this text, and whether it stands in dense<...>; None: it is none."""
    if before.endswith(DENSE):
        return f"{DENSE_NAME}{count}", True
    found = RESOURCE.search(before, max(0, len(before) - 1000)) if b"dialect_resources" in before else None
    return found and ((found[1] or found[2]).decode(), False)


def read_digits(whole, at):
    """What the digits from here to the next quote stand for, and where that is."""
    data, done = bytearray(), at
    while True:
        piece = whole[at:at + PIECE]
        stop = piece.find(b'"')
        data += binascii.unhexlify(piece[:stop] if stop >= 0 else piece)
        if stop >= 0:
            return data, at + stop
        if len(piece) < PIECE:
            raise ValueError("no quote")
        at += PIECE
        if at - done >= 64 * PIECE:
            forget(whole, at)
            done = at


def forget(whole, end):
    """The pages of the file up to here have been read."""
    if isinstance(whole, mmap.mmap) and hasattr(mmap, "MADV_DONTNEED"):
        whole.madvise(mmap.MADV_DONTNEED, 0, end // mmap.PAGESIZE * mmap.PAGESIZE)
