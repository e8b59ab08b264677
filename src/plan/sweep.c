//===- sweep.c - a search for plans along time ----------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// At every moment the items that are alive and *holes*, which stay empty, fill the
// capacity. From one clique to the next some items end and others begin. Where
// nothing stays empty, those that begin take the bytes of those that ended: so these
// fall into *matches*, old pieces that were neighbours and new ones of the same
// height together. Which orders all this leaves is kept as a PQ-tree (pq_tree.h),
// without deciding for one: what must lie beside what shows later, when it ends.
//
// A hole is a piece like any other, but for three things. It begins where the slack
// rises and ends where it falls, or takes part in any change besides; its height is
// what a match lacks; and while it lies it may be split, when only a part of it ends.
//
// What becomes of the holes, and which matches there are, is guessed, by chance and
// the few pieces involved. The first guess in which all is matched is taken, and the
// next clique looked at. After a dead end the search goes back: after the n-th since it
// last came further than before, by as many cliques as the largest power of two that
// divides n. So what was guessed shortly before is tried anew often, and what was
// guessed long before sometimes, with no more work for the one than for the other.
// After some dead ends it begins anew, from the other end of time.
//
//===----------------------------------------------------------------------===//

#include "sweep.h"
#include "limits.h"
#include "pq_tree.h"
#include "random.h"
#include "skyline.h"

#include <string.h>

enum {
  MOST_WAYS = 4,
  MOST_MATCHES = 10, // that are tried
  MOST_PIECES = 60,  // of one change, of either kind
  MOST_SETS = 320,   // of old pieces, looked at for one match
};

// The items along time, or against it.
struct direction {
  uint32_t *by_begin, *first_from; // as in skyline.h
  uint32_t *ends;                  // per item: the clique after its last
  uint64_t *slack;                 // per clique
};

struct sweep {
  const stow_search_task *task;
  uint32_t item_count, clique_count;
  stow_skyline skyline;
  stow_pq_tree tree;
  struct direction directions[2];
  const struct direction *along;
  stow_pq_state *states; // per clique
  uint64_t random, next_poll;
};

// What is left to match in a change.
struct change {
  stow_pq_list ends, begins;
  uint64_t holes; // that begin: their height together
  bool small_first;
};

//===----------------------------------------------------------------------===//
// Making
//===----------------------------------------------------------------------===//

static bool set_direction(struct sweep *sweep, bool reversed, stow_memory *memory) {
  const stow_plan_graph *graph = sweep->skyline.graph;
  const uint32_t items = sweep->item_count, cliques = sweep->clique_count;
  struct direction *along = &sweep->directions[reversed];
  along->by_begin = STOW_TAKE(memory, uint32_t, items);
  along->first_from = STOW_TAKE_ZEROED(memory, uint32_t, (size_t)cliques + 2);
  along->ends = STOW_TAKE(memory, uint32_t, items);
  along->slack = STOW_TAKE(memory, uint64_t, cliques);
  if (!along->by_begin || !along->first_from || !along->ends || !along->slack)
    return false;
  for (uint32_t c = 0; c < cliques; ++c)
    along->slack[c] = sweep->skyline.slack[reversed ? cliques - 1 - c : c];
  uint32_t *past = along->first_from + 1;
  for (uint32_t i = 0; i < items; ++i) {
    const stow_plan_item *item = &graph->items[i];
    along->ends[i] = reversed ? cliques - item->begin : item->end;
    ++past[(reversed ? cliques - item->end : item->begin) + 1];
  }
  for (uint32_t c = 0; c < cliques; ++c)
    past[c + 1] += past[c];
  for (uint32_t i = 0; i < items; ++i) {
    const stow_plan_item *item = &graph->items[i];
    along->by_begin[past[reversed ? cliques - item->end : item->begin]++] = i;
  }
  return true;
}

// Whether no change has more new pieces than can be matched, or, seen from the other end of time,
// old ones.
static bool changes_are_small(const struct sweep *sweep) {
  bool small = true;
  for (unsigned d = 0; d < 2; ++d)
    for (uint32_t c = 1; c < sweep->clique_count; ++c) {
      const uint32_t *first = sweep->directions[d].first_from + c;
      small &= first[1] - first[0] <= MOST_PIECES;
    }
  return small;
}

static bool has_little_slack(const stow_skyline *skyline) {
  const uint32_t count = skyline->graph->clique_count;
  double slack = 0;
  for (uint32_t c = 0; c < count; ++c)
    slack += (double)skyline->slack[c];
  return slack * STOW_SWEEP_LEAST_PART <= (double)skyline->capacity * count;
}

static bool suits(const stow_skyline *skyline) {
  bool suits = has_little_slack(skyline);
  for (uint32_t i = 0; i < skyline->graph->item_count; ++i)
    suits &= skyline->alignments[i] == 1;
  return suits;
}

static bool begin_sweep(struct sweep *sweep, const stow_plan_graph *graph,
                        const stow_search_task *task, stow_memory *memory) {
  *sweep = (struct sweep){
      .task = task, .item_count = graph->item_count, .clique_count = graph->clique_count};
  if (!stow_skyline_make(&sweep->skyline, graph, memory))
    return false;
  stow_skyline_reset(&sweep->skyline, task->capacity);
  sweep->states = STOW_TAKE(memory, stow_pq_state, graph->clique_count);
  return sweep->states && stow_skyline_clear(&sweep->skyline) && suits(&sweep->skyline) &&
         set_direction(sweep, false, memory) && set_direction(sweep, true, memory) &&
         changes_are_small(sweep) &&
         stow_plan_pq_make(&sweep->tree, sweep->skyline.heights, graph->item_count,
                           8 * graph->item_count + 64, memory);
}

static uint64_t below(struct sweep *sweep, uint64_t count) {
  return stow_plan_random_next(&sweep->random) % count;
}

//===----------------------------------------------------------------------===//
// Matches
//===----------------------------------------------------------------------===//

// Old and new pieces as sets of bits, and the height of a hole that begins with the new ones.
struct match {
  uint64_t key, old_set, new_set, hole;
};

struct matching {
  struct sweep *sweep;
  const struct change *change;
  uint64_t rest[MOST_PIECES + 1]; // heights of new pieces from each on
  uint64_t old_set, height;
  unsigned steps, found; // with this set of old pieces
  unsigned count;
  struct match best[MOST_MATCHES];
};

static uint64_t height_of(const struct sweep *sweep, const stow_pq_list *pieces, uint64_t set) {
  uint64_t height = 0;
  for (uint32_t i = 0; i < pieces->count; ++i)
    height += set >> i & 1 ? sweep->tree.heights[pieces->at[i]] : 0;
  return height;
}

// Few pieces first, or many; only a part of what is empty rather later.
static uint64_t key_of_match(struct sweep *sweep, const struct change *change,
                             const struct match *match) {
  const uint64_t pieces =
      (uint64_t)(__builtin_popcountll(match->old_set) + __builtin_popcountll(match->new_set));
  const bool is_part = match->hole && match->hole != change->holes;
  const uint64_t key =
      change->small_first ? 4 * pieces + 12 * is_part : 1024 - 4 * pieces + 24 * is_part;
  return key + below(sweep, 8);
}

static void offer_match(struct matching *matching, uint64_t new_set, uint64_t hole) {
  struct match match = {.old_set = matching->old_set, .new_set = new_set, .hole = hole};
  match.key = key_of_match(matching->sweep, matching->change, &match);
  ++matching->found;
  unsigned at = matching->count;
  if (at == MOST_MATCHES && match.key >= matching->best[--at].key)
    return;
  for (; at && matching->best[at - 1].key > match.key; --at)
    matching->best[at] = matching->best[at - 1];
  matching->best[at] = match;
  matching->count += matching->count < MOST_MATCHES;
}

// Adds new pieces from `next` on to those that have `height` together.
static void add_new_pieces(struct matching *matching, uint32_t next, uint64_t height,
                           uint64_t set) {
  const stow_pq_list *begins = &matching->change->begins;
  const uint64_t holes = matching->change->holes;
  if (height == matching->height) {
    offer_match(matching, set, 0);
    return;
  }
  if (matching->found == STOW_SWEEP_MATCHES || matching->steps == STOW_SWEEP_MATCHING ||
      height + matching->rest[next] + holes < matching->height)
    return;
  if (next == begins->count) {
    offer_match(matching, set, matching->height - height);
    return;
  }
  ++matching->steps;
  const uint64_t more = height + matching->sweep->tree.heights[begins->at[next]];
  if (more <= matching->height)
    add_new_pieces(matching, next + 1, more, set | UINT64_C(1) << next);
  add_new_pieces(matching, next + 1, height, set);
}

// Sets of old pieces with the highest one: those below one node of the tree, and all sets of few,
// or all pairs of many.
static unsigned list_sets(struct sweep *sweep, const struct change *change, uint64_t *sets) {
  const stow_pq_list *ends = &change->ends;
  uint32_t highest = 0;
  for (uint32_t i = 1; i < ends->count; ++i)
    if (sweep->tree.heights[ends->at[i]] > sweep->tree.heights[ends->at[highest]])
      highest = i;
  const uint64_t with = UINT64_C(1) << highest;
  const unsigned nests =
      stow_pq_list_nests(&sweep->tree, ends, ends->at[highest], sets, MOST_PIECES);
  unsigned count = nests;
  const bool few = ends->count <= STOW_SWEEP_FEW_PIECES;
  for (uint32_t i = 0; i < (few ? UINT32_C(1) << ends->count : ends->count); ++i) {
    const uint64_t set = few ? i : with | UINT64_C(1) << i;
    bool is_new = (set & with) && set != with;
    for (unsigned k = 0; k < nests && is_new; ++k)
      is_new = sets[k] != set;
    if (is_new)
      sets[count++] = set;
  }
  return count;
}

static void find_matches(struct matching *matching) {
  struct sweep *sweep = matching->sweep;
  const stow_pq_list *begins = &matching->change->begins;
  uint64_t sets[MOST_SETS];
  const unsigned count = list_sets(sweep, matching->change, sets);
  matching->rest[begins->count] = 0;
  for (uint32_t i = begins->count; i-- > 0;)
    matching->rest[i] = matching->rest[i + 1] + sweep->tree.heights[begins->at[i]];
  for (unsigned i = 0; i < count; ++i) {
    matching->old_set = sets[i];
    matching->height = height_of(sweep, &matching->change->ends, sets[i]);
    matching->steps = matching->found = 0;
    add_new_pieces(matching, 0, 0, 0);
    sweep->tree.effort += 8 + matching->change->ends.count + 4 * matching->steps;
  }
}

// Moves the pieces of the set from one list to another.
static void move_pieces(stow_pq_list *from, uint64_t set, stow_pq_list *to) {
  const stow_pq_list all = *from;
  from->count = to->count = 0;
  for (uint32_t i = 0; i < all.count; ++i) {
    stow_pq_list *list = set >> i & 1 ? to : from;
    list->at[list->count++] = all.at[i];
  }
}

static bool try_match(struct sweep *sweep, struct change *change, const struct match *match) {
  const stow_pq_state before = sweep->tree.now;
  struct change rest = *change;
  stow_pq_list old_pieces, new_pieces;
  move_pieces(&rest.ends, match->old_set, &old_pieces);
  move_pieces(&rest.begins, match->new_set, &new_pieces);
  if (match->hole)
    new_pieces.at[new_pieces.count++] = stow_plan_pq_add_piece(&sweep->tree, match->hole);
  rest.holes -= match->hole;
  if (!stow_plan_pq_replace(&sweep->tree, &old_pieces, &new_pieces)) {
    stow_plan_pq_go_back(&sweep->tree, &before);
    return false;
  }
  *change = rest;
  return true;
}

static bool match_one(struct sweep *sweep, struct change *change) {
  if (!stow_plan_pq_has_room(&sweep->tree))
    return false;
  struct matching matching = {.sweep = sweep, .change = change};
  find_matches(&matching);
  for (unsigned i = 0; i < matching.count; ++i)
    if (try_match(sweep, change, &matching.best[i]))
      return true;
  return false;
}

//===----------------------------------------------------------------------===//
// Changes
//===----------------------------------------------------------------------===//

// What becomes of the holes: some end, and either a part of another one ends or holes begin, of
// this height.
struct way {
  uint64_t key;
  uint32_t ends;
  uint32_t split; // STOW_NO_PIECE: holes begin
  uint64_t height;
};

struct ways {
  struct sweep *sweep;
  const stow_pq_list *holes;
  struct way best[MOST_WAYS];
  unsigned count;
};

static void offer_way(struct ways *ways, struct way way, uint64_t cost) {
  way.key = 4 * cost + below(ways->sweep, 4);
  way.key = way.key << 32 | below(ways->sweep, UINT64_C(1) << 32);
  unsigned at = ways->count;
  if (at == MOST_WAYS && way.key >= ways->best[--at].key)
    return;
  for (; at && ways->best[at - 1].key > way.key; --at)
    ways->best[at] = ways->best[at - 1];
  ways->best[at] = way;
  ways->count += ways->count < MOST_WAYS;
}

// The slack falls from `before` to `after`, or rises.
static void find_ways(struct ways *ways, uint64_t before, uint64_t after) {
  const stow_pq_list *holes = ways->holes;
  const uint64_t *heights = ways->sweep->tree.heights;
  for (uint32_t ends = 0; ends < UINT32_C(1) << holes->count; ++ends) {
    const unsigned count = (unsigned)__builtin_popcount(ends);
    if (count > STOW_SWEEP_HOLES_AT_ONCE)
      continue;
    const uint64_t stays = before - height_of(ways->sweep, holes, ends);
    if (stays <= after) {
      const struct way way = {0, ends, STOW_NO_PIECE, after - stays};
      offer_way(ways, way, count && after != stays ? count + 1 : count);
      continue;
    }
    for (uint32_t i = 0; i < holes->count; ++i)
      if (!(ends >> i & 1) && heights[holes->at[i]] > stays - after)
        offer_way(ways, (struct way){0, ends, holes->at[i], stays - after}, count + 1);
  }
  ways->sweep->tree.effort += 4 << holes->count;
}

// The pieces that end before a clique, and in random order those that begin there.
static bool begin_change(struct sweep *sweep, uint32_t clique, struct change *change,
                         stow_pq_list *holes) {
  const struct direction *along = sweep->along;
  stow_pq_list alive;
  stow_pq_list_leaves(&sweep->tree, &alive);
  change->ends.count = change->begins.count = holes->count = 0;
  sweep->tree.effort += 16 + 4 * alive.count;
  for (uint32_t i = 0; i < alive.count; ++i) {
    const uint32_t piece = alive.at[i];
    if (piece < sweep->item_count && along->ends[piece] == clique)
      change->ends.at[change->ends.count++] = piece;
    else if (piece >= sweep->item_count && holes->count < STOW_SWEEP_MOST_HOLES)
      holes->at[holes->count++] = piece;
  }
  const uint32_t first = along->first_from[clique], past = along->first_from[clique + 1];
  if (past - first > MOST_PIECES || change->ends.count + holes->count > MOST_PIECES)
    return false;
  for (uint32_t i = first; i < past; ++i) {
    const uint32_t at = (uint32_t)below(sweep, ++change->begins.count);
    change->begins.at[i - first] = change->begins.at[at];
    change->begins.at[at] = along->by_begin[i];
  }
  return true;
}

static bool try_way(struct sweep *sweep, struct change change, const stow_pq_list *holes,
                    const struct way *way) {
  for (uint32_t i = 0; i < holes->count; ++i)
    if (way->ends >> i & 1)
      change.ends.at[change.ends.count++] = holes->at[i];
  if (way->split != STOW_NO_PIECE)
    change.ends.at[change.ends.count++] = stow_plan_pq_split(&sweep->tree, way->split, way->height);
  else
    change.holes = way->height;
  change.small_first = below(sweep, 2);
  while (change.ends.count && match_one(sweep, &change))
    ;
  return !change.ends.count && !change.begins.count && !change.holes;
}

// Goes on to a clique.
static bool advance(struct sweep *sweep, uint32_t clique) {
  const stow_pq_state before = sweep->tree.now;
  struct change change = {.holes = 0};
  stow_pq_list holes;
  if (!stow_plan_pq_has_room(&sweep->tree) || !begin_change(sweep, clique, &change, &holes))
    return false;
  struct ways ways = {.sweep = sweep, .holes = &holes};
  find_ways(&ways, sweep->along->slack[clique - 1], sweep->along->slack[clique]);
  for (unsigned i = 0; i < ways.count; ++i) {
    if (try_way(sweep, change, &holes, &ways.best[i]))
      return true;
    stow_plan_pq_go_back(&sweep->tree, &before);
  }
  return false;
}

//===----------------------------------------------------------------------===//
// The search
//===----------------------------------------------------------------------===//

static bool must_stop(struct sweep *sweep) {
  const stow_search_task *task = sweep->task;
  const uint64_t effort = sweep->tree.effort;
  if (effort > task->max_effort)
    return true;
  if (!task->poll || effort < sweep->next_poll)
    return false;
  sweep->next_poll = effort + STOW_SEARCH_POLL_INTERVAL;
  return task->poll(task->poll_user, effort);
}

// False where what is alive first is too much.
static bool begin_walk(struct sweep *sweep) {
  stow_pq_list pieces = {.count = 0};
  const uint32_t count = sweep->along->first_from[1];
  sweep->tree.effort += sweep->item_count;
  if (count + 1 >= STOW_PQ_MOST_LEAVES)
    return false;
  for (uint32_t i = 0; i < count; ++i)
    pieces.at[pieces.count++] = sweep->along->by_begin[i];
  if (sweep->along->slack[0])
    pieces.at[pieces.count++] = stow_plan_pq_add_piece(&sweep->tree, sweep->along->slack[0]);
  stow_plan_pq_begin(&sweep->tree, &pieces);
  return true;
}

// From one end of time to the other. False after too many dead ends.
static bool walk(struct sweep *sweep) {
  if (!begin_walk(sweep))
    return false;
  uint32_t clique = 0, furthest = 0, dead_ends = 0, since = 0;
  sweep->states[0] = sweep->tree.now;
  while (clique + 1 < sweep->clique_count) {
    if (advance(sweep, clique + 1)) {
      sweep->states[++clique] = sweep->tree.now;
      since = clique > furthest ? 0 : since;
      furthest = clique > furthest ? clique : furthest;
      continue;
    }
    if (++dead_ends == STOW_SWEEP_DEAD_ENDS || must_stop(sweep))
      return false;
    ++since;
    const uint32_t back = since & -since;
    clique = back < clique ? clique - back : 0;
    stow_plan_pq_go_back(&sweep->tree, &sweep->states[clique]);
  }
  return true;
}

// False where not all fits: the capacity of the skyline is rounded up to the least alignment.
static bool place(struct sweep *sweep, stow_memory *memory, uint64_t *out_offsets) {
  uint64_t *offsets = STOW_TAKE(memory, uint64_t, sweep->tree.now.piece_count);
  bool fits = offsets && stow_plan_pq_place(&sweep->tree, offsets);
  for (uint32_t i = 0; i < sweep->item_count && fits; ++i) {
    fits = offsets[i] <= sweep->skyline.tops[i];
    out_offsets[i] = offsets[i] * sweep->skyline.unit;
  }
  stow_memory_drop(memory, offsets);
  return fits;
}

stow_verdict stow_plan_sweep_run(const stow_plan_graph *graph, const stow_search_task *task,
                                 uint64_t seed, const stow_allocator *allocator,
                                 uint64_t *out_offsets, uint64_t *out_effort) {
  stow_memory memory;
  stow_memory_begin(&memory, allocator);
  struct sweep sweep;
  bool fits = false;
  if (begin_sweep(&sweep, graph, task, &memory)) {
    const stow_pq_state start = sweep.tree.now;
    sweep.random = seed;
    for (unsigned round = 0; !fits && !must_stop(&sweep); ++round) {
      stow_plan_pq_go_back(&sweep.tree, &start);
      sweep.along = &sweep.directions[round % 2];
      fits = walk(&sweep) && place(&sweep, &memory, out_offsets);
    }
  }
  *out_effort = sweep.tree.effort + graph->item_count;
  stow_memory_end(&memory);
  return fits ? STOW_VERDICT_FITS : STOW_VERDICT_OPEN;
}
