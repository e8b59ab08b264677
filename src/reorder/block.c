//===- block.c - which op of a block depends on which ---------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires the effects of a block's ops (effects.c). Computes its nodes and the edges between them:
// from values to users, between accesses to memory that may meet where one writes, around barriers,
// and between what takes memory of the heap that is not planned and what frees it.
//
//===----------------------------------------------------------------------===//

#include "reorder/reorder.h"

#include "ir/op.h"
#include "ir/parts.h"
#include "reorder/limits.h"

typedef STOW_ARRAY(size_t) nodes; // or ops

// A node that touches some memory, or the part of it that a view names; null: all of it.
typedef struct toucher {
  size_t node;
  MlirValue view;
} toucher;

typedef STOW_ARRAY(toucher) touchers;

// Who touched some memory since the last node that wrote all of it.
typedef struct history {
  touchers readers, writers;
} history;

typedef struct reader {
  const stow_reorder_facts *facts;
  stow_reorder_block *b;
  history *memories; // by leader, and two more: outside, and the heap
  size_t memory_count;
  int32_t barrier;               // the last node that nothing passes, or -1
  stow_reorder_effects *effects; // per op
  size_t *last;                  // per memory: the last op that touches it
  size_t *seen;                  // per op: the last op, plus one, that it was listed for
  nodes makers;                  // ops that the one being read takes values of
  bool *on_heap;                 // per op: it gives memory that is allocated and not planned
  size_t op;                     // the one being read
} reader;

static void add_edge(reader *r, size_t before, size_t after) {
  if (before != after)
    STOW_PUSH(r->b->edges, (stow_order_edge){before, after});
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

// The op of the block that is around a value's op, or -1.
static int32_t maker_of(const stow_reorder_block *b, MlirValue value) {
  if (!mlirValueIsAOpResult(value))
    return -1;
  MlirOperation op = mlirOpResultGetOwner(value);
  return mlirBlockEqual(mlirOperationGetBlock(op), b->block) ? stow_map_get(&b->index, op.ptr) : -1;
}

// Whether an operand is memory that is allocated and not planned.
static void see_heap(reader *r, MlirOperation own) {
  STOW_EACH_OP_OF(op, own)
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
      const int32_t maker = maker_of(r->b, mlirOperationGetOperand(op, i));
      if (maker >= 0 && (size_t)maker != r->op)
        r->on_heap[r->op] |= r->on_heap[maker];
    }
}

// Adds the ops that an op and those in it take values of, each once per node.
static void add_makers(reader *r, MlirOperation own) {
  STOW_EACH_OP_OF(op, own)
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
      const int32_t maker = maker_of(r->b, mlirOperationGetOperand(op, i));
      if (maker < 0 || r->seen[maker] == r->op + 1)
        continue;
      r->seen[maker] = r->op + 1;
      STOW_PUSH(r->makers, (size_t)maker);
    }
}

// An edge from each node whose value gets to the op, through ops that only compute.
static void depend_on_values(reader *r, size_t node) {
  r->makers.count = 0;
  r->seen[r->op] = r->op + 1;
  add_makers(r, r->b->ops.at[r->op].op);
  for (size_t i = 0; i < r->makers.count; ++i) {
    const stow_reorder_op *maker = &r->b->ops.at[r->makers.at[i]];
    if (maker->node >= 0)
      add_edge(r, (size_t)maker->node, node);
    else
      add_makers(r, maker->op);
  }
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

static history *outside_of(const reader *r) { return &r->memories[r->memory_count]; }
static history *heap_of(const reader *r) { return &r->memories[r->memory_count + 1]; }

static bool are_disjoint(MlirValue a, MlirValue b) {
  return !mlirValueIsNull(a) && !mlirValueIsNull(b) &&
         mlirValueEqual(stow_ir_root_of(a), stow_ir_root_of(b)) && stow_ir_are_disjoint(a, b);
}

static void add_edges(reader *r, const touchers *before, toucher after) {
  const bool many = before->count > STOW_REORDER_MOST_PARTS;
  for (size_t i = 0; i < before->count; ++i)
    if (many || !are_disjoint(before->at[i].view, after.view))
      add_edge(r, before->at[i].node, after.node);
}

// What comes behind a node that wrote all of the memory is behind all that came before it.
static void touch(reader *r, history *h, toucher by, bool writes) {
  const bool whole = mlirValueIsNull(by.view) || h->writers.count > STOW_REORDER_MOST_PARTS;
  const toucher touch = {by.node, whole ? (MlirValue){NULL} : by.view};
  add_edges(r, &h->writers, touch);
  if (!writes) {
    STOW_PUSH(h->readers, touch);
    return;
  }
  add_edges(r, &h->readers, touch);
  if (whole)
    h->readers.count = h->writers.count = 0;
  STOW_PUSH(h->writers, touch);
}

// The part that a view of one allocation names, where it is not all of it.
static MlirValue part_of(const stow_reorder_access *access) {
  const MlirValue all = {NULL};
  if (access->memory < 0 || mlirValueIsNull(access->view))
    return all;
  return mlirValueEqual(stow_ir_root_of(access->view), access->view) ? all : access->view;
}

static void touch_memory(reader *r, const stow_reorder_effects *e, size_t node) {
  STOW_EACH(const stow_reorder_access, a, e->accesses) {
    history *h = a->memory < 0 ? outside_of(r) : &r->memories[a->memory];
    touch(r, h, (toucher){node, part_of(a)}, a->writes);
  }
}

// At no moment is more of what merge-alloc does not plan allocated than at some moment before: what
// allocates such memory stays behind what frees some.
static void touch_heap(reader *r, const stow_reorder_effects *e, size_t node) {
  const toucher all = {node, {NULL}};
  if (e->frees)
    touch(r, heap_of(r), all, true);
  else if (e->allocates || r->on_heap[r->op])
    touch(r, heap_of(r), all, false);
}

static void stay_behind_barrier(reader *r, const stow_reorder_effects *e, size_t node) {
  if (e->kept == STOW_REORDER_FREE) {
    if (r->barrier >= 0)
      add_edge(r, (size_t)r->barrier, node);
    return;
  }
  for (size_t i = r->barrier < 0 ? 0 : (size_t)r->barrier; i < node; ++i)
    add_edge(r, i, node);
  r->barrier = (int32_t)node;
  STOW_PUSH(r->b->kept, (stow_reorder_kept){r->b->ops.at[r->op].op, e->culprit, e->kept});
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

static void note_touches(reader *r, const stow_reorder_effects *e, size_t node) {
  for (size_t i = 0; i < e->accesses.count; ++i)
    if (e->accesses.at[i].memory >= 0)
      STOW_PUSH(r->b->touches, (stow_reorder_touch){e->accesses.at[i].memory, node});
}

static void add_node(reader *r, const stow_reorder_effects *e) {
  stow_reorder_op *own = &r->b->ops.at[r->op];
  const size_t node = STOW_PUSH(r->b->nodes, r->op);
  own->node = (int32_t)node;
  depend_on_values(r, node);
  touch_memory(r, e, node);
  touch_heap(r, e, node);
  stay_behind_barrier(r, e, node);
  note_touches(r, e, node);
}

static bool is_node(const reader *r, MlirValue value) {
  const int32_t maker = maker_of(r->b, value);
  return maker >= 0 && r->b->ops.at[maker].node >= 0;
}

// A dealloc of memory that is planned, and that nothing in the block mentions later.
static bool may_be_late(const reader *r, MlirOperation op, const stow_reorder_effects *e) {
  return (stow_ir_op_traits(op) & STOW_DEALLOCATES) && e->kept == STOW_REORDER_FREE && !e->frees &&
         e->accesses.count == 1 && e->accesses.at[0].memory >= 0 &&
         r->last[e->accesses.at[0].memory] == r->op && !is_node(r, mlirOperationGetOperand(op, 0));
}

static void read_op(reader *r) {
  stow_reorder_op *own = &r->b->ops.at[r->op];
  const stow_reorder_effects *e = &r->effects[r->op];
  see_heap(r, own->op);
  if (may_be_late(r, own->op, e)) {
    own->late = true;
    own->memory = e->accesses.at[0].memory;
  } else if (e->computes || (stow_ir_is_allocation(own->op) && e->kept == STOW_REORDER_FREE))
    r->on_heap[r->op] |= e->allocates;
  else
    add_node(r, e);
}

static void list_ops(reader *r) {
  stow_reorder_block *b = r->b;
  for (MlirOperation op = mlirBlockGetFirstOperation(b->block);
       !mlirOperationIsNull(mlirOperationGetNextInBlock(op));
       op = mlirOperationGetNextInBlock(op)) {
    stow_map_add(&b->index, op.ptr, (int32_t)b->ops.count);
    STOW_PUSH(b->ops, (stow_reorder_op){.op = op, .node = -1});
  }
}

static void list_effects(reader *r) {
  const size_t count = r->b->ops.count;
  r->effects = stow_ir_allocate(count, sizeof *r->effects);
  r->last = stow_ir_allocate(r->memory_count, sizeof *r->last);
  for (size_t i = 0; i < count; ++i) {
    r->effects[i] = stow_reorder_effects_of(r->facts, r->b->ops.at[i].op);
    for (size_t k = 0; k < r->effects[i].accesses.count; ++k)
      if (r->effects[i].accesses.at[k].memory >= 0)
        r->last[r->effects[i].accesses.at[k].memory] = i;
  }
}

static void free_reader(reader *r) {
  for (size_t i = 0; i < r->memory_count + 2; ++i) {
    free(r->memories[i].readers.at);
    free(r->memories[i].writers.at);
  }
  for (size_t i = 0; i < r->b->ops.count; ++i)
    free(r->effects[i].accesses.at);
  free(r->memories);
  free(r->effects);
  free(r->last);
  free(r->seen);
  free(r->makers.at);
  free(r->on_heap);
}

void stow_reorder_read(const stow_reorder_facts *facts, MlirBlock block, stow_reorder_block *out) {
  *out = (stow_reorder_block){.block = block};
  reader r = {.facts = facts, .b = out, .barrier = -1};
  r.memory_count = out->memory_count = facts->memory->flow.values.count;
  r.memories = stow_ir_allocate(r.memory_count + 2, sizeof *r.memories);
  list_ops(&r);
  list_effects(&r);
  r.seen = stow_ir_allocate(out->ops.count, sizeof *r.seen);
  r.on_heap = stow_ir_allocate(out->ops.count, sizeof *r.on_heap);
  for (r.op = 0; r.op < out->ops.count; ++r.op)
    read_op(&r);
  free_reader(&r);
  stow_reorder_add_buffers(facts, out);
  out->problem = (stow_order_problem){.node_count = out->nodes.count,
                                      .inside = out->inside,
                                      .edges = out->edges.at,
                                      .edge_count = out->edges.count,
                                      .buffers = out->buffers.at,
                                      .buffer_count = out->buffers.count};
}

void stow_reorder_block_free(stow_reorder_block *b) {
  free(b->ops.at);
  free(b->nodes.at);
  free(b->edges.at);
  free(b->kept.at);
  free(b->touches.at);
  free(b->buffers.at);
  free(b->allocs.at);
  free(b->users);
  free(b->inside);
  stow_map_free(&b->index);
  *b = (stow_reorder_block){0};
}
