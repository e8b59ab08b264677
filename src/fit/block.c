//===- block.c - the nodes and memories of a block ------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A memory is what some values of the flow may be, together (reorder/facts.c); memory 0 is all that
// comes from outside. A buffer with several lives, or one that shares a value with another, is
// *fixed*: its bytes are taken as src/reorder says, and nothing that touches it runs again.
//
//===----------------------------------------------------------------------===//

#include "fit/fit.h"

#include "bridge/linalg.h"
#include "ir/flow_tables.h"
#include "ir/parts.h"

#include <assert.h>

enum { OUTSIDE, FIRST_OWN };

// What the flow says of the values that may be one memory.
typedef struct leader {
  size_t allocs;
  int32_t memory; // of the problem, or -1
  bool odd;       // one is neither an alloc nor a view that the block makes, nor inside of a node
} leader;

typedef STOW_ARRAY(stow_budget_access) accesses;

typedef struct reader {
  const stow_reorder_facts *facts;
  stow_fit_block *out;
  leader *leaders;
  accesses *by_node;
  STOW_ARRAY(bool) fixed; // by memory
  const stow_fit_prices *prices;
} reader;

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

// Whether an op of the block makes nothing but a view, and reads no memory for it.
static bool makes_view(const reader *r, MlirOperation op) {
  const int32_t at = stow_map_get(&r->out->graph.index, op.ptr);
  return at >= 0 && r->out->graph.ops.at[at].node < 0 && (stow_ir_op_traits(op) & STOW_VIEWS);
}

static bool is_odd(const reader *r, const stow_value *v) {
  MlirBlock block = r->out->graph.block, home = stow_block_of(v->value);
  if (v->token)
    return true;
  if (!mlirBlockEqual(home, block)) // what is inside of a node stays with it
    return mlirOperationIsNull(stow_ir_op_in_block(block, mlirBlockGetParentOperation(home)));
  return mlirValueIsABlockArgument(v->value) ||
         (v->alloc == STOW_NO_ALLOC && !makes_view(r, mlirOpResultGetOwner(v->value)));
}

static void read_leaders(reader *r) {
  const stow_flow *flow = &r->facts->memory->flow;
  r->leaders = stow_ir_allocate(flow->values.count, sizeof *r->leaders);
  for (size_t v = 0; v < flow->values.count; ++v)
    r->leaders[v].memory = -1;
  for (size_t v = 0; v < flow->values.count; ++v) {
    leader *l = &r->leaders[stow_ir_leader(r->facts->leaders, (int32_t)v)];
    l->odd |= is_odd(r, &flow->values.at[v]);
    l->allocs += flow->values.at[v].alloc != STOW_NO_ALLOC;
  }
}

//===----------------------------------------------------------------------===//
// Memories
//===----------------------------------------------------------------------===//

static size_t add_memory(reader *r, stow_budget_memory memory) {
  STOW_PUSH(r->fixed, false);
  STOW_PUSH(r->out->origins, (stow_fit_origin){.alloc = {NULL}});
  return STOW_PUSH(r->out->memories, memory);
}

// Until its buffer is known, a memory that no arena holds.
static size_t memory_of(reader *r, int32_t number) {
  if (number == STOW_REORDER_OUTSIDE)
    return OUTSIDE;
  leader *l = &r->leaders[number];
  if (l->memory < 0)
    l->memory = (int32_t)add_memory(r, (stow_budget_memory){.from_start = true});
  return (size_t)l->memory;
}

static leader *leader_of(const reader *r, size_t alloc) {
  const int32_t value = r->facts->memory->flow.allocs.at[alloc].value;
  return &r->leaders[stow_ir_leader(r->facts->leaders, value)];
}

// Whether the op of an alloc stands in the block, and rewrites may copy it.
static bool may_renew(const reader *r, MlirOperation alloc) {
  return stow_ir_is_plain_alloc(alloc) && !stow_ir_has_attribute(alloc, "stowage.offset") &&
         stow_map_get(&r->out->graph.index, alloc.ptr) >= 0;
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

static stow_budget_access *access_of(const reader *r, size_t node, size_t memory) {
  STOW_EACH(stow_budget_access, access, r->by_node[node])
    if (access->memory == memory)
      return access;
  return NULL;
}

static void add_access(reader *r, size_t node, stow_budget_access added) {
  stow_budget_access *known = access_of(r, node, added.memory);
  if (known) {
    known->writes |= added.writes;
    known->overwrites &= added.overwrites;
  } else {
    STOW_PUSH(r->by_node[node], added);
  }
}

// Whether the node sets all of a buffer without a look at it.
static bool overwrites(const reader *r, size_t node, const stow_reorder_access *access) {
  return access->memory != STOW_REORDER_OUTSIDE && access->writes &&
         !mlirValueIsNull(access->view) && r->leaders[access->memory].allocs == 1 &&
         mlirValueEqual(stow_ir_root_of(access->view), access->view) &&
         stow_ir_overwrites(stow_fit_op(r->out, node), access->view);
}

// Whether a node does nothing but compute one memory from others, in loops of known extents.
static bool is_repeatable(const reader *r, size_t node, const stow_reorder_effects *e) {
  MlirOperation op = stow_fit_op(r->out, node);
  size_t written = 0;
  STOW_EACH(const stow_budget_access, access, r->by_node[node])
    written += access->writes;
  return e->kept == STOW_REORDER_FREE && !e->allocates && !e->frees && written == 1 &&
         r->out->graph.inside[node] == 0 && mlirOperationGetNumResults(op) == 0 &&
         stow_bridge_loop_count(op) >= 0 && !r->prices->once;
}

static void read_node(reader *r, size_t node) {
  MlirOperation op = stow_fit_op(r->out, node);
  stow_reorder_effects e = stow_reorder_effects_of(r->facts, op);
  const bool kept = e.kept != STOW_REORDER_FREE;
  STOW_EACH(const stow_reorder_access, access, e.accesses) {
    const size_t memory = memory_of(r, access->memory);
    add_access(r, node,
               (stow_budget_access){memory, access->writes, overwrites(r, node, access), 0});
    r->fixed.at[memory] |= kept;
  }
  if (kept) // it may write whatever gets away
    add_access(r, node, (stow_budget_access){.memory = OUTSIDE, .writes = true});
  STOW_PUSH(r->out->nodes, (stow_budget_node){.inside = r->out->graph.inside[node],
                                              .cost = stow_fit_cost(op, r->prices),
                                              .repeatable = is_repeatable(r, node, &e)});
  free(e.accesses.at);
}

//===----------------------------------------------------------------------===//
// What is known in the end
//===----------------------------------------------------------------------===//

// The memory that a buffer of the graph is: that of its values, or one of its own that only tells
// how long its bytes are taken.
static size_t memory_of_buffer(reader *r, size_t buffer) {
  const stow_function_memory *memory = r->facts->memory;
  const size_t alloc = r->out->graph.allocs.at[buffer];
  const stow_order_buffer *b = &r->out->graph.buffers.at[buffer];
  const leader *l = leader_of(r, alloc);
  MlirOperation op = memory->flow.allocs.at[alloc].op;
  const stow_budget_memory is = {
      .bytes = b->bytes, .from_start = b->from_start, .to_end = b->to_end};
  if (l->allocs != 1 || l->memory < 0 || memory->buffers[alloc].piece_count != 1) {
    const size_t own = add_memory(r, is);
    r->fixed.at[own] = true;
    return own;
  }
  r->out->memories.at[l->memory] = is;
  if (!l->odd && may_renew(r, op))
    r->out->origins.at[l->memory].alloc = op;
  return (size_t)l->memory;
}

static void read_buffers(reader *r) {
  for (size_t i = 0; i < r->out->graph.buffers.count; ++i) {
    const size_t memory = memory_of_buffer(r, i);
    const stow_order_buffer *b = &r->out->graph.buffers.at[i];
    for (size_t u = 0; u < b->user_count; ++u)
      if (!access_of(r, b->users[u], memory)) { // which no access tells of
        add_access(r, b->users[u], (stow_budget_access){.memory = memory});
        r->fixed.at[memory] = true;
      }
  }
}

// What has several lives, in the block or inside of its nodes, stays as it is.
static void fix_lives(reader *r) {
  const stow_function_memory *memory = r->facts->memory;
  for (size_t a = 0; a < memory->flow.allocs.count; ++a) {
    const leader *l = leader_of(r, a);
    if (l->memory >= 0 && memory->buffers[a].reason == STOW_PLANNED &&
        (l->allocs != 1 || memory->buffers[a].piece_count != 1))
      r->fixed.at[l->memory] = true;
  }
}

// Of a buffer that is freed otherwise than by one dealloc of itself, in the block, no other may
// take the place.
static void read_deallocs(reader *r) {
  const stow_flow *flow = &r->facts->memory->flow;
  STOW_EACH(const stow_reorder_op, op, r->out->graph.ops)
    if (op->late && r->leaders[op->memory].memory >= 0)
      r->out->origins.at[r->leaders[op->memory].memory].dealloc = op->op;
  for (size_t i = 0; i < flow->frees.count; ++i) {
    const int32_t value = flow->frees.at[i].value;
    const int32_t memory = r->leaders[stow_ir_leader(r->facts->leaders, value)].memory;
    if (memory >= 0 &&
        (flow->values.at[value].alloc == STOW_NO_ALLOC ||
         !mlirOperationEqual(flow->frees.at[i].op, r->out->origins.at[memory].dealloc)))
      r->fixed.at[memory] = true;
  }
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

enum { NOBODY = -1, SEVERAL = -2 };

// Per memory the one node that writes it. Freed with free().
static int64_t *writers_of(const reader *r) {
  int64_t *writers = stow_ir_allocate(r->out->memories.count, sizeof *writers);
  for (size_t m = 0; m < r->out->memories.count; ++m)
    writers[m] = NOBODY;
  for (size_t n = 0; n < r->out->nodes.count; ++n)
    STOW_EACH(const stow_budget_access, access, r->by_node[n])
      if (access->writes)
        writers[access->memory] = writers[access->memory] == NOBODY ? (int64_t)n : SEVERAL;
  return writers;
}

// Whether nothing but a copy of a constant fills it.
static bool is_staged(const reader *r, size_t memory) {
  return !mlirOperationIsNull(r->out->origins.at[memory].filling);
}

// A buffer that nothing but a copy of a constant fills: where it is placed elsewhere the constant
// is read where it lies, and the copy goes.
static void read_constant(reader *r, size_t memory, int64_t writer) {
  stow_fit_origin *origin = &r->out->origins.at[memory];
  if (writer < 0 || !r->prices->stages || !r->out->memories.at[memory].renewable)
    return;
  MlirOperation filling = stow_fit_filling_of(r->facts, origin->alloc);
  if (!mlirOperationIsNull(filling) &&
      mlirOperationEqual(filling, stow_fit_op(r->out, (size_t)writer)) &&
      stow_fit_may_be_in(mlirOperationGetResult(origin->alloc, 0), r->prices->constants))
    origin->filling = filling;
}

static void read_constants(reader *r, const int64_t *writers) {
  for (size_t m = FIRST_OWN; m < r->out->memories.count; ++m) {
    read_constant(r, m, writers[m]);
    if (!is_staged(r, m))
      continue;
    r->out->memories.at[m].placeable = true;
    r->out->memories.at[m].spillable = false;
  }
}

#ifndef NDEBUG
// What apply.c relies on: who is renewed has a plain alloc in the block and nothing odd about it.
static void assert_memories(const reader *r) {
  assert(r->out->memories.count == r->out->origins.count &&
         r->out->memories.count == r->fixed.count);
  for (size_t m = 0; m < r->out->memories.count; ++m) {
    const stow_budget_memory *memory = &r->out->memories.at[m];
    assert(!memory->renewable || (m >= FIRST_OWN && memory->bytes > 0 && !r->fixed.at[m] &&
                                  stow_ir_is_plain_alloc(r->out->origins.at[m].alloc)));
    assert(!(memory->spillable || memory->placeable) || memory->renewable);
  }
}
#else
static void assert_memories(const reader *r) { (void)r; }
#endif

static void settle_memories(reader *r) {
  const stow_flow *flow = &r->facts->memory->flow;
  for (size_t m = FIRST_OWN; m < r->out->memories.count; ++m) {
    stow_budget_memory *memory = &r->out->memories.at[m];
    memory->renewable = memory->bytes > 0 && !r->fixed.at[m] && !memory->from_start &&
                        !memory->to_end && !mlirOperationIsNull(r->out->origins.at[m].alloc);
    memory->spillable = memory->renewable && r->prices->next;
    memory->placeable =
        memory->renewable && stow_fit_places(r->prices) &&
        stow_fit_may_be_in(mlirOperationGetResult(r->out->origins.at[m].alloc, 0), r->prices->next);
  }
  for (size_t v = 0; v < flow->values.count; ++v) {
    const int32_t memory = r->leaders[stow_ir_leader(r->facts->leaders, (int32_t)v)].memory;
    MlirValue value = flow->values.at[v].value;
    if (memory >= FIRST_OWN && r->out->memories.at[memory].renewable &&
        mlirBlockEqual(stow_block_of(value), r->out->graph.block))
      stow_map_add(&r->out->values, value.ptr, memory);
  }
}

// What is not alive as its accesses say must not be read at another time.
static void settle_nodes(reader *r) {
  for (size_t n = 0; n < r->out->nodes.count; ++n) {
    stow_budget_node *node = &r->out->nodes.at[n];
    STOW_EACH(const stow_budget_access, access, r->by_node[n])
      node->repeatable &= !r->fixed.at[access->memory] || access->memory == OUTSIDE;
    node->access_count = r->by_node[n].count;
    STOW_EACH(const stow_budget_access, access, r->by_node[n])
      STOW_PUSH(r->out->accesses, *access);
  }
  const stow_budget_access *next = r->out->accesses.at;
  for (size_t n = 0; n < r->out->nodes.count; ++n) {
    r->out->nodes.at[n].accesses = next;
    next += r->out->nodes.at[n].access_count;
    free(r->by_node[n].at);
  }
}

//===----------------------------------------------------------------------===//
// Prices
//===----------------------------------------------------------------------===//

// The node whose accesses are priced.
typedef struct pricing {
  reader *r;
  size_t node;
  const int64_t *writers;
} pricing;

// What an access of a memory costs more where that is placed elsewhere. What fills a copy of a
// constant is not done where the constant is read.
static uint64_t placed_cost(const pricing *p, size_t memory, stow_fit_amount amount) {
  const stow_fit_prices *prices = p->r->prices;
  if (!p->r->out->memories.at[memory].placeable)
    return 0;
  if (!is_staged(p->r, memory))
    return stow_fit_more(prices, amount, prices->next, prices->here);
  const bool fills = (size_t)p->writers[memory] == p->node;
  return fills ? 0 : stow_fit_more(prices, amount, prices->constants, prices->first);
}

// A constant that is read where it lies costs its node more than it would in the first memory; a
// copy moves it from there.
static uint64_t constant_cost(const pricing *p, stow_fit_amount amount) {
  const stow_fit_prices *prices = p->r->prices;
  const stow_machine_memory *in = prices->constants, *first = prices->first;
  if (!stow_ir_is(stow_fit_op(p->r->out, p->node), STOW_MEMREF_COPY))
    return stow_fit_more(prices, amount, in, first);
  const uint64_t near = prices->measure->of_move(amount, first, first);
  return stow_ir_larger(prices->measure->of_move(amount, in, first), near) - near;
}

static void price_operand(void *user, MlirValue operand, stow_fit_amount amount) {
  const pricing *p = user;
  if (p->r->prices->constants && stow_reorder_is_constant(p->r->facts, operand)) {
    uint64_t *cost = &p->r->out->nodes.at[p->node].cost;
    *cost = stow_fit_sum(*cost, constant_cost(p, amount));
    return;
  }
  const int32_t of = stow_reorder_memory_of(p->r->facts, operand);
  const int32_t memory = of == STOW_REORDER_OUTSIDE ? -1 : p->r->leaders[of].memory;
  stow_budget_access *access = memory < 0 ? NULL : access_of(p->r, p->node, (size_t)memory);
  if (access)
    access->placed = stow_fit_sum(access->placed, placed_cost(p, (size_t)memory, amount));
}

static void price_accesses(reader *r, const int64_t *writers) {
  for (size_t n = 0; n < r->out->nodes.count; ++n)
    stow_fit_each_operand(stow_fit_op(r->out, n), price_operand, &(pricing){r, n, writers});
}

static void price_spills(reader *r) {
  const stow_fit_prices *prices = r->prices;
  for (size_t m = FIRST_OWN; m < r->out->memories.count; ++m) {
    stow_budget_memory *memory = &r->out->memories.at[m];
    if (!memory->spillable)
      continue;
    const MlirValue buffer = mlirOperationGetResult(r->out->origins.at[m].alloc, 0);
    const stow_fit_amount all = {memory->bytes, stow_fit_elements_of(mlirValueGetType(buffer))};
    memory->spill = prices->measure->of_move(all, prices->here, prices->next);
  }
}

// What is not free stays so.
static uint64_t shifted(const stow_fit_block *b, uint64_t cost) {
  return cost == 0 ? 0 : stow_ir_larger(cost >> b->shift, 1);
}

// That all is done once for each node must be below 2^62, with room for what rounds up to 1.
static unsigned shift_for(const reader *r) {
  unsigned shift = 0;
  double sum = 0;
  for (size_t n = 0; n < r->out->nodes.count; ++n) {
    sum += (double)r->out->nodes.at[n].cost;
    STOW_EACH(const stow_budget_access, access, r->by_node[n])
      sum += (double)access->placed;
  }
  STOW_EACH(const stow_budget_memory, memory, r->out->memories)
    sum += (double)memory->spill;
  for (sum *= (double)r->out->nodes.count; sum >= 0x1p61; sum /= 2)
    ++shift;
  return shift;
}

static void shift_prices(reader *r) {
  stow_fit_block *b = r->out;
  b->shift = shift_for(r);
  for (size_t n = 0; n < b->nodes.count; ++n) {
    b->nodes.at[n].cost = shifted(b, b->nodes.at[n].cost);
    b->cost += b->nodes.at[n].cost;
    STOW_EACH(stow_budget_access, access, r->by_node[n])
      access->placed = shifted(b, access->placed);
  }
  STOW_EACH(stow_budget_memory, memory, b->memories)
    memory->spill = shifted(b, memory->spill);
}

// A transfer runs beside the node behind it, unless that waits for it. Where several do, they take
// its time in turn, as if all of them were made.
static void hide_transfers(reader *r, const int64_t *writers) {
  const size_t count = r->out->nodes.count;
  uint64_t *left = stow_ir_allocate(count, sizeof *left);
  size_t *fills = stow_ir_allocate(count, sizeof *fills); // by node: the memory, or OUTSIDE
  for (size_t n = 0; n < count; ++n)
    left[n] = r->out->nodes.at[n].cost;
  for (size_t m = FIRST_OWN; m < r->out->memories.count; ++m)
    if (is_staged(r, m))
      fills[writers[m]] = m;
  const bool hides = r->prices->transfers && r->prices->measure->hides;
  for (size_t n = 0; n < count && hides; ++n) {
    size_t beside = n + 1;
    while (beside < count && fills[beside] != OUTSIDE)
      ++beside;
    if (fills[n] == OUTSIDE || beside == count || access_of(r, beside, fills[n]))
      continue;
    const uint64_t cost = r->out->nodes.at[n].cost;
    const uint64_t hidden = cost < left[beside] ? cost : left[beside];
    r->out->origins.at[fills[n]].hidden = hidden;
    left[beside] -= hidden;
    r->out->cost -= hidden;
  }
  free(left);
  free(fills);
}

// Where a constant is read where it lies, nothing is copied.
static void settle_saved(reader *r, const int64_t *writers) {
  for (size_t n = 0; n < r->out->nodes.count; ++n)
    STOW_EACH(const stow_budget_access, access, r->by_node[n])
      if (is_staged(r, access->memory))
        r->out->memories.at[access->memory].saved += access->placed;
  for (size_t m = FIRST_OWN; m < r->out->memories.count; ++m)
    if (is_staged(r, m)) {
      const uint64_t cost = r->out->nodes.at[writers[m]].cost - r->out->origins.at[m].hidden;
      stow_budget_memory *memory = &r->out->memories.at[m];
      memory->saved = memory->saved < cost ? memory->saved : cost;
    }
}

static void settle_prices(reader *r, const int64_t *writers) {
  price_accesses(r, writers);
  price_spills(r);
  shift_prices(r);
  hide_transfers(r, writers);
  settle_saved(r, writers);
}

void stow_fit_read(const stow_reorder_facts *facts, MlirBlock block, const stow_fit_prices *prices,
                   stow_fit_block *out) {
  *out = (stow_fit_block){0};
  stow_reorder_read(facts, block, &out->graph);
  reader r = {.facts = facts, .out = out, .prices = prices};
  const size_t count = out->graph.nodes.count;
  r.by_node = stow_ir_allocate(count, sizeof *r.by_node);
  add_memory(&r, (stow_budget_memory){.from_start = true, .to_end = true});
  read_leaders(&r);
  for (size_t n = 0; n < count; ++n)
    read_node(&r, n);
  read_buffers(&r);
  fix_lives(&r);
  read_deallocs(&r);
  settle_memories(&r);
  int64_t *writers = writers_of(&r);
  read_constants(&r, writers);
  settle_prices(&r, writers);
  assert_memories(&r);
  settle_nodes(&r);
  free(writers);
  out->problem = (stow_budget_problem){.nodes = out->nodes.at,
                                       .node_count = out->nodes.count,
                                       .memories = out->memories.at,
                                       .memory_count = out->memories.count};
  assert(out->nodes.count == count);
  free(r.leaders);
  free(r.by_node);
  free(r.fixed.at);
}

uint64_t stow_fit_placed_cost(const stow_fit_block *b, size_t memory) {
  uint64_t cost = 0;
  STOW_EACH(const stow_budget_access, access, b->accesses)
    cost += access->memory == memory ? access->placed : 0;
  assert(b->memories.at[memory].saved <= cost);
  return cost - b->memories.at[memory].saved;
}

void stow_fit_block_free(stow_fit_block *b) {
  stow_reorder_block_free(&b->graph);
  free(b->nodes.at);
  free(b->memories.at);
  free(b->origins.at);
  free(b->accesses.at);
  stow_map_free(&b->values);
  *b = (stow_fit_block){0};
}
