//===- streams.c - the order of a device's work ---------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The *steps* of a block are its ops that access memory of a device, or that tokens order. A row of
// bits per step says which steps are surely done when it begins: those that its tokens stand for,
// and those that the host has waited for by then. Behind the bits of steps are those of the block's
// arguments: what a token stands for that control gives the block is done.
//
//===----------------------------------------------------------------------===//

#include "ir/streams.h"

#include "ir/index.h"
#include "ir/limits.h"

#include <stdlib.h>

enum { BITS = 64, NONE = -1 };

// An access to what an alloc of a device makes, or to what may be that.
typedef struct access {
  int32_t step;       // of the block at hand, or NONE
  bool inside;        // of a region of that
  int64_t begin, end; // positions
} access;

typedef STOW_ARRAY(access) accesses;

typedef struct step {
  MlirOperation op;
  int64_t end; // one past the last position of its accesses, or 0
} step;

typedef struct streams {
  const stow_flow *flow;
  const bool *wanted;
  stow_ranges *ranges;
  stow_pairs *pairs;
  accesses all;    // by alloc
  size_t *first;   // by alloc, and one more: of `all`
  MlirBlock block; // at hand
  STOW_ARRAY(step) steps;
  stow_map index;              // of ops: a step
  size_t words;                // of a row
  uint64_t *done;              // rows by step; then of the host where the block ends
  STOW_ARRAY(int32_t) ordered; // allocs of the block
} streams;

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

static void add_accesses(streams *s, const stow_index *uses, int32_t value) {
  STOW_EACH_OF(u, *uses, value) {
    const stow_use *use = &s->flow->uses.at[u];
    STOW_PUSH(s->all, (access){NONE, false, use->begin, use->end});
  }
}

static void find_accesses(streams *s) {
  const stow_flow *flow = s->flow;
  stow_index uses =
      stow_index_of(STOW_COLUMN(flow->uses.at, flow->uses.count, value), flow->values.count);
  stow_walk names = stow_walk_create(flow->values.count);
  s->first = stow_ir_allocate(flow->allocs.count + 1, sizeof *s->first);
  for (size_t a = 0; a < flow->allocs.count; ++a) {
    stow_walk_restart(&names);
    if (flow->allocs.at[a].on_device)
      stow_walk_add(&names, flow->allocs.at[a].value);
    for (int32_t name; stow_walk_next(&names, &name);)
      if (!flow->values.at[name].token) {
        add_accesses(s, &uses, name);
        stow_walk_add_all(&names, &flow->targets, name);
      }
    s->first[a + 1] = s->all.count;
  }
  stow_walk_free(&names);
  stow_index_free(&uses);
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

// What a launch does in its region is one piece of work, as a kernel's that is outlined.
static bool is_of_gpu(MlirOperation op) {
  return stow_ir_is(op, STOW_GPU_LAUNCH) ||
         (mlirOperationGetNumRegions(op) == 0 && (stow_ir_op_traits(op) & STOW_OF_GPU));
}

// The op of the block that an access is in, or null.
static MlirOperation op_around(const streams *s, const access *a) {
  return stow_ir_op_in_block(s->block, s->flow->ops.at[a->begin]);
}

static void list_steps(streams *s) {
  stow_map touching = {0};
  STOW_EACH(const access, a, s->all) {
    const MlirOperation op = op_around(s, a);
    if (!mlirOperationIsNull(op))
      stow_map_note(&touching, op.ptr);
  }
  s->steps.count = 0;
  STOW_EACH_OP(op, s->block)
    if (is_of_gpu(op) || stow_map_get(&touching, op.ptr) >= 0)
      stow_map_add(&s->index, op.ptr, (int32_t)STOW_PUSH(s->steps, (step){.op = op}));
  stow_map_free(&touching);
}

static void sort_accesses(streams *s) {
  STOW_EACH(access, a, s->all) {
    const MlirOperation op = op_around(s, a);
    a->step = mlirOperationIsNull(op) ? NONE : stow_map_get(&s->index, op.ptr);
    a->inside = a->step >= 0 && !stow_ir_is(op, STOW_GPU_LAUNCH) &&
                !mlirOperationEqual(op, s->flow->ops.at[a->begin]);
    if (a->step >= 0)
      s->steps.at[a->step].end = stow_ir_later(s->steps.at[a->step].end, a->end);
  }
}

//===----------------------------------------------------------------------===//
// What is done when
//===----------------------------------------------------------------------===//

static uint64_t *row_of(const streams *s, size_t at) { return s->done + at * s->words; }

static void add_step(uint64_t *row, int32_t at) { row[at / BITS] |= UINT64_C(1) << (at % BITS); }

static bool has_step(const uint64_t *row, int32_t at) { return row[at / BITS] >> (at % BITS) & 1; }

static void add_row(const streams *s, uint64_t *row, const uint64_t *other) {
  for (size_t w = 0; w < s->words; ++w)
    row[w] |= other[w];
}

static int32_t argument_bit(const streams *s, intptr_t argument) {
  return (int32_t)(s->steps.count + (size_t)argument);
}

// What the step's tokens stand for is done when it begins.
static void add_tokens(const streams *s, size_t at, uint64_t *row) {
  const MlirOperation op = s->steps.at[at].op;
  for (intptr_t i = 0, n = mlirOperationGetNumOperands(op); i < n; ++i) {
    const MlirValue operand = mlirOperationGetOperand(op, i);
    if (!stow_bridge_type_is_token(mlirValueGetType(operand)))
      continue;
    if (mlirValueIsABlockArgument(operand)) {
      if (mlirBlockEqual(stow_block_of(operand), s->block))
        add_step(row, argument_bit(s, mlirBlockArgumentGetArgNumber(operand)));
      continue;
    }
    const int32_t behind = stow_map_get(&s->index, mlirOpResultGetOwner(operand).ptr);
    if (behind < 0 || !is_of_gpu(s->steps.at[behind].op))
      continue;
    add_row(s, row, row_of(s, (size_t)behind));
    add_step(row, behind);
  }
}

// Whether all that the op does is done when it is.
static bool is_done_at_once(MlirOperation op) {
  if (is_of_gpu(op))
    return mlirValueIsNull(stow_ir_token_of(op));
  return mlirOperationGetNumRegions(op) == 0 && !stow_ir_starts_work(op) &&
         !stow_ir_makes_handle(op);
}

static void find_done(streams *s) {
  const size_t count = s->steps.count;
  s->words = (count + (size_t)mlirBlockGetNumArguments(s->block)) / BITS + 1;
  s->done = stow_ir_allocate((count + 1) * s->words, sizeof *s->done);
  uint64_t *host = row_of(s, count);
  for (size_t i = 0; i < count; ++i) {
    const MlirOperation op = s->steps.at[i].op;
    uint64_t *row = row_of(s, i);
    add_row(s, row, host);
    if (is_of_gpu(op))
      add_tokens(s, i, row);
    if (!is_done_at_once(op))
      continue;
    add_row(s, host, row);
    add_step(host, (int32_t)i);
  }
}

// Whether all accesses to an alloc are done where a row says what is.
static bool are_done(const streams *s, int32_t alloc, const uint64_t *row) {
  for (size_t i = s->first[alloc]; i < s->first[alloc + 1]; ++i)
    if (!has_step(row, s->all.at[i].step))
      return false;
  return true;
}

static bool is_accessed_by(const streams *s, int32_t alloc, size_t at) {
  for (size_t i = s->first[alloc]; i < s->first[alloc + 1]; ++i)
    if (s->all.at[i].step == (int32_t)at)
      return true;
  return false;
}

static bool is_in_steps(const streams *s, int32_t alloc) {
  for (size_t i = s->first[alloc]; i < s->first[alloc + 1]; ++i)
    if (s->all.at[i].step < 0 || s->all.at[i].inside)
      return false;
  return s->first[alloc] < s->first[alloc + 1];
}

// Whether the alloc and all accesses to it are in the block, and done where that ends.
static bool is_ordered(const streams *s, int32_t alloc) {
  return is_in_steps(s, alloc) && are_done(s, alloc, row_of(s, s->steps.count));
}

//===----------------------------------------------------------------------===//
// From iteration to iteration
//===----------------------------------------------------------------------===//

// Whether all accesses to the alloc are done when a value of the block is, which is a token.
static bool stands_for_all(streams *s, int32_t alloc, MlirValue token) {
  if (!mlirValueIsAOpResult(token) || !stow_bridge_type_is_token(mlirValueGetType(token)))
    return false;
  const int32_t made = stow_map_get(&s->index, mlirOpResultGetOwner(token).ptr);
  if (made < 0 || !is_of_gpu(s->steps.at[made].op))
    return false;
  uint64_t *row = row_of(s, (size_t)made);
  add_step(row, made);
  return are_done(s, alloc, row);
}

// Whether no access to the alloc begins before what the argument stands for is done.
static bool is_behind(const streams *s, int32_t alloc, intptr_t argument) {
  for (size_t i = s->first[alloc]; i < s->first[alloc + 1]; ++i)
    if (!has_step(row_of(s, (size_t)s->all.at[i].step), argument_bit(s, argument)))
      return false;
  return true;
}

// Whether a token that the loop carries stands for all that an iteration does to the alloc, and all
// that the next one does is behind it.
static bool is_carried_in_order(streams *s, int32_t alloc) {
  const MlirOperation yield = mlirBlockGetTerminator(s->block);
  bool carried = false;
  for (intptr_t i = 0, n = mlirOperationGetNumOperands(yield); i < n && !carried; ++i)
    carried = is_behind(s, alloc, i + 1) && // the first argument is the iteration's number
              stands_for_all(s, alloc, mlirOperationGetOperand(yield, i));
  return carried;
}

bool stow_ir_stream_is_carried(const stow_flow *flow, size_t alloc) {
  streams s = {.flow = flow, .block = mlirOperationGetBlock(flow->allocs.at[alloc].op)};
  if (!flow->allocs.at[alloc].on_device ||
      !stow_ir_is(mlirBlockGetParentOperation(s.block), STOW_SCF_FOR))
    return false;
  find_accesses(&s);
  list_steps(&s);
  bool carried = s.steps.count <= STOW_STREAMS_MOST_ROWS;
  if (carried) {
    sort_accesses(&s);
    find_done(&s);
    carried = is_in_steps(&s, (int32_t)alloc) && is_carried_in_order(&s, (int32_t)alloc);
  }
  stow_map_free(&s.index);
  free(s.done);
  free(s.first);
  free(s.all.at);
  free(s.steps.at);
  return carried;
}

//===----------------------------------------------------------------------===//
// Pieces
//===----------------------------------------------------------------------===//

// Behind which position all accesses to others begin when those to the alloc are done.
static int64_t end_of(const streams *s, int32_t alloc) {
  int64_t end = 0;
  for (size_t i = s->steps.count; i-- > 0 && end == 0;)
    if (s->steps.at[i].end > 0 &&
        (is_accessed_by(s, alloc, i) || !are_done(s, alloc, row_of(s, i))))
      end = s->steps.at[i].end;
  return end;
}

static void clip(const streams *s, int32_t alloc) {
  stow_live_piece *pieces = s->ranges->pieces.at;
  const int64_t end = end_of(s, alloc);
  for (size_t p = s->ranges->first_piece[alloc]; p < s->ranges->first_piece[alloc + 1]; ++p)
    if (pieces[p].end > end && pieces[p].begin < end) {
      pieces[p].end = end;
      pieces[p].closes = false;
    }
}

//===----------------------------------------------------------------------===//
// Pairs
//===----------------------------------------------------------------------===//

// Whether all accesses to `a` are done before any to `b` begins.
static bool is_before(const streams *s, int32_t a, int32_t b) {
  for (size_t i = s->first[b]; i < s->first[b + 1]; ++i)
    if (!are_done(s, a, row_of(s, (size_t)s->all.at[i].step)))
      return false;
  return true;
}

static void add_pairs(streams *s) {
  int64_t budget = STOW_STREAMS_MOST_STEPS;
  for (size_t i = 0; i < s->ordered.count; ++i)
    for (size_t j = i + 1; j < s->ordered.count && budget > 0; ++j) {
      const int32_t a = s->ordered.at[i], b = s->ordered.at[j];
      budget -= (int64_t)((s->first[a + 1] - s->first[a]) * (s->first[b + 1] - s->first[b]));
      if (stow_ranges_meet(s->ranges, a, b) && (is_before(s, a, b) || is_before(s, b, a)))
        STOW_PUSH(*s->pairs, (stow_pair){a, b});
    }
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

static bool is_wanted(const streams *s, size_t alloc) {
  return s->wanted[alloc] && s->flow->allocs.at[alloc].on_device;
}

static void order_block(streams *s) {
  list_steps(s);
  if (s->steps.count <= STOW_STREAMS_MOST_ROWS) {
    sort_accesses(s);
    find_done(s);
    s->ordered.count = 0;
    for (size_t a = 0; a < s->flow->allocs.count; ++a)
      if (is_wanted(s, a) &&
          mlirBlockEqual(mlirOperationGetBlock(s->flow->allocs.at[a].op), s->block) &&
          is_ordered(s, (int32_t)a))
        STOW_PUSH(s->ordered, (int32_t)a);
    STOW_EACH_ITEM(int32_t, a, s->ordered)
      clip(s, a);
    add_pairs(s);
    free(s->done);
  }
  stow_map_free(&s->index);
}

STOW_BY_FIELDS(compare_pairs, stow_pair, first, second)

void stow_ir_order_streams(const stow_flow *flow, const bool *wanted, stow_ranges *ranges,
                           stow_pairs *pairs) {
  streams s = {.flow = flow, .wanted = wanted, .ranges = ranges, .pairs = pairs};
  stow_map seen = {0};
  for (size_t a = 0; a < flow->allocs.count; ++a) {
    s.block = mlirOperationGetBlock(flow->allocs.at[a].op);
    if (!is_wanted(&s, a) || !stow_map_note(&seen, s.block.ptr))
      continue;
    if (!s.first)
      find_accesses(&s);
    order_block(&s);
  }
  if (s.first)
    STOW_SORT_UNIQUE(*pairs, compare_pairs);
  stow_map_free(&seen);
  free(s.first);
  free(s.all.at);
  free(s.steps.at);
  free(s.ordered.at);
}
