//===- gaps.c - how far apart two blocks can lie ---------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires a model. Computes, for every two blocks that meet, the differences of their offsets that
// are left.
//
// A sweep over the spans by begin finds what meets. Windows that move along a buffer forbid
// differences that overlap from one meeting to the next: the last interval of a pair grows, so that
// a pair of many spans has few intervals. A table finds the pair.
//
//===----------------------------------------------------------------------===//

#include "gaps.h"
#include "limits.h"
#include "sort.h"

// Differences offset(b) - offset(a) that are forbidden, without the ends.
struct interval {
  uint32_t a, b; // a < b
  int64_t low, high;
};

struct span_ref {
  const stow_plan_span *span;
  uint32_t block; // its number here
};

struct maker {
  const stow_model *model;
  const uint32_t *blocks;
  uint32_t count;
  stow_memory *memory;
  struct span_ref *refs; // by begin
  uint32_t ref_count;
  struct interval *intervals;
  uint32_t interval_count, interval_capacity;
  uint32_t *table; // per pair its last interval, counted from 1 on
  uint32_t slots, pair_count;
  uint64_t steps;
};

static const stow_plan_block *block_at(const struct maker *maker, uint32_t index) {
  return &maker->model->blocks[maker->blocks ? maker->blocks[index] : index];
}

//===----------------------------------------------------------------------===//
// Pairs
//===----------------------------------------------------------------------===//

// Where the pair's last interval is in the table, or where there is room for one.
static uint32_t slot_of(const struct maker *maker, uint32_t a, uint32_t b) {
  const uint64_t key = ((uint64_t)a << 32 | b) * UINT64_C(0x9e3779b97f4a7c15);
  uint32_t at = (uint32_t)(key >> 32 ^ key >> 48) & (maker->slots - 1);
  for (; maker->table[at]; at = (at + 1) & (maker->slots - 1)) {
    const struct interval *last = &maker->intervals[maker->table[at] - 1];
    if (last->a == a && last->b == b)
      break;
  }
  return at;
}

// Of a pair's intervals the last one is met first, and stays in the table.
static bool grow_table(struct maker *maker) {
  stow_memory_drop(maker->memory, maker->table);
  maker->slots = maker->slots ? 2 * maker->slots : 256;
  maker->table = STOW_TAKE_ZEROED(maker->memory, uint32_t, maker->slots);
  for (uint32_t i = maker->interval_count; i > 0 && maker->table; --i) {
    uint32_t *slot =
        &maker->table[slot_of(maker, maker->intervals[i - 1].a, maker->intervals[i - 1].b)];
    *slot = *slot ? *slot : i;
  }
  return maker->table != NULL;
}

static bool add_interval(struct maker *maker, struct interval interval) {
  if (maker->interval_count == maker->interval_capacity) {
    struct interval *grown =
        stow_memory_grow(maker->memory, maker->intervals, maker->interval_count,
                         &maker->interval_capacity, sizeof *maker->intervals);
    if (!grown)
      return false;
    maker->intervals = grown;
  }
  maker->intervals[maker->interval_count++] = interval;
  return true;
}

static bool forbid(struct maker *maker, struct interval it) {
  if (2 * maker->pair_count >= maker->slots && !grow_table(maker))
    return false;
  uint32_t *slot = &maker->table[slot_of(maker, it.a, it.b)];
  struct interval *last = *slot ? &maker->intervals[*slot - 1] : NULL;
  if (last && it.low < last->high && last->low < it.high) {
    last->low = it.low < last->low ? it.low : last->low;
    last->high = it.high > last->high ? it.high : last->high;
    return true;
  }
  maker->pair_count += !last;
  if (!add_interval(maker, it))
    return false;
  *slot = maker->interval_count;
  return true;
}

//===----------------------------------------------------------------------===//
// The sweep
//===----------------------------------------------------------------------===//

static bool meet(struct maker *maker, const struct span_ref *x, const struct span_ref *y) {
  if (x->block == y->block ||
      stow_plan_are_exclusive(&maker->model->relations, x->span->buffer, y->span->buffer))
    return true;
  const struct span_ref *a = x->block < y->block ? x : y, *b = a == x ? y : x;
  return forbid(maker, (struct interval){a->block, b->block,
                                         (int64_t)a->span->low - (int64_t)b->span->high,
                                         (int64_t)a->span->high - (int64_t)b->span->low});
}

static bool are_few(const struct maker *maker) {
  return maker->steps <= STOW_GAPS_MOST_STEPS && maker->interval_count <= STOW_GAPS_MOST_INTERVALS;
}

// A step counts whether or not two spans meet, so that the bound holds for the work as well.
static bool sweep(struct maker *maker, uint32_t *alive) {
  uint32_t alive_count = 0;
  for (uint32_t i = 0; i < maker->ref_count && are_few(maker); ++i) {
    const struct span_ref *refs = maker->refs;
    uint32_t kept = 0;
    maker->steps += alive_count;
    for (uint32_t k = 0; k < alive_count; ++k)
      if (refs[alive[k]].span->end > refs[i].span->begin)
        alive[kept++] = alive[k];
    alive_count = kept;
    for (uint32_t k = 0; k < alive_count; ++k)
      if (!meet(maker, &refs[alive[k]], &refs[i]))
        return false;
    alive[alive_count++] = i;
  }
  return true;
}

static void list_spans(const struct maker *maker, struct span_ref *refs, stow_sort_pair *keys) {
  uint32_t made = 0;
  for (uint32_t i = 0; i < maker->count; ++i)
    for (uint32_t s = 0; s < block_at(maker, i)->span_count; ++s, ++made) {
      refs[made] = (struct span_ref){&block_at(maker, i)->spans[s], i};
      keys[made] = (stow_sort_pair){refs[made].span->begin, made};
    }
}

static stow_status find_pairs(struct maker *maker) {
  for (uint32_t i = 0; i < maker->count; ++i)
    maker->ref_count += block_at(maker, i)->span_count;
  const uint32_t count = maker->ref_count;
  struct span_ref *refs = STOW_TAKE(maker->memory, struct span_ref, count);
  stow_sort_pair *keys = STOW_TAKE(maker->memory, stow_sort_pair, count);
  stow_sort_pair *scratch = STOW_TAKE(maker->memory, stow_sort_pair, count);
  uint32_t *alive = STOW_TAKE(maker->memory, uint32_t, count);
  maker->refs = STOW_TAKE(maker->memory, struct span_ref, count);
  if (!refs || !keys || !scratch || !alive || !maker->refs)
    return STOW_NO_MEMORY;
  list_spans(maker, refs, keys);
  stow_sort_pairs(keys, scratch, count);
  for (uint32_t i = 0; i < count; ++i)
    maker->refs[i] = refs[keys[i].index];
  return sweep(maker, alive) ? STOW_OK : STOW_NO_MEMORY;
}

// Sorts by pair and then by the low end of what is forbidden.
static stow_status sort_intervals(struct maker *maker) {
  const uint32_t count = maker->interval_count;
  stow_sort_pair *keys = STOW_TAKE(maker->memory, stow_sort_pair, count);
  stow_sort_pair *scratch = STOW_TAKE(maker->memory, stow_sort_pair, count);
  struct interval *sorted = STOW_TAKE(maker->memory, struct interval, count);
  if (!keys || !scratch || !sorted)
    return STOW_NO_MEMORY;
  for (uint32_t i = 0; i < count; ++i)
    keys[i] = (stow_sort_pair){stow_plan_sort_signed(maker->intervals[i].low), i};
  stow_sort_pairs(keys, scratch, count);
  for (uint32_t i = 0; i < count; ++i) {
    const struct interval *interval = &maker->intervals[keys[i].index];
    keys[i].key = (uint64_t)interval->a << 32 | interval->b;
  }
  stow_sort_pairs(keys, scratch, count);
  for (uint32_t i = 0; i < count; ++i)
    sorted[i] = maker->intervals[keys[i].index];
  maker->intervals = sorted;
  return STOW_OK;
}

static bool same_pair(const struct interval *x, const struct interval *y) {
  return x->a == y->a && x->b == y->b;
}

//===----------------------------------------------------------------------===//
// Gaps
//===----------------------------------------------------------------------===//

// The gaps between the forbidden intervals of one pair, which begin at `from`. Returns where the
// next pair's begin.
static uint32_t make_pair(const struct maker *maker, uint32_t from, stow_gaps *gaps,
                          uint32_t *inout_gap_count) {
  const struct interval *first = &maker->intervals[from];
  stow_gap_pair *pair = &gaps->pairs[gaps->pair_count++];
  *pair = (stow_gap_pair){first->a, first->b, *inout_gap_count, 0};
  int64_t free_from = -STOW_FAR_AWAY;
  uint32_t at = from;
  for (; at < maker->interval_count && same_pair(first, &maker->intervals[at]); ++at) {
    const struct interval *interval = &maker->intervals[at];
    if (interval->low >= free_from)
      gaps->gaps[(*inout_gap_count)++] = (stow_gap){free_from, interval->low};
    free_from = interval->high > free_from ? interval->high : free_from;
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

static stow_status make_pairs(const struct maker *maker, stow_gaps *gaps) {
  gaps->gaps = STOW_TAKE(maker->memory, stow_gap, 2 * (size_t)maker->interval_count);
  gaps->pairs = STOW_TAKE(maker->memory, stow_gap_pair, maker->interval_count);
  gaps->first_of = STOW_TAKE_ZEROED(maker->memory, uint32_t, (size_t)maker->count + 2);
  gaps->pairs_of = STOW_TAKE(maker->memory, uint32_t, 2 * (size_t)maker->interval_count);
  if (!gaps->gaps || !gaps->pairs || !gaps->first_of || !gaps->pairs_of)
    return STOW_NO_MEMORY;
  uint32_t gap_count = 0;
  for (uint32_t at = 0; at < maker->interval_count;)
    at = make_pair(maker, at, gaps, &gap_count);
  list_by_block(maker, gaps);
  return STOW_OK;
}

static bool numbers_are_small(const struct maker *maker) {
  uint64_t sum = 0;
  for (uint32_t i = 0; i < maker->count && sum < STOW_GAPS_PAST_NUMBERS; ++i) {
    const stow_plan_block *block = block_at(maker, i);
    if (block->size >= STOW_GAPS_PAST_NUMBERS || block->alignment >= STOW_GAPS_PAST_NUMBERS)
      return false;
    sum += block->size + block->alignment;
  }
  return sum < STOW_GAPS_PAST_NUMBERS && maker->model->fixed_end < STOW_GAPS_PAST_NUMBERS;
}

stow_status stow_gaps_make(const stow_model *model, const uint32_t *blocks, uint32_t count,
                           stow_memory *memory, stow_gaps *out_gaps, bool *out_few) {
  struct maker maker = {.model = model, .blocks = blocks, .count = count, .memory = memory};
  *out_gaps = (stow_gaps){0};
  *out_few = numbers_are_small(&maker);
  if (!*out_few)
    return STOW_OK;
  stow_status status = find_pairs(&maker);
  *out_few = status == STOW_OK && are_few(&maker);
  if (*out_few)
    status = sort_intervals(&maker);
  if (*out_few && status == STOW_OK)
    status = make_pairs(&maker, out_gaps);
  return status;
}
