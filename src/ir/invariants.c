//===- invariants.c - what each table of ir promises the next -------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ir/invariants.h"

#ifndef NDEBUG

#include <assert.h>

static bool is_index(int64_t index, size_t count) { return index >= 0 && (size_t)index < count; }
static bool is_index_or_none(int64_t index, size_t count) {
  return index == -1 || is_index(index, count);
}
static bool is_power_of_two(uint64_t n) { return n && (n & (n - 1)) == 0; }

//===----------------------------------------------------------------------===//
// Flow
//===----------------------------------------------------------------------===//

static bool is_inside(const stow_flow *flow, int64_t begin, int64_t end, int32_t nest) {
  return flow->nests.at[nest].begin <= begin && end <= flow->nests.at[nest].end;
}

// A nest lies in the nest around it, and stands behind it in the table.
static void assert_nests(const stow_flow *flow) {
  for (size_t n = 0; n < flow->nests.count; ++n) {
    const stow_nest *nest = &flow->nests.at[n];
    assert(nest->begin <= nest->end && nest->end <= (int64_t)flow->ops.count);
    assert(is_index(nest->scope, flow->scopes.count));
    assert(!(nest->flags & STOW_NEST_OPAQUE) || is_index(nest->escape, flow->escapes.count));
    assert(nest->parent < (int32_t)n);
    if (nest->parent < 0)
      continue;
    assert(nest->depth == flow->nests.at[nest->parent].depth + 1);
    assert(is_inside(flow, nest->begin, nest->end, nest->parent));
  }
  for (size_t s = 0; s < flow->scopes.count; ++s)
    assert(flow->nests.at[flow->scopes.at[s].nest].scope == (int32_t)s);
}

// Segments do not overlap; jumps join two of them.
static void assert_segments(const stow_flow *flow) {
  int64_t end = 0;
  for (size_t s = 0; s < flow->control.segments.count; ++s) {
    assert(end <= flow->control.segments.at[s].begin);
    end = flow->control.segments.at[s].end;
    assert(flow->control.segments.at[s].begin <= end && end <= (int64_t)flow->ops.count);
  }
  for (size_t j = 0; j < flow->control.jumps.count; ++j)
    assert(is_index(flow->control.jumps.at[j].from, flow->control.segments.count) &&
           is_index(flow->control.jumps.at[j].to, flow->control.segments.count));
  for (size_t b = 0; b < flow->blocks.count; ++b) {
    const stow_block *block = &flow->blocks.at[b];
    assert(is_index_or_none(block->parent, b) && is_index(block->once, b + 1));
    assert(stow_map_get(&flow->control.starts, block->block.ptr) <=
           stow_map_get(&flow->control.ends, block->block.ptr));
  }
}

static void assert_values(const stow_flow *flow) {
  for (size_t v = 0; v < flow->values.count; ++v) {
    const stow_value *value = &flow->values.at[v];
    assert(is_index(value->nest, flow->nests.count));
    assert(value->alignment == 0 || is_power_of_two(value->alignment));
    assert(value->alloc == STOW_NO_ALLOC || flow->allocs.at[value->alloc].value == (int32_t)v);
  }
  for (size_t a = 0; a < flow->allocs.count; ++a) {
    const stow_alloc *alloc = &flow->allocs.at[a];
    assert(flow->values.at[alloc->value].alloc == (int32_t)a);
    assert(a == 0 || flow->allocs.at[a - 1].position <= alloc->position);
    assert(is_index(alloc->scope, flow->scopes.count) &&
           is_index(alloc->block, flow->blocks.count));
  }
}

static void assert_mentions(const stow_flow *flow) {
  STOW_EACH(const stow_edge, edge, flow->edges) {
    assert(is_index(edge->from, flow->values.count) && is_index(edge->to, flow->values.count));
    assert(is_index(edge->position, flow->ops.count));
    assert(is_index_or_none(edge->carried, flow->nests.count));
  }
  STOW_EACH(const stow_use, use, flow->uses) {
    assert(is_index(use->value, flow->values.count) && use->begin < use->end);
    assert(is_inside(flow, use->begin, use->end, use->nest));
  }
  for (size_t f = 0; f < flow->frees.count; ++f)
    assert(is_index(flow->frees.at[f].value, flow->values.count));
  for (size_t e = 0; e < flow->escapes.count; ++e)
    assert(flow->escapes.at[e].reason != STOW_PLANNED &&
           is_index_or_none(flow->escapes.at[e].value, flow->values.count));
}

void stow_ir_assert_flow(const stow_flow *flow) {
  assert_nests(flow);
  assert_segments(flow);
  assert_values(flow);
  assert_mentions(flow);
}

//===----------------------------------------------------------------------===//
// Lives
//===----------------------------------------------------------------------===//

static bool covers(const stow_life *life, int64_t begin, int64_t end) {
  return begin > end || (life->begin <= begin && end <= life->end);
}

// A life holds every use of its value, and all that the value becomes.
void stow_ir_assert_lives(const stow_flow *flow, const stow_life *lives) {
  for (size_t u = 0; u < flow->uses.count; ++u)
    assert(covers(&lives[flow->uses.at[u].value], flow->uses.at[u].begin, flow->uses.at[u].end));
  for (size_t e = 0; e < flow->edges.count; ++e) {
    const stow_life *from = &lives[flow->edges.at[e].from], *to = &lives[flow->edges.at[e].to];
    assert(covers(from, to->begin, to->end));
    assert(from->alignment >= to->alignment);
    assert(to->escape < 0 || from->escape >= 0);
    assert(to->returned < 0 || from->returned >= 0);
    assert(to->free < 0 || from->free >= 0);
  }
}

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

static void assert_pieces(const stow_buffer_fact *fact) {
  assert(fact->piece_count > 0);
  assert(fact->begin == fact->pieces[0].begin);
  assert(fact->end == fact->pieces[fact->piece_count - 1].end);
  for (size_t i = 0; i < fact->piece_count; ++i) {
    assert(fact->pieces[i].begin < fact->pieces[i].end);
    assert(i == 0 || fact->pieces[i - 1].end <= fact->pieces[i].begin);
  }
}

static bool is_reachable(const stow_flow *flow, int64_t position) {
  int32_t block =
      stow_map_get(&flow->block_index, mlirOperationGetBlock(flow->ops.at[position]).ptr);
  return block >= 0 && flow->blocks.at[block].reachable;
}

// A buffer is live wherever one of its names is touched.
static void assert_touched_alive(const stow_function_memory *memory, size_t alloc) {
  const stow_ranges *r = &memory->ranges;
  const stow_names *names = &r->names;
  for (int32_t n = r->first_name[alloc]; n < r->first_name[alloc + 1]; ++n)
    for (int32_t m = names->first[r->alloc_names.at[n]]; m < names->first[r->alloc_names.at[n] + 1];
         ++m)
      assert(!names->mentions[m].touches ||
             stow_ir_is_live_at(&memory->buffers[alloc], names->mentions[m].begin) ||
             !is_reachable(&memory->flow, names->mentions[m].begin));
}

void stow_ir_assert_memory(const stow_function_memory *memory) {
  for (size_t a = 0; a < memory->flow.allocs.count; ++a) {
    const stow_buffer_fact *fact = &memory->buffers[a];
    if (fact->reason != STOW_PLANNED)
      continue;
    assert(fact->size.known || (memory->extents && fact->size.formula != STOW_NO_FORMULA));
    assert(is_power_of_two(fact->alignment));
    assert_pieces(fact);
    if (!memory->flow.allocs.at[a].on_device) // tokens are mentions, too (streams.h)
      assert_touched_alive(memory, a);
  }
  const stow_pairs *pairs = &memory->exclusive;
  for (size_t p = 0; p < pairs->count; ++p) {
    assert(pairs->at[p].first < pairs->at[p].second);
    assert(memory->buffers[pairs->at[p].first].reason == STOW_PLANNED);
    assert(memory->buffers[pairs->at[p].second].reason == STOW_PLANNED);
  }
}

#endif // NDEBUG
