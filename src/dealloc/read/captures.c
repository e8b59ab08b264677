//===- captures.c - buffers used inside closed regions --------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A closed op uses the buffers from outside that its regions mention. Inside, such a
// buffer may get more names: views and phis. If one of its names is freed, or its address
// is kept, this pass does not free the buffer.
//
// Memory that is neither captured nor allocated inside comes from elsewhere. Its names
// are gathered in the same way: if one may be written, so may all memory that the
// function does not own.
//
// The graph of flow.h cannot serve. It reads a function with what its callees do, when that is
// known; here an op is read to find that out, by contracts that are guesses in recursion.
//
//===----------------------------------------------------------------------===//

#include "dealloc/read/steps.h"

#include <stdlib.h>

// A captured buffer, or a name that it or an operand of the op has inside.
typedef struct name {
  MlirValue value;
  bool followed;      // it is a name
  MlirOperation lost; // that frees or keeps it or one of its further names, or null
  const char *reason;
} name;

typedef struct capture {
  stow_domain *domain;
  const stow_domain_context *context;
  MlirOperation op; // whose regions are searched
  stow_own_place place;
  bool later; // they may run when the op is done
  bool allocates;
  stow_op_list ops;  // inside
  stow_map around;   // those of them that have regions
  stow_map deferred; // those of them that may run when the op is done
  stow_map numbers;  // of names
  STOW_ARRAY(name) names;
  STOW_ARRAY(int32_t) followed;  // names whose uses are read
  STOW_ARRAY(stow_jump) further; // from what has a further name to that
} capture;

static bool is_defined_inside(const capture *c, MlirValue value) {
  MlirOperation around = mlirBlockGetParentOperation(stow_block_of(value));
  return mlirOperationEqual(around, c->op) || stow_map_get(&c->around, around.ptr) >= 0;
}

//===----------------------------------------------------------------------===//
// Ops inside
//===----------------------------------------------------------------------===//

static bool is_deferred(const capture *c, MlirOperation op) {
  return stow_map_get(&c->deferred, op.ptr) >= 0;
}

static void list_ops(capture *c, MlirOperation around) {
  bool inside = !mlirOperationEqual(around, c->op);
  bool deferred = inside && mlirOperationGetNumRegions(around) > 0 &&
                  (is_deferred(c, around) || stow_dealloc_runs_later(c->domain, around));
  for (intptr_t r = 0, n = mlirOperationGetNumRegions(around); r < n; ++r)
    STOW_EACH_BLOCK(b, mlirOperationGetRegion(around, r))
      STOW_EACH_OP(op, b) {
        STOW_PUSH(c->ops, op);
        if (mlirOperationGetNumRegions(op) > 0)
          stow_map_add(&c->around, op.ptr, 1);
        if (deferred)
          stow_map_add(&c->deferred, op.ptr, 1);
      }
}

static void list_all_ops(capture *c) {
  list_ops(c, c->op);
  for (size_t i = 0; i < c->ops.count; ++i)
    list_ops(c, c->ops.at[i]);
}

//===----------------------------------------------------------------------===//
// More names
//===----------------------------------------------------------------------===//

static int32_t number_of(capture *c, MlirValue value) {
  int32_t number = stow_map_get(&c->numbers, value.ptr);
  if (number >= 0)
    return number;
  number = (int32_t)c->names.count;
  stow_map_add(&c->numbers, value.ptr, number);
  STOW_PUSH(c->names, (name){.value = value});
  return number;
}

// `of`: what gets the name; null: memory from elsewhere.
static bool add_name(capture *c, MlirValue of, MlirValue value) {
  if (!stow_ir_is_buffer(mlirValueGetType(value)))
    return false;
  int32_t number = number_of(c, value);
  if (!c->names.at[number].followed) {
    c->names.at[number].followed = true;
    STOW_PUSH(c->followed, number);
  }
  if (!mlirValueIsNull(of))
    STOW_PUSH(c->further, (stow_jump){number_of(c, of), number});
  return true;
}

static bool ends_known_region(const capture *c, MlirOperation op, uint32_t facts) {
  MlirOperation around = mlirOperationGetParentOperation(op);
  return (facts & STOW_OP_TERMINATOR) && !mlirOperationEqual(around, c->op) &&
         stow_ir_tells_control_flow(around, stow_op_facts(around));
}

// The phis that an operand becomes where control flow is known.
typedef struct forwarding {
  capture *c;
  MlirValue value;
  MlirOperation from; // a terminator, or null: an op with regions itself
  intptr_t operand;
  bool any;
} forwarding;

static void name_phis_of(void *user, const stow_control_edge *edge) {
  forwarding *t = user;
  for (size_t i = 0; i < edge->count && edge->end.ptr == t->from.ptr; ++i)
    if (edge->passes[i].operand == t->operand)
      t->any |= add_name(t->c, t->value, edge->passes[i].target);
}

static bool name_phis(capture *c, MlirOperation around, MlirOperation from, MlirValue value,
                      intptr_t operand) {
  forwarding t = {.c = c, .value = value, .from = from, .operand = operand};
  stow_bridge_region_edges(around, name_phis_of, &t);
  return t.any;
}

static bool name_successors(capture *c, MlirOperation branch, intptr_t operand) {
  forwarding t = {.c = c,
                  .value = mlirOperationGetOperand(branch, operand),
                  .from = branch,
                  .operand = operand};
  stow_bridge_branch_edges(branch, name_phis_of, &t);
  return t.any;
}

static bool is_borrowed(const capture *c, MlirOperation call, intptr_t operand) {
  intptr_t first, count;
  stow_bridge_call_arguments(call, &first, &count);
  return operand >= first && c->context->borrows(c->context->user, call, operand - first);
}

// Whether a call may return what it is given.
static bool may_return(const capture *c, MlirOperation call, intptr_t operand, intptr_t result) {
  intptr_t first, count;
  stow_bridge_call_arguments(call, &first, &count);
  const stow_contract *contract = c->context->callee(c->context->user, call);
  if (!contract)
    return !is_borrowed(c, call, operand);
  return !stow_contract_argument_at(contract, call, operand) ||
         (size_t)result >= contract->result_count ||
         contract->results[result].may_be[operand - first];
}

static bool name_results(capture *c, MlirOperation op, uint32_t facts, intptr_t operand) {
  bool any = false;
  stow_effects e;
  stow_effects_of(op, &e);
  for (intptr_t i = 0, n = mlirOperationGetNumResults(op); i < n; ++i)
    if (!(e.results[i] & STOW_ALLOCATE) && stow_ir_may_rename(op, operand, i) &&
        (!(facts & STOW_OP_CALL) || may_return(c, op, operand, i)))
      any |= add_name(c, mlirOperationGetOperand(op, operand), mlirOperationGetResult(op, i));
  stow_effects_free(&e);
  return any;
}

static bool name_arguments(capture *c, MlirValue of, MlirBlock block) {
  bool any = false;
  for (intptr_t i = 0, n = mlirBlockIsNull(block) ? 0 : mlirBlockGetNumArguments(block); i < n; ++i)
    any |= add_name(c, of, mlirBlockGetArgument(block, i));
  return any;
}

// Whether the op gives its operand more names.
static bool name_further(capture *c, MlirOperation op, uint32_t facts, intptr_t operand) {
  const MlirValue value = mlirOperationGetOperand(op, operand);
  if (facts & STOW_OP_BRANCH)
    return name_successors(c, op, operand);
  if (ends_known_region(c, op, facts))
    return name_phis(c, mlirOperationGetParentOperation(op), op, value, operand);
  if (stow_ir_tells_control_flow(op, facts))
    return name_phis(c, op, (MlirOperation){NULL}, value, operand) ||
           name_results(c, op, facts, operand);
  bool any = name_results(c, op, facts, operand);
  for (intptr_t r = 0, n = mlirOperationGetNumRegions(op); r < n; ++r)
    any |= name_arguments(c, value, mlirRegionGetFirstBlock(mlirOperationGetRegion(op, r)));
  return any;
}

static const char *why_lost_by_call(const capture *c, MlirOperation op, intptr_t index) {
  if (stow_ir_makes_handle(op) || stow_ir_starts_work(op))
    return "work that goes on later uses it";
  const stow_contract *contract = c->context->callee(c->context->user, op);
  if (!contract)
    return c->context->unknown_ops_escape && !is_borrowed(c, op, index)
               ? "a function without a body may keep it"
               : NULL;
  const stow_contract_argument *taken = stow_contract_argument_at(contract, op, index);
  if (taken && taken->kept)
    return STOW_KEPT_BY_CALLEE;
  return taken && (taken->mixed || stow_contract_frees(taken))
             ? "it is freed where control flow is not known"
             : NULL;
}

// Why this pass may no longer free a buffer that is the op's operand, or null.
static const char *why_lost(const capture *c, MlirOperation op, uint32_t facts, intptr_t index) {
  const char *reason = NULL;
  stow_effects e;
  stow_effects_of(op, &e);
  if (is_deferred(c, op))
    reason = "work that goes on later uses it";
  else if (((e.operands[index] & STOW_FREE) && !stow_dealloc_is_by_bit(op)) ||
           stow_frees_by_bit(op, index))
    reason = "it is freed where control flow is not known";
  else if (facts & STOW_OP_CALL)
    reason = why_lost_by_call(c, op, index);
  else if ((facts & STOW_OP_BRANCH) || ends_known_region(c, op, facts))
    reason = NULL;
  else if (facts & STOW_OP_TERMINATOR)
    reason = "it is yielded where control flow is not known";
  else if (mlirOperationGetNumRegions(op) == 0)
    reason = stow_dealloc_why_kept(c->domain, c->context, op,
                                   (stow_named_op){facts, stow_ir_op_traits(op)}, &e, index);
  stow_effects_free(&e);
  return reason;
}

static void lose(capture *c, int32_t number, MlirOperation op, const char *reason) {
  name *lost = &c->names.at[number];
  if (lost->reason)
    return;
  lost->lost = op;
  lost->reason = reason;
}

// Without a domain, only further names are asked for.
static void follow(capture *c, int32_t number, MlirOpOperand use) {
  MlirOperation op = mlirOpOperandGetOwner(use);
  uint32_t facts = stow_op_facts(op);
  name_further(c, op, facts, mlirOpOperandGetOperandNumber(use));
  const char *reason =
      c->domain ? why_lost(c, op, facts, mlirOpOperandGetOperandNumber(use)) : NULL;
  if (reason)
    lose(c, number, op, reason);
}

static void follow_names(capture *c) {
  for (size_t i = 0; i < c->followed.count; ++i)
    STOW_EACH_USE(use, c->names.at[c->followed.at[i]].value)
      follow(c, c->followed.at[i], use);
}

static bool is_captured(const capture *c, MlirValue value) {
  return stow_ir_is_buffer(mlirValueGetType(value)) && !is_defined_inside(c, value);
}

static void name_captured(capture *c, MlirOperation op) {
  for (intptr_t i = 0, n = mlirOperationGetNumOperands(op); i < n; ++i)
    if (is_captured(c, mlirOperationGetOperand(op, i)))
      name_further(c, op, stow_op_facts(op), i);
}

// Operands of the op itself may have names in its regions, too.
static void name_given(capture *c) {
  const intptr_t regions = mlirOperationGetNumRegions(c->op);
  for (intptr_t i = 0, n = mlirOperationGetNumOperands(c->op); i < n; ++i) {
    MlirValue operand = mlirOperationGetOperand(c->op, i);
    for (intptr_t r = 0; stow_ir_is_buffer(mlirValueGetType(operand)) && r < regions; ++r)
      name_arguments(c, operand, mlirRegionGetFirstBlock(mlirOperationGetRegion(c->op, r)));
  }
}

// What loses a name loses all that has the name.
static void spread_losses(capture *c) {
  stow_index having = stow_ir_predecessors_of(c->further.at, c->further.count, c->names.count);
  STOW_ARRAY(int32_t) lost = {0};
  for (size_t i = 0; i < c->names.count; ++i)
    if (c->names.at[i].reason)
      STOW_PUSH(lost, (int32_t)i);
  for (size_t i = 0; i < lost.count; ++i) {
    const name from = c->names.at[lost.at[i]];
    STOW_EACH_OF(of, having, lost.at[i])
      if (!c->names.at[of].reason) {
        lose(c, of, from.lost, from.reason);
        STOW_PUSH(lost, of);
      }
  }
  free(lost.at);
  stow_index_free(&having);
}

static void gather_names(capture *c) {
  name_given(c);
  for (size_t i = 0; i < c->ops.count; ++i)
    name_captured(c, c->ops.at[i]);
  follow_names(c);
  spread_losses(c);
}

//===----------------------------------------------------------------------===//
// Memory from elsewhere
//===----------------------------------------------------------------------===//

static void name_external(capture *c, MlirOperation op) {
  uint32_t facts = stow_op_facts(op);
  bool known = stow_ir_tells_control_flow(op, facts);
  stow_effects e;
  stow_effects_of(op, &e);
  bool brings = !known && stow_dealloc_brings_memory(op, facts, &e);
  for (intptr_t i = 0, n = mlirOperationGetNumResults(op); brings && i < n; ++i)
    if (!(e.results[i] & STOW_ALLOCATE))
      add_name(c, (MlirValue){NULL}, mlirOperationGetResult(op, i));
  for (intptr_t r = 0, n = mlirOperationGetNumRegions(op); !known && r < n; ++r)
    name_arguments(c, (MlirValue){NULL}, mlirRegionGetFirstBlock(mlirOperationGetRegion(op, r)));
  stow_effects_free(&e);
}

static bool is_named(const capture *c, MlirValue value) {
  return stow_map_get(&c->numbers, value.ptr) >= 0;
}

static void free_names(capture *c) {
  stow_map_free(&c->numbers);
  free(c->names.at);
  free(c->followed.at);
  free(c->further.at);
}

static bool writes_through(const capture *c, MlirOperation op, uint32_t facts,
                           const stow_effects *e, intptr_t index) {
  if (!(facts & STOW_OP_CALL))
    return e->operands[index] & (STOW_WRITE | STOW_FREE);
  const stow_contract *contract = c->context->callee(c->context->user, op);
  const stow_contract_argument *taken =
      contract ? stow_contract_argument_at(contract, op, index) : NULL;
  return !taken || taken->written;
}

static bool writes_external(const capture *c, MlirOperation op) {
  uint32_t facts = stow_op_facts(op);
  stow_effects e;
  stow_effects_of(op, &e);
  bool writes =
      !(facts & STOW_OP_TERMINATOR) && stow_dealloc_writes_anywhere(c->context, op, facts, &e);
  for (intptr_t i = 0, n = mlirOperationGetNumOperands(op); i < n && !writes; ++i)
    writes = is_named(c, mlirOperationGetOperand(op, i)) && writes_through(c, op, facts, &e, i);
  stow_effects_free(&e);
  return writes;
}

// Whether the regions may write memory that they neither capture nor allocate.
static bool writes_outside(const capture *around) {
  capture c = {.context = around->context, .op = around->op};
  bool writes = false;
  name_external(&c, c.op);
  for (size_t i = 0; i < around->ops.count; ++i)
    name_external(&c, around->ops.at[i]);
  follow_names(&c);
  for (size_t i = 0; i < around->ops.count && !writes; ++i)
    writes = writes_external(&c, around->ops.at[i]);
  free_names(&c);
  return writes;
}

//===----------------------------------------------------------------------===//
// Uses
//===----------------------------------------------------------------------===//

// Whether the work that the op starts may still use a buffer where the buffer has no name.
static bool outlasts(const capture *c, MlirValue buffer) {
  return stow_ir_passes_token(c->op) &&
         !stow_ir_is_settled_with(&c->domain->completions, c->op, buffer);
}

static const name *name_of(const capture *c, MlirValue value) {
  int32_t number = stow_map_get(&c->numbers, value.ptr);
  return number < 0 ? NULL : &c->names.at[number];
}

static void note_operand(capture *c, MlirOperation op, intptr_t index, bool writes) {
  int32_t segment = c->place.segment;
  int32_t ref = stow_domain_ref(c->domain, mlirOperationGetOperand(op, index));
  uint32_t facts = stow_op_facts(op);
  const name *known = name_of(c, mlirOperationGetOperand(op, index));
  stow_domain_add_use(c->domain, ref, c->place, c->op, writes || known);
  const char *reason = why_lost(c, op, facts, index);
  if (c->later || outlasts(c, mlirOperationGetOperand(op, index)))
    stow_domain_add_escape(c->domain, ref, segment, c->op, "work that goes on later uses it");
  if (reason)
    stow_domain_add_escape(c->domain, ref, segment, op, reason);
  if (known && known->reason)
    stow_domain_add_escape(c->domain, ref, segment, known->lost, known->reason);
}

static void note_inside(capture *c, MlirOperation op) {
  const uint32_t facts = stow_op_facts(op);
  c->allocates |= stow_ir_op_traits(op) & (STOW_ALLOCATES_HEAP | STOW_CLONES);
  stow_effects e;
  stow_effects_of(op, &e);
  for (intptr_t i = 0, n = mlirOperationGetNumOperands(op); i < n; ++i)
    if (is_captured(c, mlirOperationGetOperand(op, i)))
      note_operand(c, op, i, !(facts & STOW_OP_EFFECTS_KNOWN) || (e.operands[i] & STOW_WRITE));
  stow_effects_free(&e);
}

static void note_given(capture *c) {
  for (intptr_t i = 0, n = mlirOperationGetNumOperands(c->op); i < n; ++i) {
    MlirValue operand = mlirOperationGetOperand(c->op, i);
    const name *known = name_of(c, operand);
    if (known && known->reason)
      stow_domain_add_escape(c->domain, stow_domain_ref(c->domain, operand), c->place.segment,
                             known->lost, known->reason);
  }
}

bool stow_dealloc_read_captures(stow_domain *domain, const stow_domain_context *context,
                                MlirOperation op, stow_own_place place, bool later) {
  capture c = {.domain = domain, .context = context, .op = op, .place = place, .later = later};
  list_all_ops(&c);
  gather_names(&c);
  for (size_t i = 0; i < c.ops.count; ++i)
    note_inside(&c, c.ops.at[i]);
  note_given(&c);
  if (writes_outside(&c))
    stow_domain_add_use(domain, -1, place, op, true);
  free_names(&c);
  stow_map_free(&c.around);
  stow_map_free(&c.deferred);
  free(c.ops.at);
  return c.allocates;
}
