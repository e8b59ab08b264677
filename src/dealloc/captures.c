//===- captures.c - buffers used inside closed regions -------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a closed op's regions mention of the buffers around it is used by the op. Inside,
// a buffer may get further names: views of it, and what stands for it behind an if, a
// loop or a branch. All such names are gathered in one set. If one of them is freed, or
// its address is kept, no buffer that has got further names is ours to free.
//
//===----------------------------------------------------------------------===//

#include "dealloc/captures.h"

#include <stdlib.h>

typedef struct capture {
  stow_domain *domain;
  MlirOperation op; // whose regions are searched
  stow_place place;
  bool later; // they may run when the op is done
  bool allocates;
  MlirOperation *ops; // inside
  size_t op_count, op_capacity;
  stow_map named; // further names of captured buffers
  MlirValue *names;
  size_t name_count, name_capacity;
  MlirOperation lost; // that frees or keeps one of the names, or null
  const char *reason;
} capture;

static MlirBlock block_of(MlirValue value) {
  return mlirValueIsABlockArgument(value) ? mlirBlockArgumentGetOwner(value)
                                          : mlirOperationGetBlock(mlirOpResultGetOwner(value));
}

static bool is_defined_inside(MlirValue value, MlirOperation op) {
  for (MlirOperation around = mlirBlockGetParentOperation(block_of(value));
       !mlirOperationIsNull(around); around = mlirOperationGetParentOperation(around))
    if (mlirOperationEqual(around, op))
      return true;
  return false;
}

bool stow_is_by_bit(MlirOperation op) {
  MlirStringRef name = mlirStringRefCreateFromCString(STOW_BY_BIT);
  return !mlirAttributeIsNull(mlirOperationGetDiscardableAttributeByName(op, name));
}

//===----------------------------------------------------------------------===//
// Ops inside
//===----------------------------------------------------------------------===//

static void list_ops(capture *c, MlirOperation around) {
  for (intptr_t r = 0, n = mlirOperationGetNumRegions(around); r < n; ++r)
    for (MlirBlock b = mlirRegionGetFirstBlock(mlirOperationGetRegion(around, r));
         !mlirBlockIsNull(b); b = mlirBlockGetNextInRegion(b))
      for (MlirOperation op = mlirBlockGetFirstOperation(b); !mlirOperationIsNull(op);
           op = mlirOperationGetNextInBlock(op)) {
        c->ops = stow_grow(c->ops, c->op_count, &c->op_capacity, sizeof *c->ops);
        c->ops[c->op_count++] = op;
      }
}

static void list_all_ops(capture *c) {
  list_ops(c, c->op);
  for (size_t i = 0; i < c->op_count; ++i)
    list_ops(c, c->ops[i]);
}

typedef struct effects {
  uint8_t *operands, *results, all;
} effects;

static effects effects_of(MlirOperation op) {
  size_t operands = (size_t)mlirOperationGetNumOperands(op);
  size_t results = (size_t)mlirOperationGetNumResults(op);
  effects e = {stow_allocate(operands, 1), stow_allocate(results, 1), 0};
  stow_op_effects(op, e.operands, e.results, &e.all);
  for (size_t i = 0; i < operands; ++i)
    e.all |= e.operands[i];
  for (size_t i = 0; i < results; ++i)
    e.all |= e.results[i];
  return e;
}

static void free_effects(effects *e) { free(e->operands), free(e->results); }

//===----------------------------------------------------------------------===//
// Further names
//===----------------------------------------------------------------------===//

static bool add_name(capture *c, MlirValue value) {
  if (!stow_is_buffer(mlirValueGetType(value)))
    return false;
  if (stow_map_get(&c->named, value.ptr) >= 0)
    return true;
  stow_map_add(&c->named, value.ptr, 1);
  c->names = stow_grow(c->names, c->name_count, &c->name_capacity, sizeof *c->names);
  c->names[c->name_count++] = value;
  return true;
}

static bool ends_told_region(const capture *c, MlirOperation op, uint32_t facts) {
  MlirOperation around = mlirOperationGetParentOperation(op);
  return (facts & STOW_OP_TERMINATOR) && !mlirOperationEqual(around, c->op) &&
         stow_tells_control_flow(around, stow_op_facts(around));
}

// What an operand travels to along the paths of an op that tells its control flow.
typedef struct travel {
  capture *c;
  MlirOperation from; // a terminator, or null: the op itself
  intptr_t operand;
  bool any;
} travel;

static void name_target(void *user, intptr_t from, intptr_t to, MlirOperation terminator,
                        intptr_t operand, MlirValue target) {
  (void)from, (void)to;
  travel *t = user;
  if (operand == t->operand && terminator.ptr == t->from.ptr)
    t->any |= add_name(t->c, target);
}

static bool name_targets(capture *c, MlirOperation around, MlirOperation from, intptr_t operand) {
  travel t = {.c = c, .from = from, .operand = operand};
  stow_region_passes(around, name_target, &t);
  return t.any;
}

static bool name_results(capture *c, MlirOperation op, intptr_t operand) {
  const bool in_order = stow_renames_in_order(op);
  bool any = false;
  effects e = effects_of(op);
  for (intptr_t i = 0, n = mlirOperationGetNumResults(op); i < n; ++i)
    if (!(e.results[i] & STOW_ALLOCATE) && (!in_order || i == operand))
      any |= add_name(c, mlirOperationGetResult(op, i));
  free_effects(&e);
  return any;
}

static bool name_arguments(capture *c, MlirBlock block) {
  bool any = false;
  for (intptr_t i = 0, n = mlirBlockIsNull(block) ? 0 : mlirBlockGetNumArguments(block); i < n; ++i)
    any |= add_name(c, mlirBlockGetArgument(block, i));
  return any;
}

static bool name_successors(capture *c, MlirOperation op, intptr_t operand) {
  bool any = false;
  for (intptr_t s = 0, successors = mlirOperationGetNumSuccessors(op); s < successors; ++s) {
    MlirBlock block = mlirOperationGetSuccessor(op, s);
    for (intptr_t i = 0, n = mlirBlockGetNumArguments(block); i < n; ++i)
      if (stow_branch_operand_index(op, s, i) == operand)
        any |= add_name(c, mlirBlockGetArgument(block, i));
  }
  return any;
}

// Whether the op gives its operand further names.
static bool hand_on(capture *c, MlirOperation op, uint32_t facts, intptr_t operand) {
  if (facts & STOW_OP_BRANCH)
    return name_successors(c, op, operand);
  if (ends_told_region(c, op, facts))
    return name_targets(c, mlirOperationGetParentOperation(op), op, operand);
  if (stow_tells_control_flow(op, facts))
    return name_targets(c, op, (MlirOperation){NULL}, operand);
  bool any = name_results(c, op, operand);
  for (intptr_t r = 0, n = mlirOperationGetNumRegions(op); r < n; ++r)
    any |= name_arguments(c, mlirRegionGetFirstBlock(mlirOperationGetRegion(op, r)));
  return any;
}

static const char *why_kept(MlirOperation op, uint32_t facts, const effects *e, intptr_t index) {
  if (stow_makes_handle(op))
    return "its address becomes something else than a memref";
  if (stow_starts_work(op))
    return "work that goes on later uses it";
  if (!(facts & STOW_OP_EFFECTS_KNOWN))
    return NULL;
  if (e->all == 0 && stow_makes_number(op) && !stow_tells_shape(op))
    return "its address becomes a number";
  if (e->operands[index] == 0 && (e->all & STOW_WRITE))
    return "its address is stored";
  return NULL;
}

// Why a buffer that is the op's operand is not ours to free any more, or null.
static const char *why_lost(const capture *c, MlirOperation op, uint32_t facts, intptr_t index) {
  const char *reason = NULL;
  effects e = effects_of(op);
  if ((e.operands[index] & STOW_FREE) && !stow_is_by_bit(op))
    reason = "it is freed where control flow is not known";
  else if ((facts & (STOW_OP_BRANCH | STOW_OP_CALL)) || ends_told_region(c, op, facts))
    reason = NULL;
  else if (facts & STOW_OP_TERMINATOR)
    reason = "it is yielded where control flow is not known";
  else if (mlirOperationGetNumRegions(op) == 0)
    reason = why_kept(op, facts, &e, index);
  free_effects(&e);
  return reason;
}

static void follow(capture *c, MlirOpOperand use) {
  MlirOperation op = mlirOpOperandGetOwner(use);
  uint32_t facts = stow_op_facts(op);
  hand_on(c, op, facts, mlirOpOperandGetOperandNumber(use));
  const char *reason = why_lost(c, op, facts, mlirOpOperandGetOperandNumber(use));
  if (reason && !c->reason)
    c->lost = op, c->reason = reason;
}

static bool is_captured(const capture *c, MlirValue value) {
  return stow_is_buffer(mlirValueGetType(value)) && !is_defined_inside(value, c->op);
}

static void name_captured(capture *c, MlirOperation op) {
  for (intptr_t i = 0, n = mlirOperationGetNumOperands(op); i < n; ++i)
    if (is_captured(c, mlirOperationGetOperand(op, i)))
      hand_on(c, op, stow_op_facts(op), i);
}

static void gather_names(capture *c) {
  for (size_t i = 0; i < c->op_count; ++i)
    name_captured(c, c->ops[i]);
  for (size_t i = 0; i < c->name_count; ++i)
    for (MlirOpOperand use = mlirValueGetFirstUse(c->names[i]); !mlirOpOperandIsNull(use);
         use = mlirOpOperandGetNextUse(use))
      follow(c, use);
}

//===----------------------------------------------------------------------===//
// Uses
//===----------------------------------------------------------------------===//

static void note_operand(capture *c, MlirOperation op, intptr_t index, bool writes) {
  int32_t stretch = c->place.stretch;
  int32_t ref = stow_domain_ref(c->domain, mlirOperationGetOperand(op, index));
  uint32_t facts = stow_op_facts(op);
  bool handed_on = hand_on(c, op, facts, index);
  stow_domain_add_use(c->domain, ref, c->place, c->op, writes || handed_on);
  const char *reason = why_lost(c, op, facts, index);
  if (c->later)
    stow_domain_add_flight(c->domain, ref, stretch, c->op, "work that goes on later uses it");
  if (reason)
    stow_domain_add_flight(c->domain, ref, stretch, op, reason);
  if (handed_on && c->reason)
    stow_domain_add_flight(c->domain, ref, stretch, c->lost, c->reason);
}

static void note_inside(capture *c, MlirOperation op) {
  const uint32_t facts = stow_op_facts(op);
  c->allocates |= facts & (STOW_OP_ALLOC | STOW_OP_CLONE);
  effects e = effects_of(op);
  for (intptr_t i = 0, n = mlirOperationGetNumOperands(op); i < n; ++i)
    if (is_captured(c, mlirOperationGetOperand(op, i)))
      note_operand(c, op, i, !(facts & STOW_OP_EFFECTS_KNOWN) || (e.operands[i] & STOW_WRITE));
  free_effects(&e);
}

bool stow_read_captures(stow_domain *domain, MlirOperation op, stow_place place, bool later) {
  capture c = {.domain = domain, .op = op, .place = place, .later = later};
  list_all_ops(&c);
  gather_names(&c);
  for (size_t i = 0; i < c.op_count; ++i)
    note_inside(&c, c.ops[i]);
  stow_map_free(&c.named);
  free(c.ops), free(c.names);
  return c.allocates;
}
