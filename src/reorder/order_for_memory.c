//===- order_for_memory.c - ops of a block in the order that needs least --===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Innermost blocks come first: in the block around it, an op with regions is one op that needs
// their peak while it runs. The live bytes are minimised; then the function is planned, and a
// function whose arenas did not become smaller is not changed.
//
//===----------------------------------------------------------------------===//

#include "ir/nothing_done.h"
#include "reorder/limits.h"
#include "reorder/reorder.h"

#include <assert.h>

typedef struct function {
  stow_attempt *attempt; // nothing is kept where nobody looks
  stow_reorder_account account;
} function;

typedef struct functions {
  stow_attempts attempts;
  STOW_ARRAY(function) list; // one each
  stow_map index;            // of ops
  uint64_t effort;           // for a block
  uint64_t left;             // for all `blocks` that are not ordered yet
  size_t blocks;
  bool noalias; // memory behind an argument is reached in no other way
} functions;

typedef struct nested_block {
  MlirBlock block;
  int depth;
} nested_block;

typedef STOW_ARRAY(nested_block) nested_blocks;

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

// Two ops at least could change places.
static bool may_order(MlirBlock block) {
  size_t count = 0;
  if (stow_op_facts(mlirBlockGetParentOperation(block)) & STOW_OP_GRAPH_REGION)
    return false;
  for (MlirOperation op = mlirBlockGetFirstOperation(block); !mlirOperationIsNull(op) && count < 2;
       op = mlirOperationGetNextInBlock(op))
    count += stow_ir_takes_buffer(op) || mlirOperationGetNumRegions(op) > 0;
  return count >= 2;
}

static int depth_of(MlirOperation op) {
  int depth = 0;
  for (; !mlirOperationIsNull(op); op = mlirOperationGetParentOperation(op))
    ++depth;
  return depth;
}

static void add_blocks(nested_blocks *all, MlirOperation root) {
  const stow_block_list blocks = stow_ir_memory_blocks_in(root);
  STOW_EACH_ITEM(MlirBlock, block, blocks)
    if (may_order(block))
      STOW_PUSH(*all, (nested_block){block, depth_of(mlirBlockGetParentOperation(block))});
  free(blocks.at);
}

// A block has its share of what those before it left, and never more than it may take.
static stow_order_options next_share(functions *all) {
  const uint64_t share = all->left / all->blocks--;
  const uint64_t capped = share < all->effort ? share : all->effort;
  return (stow_order_options){capped > 0 ? capped : 1};
}

static void order_block(functions *all, function *f, const stow_reorder_facts *facts,
                        MlirBlock block) {
  stow_reorder_block b;
  stow_order order;
  const stow_order_options how = next_share(all);
  stow_reorder_read(facts, block, &b);
  if (b.buffers.count >= 2) {
    if (!stow_order_find(&b.problem, &how, &order))
      stow_bridge_out_of_memory();
    all->left -= order.effort < all->left ? order.effort : all->left;
    assert(order.bound <= order.peak && order.peak <= order.given);
    stow_reorder_describe(&f->account, &b, &order);
    if (order.peak < order.given)
      stow_reorder_apply(&b, order.nodes);
    stow_order_free(&order);
  }
  stow_reorder_block_free(&b);
}

// The function of the list that is around an op, or null.
static function *function_around(functions *all, MlirOperation op) {
  for (; !mlirOperationIsNull(op); op = mlirOperationGetParentOperation(op)) {
    const int32_t at = stow_map_get(&all->index, op.ptr);
    if (at >= 0)
      return &all->list.at[at];
  }
  return NULL;
}

static bool is_around(MlirOperation scope, MlirBlock block) {
  MlirOperation op = mlirBlockGetParentOperation(block);
  while (!mlirOperationIsNull(op) && !stow_bridge_op_is_function(op))
    op = mlirOperationGetParentOperation(op);
  return mlirOperationEqual(op, scope);
}

// In a block that is never reached, values may be used before they are there.
static bool is_reached(const stow_flow *flow, MlirBlock block) {
  const int32_t at = stow_map_get(&flow->block_index, block.ptr);
  return at >= 0 && flow->blocks.at[at].reachable;
}

static void order_level(functions *all, const stow_function_memory *memory,
                        const nested_blocks *blocks, int depth) {
  function *f = function_around(all, memory->flow.function);
  if (!f || f->attempt->before.arenas == 0 || memory->flow.coroutine)
    return;
  stow_reorder_facts facts = stow_reorder_facts_of(memory, all->noalias);
  for (size_t i = 0; i < blocks->count; ++i)
    if (blocks->at[i].depth == depth && is_around(memory->flow.function, blocks->at[i].block) &&
        is_reached(&memory->flow, blocks->at[i].block))
      order_block(all, f, &facts, blocks->at[i].block);
  stow_reorder_facts_free(&facts);
}

// The deepest level below `limit`, or -1.
static int next_level(const nested_blocks *blocks, int limit) {
  int depth = -1;
  for (size_t i = 0; i < blocks->count; ++i)
    if (blocks->at[i].depth < limit && blocks->at[i].depth > depth)
      depth = blocks->at[i].depth;
  return depth;
}

static void order_blocks(functions *all, MlirOperation module) {
  nested_blocks blocks = {0};
  STOW_EACH(const stow_attempt, a, all->attempts)
    if (a->before.arenas > 0)
      add_blocks(&blocks, a->op);
  all->blocks = blocks.count;
  for (int depth = next_level(&blocks, INT32_MAX); depth >= 0; depth = next_level(&blocks, depth)) {
    stow_module_memory memory = stow_module_memory_of(module, STOW_UNKNOWN_OPS_ESCAPE);
    for (size_t i = 0; i < memory.function_count; ++i)
      order_level(all, &memory.functions[i], &blocks, depth);
    stow_module_memory_free(&memory);
  }
  free(blocks.at);
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

static void begin(functions *all, MlirOperation module) {
  all->attempts = stow_attempts_begin(module, NULL);
  STOW_EACH(stow_attempt, attempt, all->attempts) {
    stow_map_add(&all->index, attempt->op.ptr, (int32_t)all->list.count);
    STOW_PUSH(all->list, (function){.attempt = attempt});
    if (attempt->before.arenas > 0)
      stow_attempt_keep(attempt);
  }
}

static bool is_worth_it(const function *f) {
  return f->account.reordered > 0 && stow_reduce_is_gain(f->attempt->now, f->attempt->before);
}

// Whether a block is in another order.
static bool settle(functions *all, MlirOperation module) {
  bool any = false;
  STOW_EACH(const function, f, all->list)
    any |= f->account.reordered > 0;
  if (any)
    stow_attempts_plan(module, &all->attempts);
  any = false;
  STOW_EACH(function, f, all->list) {
    stow_remarks_settle(&f->account.remarks, f->attempt->op, true);
    stow_attempt_finish(f->attempt, "order-for-memory", "blocks in another order",
                        f->account.reordered, is_worth_it(f));
    any |= is_worth_it(f);
  }
  return any;
}

// Why nothing was done; freed by the caller.
static char *idle_text(MlirOperation module, const functions *all) {
  size_t blocks = 0;
  STOW_EACH(const function, f, all->list)
    blocks += f->account.blocks.count;
  if (!stow_attempts_are_planned(&all->attempts))
    return stow_reduce_none_planned_text(module);
  return stow_ir_format("no order makes an arena smaller: %zu blocks with buffers", blocks);
}

static bool report(const functions *all, const stow_report_files *files, const char *note) {
  stow_report_ordered *entries = stow_ir_allocate(all->list.count, sizeof *entries);
  size_t count = 0;
  STOW_EACH(const function, f, all->list) {
    const stow_attempt *attempt = f->attempt;
    if (attempt->before.arenas == 0)
      continue;
    entries[count++] = (stow_report_ordered){
        .function = stow_ir_copy_string(stow_bridge_function_name(attempt->op)),
        .before = attempt->before.arenas,
        .after = attempt->now.arenas,
        .undone = f->account.reordered > 0 && !is_worth_it(f),
        .blocks = f->account.blocks.at,
        .block_count = f->account.blocks.count};
  }
  const stow_report_orders told = {"order-for-memory", entries, count, note};
  const bool written = stow_ir_write_reports(files, &told);
  for (size_t i = 0; i < count; ++i)
    free((char *)entries[i].function);
  free(entries);
  return written;
}

static uint64_t most_effort(uint64_t of_block) {
  return of_block > UINT64_MAX / STOW_REORDER_MOST_HARD ? UINT64_MAX
                                                        : of_block * STOW_REORDER_MOST_HARD;
}

bool stow_order_for_memory(MlirOperation module, const stow_order_for_memory_options *given) {
  stow_order_for_memory_options options;
  stow_ir_take_options(&options, given, sizeof options);
  const stow_report_files files = stow_reorder_files(module, &options);
  if (!stow_ir_can_report(&files))
    return false;
  const uint64_t effort = options.effort > 0 ? options.effort : STOW_ORDER_EFFORT;
  functions all = {
      .effort = effort, .left = most_effort(effort), .noalias = options.assume_noalias_arguments};
  char *idle = NULL;
  begin(&all, module);
  order_blocks(&all, module);
  if (!settle(&all, module)) {
    idle = idle_text(module, &all);
    stow_bridge_tell_idle_pass(module, "order-for-memory", idle);
  }
  const bool written = report(&all, &files, idle);
  free(idle);
  STOW_EACH(function, f, all.list)
    stow_reorder_account_free(&f->account);
  stow_map_free(&all.index);
  free(all.list.at);
  free(all.attempts.at);
  return written;
}
