//===- pairs.c - how far apart buffers lie that are alive together --------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All profiles are swept at once, moment by moment. What changes in a moment is compared with all
// that is alive in it, and with nothing else: of many buffers that come and go in each step, few
// are alive together. A heap holds the next change of each profile, a table the pairs.
//
//===----------------------------------------------------------------------===//

#include "stream/alive.h"

#include "stream/grow.h"
#include "stream/limits.h"

#include <assert.h>
#include <stdlib.h>

#define APART (INT64_MIN / 4) // of buffers that are never alive together

typedef struct sweep {
  const stow_stream_profile *profiles;
  size_t *heap, heap_count;       // profiles, the one that changes next first
  size_t *next;                   // per profile: its next entry
  size_t *alive, alive_count;     // profiles
  size_t *places;                 // per profile: its place among those alive
  size_t *changed, changed_count; // in this moment
  size_t *table, capacity;        // a pair, counted from 1 on; capacity is a power of two
  uint64_t bytes;                 // alive now
  uint64_t begun, entries;        // profiles that have not ended, and their entries
  stow_stream_pairs *out;
} sweep;

//===----------------------------------------------------------------------===//
// The next change
//===----------------------------------------------------------------------===//

static uint64_t next_change(const sweep *s, size_t profile) {
  return s->profiles[profile].entries[s->next[profile]].from;
}

static void sink(sweep *s, size_t at) {
  const size_t profile = s->heap[at];
  const uint64_t moment = next_change(s, profile);
  for (size_t child = 2 * at + 1; child < s->heap_count; child = 2 * at + 1) {
    if (child + 1 < s->heap_count &&
        next_change(s, s->heap[child + 1]) < next_change(s, s->heap[child]))
      ++child;
    if (next_change(s, s->heap[child]) >= moment)
      break;
    s->heap[at] = s->heap[child];
    at = child;
  }
  s->heap[at] = profile;
}

static void build_heap(sweep *s, size_t count) {
  for (size_t i = 0; i < count; ++i)
    if (s->profiles[i].count > 0)
      s->heap[s->heap_count++] = i;
  for (size_t at = s->heap_count / 2; at-- > 0;)
    sink(s, at);
}

//===----------------------------------------------------------------------===//
// Who is alive
//===----------------------------------------------------------------------===//

// What is alive of a profile now; not before its first change.
static const stow_stream_alive *now(const sweep *s, size_t profile) {
  return &s->profiles[profile].entries[s->next[profile] - 1];
}

static uint64_t bytes_now(const sweep *s, size_t profile) {
  return s->next[profile] == 0 ? 0 : (uint64_t)(now(s, profile)->end - now(s, profile)->low);
}

static void enter(sweep *s, size_t profile) {
  s->places[profile] = s->alive_count;
  s->alive[s->alive_count++] = profile;
}

static void leave(sweep *s, size_t profile) {
  const size_t last = s->alive[--s->alive_count];
  s->alive[s->places[profile]] = last;
  s->places[last] = s->places[profile];
}

static void change(sweep *s, size_t profile) {
  const uint64_t before = bytes_now(s, profile);
  ++s->next[profile];
  const uint64_t after = bytes_now(s, profile);
  s->bytes += after - before; // wraps, and back in the sum
  if (before == 0 && after > 0)
    enter(s, profile);
  else if (before > 0 && after == 0)
    leave(s, profile);
  s->changed[s->changed_count++] = profile;
}

// All changes of the next moment.
static void advance(sweep *s) {
  const uint64_t moment = next_change(s, s->heap[0]);
  s->changed_count = 0;
  while (s->heap_count > 0 && next_change(s, s->heap[0]) == moment) {
    const size_t profile = s->heap[0];
    change(s, profile);
    if (s->next[profile] == s->profiles[profile].count)
      s->heap[0] = s->heap[--s->heap_count];
    if (s->heap_count > 0)
      sink(s, 0);
  }
}

//===----------------------------------------------------------------------===//
// Pairs
//===----------------------------------------------------------------------===//

// Where a pair is in the table, or where there is room for it.
static size_t slot_of(const sweep *s, size_t a, size_t b) {
  uint64_t key = (uint64_t)a * 0x9e3779b97f4a7c15u + (uint64_t)b;
  key = (key ^ (key >> 32)) * 0xd6e8feb86659fd93u;
  size_t at = (size_t)(key >> 32) & (s->capacity - 1);
  while (s->table[at] != 0 &&
         (s->out->at[s->table[at] - 1].a != a || s->out->at[s->table[at] - 1].b != b))
    at = (at + 1) & (s->capacity - 1);
  return at;
}

static bool grow_table(sweep *s) {
  size_t *larger = calloc(2 * s->capacity, sizeof *larger);
  if (!larger)
    return false;
  free(s->table);
  s->table = larger;
  s->capacity *= 2;
  for (size_t i = 0; i < s->out->count; ++i)
    s->table[slot_of(s, s->out->at[i].a, s->out->at[i].b)] = i + 1;
  return true;
}

// The pair of two profiles, a < b, or NULL: no memory.
static stow_stream_pair *pair_of(sweep *s, size_t a, size_t b) {
  stow_stream_pairs *out = s->out;
  size_t at = slot_of(s, a, b);
  if (s->table[at] != 0)
    return &out->at[s->table[at] - 1];
  if (!STOW_STREAM_ROOM(out->at, out->count, out->capacity))
    return NULL;
  out->at[out->count++] = (stow_stream_pair){a, b, {APART, APART}};
  s->table[at] = out->count;
  if (2 * out->count >= s->capacity && !grow_table(s))
    return NULL;
  return &out->at[out->count - 1];
}

static bool compare(sweep *s, size_t one, size_t other) {
  const size_t a = one < other ? one : other, b = one < other ? other : one;
  const stow_stream_alive *x = now(s, a), *y = now(s, b);
  stow_stream_pair *pair = pair_of(s, a, b);
  if (!pair)
    return false;
  stow_stream_distance *d = &pair->apart;
  d->before = x->end - y->low > d->before ? x->end - y->low : d->before;
  d->behind = y->end - x->low > d->behind ? y->end - x->low : d->behind;
  return true;
}

// What it would take to compare each with all that begin before it ends. Searches that follow are
// shorter where it is much.
static void count_entries(sweep *s) {
  for (size_t i = 0; i < s->changed_count; ++i) {
    const stow_stream_profile *it = &s->profiles[s->changed[i]];
    if (s->next[s->changed[i]] == it->count) {
      --s->begun;
      s->entries -= it->count;
    }
  }
  for (size_t i = 0; i < s->changed_count; ++i) {
    const stow_stream_profile *it = &s->profiles[s->changed[i]];
    if (s->next[s->changed[i]] > 1)
      continue;
    s->out->entries += s->begun * it->count + s->entries;
    ++s->begun;
    s->entries += it->count;
  }
}

static bool are_few(const stow_stream_pairs *pairs) {
  return pairs->count <= STOW_STREAM_MOST_PAIRS && pairs->effort <= STOW_STREAM_PLACE_EFFORT;
}

static bool compare_changed(sweep *s) {
  for (size_t i = 0; i < s->changed_count && are_few(s->out); ++i) {
    const size_t profile = s->changed[i];
    if (bytes_now(s, profile) == 0)
      continue;
    s->out->effort += s->alive_count;
    for (size_t k = 0; k < s->alive_count; ++k)
      if (s->alive[k] != profile && !compare(s, profile, s->alive[k]))
        return false;
  }
  return true;
}

static bool run(sweep *s, size_t count) {
  build_heap(s, count);
  while (s->heap_count > 0 && are_few(s->out)) {
    advance(s);
    count_entries(s);
    s->out->alive_bytes = s->bytes > s->out->alive_bytes ? s->bytes : s->out->alive_bytes;
    if (!compare_changed(s))
      return false;
  }
  s->out->complete = are_few(s->out);
  assert(!s->out->complete || s->alive_count == 0); // each profile ends
  return true;
}

bool stow_stream_find_pairs(const stow_stream_profile *profiles, size_t count,
                            stow_stream_pairs *out) {
  *out = (stow_stream_pairs){0};
  sweep s = {.profiles = profiles,
             .heap = calloc(count + 1, sizeof(size_t)),
             .next = calloc(count + 1, sizeof(size_t)),
             .alive = calloc(count + 1, sizeof(size_t)),
             .places = calloc(count + 1, sizeof(size_t)),
             .changed = calloc(count + 1, sizeof(size_t)),
             .table = calloc(256, sizeof(size_t)),
             .capacity = 256,
             .out = out};
  const bool done =
      s.heap && s.next && s.alive && s.places && s.changed && s.table && run(&s, count);
  free(s.heap);
  free(s.next);
  free(s.alive);
  free(s.places);
  free(s.changed);
  free(s.table);
  return done;
}

void stow_stream_pairs_free(stow_stream_pairs *pairs) {
  free(pairs->at);
  *pairs = (stow_stream_pairs){0};
}
