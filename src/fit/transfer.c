//===- transfer.c - transfers of constants --------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A copy that fills a buffer becomes a memref.dma_start, and a memref.dma_wait stands in front of
// the first op that reads the buffer. Each transfer has an element of a tag of its own.
//
//===----------------------------------------------------------------------===//

#include "fit/fit.h"

#include "ir/build.h"
#include "mlir-c/BuiltinTypes.h"

#include <assert.h>

typedef struct sender {
  const stow_fit_block *b;
  stow_constants constants; // at the top of the block, as the tag
  MlirValue tag;
} sender;

typedef STOW_ARRAY(MlirValue) operands;

// A memref and its first element.
static void add_begin(sender *s, operands *to, MlirValue memref) {
  STOW_PUSH(*to, memref);
  for (intptr_t d = 0; d < mlirShapedTypeGetRank(mlirValueGetType(memref)); ++d)
    STOW_PUSH(*to, stow_constant(&s->constants, 0));
}

static MlirValue elements_of(sender *s, MlirType type) {
  uint64_t count = 1;
  for (intptr_t d = 0; d < mlirShapedTypeGetRank(type); ++d)
    count *= (uint64_t)mlirShapedTypeGetDimSize(type, d);
  return stow_constant(&s->constants, count);
}

static void build(const stow_builder *at, stow_op_kind kind, operands *with) {
  stow_build_plain(at, kind, with->at, with->count, (MlirType){NULL});
  free(with->at);
}

static void send(sender *s, MlirOperation copy, size_t number) {
  const MlirValue source = mlirOperationGetOperand(copy, 0);
  const MlirValue target = mlirOperationGetOperand(copy, 1);
  const MlirValue count = elements_of(s, mlirValueGetType(target));
  const MlirValue element = stow_constant(&s->constants, number);
  const stow_fit_users users = stow_fit_users_of(s->b->graph.block, target, copy);
  assert(!mlirOperationIsNull(users.first) && mlirOperationIsBeforeInBlock(copy, users.first));
  stow_builder at = stow_builder_before(copy, mlirOperationGetLocation(copy));
  operands start = {0}, wait = {0};
  add_begin(s, &start, source);
  add_begin(s, &start, target);
  STOW_PUSH(start, count);
  STOW_PUSH(start, s->tag);
  STOW_PUSH(start, element);
  build(&at, STOW_MEMREF_DMA_START, &start);
  at.before = users.first;
  STOW_PUSH(wait, s->tag);
  STOW_PUSH(wait, element);
  STOW_PUSH(wait, count);
  build(&at, STOW_MEMREF_DMA_WAIT, &wait);
  mlirOperationDestroy(copy);
}

void stow_fit_transfer(const stow_fit_block *b) {
  int64_t count = 0;
  STOW_EACH(const stow_fit_origin, origin, b->origins)
    count += !mlirOperationIsNull(origin->filling);
  if (count == 0)
    return;
  MlirOperation top = mlirBlockGetFirstOperation(b->graph.block);
  const stow_builder at = stow_builder_before(top, mlirOperationGetLocation(top));
  const MlirType cell = mlirIntegerTypeGet(at.context, 32);
  const MlirType type = mlirMemRefTypeContiguousGet(cell, 1, &count, (MlirAttribute){NULL});
  sender s = {.b = b, .constants.builder = at, .tag = stow_build_alloca(&at, type, 0)};
  size_t number = 0;
  STOW_EACH(const stow_fit_origin, origin, b->origins)
    if (!mlirOperationIsNull(origin->filling))
      send(&s, origin->filling, number++);
  stow_constants_free(&s.constants);
}
