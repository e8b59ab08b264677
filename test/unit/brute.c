//===- brute.c - answers by trying everything -----------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The offsets a buffer may still take are the bits of a word. Whether two buffers
// clash depends on the difference of their offsets alone, so for each ordered
// pair there is one long word of differences, and what the first leaves to the
// second is a window of it. Buffers are placed one by one, the one with the
// fewest offsets left first; a word that runs empty ends a try.
//
//===----------------------------------------------------------------------===//

#include "brute.h"

#include <string.h>

enum { MIDDLE = 64 }; // the bit that stands for a difference of 0

struct table {
  const struct instance *instance;
  size_t count;
  unsigned char good[BRUTE_BUFFERS][BRUTE_BUFFERS][2 * MIDDLE]; // by difference of offsets
  uint64_t offsets[BRUTE_BUFFERS];
  void (*visit)(void *user, const uint64_t *offsets); // NULL: the first plan is enough
  void *user;
};

static void fill_table(struct table *table, const struct instance *instance) {
  *table = (struct table){.instance = instance, .count = instance->problem.buffer_count};
  for (size_t a = 0; a < table->count; ++a)
    for (size_t b = 0; b < table->count; ++b)
      for (uint64_t d = 1; a != b && d < 2 * MIDDLE; ++d)
        table->good[a][b][d] = !clash_by_definition(instance, a, MIDDLE, b, d);
}

static uint64_t all_offsets(const struct instance *instance, size_t buffer, uint64_t arena_size) {
  uint64_t offsets[MAX_BUFFERS] = {0}, left = 0;
  for (uint64_t o = 0; o + instance->buffers[buffer].size <= arena_size; ++o) {
    offsets[buffer] = o;
    if (alone_by_definition(instance, offsets, buffer))
      left |= UINT64_C(1) << o;
  }
  return left;
}

static uint64_t beside(const struct table *table, size_t placed, uint64_t offset, size_t other) {
  uint64_t left = 0;
  for (uint64_t o = 0; o <= BRUTE_BYTES; ++o)
    left |= (uint64_t)table->good[placed][other][MIDDLE + o - offset] << o;
  return left;
}

static size_t fewest(const struct table *table, const uint64_t *left, unsigned set) {
  size_t best = table->count;
  for (size_t i = 0; i < table->count; ++i)
    if (set >> i & 1 &&
        (best == table->count || __builtin_popcountll(left[i]) < __builtin_popcountll(left[best])))
      best = i;
  return best;
}

// Returns true where a plan is found and one is enough. Not deeper than there are buffers.
static bool try_all(struct table *table, const uint64_t *left, unsigned set) {
  if (!set && table->visit)
    table->visit(table->user, table->offsets);
  if (!set)
    return !table->visit;
  const size_t at = fewest(table, left, set);
  for (uint64_t offsets = left[at]; offsets; offsets &= offsets - 1) {
    uint64_t next[BRUTE_BUFFERS];
    bool empty = false;
    table->offsets[at] = (uint64_t)__builtin_ctzll(offsets);
    for (size_t i = 0; i < table->count && !empty; ++i) {
      const bool waits = i != at && set >> i & 1;
      next[i] = waits ? left[i] & beside(table, at, table->offsets[at], i) : 0;
      empty = waits && !next[i];
    }
    if (!empty && try_all(table, next, set & ~(1u << at)))
      return true;
  }
  return false;
}

static bool fits(struct table *table, unsigned set, uint64_t arena_size) {
  uint64_t left[BRUTE_BUFFERS];
  for (size_t i = 0; i < table->count; ++i) {
    left[i] = all_offsets(table->instance, i, arena_size);
    if (set >> i & 1 && !left[i])
      return false;
  }
  return try_all(table, left, set);
}

// A larger arena is never worse, so the smallest is found by halving.
static uint64_t optimum(struct table *table, unsigned set) {
  if (!fits(table, set, BRUTE_BYTES))
    return UINT64_MAX;
  uint64_t low = 0, high = BRUTE_BYTES;
  while (low < high) {
    const uint64_t middle = low + (high - low) / 2;
    if (fits(table, set, middle))
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

bool fits_by_brute_force(const struct instance *instance, unsigned set, uint64_t arena_size) {
  struct table table;
  fill_table(&table, instance);
  return fits(&table, set, arena_size);
}

uint64_t optimum_by_brute_force(const struct instance *instance, unsigned set) {
  struct table table;
  fill_table(&table, instance);
  return optimum(&table, set);
}

void visit_plans(const struct instance *instance, uint64_t arena_size,
                 void (*visit)(void *user, const uint64_t *offsets), void *user) {
  struct table table;
  fill_table(&table, instance);
  table.visit = visit;
  table.user = user;
  (void)fits(&table, (1u << table.count) - 1, arena_size);
}

//===----------------------------------------------------------------------===//
// Spaces
//===----------------------------------------------------------------------===//

static bool may_go(const struct instance *instance, unsigned set, unsigned part, uint32_t space) {
  const size_t count = instance->problem.buffer_count;
  for (size_t i = 0; i < count; ++i) {
    if (!(part >> i & 1))
      continue;
    if (!(instance->allowed[i] >> space & 1))
      return false;
    for (size_t k = 0; k < count; ++k)
      if (set >> k & 1 && !(part >> k & 1) && must_colocate(instance, i, k))
        return false;
  }
  return true;
}

// Of every set of buffers, what it costs in the spaces from `space` on; from those of the next.
static void add_space(struct table *table, const uint64_t *optima, uint32_t space, unsigned set,
                      uint64_t *costs) {
  const stow_space *s = &table->instance->spaces[space];
  uint64_t next[1 << BRUTE_BUFFERS];
  memcpy(next, costs, sizeof next);
  for (unsigned whole = 0; whole < 1u << table->count; ++whole) {
    costs[whole] = UINT64_MAX;
    for (unsigned part = whole;; part = (part - 1) & whole) {
      const bool holds = optima[part] != UINT64_MAX && next[whole & ~part] != UINT64_MAX &&
                         (!s->capacity || optima[part] <= s->capacity);
      if (holds && may_go(table->instance, set, part, space) &&
          s->cost * optima[part] + next[whole & ~part] < costs[whole])
        costs[whole] = s->cost * optima[part] + next[whole & ~part];
      if (!part)
        break;
    }
  }
}

uint64_t cost_by_brute_force(const struct instance *instance, unsigned set) {
  struct table table;
  fill_table(&table, instance);
  uint64_t optima[1 << BRUTE_BUFFERS], costs[1 << BRUTE_BUFFERS];
  for (unsigned part = 0; part < 1u << table.count; ++part) {
    optima[part] = (part & ~set) == 0 ? optimum(&table, part) : UINT64_MAX;
    costs[part] = part ? UINT64_MAX : 0;
  }
  for (uint32_t s = 0; s < instance->problem.space_count; ++s)
    add_space(&table, optima, s, set, costs);
  return costs[set];
}
