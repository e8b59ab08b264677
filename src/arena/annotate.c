//===- annotate.c - lives and offsets as attributes on the allocs ---------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires planned arenas. Sets stowage.offset, the pieces of the life and the like on each alloc
// that is planned, and why on each other one. The bytes of a workgroup have no op to set them on.
//
//===----------------------------------------------------------------------===//

#include "arena/arena.h"

#include "mlir-c/BuiltinAttributes.h"

#include <stdlib.h>

// The life as begin, end of each of its pieces.
static void set_life(MlirOperation op, const stow_buffer_fact *fact) {
  int64_t *ends = stow_ir_allocate(2 * fact->piece_count, sizeof *ends);
  for (size_t p = 0; p < fact->piece_count; ++p) {
    ends[2 * p] = fact->pieces[p].begin;
    ends[2 * p + 1] = fact->pieces[p].end;
  }
  stow_ir_set_attribute(
      op, "stowage.life",
      mlirDenseI64ArrayGet(mlirOperationGetContext(op), 2 * (intptr_t)fact->piece_count, ends));
  free(ends);
}

// `lender`: a number for the arena's, where its bytes are a result's.
static void annotate_planned(const stow_arenas *arenas, const stow_arena *arena, int64_t lender) {
  const stow_flow *flow = &stow_arena_function(arenas, arena)->flow;
  for (size_t i = 0; i < arena->planned_count; ++i) {
    MlirOperation op = flow->allocs.at[arena->planned[i]].op;
    set_life(op, stow_arena_fact(arenas, arena, arena->planned[i]));
    stow_ir_set_number(op, "stowage.offset", (int64_t)arena->offsets[i]);
    if (stow_backing_is(arena->backing, STOW_BACKING_IS_LENT))
      stow_ir_set_number(op, "stowage.lent_by", lender);
  }
  if (stow_backing_is(arena->backing, STOW_BACKING_IS_LENT))
    stow_ir_set_number(flow->allocs.at[arena->lender].op, "stowage.lends", lender);
}

static void annotate_left_alone(const stow_arenas *arenas, const stow_arena *arena) {
  const stow_flow *flow = &stow_arena_function(arenas, arena)->flow;
  MlirContext context = mlirOperationGetContext(arenas->module);
  for (size_t i = 0; i < arena->members.count; ++i) {
    const stow_buffer_fact *fact = stow_arena_fact(arenas, arena, arena->members.at[i]);
    if (fact->reason == STOW_PLANNED)
      continue;
    MlirStringRef code = stow_ir_string(stow_arena_reason_row(fact->reason)->code);
    stow_ir_set_attribute(flow->allocs.at[arena->members.at[i]].op, "stowage.left_alone",
                          mlirStringAttrGet(context, code));
  }
}

void stow_arena_annotate(const stow_arenas *arenas) {
  int64_t lender = 0;
  STOW_EACH(const stow_arena, arena, arenas->arenas) {
    if (stow_backing_is(arena->backing, STOW_BACKING_IS_SHARED))
      continue; // no op to put attributes on
    annotate_planned(arenas, arena, lender);
    lender += stow_backing_is(arena->backing, STOW_BACKING_IS_LENT);
    annotate_left_alone(arenas, arena);
  }
}
