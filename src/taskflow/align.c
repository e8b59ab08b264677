//===- align.c - which loops of a writer and a reader may become common ones ===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A store to T[f] and a load from T[g] tell which loops belong together: where
// dimension k of f is a * i + c and of g is a * j + c', the iterations that meet have
// j = i + (c - c') / a. Loops so matched must run over the same values. They become
// the outermost ones, in the writer's order or in the reader's.
//
//===----------------------------------------------------------------------===//

#include "taskflow/steps.h"

#include "mlir-c/BuiltinTypes.h"

#include <stdlib.h>

enum { NONE = -1, MOST_ALIGNMENTS = 8 };

// Per loop of the writer's spine: the reader's loop it is matched with, or NONE.
typedef struct matching {
  const stow_loop_nest *writer, *reader;
  int *partner;
  int64_t *shift;
  bool *taken; // per loop of the reader's spine
} matching;

static matching matching_create(const stow_loop_nest *writer, const stow_loop_nest *reader) {
  matching m = {writer, reader, stow_ir_allocate(writer->spine.count, sizeof *m.partner),
                stow_ir_allocate(writer->spine.count, sizeof *m.shift),
                stow_ir_allocate(reader->spine.count, sizeof *m.taken)};
  for (size_t i = 0; i < writer->spine.count; ++i)
    m.partner[i] = NONE;
  return m;
}

static void matching_free(matching *m) {
  free(m->partner);
  free(m->shift);
  free(m->taken);
}

//===----------------------------------------------------------------------===//
// Matching
//===----------------------------------------------------------------------===//

static int loop_of_variable(const stow_op_list *spine, MlirValue variable) {
  for (size_t i = 0; i < spine->count; ++i)
    if (mlirValueEqual(stow_taskflow_loop_variable(spine->at[i]), variable))
      return (int)i;
  return NONE;
}

// False where the loops are matched with others, or otherwise, already.
static bool match_loops(matching *m, int first, int second, int64_t shift) {
  if (m->partner[first] == second)
    return m->shift[first] == shift;
  if (m->partner[first] != NONE || m->taken[second])
    return false;
  m->partner[first] = second;
  m->shift[first] = shift;
  m->taken[second] = true;
  return true;
}

// What one dimension says; false where store and load cannot name the same cell.
static bool match_dimension(matching *m, MlirOperation store, MlirOperation load, intptr_t k) {
  MlirValue of_store, of_load;
  int64_t scale, scale_of_load, offset, offset_of_load;
  if (!stow_bridge_affine_index_term(store, k, &of_store, &scale, &offset) ||
      !stow_bridge_affine_index_term(load, k, &of_load, &scale_of_load, &offset_of_load))
    return true; // says nothing
  if (mlirValueIsNull(of_store) && mlirValueIsNull(of_load))
    return offset == offset_of_load;
  int first = mlirValueIsNull(of_store) ? NONE : loop_of_variable(&m->writer->spine, of_store);
  int second = mlirValueIsNull(of_load) ? NONE : loop_of_variable(&m->reader->spine, of_load);
  if (first == NONE || second == NONE || scale != scale_of_load)
    return true;
  int64_t difference;
  if (__builtin_sub_overflow(offset, offset_of_load, &difference) || difference == INT64_MIN ||
      difference % scale != 0)
    return false;
  return match_loops(m, first, second, difference / scale);
}

static intptr_t rank_of(const stow_loop_item *item) {
  return mlirShapedTypeGetRank(mlirValueGetType(item->memref));
}

static bool match_access(matching *m, const stow_loop_item *store, const stow_loop_item *load) {
  for (intptr_t k = 0, rank = rank_of(store); k < rank; ++k)
    if (!match_dimension(m, store->op, load->op, k))
      return false;
  return true;
}

// Loops that run once are in no index any more; they are matched in their order.
static void match_single_trips(matching *m) {
  size_t second = 0;
  for (size_t first = 0; first < m->writer->spine.count; ++first) {
    if (m->partner[first] != NONE || stow_bridge_affine_trip_count(m->writer->spine.at[first]) != 1)
      continue;
    while (second < m->reader->spine.count &&
           (m->taken[second] || stow_bridge_affine_trip_count(m->reader->spine.at[second]) != 1))
      ++second;
    int64_t shift;
    if (second == m->reader->spine.count)
      return;
    if (stow_bridge_affine_same_bounds(m->writer->spine.at[first], m->reader->spine.at[second],
                                       NULL, 0, &shift))
      match_loops(m, (int)first, (int)second, shift);
  }
}

//===----------------------------------------------------------------------===//
// From a matching to an alignment
//===----------------------------------------------------------------------===//

typedef enum loop_order { BY_WRITER, BY_READER, SUMS_OUTSIDE } loop_order;

// Whether the reader stores in the loop, and to the same cells in each iteration.
static bool is_summed_over(const stow_loop_nest *reader, MlirOperation loop) {
  bool stores = false, varies = false;
  STOW_EACH(const stow_loop_item, item, reader->items)
    if (item->writes && stow_ir_is_inside(item->op, loop)) {
      stores = true;
      varies |= !item->exact || stow_ir_has_operand(item->op, stow_taskflow_loop_variable(loop));
    }
  return stores && !varies;
}

static void add_partners(const matching *m, size_t reader_loop, size_t *out, size_t *count) {
  for (size_t i = 0; i < m->writer->spine.count; ++i)
    if (m->partner[i] == (int)reader_loop)
      out[(*count)++] = i;
}

// The matched loops of the writer in that order.
static size_t matched_loops(const matching *m, loop_order order, size_t *out) {
  size_t count = 0;
  if (order == BY_WRITER) {
    for (size_t i = 0; i < m->writer->spine.count; ++i)
      if (m->partner[i] != NONE)
        out[count++] = i;
    return count;
  }
  for (int summed = order == SUMS_OUTSIDE; summed >= 0; --summed)
    for (size_t j = 0; j < m->reader->spine.count; ++j)
      if (order == BY_READER || is_summed_over(m->reader, m->reader->spine.at[j]) == summed)
        add_partners(m, j, out, &count);
  return count;
}

// Shares the loops up to the first whose bounds differ.
static void share(const matching *m, const size_t *loops, size_t count, stow_alignment *out) {
  for (size_t k = 0; k < count; ++k) {
    size_t first = loops[k], second = (size_t)m->partner[first];
    stow_loop_pair pair = {m->writer->spine.at[first], m->reader->spine.at[second], 0};
    if (!stow_bridge_affine_same_bounds(pair.first, pair.second, out->shared, k, &pair.shift) ||
        pair.shift != m->shift[first])
      return;
    stow_alignment_share(out, first, second, pair);
  }
}

static stow_alignment alignment_of(const matching *m, loop_order order) {
  size_t writers = m->writer->spine.count, readers = m->reader->spine.count;
  stow_alignment a = stow_alignment_create(writers, readers);
  size_t *loops = stow_ir_allocate(writers, sizeof *loops);
  share(m, loops, matched_loops(m, order, loops), &a);
  stow_alignment_complete(&a, writers, readers);
  free(loops);
  return a;
}

//===----------------------------------------------------------------------===//
// What options and shapes allow
//===----------------------------------------------------------------------===//

static bool is_plain(const stow_alignment *a, size_t writers, size_t readers) {
  for (size_t k = 0; k < a->depth; ++k)
    if (a->shared[k].shift != 0)
      return false;
  return stow_taskflow_order_extent(a->writer_order, writers) == 0 &&
         stow_taskflow_order_extent(a->reader_order, readers) == 0;
}

static bool shares_all(const stow_alignment *a, const stow_loop_nest *writer,
                       const stow_loop_nest *reader) {
  return a->depth == writer->loop_count && a->depth == reader->loop_count;
}

static bool matches_any(const matching *m) {
  for (size_t i = 0; i < m->writer->spine.count; ++i)
    if (m->partner[i] != NONE)
      return true;
  return false;
}

static stow_fusion_reason judge(const stow_alignment *a, const matching *m,
                                stow_align_options options) {
  if (a->depth == 0)
    return matches_any(m) ? STOW_FUSION_BOUNDS : STOW_FUSION_INDEX;
  if (!options.permutation && !is_plain(a, m->writer->spine.count, m->reader->spine.count))
    return STOW_FUSION_PERMUTATION_OFF;
  if (!options.reduction && !shares_all(a, m->writer, m->reader))
    return STOW_FUSION_REDUCTION_OFF;
  return STOW_FUSION_FUSED;
}

static bool same_alignment(const stow_alignment *a, const stow_alignment *b) {
  if (a->depth != b->depth)
    return false;
  for (size_t k = 0; k < a->depth; ++k)
    if (a->writer_order[k] != b->writer_order[k] || a->reader_order[k] != b->reader_order[k] ||
        a->shared[k].shift != b->shared[k].shift)
      return false;
  return true;
}

static bool is_known(const stow_alignments *list, const stow_alignment *a) {
  for (size_t i = 0; i < list->count; ++i)
    if (same_alignment(&list->at[i], a))
      return true;
  return false;
}

static void add(stow_alignments *list, const matching *m, loop_order order,
                stow_align_options options) {
  stow_alignment a = alignment_of(m, order);
  stow_fusion_reason reason = judge(&a, m, options);
  if (reason != STOW_FUSION_FUSED || is_known(list, &a) || list->count == MOST_ALIGNMENTS) {
    if (list->reason == STOW_FUSION_INDEX && reason != STOW_FUSION_FUSED)
      list->reason = reason;
    stow_alignment_free(&a);
    return;
  }
  STOW_PUSH(*list, a);
}

static void add_for_access(stow_alignments *list, const stow_loop_nest *writer,
                           const stow_loop_nest *reader, const stow_loop_item *store,
                           const stow_loop_item *load, stow_align_options options) {
  matching m = matching_create(writer, reader);
  if (match_access(&m, store, load)) {
    match_single_trips(&m);
    if (options.sums_outside)
      add(list, &m, SUMS_OUTSIDE, options);
    add(list, &m, BY_WRITER, options);
    add(list, &m, BY_READER, options);
  }
  matching_free(&m);
}

stow_alignments stow_taskflow_align(const stow_loop_nest *writer, const stow_loop_nest *reader,
                                    const stow_values *buffers, stow_align_options options) {
  stow_alignments list = {.reason = STOW_FUSION_INDEX};
  if (writer->spine.count == 0 || reader->spine.count == 0)
    list.reason = STOW_FUSION_NO_NEST;
  for (size_t i = 0; i < writer->items.count; ++i)
    for (size_t j = 0; j < reader->items.count; ++j) {
      const stow_loop_item *store = &writer->items.at[i], *load = &reader->items.at[j];
      if (store->writes && load->reads && stow_taskflow_items_comparable(store, load) &&
          stow_values_find(buffers, store->memref) >= 0 && list.count < MOST_ALIGNMENTS)
        add_for_access(&list, writer, reader, store, load, options);
    }
  return list;
}

void stow_alignments_free(stow_alignments *alignments) {
  for (size_t i = 0; i < alignments->count; ++i)
    stow_alignment_free(&alignments->at[i]);
  free(alignments->at);
  *alignments = (stow_alignments){0};
}
