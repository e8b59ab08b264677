//===- alike.c - ranges that are the same but for where they lie ----------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In a key, a buffer is the number of its first touch in the range. Windows are in the order of
// their buffers, so the distance from buffer to buffer belongs to the key, too, where they may have
// one: a buffer that was touched before the range has none.
//
//===----------------------------------------------------------------------===//

#include "stream/alike.h"

#include <stdlib.h>

//===----------------------------------------------------------------------===//
// Keys
//===----------------------------------------------------------------------===//

static uint64_t mix(uint64_t state, uint64_t value, uint64_t by) {
  state = (state ^ value) * by;
  return state ^ (state >> 29) ^ (state << 17);
}

static stow_stream_key with(stow_stream_key key, uint64_t value) {
  return (stow_stream_key){mix(key.one, value, 0x9e3779b97f4a7c15u),
                           mix(key.other, value, 0xd6e8feb86659fd93u)};
}

// Of a set, in any order.
static void toggle(stow_stream_key *set, uint64_t member) {
  const stow_stream_key it = with(with((stow_stream_key){1, 2}, member), member);
  set->one ^= it.one;
  set->other ^= it.other;
}

static void begin(stow_stream_alike *a, size_t first) {
  for (size_t i = 0; i < a->touched_count; ++i) {
    a->numbers[a->touched[i]] = 0;
    a->left[a->touched[i]] = false;
  }
  a->touched_count = 0;
  a->first = a->end = first;
  a->base = SIZE_MAX;
  a->so_far = (stow_stream_key){1, 2}; // of which no statement is neutral
  a->leaving = (stow_stream_key){0, 0};
}

static void add_buffer(stow_stream_alike *a, const stow_stream_scheduler *s, size_t buffer) {
  const stow_stream_buffer *it = &s->problem->buffers[buffer];
  const bool enters = s->spans[buffer].first < a->first;
  if (!enters && a->base == SIZE_MAX)
    a->base = buffer;
  const uint64_t about[] = {
      (uint64_t)it->rows, it->row_bytes, it->bytes,
      (uint64_t)(enters | it->local << 1 | it->passing << 2 | it->scattered << 3),
      enters ? 0 : buffer - a->base};
  for (size_t i = 0; i < sizeof about / sizeof *about; ++i)
    a->so_far = with(a->so_far, about[i]);
  a->touched[a->touched_count++] = buffer;
  a->numbers[buffer] = a->touched_count;
  toggle(&a->leaving, a->numbers[buffer]);
}

static void add_access(stow_stream_alike *a, const stow_stream_scheduler *s,
                       const stow_stream_access *access) {
  const size_t buffer = access->buffer;
  if (a->numbers[buffer] == 0)
    add_buffer(a, s, buffer);
  const uint64_t about[] = {
      a->numbers[buffer] << 2 | (uint64_t)(access->writes << 1) | (uint64_t)access->whole,
      (uint64_t)access->stride, (uint64_t)access->low, (uint64_t)access->high, access->again};
  for (size_t i = 0; i < sizeof about / sizeof *about; ++i)
    a->so_far = with(a->so_far, about[i]);
  if (s->spans[buffer].last == a->end && !a->left[buffer]) {
    a->left[buffer] = true;
    toggle(&a->leaving, a->numbers[buffer]);
  }
}

static void add_statement(stow_stream_alike *a, const stow_stream_scheduler *s) {
  const stow_stream_statement *it = &s->problem->statements[a->end];
  a->so_far = with(with(a->so_far, (uint64_t)it->iterations), it->access_count);
  a->so_far = with(a->so_far, it->used_once);
  for (size_t i = 0; i < it->access_count; ++i)
    add_access(a, s, &it->accesses[i]);
  ++a->end;
}

stow_stream_key stow_stream_key_of(stow_stream_alike *a, const stow_stream_scheduler *s,
                                   size_t first, size_t end) {
  if (first != a->first || end < a->end)
    begin(a, first);
  while (a->end < end)
    add_statement(a, s);
  const uint64_t around[] = {
      a->leaving.one, a->leaving.other, s->crossing[first], s->held[first],
      (uint64_t)((s->alive_in.first < first) | (s->alive_in.last >= end) << 1)};
  stow_stream_key key = a->so_far;
  for (size_t i = 0; i < sizeof around / sizeof *around; ++i)
    key = with(key, around[i]);
  return key;
}

//===----------------------------------------------------------------------===//
// What is kept
//===----------------------------------------------------------------------===//

bool stow_stream_alike_create(const stow_stream_problem *problem, stow_stream_alike *out) {
  *out = (stow_stream_alike){.capacity = 256};
  out->entries = calloc(out->capacity, sizeof *out->entries);
  out->numbers = calloc(problem->buffer_count + 1, sizeof *out->numbers);
  out->left = calloc(problem->buffer_count + 1, sizeof *out->left);
  out->touched = calloc(problem->buffer_count + 1, sizeof *out->touched);
  begin(out, SIZE_MAX);
  return out->entries && out->numbers && out->left && out->touched;
}

void stow_stream_alike_free(stow_stream_alike *a) {
  free(a->entries);
  free(a->numbers);
  free(a->left);
  free(a->touched);
  *a = (stow_stream_alike){0};
}

// Where a key is, or where there is room for it.
static size_t slot_of(const stow_stream_alike *a, stow_stream_key key) {
  size_t at = (size_t)key.one & (a->capacity - 1);
  while (a->entries[at].used &&
         (a->entries[at].key.one != key.one || a->entries[at].key.other != key.other))
    at = (at + 1) & (a->capacity - 1);
  return at;
}

const stow_stream_costs *stow_stream_alike_find(const stow_stream_alike *a, stow_stream_key key) {
  const size_t at = slot_of(a, key);
  return a->entries[at].used ? &a->entries[at].costs : NULL;
}

static bool grow(stow_stream_alike *a) {
  stow_stream_alike larger = *a;
  larger.capacity = 2 * a->capacity;
  larger.entries = calloc(larger.capacity, sizeof *larger.entries);
  if (!larger.entries)
    return false;
  for (size_t i = 0; i < a->capacity; ++i)
    if (a->entries[i].used)
      larger.entries[slot_of(&larger, a->entries[i].key)] = a->entries[i];
  free(a->entries);
  *a = larger;
  return true;
}

bool stow_stream_alike_keep(stow_stream_alike *a, stow_stream_key key, stow_stream_costs costs) {
  if (2 * a->count >= a->capacity && !grow(a))
    return false;
  const size_t at = slot_of(a, key);
  a->count += !a->entries[at].used;
  a->entries[at].key = key;
  a->entries[at].costs = costs;
  a->entries[at].used = true;
  return true;
}
