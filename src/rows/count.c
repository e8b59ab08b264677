//===- count.c - memory that is only counted ------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An allocation that is passed to a call, and memory that a call returns, may have aliases
// that are not known here. Statements that touch it keep their order, as with all such memory.
// Its bytes are counted nevertheless: an allocation as part of the arena, because merge-alloc
// plans the callee too, and a call's result until it is freed after its last use. A wrong guess
// costs bytes; it does not change what the program computes.
//
//===----------------------------------------------------------------------===//

#include "rows/block.h"

#include "bridge/bridge.h"

static bool is_seen_through(MlirOperation op, stow_symbols *symbols) {
  if (stow_ir_is(op, STOW_MEMREF_LOAD) || stow_ir_is(op, STOW_MEMREF_COPY) ||
      stow_ir_is_dealloc(op) || (stow_op_facts(op) & STOW_OP_STRUCTURED))
    return true;
  if (!stow_bridge_op_is_call(op))
    return false;
  MlirOperation callee = stow_bridge_callee(op, symbols);
  return !mlirOperationIsNull(callee) && !mlirRegionIsNull(stow_bridge_function_body(callee));
}

// Whether memory is there to the end of the block, or who knows how long.
static bool stays(MlirValue value, stow_symbols *symbols) {
  STOW_EACH_USE_OF_NAMES(use, value) {
    const MlirOperation op = mlirOpOperandGetOwner(use);
    if (stow_ir_is(op, STOW_MEMREF_STORE)
            ? mlirValueEqual(mlirOperationGetOperand(op, 0), mlirOpOperandGetValue(use))
            : !stow_ir_makes_view(use) && !is_seen_through(op, symbols))
      return true;
  }
  return false;
}

// The most that an allocation in a call's function asks for: a guess at what the call returns.
static uint64_t asked_by_callee(MlirOperation call, stow_symbols *symbols) {
  uint64_t asked = 0;
  MlirOperation callee = stow_bridge_callee(call, symbols);
  STOW_EACH_OP_OF(op, callee)
    if (stow_ir_is_plain_alloc(op))
      asked = stow_ir_larger(asked, stow_ir_alignment_attribute(op));
  return asked;
}

static void add(stow_rows_block *b, const stow_layout *layout, stow_symbols *symbols,
                MlirValue value, uint64_t asked) {
  const bool returned = !stow_ir_is_plainly_made(value);
  stow_extent size;
  uint64_t alignment;
  if (!stow_ir_is_buffer(mlirValueGetType(value)) ||
      stow_ir_memref_size(layout, mlirValueGetType(value), &size, &alignment) != STOW_SIZE_OK)
    return;
  const bool escapes = stays(value, symbols);
  const stow_rows_buffer buffer = {.value = value,
                                   .escapes = escapes,
                                   .passes = returned && !escapes,
                                   .bytes = size.bytes,
                                   .alignment = alignment,
                                   .asked = asked};
  stow_map_add(&b->counted_of, value.ptr, (int32_t)STOW_PUSH(b->buffers, buffer));
}

void stow_rows_add_counted(stow_rows_block *b, const stow_layout *layout) {
  stow_symbols *symbols = stow_symbols_create();
  b->alloc_end = b->buffers.count;
  STOW_EACH_OP(op, b->block) {
    const bool alloc = stow_ir_is_plain_alloc(op) &&
                       stow_map_get(&b->buffer_of, mlirOperationGetResult(op, 0).ptr) < 0;
    const bool call = stow_bridge_op_is_call(op) && mlirOperationGetNumResults(op) > 0;
    const uint64_t asked = alloc  ? stow_ir_alignment_attribute(op)
                           : call ? asked_by_callee(op, symbols)
                                  : 0;
    for (intptr_t i = 0; (alloc || call) && i < mlirOperationGetNumResults(op); ++i)
      add(b, layout, symbols, mlirOperationGetResult(op, i), asked);
  }
  stow_symbols_destroy(symbols);
}
