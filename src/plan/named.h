//===- named.h - spans whose being in the way depends on who asks ---------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Spans of buffers that are exclusive with others cannot be merged with anything. They
// are *named*: each lies as it is in a plain list of the nodes of its sections, and a
// query makes a sorted list of those that it meets and may not overlap.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_PLAN_NAMED_H
#define STOWAGE_PLAN_NAMED_H

#include "ranges.h"
#include "section_tree.h"

typedef struct stow_named {
  stow_memory *memory;
  const stow_relations *relations;
  struct named_lists *lists; // per node; NULL while nothing is named
  struct named *spans;
  uint32_t span_count, span_capacity;
  stow_range *met; // scratch of a query: the named ranges that count
  uint32_t met_count, met_capacity;
  uint64_t effort;
} stow_named;

// Makes room for lists of that many nodes, unless that was done. False: no memory.
bool stow_named_start(stow_named *named, size_t node_count);

// Whether a node has so many named spans already that queries would get long.
bool stow_named_are_many(const stow_named *named, const stow_node_set *set);

// False: no memory.
bool stow_named_add(stow_named *named, const stow_node_set *set, stow_range range, uint32_t buffer);

// Collects what the span meets among the named: met[*out_first...], sorted and merged. The ranges
// of all spans of a query share one array, which may move until the last is in.
stow_status stow_named_meet(stow_named *named, const stow_node_set *set, const stow_plan_span *span,
                            uint32_t *out_first, uint32_t *out_count);

#endif // STOWAGE_PLAN_NAMED_H
