//===- effects.c - what an op does to the places it is given --------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ops as op.h reads them become events. A result that is neither a number nor a memref (a
// pointer, a token) has the place of the operands that it was made from: an op that uses it may
// read and write there.
//
//===----------------------------------------------------------------------===//

#include "check/limits.h"
#include "check/op.h"
#include "check/steps.h"

#include <stdlib.h>

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

static bool is_of_call(MlirValue value) {
  return mlirValueIsAOpResult(value) && stow_bridge_op_is_call(mlirOpResultGetOwner(value));
}

// Whether work is done before the op begins, so that neither the op nor its token uses it. Of work
// that a call began, only the token tells.
static bool is_done_before(MlirOperation op, intptr_t operand) {
  const MlirValue token = mlirOperationGetOperand(op, operand);
  return stow_check_kinds(op) & (STOW_CHECK_STARTS | STOW_CHECK_FOLLOWS) &&
         stow_bridge_type_is_token(mlirValueGetType(token)) && !is_of_call(token);
}

static void access_operands(stow_check_program *p, MlirOperation op, const stow_check_op *does) {
  for (intptr_t i = 0, n = mlirOperationGetNumOperands(op); i < n; ++i) {
    stow_check_place place = stow_check_place_of_operand(p, op, i);
    uint8_t acts = place.name == STOW_CHECK_NO_NAME ? 0 : does->operands[i];
    if (acts & STOW_CHECK_KEEPS)
      STOW_PUSH(p->escaped, place);
    if (acts & STOW_CHECK_USES && !is_done_before(op, i))
      STOW_PUSH(p->accesses,
                (stow_check_access){place, acts & STOW_CHECK_READS, acts & STOW_CHECK_WRITES,
                                    acts & STOW_CHECK_FILLS && place.dense,
                                    stow_check_handle_of(p, mlirOperationGetOperand(op, i)) >= 0});
  }
}

// What a transfer reads and writes until an op waits for it. A wait for a phase may be for loads
// that have not begun: pending.c knows which have.
static void access_transfers(stow_check_program *p, MlirOperation wait) {
  if (!(stow_check_kinds(wait) & STOW_CHECK_WAITS) ||
      !mlirValueIsNull(stow_check_mbarrier_of(wait)))
    return;
  const stow_op_list starts = stow_check_transfer_partners(&p->transfers, wait);
  STOW_EACH_ITEM(MlirOperation, start, starts)
    for (intptr_t i = 0, n = mlirOperationGetNumOperands(start); i < n; ++i) {
      const stow_check_place place = stow_check_place_of_operand(p, start, i);
      if (place.name != STOW_CHECK_NO_NAME)
        STOW_PUSH(p->accesses, (stow_check_access){
                                   .place = place, .reads = true, .writes = i > 0, .handle = true});
    }
}

// What the terminator of a function is given, the caller reads.
static void access_yielded(stow_check_program *p, MlirOperation op, const stow_check_op *does) {
  for (intptr_t i = 0, n = mlirOperationGetNumOperands(op); i < n; ++i) {
    stow_check_place place = stow_check_place_of_operand(p, op, i);
    if (place.name != STOW_CHECK_NO_NAME && does->operands[i] & STOW_CHECK_YIELDS)
      STOW_PUSH(p->accesses, (stow_check_access){.place = place, .reads = true});
  }
}

// A function that is called writes the bytes of global arenas that it cuts views from.
static void access_globals(stow_check_program *p, MlirOperation call) {
  for (size_t n = 0; n < p->names.count; ++n) {
    if (p->names.at[n].kind != STOW_CHECK_ROOT ||
        !stow_check_is_of_program(p, p->names.at[n].value))
      continue;
    const stow_check_bytes bytes = stow_check_bytes_meet(
        stow_check_global_used(p, call, p->names.at[n].value), p->names.at[n].bytes);
    if (!stow_check_bytes_empty(bytes))
      STOW_PUSH(p->accesses, (stow_check_access){.place = {(int32_t)n, bytes, true, true},
                                                 .writes = true,
                                                 .fills = true});
  }
}

// What the region of a linalg op captures is read and written by the op as a whole.
static void access_payload(stow_check_program *p, MlirOperation around) {
  STOW_EACH_OP_OF(op, around) {
    if (mlirOperationEqual(op, around))
      continue;
    stow_check_op does = stow_check_op_read(&p->transfers, op, stow_op_facts(op));
    access_operands(p, op, &does);
    stow_check_op_free(&does);
  }
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

// Which operands may be the result, one entry per operand.
static bool *sources_of(stow_check_program *p, MlirOperation op, uint32_t facts, intptr_t result) {
  intptr_t n = mlirOperationGetNumOperands(op), first = 0, count = 0;
  bool *may_be = stow_ir_allocate((size_t)n, sizeof *may_be);
  uint32_t arguments = UINT32_MAX;
  if (facts & STOW_OP_CALL) {
    stow_bridge_call_arguments(op, &first, &count);
    arguments = stow_check_returned_arguments(p, op, result);
  }
  for (intptr_t i = 0; i < n; ++i) {
    intptr_t bit = i - first < 31 ? i - first : 31;
    bool argument = i >= first && i < first + count;
    may_be[i] = stow_check_place_of_operand(p, op, i).name != STOW_CHECK_NO_NAME &&
                !(stow_bridge_type_is_token(mlirValueGetType(mlirOperationGetResult(op, result))) &&
                  is_done_before(op, i)) &&
                (!argument || (arguments >> bit & 1));
  }
  return may_be;
}

static void follow_result(stow_check_program *p, MlirOperation op, uint32_t facts, intptr_t index) {
  MlirValue result = mlirOperationGetResult(op, index);
  bool *may_be = sources_of(p, op, facts, index);
  stow_check_place only = {.name = STOW_CHECK_NO_NAME};
  intptr_t count = 0, n = mlirOperationGetNumOperands(op);
  for (intptr_t i = 0; i < n; ++i)
    if (may_be[i]) {
      only = stow_check_place_of_operand(p, op, i);
      ++count;
    }
  only.exact = only.dense = false;
  if (count == 1)
    stow_check_place_set(p, result, only);
  int32_t choice = count > 1 ? stow_check_choice_add(p, result, -1) : STOW_CHECK_NO_NAME;
  for (intptr_t i = 0; i < n && count > 1; ++i)
    if (may_be[i])
      stow_check_source_add(p, -1, mlirOperationGetOperand(op, i), result);
  if (count > 1)
    stow_check_define_add(p, choice);
  free(may_be);
}

static void follow_results(stow_check_program *p, MlirOperation op, uint32_t facts,
                           const stow_check_op *does) {
  for (intptr_t i = 0, n = mlirOperationGetNumResults(op); i < n; ++i) {
    MlirValue result = mlirOperationGetResult(op, i);
    if (does->results[i] == STOW_CHECK_OPERANDS)
      follow_result(p, op, facts, i);
    if (stow_check_place_of(p, result).name != STOW_CHECK_NO_NAME)
      continue;
    stow_check_root_find(p, result);
    int32_t root = stow_check_place_of(p, result).name;
    if (root != STOW_CHECK_NO_NAME && does->results[i] == STOW_CHECK_OWN)
      stow_check_define_add(p, root);
  }
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

static void add_settled_source(stow_check_program *p, int32_t choice, stow_check_place place) {
  if (place.name != STOW_CHECK_NO_NAME)
    STOW_PUSH(p->sources, (stow_check_source){.choice = choice, .edge = -1, .place = place});
}

static void make_group(stow_check_program *p, MlirOperation op) {
  const int32_t empty = stow_check_choice_add(p, mlirOperationGetResult(op, 0), -1);
  p->names.at[empty].group = empty;
  stow_check_define_add(p, empty);
}

static bool is_made_in_block_of(MlirOperation op, MlirValue value) {
  return mlirValueIsAOpResult(value) &&
         mlirBlockEqual(mlirOperationGetBlock(op), stow_block_of(value));
}

// A token joins a group: who waits for the group from here on waits for the token, too.
static void join_group(stow_check_program *p, MlirOperation op) {
  MlirValue group = mlirOperationGetOperand(op, 1);
  stow_check_place token = stow_check_place_of_operand(p, op, 0);
  stow_check_place before = stow_check_place_of(p, group);
  if (token.name == STOW_CHECK_NO_NAME)
    return;
  int32_t choice = stow_check_choice_add(p, group, -1);
  if (before.name != STOW_CHECK_NO_NAME)
    p->names.at[choice].group = p->names.at[before.name].group;
  p->names.at[choice].grows = !is_made_in_block_of(op, group);
  add_settled_source(p, choice, token);
  add_settled_source(p, choice, before);
  stow_check_define_add(p, choice);
}

static void add_access(stow_check_program *p, MlirOperation op, intptr_t operand) {
  stow_check_place place = stow_check_place_of_operand(p, op, operand);
  if (place.name != STOW_CHECK_NO_NAME)
    STOW_PUSH(p->accesses, (stow_check_access){.place = place});
}

// What the op retains stands behind what it frees.
static void add_free(stow_check_program *p, MlirOperation op, intptr_t operand) {
  size_t first = p->accesses.count;
  add_access(p, op, operand);
  for (intptr_t i = 0, n = mlirOperationGetNumOperands(op); p->accesses.count > first && i < n; ++i)
    if (stow_check_retains(op, i))
      add_access(p, op, i);
  stow_check_accesses_close(p, STOW_CHECK_EVENT_FREE, op, first);
}

static void add_frees(stow_check_program *p, MlirOperation op) {
  for (intptr_t i = 0, n = mlirOperationGetNumOperands(op); i < n; ++i)
    if (stow_check_frees(op, i))
      add_free(p, op, i);
}

// Whether a call gives an arena back to who lent it: a declared function takes it, and nothing
// else.
static bool gives_back(const stow_check_program *p, MlirOperation op) {
  const int32_t name = stow_check_takes_back(p, op) ? stow_check_place_of_operand(p, op, 0).name
                                                    : STOW_CHECK_NO_NAME;
  return name != STOW_CHECK_NO_NAME && p->names.at[name].kind == STOW_CHECK_ROOT &&
         stow_check_is_borrowed(p, p->names.at[name].value);
}

static void add_plain(stow_check_program *p, MlirOperation op, uint32_t facts) {
  size_t first = p->accesses.count;
  stow_check_op does = stow_check_op_read(&p->transfers, op, facts);
  access_operands(p, op, &does);
  access_yielded(p, op, &does);
  access_transfers(p, op);
  if (facts & STOW_OP_STRUCTURED)
    access_payload(p, op);
  if (facts & STOW_OP_CALL) {
    stow_check_fits_call(p, op);
    access_globals(p, op);
  }
  stow_check_accesses_close(p, STOW_CHECK_EVENT_ACCESS, op, first);
  for (intptr_t i = 0, n = mlirOperationGetNumOperands(op); i < n; ++i)
    if (does.operands[i] & STOW_CHECK_ENDS)
      add_free(p, op, i);
  if (!(facts & STOW_OP_REGION_BRANCH))
    follow_results(p, op, facts, &does);
  stow_check_op_free(&does);
}

// A barrier of a number of threads, not of the workgroup.
static bool is_for_some(MlirOperation op) {
  return stow_ir_op_is(op, "nvvm.barrier") && mlirOperationGetNumOperands(op) > 0;
}

static bool is_plain_barrier(MlirOperation op) {
  return stow_check_kinds(op) & STOW_CHECK_BARRIER && !is_for_some(op);
}

// Notes the body that a call runs, if it is one block.
static void go_into(MlirOperation call, stow_symbols *symbols, stow_block_set *bodies) {
  const MlirRegion body = stow_check_called_body(call, symbols);
  if (mlirRegionIsNull(body))
    return;
  const MlirBlock block = mlirRegionGetFirstBlock(body);
  if (mlirBlockIsNull(mlirBlockGetNextInRegion(block)) &&
      bodies->index.count < STOW_CHECK_MOST_CALLED)
    STOW_INCLUDE(*bodies, block);
}

static bool calls_barrier(MlirOperation call, stow_symbols *symbols) {
  stow_block_set bodies = {0};
  bool any = false;
  go_into(call, symbols, &bodies);
  while (bodies.count > 0 && !any) {
    const MlirBlock block = bodies.at[--bodies.count];
    STOW_EACH_OP(op, block) {
      any |= is_plain_barrier(op);
      if (stow_ir_op_is(op, "func.call"))
        go_into(op, symbols, &bodies);
    }
  }
  STOW_SET_FREE(bodies);
  return any;
}

// A call that is given memory may use it behind the barrier.
bool stow_check_is_barrier(MlirOperation op, stow_symbols *symbols) {
  if (!stow_ir_op_is(op, "func.call"))
    return is_plain_barrier(op);
  for (intptr_t i = 0, n = mlirOperationGetNumOperands(op); i < n; ++i)
    if (stow_check_is_followed(mlirValueGetType(mlirOperationGetOperand(op, i))))
      return false;
  return calls_barrier(op, symbols);
}

// Between a thread's own accesses to shared memory and those of loads.
static bool is_fence(MlirOperation op) {
  static const char *const kinds[] = {"#nvvm.proxy_kind<async>", "#nvvm.proxy_kind<async.shared>"};
  bool any = false;
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds && stow_ir_op_is(op, "nvvm.fence.proxy"); ++i)
    any |= mlirAttributeEqual(
        stow_attribute_of(op, "kind"),
        mlirAttributeParseGet(mlirOperationGetContext(op), stow_ir_string(kinds[i])));
  return any;
}

void stow_check_effects_add(stow_check_program *p, MlirOperation op, uint32_t facts) {
  uint32_t kinds = stow_check_kinds(op);
  if (stow_check_view_follow(p, op))
    return;
  if (kinds & STOW_CHECK_GATHERS)
    make_group(p, op);
  else if (kinds & STOW_CHECK_JOINS)
    join_group(p, op);
  else if (kinds & STOW_CHECK_FREES)
    add_frees(p, op);
  else if (gives_back(p, op))
    add_free(p, op, 0);
  else
    add_plain(p, op, facts);
  if (facts & STOW_OP_CALL)
    stow_check_globals_shared(p, op);
  if (stow_check_is_barrier(op, p->symbols))
    stow_check_barrier_add(p, op, STOW_CHECK_EVENT_BARRIER);
  if (facts & STOW_OP_CALL && stow_check_is_barrier(op, p->symbols))
    stow_check_globals_shared(p, op); // behind its barrier
  if (is_fence(op))
    stow_check_barrier_add(p, op, STOW_CHECK_EVENT_FENCE);
}
