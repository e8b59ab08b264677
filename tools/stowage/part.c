//===- part.c - the buffers of one space as an instance -------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "part.h"

#include <stdlib.h>

static bool copy_buffer(const tool_instance *instance, size_t index, uint64_t offset,
                        tool_instance *part) {
  tool_entry entry = {.buffer = instance->buffers[index],
                      .offset = offset,
                      .hint = instance->hints[index],
                      .labels = instance->labels[index],
                      .allowed = instance->allowed[index],
                      .space = instance->placed[index]};
  entry.piece_count = tool_instance_pieces(instance, index, &entry.pieces);
  return tool_instance_add(part, &entry);
}

static bool copy_relations(const tool_instance *instance, const size_t *indices,
                           tool_instance *part) {
  for (size_t i = 0; i < instance->relation_count; i++) {
    const stow_relation *const relation = &instance->relations[i];
    const stow_relation copy = {relation->kind, indices[relation->first],
                                indices[relation->second]};
    if (copy.first != SIZE_MAX && copy.second != SIZE_MAX && !tool_instance_relate(part, &copy))
      return false;
  }
  return true;
}

static bool copy_all(const tool_instance *instance, const uint64_t *offsets, const uint32_t *spaces,
                     uint32_t space, size_t *indices, tool_instance *part) {
  size_t ignored;
  if (instance->text_size > 1 &&
      !tool_instance_text(part, instance->text + 1, instance->text_size - 2, &ignored))
    return false;
  for (size_t i = 0; i < instance->count; i++) {
    indices[i] = spaces[i] == space ? part->count : SIZE_MAX;
    if (spaces[i] == space && !copy_buffer(instance, i, offsets[i], part))
      return false;
  }
  return copy_relations(instance, indices, part);
}

bool tool_part_make(const tool_instance *instance, const uint64_t *offsets, const uint32_t *spaces,
                    uint32_t space, tool_instance *out_part) {
  tool_instance_open(out_part);
  size_t *const indices = malloc((instance->count + 1) * sizeof *indices);
  const bool done = indices && copy_all(instance, offsets, spaces, space, indices, out_part);
  free(indices);
  if (!done)
    tool_instance_release(out_part);
  return done;
}

bool tool_part_of_placed(const tool_instance *instance, tool_instance *out_part) {
  enum { PLACED, FREE };
  uint32_t *const groups = malloc((instance->count + 1) * sizeof *groups);
  for (size_t i = 0; groups && i < instance->count; i++)
    groups[i] = instance->offsets[i] == STOW_ANY_OFFSET ? FREE : PLACED;
  const bool done = groups && tool_part_make(instance, instance->offsets, groups, PLACED, out_part);
  free(groups);
  for (size_t i = 0; done && i < instance->space_count; i++) {
    out_part->spaces[i] = instance->spaces[i];
    out_part->space_names[i] = instance->space_names[i];
  }
  if (done)
    out_part->space_count = instance->space_count;
  return done;
}
