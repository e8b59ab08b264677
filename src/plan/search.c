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
// The state is changed in place; a trail remembers old floors. A *frame* is one
// choice: the range of cliques it chooses from, the item chosen, how far the
// trail reached before. Frames that wait for their turn, the other sides of a
// split, form a linked list from the frame at hand.
//
//===----------------------------------------------------------------------===//

#include "search.h"
#include "sort.h"

#include <assert.h>
#include <string.h>

#define NONE UINT32_MAX

struct key {
  uint64_t offset;
  uint32_t rank;
};

// A range of cliques that is to be solved after others; `frame` placed what separated it.
struct pending {
  uint32_t begin, end;
  uint32_t frame;
  uint32_t next; // index of another, or NONE
};

struct frame {
  uint32_t begin, end;   // cliques
  uint32_t item;         // placed now, or NONE
  uint32_t trail_length; // before it was placed
  uint32_t old_rank_count;
  uint32_t pending; // what waits behind this range
  uint32_t pending_count;
  uint32_t back;   // the frame to go back to when no choice is left, or NONE
  struct key from; // offset and rank of the item placed before in this range
  struct key at;   // of the item tried last, placed or not
  bool fresh;      // nothing tried yet
};

struct trail_entry {
  uint32_t item;
  uint64_t floor;
};

struct old_rank {
  uint32_t item, rank;
};

// Room for old ranks, per item. When it is used up, ranks stay as they are.
enum { OLD_RANKS_PER_ITEM = 32 };

// Steps between two questions whether to stop.
enum { POLL_INTERVAL = 1 << 21 };

struct stow_search {
  const stow_graph *graph;
  const stow_search_task *task;
  uint64_t *floors;   // per item: lowest offset above its placed neighbours; the offset once placed
  uint64_t *rests;    // per clique: heights of its unplaced items
  uint64_t *lowest;   // per clique: least floor of its unplaced items
  uint32_t *witness;  // per clique: an unplaced item with that floor, or NONE
  uint32_t *crossing; // per clique: unplaced items that are also in the one before it
  unsigned char *placed, *dirty; // per item; per clique
  uint32_t *by_begin;            // items by first clique
  uint32_t *first_from; // per clique and one more: first of by_begin that begins there or later
  uint32_t *dirty_list;
  uint32_t dirty_count;
  struct trail_entry *trail;
  uint32_t trail_length;
  uint32_t *ranks, *by_rank; // now, and items by the task's ranks
  struct old_rank *old_ranks;
  uint32_t old_rank_count;
  stow_sort_pair *pairs, *scratch;
  struct frame *frames;
  uint32_t depth; // frames in use
  struct pending *pendings;
  uint32_t pending_count;
  uint64_t effort, next_poll;
};

//===----------------------------------------------------------------------===//
// Making
//===----------------------------------------------------------------------===//

static void index_by_begin(stow_search *search) {
  const stow_graph *graph = search->graph;
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

stow_search *stow_search_create(const stow_graph *graph, stow_memory *memory) {
  const size_t items = graph->item_count, cliques = graph->clique_count;
  size_t edges = 0;
  for (size_t i = 0; i < items; ++i)
    edges += graph->items[i].past_edge - graph->items[i].first_edge;
  stow_search *search = STOW_TAKE_ZEROED(memory, stow_search, 1);
  if (!search)
    return NULL;
  search->graph = graph;
  search->floors = STOW_TAKE(memory, uint64_t, items);
  search->rests = STOW_TAKE(memory, uint64_t, cliques);
  search->lowest = STOW_TAKE(memory, uint64_t, cliques);
  search->crossing = STOW_TAKE(memory, uint32_t, cliques);
  search->placed = STOW_TAKE(memory, unsigned char, items);
  search->dirty = STOW_TAKE_ZEROED(memory, unsigned char, cliques);
  search->by_begin = STOW_TAKE(memory, uint32_t, items);
  search->first_from = STOW_TAKE(memory, uint32_t, cliques + 2);
  search->dirty_list = STOW_TAKE(memory, uint32_t, cliques);
  search->trail = STOW_TAKE(memory, struct trail_entry, edges / 2 + items);
  search->witness = STOW_TAKE(memory, uint32_t, cliques);
  search->ranks = STOW_TAKE(memory, uint32_t, items);
  search->by_rank = STOW_TAKE(memory, uint32_t, items);
  search->old_ranks = STOW_TAKE(memory, struct old_rank, OLD_RANKS_PER_ITEM * items);
  search->pairs = STOW_TAKE(memory, stow_sort_pair, items);
  search->scratch = STOW_TAKE(memory, stow_sort_pair, items);
  search->frames = STOW_TAKE(memory, struct frame, items + 1);
  search->pendings = STOW_TAKE(memory, struct pending, items + cliques + 1);
  if (!search->floors || !search->rests || !search->lowest || !search->crossing ||
      !search->placed || !search->dirty || !search->by_begin || !search->first_from ||
      !search->dirty_list || !search->witness || !search->ranks || !search->by_rank ||
      !search->old_ranks || !search->pairs || !search->scratch || !search->trail ||
      !search->frames || !search->pendings)
    return NULL;
  index_by_begin(search);
  return search;
}

//===----------------------------------------------------------------------===//
// Bookkeeping of cliques
//===----------------------------------------------------------------------===//

// Floors only rise while items are placed, so the first one found that is no higher than the last
// least floor is the new least.
static void refresh_lowest(stow_search *search, uint32_t clique) {
  const stow_graph *graph = search->graph;
  const uint64_t last = search->lowest[clique];
  const uint32_t first = graph->clique_first[clique], past = graph->clique_past[clique];
  uint64_t lowest = UINT64_MAX;
  uint32_t witness = NONE, at = first;
  for (; at < past && (witness == NONE || lowest > last); ++at) {
    const uint32_t item = graph->clique_items[at];
    if (search->placed[item] || search->floors[item] >= lowest)
      continue;
    lowest = search->floors[item];
    witness = item;
  }
  search->lowest[clique] = lowest;
  search->witness[clique] = witness;
  search->effort += (at - first) / 2 + 1;
}

static void mark_dirty(stow_search *search, uint32_t clique) {
  if (search->dirty[clique])
    return;
  search->dirty[clique] = 1;
  search->dirty_list[search->dirty_count++] = clique;
}

// Marks the cliques whose least floor was seen in the item.
static void mark_where_witness(stow_search *search, uint32_t item) {
  const stow_item *it = &search->graph->items[item];
  for (uint32_t m = it->first_member; m < it->past_member; ++m) {
    const uint32_t clique = search->graph->members[m].clique;
    if (search->witness[clique] == item)
      mark_dirty(search, clique);
  }
  search->effort += (it->past_member - it->first_member) / 2;
}

static void lower_where_lowest(stow_search *search, uint32_t item) {
  const stow_item *it = &search->graph->items[item];
  const uint64_t floor = search->floors[item];
  for (uint32_t m = it->first_member; m < it->past_member; ++m) {
    const stow_member *member = &search->graph->members[m];
    if (!member->height || floor >= search->lowest[member->clique])
      continue;
    search->lowest[member->clique] = floor;
    search->witness[member->clique] = item;
  }
  search->effort += (it->past_member - it->first_member) / 2;
}

static void refresh_dirty(stow_search *search) {
  while (search->dirty_count) {
    const uint32_t clique = search->dirty_list[--search->dirty_count];
    search->dirty[clique] = 0;
    refresh_lowest(search, clique);
  }
}

static void count_item(stow_search *search, uint32_t item, bool unplaced) {
  const stow_item *it = &search->graph->items[item];
  for (uint32_t m = it->first_member; m < it->past_member; ++m) {
    const stow_member *member = &search->graph->members[m];
    if (unplaced)
      search->rests[member->clique] += member->height;
    else
      search->rests[member->clique] -= member->height;
  }
  for (uint32_t c = it->begin + 1; c < it->end; ++c)
    search->crossing[c] += unplaced ? 1 : UINT32_MAX;
  search->effort += it->past_member - it->first_member;
}

//===----------------------------------------------------------------------===//
// Placing and taking back
//===----------------------------------------------------------------------===//

static bool has_rule(const stow_search *search, unsigned rule) {
  return (search->task->rules & rule) != 0;
}

static bool is_free(const stow_item *item) { return item->fixed == STOW_ANY_OFFSET; }

// Where the item would lie if it were next. False where it cannot lie anywhere.
static bool offset_of(const stow_search *search, uint32_t item, uint64_t *out_offset) {
  const stow_item *it = &search->graph->items[item];
  *out_offset = is_free(it) ? search->floors[item] : it->fixed;
  return is_free(it) || search->floors[item] <= it->fixed;
}

static bool ends_below(const stow_search *search, uint32_t item, uint64_t offset) {
  return offset <= search->task->capacity - search->graph->items[item].size;
}

static bool fits_below_ceiling(const stow_search *search, uint32_t item) {
  uint64_t offset;
  return offset_of(search, item, &offset) && ends_below(search, item, offset);
}

static bool raise_floor(stow_search *search, uint32_t item, uint64_t least) {
  const stow_item *it = &search->graph->items[item];
  uint64_t floor;
  if (!stow_align_up(least, it->alignment, &floor))
    floor = UINT64_MAX;
  if (floor <= search->floors[item])
    return true;
  search->trail[search->trail_length++] = (struct trail_entry){item, search->floors[item]};
  mark_where_witness(search, item);
  search->floors[item] = floor;
  return !has_rule(search, STOW_RULE_CEILING) || fits_below_ceiling(search, item);
}

// Places the item at `offset` and raises its neighbours. Returns false where one of them no longer
// fits; the change is complete all the same.
static bool place(stow_search *search, uint32_t item, uint64_t offset) {
  const stow_graph *graph = search->graph;
  const stow_item *it = &graph->items[item];
  search->trail[search->trail_length++] = (struct trail_entry){item, search->floors[item]};
  mark_where_witness(search, item);
  search->floors[item] = offset;
  search->placed[item] = 1;
  count_item(search, item, false);
  bool fits = true;
  for (uint32_t e = it->first_edge; e < it->past_edge; ++e)
    if (!search->placed[graph->edges[e].to])
      fits &= raise_floor(search, graph->edges[e].to, offset + graph->edges[e].rise);
  search->effort += it->past_edge - it->first_edge;
  return fits;
}

static void take_back(stow_search *search, const struct frame *frame) {
  search->placed[frame->item] = 0;
  count_item(search, frame->item, true);
  while (search->trail_length > frame->trail_length) {
    const struct trail_entry *entry = &search->trail[--search->trail_length];
    search->floors[entry->item] = entry->floor;
    lower_where_lowest(search, entry->item);
  }
}

//===----------------------------------------------------------------------===//
// Ranks
//===----------------------------------------------------------------------===//

static uint64_t largest_rest(const stow_search *search, uint32_t item) {
  const stow_item *it = &search->graph->items[item];
  uint64_t largest = 0;
  for (uint32_t m = it->first_member; m < it->past_member; ++m) {
    const uint64_t rest = search->rests[search->graph->members[m].clique];
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
  const stow_graph *graph = search->graph;
  uint32_t count = 0;
  for (uint32_t i = 0; i < graph->item_count; ++i) {
    const uint32_t item = search->by_rank[i];
    if (!search->placed[item] && graph->items[item].begin >= begin && graph->items[item].end <= end)
      search->pairs[count++] = (stow_sort_pair){~largest_rest(search, item), item};
  }
  search->effort += graph->item_count + 8 * count;
  if (search->old_rank_count + count > OLD_RANKS_PER_ITEM * graph->item_count)
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

// No choice may lie at this offset or above: an unplaced item would fit below it.
static uint64_t dominance_limit(const stow_search *search, const struct frame *frame) {
  uint64_t limit = UINT64_MAX;
  if (!has_rule(search, STOW_RULE_DOMINANCE))
    return limit;
  const uint32_t past = search->first_from[frame->end];
  for (uint32_t i = search->first_from[frame->begin]; i < past; ++i) {
    const uint32_t item = search->by_begin[i];
    const stow_item *it = &search->graph->items[item];
    uint64_t end;
    if (search->placed[item] || !is_free(it) ||
        __builtin_add_overflow(search->floors[item], it->size, &end))
      continue;
    limit = end < limit ? end : limit;
  }
  return limit;
}

static bool is_choice(const stow_search *search, const struct frame *frame, uint32_t item,
                      uint64_t limit, struct key *out_at) {
  uint64_t offset;
  if (search->placed[item] || !offset_of(search, item, &offset) || offset >= limit)
    return false;
  *out_at = (struct key){offset, search->ranks[item]};
  if (has_rule(search, STOW_RULE_CANONICAL) && !may_follow(&frame->from, out_at))
    return false;
  const uint32_t twin = search->graph->items[item].twin;
  return !has_rule(search, STOW_RULE_TWINS) || twin == item || search->placed[twin];
}

// The next item to try, or NONE: of all choices the one with the least key above the last tried.
static uint32_t next_choice(stow_search *search, const struct frame *frame, struct key *out_at) {
  const uint64_t limit = dominance_limit(search, frame);
  const uint32_t first = search->first_from[frame->begin], past = search->first_from[frame->end];
  uint32_t best = NONE;
  for (uint32_t i = first; i < past; ++i) {
    const uint32_t item = search->by_begin[i];
    struct key at;
    if (!is_choice(search, frame, item, limit, &at) ||
        (!frame->fresh && !precedes(&frame->at, &at)) || (best != NONE && !precedes(&at, out_at)))
      continue;
    best = item;
    *out_at = at;
  }
  search->effort += 2 * (past - first);
  return best;
}

// Whether every clique of the range can still hold what is left of it.
static bool loads_fit(stow_search *search, const struct frame *frame, uint64_t offset) {
  if (!has_rule(search, STOW_RULE_CANONICAL))
    offset = 0;
  const uint64_t capacity = search->task->capacity;
  bool fit = true;
  for (uint32_t c = frame->begin; c < frame->end; ++c) {
    const uint64_t lowest = search->lowest[c] > offset ? search->lowest[c] : offset;
    fit &= search->rests[c] == 0 || (lowest <= capacity && search->rests[c] <= capacity - lowest);
  }
  search->effort += (frame->end - frame->begin) / 4;
  return fit;
}

//===----------------------------------------------------------------------===//
// Frames
//===----------------------------------------------------------------------===//

static void push_frame(stow_search *search, uint32_t begin, uint32_t end, struct key from,
                       uint32_t pending, uint32_t back) {
  search->frames[search->depth++] = (struct frame){.begin = begin,
                                                   .end = end,
                                                   .item = NONE,
                                                   .trail_length = search->trail_length,
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
    if (!search->placed[search->by_begin[i]])
      return true;
  return false;
}

// Cuts the range of the frame at hand where nothing unplaced spans two cliques, and puts all parts
// in front of what waits already. Returns the new front.
static uint32_t split(stow_search *search, const struct frame *frame, uint32_t index) {
  uint32_t front = frame->pending;
  const bool may_cut = has_rule(search, STOW_RULE_SPLIT);
  for (uint32_t end = frame->end; end > frame->begin;) {
    uint32_t begin = end - 1;
    while (begin > frame->begin && (!may_cut || search->crossing[begin]))
      --begin;
    if (has_unplaced(search, begin, end)) {
      if (search->task->by_load && (begin != frame->begin || end != frame->end))
        rank_by_load(search, begin, end);
      search->pendings[search->pending_count] = (struct pending){begin, end, index, front};
      front = search->pending_count++;
    }
    end = begin;
  }
  search->effort += (frame->end - frame->begin) / 2;
  return front;
}

// After a placement that holds: opens the next frame. Returns false when all is placed.
static bool advance(stow_search *search) {
  const uint32_t index = search->depth - 1;
  const struct frame *frame = &search->frames[index];
  const uint32_t front = split(search, frame, index);
  if (front == NONE)
    return false;
  const struct pending *next = &search->pendings[front];
  struct key from = search->frames[next->frame].at;
  if (next->begin != frame->begin || next->end != frame->end)
    from.rank = NONE; // ranks have changed, or come from another range
  push_frame(search, next->begin, next->end, from, next->next, next->frame);
  return true;
}

static void undo_frame(stow_search *search, struct frame *frame) {
  if (frame->item == NONE)
    return;
  take_back(search, frame);
  restore_ranks(search, frame->old_rank_count);
  search->pending_count = frame->pending_count;
  frame->item = NONE;
}

// Tries the next choice of the topmost frame. Returns false where it has none left.
static bool try_next(stow_search *search, bool *out_holds) {
  struct frame *frame = &search->frames[search->depth - 1];
  struct key at;
  const uint32_t item = next_choice(search, frame, &at);
  if (item == NONE)
    return false;
  frame->fresh = false;
  frame->at = at;
  frame->item = item;
  *out_holds = place(search, item, at.offset) && ends_below(search, item, at.offset);
  refresh_dirty(search);
  if (*out_holds && has_rule(search, STOW_RULE_LOAD))
    *out_holds = loads_fit(search, frame, at.offset);
  if (!*out_holds)
    undo_frame(search, frame);
  return true;
}

//===----------------------------------------------------------------------===//
// The search
//===----------------------------------------------------------------------===//

static void reset(stow_search *search, const stow_search_task *task) {
  const stow_graph *graph = search->graph;
  search->task = task;
  search->effort = search->next_poll = 0;
  search->depth = search->trail_length = search->pending_count = search->old_rank_count = 0;
  memset(search->floors, 0, graph->item_count * sizeof *search->floors);
  memset(search->placed, 0, graph->item_count);
  memset(search->rests, 0, graph->clique_count * sizeof *search->rests);
  memset(search->crossing, 0, graph->clique_count * sizeof *search->crossing);
  for (uint32_t i = 0; i < graph->item_count; ++i)
    count_item(search, i, true);
  memset(search->lowest, 0, graph->clique_count * sizeof *search->lowest);
  for (uint32_t c = 0; c < graph->clique_count; ++c)
    refresh_lowest(search, c);
  for (uint32_t i = 0; i < graph->item_count; ++i)
    search->by_rank[task->ranks[i]] = i;
  memcpy(search->ranks, task->ranks, graph->item_count * sizeof *search->ranks);
  if (task->by_load)
    rank_by_load(search, 0, graph->clique_count);
  search->old_rank_count = 0;
}

static bool must_stop(stow_search *search) {
  const stow_search_task *task = search->task;
  if (search->effort > task->max_effort ||
      (task->stop && atomic_load_explicit(task->stop, memory_order_relaxed)))
    return true;
  if (!task->poll || search->effort < search->next_poll)
    return false;
  search->next_poll = search->effort + POLL_INTERVAL;
  return task->poll(task->poll_user, search->effort);
}

// Takes back frames down to the one at fault for the dead end, and its choice. False at the root.
static bool retreat(stow_search *search) {
  const uint32_t back = search->frames[search->depth - 1].back;
  if (back == NONE)
    return false;
  while (search->depth > back + 1)
    undo_frame(search, &search->frames[--search->depth]);
  undo_frame(search, &search->frames[back]);
  return true;
}

static stow_verdict explore(stow_search *search) {
  const struct key start = {0, NONE};
  push_frame(search, 0, search->graph->clique_count, start, NONE, NONE);
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
  const stow_verdict verdict = search->graph->item_count ? explore(search) : STOW_VERDICT_FITS;
  if (verdict == STOW_VERDICT_FITS)
    memcpy(out_offsets, search->floors, search->graph->item_count * sizeof *out_offsets);
  *out_effort = search->effort;
  return verdict;
}
