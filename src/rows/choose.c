//===- choose.c - what the rows of buffers are ----------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The rows of a buffer determine along which loop the ops that access it are split, and that
// determines the rows of their other buffers. So a choice propagates. It propagates last to
// ops that would then sum over rows, or whose results would be summed: of the two operands of
// a matrix product, first to the one whose rows are the rows of the result. In each round, the
// largest buffer without rows gets the dimension whose choice propagates to the most bytes; of
// equal ones, the outermost. Rows across them (across.c) propagate as if nothing else were chosen,
// and what they get to has these.
//
//===----------------------------------------------------------------------===//

#include "rows/block.h"

#include "mlir-c/BuiltinTypes.h"

#include <stdlib.h>
#include <string.h>

typedef struct spread {
  stow_rows_block *b;
  bool without_sums;
  STOW_ARRAY(size_t) buffers; // chosen, in order
  STOW_ARRAY(size_t) statements;
  STOW_ARRAY(size_t) late; // uses whose statements come last
  uint64_t bytes;
} spread;

// A view that is not followed may have a dimension that its buffer has not.
static void choose_rows(spread *s, size_t buffer, intptr_t dim, int64_t unit) {
  stow_rows_buffer *it = &s->b->buffers.at[buffer];
  if (buffer < STOW_ROWS_FIRST_ALLOC || it->has_rows ||
      dim >= mlirShapedTypeGetRank(mlirValueGetType(it->value)) ||
      stow_rows_extent(it->value, dim) % unit || stow_rows_extent(it->value, dim) / unit < 2)
    return;
  it->has_rows = true;
  it->dim = dim;
  it->unit = unit;
  s->bytes += it->bytes;
  STOW_PUSH(s->buffers, buffer);
}

// The loop of an index that stands for rows: a parallel one rather than a window's, and of those
// the one of the largest steps.
static intptr_t row_loop(const stow_rows_statement *s, const stow_rows_index *index) {
  intptr_t best = -1;
  for (intptr_t i = 0; i < s->loops.count; ++i) {
    if (index->coefficients[i] < 1)
      continue;
    const bool first = best < 0, kind = !first && s->loops.parallel[i] != s->loops.parallel[best];
    if (first || (kind ? s->loops.parallel[i] : index->coefficients[i] > index->coefficients[best]))
      best = i;
  }
  return best;
}

static void spread_to_operand(spread *s, const stow_rows_statement *it, const stow_rows_use *use) {
  const intptr_t dim = use->operand < 0 ? -1 : stow_rows_sliced_dim(it, use->operand);
  intptr_t root_dim;
  int64_t unit = it->unit;
  if (dim >= 0 && use->buffer >= STOW_ROWS_FIRST_ALLOC &&
      stow_rows_of_view(mlirOperationGetOperand(it->op, use->operand), dim, unit, &root_dim, &unit))
    choose_rows(s, use->buffer, root_dim, unit);
}

static void choose_loop(spread *s, size_t statement, intptr_t loop, int64_t unit) {
  stow_rows_statement *it = &s->b->statements.at[statement];
  if (loop < 0 || it->loop >= 0 || it->loops.extents[loop] % unit ||
      it->loops.extents[loop] / unit > STOW_ROWS_MOST_ROWS ||
      !stow_rows_can_split(it->op, it->maps, &it->loops, loop))
    return;
  it->loop = loop;
  it->unit = unit;
  STOW_PUSH(s->statements, statement);
  for (size_t u = it->first_use; u < it->end_use; ++u)
    spread_to_operand(s, it, &s->b->uses.at[u]);
}

// The loop of a use's statement that makes, or takes, the rows of the use's buffer, or -1.
static intptr_t loop_along_rows(const stow_rows_block *b, const stow_rows_buffer *buffer,
                                const stow_rows_use *use, int64_t *out_unit) {
  const stow_rows_statement *it = &b->statements.at[use->statement];
  stow_rows_place place;
  stow_rows_index index;
  if (!it->has_loops || use->operand < 0 ||
      !stow_rows_in_operand(it, buffer, use->operand, &place) ||
      !stow_rows_index_of(it->maps[use->operand], place.dim, &index))
    return -1;
  *out_unit = place.unit;
  return row_loop(it, &index);
}

// Whether a statement that is not split yet would add up the rows of a buffer.
static bool is_summed(const stow_rows_block *b, size_t buffer) {
  for (size_t u = b->buffer_begins[buffer]; u < b->buffer_begins[buffer + 1]; ++u) {
    const stow_rows_use *use = &b->uses.at[b->by_buffer[u]];
    const stow_rows_statement *it = &b->statements.at[use->statement];
    int64_t unit;
    const intptr_t loop =
        it->loop < 0 ? loop_along_rows(b, &b->buffers.at[buffer], use, &unit) : -1;
    if (loop >= 0 && !it->loops.parallel[loop])
      return true;
  }
  return false;
}

static void take_back(spread *s, size_t buffers, size_t statements) {
  while (s->buffers.count > buffers) {
    stow_rows_buffer *last = &s->b->buffers.at[s->buffers.at[--s->buffers.count]];
    last->has_rows = false;
    s->bytes -= last->bytes;
  }
  while (s->statements.count > statements)
    s->b->statements.at[s->statements.at[--s->statements.count]].loop = -1;
}

static void spread_to_statement(spread *s, size_t use, bool sums) {
  const size_t buffers = s->buffers.count, statements = s->statements.count;
  const stow_rows_use *it = &s->b->uses.at[use];
  const size_t statement = it->statement;
  int64_t unit;
  const intptr_t loop = loop_along_rows(s->b, &s->b->buffers.at[it->buffer], it, &unit);
  if (loop < 0 || (s->without_sums && !s->b->statements.at[statement].loops.parallel[loop]))
    return;
  choose_loop(s, statement, loop, unit);
  if (sums || s->statements.count == statements)
    return;
  bool late = !s->b->statements.at[statement].loops.parallel[loop];
  for (size_t i = buffers; i < s->buffers.count && !late; ++i)
    late = is_summed(s->b, s->buffers.at[i]);
  if (!late)
    return;
  take_back(s, buffers, statements);
  STOW_PUSH(s->late, use);
}

static void spread_from(spread *s, size_t buffer, intptr_t dim, int64_t unit) {
  size_t done = 0, late = 0;
  choose_rows(s, buffer, dim, unit);
  while (done < s->buffers.count || late < s->late.count) {
    if (done == s->buffers.count) {
      spread_to_statement(s, s->late.at[late++], true);
      continue;
    }
    const size_t at = s->buffers.at[done++];
    for (size_t u = s->b->buffer_begins[at]; u < s->b->buffer_begins[at + 1]; ++u)
      spread_to_statement(s, s->b->by_buffer[u], false);
  }
  s->late.count = 0;
}

static void free_spread(spread *s) {
  free(s->buffers.at);
  free(s->statements.at);
  free(s->late.at);
}

static void choose_from(stow_rows_block *b, size_t buffer, bool without_sums) {
  spread s = {.b = b, .without_sums = without_sums};
  const intptr_t rank =
      (intptr_t)mlirShapedTypeGetRank(mlirValueGetType(b->buffers.at[buffer].value));
  intptr_t best = -1;
  uint64_t most = 0;
  for (intptr_t dim = 0; dim < rank; ++dim) {
    spread_from(&s, buffer, dim, 1);
    if (s.bytes > most && s.statements.count > 1) {
      best = dim;
      most = s.bytes;
    }
    take_back(&s, 0, 0);
  }
  if (best >= 0)
    spread_from(&s, buffer, best, 1);
  free_spread(&s);
}

static void forget_all(stow_rows_block *b) {
  for (size_t i = 0; i < b->buffers.count; ++i)
    b->buffers.at[i].has_rows = b->buffers.at[i].scattered = b->buffers.at[i].transposed = false;
  for (size_t i = 0; i < b->statements.count; ++i)
    b->statements.at[i].loop = -1;
}

// All that is chosen of a block.
typedef struct choice {
  stow_rows_buffer *buffers;
  stow_rows_statement *statements;
} choice;

static void *copy_of(const void *table, size_t count, size_t size) {
  void *copy = stow_ir_allocate(count, size);
  memcpy(copy, table, count * size);
  return copy;
}

static choice keep_choice(const stow_rows_block *b) {
  return (choice){copy_of(b->buffers.at, b->buffers.count, sizeof *b->buffers.at),
                  copy_of(b->statements.at, b->statements.count, sizeof *b->statements.at)};
}

static void put_back(stow_rows_block *b, choice *kept) {
  memcpy(b->buffers.at, kept->buffers, b->buffers.count * sizeof *kept->buffers);
  memcpy(b->statements.at, kept->statements, b->statements.count * sizeof *kept->statements);
  free(kept->buffers);
  free(kept->statements);
}

// Chooses these rows alone, and what they get to. What was chosen is kept.
static choice choose_alone(spread *s, const stow_rows_across *rows) {
  const choice kept = keep_choice(s->b);
  forget_all(s->b);
  spread_from(s, rows->buffer, rows->dim, rows->unit);
  return kept;
}

// Chooses rows across those that were chosen, in what they get to.
static void choose_across(stow_rows_block *b, const stow_rows_across *rows) {
  spread s = {.b = b};
  choice kept = choose_alone(&s, rows);
  for (size_t i = 0; i < s.buffers.count; ++i)
    kept.buffers[s.buffers.at[i]] = b->buffers.at[s.buffers.at[i]];
  for (size_t i = 0; i < s.statements.count; ++i)
    kept.statements[s.statements.at[i]] = b->statements.at[s.statements.at[i]];
  put_back(b, &kept);
  free_spread(&s);
}

typedef struct by_size {
  uint64_t bytes;
  size_t buffer;
} by_size;

static int larger_first(const void *a, const void *b) {
  const by_size *left = a, *right = b;
  return stow_ir_then(STOW_COMPARE(right->bytes, left->bytes),
                      STOW_COMPARE(left->buffer, right->buffer));
}

// Whether a statement touches the rows of a buffer one by one, and not some of several at once.
static bool keeps_apart(const stow_rows_block *b, const stow_rows_use *use) {
  const stow_rows_statement *s = &b->statements.at[use->statement];
  stow_rows_place place;
  stow_rows_index index;
  int64_t low, high;
  if (s->loop < 0 || use->operand < 0 || stow_rows_sliced_dim(s, use->operand) < 0)
    return true;
  if (!stow_rows_in_operand(s, &b->buffers.at[use->buffer], use->operand, &place) ||
      !stow_rows_index_of(s->maps[use->operand], place.dim, &index))
    return false;
  stow_rows_index_range(&s->loops, &index, s->loop, &low, &high);
  return place.unit == 1 || (index.coefficients[s->loop] == 1 && low == high);
}

static bool all_keep_apart(const stow_rows_block *b, size_t buffer) {
  for (size_t u = b->buffer_begins[buffer]; u < b->buffer_begins[buffer + 1]; ++u)
    if (!keeps_apart(b, &b->uses.at[b->by_buffer[u]]))
      return false;
  return true;
}

// Where a window reads parts of rows, rows are single indices if that suits everybody.
static void refine(const stow_rows_block *b, size_t buffer) {
  stow_rows_buffer *it = &b->buffers.at[buffer];
  const int64_t unit = it->unit;
  if (!it->has_rows || unit == 1 || all_keep_apart(b, buffer))
    return;
  it->unit = 1;
  if (!all_keep_apart(b, buffer))
    it->unit = unit;
}

static void set_layout(stow_rows_buffer *it) {
  for (intptr_t i = 0; it->has_rows && i < it->dim; ++i)
    it->scattered |= stow_rows_extent(it->value, i) != 1;
  it->transposed = it->scattered && stow_rows_takes_strides(it->value);
}

// How many indices into an operand are whole rows of its buffer; 1 where it has none along them.
static int64_t indices_of_row(const stow_rows_block *b, const stow_rows_statement *s,
                              const stow_rows_use *use, intptr_t dim) {
  const stow_rows_buffer *buffer = &b->buffers.at[use->buffer];
  stow_rows_place place;
  return buffer->has_rows && stow_rows_in_operand(s, buffer, use->operand, &place) &&
                 place.dim == dim
             ? place.unit
             : 1;
}

// How many iterations of the loop make whole rows of every operand, where that is possible.
static void set_grain(const stow_rows_block *b, stow_rows_statement *s) {
  s->grain = s->unit;
  for (size_t u = s->first_use; u < s->end_use; ++u) {
    const stow_rows_use *use = &b->uses.at[u];
    const intptr_t dim = use->operand < 0 ? -1 : stow_rows_sliced_dim(s, use->operand);
    stow_rows_index index;
    if (dim < 0 || !stow_rows_index_of(s->maps[use->operand], dim, &index))
      continue;
    const int64_t indices = indices_of_row(b, s, use, dim);
    s->grain = stow_ir_common_multiple(s->grain, index.divisor);
    if (s->loops.extents[s->loop] % stow_ir_common_multiple(s->grain, index.divisor * indices) == 0)
      s->grain = stow_ir_common_multiple(s->grain, index.divisor * indices);
  }
  if (s->loops.extents[s->loop] % s->grain)
    s->loop = -1;
}

static void choose_all(stow_rows_block *b, bool without_sums) {
  const size_t count = b->alloc_end;
  by_size *order = stow_ir_allocate(count, sizeof *order);
  for (size_t i = 0; i < count; ++i)
    order[i] = (by_size){b->buffers.at[i].bytes, i};
  stow_ir_sort(order, count, sizeof *order, larger_first);
  for (size_t i = 0; i < count; ++i)
    if (order[i].buffer >= STOW_ROWS_FIRST_ALLOC && !b->buffers.at[order[i].buffer].has_rows)
      choose_from(b, order[i].buffer, without_sums);
  free(order);
}

void stow_rows_choose(stow_rows_block *b, const stow_rows_rules *rules) {
  forget_all(b);
  choose_all(b, rules->without_sums);
  for (size_t i = 0; i < rules->across.count; ++i)
    choose_across(b, &rules->across.at[i]);
  for (size_t i = STOW_ROWS_FIRST_ALLOC; i < b->alloc_end; ++i) {
    refine(b, i);
    set_layout(&b->buffers.at[i]);
  }
  for (size_t i = 0; i < b->statements.count; ++i)
    if (b->statements.at[i].loop >= 0)
      set_grain(b, &b->statements.at[i]);
}

bool stow_rows_sums_across(const stow_rows_block *b, const stow_rows_use *use,
                           const stow_rows_across *rows) {
  stow_rows_buffer buffer = b->buffers.at[rows->buffer];
  int64_t unit;
  buffer.has_rows = true;
  buffer.dim = rows->dim;
  buffer.unit = rows->unit;
  const intptr_t loop = loop_along_rows(b, &buffer, use, &unit);
  return loop >= 0 && !b->statements.at[use->statement].loops.parallel[loop];
}

static double again_of(const stow_rows_block *b, size_t statement) {
  const stow_rows_statement *s = &b->statements.at[statement];
  double again = 0;
  for (size_t u = s->first_use; u < s->end_use; ++u)
    again += (double)stow_rows_again_of(b, &b->uses.at[u]);
  return again;
}

stow_rows_statements stow_rows_reach(stow_rows_block *b, const stow_rows_across *rows) {
  spread s = {.b = b};
  choice kept = choose_alone(&s, rows);
  stow_rows_statements reached = {s.statements.at, s.statements.count, 0};
  for (size_t i = 0; i < reached.count; ++i)
    reached.again += again_of(b, reached.at[i]);
  put_back(b, &kept);
  stow_ir_sort(reached.at, reached.count, sizeof *reached.at, stow_ir_by_number);
  s.statements.at = NULL;
  free_spread(&s);
  return reached;
}
