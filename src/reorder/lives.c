//===- lives.c - the buffers of a block's graph ---------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each piece of a planned buffer's life that is in the block, or begins or ends there, is
// a buffer of its own: an op that overwrites all of a buffer comes after those that use
// what was there. What lives only while one op with regions runs is inside of it.
//
//===----------------------------------------------------------------------===//

#include "reorder/reorder.h"

#include <assert.h>

// Bytes that begin or end at a position inside of an op.
typedef struct change {
  size_t node;
  int64_t position;
  int64_t bytes; // below 0: they end
} change;

typedef struct lister {
  const stow_reorder_facts *facts;
  stow_reorder_block *b;
  int64_t begin, end; // positions of the block
  int32_t *node_at;   // per position of the block: the node there, or -1
  STOW_ARRAY(size_t) users;
  STOW_ARRAY(change) inside;
} lister;

//===----------------------------------------------------------------------===//
// Positions
//===----------------------------------------------------------------------===//

// The op of the block that is at a position, or has what is there inside of it; or -1.
static int32_t op_at(const lister *l, int64_t position) {
  MlirOperation op = stow_ir_op_in_block(l->b->block, l->facts->memory->flow.ops.at[position]);
  return mlirOperationIsNull(op) ? -1 : stow_map_get(&l->b->index, op.ptr);
}

static bool is_in_block(const lister *l, int64_t position) {
  MlirOperation op = l->facts->memory->flow.ops.at[position];
  return !mlirOperationIsNull(stow_ir_op_in_block(l->b->block, op));
}

// A block's positions follow each other.
static void find_positions(lister *l) {
  const stow_flow *flow = &l->facts->memory->flow;
  const int64_t count = (int64_t)flow->ops.count;
  const int32_t block = stow_map_get(&flow->block_index, l->b->block.ptr);
  l->end = block < 0 ? 0 : flow->blocks.at[block].end;
  l->begin = l->end;
  while (l->begin > 0 && is_in_block(l, l->begin - 1))
    --l->begin;
  assert(l->end <= count);
  (void)count;
  l->node_at = stow_ir_allocate((size_t)(l->end - l->begin), sizeof *l->node_at);
  for (int64_t p = l->begin; p < l->end; ++p) {
    const int32_t op = op_at(l, p);
    l->node_at[p - l->begin] = op < 0 ? -1 : l->b->ops.at[op].node;
  }
}

//===----------------------------------------------------------------------===//
// Users
//===----------------------------------------------------------------------===//

static void add_users_at(lister *l, const stow_live_piece *piece, const stow_name_mention *m) {
  if (!m->touches || m->begin >= piece->end || m->end <= piece->begin || m->begin < l->begin ||
      m->end > l->end)
    return;
  const int32_t node = l->node_at[m->begin - l->begin];
  if (node >= 0)
    STOW_PUSH(l->users, (size_t)node);
}

// Lists the users of a piece from `first` on, once each; how many they are.
static size_t add_users(lister *l, size_t alloc, const stow_live_piece *piece, size_t first) {
  const stow_ranges *r = &l->facts->memory->ranges;
  for (int32_t n = r->first_name[alloc]; n < r->first_name[alloc + 1]; ++n) {
    const int32_t name = r->alloc_names.at[n];
    for (int32_t m = r->names.first[name]; m < r->names.first[name + 1]; ++m)
      add_users_at(l, piece, &r->names.mentions[m]);
  }
  size_t kept = first;
  stow_ir_sort(l->users.at + first, l->users.count - first, sizeof *l->users.at, stow_ir_by_number);
  for (size_t i = first; i < l->users.count; ++i)
    if (kept == first || l->users.at[kept - 1] != l->users.at[i])
      l->users.at[kept++] = l->users.at[i];
  l->users.count = kept;
  for (size_t i = first + 1; i < kept; ++i)
    assert(l->users.at[i - 1] < l->users.at[i]);
  return kept - first;
}

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

static uint64_t bytes_of(const stow_buffer_fact *fact) {
  return stow_ir_rounded_up(fact->size.bytes, STOW_ARENA_ALIGNMENT);
}

static void add_inside(lister *l, size_t node, const stow_live_piece *piece, uint64_t bytes) {
  assert(piece->begin < piece->end);
  STOW_PUSH(l->inside, (change){node, piece->begin, (int64_t)bytes});
  STOW_PUSH(l->inside, (change){node, piece->end, -(int64_t)bytes});
}

static bool is_of_block(const lister *l, size_t alloc) {
  return stow_map_get(&l->b->index, l->facts->memory->flow.allocs.at[alloc].op.ptr) >= 0;
}

static void add_piece(lister *l, size_t alloc, const stow_live_piece *piece) {
  const bool from_start = piece->begin<l->begin, to_end = piece->end> l->end;
  MlirType type = l->facts->memory->flow.allocs.at[alloc].type;
  if (piece->end <= l->begin || piece->begin >= l->end || (from_start && to_end) ||
      (l->facts->space && !mlirAttributeEqual(stow_ir_memory_space(type), *l->facts->space)))
    return;
  const size_t first = l->users.count, count = add_users(l, alloc, piece, first);
  const uint64_t bytes = bytes_of(&l->facts->memory->buffers[alloc]);
  if (count == 1 && !from_start && !to_end && !(l->facts->each && is_of_block(l, alloc))) {
    add_inside(l, l->users.at[first], piece, bytes);
    l->users.count = first;
  } else if (count > 0) {
    STOW_PUSH(l->b->buffers,
              (stow_order_buffer){
                  .bytes = bytes, .user_count = count, .from_start = from_start, .to_end = to_end});
    STOW_PUSH(l->b->allocs, alloc);
  }
}

static int by_position(const void *left, const void *right) {
  const change *a = left, *b = right;
  return stow_ir_then(
      STOW_COMPARE(a->node, b->node),
      stow_ir_then(STOW_COMPARE(a->position, b->position), STOW_COMPARE(a->bytes, b->bytes)));
}

static void sum_inside(lister *l) {
  int64_t level = 0;
  l->b->inside = stow_ir_allocate(l->b->nodes.count, sizeof *l->b->inside);
  STOW_SORT(l->inside, by_position);
  for (size_t i = 0; i < l->inside.count; ++i) {
    level += l->inside.at[i].bytes;
    uint64_t *most = &l->b->inside[l->inside.at[i].node];
    *most = stow_ir_larger(*most, (uint64_t)level);
  }
}

// The users of all buffers stand one after the other.
static void set_users(lister *l) {
  const size_t *next = l->b->users = l->users.at;
  for (size_t i = 0; i < l->b->buffers.count; ++i) {
    l->b->buffers.at[i].users = next;
    next += l->b->buffers.at[i].user_count;
  }
}

void stow_reorder_add_buffers(const stow_reorder_facts *facts, stow_reorder_block *b) {
  const stow_function_memory *memory = facts->memory;
  lister l = {.facts = facts, .b = b};
  find_positions(&l);
  for (size_t a = 0; a < memory->flow.allocs.count; ++a)
    for (size_t i = 0; i < memory->buffers[a].piece_count; ++i)
      if (memory->buffers[a].reason == STOW_PLANNED)
        add_piece(&l, a, &memory->buffers[a].pieces[i]);
  set_users(&l);
  sum_inside(&l);
  free(l.node_at);
  free(l.inside.at);
}
