//===- instance.h - a planning problem with its names, as read from a file ===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the readers make, the commands work on and the writers write. The arrays are
// shaped as plan.h wants them, so a problem is a view of an instance and nothing is
// copied. All strings live in one pool; an entry of `labels` is an index into it,
// because the pool moves while it grows. Index 0 is the empty string.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_TOOL_INSTANCE_H
#define STOWAGE_TOOL_INSTANCE_H

#include "error.h"
#include "stowage/plan.h"

// The strings a buffer may have beside its numbers.
typedef struct tool_labels {
  size_t id, name, op, op_location, layer, type, location;
} tool_labels;

// What a reader does not take as it stands, once per kind and input. One line per kind: enumerator,
// what is said about the first.
#define TOOL_WARNINGS(X)                                                                           \
  X(GAPS_CUT, "these gaps reach past the life and are cut to it")                                  \
  X(PARTS_LEFT_OUT, "the windows inside of this buffer are left out; 'stowage map' draws them in " \
                    "--output=FILE.html")                                                          \
  X(SPACE_ALONE,                                                                                   \
    "'space' is ignored: it names the memory of an offset, and this buffer has none; "             \
    "'spaces' names the memories that a buffer may go to")

typedef enum tool_warning_kind {
#define TOOL_WARNING_KIND(ENUM, TEXT) TOOL_##ENUM,
  TOOL_WARNINGS(TOOL_WARNING_KIND)
#undef TOOL_WARNING_KIND
      TOOL_WARNING_COUNT
} tool_warning_kind;

typedef struct tool_warning {
  tool_position first;
  size_t count;
} tool_warning;

// A buffer on its way into an instance.
typedef struct tool_entry {
  stow_buffer buffer;
  uint64_t offset; // STOW_ANY_OFFSET: none
  uint64_t hint;   // an offset that a planner may try, kept for others; STOW_ANY_OFFSET: none
  tool_labels labels;
  const stow_piece *pieces; // of a life that is not whole
  size_t piece_count;
  uint64_t allowed; // spaces it may go to, a bit each; 0: any
  uint32_t space;   // the one it is in, with `offset`
} tool_entry;

typedef struct tool_instance {
  size_t count, capacity;
  stow_buffer *buffers;
  uint64_t *offsets; // STOW_ANY_OFFSET: none
  uint64_t *hints;   // the same
  tool_labels *labels;
  size_t *piece_starts; // count + 1 entries where there is a buffer
  uint64_t *allowed;
  uint64_t *held;   // of them those that the offsets leave
  uint32_t *placed; // spaces of the buffers that have offsets

  stow_piece *pieces;
  size_t piece_count, piece_capacity;
  stow_relation *relations;
  size_t relation_count, relation_capacity;

  stow_space spaces[STOW_MAX_SPACES];
  size_t space_names[STOW_MAX_SPACES];
  size_t space_count; // 0: one without a name or a limit

  char *text;
  size_t text_size, text_capacity;
  bool from_json;
  uint64_t arena_capacity; // as the file says; 0: it does not
  tool_warning warnings[TOOL_WARNING_COUNT];
  stow_strategy strategy; // that made the offsets, as the file says; else STOW_STRATEGY_COUNT
} tool_instance;

void tool_instance_open(tool_instance *out_instance);

// Leaves an empty instance.
void tool_instance_release(tool_instance *instance);

// Copies a string into the pool. On false, out of memory.
bool tool_instance_text(tool_instance *instance, const char *text, size_t size, size_t *out_index);

// One buffer more, or one relation more. On false, out of memory.
bool tool_instance_add(tool_instance *instance, const tool_entry *entry);
bool tool_instance_relate(tool_instance *instance, const stow_relation *relation);

void tool_instance_warn(tool_instance *instance, tool_warning_kind kind, tool_position position);

const char *tool_instance_id(const tool_instance *instance, size_t index);

// The name where there is one, else the id.
const char *tool_instance_name(const tool_instance *instance, size_t index);

const char *tool_instance_string(const tool_instance *instance, size_t text);

// The space of this name, or `space_count`.
size_t tool_instance_find_space(const tool_instance *instance, const char *name, size_t size);

// The pieces of a life that is not whole; 0 of one that is.
size_t tool_instance_pieces(const tool_instance *instance, size_t index,
                            const stow_piece **out_pieces);

bool tool_instance_has_offsets(const tool_instance *instance);
bool tool_instance_has_hints(const tool_instance *instance);

// The first buffer without an offset, or `count` where every one has one.
size_t tool_instance_first_unplaced(const tool_instance *instance);

// A view that lives as long as the instance is not changed. `with_fixed`: offsets read are
// required, each in its space.
stow_problem tool_instance_problem(const tool_instance *instance, bool with_fixed);

#endif // STOWAGE_TOOL_INSTANCE_H
