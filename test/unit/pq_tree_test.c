//===- pq_tree_test.c - orders of pieces, against all orders there are -----===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Pieces are replaced at random. All orders that are left are listed beside the tree:
// a change must be possible for it exactly if it is for one of these. At the end the
// places are checked at every moment there was.
//
//===----------------------------------------------------------------------===//

#include "check.h"
#include "pq_tree.h"
#include "random.h"

#include <string.h>

enum { MOST_ALIVE = 6, MOST_ORDERS = 720, MOMENTS = 8, MOST_PIECES = 100 };

struct order {
  uint32_t at[MOST_ALIVE];
};

struct world {
  uint64_t random, total;
  stow_memory memory;
  stow_pq_tree tree;
  stow_pq_list alive[2 * MOMENTS + 1];
  size_t moment_count;
  struct order orders[MOST_ORDERS], next[MOST_ORDERS];
  size_t order_count, next_count;
};

static uint64_t below(struct world *world, uint64_t count) {
  return stow_plan_random_next(&world->random) % count;
}

static stow_pq_list *now(struct world *world) { return &world->alive[world->moment_count - 1]; }

static void add_order(struct world *world, const struct order *order, uint32_t count) {
  for (size_t i = 0; i < world->next_count; ++i)
    if (memcmp(world->next[i].at, order->at, count * sizeof *order->at) == 0)
      return;
  world->next[world->next_count++] = *order;
}

// All orders of the pieces from `first` to `past`.
static void permute(struct world *world, struct order *order, uint32_t first, uint32_t past,
                    uint32_t count) {
  if (first == past)
    add_order(world, order, count);
  for (uint32_t i = first; i < past; ++i) {
    const struct order before = *order;
    order->at[first] = before.at[i];
    order->at[i] = before.at[first];
    permute(world, order, first + 1, past, count);
    *order = before;
  }
}

static bool has(const stow_pq_list *list, uint32_t piece) {
  for (uint32_t i = 0; i < list->count; ++i)
    if (list->at[i] == piece)
      return true;
  return false;
}

// The orders in which the old pieces are neighbours, with the new ones in every order instead.
static void replace_in_all(struct world *world, const stow_pq_list *old_pieces,
                           const stow_pq_list *new_pieces) {
  const uint32_t count = now(world)->count;
  world->next_count = 0;
  for (size_t i = 0; i < world->order_count; ++i) {
    const struct order *order = &world->orders[i];
    uint32_t first = 0, run = 0;
    while (!has(old_pieces, order->at[first]))
      ++first;
    while (first + run < count && has(old_pieces, order->at[first + run]))
      ++run;
    if (run < old_pieces->count)
      continue;
    struct order changed = *order;
    memcpy(changed.at + first, new_pieces->at, new_pieces->count * sizeof *changed.at);
    memcpy(changed.at + first + new_pieces->count, order->at + first + run,
           (count - first - run) * sizeof *changed.at);
    permute(world, &changed, first, first + new_pieces->count, count - run + new_pieces->count);
  }
}

static void begin_world(struct world *world, uint64_t seed) {
  memset(world, 0, sizeof *world);
  world->random = seed;
  stow_memory_begin(&world->memory, NULL);
  uint64_t heights[MOST_ALIVE];
  struct order order;
  world->moment_count = 1;
  now(world)->count = (uint32_t)(4 + below(world, 3));
  for (uint32_t i = 0; i < now(world)->count; ++i) {
    now(world)->at[i] = order.at[i] = i;
    world->total += heights[i] = 2 + below(world, 3);
  }
  permute(world, &order, 0, now(world)->count, now(world)->count);
  memcpy(world->orders, world->next, sizeof world->orders);
  world->order_count = world->next_count;
  CHECK(stow_plan_pq_make(&world->tree, heights, now(world)->count, MOST_PIECES, &world->memory));
  stow_plan_pq_begin(&world->tree, now(world));
}

// Two pieces or more, as often as not two, and others of the same height together. False: these
// would be too many.
static bool draw_change(struct world *world, stow_pq_list *old_pieces, stow_pq_list *new_pieces) {
  stow_pq_list left = *now(world);
  uint64_t height = 0;
  old_pieces->count = new_pieces->count = 0;
  while (left.count && (old_pieces->count < 2 || below(world, 2))) {
    const uint32_t at = (uint32_t)below(world, left.count);
    old_pieces->at[old_pieces->count++] = left.at[at];
    height += world->tree.heights[left.at[at]];
    left.at[at] = left.at[--left.count];
  }
  while (height) {
    const uint64_t part = 1 + below(world, height);
    new_pieces->at[new_pieces->count++] = stow_plan_pq_add_piece(&world->tree, part);
    height -= part;
  }
  return left.count + new_pieces->count <= MOST_ALIVE;
}

static void next_moment(struct world *world, const stow_pq_list *old_pieces,
                        const stow_pq_list *new_pieces) {
  const stow_pq_list *before = now(world);
  stow_pq_list *after = &world->alive[world->moment_count++];
  *after = *new_pieces;
  for (uint32_t i = 0; i < before->count; ++i)
    if (!has(old_pieces, before->at[i]))
      after->at[after->count++] = before->at[i];
}

static bool change(struct world *world, bool all_orders) {
  stow_pq_list old_pieces, new_pieces;
  const stow_pq_state before = world->tree.now;
  if (!draw_change(world, &old_pieces, &new_pieces)) {
    stow_plan_pq_go_back(&world->tree, &before);
    return false;
  }
  const bool replaced = stow_plan_pq_replace(&world->tree, &old_pieces, &new_pieces);
  if (all_orders) {
    replace_in_all(world, &old_pieces, &new_pieces);
    CHECK_EQ(replaced, world->next_count != 0);
  }
  if (!replaced) {
    stow_plan_pq_go_back(&world->tree, &before);
    return false;
  }
  memcpy(world->orders, world->next, sizeof world->orders);
  world->order_count = world->next_count;
  next_moment(world, &old_pieces, &new_pieces);
  return true;
}

// A piece that was split is there as its halves, at every moment.
static void split(struct world *world) {
  const uint32_t piece = now(world)->at[below(world, now(world)->count)];
  if (world->tree.heights[piece] == 1)
    return;
  const uint32_t half =
      stow_plan_pq_split(&world->tree, piece, 1 + below(world, world->tree.heights[piece] - 1));
  for (size_t m = 0; m < world->moment_count; ++m) {
    stow_pq_list *alive = &world->alive[m];
    for (uint32_t i = 0; i < alive->count; ++i)
      if (alive->at[i] == piece) {
        alive->at[i] = half;
        alive->at[alive->count++] = half + 1;
        break;
      }
  }
}

// At every moment the pieces fill the whole.
static void check_places(struct world *world) {
  uint64_t offsets[MOST_PIECES];
  if (!CHECK(stow_plan_pq_place(&world->tree, offsets)))
    return;
  for (size_t m = 0; m < world->moment_count; ++m) {
    uint64_t taken = 0;
    for (uint32_t i = 0; i < world->alive[m].count; ++i) {
      const uint32_t piece = world->alive[m].at[i];
      const uint64_t bits = ((UINT64_C(1) << world->tree.heights[piece]) - 1) << offsets[piece];
      CHECK(!(taken & bits));
      taken |= bits;
    }
    CHECK_EQ(taken, (UINT64_C(1) << world->total) - 1);
  }
}

static void changes_equal_all_orders(void) {
  static struct world world;
  unsigned refused = 0, done = 0;
  for (uint64_t seed = 0; seed < 2000; seed += TEST_STEP) {
    test_note("seed %" PRIu64, seed);
    begin_world(&world, seed);
    for (size_t i = 0; i < MOMENTS; ++i) {
      const bool replaced = change(&world, true);
      refused += !replaced;
      done += replaced;
    }
    check_places(&world);
    stow_memory_end(&world.memory);
  }
  test_note(NULL);
  CHECK(refused > 1000 / TEST_STEP && done > 1000 / TEST_STEP);
}

static void halves_have_places(void) {
  static struct world world;
  for (uint64_t seed = 0; seed < 5000; seed += TEST_STEP) {
    test_note("seed %" PRIu64, seed);
    begin_world(&world, seed);
    for (size_t i = 0; i < 2 * MOMENTS; ++i)
      if (below(&world, 3) == 0 && now(&world)->count < MOST_ALIVE)
        split(&world);
      else
        change(&world, false);
    check_places(&world);
    stow_memory_end(&world.memory);
  }
  test_note(NULL);
}

TEST_MAIN(TEST(changes_equal_all_orders), TEST(halves_have_places))
