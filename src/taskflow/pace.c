//===- pace.c - two nests that keep pace ----------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loop of the writer and one of the reader that index the same dimension of a buffer run at a
// constant ratio. Both are strip-mined: split into runs of so many iterations per iteration of a
// loop that counts from 0:
//
//     for i = l to u step s
//
// becomes
//
//     for t = 0 to T
//       for i = max(l, l + s (n t - d)) to min(u, l + s (n t - d + n)) step s
//
// which runs the same iterations in the same order. The counting loops of the two nests have
// equal bounds, so that they can be shared like any others, once the lags d let every conflict
// keep its order: that is proven afterwards (order.h).
//
//===----------------------------------------------------------------------===//

#include "taskflow/steps.h"

#include "bridge/affine.h"
#include "ir/formula.h"
#include "mlir-c/AffineExpr.h"
#include "mlir-c/BuiltinTypes.h"
#include "taskflow/ops.h"

#include <assert.h>
#include <stdlib.h>

//===----------------------------------------------------------------------===//
// Which loops, at which ratio
//===----------------------------------------------------------------------===//

static int64_t step_of(MlirOperation loop) {
  int64_t lower, upper, step;
  return stow_bridge_affine_constant_bounds(loop, &lower, &upper, &step) ? step : 1;
}

bool stow_taskflow_find_driver(const stow_loop_nest *nest, MlirOperation access, intptr_t dimension,
                               size_t *out_loop, int64_t *out_rate) {
  for (size_t i = 0; i < nest->spine.count; ++i) {
    MlirOperation loop = nest->spine.at[i];
    const int64_t rate = stow_bridge_affine_index_growth(access, dimension, loop);
    if (rate == 0)
      continue;
    *out_loop = i;
    return !__builtin_mul_overflow(rate, step_of(loop), out_rate);
  }
  return false;
}

static bool is_taken(const stow_pace *pace, size_t writer, size_t reader) {
  for (size_t l = 0; l < pace->depth; ++l)
    if (pace->levels[l].writer == writer || pace->levels[l].reader == reader)
      return true;
  return false;
}

static stow_pace pace_of(const stow_loop_nest *writer, const stow_loop_nest *reader,
                         const stow_loop_item *store, const stow_loop_item *load) {
  stow_pace pace = {0};
  intptr_t rank = mlirShapedTypeGetRank(mlirValueGetType(store->memref));
  for (intptr_t k = 0; k < rank && pace.depth < STOW_MOST_LEVELS; ++k) {
    size_t first, second;
    int64_t written, read;
    if (!stow_taskflow_find_driver(writer, store->op, k, &first, &written) ||
        !stow_taskflow_find_driver(reader, load->op, k, &second, &read) ||
        (written < 0) != (read < 0) || is_taken(&pace, first, second))
      continue;
    const int64_t divisor = stow_ir_common_factor(written, read); // of the same sign
    pace.levels[pace.depth++] = (stow_level){first, second, read / divisor, written / divisor};
  }
  return pace;
}

static size_t loop_of(const stow_level *level, bool by_reader) {
  return by_reader ? level->reader : level->writer;
}

// The first `depth` levels in the order of the writer's loops, or of the reader's.
static stow_pace ordered(stow_pace pace, bool by_reader, size_t depth) {
  for (size_t i = 1; i < pace.depth; ++i)
    for (size_t j = i;
         j > 0 && loop_of(&pace.levels[j], by_reader) < loop_of(&pace.levels[j - 1], by_reader);
         --j) {
      const stow_level level = pace.levels[j];
      pace.levels[j] = pace.levels[j - 1];
      pace.levels[j - 1] = level;
    }
  pace.depth = depth;
  return pace;
}

static bool same_pace(const stow_pace *a, const stow_pace *b) {
  bool same = a->depth == b->depth;
  for (size_t l = 0; l < a->depth && same; ++l)
    same = a->levels[l].writer == b->levels[l].writer &&
           a->levels[l].reader == b->levels[l].reader &&
           a->levels[l].writer_steps == b->levels[l].writer_steps &&
           a->levels[l].reader_steps == b->levels[l].reader_steps;
  return same;
}

static void add(stow_paces *list, stow_pace pace) {
  enum { MOST_PACES = 12 };
  for (size_t i = 0; i < list->count; ++i)
    if (same_pace(&list->at[i], &pace))
      return;
  if (list->count < MOST_PACES)
    STOW_PUSH(*list, pace);
}

stow_paces stow_paces_of(const stow_loop_nest *writer, const stow_loop_nest *reader,
                         const stow_values *buffers) {
  stow_paces list = {0};
  STOW_EACH(const stow_loop_item, store, writer->items)
    STOW_EACH(const stow_loop_item, load, reader->items) {
      if (!store->writes || !load->reads || !stow_taskflow_items_comparable(store, load) ||
          stow_values_find(buffers, store->memref) < 0)
        continue;
      const stow_pace pace = pace_of(writer, reader, store, load);
      for (size_t depth = 1; depth <= pace.depth; ++depth) {
        add(&list, ordered(pace, false, depth));
        add(&list, ordered(pace, true, depth));
      }
    }
  return list;
}

//===----------------------------------------------------------------------===//
// Lags
//===----------------------------------------------------------------------===//

// A loop that is strip-mined.
typedef struct strip_mined {
  MlirOperation loop;
  int64_t lower, upper, step;
  int64_t steps; // iterations per common iteration
  int64_t lag;   // iterations
} strip_mined;

typedef struct level {
  strip_mined writer, reader;
  bool shared; // as they are
} level;

static int64_t divided_up(int64_t number, int64_t by) { return -stow_ir_rounded_down(-number, by); }

// Raises `most` to the largest m x - n y where iteration x of the writer's loop and y of the
// reader's meet in `a` and `b`, and n and m are their iterations per common one.
static bool look_ahead(const strip_mined *writer, const strip_mined *reader, MlirOperation a,
                       MlirOperation b, int64_t *most) {
  const stow_execution two[] = {stow_taskflow_access_execution(a, 0),
                                stow_taskflow_access_execution(b, 0)};
  stow_executions *e = stow_executions_create(two, 2);
  int64_t *row = stow_executions_row(e), found;
  const int64_t of_x = reader->steps * reader->step, of_y = writer->steps * writer->step;
  row[stow_executions_variable(e, 0, stow_taskflow_loop_variable(writer->loop))] = of_x;
  row[stow_executions_variable(e, 1, stow_taskflow_loop_variable(reader->loop))] = -of_y;
  row[stow_executions_constant(e)] = of_y * reader->lower - of_x * writer->lower;
  const stow_affine_extent extent = stow_executions_largest(e, NULL, 0, row, &found);
  free(row);
  stow_executions_free(e);
  if (extent == STOW_AFFINE_BOUNDED) {
    found = stow_ir_rounded_down(found, writer->step * reader->step);
    *most = found > *most ? found : *most;
  }
  return extent != STOW_AFFINE_UNBOUNDED;
}

// The least lags with which the common iteration of x, (x + lag) / n rounded down, is never after
// that of y, where m x - n y is `most` at most.
static void set_lags(strip_mined *writer, strip_mined *reader, int64_t most) {
  const int64_t n = writer->steps, m = reader->steps;
  if (m == 1) {
    reader->lag = stow_ir_rounded_down(most, n);
    writer->lag = n * reader->lag + n - 1 - most;
  } else {
    reader->lag = divided_up(most, n);
  }
  const int64_t wait = reader->lag < 0 ? divided_up(-reader->lag, m) : 0;
  writer->lag += wait * n;
  reader->lag += wait * m;
}

static bool find_lags(const stow_loop_nest *writer, const stow_loop_nest *reader, bool distinct,
                      level *l) {
  int64_t most = INT64_MIN;
  STOW_EACH(const stow_loop_item, a, writer->items)
    STOW_EACH(const stow_loop_item, b, reader->items)
      if (stow_taskflow_items_conflict(a, b, distinct) && stow_taskflow_items_comparable(a, b) &&
          stow_ir_is_inside(a->op, l->writer.loop) && stow_ir_is_inside(b->op, l->reader.loop) &&
          !look_ahead(&l->writer, &l->reader, a->op, b->op, &most))
        return false;
  if (most == INT64_MIN)
    return false;
  set_lags(&l->writer, &l->reader, most);
  return true;
}

// Keeps products of bounds and steps far from the ends of the numbers.
static bool is_moderate(const strip_mined *c) {
  const int64_t most = 1 << 20;
  return c->lower > -most && c->upper < most && c->step < most && c->steps < most &&
         c->lag < most && c->lower < c->upper;
}

static bool find_bounds(strip_mined *c) {
  return stow_bridge_affine_constant_bounds(c->loop, &c->lower, &c->upper, &c->step) &&
         is_moderate(c);
}

static bool find_level(const stow_loop_nest *writer, const stow_loop_nest *reader,
                       const stow_level *wanted, const stow_alignment *outer, bool distinct,
                       level *l) {
  *l = (level){
      .writer = {writer->spine.at[wanted->writer], 0, 0, 1, wanted->writer_steps, 0},
      .reader = {reader->spine.at[wanted->reader], 0, 0, 1, wanted->reader_steps, 0},
  };
  int64_t shift;
  const bool even = wanted->writer_steps == 1 && wanted->reader_steps == 1 &&
                    stow_bridge_affine_same_bounds(l->writer.loop, l->reader.loop, outer->shared,
                                                   outer->depth, &shift) &&
                    shift == 0;
  const bool constant = find_bounds(&l->writer) && find_bounds(&l->reader);
  if (!constant && !even)
    return false;
  if (!constant) {
    l->writer.lower = l->reader.lower = 0;
    l->writer.step = l->reader.step = 1;
  }
  if (!find_lags(writer, reader, distinct, l))
    return false;
  l->shared = even && l->writer.lag == 0 && l->reader.lag == 0;
  return l->shared || (constant && is_moderate(&l->writer) && is_moderate(&l->reader));
}

//===----------------------------------------------------------------------===//
// Cutting
//===----------------------------------------------------------------------===//

static int64_t trips_of(const strip_mined *c) {
  const int64_t iterations = (c->upper - c->lower + c->step - 1) / c->step;
  return divided_up(iterations + c->lag, c->steps);
}

// (t) -> (limit, lower + step * (steps * t + offset)).
static MlirAffineMap run_bound(MlirContext context, const strip_mined *c, int64_t limit,
                               int64_t offset) {
  MlirAffineExpr moving = mlirAffineMulExprGet(
      mlirAffineDimExprGet(context, 0), mlirAffineConstantExprGet(context, c->step * c->steps));
  moving =
      mlirAffineAddExprGet(moving, mlirAffineConstantExprGet(context, c->lower + c->step * offset));
  MlirAffineExpr both[] = {mlirAffineConstantExprGet(context, limit), moving};
  return mlirAffineMapGet(context, 1, 0, 2, both);
}

static stow_loop_bounds bounds_of_run(MlirContext context, const strip_mined *c, MlirValue t) {
  return (stow_loop_bounds){run_bound(context, c, c->lower, -c->lag),
                            run_bound(context, c, c->upper, c->steps - c->lag), t, t, c->step};
}

// Puts a loop of `trips` iterations around runs of the loop's, in its place; returns it.
static MlirOperation strip_mine(const strip_mined *c, int64_t trips) {
  MlirContext context = mlirOperationGetContext(c->loop);
  MlirLocation location = mlirOperationGetLocation(c->loop);
  const stow_loop_bounds counting = stow_taskflow_constant_bounds(context, 0, trips);
  stow_values inits = {0}, carried = {0}, results = {0}, yielded = {0};
  stow_values_append_operands(&inits, c->loop, stow_taskflow_loop_first_init(c->loop));
  MlirOperation outer =
      stow_taskflow_build_loop(c->loop, location, &counting, inits.at, inits.count);
  MlirBlock body = stow_taskflow_loop_body(outer);
  for (size_t i = 0; i < inits.count; ++i)
    stow_values_append(&carried, mlirBlockGetArgument(body, 1 + (intptr_t)i));
  const stow_loop_bounds run = bounds_of_run(context, c, stow_taskflow_loop_variable(outer));
  MlirOperation inner =
      stow_taskflow_build_loop(c->loop, location, &run, carried.at, carried.count);
  stow_move_to_end(inner, body);
  for (size_t i = 0; i < inits.count; ++i) {
    stow_values_append(&results, mlirOperationGetResult(inner, (intptr_t)i));
    mlirValueReplaceAllUsesOfWith(mlirOperationGetResult(c->loop, (intptr_t)i),
                                  mlirOperationGetResult(outer, (intptr_t)i));
  }
  stow_taskflow_take_over_loop(c->loop, inner);
  stow_values_append_operands(&yielded, mlirBlockGetTerminator(stow_taskflow_loop_body(c->loop)),
                              0);
  stow_taskflow_build_affine_yield(stow_taskflow_loop_body(inner), location, yielded.at,
                                   yielded.count);
  stow_taskflow_build_affine_yield(body, location, results.at, results.count);
  mlirOperationDestroy(c->loop);
  stow_values_free(&inits);
  stow_values_free(&yielded);
  stow_values_free(&carried);
  stow_values_free(&results);
  return outer;
}

static void cut_level(stow_open_pair *pair, level *l) {
  const int64_t first = trips_of(&l->writer), second = trips_of(&l->reader);
  const int64_t trips = first > second ? first : second;
  const bool begins = mlirOperationEqual(pair->reader_begins, l->reader.loop);
  l->writer.loop = strip_mine(&l->writer, trips);
  l->reader.loop = strip_mine(&l->reader, trips);
  if (begins)
    pair->reader_begins = l->reader.loop;
}

//===----------------------------------------------------------------------===//
// Keeping pace
//===----------------------------------------------------------------------===//

static size_t index_in(const stow_op_list *spine, MlirOperation loop) {
  size_t i = 0;
  while (!mlirOperationEqual(spine->at[i], loop))
    ++i;
  return i;
}

static void list_nests(stow_open_pair *pair, stow_loop_nest *writer, stow_loop_nest *reader) {
  stow_taskflow_nest_free(writer);
  stow_taskflow_nest_free(reader);
  *writer = stow_taskflow_nest_of(
      (stow_part){mlirBlockGetFirstOperation(pair->body), pair->reader_begins});
  *reader =
      stow_taskflow_nest_of((stow_part){pair->reader_begins, mlirBlockGetTerminator(pair->body)});
}

bool stow_taskflow_keep_pace(stow_open_pair *pair, stow_loop_nest *writer, stow_loop_nest *reader,
                             const stow_pace *pace, bool distinct, stow_alignment *out) {
  level levels[STOW_MOST_LEVELS];
  stow_alignment outer = {.shared = (stow_loop_pair[STOW_MOST_LEVELS]){{{NULL}, {NULL}, 0}}};
  for (size_t i = 0; i < pace->depth; ++i) {
    if (!find_level(writer, reader, &pace->levels[i], &outer, distinct, &levels[i]))
      return false;
    if (levels[i].shared)
      outer.shared[outer.depth++] =
          (stow_loop_pair){levels[i].writer.loop, levels[i].reader.loop, 0};
  }
  for (size_t i = 0; i < pace->depth; ++i)
    if (!levels[i].shared)
      cut_level(pair, &levels[i]);
  list_nests(pair, writer, reader);
  *out = stow_alignment_create(writer->spine.count, reader->spine.count);
  for (size_t i = 0; i < pace->depth; ++i) {
    const stow_loop_pair loops = {levels[i].writer.loop, levels[i].reader.loop, 0};
    stow_alignment_share(out, index_in(&writer->spine, loops.first),
                         index_in(&reader->spine, loops.second), loops);
  }
  stow_alignment_complete(out, writer->spine.count, reader->spine.count);
  return true;
}
