//===- dealloc.c - which deallocs belong to which allocs ------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Groups are a union-find over tokens, allocs first and deallocs after them. From
// each dealloc a search goes against the edges; a value already reached by another
// dealloc is not searched again, the two are joined instead, so all searches
// together are linear.
//
//===----------------------------------------------------------------------===//

#include "ir/life.h"
#include "ir/limits.h"

#include <stdlib.h>

//===----------------------------------------------------------------------===//
// Groups
//===----------------------------------------------------------------------===//

typedef struct grouping {
  const stow_flow *flow;
  int32_t *parent; // of the union-find, per token
  int32_t *owner;  // per value: the token that reached it first, or -1
  bool *foreign;   // per token
  int32_t *stack;
} grouping;

static int32_t *ints(size_t count) { return stow_ir_allocate(count, sizeof(int32_t)); }

static void reach(grouping *g, int32_t value, int32_t token, int32_t *height) {
  if (g->owner[value] >= 0) {
    stow_ir_unite(g->parent, token, g->owner[value]);
    return;
  }
  g->owner[value] = token;
  g->stack[(*height)++] = value;
}

static void search(grouping *g, const stow_free *from, int32_t token) {
  int32_t height = 0;
  reach(g, from->value, token, &height);
  while (height > 0) {
    int32_t v = g->stack[--height];
    const stow_value *entry = &g->flow->values.at[v];
    g->foreign[token] |= entry->foreign;
    if (entry->alloc != STOW_NO_ALLOC) {
      stow_ir_unite(g->parent, token, entry->alloc);
      g->foreign[token] |= g->flow->allocs.at[entry->alloc].on_device != from->on_device;
    }
    STOW_EACH_OF(e, g->flow->sources, v)
      reach(g, e, token, &height);
  }
}

static stow_dealloc_groups number_groups(grouping *g) {
  size_t allocs = g->flow->allocs.count, tokens = allocs + g->flow->frees.count;
  stow_dealloc_groups groups = {.of_alloc = ints(allocs), .of_free = ints(g->flow->frees.count)};
  int32_t *number = ints(tokens);
  groups.foreign = stow_ir_allocate(tokens, sizeof *groups.foreign);
  for (size_t t = 0; t < tokens; ++t) {
    int32_t leader = stow_ir_leader(g->parent, (int32_t)t);
    if (leader == (int32_t)t)
      number[t] = groups.group_count++;
    int32_t group = number[leader];
    groups.foreign[group] |= g->foreign[t];
    *(t < allocs ? &groups.of_alloc[t] : &groups.of_free[t - allocs]) = group;
  }
  free(number);
  return groups;
}

stow_dealloc_groups stow_ir_group_deallocs(const stow_flow *flow) {
  size_t tokens = flow->allocs.count + flow->frees.count;
  grouping g = {.flow = flow,
                .parent = stow_ir_sets_of(tokens),
                .owner = ints(flow->values.count),
                .foreign = stow_ir_allocate(tokens, sizeof *g.foreign),
                .stack = ints(flow->values.count)};
  for (size_t v = 0; v < flow->values.count; ++v)
    g.owner[v] = -1;
  for (size_t i = 0; i < flow->frees.count; ++i)
    search(&g, &flow->frees.at[i], (int32_t)(flow->allocs.count + i));
  stow_dealloc_groups groups = number_groups(&g);
  free(g.parent);
  free(g.owner);
  free(g.foreign);
  free(g.stack);
  return groups;
}

void stow_ir_dealloc_groups_free(stow_dealloc_groups *groups) {
  free(groups->of_alloc);
  free(groups->of_free);
  free(groups->foreign);
  *groups = (stow_dealloc_groups){0};
}

//===----------------------------------------------------------------------===//
// Paths
//===----------------------------------------------------------------------===//

static int32_t block_of_free(const stow_flow *flow, int32_t free) {
  return flow->blocks.at[flow->frees.at[free].block].once;
}

// The block around `block` at nesting depth `depth`.
static int32_t at_depth(const stow_flow *flow, int32_t block, int32_t depth) {
  while (flow->blocks.at[block].depth > depth)
    block = flow->blocks.at[block].parent;
  return block;
}

// Only ops that take the value last are looked up: a dealloc does (STOW_DEALLOCATES_DEVICE).
static bool frees_by(MlirOpOperand use) {
  MlirOperation user = mlirOpOperandGetOwner(use);
  return mlirOpOperandGetOperandNumber(use) + 1 == mlirOperationGetNumOperands(user) &&
         (stow_ir_op_traits(user) & (STOW_DEALLOCATES | STOW_DEALLOCATES_DEVICE));
}

// The blocks that free a value itself, by its uses.
typedef STOW_ARRAY(MlirBlock) stop_list;

static stop_list stops_of(MlirValue value) {
  stop_list found = {0};
  STOW_EACH_USE(use, value)
    if (frees_by(use))
      STOW_PUSH(found, mlirOperationGetBlock(mlirOpOperandGetOwner(use)));
  return found;
}

static bool is_stopped(const stop_list *stops, MlirBlock block, stow_post_dominance *dominance) {
  for (size_t i = 0; i < stops->count; ++i)
    if (mlirRegionEqual(mlirBlockGetParentRegion(block), mlirBlockGetParentRegion(stops->at[i])) &&
        stow_bridge_post_dominates(dominance, stops->at[i], block))
      return true;
  return false;
}

// Whether control can go from `from` to a block without successors and meet no stop.
static bool slips_through(MlirBlock from, const stop_list *stops, stow_post_dominance *dominance) {
  MlirBlock work[STOW_DEALLOC_MOST_BLOCKS];
  stow_map seen = {0};
  size_t count = 0, next = 0;
  bool slips = false;
  work[count++] = from;
  stow_map_note(&seen, from.ptr);
  while (next < count && !slips) {
    MlirBlock block = work[next++];
    if (is_stopped(stops, block, dominance))
      continue;
    intptr_t degree = mlirBlockGetNumSuccessors(block);
    slips = degree == 0;
    for (intptr_t i = 0; i < degree && !slips; ++i) {
      MlirBlock successor = mlirBlockGetSuccessor(block, i);
      if (!stow_map_note(&seen, successor.ptr))
        continue;
      slips = count == STOW_DEALLOC_MOST_BLOCKS;
      if (!slips)
        work[count++] = successor;
    }
  }
  stow_map_free(&seen);
  return slips;
}

bool stow_ir_freed_on_every_path(const stow_flow *flow, const stow_life *lives, size_t alloc,
                                 stow_post_dominance *dominance) {
  const stow_alloc *entry = &flow->allocs.at[alloc];
  int32_t freed = lives[entry->value].free;
  if (freed < 0)
    return false;
  int32_t target = block_of_free(flow, freed);
  int32_t source =
      at_depth(flow, flow->blocks.at[entry->block].once, flow->blocks.at[target].depth);
  if (source == target)
    return true;
  if (flow->blocks.at[source].parent != flow->blocks.at[target].parent)
    return false;
  stop_list stops = stops_of(flow->values.at[entry->value].value);
  bool covered = !slips_through(flow->blocks.at[source].block, &stops, dominance);
  free(stops.at);
  return covered;
}
