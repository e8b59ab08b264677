//===- tiles.c - constants that are read tile by tile ---------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A constant that the first memory has no room for is read there in tiles, some rows each: while an
// op works on one, the next is transferred to the other half of a buffer.
//
// The rows are along the first dimension with more than one index, so that a tile is one run of
// bytes. The op is split along the loop that indexes it. Of all numbers of rows that divide it the
// cheapest is taken.
//
//===----------------------------------------------------------------------===//

#include "fit/fit.h"

#include "bridge/linalg.h"
#include "ir/build.h"
#include "ir/parts.h"
#include "ir/size.h"
#include "mlir-c/BuiltinTypes.h"

#include <assert.h>

enum { LEAST_BYTES = 256 }; // of a tile, as each costs a start and a wait

typedef struct finder {
  const stow_reorder_facts *facts;
  const stow_fit_block *b;
  const stow_fit_prices *prices;
  uint64_t alignment; // of buffers
  uint64_t *rooms;    // by node: what the first memory has left there
} finder;

//===----------------------------------------------------------------------===//
// Room
//===----------------------------------------------------------------------===//

// A buffer is alive from the first node that touches it to the last.
static void take_room(const finder *f, size_t memory, uint64_t *rooms) {
  const stow_budget_memory *m = &f->b->memories.at[memory];
  size_t first = m->from_start ? 0 : SIZE_MAX, last = m->to_end ? f->b->nodes.count : 0;
  for (size_t n = 0; n < f->b->nodes.count; ++n)
    for (size_t a = 0; a < f->b->nodes.at[n].access_count; ++a)
      if (f->b->nodes.at[n].accesses[a].memory == memory) {
        first = first < n ? first : n;
        last = last > n + 1 ? last : n + 1;
      }
  for (size_t n = first; n < last; ++n)
    rooms[n] -= m->bytes < rooms[n] ? m->bytes : rooms[n];
}

static uint64_t *rooms_of(const finder *f, uint64_t bytes) {
  uint64_t *rooms = stow_ir_allocate(f->b->nodes.count, sizeof *rooms);
  for (size_t n = 0; n < f->b->nodes.count; ++n) {
    const uint64_t inside = f->b->nodes.at[n].inside;
    rooms[n] = inside < bytes ? bytes - inside : 0;
  }
  for (size_t m = 0; m < f->b->memories.count; ++m)
    if (f->b->memories.at[m].bytes > 0)
      take_room(f, m, rooms);
  return rooms;
}

// Of the node that the op is, or is in.
static uint64_t room_for(const finder *f, MlirOperation op) {
  MlirOperation there = stow_ir_op_in_block(f->b->graph.block, op);
  const int32_t at = stow_map_get(&f->b->graph.index, there.ptr);
  const int32_t node = at < 0 ? -1 : f->b->graph.ops.at[at].node;
  return node < 0 ? 0 : f->rooms[node];
}

//===----------------------------------------------------------------------===//
// Which ops
//===----------------------------------------------------------------------===//

// The first dimension with more than one index, or -1.
static intptr_t outermost_of(MlirValue constant) {
  const intptr_t rank = (intptr_t)mlirShapedTypeGetRank(mlirValueGetType(constant));
  for (intptr_t d = 0; d < rank && d < STOW_ROWS_MOST_RANK; ++d)
    if (stow_rows_extent(constant, d) > 1)
      return d;
  return -1;
}

// The loop of which an index is the number, or -1.
static intptr_t loop_of(const stow_rows_statement *s, intptr_t operand, intptr_t dim) {
  stow_rows_index index;
  int64_t low, high;
  if (!stow_rows_index_of(s->maps[operand], dim, &index) || index.divisor > 1)
    return -1;
  for (intptr_t loop = 0; loop < s->loops.count; ++loop) {
    stow_rows_index_range(&s->loops, &index, loop, &low, &high);
    if (index.coefficients[loop] == 1 && low == 0 && high == 0)
      return loop;
  }
  return -1;
}

// Whether the control that leads to the op is one that transfers are followed through.
static bool is_followed(const finder *f, MlirOperation op) {
  for (MlirBlock block = mlirOperationGetBlock(op); !mlirBlockEqual(block, f->b->graph.block);
       block = mlirOperationGetBlock(op)) {
    op = mlirBlockGetParentOperation(block);
    if (!stow_ir_is(op, STOW_SCF_FOR) && !stow_ir_is(op, STOW_SCF_IF))
      return false;
  }
  return true;
}

// Whether an iteration depends on nothing but the elements that the op gives it.
static bool has_plain_body(MlirOperation op) {
  STOW_EACH_OP_OF(inside, op)
    if (!mlirOperationEqual(inside, op) &&
        (stow_ir_is(inside, STOW_LINALG_INDEX) || stow_ir_takes_buffer(inside)))
      return false;
  return true;
}

// Whether what the op writes may be what it reads by another operand.
static bool writes_what_it_reads(const finder *f, MlirOperation op) {
  const intptr_t count = mlirOperationGetNumOperands(op);
  for (intptr_t w = 0; w < count; ++w)
    for (intptr_t r = 0; r < count; ++r) {
      const MlirValue read = mlirOperationGetOperand(op, r);
      if (r != w && stow_bridge_loop_writes(op, w) && stow_ir_is_buffer(mlirValueGetType(read)) &&
          !stow_reorder_is_constant(f->facts, read) &&
          stow_reorder_memory_of(f->facts, read) ==
              stow_reorder_memory_of(f->facts, mlirOperationGetOperand(op, w)))
        return true;
    }
  return false;
}

// Whether the op is given the value once, and may have it in the first memory.
static bool may_have_tiles(const finder *f, MlirOperation op, MlirValue value) {
  size_t uses = 0;
  bool lets = true;
  STOW_EACH_USE(use, value)
    if (mlirOperationEqual(mlirOpOperandGetOwner(use), op)) {
      ++uses;
      lets &= stow_machine_lets(f->prices->first, use);
    }
  return uses == 1 && lets;
}

// All of a constant in the default memory space.
static bool is_read_whole(const finder *f, MlirOperation op, intptr_t operand) {
  const MlirValue value = mlirOperationGetOperand(op, operand);
  return stow_ir_is_result_of(value, STOW_MEMREF_GET_GLOBAL) &&
         stow_reorder_is_constant(f->facts, value) && stow_ir_can_alloc(mlirValueGetType(value)) &&
         mlirAttributeIsNull(stow_ir_memory_space(mlirValueGetType(value))) &&
         may_have_tiles(f, op, value);
}

static bool has_plain_indices(const stow_rows_statement *s) {
  for (intptr_t i = 0, n = mlirOperationGetNumOperands(s->op); i < n; ++i) {
    stow_rows_index index;
    const intptr_t dim = stow_rows_sliced_dim(s, i);
    if (dim >= 0 && (!stow_rows_index_of(s->maps[i], dim, &index) || index.divisor > 1))
      return false;
  }
  return true;
}

// Sets the loop.
static bool can_split(stow_fit_tile *t) {
  stow_rows_statement *s = &t->statement;
  t->dim = outermost_of(mlirOperationGetOperand(s->op, t->operand));
  s->loop = t->dim < 0 ? -1 : loop_of(s, t->operand, t->dim);
  return s->loop >= 0 &&
         s->loops.extents[s->loop] ==
             stow_rows_extent(mlirOperationGetOperand(s->op, t->operand), t->dim) &&
         stow_rows_can_split(s->op, s->maps, &s->loops, s->loop) && has_plain_indices(s);
}

//===----------------------------------------------------------------------===//
// Prices
//===----------------------------------------------------------------------===//

static stow_fit_amount part_of(stow_fit_amount all, int64_t rows, int64_t of_them) {
  return (stow_fit_amount){all.bytes / (uint64_t)rows * (uint64_t)of_them,
                           all.accesses / (uint64_t)rows * (uint64_t)of_them};
}

// What the op costs with one tile of so many rows.
static uint64_t cost_of_work(const finder *f, const stow_fit_tile *t, int64_t rows) {
  const stow_rows_statement *s = &t->statement;
  const stow_fit_measure *measure = f->prices->measure;
  const uint64_t work = stow_fit_work_of(s->op) / (uint64_t)(s->loops.extents[s->loop] / rows);
  uint64_t cost = measure->of_work(work + 1);
  for (intptr_t i = 0, n = mlirOperationGetNumOperands(s->op); i < n; ++i) {
    const MlirValue operand = mlirOperationGetOperand(s->op, i);
    const intptr_t dim = stow_rows_sliced_dim(s, i);
    int64_t by;
    stow_fit_amount of = stow_fit_amount_of(s->op, operand);
    if (dim >= 0)
      of = part_of(of, stow_rows_extent(operand, dim), stow_rows_indices_of(s, i, dim, rows, &by));
    cost = stow_fit_sum(cost, measure->of_access(of, f->prices->first));
  }
  return cost;
}

// As that of a copy.
static uint64_t cost_of_transfer(const finder *f, stow_fit_amount what) {
  const stow_fit_prices *p = f->prices;
  return stow_fit_sum(p->measure->of_work(what.accesses + 1),
                      p->measure->of_move(what, p->constants, p->first));
}

static uint64_t cost_as_it_is(const finder *f, const stow_fit_tile *t, stow_fit_amount constant) {
  const stow_fit_prices *p = f->prices;
  return stow_fit_sum(stow_fit_cost(t->statement.op, p),
                      stow_fit_more(p, constant, p->constants, p->first));
}

static uint64_t trips_around(const finder *f, MlirOperation op) {
  uint64_t trips = 1;
  for (MlirBlock block = mlirOperationGetBlock(op); !mlirBlockEqual(block, f->b->graph.block);
       block = mlirOperationGetBlock(op)) {
    op = mlirBlockGetParentOperation(block);
    trips = stow_fit_product(trips, stow_fit_trips_of(op));
  }
  return trips;
}

// Tiles of so many rows, which may cost more than the op as it is. The first transfer is waited
// for; each other one runs beside the work on the tile before.
static void price(const finder *f, int64_t rows, stow_fit_tile *t) {
  const MlirValue constant = mlirOperationGetOperand(t->statement.op, t->operand);
  const int64_t all = stow_rows_extent(constant, t->dim);
  const stow_fit_amount whole = stow_fit_amount_of(t->statement.op, constant),
                        tile = part_of(whole, all / rows, 1);
  t->rows = rows;
  t->count = all / rows;
  t->bytes = tile.bytes;
  const uint64_t count = (uint64_t)t->count;
  const uint64_t work = cost_of_work(f, t, rows), sent = cost_of_transfer(f, tile);
  const uint64_t beside = !f->prices->measure->hides ? 0 : work < sent ? work : sent;
  t->cost = stow_fit_product(count, sent);
  t->hidden = stow_fit_product(count - 1, beside);
  const uint64_t now = cost_as_it_is(f, t, whole);
  const uint64_t then = stow_fit_sum(stow_fit_product(count, work), t->cost) - t->hidden;
  t->saved = then < now ? now - then : 0;
}

static void choose_rows(const finder *f, stow_fit_tile *t) {
  const MlirValue constant = mlirOperationGetOperand(t->statement.op, t->operand);
  const int64_t all = stow_rows_extent(constant, t->dim);
  const uint64_t bytes = stow_fit_amount_of(t->statement.op, constant).bytes / (uint64_t)all;
  const uint64_t room = room_for(f, t->statement.op);
  for (int64_t rows = 1; rows <= all / 2; ++rows) {
    stow_fit_tile other = *t;
    if ((uint64_t)rows * bytes > room / 2)
      break;
    if (all % rows != 0 || (uint64_t)rows * bytes < LEAST_BYTES ||
        (uint64_t)rows * bytes % f->alignment != 0)
      continue;
    price(f, rows, &other);
    if (other.saved > t->saved)
      *t = other;
  }
}

// By all times that the op runs, as the block counts.
static void settle(const finder *f, stow_fit_tile *t) {
  const uint64_t trips = trips_around(f, t->statement.op);
  t->saved = stow_fit_product(t->saved, trips) >> f->b->shift;
  t->cost = stow_fit_product(t->cost, trips) >> f->b->shift;
  t->hidden = stow_fit_product(t->hidden, trips) >> f->b->shift;
}

//===----------------------------------------------------------------------===//
// All of them
//===----------------------------------------------------------------------===//

// The best of the constants that an op reads.
static void find_tile(const finder *f, MlirOperation op, stow_fit_tiles *out) {
  stow_fit_tile best = {0};
  stow_rows_statement s = {.op = op, .unit = 1, .grain = 1};
  if (stow_ir_is(op, STOW_MEMREF_COPY) || !stow_rows_has_loops(op) || !is_followed(f, op) ||
      !has_plain_body(op) || writes_what_it_reads(f, op))
    return;
  stow_rows_loops_of(op, &s.loops);
  s.maps = stow_ir_allocate((size_t)mlirOperationGetNumOperands(op), sizeof *s.maps);
  stow_bridge_loop_maps(op, s.maps);
  for (intptr_t i = 0, n = mlirOperationGetNumOperands(op); i < n; ++i) {
    stow_fit_tile t = {.statement = s, .operand = i};
    if (!is_read_whole(f, op, i) || !can_split(&t))
      continue;
    t.global = stow_reorder_constant_of(f->facts, mlirOperationGetOperand(op, i));
    choose_rows(f, &t);
    best = t.saved > best.saved ? t : best;
  }
  if (best.saved > 0) {
    settle(f, &best);
    STOW_PUSH(*out, best);
  } else {
    free(s.maps);
  }
}

void stow_fit_find_tiles(const stow_reorder_facts *facts, const stow_fit_block *b,
                         const stow_fit_prices *prices, const stow_fit_tile_room *in,
                         stow_fit_tiles *out) {
  finder f = {.facts = facts, .b = b, .prices = prices, .alignment = in->alignment};
  f.rooms = rooms_of(&f, in->bytes);
  STOW_EACH_OP(op, b->graph.block)
    STOW_EACH_OP_OF(inside, op)
      if (stow_bridge_loop_count(inside) >= 0)
        find_tile(&f, inside, out);
  free(f.rooms);
}

void stow_fit_tiles_free(stow_fit_tiles *tiles) {
  STOW_EACH(stow_fit_tile, tile, *tiles)
    free(tile->statement.maps);
  free(tiles->at);
  *tiles = (stow_fit_tiles){0};
}
