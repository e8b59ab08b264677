//===- transfer.c - transfers of constants --------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A copy that fills a buffer becomes a memref.dma_start, and a memref.dma_wait stands in front of
// the first op that reads the buffer. Tiles alternate between the halves of a buffer:
//
//     start tile 0
//     scf.for %next = 1 to tiles
//       wait
//       start tile %next             in the half that the op before has left
//       op on tile %next - 1
//     wait
//     op on the last tile
//
// Each has an element of a tag of its own.
//
//===----------------------------------------------------------------------===//

#include "fit/fit.h"

#include "ir/build.h"
#include "mlir-c/BuiltinTypes.h"

#include <assert.h>

typedef struct sender {
  const stow_fit_block *b;
  const stow_machine_memory *first;
  stow_constants constants; // at the top of the block, as the tag
  MlirValue tag;
  size_t sent;
  bool frees; // the program has deallocs
} sender;

typedef STOW_ARRAY(MlirValue) operands;

// A memref and an element: the first one, or the first with index `at` of dimension `dim`.
static void add_element(sender *s, operands *to, MlirValue memref, intptr_t dim, MlirValue at) {
  STOW_PUSH(*to, memref);
  for (intptr_t d = 0; d < mlirShapedTypeGetRank(mlirValueGetType(memref)); ++d)
    STOW_PUSH(*to, d == dim && !mlirValueIsNull(at) ? at : stow_constant(&s->constants, 0));
}

static void build(const stow_builder *at, stow_op_kind kind, operands *with) {
  stow_ir_build_plain(at, kind, with->at, with->count, (MlirType){NULL});
  free(with->at);
}

// A transfer of some elements, side by side.
typedef struct parcel {
  MlirValue source, target, count, element; // `element`: of the tag
  intptr_t dim;                             // along which they begin somewhere
} parcel;

static void start(sender *s, const stow_builder *at, const parcel *p, MlirValue from,
                  MlirValue to) {
  operands with = {0};
  add_element(s, &with, p->source, p->dim, from);
  add_element(s, &with, p->target, p->dim, to);
  STOW_PUSH(with, p->count);
  STOW_PUSH(with, s->tag);
  STOW_PUSH(with, p->element);
  build(at, STOW_MEMREF_DMA_START, &with);
}

static void wait(const sender *s, const stow_builder *at, const parcel *p) {
  operands with = {0};
  STOW_PUSH(with, s->tag);
  STOW_PUSH(with, p->element);
  STOW_PUSH(with, p->count);
  build(at, STOW_MEMREF_DMA_WAIT, &with);
}

static parcel parcel_of(sender *s, MlirValue source, MlirValue target, uint64_t elements) {
  const MlirValue count = stow_constant(&s->constants, elements);
  return (parcel){source, target, count, stow_constant(&s->constants, s->sent++), -1};
}

static void send(sender *s, MlirOperation copy) {
  const MlirValue target = mlirOperationGetOperand(copy, 1), none = {NULL};
  const parcel p = parcel_of(s, mlirOperationGetOperand(copy, 0), target,
                             stow_fit_elements_of(mlirValueGetType(target)));
  const stow_fit_users users = stow_fit_users_of(s->b->graph.block, target, copy);
  assert(!mlirOperationIsNull(users.first) && mlirOperationIsBeforeInBlock(copy, users.first));
  stow_builder at = stow_builder_before(copy, mlirOperationGetLocation(copy));
  start(s, &at, &p, none, none);
  at.before = users.first;
  wait(s, &at, &p);
  mlirOperationDestroy(copy);
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

static MlirValue constant_of(const stow_fit_tile *t) {
  return mlirOperationGetOperand(t->statement.op, t->operand);
}

// Two tiles.
static MlirValue build_halves(const sender *s, const stow_builder *at, const stow_fit_tile *t) {
  const MlirType type = mlirValueGetType(constant_of(t));
  const intptr_t rank = (intptr_t)mlirShapedTypeGetRank(type);
  int64_t shape[STOW_ROWS_MOST_RANK];
  for (intptr_t d = 0; d < rank; ++d)
    shape[d] = d == t->dim ? 2 * t->rows : mlirShapedTypeGetDimSize(type, d);
  const MlirValue halves =
      stow_ir_build_alloc(at,
                          mlirMemRefTypeContiguousGet(mlirShapedTypeGetElementType(type), rank,
                                                      shape, (MlirAttribute){NULL}),
                          0);
  stow_fit_move_to(halves, s->first);
  return halves;
}

static MlirValue times(sender *s, const stow_builder *at, MlirValue value, int64_t by) {
  return by == 1 ? value
                 : stow_ir_build_binary(at, STOW_ARITH_MULI, value,
                                        stow_constant(&s->constants, (uint64_t)by));
}

// The tile that an op works on: its number, and where it lies in the halves. Null: the last one.
typedef struct tile_at {
  MlirValue number, at;
} tile_at;

static MlirValue slice(sender *s, const stow_builder *at, const stow_fit_tile *t, intptr_t operand,
                       MlirValue number) {
  const MlirValue all = mlirOperationGetOperand(t->statement.op, operand);
  const intptr_t dim = stow_rows_sliced_dim(&t->statement, operand);
  int64_t by;
  if (dim < 0)
    return all;
  const int64_t count = stow_rows_indices_of(&t->statement, operand, dim, t->rows, &by);
  const bool last = mlirValueIsNull(number);
  return stow_rows_slice(at, all, dim, last ? number : times(s, at, number, by * t->rows),
                         last ? by * t->rows * (t->count - 1) : 0, count, 1);
}

static void work(sender *s, const stow_builder *at, const stow_fit_tile *t, MlirValue halves,
                 tile_at now) {
  MlirOperation op = t->statement.op, copy = mlirOperationClone(op);
  for (intptr_t i = 0, n = mlirOperationGetNumOperands(op); i < n; ++i)
    mlirOperationSetOperand(
        copy, i,
        i != t->operand
            ? slice(s, at, t, i, now.number)
            : stow_rows_slice(at, halves, t->dim, now.at,
                              mlirValueIsNull(now.at) ? (t->count - 1) % 2 * t->rows : 0, t->rows,
                              1));
  stow_ir_insert_before(at->before, copy);
}

static void build_loop(sender *s, const stow_builder *at, const stow_fit_tile *t, const parcel *p) {
  const MlirValue one = stow_constant(&s->constants, 1);
  stow_builder in = *at;
  MlirValue next;
  in.before =
      stow_ir_build_for(at, one, stow_constant(&s->constants, (uint64_t)t->count), one, &next);
  wait(s, &in, p);
  const MlirValue half =
      stow_ir_build_binary(&in, STOW_ARITH_REMUI, next, stow_constant(&s->constants, 2));
  const MlirValue to = times(s, &in, half, t->rows);
  start(s, &in, p, times(s, &in, next, t->rows), to);
  const MlirValue rows = stow_constant(&s->constants, (uint64_t)t->rows);
  const MlirValue before = stow_ir_build_binary(&in, STOW_ARITH_SUBI, next, one);
  const MlirValue other = stow_ir_build_binary(&in, STOW_ARITH_SUBI, rows, to);
  work(s, &in, t, p->target, (tile_at){before, other});
}

static void send_tiles(sender *s, const stow_fit_tile *t) {
  MlirOperation op = t->statement.op;
  stow_builder at = stow_builder_before(op, mlirOperationGetLocation(op));
  const MlirValue constant = constant_of(t), halves = build_halves(s, &at, t), none = {NULL};
  parcel p = parcel_of(s, constant, halves, stow_fit_elements_of(mlirValueGetType(halves)) / 2);
  p.dim = t->dim;
  stow_fit_name_copy(mlirOpResultGetOwner(halves), t->global, "(by rows)");
  start(s, &at, &p, none, none);
  build_loop(s, &at, t, &p);
  wait(s, &at, &p);
  work(s, &at, t, halves, (tile_at){none, none});
  if (s->frees)
    stow_ir_build_dealloc(&at, halves);
  mlirOperationDestroy(op);
}

void stow_fit_transfer(const stow_fit_block *b, const stow_fit_tiles *tiles,
                       const stow_machine_memory *first) {
  int64_t count = (int64_t)tiles->count;
  STOW_EACH(const stow_fit_origin, origin, b->origins)
    count += !mlirOperationIsNull(origin->filling);
  if (count == 0)
    return;
  MlirOperation top = mlirBlockGetFirstOperation(b->graph.block);
  const stow_builder at = stow_builder_before(top, mlirOperationGetLocation(top));
  const MlirType cell = mlirIntegerTypeGet(at.context, 32);
  const MlirType type = mlirMemRefTypeContiguousGet(cell, 1, &count, (MlirAttribute){NULL});
  sender s = {.b = b,
              .first = first,
              .constants.builder = at,
              .tag = stow_ir_build_alloca(&at, type, 0),
              .frees = stow_fit_has_deallocs(mlirOperationGetParentOperation(top))};
  STOW_EACH(const stow_fit_origin, origin, b->origins)
    if (!mlirOperationIsNull(origin->filling))
      send(&s, origin->filling);
  STOW_EACH(const stow_fit_tile, tile, *tiles)
    send_tiles(&s, tile);
  stow_constants_free(&s.constants);
}
