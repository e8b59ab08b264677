//===- relation_list.h - pairs of buffers, named by ids -------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A row may name a buffer that comes later, so what the rows say about pairs is kept
// as text until all ids are known.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_TOOL_RELATION_LIST_H
#define STOWAGE_TOOL_RELATION_LIST_H

#include "id_set.h"

// One line per kind: the planner's name, the column's or member's name, help for people.
#define TOOL_RELATIONS(X)                                                                          \
  X(STOW_EXCLUSIVE, "exclusive", "never needed in the same run")                                   \
  X(STOW_COLOCATED, "colocated", "must start at the same offset")                                  \
  X(STOW_MAY_COLOCATE, "may_colocate", "may overlap where both start at the same offset")

enum { TOOL_RELATION_KINDS = 3 };

typedef struct tool_named_relation {
  stow_relation_kind kind;
  size_t first;    // index of a buffer, where first_id is 0
  size_t first_id; // ids, in the instance's text
  size_t second_id;
  tool_position position;
} tool_named_relation;

// Zero-initialised is empty.
typedef struct tool_relation_list {
  tool_named_relation *relations;
  size_t count, capacity;
} tool_relation_list;

void tool_relation_list_release(tool_relation_list *list);

// The kind of this name, or -1.
int tool_relation_kind(const char *name, size_t size);
const char *tool_relation_name(stow_relation_kind kind);

// Notes a relation of the buffer that the instance gets next. On false, out of memory.
bool tool_relation_list_add(tool_relation_list *list, tool_instance *instance,
                            stow_relation_kind kind, const char *id, size_t size,
                            tool_position position);

// Notes a relation of two buffers by their ids. On false, out of memory.
bool tool_relation_list_add_pair(tool_relation_list *list, tool_instance *instance,
                                 stow_relation_kind kind, const char *first, const char *second,
                                 tool_position position);

// Turns the ids into indices, each pair once, and moves all to the instance.
bool tool_relation_list_settle(const tool_relation_list *list, const tool_id_set *ids,
                               tool_instance *instance, tool_error *out_error);

#endif // STOWAGE_TOOL_RELATION_LIST_H
