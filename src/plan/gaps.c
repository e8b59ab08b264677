//===- gaps.c - how far apart two blocks can lie ---------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A sweep over the spans by begin finds the meetings; sorted by pair and by the low end
// of what each forbids, what they leave between them are the gaps.
//
//===----------------------------------------------------------------------===//

#include "limits.h"
#include "sort.h"
#include "windows.h"

// Two spans that meet: offset(b) - offset(a) may not lie in (low, high).
struct meeting {
  uint32_t a, b; // a < b
  int64_t low, high;
};

struct meetings {
  struct meeting *at;
  uint32_t count;
  bool too_many;
};

struct maker {
  const stow_model *model;
  const uint32_t *blocks;
  uint32_t count;
  stow_memory *memory;
};

struct span_ref {
  const stow_plan_span *span;
  uint32_t block; // its number here
};

//===----------------------------------------------------------------------===//
// Meetings
//===----------------------------------------------------------------------===//

static const stow_plan_block *block_at(const struct maker *maker, uint32_t index) {
  return &maker->model->blocks[maker->blocks[index]];
}

static void note_meeting(const struct maker *maker, const struct span_ref *x,
                         const struct span_ref *y, struct meetings *meetings) {
  if (x->block == y->block ||
      stow_are_exclusive(&maker->model->relations, x->span->buffer, y->span->buffer))
    return;
  const struct span_ref *a = x->block < y->block ? x : y, *b = a == x ? y : x;
  meetings->at[meetings->count++] =
      (struct meeting){a->block, b->block, (int64_t)a->span->low - (int64_t)b->span->high,
                       (int64_t)a->span->high - (int64_t)b->span->low};
}

// A sweep over the spans by begin against those still alive; a step counts as a meeting whether or
// not it is one, so that the bound holds for the work as well.
static void sweep(const struct maker *maker, const struct span_ref *refs, uint32_t count,
                  uint32_t *alive, struct meetings *meetings) {
  uint32_t alive_count = 0, steps = 0;
  for (uint32_t i = 0; i < count; ++i) {
    uint32_t kept = 0;
    steps += alive_count;
    if (steps > STOW_GAPS_MOST_MEETINGS) {
      meetings->too_many = true;
      return;
    }
    for (uint32_t k = 0; k < alive_count; ++k)
      if (refs[alive[k]].span->end > refs[i].span->begin)
        alive[kept++] = alive[k];
    alive_count = kept;
    for (uint32_t k = 0; k < alive_count; ++k)
      note_meeting(maker, &refs[alive[k]], &refs[i], meetings);
    alive[alive_count++] = i;
  }
}

static uint32_t count_spans(const struct maker *maker) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < maker->count; ++i)
    count += block_at(maker, i)->span_count;
  return count;
}

static stow_status list_meetings(const struct maker *maker, struct meetings *meetings) {
  const uint32_t count = count_spans(maker);
  struct span_ref *refs = STOW_TAKE(maker->memory, struct span_ref, count);
  struct span_ref *sorted = STOW_TAKE(maker->memory, struct span_ref, count);
  stow_sort_pair *keys = STOW_TAKE(maker->memory, stow_sort_pair, count);
  stow_sort_pair *scratch = STOW_TAKE(maker->memory, stow_sort_pair, count);
  uint32_t *alive = STOW_TAKE(maker->memory, uint32_t, count);
  *meetings =
      (struct meetings){.at = STOW_TAKE(maker->memory, struct meeting, STOW_GAPS_MOST_MEETINGS)};
  if (!refs || !sorted || !keys || !scratch || !alive || !meetings->at)
    return STOW_NO_MEMORY;
  uint32_t made = 0;
  for (uint32_t i = 0; i < maker->count; ++i)
    for (uint32_t s = 0; s < block_at(maker, i)->span_count; ++s, ++made) {
      refs[made] = (struct span_ref){&block_at(maker, i)->spans[s], i};
      keys[made] = (stow_sort_pair){refs[made].span->begin, made};
    }
  stow_sort_pairs(keys, scratch, count);
  for (uint32_t i = 0; i < count; ++i)
    sorted[i] = refs[keys[i].index];
  sweep(maker, sorted, count, alive, meetings);
  return STOW_OK;
}

// Sorts by pair and then by the low end of what is forbidden.
static stow_status sort_meetings(const struct maker *maker, struct meetings *meetings) {
  const uint32_t count = meetings->count;
  stow_sort_pair *keys = STOW_TAKE(maker->memory, stow_sort_pair, count);
  stow_sort_pair *scratch = STOW_TAKE(maker->memory, stow_sort_pair, count);
  struct meeting *sorted = STOW_TAKE(maker->memory, struct meeting, count);
  if (!keys || !scratch || !sorted)
    return STOW_NO_MEMORY;
  for (uint32_t i = 0; i < count; ++i)
    keys[i] = (stow_sort_pair){stow_sort_signed(meetings->at[i].low), i};
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

//===----------------------------------------------------------------------===//
// Gaps
//===----------------------------------------------------------------------===//

// The gaps between the forbidden intervals of one pair, which begin at `from`. Returns where the
// next pair's begin.
static uint32_t make_pair(const struct meetings *meetings, uint32_t from, stow_gaps *gaps,
                          uint32_t *inout_gap_count) {
  const struct meeting *first = &meetings->at[from];
  stow_gap_pair *pair = &gaps->pairs[gaps->pair_count++];
  *pair = (stow_gap_pair){first->a, first->b, *inout_gap_count, 0};
  int64_t free_from = -STOW_FAR_AWAY;
  uint32_t at = from;
  for (; at < meetings->count && same_pair(first, &meetings->at[at]); ++at) {
    const struct meeting *meeting = &meetings->at[at];
    if (meeting->low >= free_from)
      gaps->gaps[(*inout_gap_count)++] = (stow_gap){free_from, meeting->low};
    free_from = meeting->high > free_from ? meeting->high : free_from;
  }
  gaps->gaps[(*inout_gap_count)++] = (stow_gap){free_from, STOW_FAR_AWAY};
  pair->past_gap = *inout_gap_count;
  return at;
}

static void list_by_block(const struct maker *maker, stow_gaps *gaps) {
  uint32_t *next = gaps->first_of + 1; // ends as what first_of is to be
  for (uint32_t i = 0; i < gaps->pair_count; ++i) {
    ++next[gaps->pairs[i].a + 1];
    ++next[gaps->pairs[i].b + 1];
  }
  for (uint32_t i = 0; i < maker->count; ++i)
    next[i + 1] += next[i];
  for (uint32_t i = 0; i < gaps->pair_count; ++i) {
    gaps->pairs_of[next[gaps->pairs[i].a]++] = i;
    gaps->pairs_of[next[gaps->pairs[i].b]++] = i;
  }
}

static stow_status make_pairs(const struct maker *maker, const struct meetings *meetings,
                              stow_gaps *gaps) {
  gaps->gaps = STOW_TAKE(maker->memory, stow_gap, 2 * (size_t)meetings->count);
  gaps->pairs = STOW_TAKE(maker->memory, stow_gap_pair, meetings->count);
  gaps->first_of = STOW_TAKE_ZEROED(maker->memory, uint32_t, (size_t)maker->count + 2);
  gaps->pairs_of = STOW_TAKE(maker->memory, uint32_t, 2 * (size_t)meetings->count);
  if (!gaps->gaps || !gaps->pairs || !gaps->first_of || !gaps->pairs_of)
    return STOW_NO_MEMORY;
  uint32_t gap_count = 0;
  for (uint32_t at = 0; at < meetings->count;)
    at = make_pair(meetings, at, gaps, &gap_count);
  list_by_block(maker, gaps);
  return STOW_OK;
}

stow_status stow_gaps_make(const stow_model *model, const uint32_t *blocks, uint32_t count,
                           stow_memory *memory, stow_gaps *out_gaps, bool *out_few) {
  const struct maker maker = {model, blocks, count, memory};
  struct meetings meetings;
  *out_gaps = (stow_gaps){0};
  stow_status status = list_meetings(&maker, &meetings);
  *out_few = status == STOW_OK && !meetings.too_many;
  if (!*out_few)
    return status;
  status = sort_meetings(&maker, &meetings);
  return status == STOW_OK ? make_pairs(&maker, &meetings, out_gaps) : status;
}
