//===- scan.c - best fit along time ---------------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Blocks that come in order of their begin meet only those alive at that moment,
// so the arena at one moment is all there is to know. It is cut into *zones*, one
// after the other in memory: each is taken by a live block or free. Two free
// zones never touch, and the topmost zone is taken: what lies above it belongs
// to no zone and has no end. Free zones hang in a search tree as well, by length
// and then offset. The tree is a treap, its priorities a hash of the zone's
// number: balanced for every input that was not made against it, the same in
// every run.
//
//===----------------------------------------------------------------------===//

#include "fit.h"
#include "limits.h"
#include "sort.h"

#include <assert.h>

#define NONE UINT32_MAX

struct zone {
  uint64_t begin, end;
  uint32_t below, above; // neighbours in memory
  uint32_t left, right;  // children in the tree of free zones
  bool taken;
};

struct scan {
  struct zone *zones;
  uint32_t used, unused; // zones ever handed out; first of those handed back, linked by `above`
  uint32_t root, bottom, top;
};

static uint32_t new_zone(struct scan *scan) {
  const uint32_t recycled = scan->unused;
  if (recycled == NONE)
    return scan->used++;
  scan->unused = scan->zones[recycled].above;
  return recycled;
}

static void unlink_zone(struct scan *scan, uint32_t at) {
  const struct zone *zone = &scan->zones[at];
  *(zone->below == NONE ? &scan->bottom : &scan->zones[zone->below].above) = zone->above;
  *(zone->above == NONE ? &scan->top : &scan->zones[zone->above].below) = zone->below;
  scan->zones[at].above = scan->unused;
  scan->unused = at;
}

static uint32_t link_above(struct scan *scan, uint32_t below, uint64_t begin, uint64_t end,
                           bool taken) {
  const uint32_t at = new_zone(scan);
  uint32_t *const up = below == NONE ? &scan->bottom : &scan->zones[below].above;
  scan->zones[at] = (struct zone){begin, end, below, *up, NONE, NONE, taken};
  *(*up == NONE ? &scan->top : &scan->zones[*up].below) = at;
  *up = at;
  return at;
}

//===----------------------------------------------------------------------===//
// The tree of free zones
//===----------------------------------------------------------------------===//

static uint32_t priority(uint32_t at) {
  at = (at ^ (at >> 16)) * UINT32_C(0x45d9f3b);
  return (at ^ (at >> 16)) * UINT32_C(0x45d9f3b);
}

static bool precedes(const struct zone *a, const struct zone *b) {
  const uint64_t length_a = a->end - a->begin, length_b = b->end - b->begin;
  return length_a != length_b ? length_a < length_b : a->begin < b->begin;
}

// Splits the subtree at `from` into what precedes `at`, hung at its left, and the rest, at its
// right.
static void split_below(struct scan *scan, uint32_t from, uint32_t at) {
  uint32_t *left = &scan->zones[at].left, *right = &scan->zones[at].right;
  while (from != NONE) {
    if (precedes(&scan->zones[from], &scan->zones[at])) {
      *left = from;
      left = &scan->zones[from].right;
      from = *left;
    } else {
      *right = from;
      right = &scan->zones[from].left;
      from = *right;
    }
  }
  *left = *right = NONE;
}

static void tree_insert(struct scan *scan, uint32_t at) {
  uint32_t *link = &scan->root;
  while (*link != NONE && priority(*link) >= priority(at)) {
    struct zone *here = &scan->zones[*link];
    link = precedes(here, &scan->zones[at]) ? &here->right : &here->left;
  }
  const uint32_t from = *link;
  *link = at;
  split_below(scan, from, at);
}

static void tree_remove(struct scan *scan, uint32_t at) {
  uint32_t *link = &scan->root;
  while (*link != at) {
    struct zone *here = &scan->zones[*link];
    link = precedes(here, &scan->zones[at]) ? &here->right : &here->left;
  }
  uint32_t left = scan->zones[at].left, right = scan->zones[at].right;
  while (left != NONE && right != NONE) {
    if (priority(left) >= priority(right)) {
      *link = left;
      link = &scan->zones[left].right;
      left = *link;
    } else {
      *link = right;
      link = &scan->zones[right].left;
      right = *link;
    }
  }
  *link = left != NONE ? left : right;
}

// The first zone in the tree's order that is at least as long as `length` and comes after `after`.
static uint32_t tree_next(const struct scan *scan, uint64_t length, uint32_t after) {
  uint32_t found = NONE;
  for (uint32_t at = scan->root; at != NONE;) {
    const struct zone *here = &scan->zones[at];
    const bool fits =
        here->end - here->begin >= length && (after == NONE || precedes(&scan->zones[after], here));
    found = fits ? at : found;
    at = fits ? here->left : here->right;
  }
  return found;
}

//===----------------------------------------------------------------------===//
// Taking and freeing
//===----------------------------------------------------------------------===//

static bool holds(const struct zone *zone, const stow_plan_block *block) {
  uint64_t begin;
  return stow_plan_align_up(zone->begin, block->alignment, &begin) && begin <= zone->end &&
         zone->end - begin >= block->size;
}

// After a number of zones that are too short once aligned it asks for a length that fits whatever
// the alignment does.
static uint32_t find_zone(const struct scan *scan, const stow_plan_block *block) {
  uint32_t at = tree_next(scan, block->size, NONE);
  for (int misses = 0; at != NONE && misses < STOW_SCAN_MOST_MISSES; ++misses) {
    if (holds(&scan->zones[at], block))
      return at;
    at = tree_next(scan, block->size, at);
  }
  uint64_t length;
  if (at == NONE || __builtin_add_overflow(block->size, block->alignment - 1, &length))
    return NONE;
  return tree_next(scan, length, NONE);
}

static uint32_t take_zone(struct scan *scan, uint32_t at, const stow_plan_block *block) {
  const struct zone whole = scan->zones[at];
  tree_remove(scan, at);
  uint64_t begin = 0;
  (void)stow_plan_align_up(whole.begin, block->alignment, &begin);
  const uint64_t end = begin + block->size;
  const uint32_t taken = link_above(scan, at, begin, end, true);
  if (end < whole.end)
    tree_insert(scan, link_above(scan, taken, end, whole.end, false));
  scan->zones[at].end = begin;
  if (whole.begin < begin)
    tree_insert(scan, at);
  else
    unlink_zone(scan, at);
  return taken;
}

// Puts the block above all others. NONE where it would end past 64 bits.
static uint32_t take_top(struct scan *scan, const stow_plan_block *block) {
  const uint64_t top = scan->top == NONE ? 0 : scan->zones[scan->top].end;
  uint64_t begin, end;
  if (!stow_plan_align_up(top, block->alignment, &begin) ||
      __builtin_add_overflow(begin, block->size, &end))
    return NONE;
  if (top < begin)
    tree_insert(scan, link_above(scan, scan->top, top, begin, false));
  return link_above(scan, scan->top, begin, end, true);
}

// Frees the zone, joins it with its free neighbours, and lets go of what is topmost then.
static void free_zone(struct scan *scan, uint32_t at) {
  struct zone *zone = &scan->zones[at];
  zone->taken = false;
  const uint32_t below = zone->below, above = zone->above;
  if (below != NONE && !scan->zones[below].taken) {
    tree_remove(scan, below);
    zone->begin = scan->zones[below].begin;
    unlink_zone(scan, below);
  }
  if (above != NONE && !scan->zones[above].taken) {
    tree_remove(scan, above);
    zone->end = scan->zones[above].end;
    unlink_zone(scan, above);
  }
  if (zone->above == NONE)
    unlink_zone(scan, at);
  else
    tree_insert(scan, at);
}

//===----------------------------------------------------------------------===//
// The walk
//===----------------------------------------------------------------------===//

static stow_status walk(struct scan *scan, const stow_model *model, const uint32_t *order,
                        uint32_t count, const stow_sort_pair *ends, uint32_t *zone_of,
                        uint64_t *out_offsets) {
  uint32_t freed = 0;
  for (uint32_t i = 0; i < count; ++i) {
    const stow_plan_block *block = &model->blocks[order[i]];
    for (; ends[freed].key <= block->spans->begin; ++freed)
      free_zone(scan, zone_of[ends[freed].index]);
    const uint32_t free = find_zone(scan, block);
    const uint32_t at = free != NONE ? take_zone(scan, free, block) : take_top(scan, block);
    if (at == NONE)
      return STOW_OVERFLOW;
    zone_of[order[i]] = at;
    out_offsets[order[i]] = scan->zones[at].begin;
  }
  return STOW_OK;
}

stow_status stow_plan_scan_blocks(const stow_model *model, const uint32_t *order, uint32_t count,
                                  stow_memory *memory, uint64_t *out_offsets) {
  assert(model->simple && !model->has_fixed);
  stow_sort_pair *ends = STOW_TAKE(memory, stow_sort_pair, count);
  stow_sort_pair *scratch = STOW_TAKE(memory, stow_sort_pair, count);
  uint32_t *zone_of = STOW_TAKE(memory, uint32_t, model->block_count);
  struct scan scan = {.zones = STOW_TAKE(memory, struct zone, 3 * (size_t)count + 1)};
  if (!ends || !scratch || !zone_of || !scan.zones)
    return STOW_NO_MEMORY;
  scan.unused = scan.root = scan.bottom = scan.top = NONE;
  for (uint32_t i = 0; i < count; ++i)
    ends[i] = (stow_sort_pair){model->blocks[order[i]].spans->end, order[i]};
  stow_sort_pairs(ends, scratch, count);
  return walk(&scan, model, order, count, ends, zone_of, out_offsets);
}
