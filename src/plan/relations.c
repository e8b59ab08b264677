//===- relations.c - what is special about pairs of buffers ---------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires a problem whose relations are valid. Computes the classes of buffers that must share
// their place, named by their lowest member, and per buffer a sorted list of those that it is
// related to in another way.
//
//===----------------------------------------------------------------------===//

#include "problem.h"
#include "sort.h"

static bool binds(const stow_problem *problem, const unsigned char *bonds, size_t relation) {
  const stow_relation_kind kind = problem->relations[relation].kind;
  return kind == STOW_COLOCATED || (kind == STOW_MAY_COLOCATE && bonds && bonds[relation]);
}

static uint32_t lowest_of(uint32_t *class_of, uint32_t buffer) {
  while (class_of[buffer] != buffer)
    buffer = class_of[buffer] = class_of[class_of[buffer]];
  return buffer;
}

static void unite(uint32_t *class_of, uint32_t a, uint32_t b) {
  a = lowest_of(class_of, a);
  b = lowest_of(class_of, b);
  class_of[a > b ? a : b] = a < b ? a : b;
}

static stow_status read_classes(stow_relations *relations, const unsigned char *bonds,
                                stow_memory *memory) {
  const stow_problem *problem = relations->problem;
  uint32_t *class_of = STOW_TAKE(memory, uint32_t, problem->buffer_count);
  if (!class_of)
    return STOW_NO_MEMORY;
  for (uint32_t i = 0; i < problem->buffer_count; ++i)
    class_of[i] = i;
  for (size_t i = 0; i < problem->relation_count; ++i)
    if (binds(problem, bonds, i))
      unite(class_of, (uint32_t)problem->relations[i].first,
            (uint32_t)problem->relations[i].second);
  for (uint32_t i = 0; i < problem->buffer_count; ++i)
    class_of[i] = lowest_of(class_of, i);
  relations->class_of = class_of;
  return STOW_OK;
}

static size_t count_kind(const stow_problem *problem, stow_relation_kind kind) {
  size_t count = 0;
  for (size_t i = 0; i < problem->relation_count; ++i)
    count += problem->relations[i].kind == kind;
  return count;
}

size_t stow_plan_count_optional(const stow_problem *problem) {
  return count_kind(problem, STOW_MAY_COLOCATE);
}

// Every pair twice, once from each side.
static void list_pairs(const stow_problem *problem, stow_relation_kind kind,
                       stow_sort_pair *pairs) {
  size_t count = 0;
  for (size_t i = 0; i < problem->relation_count; ++i) {
    const uint64_t a = problem->relations[i].first, b = problem->relations[i].second;
    if (problem->relations[i].kind != kind)
      continue;
    pairs[count++] = (stow_sort_pair){a << 32 | b, 0};
    pairs[count++] = (stow_sort_pair){b << 32 | a, 0};
  }
}

stow_status stow_plan_list_related(const stow_problem *problem, stow_relation_kind kind,
                                   stow_memory *memory, const uint32_t **out_first,
                                   const uint32_t **out_others) {
  const size_t count = 2 * count_kind(problem, kind);
  stow_sort_pair *pairs = STOW_TAKE(memory, stow_sort_pair, count);
  stow_sort_pair *scratch = STOW_TAKE(memory, stow_sort_pair, count);
  uint32_t *first = STOW_TAKE_ZEROED(memory, uint32_t, problem->buffer_count + 1);
  uint32_t *others = STOW_TAKE(memory, uint32_t, count);
  if (!pairs || !scratch || !first || !others)
    return STOW_NO_MEMORY;
  list_pairs(problem, kind, pairs);
  stow_sort_pairs(pairs, scratch, count);
  for (size_t i = 0; i < count; ++i) {
    ++first[(pairs[i].key >> 32) + 1];
    others[i] = (uint32_t)pairs[i].key;
  }
  for (size_t i = 0; i < problem->buffer_count; ++i)
    first[i + 1] += first[i];
  *out_first = first;
  *out_others = others;
  stow_memory_drop(memory, scratch);
  stow_memory_drop(memory, pairs);
  return STOW_OK;
}

stow_status stow_relations_read(const stow_problem *problem, const unsigned char *bonds,
                                stow_memory *memory, stow_relations *out_relations) {
  *out_relations = (stow_relations){.problem = problem};
  const size_t exclusive_count = count_kind(problem, STOW_EXCLUSIVE);
  stow_status status = STOW_OK;
  if (exclusive_count != problem->relation_count)
    status = read_classes(out_relations, bonds, memory);
  if (status == STOW_OK && exclusive_count)
    status = stow_plan_list_related(problem, STOW_EXCLUSIVE, memory,
                                    &out_relations->first_exclusive, &out_relations->exclusives);
  return status;
}

bool stow_plan_are_related(const uint32_t *first, const uint32_t *others, uint32_t a, uint32_t b) {
  uint32_t low = first[a], high = first[a + 1];
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    if (others[middle] == b)
      return true;
    if (others[middle] < b)
      low = middle + 1;
    else
      high = middle;
  }
  return false;
}

bool stow_plan_has_exclusives(const stow_relations *relations, uint32_t buffer) {
  const uint32_t *first = relations->first_exclusive;
  return first && first[buffer] < first[buffer + 1];
}

bool stow_plan_are_exclusive(const stow_relations *relations, uint32_t a, uint32_t b) {
  return relations->first_exclusive &&
         stow_plan_are_related(relations->first_exclusive, relations->exclusives, a, b);
}
