//===- invariants.h - what each table of ir promises the next -------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Asserted where one stage's tables become the next one's input. With NDEBUG nothing
// of it is compiled. A check is written from what the header of a table says, not from
// how the table is filled.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_IR_INVARIANTS_H
#define STOWAGE_IR_INVARIANTS_H

#include "ir/buffers.h"

#ifndef NDEBUG

void stow_ir_assert_flow(const stow_flow *flow);
void stow_ir_assert_lives(const stow_flow *flow, const stow_life *lives);
void stow_ir_assert_memory(const stow_function_memory *memory);

#else

static inline void stow_ir_assert_flow(const stow_flow *flow) { (void)flow; }
static inline void stow_ir_assert_lives(const stow_flow *flow, const stow_life *lives) {
  (void)flow;
  (void)lives;
}
static inline void stow_ir_assert_memory(const stow_function_memory *memory) { (void)memory; }

#endif

#endif // STOWAGE_IR_INVARIANTS_H
