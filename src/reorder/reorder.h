//===- reorder.h - a block as a graph of its ops --------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which op of a block depends on which, and which buffers each uses, as a problem of
// stowage/order.h. Its *nodes* are the ops that access memory. Ops that only compute or allocate
// are placed before their first user, and the dealloc of a planned buffer after its last user.
//
//   block --facts---> values that may be the same memory                facts.c
//         --effects-> what each op touches, and which no other passes   effects.c
//         --block---> nodes, and the edges between them                 block.c
//         --lives---> pieces of planned buffers, with their nodes       lives.c
//         --find----> an order, and a bound                             src/order
//         --apply---> the ops in that order                             apply.c
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_REORDER_REORDER_H
#define STOWAGE_REORDER_REORDER_H

#include "bridge/bridge.h"
#include "ir/buffers.h"
#include "ir/report_files.h"
#include "orders.h"
#include "reduce/attempts.h"
#include "stowage/order.h"
#include "stowage/passes.h"

//===----------------------------------------------------------------------===//
// facts.c: memory that may be the same
//===----------------------------------------------------------------------===//

// Memory from outside the function, or whose address gets away.
#define STOW_REORDER_OUTSIDE (-1)

typedef struct stow_reorder_facts {
  const stow_function_memory *memory;
  int32_t *leaders;           // of values of the flow that may be the same memory
  bool *outside;              // per leader
  stow_map allocs;            // of ops: the alloc of the flow
  MlirSymbolTable symbols;    // around the function; may be null
  const MlirAttribute *space; // not NULL: only buffers in this memory space take bytes
  bool each; // what the block allocates is a buffer, if one node alone uses it, too
} stow_reorder_facts;

// `noalias`: memory behind an argument is reached in no other way. Freed with
// stow_reorder_facts_free.
stow_reorder_facts stow_reorder_facts_of(const stow_function_memory *memory, bool noalias);
void stow_reorder_facts_free(stow_reorder_facts *facts);

// The leader of the values that may be this memory.
int32_t stow_reorder_memory_of(const stow_reorder_facts *facts, MlirValue value);

// The memref.global that the value is, or a view of, where nothing ever writes it; or null.
MlirOperation stow_reorder_constant_of(const stow_reorder_facts *facts, MlirValue value);

static inline bool stow_reorder_is_constant(const stow_reorder_facts *facts, MlirValue value) {
  return !mlirOperationIsNull(stow_reorder_constant_of(facts, value));
}

// Whether merge-alloc plans what the op allocates.
bool stow_reorder_is_planned(const stow_reorder_facts *facts, MlirOperation op);

//===----------------------------------------------------------------------===//
// effects.c: what an op of the block does
//===----------------------------------------------------------------------===//

typedef enum stow_reorder_reason {
#define STOW_REORDER_REASON(ENUM, CODE, CLAUSE, ADVICE) ENUM,
#include "reorder/reasons.def"
} stow_reorder_reason;

typedef struct stow_reorder_access {
  int32_t memory; // a leader, or STOW_REORDER_OUTSIDE
  bool writes;    // or frees, or both reads and writes
  MlirValue view; // the operand; null: no operand says which part
} stow_reorder_access;

// Of an op with all that is in its regions.
typedef struct stow_reorder_effects {
  stow_reorder_reason kept; // STOW_REORDER_FREE, or why nothing may pass the op
  MlirOperation culprit;    // it, or an op in it
  bool computes;            // it touches no memory
  bool allocates, frees;    // memory that merge-alloc does not plan
  STOW_ARRAY(stow_reorder_access) accesses;
} stow_reorder_effects;

// Freed with free(accesses.at).
stow_reorder_effects stow_reorder_effects_of(const stow_reorder_facts *facts, MlirOperation op);

//===----------------------------------------------------------------------===//
// block.c: the graph
//===----------------------------------------------------------------------===//

typedef struct stow_reorder_op {
  MlirOperation op;
  int32_t node;   // or -1
  bool late;      // a dealloc that stands behind the last node that touches its memory
  int32_t memory; // of that dealloc
} stow_reorder_op;

typedef struct stow_reorder_touch {
  int32_t memory;
  size_t node;
} stow_reorder_touch;

typedef struct stow_reorder_kept {
  MlirOperation op, culprit;
  stow_reorder_reason reason;
} stow_reorder_kept;

typedef struct stow_reorder_block {
  MlirBlock block;
  STOW_ARRAY(stow_reorder_op) ops;        // all but the last one
  stow_map index;                         // of them
  STOW_ARRAY(size_t) nodes;               // by node: its op
  STOW_ARRAY(stow_order_edge) edges;      //
  STOW_ARRAY(stow_reorder_kept) kept;     // ops that nothing passes
  STOW_ARRAY(stow_reorder_touch) touches; // of memory from inside the function
  size_t memory_count;                    // leaders are below it
  STOW_ARRAY(stow_order_buffer) buffers;
  STOW_ARRAY(size_t) allocs; // of the buffers, in the flow
  size_t *users;             // of the buffers
  uint64_t *inside;
  stow_order_problem problem; // of the tables above
} stow_reorder_block;

// Freed with stow_reorder_block_free.
void stow_reorder_read(const stow_reorder_facts *facts, MlirBlock block, stow_reorder_block *out);
void stow_reorder_block_free(stow_reorder_block *block);

// lives.c: the buffers of the problem.
void stow_reorder_add_buffers(const stow_reorder_facts *facts, stow_reorder_block *block);

// apply.c: puts the block's ops into the order of its nodes.
void stow_reorder_apply(const stow_reorder_block *block, const size_t *nodes);

//===----------------------------------------------------------------------===//
// account.c: what order-for-memory did, for remarks and reports
//===----------------------------------------------------------------------===//

// What became of a function.
typedef struct stow_reorder_account {
  STOW_ARRAY(stow_report_order) blocks;
  stow_remarks remarks;
  size_t reordered; // blocks
} stow_reorder_account;

// Adds a block and the order that was found for it. Remarks only where somebody listens.
void stow_reorder_describe(stow_reorder_account *to, const stow_reorder_block *block,
                           const stow_order *order);

void stow_reorder_account_free(stow_reorder_account *account);

// For a stow_report_orders.
stow_report_files stow_reorder_files(MlirOperation module,
                                     const stow_order_for_memory_options *options);

#endif // STOWAGE_REORDER_REORDER_H
