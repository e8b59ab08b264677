//===- invariants.c - what a read program promises the rules --------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Asserts what program.h says of a program that was read: indices are in their tables, a carve lies
// in a parent that stands before it, a choice has leaves for origins, the body of work lies between
// the nodes around it.
//
//===----------------------------------------------------------------------===//

#include "check/steps.h"

#ifndef NDEBUG

#include <assert.h>

static bool is_index(int64_t index, size_t count) { return index >= 0 && (size_t)index < count; }
static bool is_index_or_none(int64_t index, size_t count) {
  return index == -1 || is_index(index, count);
}

static void assert_nodes(const stow_check_program *p) {
  STOW_EACH(const stow_check_node, node, p->nodes) {
    assert(node->first_event <= node->event_end && node->event_end <= p->events.count);
    assert(node->begin <= node->end && node->end < p->position);
  }
  for (size_t o = 1; o < p->order.count; ++o)
    assert(p->nodes.at[p->order.at[o - 1]].begin < p->nodes.at[p->order.at[o]].begin);
  for (size_t e = 0; e < p->edges.count; ++e)
    assert(is_index(p->edges.at[e].from, p->nodes.count) &&
           is_index(p->edges.at[e].to, p->nodes.count));
}

static void assert_events(const stow_check_program *p) {
  STOW_EACH(const stow_check_event, event, p->events) {
    if (event->kind == STOW_CHECK_EVENT_DEFINE)
      assert(is_index(event->name, p->names.count));
    else
      assert(is_index(event->op, p->ops.count) && event->first + event->count <= p->accesses.count);
  }
  for (size_t a = 0; a < p->accesses.count; ++a) {
    assert(is_index_or_none(p->accesses.at[a].place.name, p->names.count));
    assert(p->accesses.at[a].writes || !p->accesses.at[a].fills);
  }
}

// A carve lies in its parent, which stands before it; a choice has leaves for origins.
static void assert_names(const stow_check_program *p) {
  STOW_EACH(const stow_check_name, name, p->names) {
    assert(name->bytes.lo == 0 && is_index_or_none(name->node, p->nodes.count));
    assert(name->first_source + name->source_count <= p->sources.count);
    assert(name->first_origin + name->origin_count <= p->origins.count);
    if (name->kind == STOW_CHECK_CARVE)
      assert(is_index(name->parent, p->names.count) && is_index(name->anchor, p->names.count));
    for (size_t o = name->first_origin; o < name->first_origin + name->origin_count; ++o)
      assert(p->names.at[p->origins.at[o].leaf].kind != STOW_CHECK_CHOICE);
  }
  for (size_t s = 0; s < p->sources.count; ++s)
    assert(p->names.at[p->sources.at[s].choice].kind == STOW_CHECK_CHOICE &&
           is_index_or_none(p->sources.at[s].edge, p->edges.count));
}

// A body lies between the nodes that lead to it and that follow it.
static void assert_works(const stow_check_program *p) {
  STOW_EACH(const stow_check_work, work, p->works) {
    assert(work->first_access <= work->access_end && work->access_end <= p->accesses.count);
    assert(is_index(work->before, p->nodes.count));
    assert(!work->has_body ||
           (work->before < work->first_inside && work->first_inside <= work->after &&
            is_index(work->after, p->nodes.count)));
  }
}

void stow_check_assert_program(const stow_check_program *p) {
  assert_nodes(p);
  assert_events(p);
  assert_names(p);
  assert_works(p);
}

#endif // NDEBUG
