//===- rewrite.c - a stream as a loop of steps ----------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//     windows that outlive a step
//     scf.for %step = 0 to steps
//       scf.if the group runs                   a group: statements that run in the same
//         windows that do not                   steps
//         linalg ops on slices
//       scf.if a period ends here
//         windows move by the rows of a period
//
// Each op appears once, or twice where its iterations are no multiple of its rate, however
// many rows there are. The loop stands behind the last op of the stream. What runs before
// the steps stays where it is, what runs after them moves behind the loop.
//
//===----------------------------------------------------------------------===//

#include "rows/block.h"

#include "ir/bytes.h"

#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"

#include <assert.h>
#include <stdlib.h>

#define MOVES 4 // that stand one after the other; more are a loop

typedef struct rewriter {
  stow_rows_block *b;
  const stow_rows_problem *problem;
  const stow_stream_schedule *schedule;
  stow_constants constants; // before the loop
  MlirValue step;
  MlirValue *windows; // per window: its memory; null: none yet
  stow_rows_shared *shared;
  stow_builder at; // where statements go
  MlirValue run;   // how often the group has run
  bool rest;       // its last, smaller time
} rewriter;

static const stow_stream_order *order_of(const rewriter *r, size_t statement) {
  return &r->schedule->orders[statement - r->schedule->first];
}

static bool in_steps(const rewriter *r, size_t statement) {
  return order_of(r, statement)->stage == STOW_STREAM_STEPS;
}

static int64_t iterations_of(const rewriter *r, size_t statement) {
  return r->problem->statements[statement].iterations;
}

static MlirValue number(rewriter *r, int64_t value) {
  assert(value >= 0);
  return stow_constant(&r->constants, (uint64_t)value);
}

static MlirValue times(rewriter *r, MlirValue value, int64_t factor) {
  return factor == 1 ? value
                     : stow_ir_build_binary(&r->at, STOW_ARITH_MULI, value, number(r, factor));
}

static MlirValue plus(rewriter *r, MlirValue value, int64_t addend) {
  return addend == 0 ? value
                     : stow_ir_build_binary(&r->at, STOW_ARITH_ADDI, value, number(r, addend));
}

//===----------------------------------------------------------------------===//
// Windows
//===----------------------------------------------------------------------===//

static const stow_rows_buffer *buffer_of(const rewriter *r, const stow_stream_window *window) {
  return &r->b->buffers.at[window->buffer];
}

static MlirType window_type(const rewriter *r, const stow_stream_window *window) {
  const stow_rows_buffer *buffer = buffer_of(r, window);
  MlirType type = mlirValueGetType(buffer->value);
  const intptr_t rank = (intptr_t)mlirShapedTypeGetRank(type);
  int64_t shape[STOW_ROWS_MOST_RANK];
  for (intptr_t i = 0; i < rank; ++i)
    shape[i] = mlirShapedTypeGetDimSize(type, i);
  shape[buffer->dim] = window->kept * buffer->unit;
  return mlirMemRefTypeContiguousGet(mlirShapedTypeGetElementType(type), rank, shape,
                                     stow_ir_memory_space(type));
}

static MlirValue make_window(const rewriter *r, const stow_builder *around,
                             const stow_stream_window *window) {
  MlirValue like = buffer_of(r, window)->value;
  MlirType type = window_type(r, window);
  stow_builder builder = *around;
  builder.location = mlirOperationGetLocation(mlirOpResultGetOwner(like));
  MlirValue memory = stow_rows_share(r->shared, &builder, r->b, window->buffer, type);
  if (!mlirValueIsNull(memory))
    return memory;
  memory = stow_ir_build_alloc_like(&builder, type, like);
  stow_ir_set_number(mlirOpResultGetOwner(memory), STOW_ROWS, (int64_t)buffer_of(r, window)->bytes);
  const uint64_t alignment = stow_ir_alignment_attribute(mlirOpResultGetOwner(like));
  if (alignment > 0)
    stow_ir_set_alignment(mlirOpResultGetOwner(memory), alignment);
  return memory;
}

// How long a window is there: in the steps of one group, in a step, or in all.
typedef enum lasting { WITH_GROUP, WITH_STEP, WITH_STREAM } lasting;

static lasting lasting_of(const rewriter *r, const stow_stream_window *window) {
  const stow_rows_block *b = r->b;
  if (window->storage != STOW_STREAM_LOCAL)
    return WITH_STREAM;
  const size_t *uses = &b->by_buffer[b->buffer_begins[window->buffer]];
  const size_t *end = &b->by_buffer[b->buffer_begins[window->buffer + 1]];
  const size_t group = order_of(r, b->uses.at[uses[0]].statement)->group;
  for (; uses < end; ++uses)
    if (order_of(r, b->uses.at[*uses].statement)->group != group)
      return WITH_STEP;
  return WITH_GROUP;
}

static void make_windows(rewriter *r, const stow_builder *builder, lasting which) {
  for (size_t i = 0; i < r->schedule->window_count; ++i)
    if (lasting_of(r, &r->schedule->windows[i]) == which)
      r->windows[i] = make_window(r, builder, &r->schedule->windows[i]);
}

static void free_windows(rewriter *r, const stow_builder *builder, lasting which) {
  for (size_t i = 0; i < r->schedule->window_count; ++i) {
    const stow_stream_window *window = &r->schedule->windows[i];
    if (mlirValueIsNull(r->windows[i]) || lasting_of(r, window) != which)
      continue;
    if (stow_rows_is_freed(buffer_of(r, window)->value) && stow_ir_is_plainly_made(r->windows[i]))
      stow_ir_build_dealloc(builder, r->windows[i]);
    if (which == WITH_GROUP)
      r->windows[i] = (MlirValue){NULL};
  }
}

// Of a window whose rows lie outermost in memory, where a view gives its dimensions their order:
// the memory, in which rows are one run of bytes. MLIR copies what is no such run element by
// element.
static MlirValue outermost(MlirValue window, intptr_t *inout_rows) {
  if (!stow_ir_is_result_of(window, STOW_MEMREF_TRANSPOSE))
    return window;
  *inout_rows = 0;
  return mlirOperationGetOperand(mlirOpResultGetOwner(window), 0);
}

static void move_rows(rewriter *r, const stow_stream_window *window, MlirValue memory,
                      MlirValue from, int64_t offset, int64_t count) {
  const int64_t unit = buffer_of(r, window)->unit;
  intptr_t rows = buffer_of(r, window)->dim;
  memory = outermost(memory, &rows);
  MlirValue source_first = from;
  if (!mlirValueIsNull(from))
    source_first = plus(r, from, window->advance * unit);
  MlirValue source = stow_rows_slice(&r->at, memory, rows, source_first,
                                     (offset + window->advance) * unit, count * unit, 1);
  MlirValue target = stow_rows_slice(&r->at, memory, rows, from, offset * unit, count * unit, 1);
  stow_ir_build_copy(&r->at, source, target);
}

static void move_in_a_loop(rewriter *r, const stow_stream_window *window, MlirValue memory,
                           int64_t rows) {
  const int64_t unit = buffer_of(r, window)->unit;
  const stow_builder outside = r->at;
  MlirValue first;
  r->at.before = stow_ir_build_for(&outside, number(r, 0), number(r, rows * unit),
                                   number(r, window->advance * unit), &first);
  move_rows(r, window, memory, first, 0, window->advance);
  r->at = outside;
}

// Rows move by the number that a step advances, and as many at a time: source and target are
// disjoint.
static void move_window(rewriter *r, const stow_stream_window *window, MlirValue memory) {
  const MlirValue none = {NULL};
  const int64_t by = window->advance;
  int64_t done = 0;
  if (window->moved > MOVES * by) {
    done = window->moved / by * by;
    move_in_a_loop(r, window, memory, done);
  }
  for (; done < window->moved; done += by)
    move_rows(r, window, memory, none, done, window->moved - done < by ? window->moved - done : by);
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

static int64_t count_of(const rewriter *r, size_t statement) {
  const int64_t rate = order_of(r, statement)->rate;
  return r->rest ? iterations_of(r, statement) % rate : rate;
}

// Where the slots of an access begin; null: at `slot->first`, always.
static MlirValue first_slot(rewriter *r, const stow_stream_slot *slot, int64_t unit) {
  if (slot->cycle == 1)
    return (MlirValue){NULL};
  MlirValue at = stow_ir_build_binary(&r->at, STOW_ARITH_REMUI, plus(r, r->run, slot->ahead),
                                      number(r, slot->cycle));
  return plus(r, times(r, at, slot->by * unit), slot->first * unit);
}

int64_t stow_rows_indices_of(const stow_rows_statement *s, intptr_t operand, intptr_t dim,
                             int64_t count, int64_t *out_by) {
  stow_rows_index index;
  int64_t low, high;
  const bool known = stow_rows_index_of(s->maps[operand], dim, &index);
  assert(known);
  (void)known;
  stow_rows_index_range(&s->loops, &index, s->loop, &low, &high);
  const int64_t by = index.coefficients[s->loop];
  *out_by = by * s->grain / index.divisor;
  return index.divisor > 1 ? s->grain * count / index.divisor
                           : by * (s->grain * count - 1) + high + 1;
}

// The slice of a window. `count` is the indices into the operand that are used.
static MlirValue in_window(rewriter *r, size_t statement, const stow_rows_use *use,
                           size_t window_index, int64_t count) {
  const stow_stream_window *window = &r->schedule->windows[window_index];
  const stow_rows_buffer *buffer = buffer_of(r, window);
  const stow_rows_statement *s = &r->b->statements.at[statement];
  const stow_stream_slot slot = stow_stream_slot_of(window, order_of(r, statement),
                                                    &r->problem->accesses[use - r->b->uses.at]);
  stow_rows_place place;
  const bool found = stow_rows_in_operand(s, buffer, use->operand, &place);
  assert(found && count % place.unit == 0);
  (void)found;
  if (mlirValueIsNull(r->windows[window_index]))
    r->windows[window_index] = make_window(r, &r->at, window);
  const int64_t blocks = count / place.unit;
  MlirValue rows = stow_rows_slice(&r->at, r->windows[window_index], buffer->dim,
                                   first_slot(r, &slot, buffer->unit), slot.first * buffer->unit,
                                   blocks * buffer->unit, place.scale);
  return stow_rows_rebuild(&r->at, mlirOperationGetOperand(s->op, use->operand), buffer->dim,
                           buffer->unit, rows, blocks);
}

static MlirValue operand_of(rewriter *r, size_t statement, const stow_rows_use *use) {
  const stow_rows_statement *s = &r->b->statements.at[statement];
  MlirValue operand = mlirOperationGetOperand(s->op, use->operand);
  const intptr_t dim = stow_rows_sliced_dim(s, use->operand);
  if (dim < 0)
    return operand;
  int64_t by;
  const int64_t count = stow_rows_indices_of(s, use->operand, dim, count_of(r, statement), &by);
  const stow_stream_window *window = stow_stream_find_window(r->schedule, use->buffer);
  if (window)
    return in_window(r, statement, use, (size_t)(window - r->schedule->windows), count);
  MlirValue first = times(r, r->run, by * order_of(r, statement)->rate);
  return stow_rows_slice(&r->at, operand, dim, first, 0, count, 1);
}

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

// A linalg.index of the loop, of which each slice has `by` iterations, counts from where the slice
// begins.
static void renumber(rewriter *r, MlirOperation op, intptr_t loop, int64_t by) {
  MlirAttribute dim = mlirOperationGetAttributeByName(op, stow_ir_string("dim"));
  MlirValue value = mlirOperationGetResult(op, 0);
  if (mlirIntegerAttrGetValueInt(dim) != loop || mlirOpOperandIsNull(mlirValueGetFirstUse(value)))
    return;
  MlirValue first = times(r, r->run, by);
  const stow_builder inside =
      stow_builder_before(mlirOperationGetNextInBlock(op), mlirOperationGetLocation(op));
  MlirValue sum = stow_ir_build_binary(&inside, STOW_ARITH_ADDI, value, first);
  mlirValueReplaceAllUsesExcept(value, sum, 1, (MlirOperation[]){mlirOpResultGetOwner(sum)});
}

// The indices of a structured op inside of the copy are its own.
static void renumber_all(rewriter *r, MlirOperation copy, intptr_t loop, int64_t by) {
  bool own = true;
  for (MlirOperation op = copy; !mlirOperationIsNull(op); op = stow_ir_next_of(copy, op, own)) {
    own = mlirOperationEqual(op, copy) || !(stow_op_facts(op) & STOW_OP_STRUCTURED);
    if (stow_ir_is(op, STOW_LINALG_INDEX))
      renumber(r, op, loop, by);
  }
}

static void emit_statement(rewriter *r, size_t statement) {
  const stow_rows_statement *s = &r->b->statements.at[statement];
  MlirOperation copy = mlirOperationClone(s->op);
  r->at.location = mlirOperationGetLocation(s->op);
  for (size_t u = s->first_use; u < s->end_use; ++u)
    if (r->b->uses.at[u].operand >= 0)
      mlirOperationSetOperand(copy, r->b->uses.at[u].operand,
                              operand_of(r, statement, &r->b->uses.at[u]));
  stow_ir_insert_before(r->at.before, copy);
  r->at.before = copy;
  renumber_all(r, copy, s->loop, s->grain * order_of(r, statement)->rate);
  r->at.before = mlirOperationGetNextInBlock(copy);
}

//===----------------------------------------------------------------------===//
// Groups
//===----------------------------------------------------------------------===//

// Entries of the sequence that run in the same steps: `full` times, and a last one where `rest`.
typedef struct group {
  const size_t *first, *end;
  int64_t period, delay, full;
  bool rest;
} group;

static group group_from(const rewriter *r, const size_t *first) {
  const stow_stream_order *order = order_of(r, *first);
  const int64_t iterations = iterations_of(r, *first);
  const size_t *end = first + 1, *last = r->schedule->sequence + r->schedule->sequence_count;
  while (end < last && order_of(r, *end)->group == order->group)
    ++end;
  return (group){.first = first,
                 .end = end,
                 .period = order->period,
                 .delay = order->delay,
                 .full = iterations / order->rate,
                 .rest = iterations % order->rate > 0};
}

static void emit_statements(rewriter *r, const group *g) {
  const MlirLocation location = r->at.location;
  for (const size_t *i = g->first; i < g->end; ++i)
    emit_statement(r, *i);
  free_windows(r, &r->at, WITH_GROUP);
  r->at.location = location;
}

static void emit_guarded(rewriter *r, const group *g, MlirValue condition, bool rest) {
  const stow_builder outside = r->at;
  r->at.before = stow_ir_build_if(&outside, condition);
  r->rest = rest;
  emit_statements(r, g);
  r->rest = false;
  r->at = outside;
}

// Whether the group runs in this step, and the number of its runs before compares so with that of
// full ones. Before the first step in which it runs, numbers wrap and are large.
static MlirValue guard(rewriter *r, const group *g, MlirValue since,
                       enum stow_predicate predicate) {
  MlirValue within = stow_ir_build_compare(&r->at, predicate, r->run, number(r, g->full));
  if (g->period == 1)
    return within;
  MlirValue rest = stow_ir_build_binary(&r->at, STOW_ARITH_REMUI, since, number(r, g->period));
  return stow_ir_build_binary(&r->at, STOW_ARITH_ANDI, within,
                              stow_ir_build_compare(&r->at, STOW_EQUAL, rest, number(r, 0)));
}

static void emit_group(rewriter *r, const group *g) {
  MlirValue since = r->step;
  if (g->delay > 0)
    since = stow_ir_build_binary(&r->at, STOW_ARITH_SUBI, r->step, number(r, g->delay));
  r->run = since;
  if (g->period > 1)
    r->run = stow_ir_build_binary(&r->at, STOW_ARITH_DIVUI, since, number(r, g->period));
  if (g->delay == 0 && g->period == 1 && g->full == r->schedule->steps)
    emit_statements(r, g);
  else if (g->full > 0)
    emit_guarded(r, g, guard(r, g, since, STOW_UNSIGNED_LESS), false);
  if (g->rest)
    emit_guarded(r, g, guard(r, g, since, STOW_EQUAL), true);
}

//===----------------------------------------------------------------------===//
// The end of a step
//===----------------------------------------------------------------------===//

static bool move_together(const stow_stream_window *a, const stow_stream_window *b) {
  return a->period == b->period && a->phase == b->phase && a->begin == b->begin && a->end == b->end;
}

static bool moves_in_all_steps(const rewriter *r, const stow_stream_window *window) {
  return window->begin == 0 && window->end == r->schedule->steps;
}

static MlirValue is_between(rewriter *r, const stow_stream_window *window) {
  MlirValue since = r->step;
  if (window->begin > 0)
    since = stow_ir_build_binary(&r->at, STOW_ARITH_SUBI, r->step, number(r, window->begin));
  return stow_ir_build_compare(&r->at, STOW_UNSIGNED_LESS, since,
                               number(r, window->end - window->begin));
}

// A period of a window begins after this step.
static MlirValue ends_period(rewriter *r, const stow_stream_window *window) {
  MlirValue rest =
      stow_ir_build_binary(&r->at, STOW_ARITH_REMUI, r->step, number(r, window->period));
  return stow_ir_build_compare(&r->at, STOW_EQUAL, rest,
                               number(r, (window->phase + window->period - 1) % window->period));
}

static MlirValue moves_now(rewriter *r, const stow_stream_window *window) {
  if (moves_in_all_steps(r, window))
    return ends_period(r, window);
  MlirValue between = is_between(r, window);
  if (window->period == 1)
    return between;
  return stow_ir_build_binary(&r->at, STOW_ARITH_ANDI, between, ends_period(r, window));
}

// Moves windows from `first` on in their order, as far as they move in the same steps.
static size_t move_from(rewriter *r, size_t first) {
  const stow_stream_schedule *s = r->schedule;
  const stow_stream_window *window = &s->windows[s->moves[first]];
  const stow_builder outside = r->at;
  if (window->period > 1 || !moves_in_all_steps(r, window))
    r->at.before = stow_ir_build_if(&outside, moves_now(r, window));
  size_t i = first;
  for (; i < s->move_count && move_together(&s->windows[s->moves[i]], window); ++i)
    move_window(r, &s->windows[s->moves[i]], r->windows[s->moves[i]]);
  r->at = outside;
  return i;
}

static void emit_body(rewriter *r) {
  const size_t *end = r->schedule->sequence + r->schedule->sequence_count;
  make_windows(r, &r->at, WITH_STEP);
  for (const size_t *at = r->schedule->sequence; at < end;) {
    const group g = group_from(r, at);
    emit_group(r, &g);
    at = g.end;
  }
  free_windows(r, &r->at, WITH_STEP);
  for (size_t i = 0; i < r->schedule->move_count;)
    i = move_from(r, i);
}

//===----------------------------------------------------------------------===//
// The block around
//===----------------------------------------------------------------------===//

// What is first touched after the steps is not there while they run.
static bool makes_for_later(const rewriter *r, MlirOperation op) {
  const int32_t buffer = stow_ir_is_plain_alloc(op)
                             ? stow_map_get(&r->b->buffer_of, mlirOperationGetResult(op, 0).ptr)
                             : -1;
  if (buffer < 0)
    return false;
  for (size_t u = r->b->buffer_begins[buffer]; u < r->b->buffer_begins[buffer + 1]; ++u) {
    const size_t statement = r->b->uses.at[r->b->by_buffer[u]].statement;
    if (statement < r->schedule->end && order_of(r, statement)->stage != STOW_STREAM_AFTER)
      return false;
  }
  return true;
}

static bool is_late(const rewriter *r, MlirOperation op, const stow_map *late) {
  const int32_t statement = stow_map_get(&r->b->statement_of, op.ptr);
  if (statement >= 0)
    return order_of(r, (size_t)statement)->stage == STOW_STREAM_AFTER;
  if (makes_for_later(r, op))
    return true;
  if (stow_ir_is_dealloc(op))
    return true;
  return stow_rows_depends_on(op, late);
}

// Moves what runs after the steps behind the loop, in its order.
static void move_late(rewriter *r, MlirOperation first, MlirOperation last, MlirOperation behind) {
  stow_map late = {0};
  MlirOperation next;
  for (MlirOperation op = first; !mlirOperationEqual(op, last); op = next) {
    next = mlirOperationGetNextInBlock(op);
    if (!is_late(r, op, &late))
      continue;
    stow_map_add(&late, op.ptr, 1);
    mlirOperationMoveBefore(op, behind);
  }
  stow_map_free(&late);
}

static void erase_with_views(MlirOperation op) {
  MlirOpOperand use;
  while (!mlirOpOperandIsNull(use = mlirValueGetFirstUse(mlirOperationGetResult(op, 0)))) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    if (stow_ir_is_dealloc(user))
      mlirOperationDestroy(user);
    else
      erase_with_views(user);
  }
  mlirOperationDestroy(op);
}

static void erase_old(rewriter *r) {
  for (size_t i = r->schedule->first; i < r->schedule->end; ++i)
    if (in_steps(r, i))
      mlirOperationDestroy(r->b->statements.at[i].op);
  for (size_t i = 0; i < r->schedule->window_count; ++i)
    erase_with_views(mlirOpResultGetOwner(buffer_of(r, &r->schedule->windows[i])->value));
}

void stow_rows_rewrite(stow_rows_block *b, const stow_rows_problem *problem,
                       const stow_stream_schedule *schedule, stow_rows_shared *shared) {
  rewriter r = {.b = b, .problem = problem, .schedule = schedule, .shared = shared};
  size_t first = schedule->first, last = schedule->end - 1;
  while (order_of(&r, first)->stage == STOW_STREAM_BEFORE)
    ++first;
  while (!in_steps(&r, last))
    --last;
  MlirOperation begin = b->statements.at[first].op, end = b->statements.at[last].op;
  MlirOperation behind = mlirOperationGetNextInBlock(end);
  stow_builder builder = stow_builder_before(behind, mlirOperationGetLocation(begin));
  r.windows = stow_ir_allocate(schedule->window_count, sizeof *r.windows);
  make_windows(&r, &builder, WITH_STREAM);
  MlirValue zero = stow_ir_build_number(&builder, mlirIndexTypeGet(builder.context), 0);
  r.constants.builder = stow_builder_before(mlirOpResultGetOwner(zero), builder.location);
  MlirOperation yield =
      stow_ir_build_for(&builder, zero, number(&r, schedule->steps), number(&r, 1), &r.step);
  r.at = stow_builder_before(yield, builder.location);
  emit_body(&r);
  free_windows(&r, &builder, WITH_STREAM);
  move_late(&r, begin, end, behind);
  erase_old(&r);
  stow_constants_free(&r.constants);
  free(r.windows);
}
