//===- invariants.c - what a read program promises the rules --------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "check/invariants.h"

#ifndef NDEBUG

#include <assert.h>

static bool is_index(int64_t index, size_t count) { return index >= 0 && (size_t)index < count; }
static bool is_index_or_none(int64_t index, size_t count) {
  return index == -1 || is_index(index, count);
}

static void assert_nodes(const stow_check_program *p) {
  for (size_t n = 0; n < p->node_count; ++n) {
    const stow_check_node *node = &p->nodes[n];
    assert(node->first_event <= node->event_end && node->event_end <= p->event_count);
    assert(node->begin <= node->end && node->end < p->position);
  }
  for (size_t o = 1; o < p->order_count; ++o)
    assert(p->nodes[p->order[o - 1]].begin < p->nodes[p->order[o]].begin);
  for (size_t e = 0; e < p->edge_count; ++e)
    assert(is_index(p->edges[e].from, p->node_count) && is_index(p->edges[e].to, p->node_count));
}

static void assert_events(const stow_check_program *p) {
  for (size_t i = 0; i < p->event_count; ++i) {
    const stow_check_event *event = &p->events[i];
    if (event->kind == STOW_CHECK_EVENT_DEFINE)
      assert(is_index(event->name, p->name_count));
    else
      assert(is_index(event->op, p->op_count) && event->first + event->count <= p->access_count);
  }
  for (size_t a = 0; a < p->access_count; ++a) {
    assert(is_index_or_none(p->accesses[a].place.name, p->name_count));
    assert(p->accesses[a].writes || !p->accesses[a].fills);
  }
}

// A carve lies in its parent, which stands before it; a choice has leaves for origins.
static void assert_names(const stow_check_program *p) {
  for (size_t n = 0; n < p->name_count; ++n) {
    const stow_check_name *name = &p->names[n];
    assert(name->bytes.lo == 0 && is_index_or_none(name->node, p->node_count));
    assert(name->first_source + name->source_count <= p->source_count);
    assert(name->first_origin + name->origin_count <= p->origin_count);
    if (name->kind == STOW_CHECK_CARVE)
      assert(is_index(name->parent, p->name_count) && is_index(name->anchor, p->name_count));
    for (size_t o = name->first_origin; o < name->first_origin + name->origin_count; ++o)
      assert(p->names[p->origins[o].leaf].kind != STOW_CHECK_CHOICE);
  }
  for (size_t s = 0; s < p->source_count; ++s)
    assert(p->names[p->sources[s].choice].kind == STOW_CHECK_CHOICE &&
           is_index_or_none(p->sources[s].edge, p->edge_count));
}

void stow_check_assert_program(const stow_check_program *program) {
  assert_nodes(program);
  assert_events(program);
  assert_names(program);
}

#endif // NDEBUG
