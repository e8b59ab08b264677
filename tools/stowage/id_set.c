//===- id_set.c - ids seen so far -----------------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "id_set.h"

#include <stdlib.h>
#include <string.h>

void tool_id_set_release(tool_id_set *set) {
  free(set->slots);
  *set = (tool_id_set){0};
}

// FNV-1a, then mixed: the low bits choose the slot.
static uint64_t hash_of(const char *id) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (; *id; id++)
    hash = (hash ^ (unsigned char)*id) * 0x100000001b3u;
  return hash ^ hash >> 32;
}

// The slot that holds `id`, or the empty one where it would go.
static size_t slot_of(const tool_id_set *set, const tool_instance *instance, const char *id) {
  size_t slot = (size_t)hash_of(id) & (set->slot_count - 1);
  while (set->slots[slot] && strcmp(tool_instance_id(instance, set->slots[slot] - 1), id))
    slot = (slot + 1) & (set->slot_count - 1);
  return slot;
}

static bool grow(tool_id_set *set, const tool_instance *instance) {
  tool_id_set grown = {.slot_count = set->slot_count ? set->slot_count * 2 : 64, .used = set->used};
  grown.slots = calloc(grown.slot_count, sizeof *grown.slots);
  if (!grown.slots)
    return false;
  for (size_t i = 0; i < set->slot_count; i++)
    if (set->slots[i])
      grown.slots[slot_of(&grown, instance, tool_instance_id(instance, set->slots[i] - 1))] =
          set->slots[i];
  free(set->slots);
  *set = grown;
  return true;
}

bool tool_id_set_add(tool_id_set *set, const tool_instance *instance, size_t index,
                     size_t *out_first) {
  if (set->used * 2 >= set->slot_count && !grow(set, instance))
    return false;
  size_t *const slot = &set->slots[slot_of(set, instance, tool_instance_id(instance, index))];
  if (!*slot) {
    *slot = index + 1;
    set->used++;
  }
  *out_first = *slot - 1;
  return true;
}

size_t tool_id_set_find(const tool_id_set *set, const tool_instance *instance, const char *id) {
  if (!set->slot_count)
    return instance->count;
  const size_t stored = set->slots[slot_of(set, instance, id)];
  return stored ? stored - 1 : instance->count;
}
