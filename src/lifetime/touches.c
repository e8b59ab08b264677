//===- touches.c - what happens to a buffer, by all its names -------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lifetime/touches.h"

#include <stdlib.h>

//===----------------------------------------------------------------------===//
// Sorting a flow's tables by value
//===----------------------------------------------------------------------===//

// From values to positions.
typedef STOW_ARRAY(stow_jump) pairs;

static void add_pair(pairs *list, int32_t value, int64_t position) {
  STOW_PUSH(*list, (stow_jump){value, (int32_t)position});
}

// Whether an escape is a use where it happens. Taking an address or promising something of it is
// none.
static bool escape_touches(stow_reason reason) {
  return reason != STOW_POINTER && reason != STOW_DISTINCT;
}

static void find_positions(stow_life_touch_index *index) {
  for (size_t i = 0; i < index->flow->ops.count; ++i) {
    const void *op = index->flow->ops.at[i].ptr;
    bool again = stow_map_get(&index->position_of, op) >= 0;
    stow_map_add(again ? &index->end_of : &index->position_of, op, (int32_t)i);
  }
}

static void collect_uses(const stow_flow *flow, pairs *touches) {
  STOW_EACH(const stow_use, use, flow->uses) {
    if (stow_is_marker(flow->ops.at[use->begin]))
      continue;
    add_pair(touches, use->value, use->begin);
    if (use->end - 1 > use->begin)
      add_pair(touches, use->value, use->end - 1);
  }
}

static void collect_escapes(const stow_flow *flow, const stow_map *positions, pairs *touches) {
  STOW_EACH(const stow_escape, escape, flow->escapes)
    if (escape->value >= 0 && escape_touches(escape->reason))
      add_pair(touches, escape->value, stow_map_get(positions, escape->op.ptr));
}

static void collect_frees(const stow_flow *flow, const stow_map *positions, pairs *frees) {
  for (size_t i = 0; i < flow->frees.count; ++i)
    add_pair(frees, flow->frees.at[i].value, stow_map_get(positions, flow->frees.at[i].op.ptr));
}

stow_life_touch_index stow_life_touch_index_of(const stow_flow *flow) {
  stow_life_touch_index index = {
      .flow = flow, .targets = stow_flow_targets(flow), .clones = stow_flow_clones(flow)};
  pairs touches = {0}, frees = {0};
  find_positions(&index);
  collect_uses(flow, &touches);
  collect_escapes(flow, &index.position_of, &touches);
  collect_frees(flow, &index.position_of, &frees);
  index.touches = stow_successors_of(touches.at, touches.count, flow->values.count);
  index.frees = stow_successors_of(frees.at, frees.count, flow->values.count);
  free(touches.at), free(frees.at);
  index.seen = stow_allocate(flow->values.count, sizeof *index.seen);
  index.stack = stow_allocate(flow->values.count, sizeof *index.stack);
  return index;
}

void stow_life_touch_index_free(stow_life_touch_index *index) {
  stow_index_free(&index->targets), stow_index_free(&index->clones);
  stow_index_free(&index->touches), stow_index_free(&index->frees);
  stow_map_free(&index->position_of), stow_map_free(&index->end_of);
  free(index->seen), free(index->stack);
  *index = (stow_life_touch_index){0};
}

//===----------------------------------------------------------------------===//
// One value
//===----------------------------------------------------------------------===//

static void add_touches(stow_life_touches *list, int32_t value, const stow_index *positions) {
  STOW_EACH_OF(i, *positions, value)
    STOW_PUSH(*list, (stow_life_touch){i, value});
}

static void add_name(const stow_life_touch_index *index, stow_life_history *h, int32_t value) {
  STOW_PUSH(h->names, value);
  add_touches(&h->touches, value, &index->touches);
  add_touches(&h->frees, value, &index->frees);
}

STOW_BY_FIELDS(compare_touches, stow_life_touch, position, value)

// Puts a value that was not seen before on the stack, and gives its new height.
static size_t reach(stow_life_touch_index *index, int32_t value, const bool *stop, size_t height) {
  if (index->seen[value] == index->stamp || (stop && stop[value]))
    return height;
  index->seen[value] = index->stamp;
  index->stack[height] = value;
  return height + 1;
}

void stow_life_history_of(stow_life_touch_index *index, int32_t value, const bool *stop,
                          stow_life_history *history) {
  size_t height = 0;
  ++index->stamp;
  history->names.count = history->touches.count = history->frees.count = 0;
  index->seen[value] = index->stamp;
  index->stack[height++] = value;
  while (height > 0) {
    int32_t v = index->stack[--height];
    add_name(index, history, v);
    STOW_EACH_OF(e, index->targets, v)
      height = reach(index, e, stop, height);
    STOW_EACH_OF(c, index->clones, v)
      height = reach(index, c, stop, height);
  }
  STOW_SORT(history->touches, compare_touches);
  STOW_SORT(history->frees, compare_touches);
}

void stow_life_history_free(stow_life_history *history) {
  free(history->names.at), free(history->touches.at), free(history->frees.at);
  *history = (stow_life_history){0};
}
