//===- phases.c - where loads that an mbarrier counts are complete --------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Of one element of an mbarrier group, a forward dataflow tells what surely holds where a thread
// is: whether a phase is on its way, how many bytes it lacks, and which bits are equal to the
// parity of the phases that have ended, or not equal to it. A wait that is told the parity of the
// phase on its way, which lacks nothing, comes back when that has ended, and the bits are turned
// then. A wait that may be told another one, which may come back at once, and whatever else is not
// certain, makes the whole element one that tells nothing.
//
// A branch that holds all of a phase's loads is taken by some thread: else nothing ends the wait.
//
//===----------------------------------------------------------------------===//

#include "bridge/bridge.h"
#include "check/limits.h"
#include "check/op.h"
#include "check/steps.h"
#include "ir/size.h"
#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"

#include <stdlib.h>

static const char init_name[] = "nvgpu.mbarrier.init",
                  wait_name[] = "nvgpu.mbarrier.try_wait.parity",
                  load_name[] = "nvgpu.tma.async.load",
                  arrive_name[] = "nvgpu.mbarrier.arrive.expect_tx",
                  plain_name[] = "nvgpu.mbarrier.arrive";

// A value that is the parity, or not so; NULL: the constant that is.
typedef struct known_bit {
  const void *value;
  bool other;
} known_bit;

typedef struct state {
  enum { NOT_MADE, MADE, TOLD } made; // told: with a barrier behind
  bool on_way, arrived;
  int64_t lacking; // bytes that are expected and not loaded yet
  MlirBlock home;  // of the phase on its way, where control has not left it
  const void *predicate;
  size_t count;
  known_bit bits[STOW_CHECK_MOST_BITS];
} state;

typedef struct walk {
  stow_check_transfers *transfers;
  MlirOperation kernel;
  MlirValue group;
  int64_t index;
  stow_layout layout;
  stow_op_list uses; // of the element
  stow_map points;   // blocks, and ops with regions that control leaves: their states
  STOW_ARRAY(state) states;
  STOW_ARRAY(int32_t) todo; // of `states`
  stow_op_list from;        // by state: the first op there
  bool lost;
} walk;

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

static bool number_of(MlirValue value, int64_t *out) {
  if (!mlirValueIsAOpResult(value) || !stow_ir_op_is(mlirOpResultGetOwner(value), "arith.constant"))
    return false;
  const MlirAttribute number = stow_attribute_of(mlirOpResultGetOwner(value), "value");
  if (mlirAttributeIsAInteger(number))
    *out = mlirIntegerAttrGetValueInt(number);
  return mlirAttributeIsAInteger(number);
}

static int32_t segment(MlirOperation load, intptr_t i) {
  return mlirDenseI32ArrayGetElement(stow_attribute_of(load, "operandSegmentSizes"), i);
}

// The operands of a load: tile, group, map, coordinates, index, mask, predicate.
static intptr_t index_operand(MlirOperation op) {
  if (stow_ir_op_is(op, load_name))
    return 3 + segment(op, 3);
  if (stow_ir_op_is(op, plain_name))
    return 1;
  return stow_ir_op_is(op, wait_name) ? 3 : 2;
}

static MlirValue group_of(MlirOperation op) {
  return mlirOperationGetOperand(op, stow_ir_op_is(op, load_name) ? 1 : 0);
}

static const void *predicate_of(MlirOperation op) {
  const intptr_t last = mlirOperationGetNumOperands(op) - 1;
  const bool any = stow_ir_op_is(op, load_name) ? segment(op, 6) > 0 : last > 2;
  return any ? mlirOperationGetOperand(op, last).ptr : NULL;
}

static bool is_understood(MlirOperation op, MlirValue group) {
  int64_t index;
  return (stow_ir_op_is(op, init_name) || stow_ir_op_is(op, wait_name) ||
          stow_ir_op_is(op, load_name) || stow_ir_op_is(op, arrive_name) ||
          stow_ir_op_is(op, plain_name)) &&
         mlirValueEqual(group_of(op), group) &&
         number_of(mlirOperationGetOperand(op, index_operand(op)), &index);
}

static int64_t index_of(MlirOperation op) {
  int64_t index = 0;
  number_of(mlirOperationGetOperand(op, index_operand(op)), &index);
  return index;
}

static bool bytes_of(const walk *w, MlirType tile, int64_t *out) {
  uint64_t bytes, alignment;
  if (!mlirTypeIsAMemRef(tile) || !mlirShapedTypeHasStaticShape(tile) ||
      stow_ir_element_size(&w->layout, tile, &bytes, &alignment) != STOW_SIZE_OK)
    return false;
  bool fits = bytes < INT64_MAX;
  *out = fits ? (int64_t)bytes : 0;
  for (intptr_t i = 0, rank = mlirShapedTypeGetRank(tile); i < rank; ++i)
    fits &= !__builtin_mul_overflow(*out, mlirShapedTypeGetDimSize(tile, i), out);
  return fits;
}

//===----------------------------------------------------------------------===//
// Bits
//===----------------------------------------------------------------------===//

static known_bit *bit_of(state *s, const void *value) {
  for (size_t i = 0; i < s->count; ++i)
    if (s->bits[i].value == value)
      return &s->bits[i];
  return NULL;
}

// Whether the value is the parity or surely the other one; and which.
static bool is_known(state *s, MlirValue value, bool *other) {
  int64_t number = 0;
  *other = false;
  for (int step = 0; step < STOW_CHECK_MOST_PHASES; ++step) {
    const bool constant = number_of(value, &number);
    const known_bit *bit = bit_of(s, constant ? NULL : value.ptr);
    if (bit || constant) {
      *other ^= (bit && bit->other) ^ (constant && (number & 1));
      return bit != NULL;
    }
    if (!mlirValueIsAOpResult(value) || !stow_ir_op_is(mlirOpResultGetOwner(value), "arith.xori") ||
        !number_of(mlirOperationGetOperand(mlirOpResultGetOwner(value), 1), &number))
      return false;
    *other ^= number & 1;
    value = mlirOperationGetOperand(mlirOpResultGetOwner(value), 0);
  }
  return false;
}

static void forget(state *s, size_t i) { s->bits[i] = s->bits[--s->count]; }

static void give(state *s, MlirValue to, bool known, bool other) {
  known_bit *bit = bit_of(s, to.ptr);
  if (bit)
    forget(s, (size_t)(bit - s->bits));
  if (known && stow_ir_is_bit(to) && s->count < STOW_CHECK_MOST_BITS)
    s->bits[s->count++] = (known_bit){to.ptr, other};
}

//===----------------------------------------------------------------------===//
// Paths
//===----------------------------------------------------------------------===//

// What holds on both sides.
static bool meet(walk *w, state *into, state *from) {
  const size_t before = into->count;
  w->lost |= into->made != from->made || into->on_way != from->on_way ||
             (into->on_way && (into->lacking != from->lacking || into->arrived != from->arrived));
  for (size_t i = into->count; i-- > 0;) {
    const known_bit *bit = bit_of(from, into->bits[i].value);
    if (!bit || bit->other != into->bits[i].other)
      forget(into, i);
  }
  return into->count != before;
}

static void go_on(walk *w, const void *point, MlirOperation first, state s) {
  s.home = (MlirBlock){NULL};
  int32_t at = stow_map_get(&w->points, point);
  if (at < 0) {
    at = (int32_t)STOW_PUSH(w->states, s);
    stow_map_add(&w->points, point, at);
    STOW_PUSH(w->from, first);
    STOW_PUSH(w->todo, at);
  } else if (meet(w, &w->states.at[at], &s)) {
    STOW_PUSH(w->todo, at);
  }
}

typedef struct leaving {
  walk *walk;
  MlirOperation op, end; // control leaves `end`, a terminator in `op`, or enters `op`
  const state *state;
} leaving;

// Values that are given at once: all are read before any is made.
static state along(const leaving *l, const stow_control_edge *edge) {
  const MlirOperation from = mlirOperationIsNull(edge->end) ? l->op : edge->end;
  state old = *l->state, s = *l->state;
  for (size_t i = 0; i < edge->count; ++i) {
    const stow_pass *pass = &edge->passes[i];
    bool other = false;
    const bool known =
        pass->operand >= 0 && is_known(&old, mlirOperationGetOperand(from, pass->operand), &other);
    give(&s, pass->target, known, other);
  }
  return s;
}

static void take_edge(void *user, const stow_control_edge *edge) {
  const leaving *l = user;
  if (edge->end.ptr != l->end.ptr)
    return;
  if (!mlirBlockIsNull(edge->block))
    go_on(l->walk, edge->block.ptr, mlirBlockGetFirstOperation(edge->block), along(l, edge));
  else if (edge->to == STOW_PARENT)
    go_on(l->walk, l->op.ptr, mlirOperationGetNextInBlock(l->op), along(l, edge));
  else
    l->walk->lost = true;
}

static void leave(walk *w, MlirOperation end, const state *s) {
  leaving l = {.walk = w, .op = mlirOperationGetParentOperation(end), .end = end, .state = s};
  if (mlirOperationGetNumSuccessors(end) > 0)
    stow_bridge_branch_edges(end, take_edge, &l);
  else if (!mlirOperationEqual(l.op, w->kernel))
    stow_bridge_region_edges(l.op, take_edge, &l);
  else
    w->lost |= s->on_way;
}

static void enter(walk *w, MlirOperation op, const state *s) {
  leaving l = {.walk = w, .op = op, .state = s};
  w->lost |= !(stow_op_facts(op) & STOW_OP_REGION_BRANCH);
  if (!w->lost)
    stow_bridge_region_edges(op, take_edge, &l);
}

//===----------------------------------------------------------------------===//
// Uses of the element
//===----------------------------------------------------------------------===//

static bool has_cycle(walk *w, MlirBlock block) {
  return stow_check_leads_to(w->transfers, block, block);
}

// Whether threads may go different ways between blocks, some of which pass this one.
static bool is_parted_between_blocks(walk *w, MlirBlock block) {
  const MlirRegion region = mlirBlockGetParentRegion(block);
  bool parts = false;
  STOW_EACH_BLOCK(other, region)
    parts |= mlirOperationGetNumSuccessors(mlirBlockGetTerminator(other)) > 1 &&
             stow_check_parts_threads(mlirBlockGetTerminator(other), w->kernel);
  if (!parts)
    return false;
  stow_post_dominance *dominance = stow_post_dominance_create(w->kernel);
  const bool all = stow_bridge_post_dominates(dominance, block, mlirRegionGetFirstBlock(region));
  stow_post_dominance_destroy(dominance);
  return !all || has_cycle(w, block);
}

static bool is_parted(walk *w, MlirOperation op) {
  for (; !mlirOperationEqual(op, w->kernel); op = mlirOperationGetParentOperation(op)) {
    const MlirOperation around = mlirOperationGetParentOperation(op);
    if (is_parted_between_blocks(w, mlirOperationGetBlock(op)) ||
        (!mlirOperationEqual(around, w->kernel) && stow_check_parts_threads(around, w->kernel)))
      return true;
  }
  return false;
}

static void wait_at(walk *w, MlirOperation op, state *s) {
  bool other;
  w->lost |= !s->on_way || !s->arrived || s->lacking != 0 ||
             !is_known(s, mlirOperationGetOperand(op, 1), &other) || other || is_parted(w, op);
  s->on_way = false;
  for (size_t i = 0; i < s->count; ++i)
    s->bits[i].other ^= true;
}

static void join_phase(walk *w, MlirOperation op, state *s) {
  const MlirBlock block = mlirOperationGetBlock(op);
  if (!s->on_way) {
    s->on_way = true;
    s->arrived = false;
    s->lacking = 0;
    s->home = block;
    s->predicate = predicate_of(op);
  }
  w->lost |= !mlirBlockEqual(s->home, block) || s->predicate != predicate_of(op);
}

static void make(walk *w, MlirOperation op, state *s) {
  int64_t count = 0;
  w->lost |=
      s->made != NOT_MADE || !number_of(mlirOperationGetOperand(op, 1), &count) || count != 1;
  s->made = MADE;
}

static void use(walk *w, MlirOperation op, state *s) {
  int64_t bytes = 0;
  if (stow_ir_op_is(op, init_name)) {
    make(w, op, s);
    return;
  }
  w->lost |= s->made != TOLD || stow_ir_op_is(op, plain_name);
  if (stow_ir_op_is(op, wait_name)) {
    wait_at(w, op, s);
    return;
  }
  join_phase(w, op, s);
  if (stow_ir_op_is(op, arrive_name)) {
    w->lost |= s->arrived || !number_of(mlirOperationGetOperand(op, 1), &bytes);
    s->arrived = true;
    w->lost |= __builtin_add_overflow(s->lacking, bytes, &s->lacking);
  } else {
    w->lost |= !bytes_of(w, mlirValueGetType(mlirOperationGetOperand(op, 0)), &bytes) ||
               segment(op, 5) > 0 || __builtin_sub_overflow(s->lacking, bytes, &s->lacking);
  }
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

static bool is_use(const walk *w, MlirOperation op) {
  STOW_EACH_ITEM(MlirOperation, other, w->uses)
    if (mlirOperationEqual(op, other))
      return true;
  return false;
}

static bool has_uses(const walk *w, MlirOperation op) {
  STOW_EACH_ITEM(MlirOperation, other, w->uses)
    if (stow_ir_is_inside(other, op))
      return true;
  return false;
}

// An op that some thread alone may run: in a branch, or a branch of that.
static bool is_in_branch(MlirOperation op, MlirOperation branch) {
  while (!mlirOperationEqual(op, branch) && stow_ir_op_is(op, "scf.if"))
    op = mlirOperationGetParentOperation(op);
  return mlirOperationEqual(op, branch);
}

// Whether all that a branch does to the element is in one block, and is no wait.
static bool is_one_part(const walk *w, MlirOperation branch) {
  MlirBlock home = {NULL};
  STOW_EACH_ITEM(MlirOperation, op, w->uses) {
    if (!stow_ir_is_inside(op, branch))
      continue;
    if ((home.ptr && !mlirBlockEqual(home, mlirOperationGetBlock(op))) ||
        stow_ir_op_is(op, wait_name) || !is_in_branch(mlirOperationGetParentOperation(op), branch))
      return false;
    home = mlirOperationGetBlock(op);
  }
  return stow_ir_op_is(branch, "scf.if");
}

static void use_inside(walk *w, MlirOperation branch, state *s) {
  STOW_EACH_OP_OF(op, branch)
    if (is_use(w, op))
      use(w, op, s);
}

// False: the path goes on elsewhere.
static bool pass(walk *w, MlirOperation op, state *s) {
  const bool inside = mlirOperationGetNumRegions(op) > 0 && has_uses(w, op);
  w->lost |= ++w->transfers->steps > w->transfers->most_steps;
  if (inside && !is_one_part(w, op)) {
    enter(w, op, s);
    return false;
  }
  if (inside)
    use_inside(w, op, s);
  else if (is_use(w, op))
    use(w, op, s);
  else if (s->made == MADE && stow_check_is_barrier(op, w->transfers->symbols))
    s->made = TOLD;
  if (!mlirOperationIsNull(mlirOperationGetNextInBlock(op)))
    return true;
  leave(w, op, s);
  return false;
}

// Whether the element's waits tell the end of its loads.
static bool tells_ends(walk *w) {
  const MlirBlock entry = mlirRegionGetFirstBlock(mlirOperationGetRegion(w->kernel, 0));
  go_on(w, entry.ptr, mlirBlockGetFirstOperation(entry), (state){.count = 1});
  while (w->todo.count > 0 && !w->lost) {
    const int32_t at = w->todo.at[--w->todo.count];
    state s = w->states.at[at];
    MlirOperation op = w->from.at[at];
    w->lost |= mlirOperationIsNull(op);
    while (!w->lost && pass(w, op, &s))
      op = mlirOperationGetNextInBlock(op);
  }
  stow_map_free(&w->points);
  free(w->states.at);
  free(w->todo.at);
  free(w->from.at);
  return !w->lost;
}

//===----------------------------------------------------------------------===//
// Groups
//===----------------------------------------------------------------------===//

static void note_ends(stow_check_transfers *t, const stow_op_list *uses) {
  STOW_EACH_ITEM(MlirOperation, load, *uses)
    STOW_EACH_ITEM(MlirOperation, wait, *uses)
      if (stow_ir_op_is(load, load_name) && stow_ir_op_is(wait, wait_name)) {
        stow_check_note_partner(t, load, wait);
        stow_check_note_partner(t, wait, load);
      }
}

static void read_element(stow_check_transfers *t, MlirOperation kernel, const stow_op_list *all,
                         size_t first) {
  walk w = {.transfers = t,
            .kernel = kernel,
            .group = group_of(all->at[first]),
            .index = index_of(all->at[first]),
            .layout = stow_layout_at(kernel)};
  bool known = false;
  for (size_t i = 0; i < all->count; ++i)
    if (index_of(all->at[i]) == w.index) {
      known |= i < first;
      STOW_PUSH(w.uses, all->at[i]);
    }
  if (!known && tells_ends(&w))
    note_ends(t, &w.uses);
  free(w.uses.at);
}

static bool is_kernel(MlirOperation op) {
  return stow_ir_op_is(op, "gpu.launch") ||
         (stow_ir_op_is(op, "gpu.func") && stow_ir_has_attribute(op, "gpu.kernel"));
}

void stow_check_read_phases(stow_check_transfers *t, MlirValue group) {
  stow_op_list uses = {0};
  const bool made = mlirValueIsAOpResult(group) &&
                    stow_ir_op_is(mlirOpResultGetOwner(group), "nvgpu.mbarrier.create");
  const MlirOperation kernel = mlirBlockGetParentOperation(stow_block_of(group));
  bool all = made && is_kernel(kernel);
  STOW_EACH_USE(use, group) {
    all = all && is_understood(mlirOpOperandGetOwner(use), group) &&
          uses.count < STOW_CHECK_MOST_PHASES;
    STOW_PUSH(uses, mlirOpOperandGetOwner(use));
  }
  for (size_t i = 0; i < uses.count && all; ++i)
    read_element(t, kernel, &uses, i);
  free(uses.at);
}

// The group that a load or a wait names an element of, or null.
