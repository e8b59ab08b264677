//===- exclusive.c - buffers that never are needed together ----------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires ranges of lives by name. Computes pairs of buffers whose lives meet, but only by names
// that may be either: where one is touched, the other one is not needed. A budget bounds the work;
// where it is spent, no more pairs are found.
//
//===----------------------------------------------------------------------===//

#include "ir/ranges.h"

#include "ir/index.h"
#include "ir/limits.h"

#include <stdlib.h>

//===----------------------------------------------------------------------===//
// One pair
//===----------------------------------------------------------------------===//

static bool buffer_lives_in(const stow_ranges *r, int32_t alloc, const stow_name_mention *where) {
  for (size_t i = r->first_piece[alloc]; i < r->first_piece[alloc + 1]; ++i)
    if (r->pieces.at[i].begin < where->end && where->begin < r->pieces.at[i].end)
      return true;
  return false;
}

static bool name_lives_in(const stow_ranges *r, int32_t name, const stow_name_mention *where) {
  const stow_span *spans = r->spans.at + r->first_span[name];
  size_t first = stow_ir_first_from(STOW_COLUMN(spans, r->span_count[name], end), where->begin + 1);
  return first < r->span_count[name] && spans[first].begin < where->end;
}

// Whether `alloc` is live at `where` by another name than `touched`, or by a token, which may stand
// for several buffers at once.
static bool is_disturbed(const stow_flow *flow, const stow_ranges *r, int32_t alloc,
                         int32_t touched, const stow_name_mention *where) {
  if (!buffer_lives_in(r, alloc, where))
    return false;
  bool one = !flow->values.at[touched].token;
  for (int32_t n = r->first_name[alloc]; n < r->first_name[alloc + 1]; ++n)
    if (!(one && r->alloc_names.at[n] == touched) && name_lives_in(r, r->alloc_names.at[n], where))
      return true;
  return false;
}

// Whether some touch of `toucher` meets a life of `alloc`, or may, as the budget is spent.
static bool disturbs(const stow_flow *flow, stow_ranges *r, int32_t toucher, int32_t alloc) {
  for (int32_t n = r->first_name[toucher]; n < r->first_name[toucher + 1]; ++n) {
    int32_t name = r->alloc_names.at[n];
    for (int32_t m = r->names.first[name]; m < r->names.first[name + 1]; ++m) {
      r->budget -= 1 + r->first_name[alloc + 1] - r->first_name[alloc];
      const stow_name_mention *mention = &r->names.mentions[m];
      if (r->budget <= 0 || (mention->touches && is_disturbed(flow, r, alloc, name, mention)))
        return true;
    }
  }
  return false;
}

//===----------------------------------------------------------------------===//
// All pairs
//===----------------------------------------------------------------------===//

// By name: the allocs that it may stand for, -1 for one that is not wanted.
static stow_index sharers_of(const stow_flow *flow, const stow_ranges *r, const bool *wanted) {
  int32_t *alloc = stow_ir_allocate(r->alloc_names.count, sizeof *alloc); // of each of alloc_names
  for (size_t a = 0; a < flow->allocs.count; ++a)
    for (int32_t n = r->first_name[a]; n < r->first_name[a + 1]; ++n)
      alloc[n] = wanted[a] ? (int32_t)a : -1;
  stow_index sharers =
      stow_index_of(STOW_NUMBERS(r->alloc_names.at, r->alloc_names.count), flow->values.count);
  for (size_t i = 0; i < r->alloc_names.count; ++i)
    sharers.items[i] = alloc[sharers.items[i]];
  free(alloc);
  return sharers;
}

STOW_BY_FIELDS(compare_pairs, stow_pair, first, second)

// All pairs with a name in common, once each.
static stow_pairs candidates(const stow_flow *flow, const stow_index *sharers, int64_t *budget) {
  stow_pairs found = {0};
  for (size_t v = 0; v < flow->values.count; ++v) {
    int32_t begin = sharers->first[v], end = sharers->first[v + 1];
    const int32_t *allocs = sharers->items;
    for (int32_t i = begin; i < end && end - begin <= STOW_EXCLUSIVE_MOST_SHARERS && *budget > 0;
         ++i)
      for (int32_t j = i + 1; j < end; ++j) {
        *budget -= STOW_EXCLUSIVE_STEPS_PER_PAIR;
        if (allocs[i] < 0 || allocs[j] < 0)
          continue;
        STOW_PUSH(found, (stow_pair){allocs[i], allocs[j]});
      }
  }
  STOW_SORT_UNIQUE(found, compare_pairs);
  return found;
}

stow_pairs stow_ir_exclusive_pairs(const stow_flow *flow, stow_ranges *r, const bool *wanted) {
  stow_index sharers = sharers_of(flow, r, wanted);
  stow_pairs pairs = candidates(flow, &sharers, &r->budget);
  size_t kept = 0;
  for (size_t i = 0; i < pairs.count && r->budget > 0; ++i) {
    stow_pair pair = pairs.at[i];
    if (stow_ranges_meet(r, pair.first, pair.second) &&
        !disturbs(flow, r, pair.first, pair.second) && !disturbs(flow, r, pair.second, pair.first))
      pairs.at[kept++] = pair;
  }
  pairs.count = kept;
  stow_index_free(&sharers);
  return pairs;
}
