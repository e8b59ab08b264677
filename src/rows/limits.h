//===- limits.h - what is looked into, and told ---------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_ROWS_LIMITS_H
#define STOWAGE_ROWS_LIMITS_H

enum {
  STOW_ROWS_MOST_RANK = 16, // loops of an op, and dimensions of a memref: more are not looked into
  STOW_ROWS_MOST_ROWS = 1 << 20,   // of a buffer: there are tables of them
  STOW_ROWS_TOLD = 16,             // a buffer has a remark if it is at least 1/16 of the peak
  STOW_ROWS_LINE_BYTES = 64,       // of a cache
  STOW_ROWS_LEAST_AGAIN = 1 << 15, // bytes that a statement touches again, for rows across
  STOW_ROWS_MOST_ACROSS = 256,     // choices of rows across that are looked at,
  STOW_ROWS_MOST_ROUNDS = 8,       // and how often those that meet none of the others are tried
};

#endif // STOWAGE_ROWS_LIMITS_H
