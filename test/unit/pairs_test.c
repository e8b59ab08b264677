//===- pairs_test.c - distances of profiles, against their definition -----===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "check.h"
#include "stream/alive.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 300, ENTRIES = 9, MOMENTS = 64 };

typedef struct profiles {
  stow_stream_profile at[MOST];
  stow_stream_alive entries[MOST][ENTRIES];
  size_t count;
  uint64_t state;
} profiles;

static uint64_t draw(profiles *p, uint64_t below) {
  p->state = p->state * 6364136223846793005u + 1442695040888963407u;
  return (p->state >> 33) % below;
}

// Entries at ascending moments, of which the last one is empty; or none.
static void draw_profile(profiles *p, stow_stream_alive *entries, stow_stream_profile *out) {
  uint64_t moment = draw(p, MOMENTS - 3 * ENTRIES);
  *out = (stow_stream_profile){.entries = entries, .count = draw(p, ENTRIES + 1)};
  for (size_t i = 0; i < out->count; ++i, moment += 1 + draw(p, 3)) {
    const int64_t low = (int64_t)draw(p, 20);
    const bool empty = i + 1 == out->count || draw(p, 4) == 0;
    entries[i] = empty ? (stow_stream_alive){moment, 0, 0}
                       : (stow_stream_alive){moment, low, low + 1 + (int64_t)draw(p, 9)};
  }
}

static void draw_profiles(profiles *p, uint64_t seed, size_t count) {
  memset(p, 0, sizeof *p);
  p->state = seed, p->count = count;
  for (size_t i = 0; i < count; ++i)
    draw_profile(p, p->entries[i], &p->at[i]);
}

static stow_stream_alive at_moment(const stow_stream_profile *p, uint64_t moment) {
  stow_stream_alive now = {0};
  for (size_t i = 0; i < p->count && p->entries[i].from <= moment; ++i)
    now = p->entries[i];
  return now;
}

static int64_t larger(int64_t a, int64_t b) { return a > b ? a : b; }

// The distance of two profiles, looked at in all moments. Whether they are ever alive together.
static bool distance_of(const stow_stream_profile *a, const stow_stream_profile *b,
                        stow_stream_distance *out) {
  *out = (stow_stream_distance){INT64_MIN, INT64_MIN};
  for (uint64_t moment = 0; moment < MOMENTS; ++moment) {
    const stow_stream_alive x = at_moment(a, moment), y = at_moment(b, moment);
    if (x.low == x.end || y.low == y.end)
      continue;
    out->before = larger(out->before, x.end - y.low);
    out->behind = larger(out->behind, y.end - x.low);
  }
  return out->before != INT64_MIN;
}

static uint64_t most_alive(const profiles *p) {
  uint64_t most = 0;
  for (uint64_t moment = 0; moment < MOMENTS; ++moment) {
    uint64_t bytes = 0;
    for (size_t i = 0; i < p->count; ++i) {
      const stow_stream_alive now = at_moment(&p->at[i], moment);
      bytes += (uint64_t)(now.end - now.low);
    }
    most = bytes > most ? bytes : most;
  }
  return most;
}

static const stow_stream_pair *find(const stow_stream_pairs *pairs, size_t a, size_t b) {
  for (size_t i = 0; i < pairs->count; ++i)
    if (pairs->at[i].a == a && pairs->at[i].b == b)
      return &pairs->at[i];
  return NULL;
}

static void check_pairs(const profiles *p) {
  stow_stream_pairs pairs;
  size_t count = 0;
  CHECK(stow_stream_find_pairs(p->at, p->count, &pairs));
  CHECK(pairs.complete);
  CHECK_EQ(pairs.alive_bytes, most_alive(p));
  for (size_t a = 0; a < p->count; ++a)
    for (size_t b = a + 1; b < p->count; ++b) {
      stow_stream_distance d;
      const stow_stream_pair *pair = find(&pairs, a, b);
      const bool together = distance_of(&p->at[a], &p->at[b], &d);
      count += together;
      CHECK(together == (pair != NULL));
      CHECK(!pair || (pair->apart.before == d.before && pair->apart.behind == d.behind));
    }
  CHECK_EQ(pairs.count, count);
  stow_stream_pairs_free(&pairs);
}

static void distances_are_those_of_all_moments(void) {
  static profiles p;
  for (uint64_t seed = 1; seed <= 500; seed += TEST_STEP) {
    test_note("seed %" PRIu64, seed);
    draw_profiles(&p, seed, seed % 14);
    check_pairs(&p);
  }
  draw_profiles(&p, 1, 60); // the table grows
  check_pairs(&p);
  test_note(NULL);
}

// Pairs that never meet cost nothing, however often both come and go.
static void who_never_meets_costs_nothing(void) {
  static profiles p;
  p.count = MOST;
  for (size_t i = 0; i < MOST; ++i) {
    p.at[i] = (stow_stream_profile){.entries = p.entries[i], .count = ENTRIES - 1};
    for (size_t k = 0; k + 1 < ENTRIES; ++k)
      p.entries[i][k] = (stow_stream_alive){k / 2 * MOST + i + k % 2, 0, k % 2 ? 0 : 8};
  }
  stow_stream_pairs pairs;
  CHECK(stow_stream_find_pairs(p.at, p.count, &pairs));
  CHECK(pairs.complete);
  CHECK_EQ(pairs.count, 0);
  CHECK_EQ(pairs.alive_bytes, 8);
  CHECK_EQ(pairs.effort, MOST * ((ENTRIES - 1) / 2));
  stow_stream_pairs_free(&pairs);
}

TEST_MAIN({"distances_are_those_of_all_moments", distances_are_those_of_all_moments},
          {"who_never_meets_costs_nothing", who_never_meets_costs_nothing})
