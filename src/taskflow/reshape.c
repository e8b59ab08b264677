//===- reshape.c - other orders of loops, and common loops --------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires two aligned nests in one body. Gives the bands the orders that the alignment says, and
// makes common loops of the first `depth` loops of both, the reader's shifted.
//
//===----------------------------------------------------------------------===//

#include "taskflow/steps.h"

#include "mlir-c/AffineExpr.h"
#include "mlir-c/AffineMap.h"
#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"
#include "taskflow/ops.h"

#include <assert.h>
#include <stdlib.h>

// Moves all ops of `from` but the terminator to the end of `to`; returns the first one, or null.
static MlirOperation move_body(MlirBlock from, MlirBlock to) {
  MlirOperation terminator = mlirBlockGetTerminator(from), first = {NULL};
  for (MlirOperation op = mlirBlockGetFirstOperation(from); !mlirOperationEqual(op, terminator);
       op = mlirBlockGetFirstOperation(from)) {
    if (mlirOperationIsNull(first))
      first = op;
    stow_move_to_end(op, to);
  }
  return first;
}

//===----------------------------------------------------------------------===//
// Another order
//===----------------------------------------------------------------------===//

// Builds the band anew in its order, from the outermost loop, and moves the innermost body.
static void permute(stow_loop_nest *nest, const size_t *order) {
  size_t extent = stow_taskflow_order_extent(order, nest->spine.count);
  if (extent == 0)
    return;
  MlirOperation *old = stow_ir_allocate(extent, sizeof *old);
  MlirOperation before = nest->spine.at[0];
  for (size_t i = 0; i < extent; ++i)
    old[i] = nest->spine.at[i];
  for (size_t i = 0; i < extent; ++i) {
    MlirOperation like = old[order[i]];
    MlirOperation loop = stow_taskflow_build_loop_like(like, before, NULL, 0);
    mlirValueReplaceAllUsesOfWith(stow_taskflow_loop_variable(like),
                                  stow_taskflow_loop_variable(loop));
    nest->spine.at[i] = loop;
    if (i + 1 == extent)
      move_body(stow_taskflow_loop_body(old[extent - 1]), stow_taskflow_loop_body(loop));
    stow_taskflow_build_affine_yield(stow_taskflow_loop_body(loop), mlirOperationGetLocation(like),
                                     NULL, 0);
    before = mlirBlockGetTerminator(stow_taskflow_loop_body(loop));
  }
  mlirOperationDestroy(old[0]);
  free(old);
}

//===----------------------------------------------------------------------===//
// Common loops
//===----------------------------------------------------------------------===//

// The writer's loop and the reader's, in one block, where the reader's part begins at `begins`.
typedef struct meeting {
  MlirOperation first, second, begins;
  int64_t shift;
} meeting;

static void add_inits(MlirOperation loop, stow_values *out) {
  stow_values_append_operands(out, loop, stow_taskflow_loop_first_init(loop));
}

static void add_yielded(MlirOperation loop, stow_values *out) {
  stow_values_append_operands(out, mlirBlockGetTerminator(stow_taskflow_loop_body(loop)), 0);
}

// What the reader does before its loop comes before the common one.
static void move_reader_up(const meeting *m) {
  MlirOperation op = m->begins;
  while (!mlirOperationEqual(op, m->second)) {
    MlirOperation next = mlirOperationGetNextInBlock(op);
    mlirOperationMoveBefore(op, m->first);
    op = next;
  }
}

static MlirValue shifted(MlirBlock body, MlirValue variable, int64_t shift, MlirLocation location) {
  if (shift == 0)
    return variable;
  MlirContext context = mlirLocationGetContext(location);
  MlirAffineExpr sum = mlirAffineAddExprGet(mlirAffineDimExprGet(context, 0),
                                            mlirAffineConstantExprGet(context, shift));
  const stow_affine_value value = {mlirAffineMapGet(context, 1, 0, 1, &sum), &variable, 1};
  MlirOperation apply = stow_taskflow_make_apply(location, &value);
  mlirBlockInsertOwnedOperation(body, 0, apply); // what it serves may move up in the body
  return stow_taskflow_result(apply);
}

// Takes over one loop's variable, carried values and results; `first` is the index of its first
// carried value among those of the common loop.
static MlirOperation absorb(MlirOperation loop, MlirOperation common, intptr_t first,
                            int64_t shift) {
  MlirBlock from = stow_taskflow_loop_body(loop), to = stow_taskflow_loop_body(common);
  mlirValueReplaceAllUsesOfWith(
      stow_taskflow_loop_variable(loop),
      shifted(to, stow_taskflow_loop_variable(common), shift, mlirOperationGetLocation(loop)));
  for (intptr_t i = 0; i < stow_taskflow_loop_carried(loop); ++i) {
    mlirValueReplaceAllUsesOfWith(mlirBlockGetArgument(from, 1 + i),
                                  mlirBlockGetArgument(to, 1 + first + i));
    mlirValueReplaceAllUsesOfWith(mlirOperationGetResult(loop, i),
                                  mlirOperationGetResult(common, first + i));
  }
  return move_body(from, to);
}

// Returns where the reader's part of the common body begins, or null where it is empty.
static MlirOperation make_common(const meeting *m) {
  stow_values inits = {0}, yielded = {0};
  add_inits(m->first, &inits);
  add_inits(m->second, &inits);
  move_reader_up(m);
  MlirOperation common = stow_taskflow_build_loop_like(m->first, m->first, inits.at, inits.count);
  intptr_t carried = stow_taskflow_loop_carried(m->first);
  absorb(m->first, common, 0, 0);
  MlirOperation begins = absorb(m->second, common, carried, m->shift);
  add_yielded(m->first, &yielded);
  add_yielded(m->second, &yielded);
  stow_taskflow_build_affine_yield(stow_taskflow_loop_body(common),
                                   mlirOperationGetLocation(m->first), yielded.at, yielded.count);
  mlirOperationDestroy(m->second);
  mlirOperationDestroy(m->first);
  stow_values_free(&inits);
  stow_values_free(&yielded);
  return begins;
}

void stow_taskflow_reshape(stow_open_pair *pair, stow_loop_nest *writer, stow_loop_nest *reader,
                           stow_alignment *alignment) {
  bool at_loop = mlirOperationEqual(pair->reader_begins, reader->spine.at[0]);
  permute(writer, alignment->writer_order);
  permute(reader, alignment->reader_order);
  MlirOperation begins = at_loop ? reader->spine.at[0] : pair->reader_begins;
  for (size_t k = 0; k < alignment->depth; ++k) {
    meeting m = {writer->spine.at[k], reader->spine.at[k], begins, alignment->shared[k].shift};
    begins = make_common(&m);
    assert(k + 1 == alignment->depth || !mlirOperationIsNull(begins));
  }
}
