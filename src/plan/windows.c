//===- windows.c - exact search where byte windows interlock --------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A plan has the difference offset(b) - offset(a) of every two blocks that meet in
// one of their gaps (gaps.c). A gap bounds each block by the other:
//
//     offset(b) >= offset(a) + gap.low      offset(a) >= offset(b) - gap.high
//     offset(b) <= offset(a) + gap.high     offset(a) <= offset(b) - gap.low
//
// So the state is a range [floor, ceiling] per block and a gap for some pairs.
// Bounds are carried on until nothing moves; a pair with one gap left takes it, a
// pair with none is a dead end. Then the floors are a plan of all pairs that have
// their gap, and if no other pair clashes at the floors they are a plan. If one
// does, its gaps are tried one after the other: the search is exhaustive.
//
// Changes are written to a trail, the first of each bound in each decision, and undone
// from it. Numbers are signed, so sizes and the capacity must be below 2^60.
//
//===----------------------------------------------------------------------===//

#include "windows.h"
#include "limits.h"

#define NONE UINT32_MAX

struct bound {
  int64_t value;
  uint64_t saved_in; // the stage whose trail has the value it had before
};

struct change {
  struct bound *bound;
  struct bound old;
};

struct decision {
  uint32_t pair, next_gap;
  uint32_t trail_length, taken_count;
};

struct stow_windows {
  const stow_model *model;
  const uint32_t *blocks;
  stow_memory *memory;
  uint32_t count;
  stow_gaps between;
  struct bound *floors, *ceilings; // per block
  uint32_t *gap_of;                // per pair, or NONE
  uint32_t *taken;                 // pairs that have a gap, in order of taking it
  uint32_t taken_count;
  uint32_t *queue; // blocks whose bounds moved, a ring
  unsigned char *queued;
  uint32_t queue_begin, queue_count;
  struct change *trail;
  uint32_t trail_length, trail_capacity;
  struct decision *decisions;
  uint32_t depth;
  uint64_t stage; // counts the beginnings of decisions and the returns to them
  uint64_t effort, max_effort;
  bool short_of_memory;
};

//===----------------------------------------------------------------------===//
// Making
//===----------------------------------------------------------------------===//

static const stow_plan_block *block_at(const stow_windows *windows, uint32_t index) {
  return &windows->model->blocks[windows->blocks[index]];
}

static stow_status make_state(stow_windows *windows) {
  const size_t count = windows->count, pairs = windows->between.pair_count;
  windows->floors = STOW_TAKE(windows->memory, struct bound, count);
  windows->ceilings = STOW_TAKE(windows->memory, struct bound, count);
  windows->gap_of = STOW_TAKE(windows->memory, uint32_t, pairs);
  windows->taken = STOW_TAKE(windows->memory, uint32_t, pairs);
  windows->queue = STOW_TAKE(windows->memory, uint32_t, count);
  windows->queued = STOW_TAKE_ZEROED(windows->memory, unsigned char, count);
  windows->decisions = STOW_TAKE(windows->memory, struct decision, pairs);
  return windows->floors && windows->ceilings && windows->gap_of && windows->taken &&
                 windows->queue && windows->queued && windows->decisions
             ? STOW_OK
             : STOW_NO_MEMORY;
}

stow_status stow_windows_create(const stow_model *model, const uint32_t *blocks, uint32_t count,
                                stow_memory *memory, stow_windows **out_windows) {
  *out_windows = NULL;
  stow_windows *windows = STOW_TAKE_ZEROED(memory, stow_windows, 1);
  if (!windows)
    return STOW_NO_MEMORY;
  windows->model = model;
  windows->blocks = blocks;
  windows->count = count;
  windows->memory = memory;
  bool few;
  stow_status status = stow_gaps_make(model, blocks, count, memory, &windows->between, &few);
  if (few && status == STOW_OK)
    status = make_state(windows);
  *out_windows = few && status == STOW_OK ? windows : NULL;
  return status;
}

//===----------------------------------------------------------------------===//
// Bounds
//===----------------------------------------------------------------------===//

static bool set_bound(stow_windows *windows, struct bound *bound, int64_t value) {
  if (bound->saved_in == windows->stage) {
    bound->value = value;
    return true;
  }
  if (windows->trail_length == windows->trail_capacity) {
    struct change *grown = stow_memory_grow(windows->memory, windows->trail, windows->trail_length,
                                            &windows->trail_capacity, sizeof *windows->trail);
    windows->short_of_memory |= !grown;
    if (!grown)
      return false;
    windows->trail = grown;
  }
  windows->trail[windows->trail_length++] = (struct change){bound, *bound};
  *bound = (struct bound){value, windows->stage};
  return true;
}

static void enqueue(stow_windows *windows, uint32_t block) {
  if (windows->queued[block])
    return;
  windows->queued[block] = 1;
  windows->queue[(windows->queue_begin + windows->queue_count++) % windows->count] = block;
}

static void drain(stow_windows *windows) {
  for (; windows->queue_count; --windows->queue_count) {
    windows->queued[windows->queue[windows->queue_begin]] = 0;
    windows->queue_begin = (windows->queue_begin + 1) % windows->count;
  }
}

// Both return false at a dead end. A bound is rounded to the block's alignment, inwards.
static bool raise_floor(stow_windows *windows, uint32_t block, int64_t least) {
  const int64_t alignment = (int64_t)block_at(windows, block)->alignment;
  const int64_t ceiling = windows->ceilings[block].value;
  if (least <= windows->floors[block].value)
    return true;
  least = (least + alignment - 1) / alignment * alignment;
  if (least > ceiling || !set_bound(windows, &windows->floors[block], least))
    return false;
  enqueue(windows, block);
  return true;
}

static bool lower_ceiling(stow_windows *windows, uint32_t block, int64_t most) {
  const int64_t alignment = (int64_t)block_at(windows, block)->alignment;
  const int64_t floor = windows->floors[block].value;
  if (most >= windows->ceilings[block].value)
    return true;
  if (most < floor)
    return false;
  most = most / alignment * alignment;
  if (most < floor || !set_bound(windows, &windows->ceilings[block], most))
    return false;
  enqueue(windows, block);
  return true;
}

static int64_t floor_of(const stow_windows *windows, uint32_t block) {
  return windows->floors[block].value;
}

static int64_t ceiling_of(const stow_windows *windows, uint32_t block) {
  return windows->ceilings[block].value;
}

static bool apply(stow_windows *windows, uint32_t pair_index) {
  const stow_gap_pair *pair = &windows->between.pairs[pair_index];
  const stow_gap *gap = &windows->between.gaps[windows->gap_of[pair_index]];
  return raise_floor(windows, pair->b, floor_of(windows, pair->a) + gap->low) &&
         raise_floor(windows, pair->a, floor_of(windows, pair->b) - gap->high) &&
         lower_ceiling(windows, pair->b, ceiling_of(windows, pair->a) + gap->high) &&
         lower_ceiling(windows, pair->a, ceiling_of(windows, pair->b) - gap->low);
}

static bool is_exhausted(const stow_windows *windows) {
  return windows->short_of_memory || windows->effort > windows->max_effort;
}

// Carries moved bounds on over all pairs that have a gap. False at a dead end, or when exhausted.
static bool carry_on(stow_windows *windows) {
  bool holds = true;
  while (holds && windows->queue_count && !is_exhausted(windows)) {
    const uint32_t block = windows->queue[windows->queue_begin];
    windows->queue_begin = (windows->queue_begin + 1) % windows->count;
    --windows->queue_count;
    windows->queued[block] = 0;
    const uint32_t first = windows->between.first_of[block],
                   past = windows->between.first_of[block + 1];
    for (uint32_t i = first; i < past && holds; ++i)
      if (windows->gap_of[windows->between.pairs_of[i]] != NONE)
        holds = apply(windows, windows->between.pairs_of[i]);
    windows->effort += past - first + 1;
  }
  drain(windows);
  return holds && !is_exhausted(windows);
}

//===----------------------------------------------------------------------===//
// Pairs
//===----------------------------------------------------------------------===//

static bool is_open_gap(const stow_windows *windows, const stow_gap_pair *pair, uint32_t index) {
  const stow_gap *gap = &windows->between.gaps[index];
  return floor_of(windows, pair->a) + gap->low <= ceiling_of(windows, pair->b) &&
         floor_of(windows, pair->b) - gap->high <= ceiling_of(windows, pair->a);
}

static bool clash(const stow_windows *windows, const stow_gap_pair *pair) {
  const int64_t difference = floor_of(windows, pair->b) - floor_of(windows, pair->a);
  for (uint32_t i = pair->first_gap; i < pair->past_gap; ++i)
    if (windows->between.gaps[i].low <= difference && difference <= windows->between.gaps[i].high)
      return false;
  return true;
}

static bool take_gap(stow_windows *windows, uint32_t pair, uint32_t gap) {
  windows->gap_of[pair] = gap;
  windows->taken[windows->taken_count++] = pair;
  return apply(windows, pair) && carry_on(windows);
}

static uint32_t count_open_gaps(const stow_windows *windows, const stow_gap_pair *pair,
                                uint32_t *out_last) {
  uint32_t count = 0;
  for (uint32_t i = pair->first_gap; i < pair->past_gap; ++i)
    if (is_open_gap(windows, pair, i)) {
      ++count;
      *out_last = i;
    }
  return count;
}

// Gives every pair with one gap left that gap, until none is left. `*out_pair` is one that clashes
// at the floors, of those the one with the fewest gaps, or NONE. False at a dead end.
static bool settle(stow_windows *windows, uint32_t *out_pair) {
  for (bool moved = true; moved;) {
    moved = false;
    uint32_t fewest = UINT32_MAX;
    *out_pair = NONE;
    for (uint32_t i = 0; i < windows->between.pair_count; ++i) {
      const stow_gap_pair *pair = &windows->between.pairs[i];
      uint32_t last = NONE;
      if (windows->gap_of[i] != NONE)
        continue;
      const uint32_t open = count_open_gaps(windows, pair, &last);
      windows->effort += pair->past_gap - pair->first_gap;
      if (!open || (open == 1 && !take_gap(windows, i, last)))
        return false;
      moved |= open == 1;
      if (open > 1 && open < fewest && clash(windows, pair)) {
        fewest = open;
        *out_pair = i;
      }
    }
  }
  return true;
}

//===----------------------------------------------------------------------===//
// The search
//===----------------------------------------------------------------------===//

static void undo_to(stow_windows *windows, uint32_t trail_length, uint32_t taken_count) {
  ++windows->stage;
  while (windows->trail_length > trail_length) {
    const struct change *change = &windows->trail[--windows->trail_length];
    *change->bound = change->old;
  }
  while (windows->taken_count > taken_count)
    windows->gap_of[windows->taken[--windows->taken_count]] = NONE;
}

static bool reset(stow_windows *windows, uint64_t capacity) {
  windows->trail_length = windows->taken_count = windows->depth = 0;
  windows->effort = windows->stage = 0;
  for (uint32_t i = 0; i < windows->between.pair_count; ++i)
    windows->gap_of[i] = NONE;
  for (uint32_t i = 0; i < windows->count; ++i) {
    const stow_plan_block *block = block_at(windows, i);
    const bool is_free = block->fixed == STOW_ANY_OFFSET;
    if (block->size > capacity || (!is_free && block->fixed > capacity - block->size))
      return false;
    const uint64_t highest = (capacity - block->size) / block->alignment * block->alignment;
    windows->floors[i] = (struct bound){is_free ? 0 : (int64_t)block->fixed, 0};
    windows->ceilings[i] = (struct bound){is_free ? (int64_t)highest : (int64_t)block->fixed, 0};
  }
  return true;
}

// Takes the next gap of the topmost pair that leads on, or goes back. False when all is tried.
static bool try_next(stow_windows *windows) {
  while (windows->depth && !is_exhausted(windows)) {
    struct decision *decision = &windows->decisions[windows->depth - 1];
    const stow_gap_pair *pair = &windows->between.pairs[decision->pair];
    undo_to(windows, decision->trail_length, decision->taken_count);
    while (decision->next_gap < pair->past_gap && !is_open_gap(windows, pair, decision->next_gap))
      ++decision->next_gap;
    if (decision->next_gap == pair->past_gap)
      --windows->depth;
    else if (take_gap(windows, decision->pair, decision->next_gap++))
      return true;
  }
  return false;
}

static void open_decision(stow_windows *windows, uint32_t pair) {
  windows->decisions[windows->depth++] = (struct decision){
      pair, windows->between.pairs[pair].first_gap, windows->trail_length, windows->taken_count};
}

static bool must_stop(const stow_windows *windows, stow_context *context, uint64_t *next_poll) {
  if (is_exhausted(windows))
    return true;
  if (windows->effort < *next_poll)
    return false;
  *next_poll = windows->effort + STOW_SEARCH_POLL_INTERVAL;
  return stow_context_poll(context, windows->effort);
}

static stow_verdict explore(stow_windows *windows, stow_context *context) {
  uint64_t next_poll = 0;
  while (!must_stop(windows, context, &next_poll)) {
    uint32_t pair;
    const bool holds = settle(windows, &pair);
    if (is_exhausted(windows))
      break;
    if (holds && pair == NONE)
      return STOW_VERDICT_FITS;
    if (holds)
      open_decision(windows, pair);
    if (!try_next(windows) && !is_exhausted(windows))
      return STOW_VERDICT_IMPOSSIBLE;
  }
  return STOW_VERDICT_OPEN;
}

stow_status stow_windows_run(stow_windows *windows, uint64_t capacity, uint64_t max_effort,
                             stow_context *context, uint64_t *out_offsets,
                             stow_verdict *out_verdict) {
  *out_verdict = STOW_VERDICT_OPEN;
  if (capacity >= STOW_GAPS_PAST_NUMBERS)
    return STOW_OK;
  windows->max_effort = max_effort;
  *out_verdict = reset(windows, capacity) ? explore(windows, context) : STOW_VERDICT_IMPOSSIBLE;
  if (*out_verdict == STOW_VERDICT_FITS)
    for (uint32_t i = 0; i < windows->count; ++i)
      out_offsets[i] = (uint64_t)floor_of(windows, i);
  stow_context_spend(context, windows->effort);
  return windows->short_of_memory ? STOW_NO_MEMORY : STOW_OK;
}
