//===- order.c - whether a change of loops keeps the order of conflicting accesses ===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An iteration runs before another if its first differing loop, from the outermost,
// has the smaller variable. To keep a conflict in order, no pair of iterations that
// name one cell may run the one way before and the other way after. The pairs that do
// are a union of sets, one per loop that differs first; each is asked for emptiness.
//
//===----------------------------------------------------------------------===//

#include "taskflow/order.h"

#include "taskflow/memory.h"
#include "taskflow/steps.h"

#include <stdlib.h>

stow_alignment stow_alignment_create(size_t writer_loops, size_t reader_loops) {
  const size_t most = writer_loops > reader_loops ? writer_loops : reader_loops;
  return (stow_alignment){0, stow_ir_allocate(most, sizeof(size_t)),
                          stow_ir_allocate(most, sizeof(size_t)),
                          stow_ir_allocate(most, sizeof(stow_loop_pair))};
}

void stow_alignment_share(stow_alignment *a, size_t writer_loop, size_t reader_loop,
                          stow_loop_pair loops) {
  a->writer_order[a->depth] = writer_loop;
  a->reader_order[a->depth] = reader_loop;
  a->shared[a->depth++] = loops;
}

// The loops that are not shared, in their order, after those that are.
static void complete_order(size_t *order, size_t depth, size_t count) {
  size_t end = depth;
  for (size_t loop = 0; loop < count; ++loop) {
    bool placed = false;
    for (size_t k = 0; k < depth; ++k)
      placed |= order[k] == loop;
    if (!placed)
      order[end++] = loop;
  }
}

void stow_alignment_complete(stow_alignment *a, size_t writer_loops, size_t reader_loops) {
  complete_order(a->writer_order, a->depth, writer_loops);
  complete_order(a->reader_order, a->depth, reader_loops);
}

void stow_alignment_free(stow_alignment *alignment) {
  free(alignment->writer_order);
  free(alignment->reader_order);
  free(alignment->shared);
  *alignment = (stow_alignment){0};
}

size_t stow_taskflow_order_extent(const size_t *order, size_t count) {
  while (count > 0 && order[count - 1] == count - 1)
    --count;
  return count;
}

static bool report(stow_conflict *out, const stow_loop_item *a, const stow_loop_item *b) {
  *out = (stow_conflict){a, b, !mlirValueEqual(a->root, b->root)};
  return false;
}

//===----------------------------------------------------------------------===//
// Another order of loops
//===----------------------------------------------------------------------===//

// A loop whose bounds use another loop's variable stays inside it.
static bool bounds_allow(const stow_loop_nest *nest, const size_t *order, size_t extent) {
  for (size_t i = 0; i < extent; ++i)
    for (size_t j = i + 1; j < extent; ++j)
      if (order[j] < order[i] &&
          stow_affine_bounds_use(nest->spine.at[order[i]], nest->spine.at[order[j]]))
        return false;
  return true;
}

// Whether no execution of `a` runs before one of `b` that names the same cell because of loop
// `differs`, and after it in the new order.
static bool loop_keeps_order(const stow_loop_nest *nest, const size_t *order, size_t extent,
                             const stow_loop_item *a, const stow_loop_item *b, size_t differs) {
  stow_iteration_relation *relations = stow_ir_allocate(extent + 1, sizeof *relations);
  size_t count = 0;
  bool kept = true;
  for (size_t i = 0; i < differs; ++i)
    relations[count++] =
        (stow_iteration_relation){nest->spine.at[i], nest->spine.at[i], 0, STOW_ITERATION_SAME, 0};
  MlirOperation loop = nest->spine.at[differs];
  relations[count++] = (stow_iteration_relation){loop, loop, 0, STOW_ITERATION_AFTER, 0};
  for (size_t i = 0; i < extent && order[i] != differs && kept; ++i) {
    if (order[i] < differs)
      continue;
    MlirOperation inner = nest->spine.at[order[i]];
    relations[count] = (stow_iteration_relation){inner, inner, 0, STOW_ITERATION_BEFORE, 0};
    kept = !stow_taskflow_may_meet(a->op, b->op, relations, count + 1);
    relations[count++].order = STOW_ITERATION_SAME;
  }
  free(relations);
  return kept;
}

static bool pair_keeps_order(const stow_loop_nest *nest, const size_t *order, size_t extent,
                             const stow_loop_item *a, const stow_loop_item *b) {
  if (!stow_taskflow_items_comparable(a, b))
    return false;
  for (size_t differs = 0; differs < extent; ++differs)
    if (!loop_keeps_order(nest, order, extent, a, b, differs))
      return false;
  return true;
}

bool stow_taskflow_permutation_is_legal(const stow_loop_nest *nest, const size_t *order,
                                        bool distinct_arguments, stow_conflict *out_conflict) {
  size_t extent = stow_taskflow_order_extent(order, nest->spine.count);
  if (extent == 0)
    return true;
  if (extent > nest->band || !bounds_allow(nest, order, extent))
    return false;
  MlirOperation outermost = nest->spine.at[0];
  for (size_t i = 0; i < nest->items.count; ++i)
    for (size_t j = 0; j < nest->items.count; ++j) {
      const stow_loop_item *a = &nest->items.at[i], *b = &nest->items.at[j];
      if (!stow_taskflow_items_conflict(a, b, distinct_arguments) ||
          !stow_ir_is_inside(a->op, outermost) || !stow_ir_is_inside(b->op, outermost))
        continue;
      if (!pair_keeps_order(nest, order, extent, a, b))
        return report(out_conflict, a, b);
    }
  return true;
}

//===----------------------------------------------------------------------===//
// Common loops
//===----------------------------------------------------------------------===//

typedef struct sharing {
  const stow_loop_nest *writer, *reader;
  const stow_alignment *alignment;
} sharing;

static size_t common_depth(const sharing *s, const stow_loop_item *item, bool reader) {
  size_t depth = 0;
  while (depth < s->alignment->depth &&
         stow_ir_is_inside(item->op, reader ? s->alignment->shared[depth].second
                                            : s->alignment->shared[depth].first))
    ++depth;
  return depth;
}

// Where an item that lies in `depth` common loops stands in the body of common loop `level`:
// the writer's ops before the next loop, the reader's, the next loop, the writer's after it, the
// reader's.
static int place_in_body(const sharing *s, const stow_loop_item *item, bool reader, size_t depth,
                         size_t level) {
  const stow_loop_nest *nest = reader ? s->reader : s->writer;
  if (depth > level)
    return 2;
  if (level == s->alignment->depth)
    return reader;
  MlirOperation next = nest->spine.at[level];
  MlirOperation op = stow_ir_op_in_block(mlirOperationGetBlock(next), item->op);
  bool after = !mlirOperationEqual(op, next) && !mlirOperationIsBeforeInBlock(op, next);
  return (after ? 3 : 0) + reader;
}

// Asks whether an execution of the reader's item may name the same cell in an earlier iteration of
// the common loops than one of the writer's, or in the same one where it stands before it.
static bool reader_overtakes(const sharing *s, const stow_loop_item *a, const stow_loop_item *b) {
  size_t depth_a = common_depth(s, a, false), depth_b = common_depth(s, b, true);
  size_t level = depth_a < depth_b ? depth_a : depth_b;
  stow_iteration_relation *relations = stow_ir_allocate(level + 1, sizeof *relations);
  bool overtakes = false;
  for (size_t i = 0; i < level && !overtakes; ++i) {
    const stow_loop_pair *loops = &s->alignment->shared[i];
    relations[i] = (stow_iteration_relation){loops->first, loops->second, loops->shift,
                                             STOW_ITERATION_BEFORE, 0};
    overtakes = stow_taskflow_may_meet(a->op, b->op, relations, i + 1);
    relations[i].order = STOW_ITERATION_SAME;
  }
  if (!overtakes &&
      place_in_body(s, b, true, depth_b, level) < place_in_body(s, a, false, depth_a, level))
    overtakes = stow_taskflow_may_meet(a->op, b->op, relations, level);
  free(relations);
  return overtakes;
}

bool stow_taskflow_sharing_is_legal(const stow_loop_nest *writer, const stow_loop_nest *reader,
                                    const stow_alignment *alignment, bool distinct_arguments,
                                    stow_conflict *out_conflict) {
  const sharing s = {writer, reader, alignment};
  for (size_t i = 0; i < writer->items.count; ++i)
    for (size_t j = 0; j < reader->items.count; ++j) {
      const stow_loop_item *a = &writer->items.at[i], *b = &reader->items.at[j];
      if (stow_taskflow_items_conflict(a, b, distinct_arguments) &&
          (!stow_taskflow_items_comparable(a, b) || reader_overtakes(&s, a, b)))
        return report(out_conflict, a, b);
    }
  return true;
}
