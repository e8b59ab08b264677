//===- search.c - exact search for a plan that fits -----------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Push every block of a plan down as far as it goes, again and again: the plan
// stays valid and becomes *canonical*. In a canonical plan, taken in ascending
// order of offset, every item lies at its *floor*: the lowest offset above all
// neighbours that came before it. So the search only chooses the next item; its
// offset follows. It goes through all orders, depth first, by these rules:
//
//     canonical  offsets never descend; of equal offsets ranks ascend
//     dominance  the next item lies below where any unplaced one would end at its
//                floor: otherwise that one could be pushed into the hole, and the
//                plan would not be canonical
//     load       in a clique all unplaced items lie above the lowest floor among
//                them, one above the other: floor + sum must fit
//     ceiling    floor + size of every single item must fit
//     twins      of items alike in every way, the first is placed first
//     split      where no unplaced item spans two neighbouring cliques, both sides
//                are independent: one is solved, then the other, and if one cannot
//                be, what was placed before the split is at fault, not the other
//
// Items are tried by ascending offset and then rank. The ranks are the caller's,
// or begin with the largest load the item meets among what is left to place; these
// loads are taken at the start and again for what a split sets apart.
//
// A fixed item differs in that it lies at its offset or nowhere: it can be next
// only if its floor is not above it, and it cannot be pushed into a hole.
//
// The state (partial.h) is changed in place; a trail remembers old floors. A *decision*
// is one choice: the range of cliques it chooses from, the item chosen, how far the
// trail reached before. Decisions that wait for their turn, the other sides of a
// split, form a linked list from the decision at hand.
//
//===----------------------------------------------------------------------===//

#include "search.h"
#include "limits.h"
#include "partial.h"
#include "sort.h"

#include <string.h>

#define NONE UINT32_MAX

struct key {
  uint64_t offset;
  uint32_t rank;
};

// A range of cliques that is to be solved after others; `decision` placed what separated it.
struct pending {
  uint32_t begin, end;
  uint32_t decision;
  uint32_t next; // index of another, or NONE
};

struct decision {
  uint32_t begin, end;   // cliques
  uint32_t item;         // placed now, or NONE
  uint32_t trail_length; // before it was placed
  uint32_t old_rank_count;
  uint32_t pending; // what waits behind this range
  uint32_t pending_count;
  uint32_t back;   // the decision to go back to when no choice is left, or NONE
  struct key from; // offset and rank of the item placed before in this range
  struct key at;   // of the item tried last, placed or not
  bool fresh;      // nothing tried yet
};

struct old_rank {
  uint32_t item, rank;
};

struct stow_search {
  const stow_search_task *task;
  stow_partial partial;
  uint32_t *by_begin;   // items by first clique
  uint32_t *first_from; // per clique and one more: first of by_begin that begins there or later
  uint32_t *ranks, *by_rank; // now, and items by the task's ranks
  struct old_rank *old_ranks;
  uint32_t old_rank_count;
  stow_sort_pair *pairs, *scratch;
  struct decision *decisions;
  uint32_t depth; // decisions in use
  struct pending *pendings;
  uint32_t pending_count;
  uint64_t next_poll;
};

//===----------------------------------------------------------------------===//
// Making
//===----------------------------------------------------------------------===//

static void index_by_begin(stow_search *search) {
  const stow_plan_graph *graph = search->partial.graph;
  memset(search->first_from, 0, ((size_t)graph->clique_count + 2) * sizeof(uint32_t));
  for (uint32_t i = 0; i < graph->item_count; ++i)
    ++search->first_from[graph->items[i].begin + 1];
  for (uint32_t c = 0; c < graph->clique_count; ++c)
    search->first_from[c + 1] += search->first_from[c];
  for (uint32_t i = graph->item_count; i-- > 0;) {
    const uint32_t begin = graph->items[i].begin;
    search->by_begin[--search->first_from[begin + 1]] = i;
  }
  memmove(search->first_from, search->first_from + 1, graph->clique_count * sizeof(uint32_t));
  search->first_from[graph->clique_count] = graph->item_count;
}

stow_search *stow_search_create(const stow_plan_graph *graph, stow_memory *memory) {
  const size_t items = graph->item_count, cliques = graph->clique_count;
  stow_search *search = STOW_TAKE_ZEROED(memory, stow_search, 1);
  if (!search || !stow_partial_make(&search->partial, graph, memory))
    return NULL;
  search->by_begin = STOW_TAKE(memory, uint32_t, items);
  search->first_from = STOW_TAKE(memory, uint32_t, cliques + 2);
  search->ranks = STOW_TAKE(memory, uint32_t, items);
  search->by_rank = STOW_TAKE(memory, uint32_t, items);
  search->old_ranks = STOW_TAKE(memory, struct old_rank, STOW_SEARCH_MOST_OLD_RANKS * items);
  search->pairs = STOW_TAKE(memory, stow_sort_pair, items);
  search->scratch = STOW_TAKE(memory, stow_sort_pair, items);
  search->decisions = STOW_TAKE(memory, struct decision, items + 1);
  search->pendings = STOW_TAKE(memory, struct pending, items + cliques + 1);
  if (!search->by_begin || !search->first_from || !search->ranks || !search->by_rank ||
      !search->old_ranks || !search->pairs || !search->scratch || !search->decisions ||
      !search->pendings)
    return NULL;
  index_by_begin(search);
  return search;
}

static bool has_rule(const stow_search *search, unsigned rule) {
  return (search->task->rules & rule) != 0;
}

//===----------------------------------------------------------------------===//
// Ranks
//===----------------------------------------------------------------------===//

static uint64_t largest_rest(const stow_search *search, uint32_t item) {
  const stow_plan_item *it = &search->partial.graph->items[item];
  uint64_t largest = 0;
  for (uint32_t m = it->first_member; m < it->past_member; ++m) {
    const uint64_t rest = search->partial.rests[search->partial.graph->members[m].clique];
    largest = rest > largest ? rest : largest;
  }
  return largest;
}

static void set_rank(stow_search *search, uint32_t item, uint32_t rank) {
  search->old_ranks[search->old_rank_count++] = (struct old_rank){item, search->ranks[item]};
  search->ranks[item] = rank;
}

// Ranks what is unplaced in a range of cliques by its largest load, ties by the task's ranks.
static void rank_by_load(stow_search *search, uint32_t begin, uint32_t end) {
  const stow_plan_graph *graph = search->partial.graph;
  uint32_t count = 0;
  for (uint32_t i = 0; i < graph->item_count; ++i) {
    const uint32_t item = search->by_rank[i];
    if (!search->partial.placed[item] && graph->items[item].begin >= begin &&
        graph->items[item].end <= end)
      search->pairs[count++] = (stow_sort_pair){~largest_rest(search, item), item};
  }
  search->partial.effort += graph->item_count + 8 * count;
  if (search->old_rank_count + count > STOW_SEARCH_MOST_OLD_RANKS * graph->item_count)
    return;
  stow_sort_pairs(search->pairs, search->scratch, count);
  for (uint32_t i = 0; i < count; ++i)
    set_rank(search, search->pairs[i].index, i);
}

static void restore_ranks(stow_search *search, uint32_t count) {
  while (search->old_rank_count > count) {
    const struct old_rank *old = &search->old_ranks[--search->old_rank_count];
    search->ranks[old->item] = old->rank;
  }
}

//===----------------------------------------------------------------------===//
// Choosing
//===----------------------------------------------------------------------===//

static bool precedes(const struct key *a, const struct key *b) {
  return a->offset != b->offset ? a->offset < b->offset : a->rank < b->rank;
}

// Whether an item may come next after `from`. Rank NONE stands below all ranks.
static bool may_follow(const struct key *from, const struct key *at) {
  return from->rank == NONE ? from->offset <= at->offset : precedes(from, at);
}

// Where an unplaced item would end at its floor: no choice may lie there or above, for the item
// would fit below it.
static uint64_t dominance_limit(const stow_search *search, uint32_t item) {
  const stow_plan_item *it = &search->partial.graph->items[item];
  uint64_t end;
  return stow_plan_is_free(it) &&
                 !__builtin_add_overflow(search->partial.floors[item], it->size, &end)
             ? end
             : UINT64_MAX;
}

static bool is_choice(const stow_search *search, const struct decision *decision, uint32_t item,
                      struct key *out_at) {
  uint64_t offset;
  if (!stow_partial_offset(&search->partial, item, &offset))
    return false;
  *out_at = (struct key){offset, search->ranks[item]};
  if (has_rule(search, STOW_RULE_CANONICAL) && !may_follow(&decision->from, out_at))
    return false;
  const uint32_t twin = search->partial.graph->items[item].twin;
  return !has_rule(search, STOW_RULE_TWINS) || twin == item || search->partial.placed[twin];
}

// The next item to try, or NONE: of all choices the one with the least key above the last tried. If
// that one lies too high, so do all.
static uint32_t next_choice(stow_search *search, const struct decision *decision,
                            struct key *out_at) {
  const uint32_t first = search->first_from[decision->begin],
                 past = search->first_from[decision->end];
  const bool dominance = has_rule(search, STOW_RULE_DOMINANCE);
  uint64_t limit = UINT64_MAX;
  uint32_t best = NONE;
  for (uint32_t i = first; i < past; ++i) {
    const uint32_t item = search->by_begin[i];
    struct key at;
    if (search->partial.placed[item])
      continue;
    const uint64_t end = dominance ? dominance_limit(search, item) : UINT64_MAX;
    limit = end < limit ? end : limit;
    if (!is_choice(search, decision, item, &at) ||
        (!decision->fresh && !precedes(&decision->at, &at)) ||
        (best != NONE && !precedes(&at, out_at)))
      continue;
    best = item;
    *out_at = at;
  }
  search->partial.effort += 2 * (past - first);
  return best != NONE && out_at->offset < limit ? best : NONE;
}

// Whether every clique of the range can still hold what is left of it.
static bool loads_fit(stow_search *search, const struct decision *decision, uint64_t offset) {
  if (!has_rule(search, STOW_RULE_CANONICAL))
    offset = 0;
  const uint64_t capacity = search->task->capacity;
  bool fit = true;
  for (uint32_t c = decision->begin; c < decision->end; ++c) {
    const uint64_t lowest = search->partial.lowest[c] > offset ? search->partial.lowest[c] : offset;
    fit &= search->partial.rests[c] == 0 ||
           (lowest <= capacity && search->partial.rests[c] <= capacity - lowest);
  }
  search->partial.effort += (decision->end - decision->begin) / 4;
  return fit;
}

//===----------------------------------------------------------------------===//
// Decisions
//===----------------------------------------------------------------------===//

static void push_decision(stow_search *search, uint32_t begin, uint32_t end, struct key from,
                          uint32_t pending, uint32_t back) {
  search->decisions[search->depth++] =
      (struct decision){.begin = begin,
                        .end = end,
                        .item = NONE,
                        .trail_length = search->partial.trail_length,
                        .old_rank_count = search->old_rank_count,
                        .pending = pending,
                        .pending_count = search->pending_count,
                        .back = back,
                        .from = from,
                        .fresh = true};
}

static bool has_unplaced(const stow_search *search, uint32_t begin, uint32_t end) {
  const uint32_t past = search->first_from[end];
  for (uint32_t i = search->first_from[begin]; i < past; ++i)
    if (!search->partial.placed[search->by_begin[i]])
      return true;
  return false;
}

// Cuts the range of the decision at hand where nothing unplaced spans two cliques, and puts all
// parts in front of what waits already. Returns the new front.
static uint32_t split(stow_search *search, const struct decision *decision, uint32_t index) {
  uint32_t front = decision->pending;
  const bool may_split = has_rule(search, STOW_RULE_SPLIT);
  for (uint32_t end = decision->end; end > decision->begin;) {
    uint32_t begin = end - 1;
    while (begin > decision->begin && (!may_split || search->partial.crossing[begin]))
      --begin;
    if (has_unplaced(search, begin, end)) {
      if (search->task->by_load && (begin != decision->begin || end != decision->end))
        rank_by_load(search, begin, end);
      search->pendings[search->pending_count] = (struct pending){begin, end, index, front};
      front = search->pending_count++;
    }
    end = begin;
  }
  search->partial.effort += (decision->end - decision->begin) / 2;
  return front;
}

// After a placement that holds: opens the next decision. Returns false when all is placed.
static bool advance(stow_search *search) {
  const uint32_t index = search->depth - 1;
  const struct decision *decision = &search->decisions[index];
  const uint32_t front = split(search, decision, index);
  if (front == NONE)
    return false;
  const struct pending *next = &search->pendings[front];
  struct key from = search->decisions[next->decision].at;
  if (next->begin != decision->begin || next->end != decision->end)
    from.rank = NONE; // ranks have changed, or come from another range
  push_decision(search, next->begin, next->end, from, next->next, next->decision);
  return true;
}

static void undo_decision(stow_search *search, struct decision *decision) {
  if (decision->item == NONE)
    return;
  stow_partial_take_back(&search->partial, decision->item, decision->trail_length);
  restore_ranks(search, decision->old_rank_count);
  search->pending_count = decision->pending_count;
  decision->item = NONE;
}

// Tries the next choice of the topmost decision. Returns false where it has none left.
static bool try_next(stow_search *search, bool *out_holds) {
  struct decision *decision = &search->decisions[search->depth - 1];
  struct key at;
  const uint32_t item = next_choice(search, decision, &at);
  if (item == NONE)
    return false;
  decision->fresh = false;
  decision->at = at;
  decision->item = item;
  *out_holds = stow_partial_place(&search->partial, item, at.offset) &&
               stow_partial_ends_below(&search->partial, item, at.offset);
  if (*out_holds && has_rule(search, STOW_RULE_LOAD))
    *out_holds = loads_fit(search, decision, at.offset);
  if (!*out_holds)
    undo_decision(search, decision);
  return true;
}

//===----------------------------------------------------------------------===//
// The search
//===----------------------------------------------------------------------===//

static void reset(stow_search *search, const stow_search_task *task) {
  const stow_plan_graph *graph = search->partial.graph;
  search->task = task;
  search->next_poll = 0;
  search->depth = search->pending_count = search->old_rank_count = 0;
  stow_partial_reset(&search->partial, task->capacity, has_rule(search, STOW_RULE_CEILING));
  for (uint32_t i = 0; i < graph->item_count; ++i)
    search->by_rank[task->ranks[i]] = i;
  memcpy(search->ranks, task->ranks, graph->item_count * sizeof *search->ranks);
  if (task->by_load)
    rank_by_load(search, 0, graph->clique_count);
  search->old_rank_count = 0;
}

static bool must_stop(stow_search *search) {
  const stow_search_task *task = search->task;
  if (search->partial.effort > task->max_effort ||
      (task->stop && atomic_load_explicit(task->stop, memory_order_relaxed)))
    return true;
  if (!task->poll || search->partial.effort < search->next_poll)
    return false;
  search->next_poll = search->partial.effort + STOW_SEARCH_POLL_INTERVAL;
  return task->poll(task->poll_user, search->partial.effort);
}

// Takes back decisions down to the one at fault for the dead end, and its choice. False at the
// root.
static bool retreat(stow_search *search) {
  const uint32_t back = search->decisions[search->depth - 1].back;
  if (back == NONE)
    return false;
  while (search->depth > back + 1)
    undo_decision(search, &search->decisions[--search->depth]);
  undo_decision(search, &search->decisions[back]);
  return true;
}

static stow_verdict explore(stow_search *search) {
  const struct key start = {0, NONE};
  push_decision(search, 0, search->partial.graph->clique_count, start, NONE, NONE);
  while (!must_stop(search)) {
    bool holds;
    if (!try_next(search, &holds)) {
      if (!retreat(search))
        return STOW_VERDICT_IMPOSSIBLE;
    } else if (holds && !advance(search)) {
      return STOW_VERDICT_FITS;
    }
  }
  return STOW_VERDICT_OPEN;
}

stow_verdict stow_search_run(stow_search *search, const stow_search_task *task,
                             uint64_t *out_offsets, uint64_t *out_effort) {
  reset(search, task);
  const stow_verdict verdict =
      search->partial.graph->item_count ? explore(search) : STOW_VERDICT_FITS;
  if (verdict == STOW_VERDICT_FITS)
    memcpy(out_offsets, search->partial.floors,
           search->partial.graph->item_count * sizeof *out_offsets);
  *out_effort = search->partial.effort;
  return verdict;
}
