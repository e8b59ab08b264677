//===- instance.c - a planning problem with its names, as read from a file ===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "instance.h"

#include "array.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

void tool_instance_open(tool_instance *out_instance) {
  *out_instance = (tool_instance){.strategy = STOW_STRATEGY_COUNT};
}

void tool_instance_release(tool_instance *instance) {
  free(instance->buffers);
  free(instance->offsets);
  free(instance->hints);
  free(instance->labels);
  free(instance->piece_starts);
  free(instance->allowed);
  free(instance->held);
  free(instance->placed);
  free(instance->pieces);
  free(instance->relations);
  free(instance->text);
  tool_instance_open(instance);
}

//===----------------------------------------------------------------------===//
// Strings
//===----------------------------------------------------------------------===//

static bool append_text(tool_instance *instance, const char *text, size_t size) {
  if (!tool_reserve((void **)&instance->text, &instance->text_capacity,
                    instance->text_size + size + 1, 1))
    return false;
  memcpy(instance->text + instance->text_size, text, size);
  instance->text_size += size;
  instance->text[instance->text_size++] = '\0';
  return true;
}

bool tool_instance_text(tool_instance *instance, const char *text, size_t size, size_t *out_index) {
  *out_index = 0;
  if (!instance->text_size && !append_text(instance, "", 0))
    return false;
  if (!size)
    return true;
  *out_index = instance->text_size;
  return append_text(instance, text, size);
}

const char *tool_instance_string(const tool_instance *instance, size_t text) {
  assert(text < instance->text_size || !text);
  return instance->text ? instance->text + text : "";
}

const char *tool_instance_id(const tool_instance *instance, size_t index) {
  return tool_instance_string(instance, instance->labels[index].id);
}

const char *tool_instance_name(const tool_instance *instance, size_t index) {
  const tool_labels *const labels = &instance->labels[index];
  return tool_instance_string(instance, labels->name ? labels->name : labels->id);
}

size_t tool_instance_find_space(const tool_instance *instance, const char *name, size_t size) {
  size_t space = 0;
  for (; space < instance->space_count; space++) {
    const char *const candidate = tool_instance_string(instance, instance->space_names[space]);
    if (strlen(candidate) == size && !memcmp(candidate, name, size))
      break;
  }
  return space;
}

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

// Room for one buffer more in every array, and for the end of its pieces.
static bool reserve_buffers(tool_instance *instance) {
  struct {
    void **array;
    size_t element, capacity;
  } arrays[] = {{(void **)&instance->buffers, sizeof *instance->buffers, 0},
                {(void **)&instance->offsets, sizeof *instance->offsets, 0},
                {(void **)&instance->hints, sizeof *instance->hints, 0},
                {(void **)&instance->labels, sizeof *instance->labels, 0},
                {(void **)&instance->allowed, sizeof *instance->allowed, 0},
                {(void **)&instance->held, sizeof *instance->held, 0},
                {(void **)&instance->placed, sizeof *instance->placed, 0},
                {(void **)&instance->piece_starts, sizeof *instance->piece_starts, 0}};
  enum { ARRAYS = sizeof arrays / sizeof *arrays };
  for (size_t i = 0; i < ARRAYS; i++) {
    arrays[i].capacity = instance->capacity;
    if (!tool_reserve(arrays[i].array, &arrays[i].capacity, instance->count + 2, arrays[i].element))
      return false;
  }
  instance->capacity = arrays[0].capacity;
  return true;
}

static bool append_pieces(tool_instance *instance, const stow_piece *pieces, size_t count) {
  if (!tool_reserve((void **)&instance->pieces, &instance->piece_capacity,
                    instance->piece_count + count, sizeof *pieces))
    return false;
  for (size_t i = 0; i < count; i++)
    instance->pieces[instance->piece_count++] = pieces[i];
  return true;
}

// A name that is the id again says nothing.
static void drop_repeated_name(const tool_instance *instance, tool_labels *labels) {
  if (!strcmp(tool_instance_string(instance, labels->name),
              tool_instance_string(instance, labels->id)))
    labels->name = 0;
}

bool tool_instance_add(tool_instance *instance, const tool_entry *entry) {
  const size_t index = instance->count;
  if (!reserve_buffers(instance))
    return false;
  instance->piece_starts[index] = instance->piece_count;
  if (!append_pieces(instance, entry->pieces, entry->piece_count))
    return false;
  instance->piece_starts[index + 1] = instance->piece_count;
  instance->buffers[index] = entry->buffer;
  instance->offsets[index] = entry->offset;
  instance->hints[index] = entry->hint;
  instance->labels[index] = entry->labels;
  drop_repeated_name(instance, &instance->labels[index]);
  instance->allowed[index] = entry->allowed ? entry->allowed : UINT64_MAX;
  instance->held[index] = entry->offset == STOW_ANY_OFFSET
                              ? instance->allowed[index]
                              : instance->allowed[index] & (uint64_t)1 << entry->space;
  instance->placed[index] = entry->space;
  instance->count++;
  return true;
}

bool tool_instance_relate(tool_instance *instance, const stow_relation *relation) {
  if (!tool_reserve((void **)&instance->relations, &instance->relation_capacity,
                    instance->relation_count + 1, sizeof *relation))
    return false;
  instance->relations[instance->relation_count++] = *relation;
  return true;
}

size_t tool_instance_pieces(const tool_instance *instance, size_t index,
                            const stow_piece **out_pieces) {
  *out_pieces = instance->pieces + instance->piece_starts[index];
  return instance->piece_starts[index + 1] - instance->piece_starts[index];
}

static bool has_any(const uint64_t *offsets, size_t count) {
  size_t i = 0;
  while (i < count && offsets[i] == STOW_ANY_OFFSET)
    i++;
  return i < count;
}

bool tool_instance_has_offsets(const tool_instance *instance) {
  return has_any(instance->offsets, instance->count);
}

bool tool_instance_has_hints(const tool_instance *instance) {
  return has_any(instance->hints, instance->count);
}

void tool_instance_warn(tool_instance *instance, tool_warning_kind kind, tool_position position) {
  tool_warning *const warning = &instance->warnings[kind];
  if (!warning->count++)
    warning->first = position;
}

size_t tool_instance_first_unplaced(const tool_instance *instance) {
  size_t i = 0;
  while (i < instance->count && instance->offsets[i] != STOW_ANY_OFFSET)
    i++;
  return i;
}

stow_problem tool_instance_problem(const tool_instance *instance, bool with_fixed) {
  stow_problem problem = STOW_PROBLEM(instance->buffers, instance->count);
  if (with_fixed && tool_instance_has_offsets(instance))
    problem.fixed_offsets = instance->offsets;
  if (instance->piece_count) {
    problem.piece_starts = instance->piece_starts;
    problem.pieces = instance->pieces;
  }
  problem.relation_count = instance->relation_count;
  problem.relations = instance->relations;
  if (instance->space_count) {
    problem.space_count = instance->space_count;
    problem.spaces = instance->spaces;
    problem.allowed_spaces = with_fixed ? instance->held : instance->allowed;
  }
  return problem;
}
