//===- constants.c - what is computed of constants alone ------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A buffer is a constant if an op fills it, or moves or casts elements of constants into it,
// and nothing else writes it. Where its readers can read the source instead, moves.c does that
// first, as it takes no memory; this is for other readers, and for casts.
//
//===----------------------------------------------------------------------===//

#include "copies/copies.h"

#include "bridge/linalg.h"
#include "ir/size.h"
#include "mlir-c/BuiltinTypes.h"

#include <stdlib.h>

typedef struct folding {
  stow_copies_trial *trial;
  MlirOperation op;
  MlirValue buffer;
  MlirBlock block;
  stow_copies_uses uses;
} folding;

static bool is_small(const folding *f, uint64_t most) {
  const uint64_t bytes = stow_ir_made_bytes(f->buffer);
  return bytes > 0 && bytes <= most;
}

// Whether all uses come after the op, in its block, and read.
static bool is_only_read(const folding *f) {
  if (!mlirOperationIsNull(f->uses.opaque))
    return false;
  STOW_EACH(const stow_copies_touch, touch, f->uses.touches) {
    MlirOperation at = stow_ir_op_in_block(f->block, touch->op);
    if (!mlirOperationEqual(touch->op, f->op) && (touch->writes || mlirOperationEqual(at, f->op) ||
                                                  !mlirOperationIsBeforeInBlock(f->op, at)))
      return false;
  }
  return true;
}

// Per operand, the elements of the constant that it is; null for others.
static MlirAttribute *elements_of(const folding *f) {
  const intptr_t count = mlirOperationGetNumOperands(f->op);
  MlirAttribute *list = stow_ir_allocate((size_t)count, sizeof *list);
  for (intptr_t i = 0; i < count; ++i) {
    MlirOperation global = stow_copies_global(f->trial, mlirOperationGetOperand(f->op, i));
    if (!mlirOperationIsNull(global))
      list[i] = stow_bridge_constant_elements(global);
  }
  return list;
}

static void rewrite(folding *f, MlirAttribute elements) {
  MlirOperation alloc = mlirOpResultGetOwner(f->buffer);
  char *text = stow_ir_format("%llu bytes are a constant",
                              (unsigned long long)stow_ir_made_bytes(f->buffer));
  stow_copies_tell_done(f->trial, f->op, "constant", text);
  free(text);
  stow_copies_note(f->trial, f->op, STOW_COPIES_FREE);
  MlirOperation global = stow_bridge_add_constant(f->trial->symbols, f->trial->function, "folded",
                                                  mlirValueGetType(f->buffer), elements,
                                                  stow_ir_alignment_attribute(alloc));
  STOW_PUSH(f->trial->globals, global);
  for (size_t i = 0; i < f->uses.deallocs.count; ++i)
    mlirOperationDestroy(f->uses.deallocs.at[i]);
  stow_copies_destroy(f->trial, f->op);
  mlirValueReplaceAllUsesOfWith(f->buffer, stow_bridge_get_constant(global, alloc));
  mlirOperationDestroy(alloc);
}

static void fold(folding *f) {
  stow_copies_uses_of(f->buffer, &f->uses);
  if (stow_copies_afford(f->trial, &f->uses) && is_only_read(f)) {
    MlirAttribute *operands = elements_of(f);
    MlirAttribute elements = stow_bridge_folded_elements(f->op, operands);
    if (!mlirAttributeIsNull(elements))
      rewrite(f, elements);
    free(operands);
  }
  stow_copies_uses_free(&f->uses);
}

static bool may_fold(const folding *f, uint64_t most) {
  const intptr_t to = mlirOperationGetNumOperands(f->op) - 1;
  return stow_bridge_loop_count(f->op) >= 0 && stow_bridge_is_overwritten_output(f->op, to) &&
         stow_ir_is_plainly_made(f->buffer) &&
         mlirBlockEqual(f->block, mlirOperationGetBlock(mlirOpResultGetOwner(f->buffer))) &&
         !(stow_op_facts(mlirBlockGetParentOperation(f->block)) & STOW_OP_GRAPH_REGION) &&
         mlirAttributeIsNull(stow_ir_memory_space(mlirValueGetType(f->buffer))) &&
         is_small(f, most);
}

void stow_copies_fold(stow_copies_trial *trial, uint64_t max_bytes) {
  const bool has_place = !mlirSymbolTableIsNull(trial->symbols); // for a global
  for (size_t i = 0; i < trial->link_count && has_place; ++i) {
    MlirOperation op = trial->ops[i];
    if (trial->effort <= 0 || mlirOperationIsNull(op) || !stow_copies_may(trial, op))
      continue;
    folding f = {.trial = trial,
                 .op = op,
                 .block = mlirOperationGetBlock(op),
                 .buffer = mlirOperationGetOperand(op, mlirOperationGetNumOperands(op) - 1)};
    if (may_fold(&f, max_bytes))
      fold(&f);
  }
}
