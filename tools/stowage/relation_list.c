//===- relation_list.c - pairs of buffers, named by ids -------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relation_list.h"

#include "array.h"

#include <stdlib.h>
#include <string.h>

static const struct {
  const char *name;
  stow_relation_kind kind;
} kinds[] = {
#define TOOL_RELATION_ROW(KIND, NAME, HELP) {NAME, KIND},
    TOOL_RELATIONS(TOOL_RELATION_ROW)
#undef TOOL_RELATION_ROW
};

void tool_relation_list_release(tool_relation_list *list) {
  free(list->relations);
  *list = (tool_relation_list){0};
}

int tool_relation_kind(const char *name, size_t size) {
  for (size_t i = 0; i < TOOL_RELATION_KINDS; i++)
    if (strlen(kinds[i].name) == size && !memcmp(kinds[i].name, name, size))
      return (int)kinds[i].kind;
  return -1;
}

const char *tool_relation_name(stow_relation_kind kind) {
  for (size_t i = 0; i < TOOL_RELATION_KINDS; i++)
    if (kinds[i].kind == kind)
      return kinds[i].name;
  return "";
}

static bool append(tool_relation_list *list, const tool_named_relation *relation) {
  if (!tool_reserve((void **)&list->relations, &list->capacity, list->count + 1, sizeof *relation))
    return false;
  list->relations[list->count++] = *relation;
  return true;
}

bool tool_relation_list_add(tool_relation_list *list, tool_instance *instance,
                            stow_relation_kind kind, const char *id, size_t size,
                            tool_position position) {
  tool_named_relation relation = {.kind = kind, .first = instance->count, .position = position};
  return tool_instance_text(instance, id, size, &relation.second_id) && append(list, &relation);
}

bool tool_relation_list_add_pair(tool_relation_list *list, tool_instance *instance,
                                 stow_relation_kind kind, const char *first, const char *second,
                                 tool_position position) {
  tool_named_relation relation = {.kind = kind, .position = position};
  return tool_instance_text(instance, first, strlen(first), &relation.first_id) &&
         tool_instance_text(instance, second, strlen(second), &relation.second_id) &&
         append(list, &relation);
}

// Pairs are sorted so that one that both buffers name comes twice in a row.
static int by_pair(const void *left, const void *right) {
  const stow_relation *const a = left, *const b = right;
  if (a->first != b->first)
    return a->first < b->first ? -1 : 1;
  if (a->second != b->second)
    return a->second < b->second ? -1 : 1;
  return (a->kind > b->kind) - (a->kind < b->kind);
}

static void drop_repeats(tool_instance *instance) {
  stow_relation *const all = instance->relations;
  size_t kept = 0;
  if (instance->relation_count > 1)
    qsort(all, instance->relation_count, sizeof *all, by_pair);
  for (size_t i = 0; i < instance->relation_count; i++)
    if (!kept || by_pair(&all[kept - 1], &all[i]))
      all[kept++] = all[i];
  instance->relation_count = kept;
}

static bool find_buffer(const tool_named_relation *named, size_t text, const tool_id_set *ids,
                        const tool_instance *instance, size_t *out_index, tool_error *out_error) {
  const char *const id = tool_instance_string(instance, text);
  *out_index = tool_id_set_find(ids, instance, id);
  return *out_index < instance->count ||
         tool_fail(out_error, named->position, "expected the id of a buffer, found %s",
                   tool_quote(id, strlen(id)).text);
}

static bool settle_one(const tool_named_relation *named, const tool_id_set *ids,
                       tool_instance *instance, tool_error *out_error) {
  size_t first = named->first, second;
  if (named->first_id && !find_buffer(named, named->first_id, ids, instance, &first, out_error))
    return false;
  if (!find_buffer(named, named->second_id, ids, instance, &second, out_error))
    return false;
  if (first == second)
    return tool_fail(out_error, named->position, "a buffer cannot be %s with itself",
                     tool_relation_name(named->kind));
  const bool ordered = first < second;
  const stow_relation relation = {named->kind, ordered ? first : second, ordered ? second : first};
  return tool_instance_relate(instance, &relation) || tool_fail_memory(out_error);
}

bool tool_relation_list_settle(const tool_relation_list *list, const tool_id_set *ids,
                               tool_instance *instance, tool_error *out_error) {
  for (size_t i = 0; i < list->count; i++)
    if (!settle_one(&list->relations[i], ids, instance, out_error))
      return false;
  drop_repeats(instance);
  return true;
}
