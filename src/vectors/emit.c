//===- emit.c - loops and vectors -----------------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires: a nest and a tile of it. Loops over tiles, in each of which the sums of all points are
// loaded, added up by the loops that add up, in their order, and stored. What is left of a loop
// that tiles do not divide is a smaller tile, of fewer points, or of narrower vectors.
//
// Each element is summed up in the order of the plain loops, so the bits are theirs.
//
//===----------------------------------------------------------------------===//

#include "vectors/emit.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static MlirValue number(const stow_emitter *e, int64_t value) {
  return stow_constant(e->constants, (uint64_t)value);
}

//===----------------------------------------------------------------------===//
// Into a loop
//===----------------------------------------------------------------------===//

// The first cell of each operand, at an iteration of the loop.
static void move_to(stow_emitter *e, intptr_t loop, MlirValue iteration) {
  e->iterations[loop] = iteration;
  for (intptr_t i = 0; i < e->nest->read_count; ++i) {
    const stow_nest_operand *o = &e->nest->operands[i];
    if (!o->memref || o->strides[loop] == 0)
      continue;
    const int64_t stride = stow_vectors_emit_stride(e, i, loop);
    MlirValue far = iteration;
    if (stride != 1)
      far = stow_ir_build_binary(&e->at, STOW_ARITH_MULI, iteration, number(e, stride));
    e->cells[i] = stow_ir_build_binary(&e->at, STOW_ARITH_ADDI, e->cells[i], far);
  }
}

// Inside of a loop from `begin` to `end` in steps. One that runs once is none.
static stow_emitter enter(const stow_emitter *e, intptr_t loop, int64_t begin, int64_t end,
                          int64_t step) {
  stow_emitter inside = *e;
  MlirValue iteration = number(e, begin);
  if (end - begin > step) {
    MlirOperation last =
        stow_ir_build_for(&e->at, number(e, begin), number(e, end), number(e, step), &iteration);
    inside.at.before = last;
  }
  if (end - begin > step || begin > 0)
    move_to(&inside, loop, iteration);
  return inside;
}

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

typedef struct summing {
  const stow_box *box;
  MlirValue *sums;
  size_t count;
  intptr_t loops[STOW_NEST_LOOPS]; // those that add up, outermost first
  size_t depth;
} summing;

static void sum_up(const stow_emitter *e, summing *s, size_t at);

// Adds up in a loop, by what `body` does in each iteration.
static void sum_in_loop(const stow_emitter *e, summing *s, size_t at, int64_t begin, int64_t end,
                        int64_t step, void (*body)(const stow_emitter *e, summing *s, size_t at)) {
  stow_emitter inside = *e;
  MlirValue iteration, *before = stow_ir_allocate(s->count, sizeof *before);
  for (size_t i = 0; i < s->count; ++i)
    before[i] = s->sums[i];
  MlirOperation last =
      stow_ir_build_carrying_for(&e->at, number(e, begin), number(e, end), number(e, step), before,
                                 s->count, &iteration, s->sums);
  inside.at.before = last;
  move_to(&inside, s->loops[at], iteration);
  body(&inside, s, at);
  mlirOperationSetOperands(last, (intptr_t)s->count, s->sums);
  MlirOperation loop = mlirOperationGetParentOperation(last);
  for (size_t i = 0; i < s->count; ++i)
    s->sums[i] = mlirOperationGetResult(loop, (intptr_t)i);
  free(before);
}

static void sum_further(const stow_emitter *e, summing *s, size_t at) { sum_up(e, s, at + 1); }

static void sum_square(const stow_emitter *e, summing *s, size_t at) {
  (void)at;
  const int64_t steps = s->box->lanes[0];
  stow_point_values *transposed = stow_vectors_emit_transposed(e, s->box, steps);
  for (int64_t t = 0; t < steps; ++t)
    stow_vectors_emit_body(e, s->box, t, transposed, s->sums);
  free(transposed);
}

static void sum_together(const stow_emitter *e, summing *s, size_t at) {
  (void)at;
  (e->tile->together == 4 ? stow_vectors_emit_dot : stow_vectors_emit_pair)(e, s->box, s->sums);
}

static void sum_up(const stow_emitter *e, summing *s, size_t at) {
  if (at == s->depth) {
    stow_vectors_emit_body(e, s->box, 0, NULL, s->sums);
    return;
  }
  const int64_t extent = e->nest->extents[s->loops[at]], square = s->box->lanes[0];
  int64_t done = 0;
  if (stow_vectors_tile_transposes_any(e->nest, e->tile) && at + 1 == s->depth && square > 1 &&
      extent >= square) {
    done = extent - extent % square;
    sum_in_loop(e, s, at, 0, done, square, sum_square);
  }
  const int64_t together = e->tile->together;
  if (together > 1 && at + 1 == s->depth && extent >= together) {
    done = extent - extent % together;
    sum_in_loop(e, s, at, 0, done, together, sum_together);
  }
  if (done < extent)
    sum_in_loop(e, s, at, done, extent, 1, sum_further);
}

//===----------------------------------------------------------------------===//
// A tile
//===----------------------------------------------------------------------===//

static bool is_read(const stow_nest *nest, intptr_t operand) {
  return !mlirOpOperandIsNull(mlirValueGetFirstUse(mlirBlockGetArgument(nest->body, operand)));
}

static void add_points(const stow_nest *nest, const int64_t *sizes, stow_box *box) {
  box->points = 1;
  for (intptr_t l = 0; l < nest->loop_count; ++l) {
    const size_t before = box->points;
    for (int64_t i = 1; i < sizes[l]; ++i)
      for (size_t p = 0; p < before; ++p) {
        assert(box->points < STOW_TILE_POINTS);
        memcpy(box->deltas[box->points], box->deltas[p], sizeof box->deltas[p]);
        box->deltas[box->points++][l] = i;
      }
  }
}

static void add_vectors(int64_t lanes, int64_t width, stow_box *box) {
  for (int64_t first = 0; first < lanes; first += box->lanes[box->vectors++]) {
    assert(box->vectors < STOW_TILE_VECTORS);
    while (width > lanes - first)
      width /= 2;
    box->first[box->vectors] = first;
    box->lanes[box->vectors] = width;
  }
}

// Each cell of the results with its sum.
#define EACH_SUM(nest, box, operand, result, p, w)                                                 \
  for (intptr_t operand = 0, result = -1; operand < (nest)->operand_count; ++operand)              \
    if ((nest)->operands[operand].written && ++result >= 0)                                        \
      for (size_t p = 0; p < (box)->points; ++p)                                                   \
        for (size_t w = 0; w < (box)->vectors; ++w)

// What products that are made four at once add besides.
static void subtract_excess(const stow_emitter *e, const stow_box *box, MlirValue *sums) {
  const intptr_t operand = e->nest->excess;
  for (size_t w = 0; operand > 0 && w < box->vectors; ++w) {
    const MlirValue excess = stow_vectors_emit_load(e, operand, box->first[w], box->lanes[w]);
    for (size_t p = 0; p < box->points; ++p) {
      MlirValue *sum = &sums[STOW_SUM_AT(box, 0, p, w)];
      *sum = stow_ir_build_binary(&e->at, STOW_ARITH_SUBI, *sum, excess);
    }
  }
}

static MlirValue first_value(const stow_emitter *e, const stow_box *box, intptr_t operand, size_t p,
                             size_t w) {
  if (!mlirValueIsNull(e->start))
    return stow_vectors_emit_vector(e, e->start, box->lanes[w]);
  return stow_vectors_emit_load(
      e, operand, stow_vectors_emit_cell(e, box, operand, p) + box->first[w], box->lanes[w]);
}

static void emit_tile(stow_emitter *e, int64_t *sizes) {
  const stow_nest *nest = e->nest;
  stow_box box = {0};
  summing s = {.box = &box};
  const int64_t lanes = e->tile->lanes < 0 ? 1 : sizes[e->tile->lanes];
  if (e->tile->lanes >= 0)
    sizes[e->tile->lanes] = 1;
  e->lanes = lanes;
  add_points(nest, sizes, &box);
  add_vectors(lanes, e->tile->width, &box);
  if (e->tile->lanes >= 0)
    sizes[e->tile->lanes] = lanes;
  for (intptr_t i = 0; i < nest->operand_count; ++i)
    s.count += nest->operands[i].written ? box.points * box.vectors : 0;
  for (intptr_t l = 0; l < nest->loop_count; ++l)
    if (!nest->parallel[l] && nest->extents[l] > 1)
      s.loops[s.depth++] = l;
  s.sums = stow_ir_allocate(s.count, sizeof *s.sums);
  EACH_SUM(nest, &box, i, r, p, w)
  if (s.depth > 0 || is_read(nest, i)) // a loop that adds up carries it, read or not
    s.sums[STOW_SUM_AT(&box, (size_t)r, p, w)] = first_value(e, &box, i, p, w);
  subtract_excess(e, &box, s.sums);
  sum_up(e, &s, 0);
  EACH_SUM(nest, &box, i, r, p, w)
  if (!nest->drops)
    stow_vectors_emit_store(e, i, stow_vectors_emit_cell(e, &box, i, p) + box.first[w],
                            s.sums[STOW_SUM_AT(&box, (size_t)r, p, w)]);
  if (!mlirOperationIsNull(nest->then.op))
    stow_vectors_emit_then(e, &box, s.sums);
  free(s.sums);
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

typedef struct order {
  intptr_t loops[STOW_NEST_LOOPS]; // of tiles, outermost first
  size_t count;
} order;

static order order_of(const stow_nest *nest, const stow_tile *tile) {
  order o = {0};
  if (tile->lanes >= 0 && tile->lanes_outside)
    o.loops[o.count++] = tile->lanes;
  for (intptr_t l = 0; l < nest->loop_count; ++l)
    if (nest->parallel[l] && nest->extents[l] > 1 && l != tile->lanes && tile->sizes[l] == 1)
      o.loops[o.count++] = l;
  if (tile->lanes >= 0 && !tile->lanes_outside)
    o.loops[o.count++] = tile->lanes;
  for (intptr_t l = 0; l < nest->loop_count; ++l)
    if (nest->parallel[l] && nest->extents[l] > 1 && l != tile->lanes && tile->sizes[l] > 1)
      o.loops[o.count++] = l;
  return o;
}

static int64_t size_along(const stow_tile *tile, intptr_t loop) {
  return loop == tile->lanes ? tile->width * tile->vectors : tile->sizes[loop];
}

// Bounded by the number of loops.
static void emit_tiles(stow_emitter *e, const order *o, size_t at, int64_t *sizes) {
  if (at == o->count) {
    emit_tile(e, sizes);
    return;
  }
  const intptr_t loop = o->loops[at];
  const int64_t extent = e->nest->extents[loop], size = size_along(e->tile, loop);
  const int64_t whole = extent - extent % size;
  if (whole > 0) {
    stow_emitter inside = enter(e, loop, 0, whole, size);
    sizes[loop] = size;
    emit_tiles(&inside, o, at + 1, sizes);
  }
  if (whole < extent) {
    stow_emitter inside = enter(e, loop, whole, extent, extent - whole);
    sizes[loop] = extent - whole;
    emit_tiles(&inside, o, at + 1, sizes);
  }
}

static void begin(stow_emitter *e) {
  if (!mlirOperationIsNull(e->nest->start)) {
    MlirOperation start = mlirOperationClone(e->nest->start);
    stow_ir_insert_before(e->at.before, start);
    e->start = mlirOperationGetResult(start, 0);
  }
  for (intptr_t l = 0; l < e->nest->loop_count; ++l)
    e->iterations[l] = number(e, 0);
  for (intptr_t i = 0; i < e->nest->read_count; ++i) {
    const stow_nest_operand *o = &e->nest->operands[i];
    if (!o->memref)
      continue;
    e->flat[i] = stow_ir_build_flat(&e->at, o->value, o->span);
    e->cells[i] = number(e, o->first);
  }
}

void stow_vectors_emit_nest(const stow_nest *nest, const stow_tile *tile, bool contract) {
  stow_constants constants = {0};
  const order o = order_of(nest, tile);
  int64_t sizes[STOW_NEST_LOOPS];
  stow_emitter e = {.nest = nest, .tile = tile, .constants = &constants, .contract = contract};
  e.at = stow_builder_before(nest->op, mlirOperationGetLocation(nest->op));
  constants.builder = e.at;
  constants.builder.before = mlirOpResultGetOwner(stow_constant(&constants, 0));
  for (intptr_t l = 0; l < nest->loop_count; ++l)
    sizes[l] = 1;
  begin(&e);
  emit_tiles(&e, &o, 0, sizes);
  stow_constants_free(&constants);
  if (!mlirOperationIsNull(nest->then.op))
    mlirOperationDestroy(nest->then.op);
  mlirOperationDestroy(nest->op);
}
