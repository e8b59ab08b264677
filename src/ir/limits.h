//===- limits.h - what reading may cost -----------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each bounds work that would grow faster than the function. Where one is reached, less is known:
// lives are longer, sizes are variables, and nothing is taken for apart that may not be.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_IR_LIMITS_H
#define STOWAGE_IR_LIMITS_H

// Lives.
enum {
  STOW_RANGES_STEPS_EACH = 16,         // per segment, use and value of the flow: some milliseconds
  STOW_RANGES_STEPS_AT_LEAST = 500000, // for any flow
  STOW_RANGES_STEPS_PER_SPAN = 4,      // of a name that is looked at
  STOW_RANGES_MOST_PIECES = 64,        // of a buffer; more are one
  STOW_EXCLUSIVE_MOST_SHARERS = 64,    // buffers that a name may be; of more, no pair is looked at
  STOW_EXCLUSIVE_STEPS_PER_PAIR = 16,  // of these buffers
  STOW_MOST_MARKERS = 64,              // of a value: each is compared with each
  STOW_TRANSFERS_MOST_USES = 1024,     // of a tag, and transfers of a region; of more, none settles
  STOW_COMPLETION_MOST_NEEDS = 1 << 23,  // tokens times segments; of more, none settles
  STOW_COMPLETION_MOST_STEPS = 10000000, // from tokens to those that stand for them
};

// Ops.
enum {
  STOW_BUFFERS_MOST_ROUNDS = 16,     // of functions that call each other: then they keep all given
  STOW_DEALLOC_MOST_BLOCKS = 256,    // looked at before a path is taken for open
  STOW_STREAMS_MOST_ROWS = 8192,     // ops of a block that are ordered by tokens
  STOW_STREAMS_MOST_STEPS = 4000000, // on pairs of one block: what is left shares by pieces only
  STOW_VIEW_MOST_RANK = 16,          // of a memref: views of more are not read
  STOW_PARTS_MOST_VIEWS = 16,        // one upon the other
};

// Sizes.
enum {
  STOW_EXTENTS_MOST_DEPTH = 64,    // ops read backwards; what is behind them is a variable
  STOW_EXTENTS_MOST_REPEATED = 8,  // ops behind a variable that are repeated
  STOW_EXTENTS_MOST_ASSERTED = 64, // facts that assertions of one function tell
  STOW_FORMULA_MOST_DEPTH = 2,     // how often a comparison looks inside of atoms
  STOW_FORMULA_MOST_OPERANDS = 16, // of an atom that a comparison looks into
  STOW_FORMULA_MOST_COMPARED = 32, // operands of a max; of more, only equal ones are left out
};

// Bytes: a larger bound of a size is none. It follows from limits of several dimensions that do not
// hold at once, and a program that runs would fail to allocate it.
#define STOW_EXTENTS_MOST_BOUND (INT64_C(1) << 40)

// Bytes of a buffer that exists: systems give no addresses behind these unless asked to.
#define STOW_EXTENTS_MOST_BYTES (INT64_C(1) << 48)

// What is stated of a memory of a machine; more is an error.
#define STOW_MACHINE_MOST_BYTES (INT64_C(1) << 60)
enum {
  STOW_MACHINE_MOST_COST = 65536, // of a byte
  STOW_MACHINE_MOST_ALIGNMENT = 1 << 20,
  STOW_MACHINE_MOST_NUMBER = (1 << 24) - 1, // of an address space
  STOW_MACHINE_MOST_BANKS = 65536,
};

#endif // STOWAGE_IR_LIMITS_H
