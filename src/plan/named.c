//===- named.c - spans whose being in the way depends on who asks ---------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Per node of the section tree two linked lists, as in occupancy.c: the spans whose
// cover has the node, and those whose cover has one below it.
//
//===----------------------------------------------------------------------===//

#include "named.h"
#include "limits.h"
#include "sort.h"

#include <string.h>

#define NO_NAMED UINT32_MAX

struct named {
  uint64_t begin, end;
  uint32_t buffer;
  uint32_t below; // the next one of the same list, or NO_NAMED
};

struct named_lists {
  uint32_t whole, part; // heads
  uint32_t count;       // of both
};

bool stow_named_start(stow_named *all, size_t node_count) {
  if (all->lists)
    return true;
  all->lists = STOW_TAKE(all->memory, struct named_lists, node_count);
  for (size_t i = 0; all->lists && i < node_count; ++i)
    all->lists[i] = (struct named_lists){NO_NAMED, NO_NAMED, 0};
  return all->lists != NULL;
}

static bool push_named(stow_named *all, uint32_t *head, struct named named) {
  if (all->span_count == all->span_capacity) {
    struct named *grown = stow_memory_grow(all->memory, all->spans, all->span_count,
                                           &all->span_capacity, sizeof named);
    if (!grown)
      return false;
    all->spans = grown;
  }
  named.below = *head;
  *head = all->span_count;
  all->spans[all->span_count++] = named;
  return true;
}

bool stow_named_add(stow_named *all, const stow_node_set *set, stow_range range, uint32_t buffer) {
  const struct named named = {range.begin, range.end, buffer, NO_NAMED};
  bool added = true;
  for (uint32_t i = 0; i < set->cover_count && added; ++i) {
    struct named_lists *lists = &all->lists[set->cover[i]];
    added = push_named(all, &lists->whole, named);
    ++lists->count;
  }
  for (uint32_t i = 0; i < set->above_count && added; ++i) {
    struct named_lists *lists = &all->lists[set->above[i]];
    added = push_named(all, &lists->part, named);
    ++lists->count;
  }
  return added;
}

bool stow_named_are_many(const stow_named *all, const stow_node_set *set) {
  uint32_t most = 0;
  for (uint32_t i = 0; i < set->cover_count; ++i)
    if (all->lists[set->cover[i]].count > most)
      most = all->lists[set->cover[i]].count;
  for (uint32_t i = 0; i < set->above_count; ++i)
    if (all->lists[set->above[i]].count > most)
      most = all->lists[set->above[i]].count;
  return most >= STOW_NAMED_MANY;
}

static bool push_met(stow_named *all, stow_range range) {
  if (all->met_count == all->met_capacity) {
    stow_range *grown =
        stow_memory_grow(all->memory, all->met, all->met_count, &all->met_capacity, sizeof range);
    if (!grown)
      return false;
    all->met = grown;
  }
  all->met[all->met_count++] = range;
  return true;
}

static bool meet_named(stow_named *all, uint32_t head, uint32_t buffer) {
  for (uint32_t at = head; at != NO_NAMED; at = all->spans[at].below) {
    const struct named *named = &all->spans[at];
    all->effort += 8;
    if (stow_plan_are_exclusive(all->relations, named->buffer, buffer))
      continue;
    if (!push_met(all, (stow_range){named->begin, named->end}))
      return false;
  }
  return true;
}

// Merges the ranges met from `first` on, which are sorted already, and returns how many remain.
static uint32_t merge_met(stow_range *met, uint32_t count) {
  uint32_t made = 0;
  for (uint32_t i = 0; i < count; ++i) {
    if (made && met[i].begin <= met[made - 1].end)
      met[made - 1].end = met[i].end > met[made - 1].end ? met[i].end : met[made - 1].end;
    else
      met[made++] = met[i];
  }
  return made;
}

static stow_status sort_met(stow_named *all, stow_range *met, uint32_t count) {
  stow_sort_pair *pairs = STOW_TAKE(all->memory, stow_sort_pair, count);
  stow_sort_pair *scratch = STOW_TAKE(all->memory, stow_sort_pair, count);
  stow_range *sorted = STOW_TAKE(all->memory, stow_range, count);
  if (!pairs || !scratch || !sorted)
    return STOW_NO_MEMORY;
  for (uint32_t i = 0; i < count; ++i)
    pairs[i] = (stow_sort_pair){met[i].begin, i};
  stow_sort_pairs(pairs, scratch, count);
  for (uint32_t i = 0; i < count; ++i)
    sorted[i] = met[pairs[i].index];
  memcpy(met, sorted, count * sizeof *met);
  stow_memory_drop(all->memory, sorted);
  stow_memory_drop(all->memory, scratch);
  stow_memory_drop(all->memory, pairs);
  return STOW_OK;
}

stow_status stow_named_meet(stow_named *all, const stow_node_set *set, const stow_plan_span *span,
                            uint32_t *out_first, uint32_t *out_count) {
  const uint32_t first = *out_first = all->met_count;
  bool good = true;
  for (uint32_t i = 0; i < set->above_count && good; ++i)
    good = meet_named(all, all->lists[set->above[i]].whole, span->buffer);
  for (uint32_t i = 0; i < set->cover_count && good; ++i)
    good = meet_named(all, all->lists[set->cover[i]].whole, span->buffer) &&
           meet_named(all, all->lists[set->cover[i]].part, span->buffer);
  const uint32_t count = all->met_count - first;
  if (!good || (count && sort_met(all, all->met + first, count) != STOW_OK))
    return STOW_NO_MEMORY;
  *out_count = count ? merge_met(all->met + first, count) : 0;
  all->met_count = first + *out_count;
  return STOW_OK;
}
