//===- windows.c - exact search where byte windows interlock --------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two blocks a and b meet with several spans each. Every two spans that meet
// forbid an open interval of differences offset(b) - offset(a); what is left of
// all differences are *gaps*, closed intervals, and a plan has every pair in one
// of its gaps. A gap bounds each block by the other:
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
// Changes are written to a trail, the first of each bound in each frame, and undone
// from it. Numbers are signed, so sizes and the capacity must be below 2^60.
//
//===----------------------------------------------------------------------===//

#include "windows.h"
#include "sort.h"

#include <assert.h>
#include <string.h>

#define NONE UINT32_MAX

// No more meetings of spans than this.
enum { MAX_MEETINGS = 400000 };

// Steps between two questions whether to stop.
enum { POLL_INTERVAL = 1 << 21 };

static const int64_t far_away = INT64_C(1) << 62;
static const uint64_t past_numbers = UINT64_C(1) << 60;

struct meeting {
  uint32_t a, b; // a < b
  int64_t low, high;
};

struct gap {
  int64_t low, high;
};

struct pair {
  uint32_t a, b;
  uint32_t first_gap, past_gap;
};

struct bound {
  int64_t value;
  uint64_t saved_in; // the stage whose trail has the value it had before
};

struct change {
  struct bound *bound;
  struct bound old;
};

struct frame {
  uint32_t pair, next_gap;
  uint32_t trail_length, taken_count;
};

struct stow_windows {
  const stow_model *model;
  const uint32_t *blocks;
  stow_memory *memory;
  uint32_t count;
  struct gap *gaps;
  struct pair *pairs;
  uint32_t pair_count;
  uint32_t *first_of, *pairs_of;   // per block and one more, into pairs_of
  struct bound *floors, *ceilings; // per block
  uint32_t *gap_of;                // per pair, or NONE
  uint32_t *taken;                 // pairs that have a gap, in order of taking it
  uint32_t taken_count;
  uint32_t *queue; // blocks whose bounds moved, a ring
  unsigned char *queued;
  uint32_t queue_begin, queue_count;
  struct change *trail;
  uint32_t trail_length, trail_capacity;
  struct frame *frames;
  uint32_t depth;
  uint64_t stage; // counts the beginnings of frames and the returns to them
  uint64_t effort, max_effort;
  bool short_of_memory;
};

//===----------------------------------------------------------------------===//
// Making
//===----------------------------------------------------------------------===//

struct meetings {
  struct meeting *at;
  uint32_t count;
  bool too_many;
};

struct span_ref {
  const stow_span *span;
  uint32_t block; // its number here
};

static const stow_block *block_at(const stow_windows *windows, uint32_t index) {
  return &windows->model->blocks[windows->blocks[index]];
}

static void note_meeting(const stow_windows *windows, const struct span_ref *x,
                         const struct span_ref *y, struct meetings *meetings) {
  if (x->block == y->block ||
      stow_are_exclusive(&windows->model->relations, x->span->buffer, y->span->buffer))
    return;
  const struct span_ref *a = x->block < y->block ? x : y, *b = a == x ? y : x;
  meetings->at[meetings->count++] =
      (struct meeting){a->block, b->block, (int64_t)a->span->low - (int64_t)b->span->high,
                       (int64_t)a->span->high - (int64_t)b->span->low};
}

// A sweep over the spans by begin against those still alive; a step counts as a meeting whether or
// not it is one, so that the bound holds for the work as well.
static void sweep(const stow_windows *windows, const struct span_ref *refs, uint32_t count,
                  uint32_t *alive, struct meetings *meetings) {
  uint32_t alive_count = 0, steps = 0;
  for (uint32_t i = 0; i < count; ++i) {
    uint32_t kept = 0;
    steps += alive_count;
    if (steps > MAX_MEETINGS) {
      meetings->too_many = true;
      return;
    }
    for (uint32_t k = 0; k < alive_count; ++k)
      if (refs[alive[k]].span->end > refs[i].span->begin)
        alive[kept++] = alive[k];
    alive_count = kept;
    for (uint32_t k = 0; k < alive_count; ++k)
      note_meeting(windows, &refs[alive[k]], &refs[i], meetings);
    alive[alive_count++] = i;
  }
}

static uint32_t count_spans(const stow_windows *windows) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < windows->count; ++i)
    count += block_at(windows, i)->span_count;
  return count;
}

static stow_status list_meetings(const stow_windows *windows, struct meetings *meetings) {
  const uint32_t count = count_spans(windows);
  struct span_ref *refs = STOW_TAKE(windows->memory, struct span_ref, count);
  struct span_ref *sorted = STOW_TAKE(windows->memory, struct span_ref, count);
  stow_sort_pair *keys = STOW_TAKE(windows->memory, stow_sort_pair, count);
  stow_sort_pair *scratch = STOW_TAKE(windows->memory, stow_sort_pair, count);
  uint32_t *alive = STOW_TAKE(windows->memory, uint32_t, count);
  *meetings = (struct meetings){.at = STOW_TAKE(windows->memory, struct meeting, MAX_MEETINGS)};
  if (!refs || !sorted || !keys || !scratch || !alive || !meetings->at)
    return STOW_NO_MEMORY;
  uint32_t made = 0;
  for (uint32_t i = 0; i < windows->count; ++i)
    for (uint32_t s = 0; s < block_at(windows, i)->span_count; ++s, ++made) {
      refs[made] = (struct span_ref){&block_at(windows, i)->spans[s], i};
      keys[made] = (stow_sort_pair){refs[made].span->begin, made};
    }
  stow_sort_pairs(keys, scratch, count);
  for (uint32_t i = 0; i < count; ++i)
    sorted[i] = refs[keys[i].index];
  sweep(windows, sorted, count, alive, meetings);
  return STOW_OK;
}

static uint64_t signed_key(int64_t value) { return stow_sort_signed(value); }

// Sorts by pair and then by the low end of what is forbidden.
static stow_status sort_meetings(const stow_windows *windows, struct meetings *meetings) {
  const uint32_t count = meetings->count;
  stow_sort_pair *keys = STOW_TAKE(windows->memory, stow_sort_pair, count);
  stow_sort_pair *scratch = STOW_TAKE(windows->memory, stow_sort_pair, count);
  struct meeting *sorted = STOW_TAKE(windows->memory, struct meeting, count);
  if (!keys || !scratch || !sorted)
    return STOW_NO_MEMORY;
  for (uint32_t i = 0; i < count; ++i)
    keys[i] = (stow_sort_pair){signed_key(meetings->at[i].low), i};
  stow_sort_pairs(keys, scratch, count);
  for (uint32_t i = 0; i < count; ++i) {
    const struct meeting *meeting = &meetings->at[keys[i].index];
    keys[i].key = (uint64_t)meeting->a << 32 | meeting->b;
  }
  stow_sort_pairs(keys, scratch, count);
  for (uint32_t i = 0; i < count; ++i)
    sorted[i] = meetings->at[keys[i].index];
  meetings->at = sorted;
  return STOW_OK;
}

static bool same_pair(const struct meeting *x, const struct meeting *y) {
  return x->a == y->a && x->b == y->b;
}

// The gaps between the forbidden intervals of one pair, which begin at `from`. Returns where the
// next pair's begin.
static uint32_t make_pair(stow_windows *windows, const struct meetings *meetings, uint32_t from,
                          uint32_t *inout_gap_count) {
  const struct meeting *first = &meetings->at[from];
  struct pair *pair = &windows->pairs[windows->pair_count++];
  *pair = (struct pair){first->a, first->b, *inout_gap_count, 0};
  int64_t free_from = -far_away;
  uint32_t at = from;
  for (; at < meetings->count && same_pair(first, &meetings->at[at]); ++at) {
    const struct meeting *meeting = &meetings->at[at];
    if (meeting->low >= free_from)
      windows->gaps[(*inout_gap_count)++] = (struct gap){free_from, meeting->low};
    free_from = meeting->high > free_from ? meeting->high : free_from;
  }
  windows->gaps[(*inout_gap_count)++] = (struct gap){free_from, far_away};
  pair->past_gap = *inout_gap_count;
  return at;
}

static stow_status make_pairs(stow_windows *windows, const struct meetings *meetings) {
  windows->gaps = STOW_TAKE(windows->memory, struct gap, 2 * (size_t)meetings->count);
  windows->pairs = STOW_TAKE(windows->memory, struct pair, meetings->count);
  windows->first_of = STOW_TAKE_ZEROED(windows->memory, uint32_t, (size_t)windows->count + 2);
  windows->pairs_of = STOW_TAKE(windows->memory, uint32_t, 2 * (size_t)meetings->count);
  if (!windows->gaps || !windows->pairs || !windows->first_of || !windows->pairs_of)
    return STOW_NO_MEMORY;
  uint32_t gap_count = 0;
  for (uint32_t at = 0; at < meetings->count;)
    at = make_pair(windows, meetings, at, &gap_count);
  for (uint32_t i = 0; i < windows->pair_count; ++i) {
    ++windows->first_of[windows->pairs[i].a + 2];
    ++windows->first_of[windows->pairs[i].b + 2];
  }
  for (uint32_t i = 0; i < windows->count; ++i)
    windows->first_of[i + 2] += windows->first_of[i + 1];
  for (uint32_t i = 0; i < windows->pair_count; ++i) {
    windows->pairs_of[windows->first_of[windows->pairs[i].a + 1]++] = i;
    windows->pairs_of[windows->first_of[windows->pairs[i].b + 1]++] = i;
  }
  return STOW_OK;
}

static stow_status make_state(stow_windows *windows) {
  const size_t count = windows->count, pairs = windows->pair_count;
  windows->floors = STOW_TAKE(windows->memory, struct bound, count);
  windows->ceilings = STOW_TAKE(windows->memory, struct bound, count);
  windows->gap_of = STOW_TAKE(windows->memory, uint32_t, pairs);
  windows->taken = STOW_TAKE(windows->memory, uint32_t, pairs);
  windows->queue = STOW_TAKE(windows->memory, uint32_t, count);
  windows->queued = STOW_TAKE_ZEROED(windows->memory, unsigned char, count);
  windows->frames = STOW_TAKE(windows->memory, struct frame, pairs);
  return windows->floors && windows->ceilings && windows->gap_of && windows->taken &&
                 windows->queue && windows->queued && windows->frames
             ? STOW_OK
             : STOW_NO_MEMORY;
}

static bool numbers_are_small(const stow_windows *windows) {
  for (uint32_t i = 0; i < windows->count; ++i)
    if (block_at(windows, i)->size >= past_numbers ||
        block_at(windows, i)->alignment >= past_numbers)
      return false;
  return true;
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
  if (!numbers_are_small(windows))
    return STOW_OK;
  struct meetings meetings;
  stow_status status = list_meetings(windows, &meetings);
  if (status != STOW_OK || meetings.too_many)
    return status;
  status = sort_meetings(windows, &meetings);
  if (status == STOW_OK)
    status = make_pairs(windows, &meetings);
  if (status == STOW_OK)
    status = make_state(windows);
  *out_windows = status == STOW_OK ? windows : NULL;
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
    const uint32_t capacity = windows->trail_capacity ? 2 * windows->trail_capacity : 1024;
    struct change *trail = STOW_TAKE(windows->memory, struct change, capacity);
    windows->short_of_memory |= !trail;
    if (!trail)
      return false;
    if (windows->trail)
      memcpy(trail, windows->trail, windows->trail_length * sizeof *trail);
    stow_memory_drop(windows->memory, windows->trail);
    windows->trail = trail;
    windows->trail_capacity = capacity;
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
  const struct pair *pair = &windows->pairs[pair_index];
  const struct gap *gap = &windows->gaps[windows->gap_of[pair_index]];
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
    const uint32_t first = windows->first_of[block], past = windows->first_of[block + 1];
    for (uint32_t i = first; i < past && holds; ++i)
      if (windows->gap_of[windows->pairs_of[i]] != NONE)
        holds = apply(windows, windows->pairs_of[i]);
    windows->effort += past - first + 1;
  }
  drain(windows);
  return holds && !is_exhausted(windows);
}

//===----------------------------------------------------------------------===//
// Pairs
//===----------------------------------------------------------------------===//

static bool is_open_gap(const stow_windows *windows, const struct pair *pair, uint32_t index) {
  const struct gap *gap = &windows->gaps[index];
  return floor_of(windows, pair->a) + gap->low <= ceiling_of(windows, pair->b) &&
         floor_of(windows, pair->b) - gap->high <= ceiling_of(windows, pair->a);
}

static bool clash(const stow_windows *windows, const struct pair *pair) {
  const int64_t difference = floor_of(windows, pair->b) - floor_of(windows, pair->a);
  for (uint32_t i = pair->first_gap; i < pair->past_gap; ++i)
    if (windows->gaps[i].low <= difference && difference <= windows->gaps[i].high)
      return false;
  return true;
}

static bool take_gap(stow_windows *windows, uint32_t pair, uint32_t gap) {
  windows->gap_of[pair] = gap;
  windows->taken[windows->taken_count++] = pair;
  return apply(windows, pair) && carry_on(windows);
}

static uint32_t count_open_gaps(const stow_windows *windows, const struct pair *pair,
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
    for (uint32_t i = 0; i < windows->pair_count; ++i) {
      const struct pair *pair = &windows->pairs[i];
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
  for (uint32_t i = 0; i < windows->pair_count; ++i)
    windows->gap_of[i] = NONE;
  for (uint32_t i = 0; i < windows->count; ++i) {
    const stow_block *block = block_at(windows, i);
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
    struct frame *frame = &windows->frames[windows->depth - 1];
    const struct pair *pair = &windows->pairs[frame->pair];
    undo_to(windows, frame->trail_length, frame->taken_count);
    while (frame->next_gap < pair->past_gap && !is_open_gap(windows, pair, frame->next_gap))
      ++frame->next_gap;
    if (frame->next_gap == pair->past_gap)
      --windows->depth;
    else if (take_gap(windows, frame->pair, frame->next_gap++))
      return true;
  }
  return false;
}

static void open_frame(stow_windows *windows, uint32_t pair) {
  windows->frames[windows->depth++] = (struct frame){pair, windows->pairs[pair].first_gap,
                                                     windows->trail_length, windows->taken_count};
}

static bool must_stop(const stow_windows *windows, stow_context *context, uint64_t *next_poll) {
  if (is_exhausted(windows))
    return true;
  if (windows->effort < *next_poll)
    return false;
  *next_poll = windows->effort + POLL_INTERVAL;
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
      open_frame(windows, pair);
    if (!try_next(windows) && !is_exhausted(windows))
      return STOW_VERDICT_IMPOSSIBLE;
  }
  return STOW_VERDICT_OPEN;
}

stow_status stow_windows_run(stow_windows *windows, uint64_t capacity, uint64_t max_effort,
                             stow_context *context, uint64_t *out_offsets,
                             stow_verdict *out_verdict) {
  *out_verdict = STOW_VERDICT_OPEN;
  if (capacity >= past_numbers)
    return STOW_OK;
  windows->max_effort = max_effort;
  *out_verdict = reset(windows, capacity) ? explore(windows, context) : STOW_VERDICT_IMPOSSIBLE;
  if (*out_verdict == STOW_VERDICT_FITS)
    for (uint32_t i = 0; i < windows->count; ++i)
      out_offsets[i] = (uint64_t)floor_of(windows, i);
  stow_context_spend(context, windows->effort);
  return windows->short_of_memory ? STOW_NO_MEMORY : STOW_OK;
}
