//===- op.h - what an op does to memory -----------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The checker's own reading of ops, from their definitions in MLIR's dialects. The table in op.c
// has ops that make, name, access and wait for memory. For what is not in the table, an op's
// interfaces are asked. An op without those may do everything.
//
// The planner has another reading, src/ir/op.h. Nothing of it is used here, so that a mistake
// there is not made here, too.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_CHECK_OP_H
#define STOWAGE_CHECK_OP_H

#include "bridge/bridge.h"
#include "ir/support.h"
#include "mlir-c/IR.h"

#include <stdbool.h>
#include <stdint.h>

// What ops are known for by name.
enum stow_check_kind {
  STOW_CHECK_VIEWS = 1 << 0,      // memref.view: the result starts at the byte that operand 1 says
  STOW_CHECK_CUTS = 1 << 1,       // the result is in operand 0, its type says where
  STOW_CHECK_UNCUTS = 1 << 2,     // the result is all of the buffer that operand 0 is a part of
  STOW_CHECK_RENAMES = 1 << 3,    // result i is operand i, element by element
  STOW_CHECK_PROMISES = 1 << 4,   // ... and aligned as an attribute says
  STOW_CHECK_MAKES = 1 << 5,      // results are memory of their own, not an operand's
  STOW_CHECK_HEAP = 1 << 6,       // ... on the heap, for memref.dealloc
  STOW_CHECK_GLOBAL = 1 << 7,     // the result is a global
  STOW_CHECK_FREES = 1 << 8,      // the memory of some operands is gone: stow_check_frees
  STOW_CHECK_MEASURES = 1 << 9,   // numbers that it gives tell a shape, not an address
  STOW_CHECK_NEUTRAL = 1 << 10,   // used by arenas and by data alike
  STOW_CHECK_ATOMIC = 1 << 11,    // may do the same at once
  STOW_CHECK_JOINS = 1 << 12,     // who waits for operand 1 from here on waits for operand 0, too
  STOW_CHECK_WAITS = 1 << 13,     // for the work that operands stand for, or gives what does
  STOW_CHECK_SECLUDES = 1 << 14,  // its regions' arguments are none of its operands
  STOW_CHECK_FLAGGED = 1 << 15,   // its regions run as a flag, operand 0, says
  STOW_CHECK_PARTS = 1 << 16,     // the result is some of the bytes of operand 0, which are data
  STOW_CHECK_BY_BIT = 1 << 17,    // ... whether the function owns what region 0 yields
  STOW_CHECK_GATHERS = 1 << 18,   // the result is a group that nothing has joined yet
  STOW_CHECK_BARRIER = 1 << 19,   // what threads of a workgroup did before it is done after it
  STOW_CHECK_STARTS = 1 << 20,    // work that the results stand for, behind that of its operands
  STOW_CHECK_COMMITS = 1 << 21,   // the result is a group of copies, behind those made before
  STOW_CHECK_TRANSFERS = 1 << 22, // by a tag
  STOW_CHECK_FOLLOWS = 1 << 23,   // begins when the work of its tokens is done, and uses none of it
};

// The kinds of an op, as bits. Any op not in the table has none.
uint32_t stow_check_kinds(MlirOperation op);

// The function that an op calls, by its name or by a constant that is its address; null where it is
// not known, or the op is no call. And its body; null also where it has none.
MlirOperation stow_check_callee(MlirOperation op, stow_symbols *symbols);
MlirRegion stow_check_called_body(MlirOperation op, stow_symbols *symbols);

// What an op does to the memory behind an operand: none, or USES and others.
enum stow_check_act {
  STOW_CHECK_USES = 1 << 0, // it must not be freed before
  STOW_CHECK_READS = 1 << 1,
  STOW_CHECK_WRITES = 1 << 2,
  STOW_CHECK_FILLS = 1 << 3,  // writes every byte, and none is read before
  STOW_CHECK_KEEPS = 1 << 4,  // the address may be used when the op is done
  STOW_CHECK_YIELDS = 1 << 5, // gives it to whoever runs the op's region
  STOW_CHECK_ENDS = 1 << 6,   // it is gone when the op is done
};

// Where the memory behind a result comes from.
enum stow_check_result {
  STOW_CHECK_NO_MEMORY, // none that is followed
  STOW_CHECK_OWN,       // the op allocates it
  STOW_CHECK_OPERANDS,  // it may be that of any operand
};

typedef struct stow_check_op {
  uint8_t *operands; // per operand: acts, as bits; none where an edge tells what becomes of it
  uint8_t *results;  // per result
} stow_check_op;

// transfers.c: which ops wait for which memref.dma_start, read once for each tag; and which for
// which nvgpu.tma.async.load, once for each group of mbarriers.
typedef struct stow_check_transfers {
  stow_map tags, partners_of; // by tag; by start or wait
  STOW_ARRAY(stow_op_list) partners;
  uint64_t steps, most_steps; // with more of them, transfers are without an end
  stow_symbols *symbols;
  // Notes the partners of all that are of one group of mbarriers: stow_check_read_phases.
  void (*read_phases)(struct stow_check_transfers *transfers, MlirValue group);
} stow_check_transfers;

// Of a start: the ops of which one waits for its transfer on every path from it, or none where
// there is a path without. Of a wait: the starts that it may complete. None for any other op. The
// list is the table's.
stow_op_list stow_check_transfer_partners(stow_check_transfers *transfers, MlirOperation op);
void stow_check_note_partner(stow_check_transfers *transfers, MlirOperation op,
                             MlirOperation partner);

// Whether control may come from one block to the other by edges between blocks.
bool stow_check_leads_to(stow_check_transfers *transfers, MlirBlock from, MlirBlock to);

// mbarriers.c: the group of mbarriers that a load or a wait is of, or null.
MlirValue stow_check_mbarrier_of(MlirOperation op);

// phases.c: notes the partners of all that are of one group.
void stow_check_read_phases(stow_check_transfers *transfers, MlirValue group);

// effects.c: whether all threads of a workgroup that do the op pass a barrier, in front of which is
// what they did before.
bool stow_check_is_barrier(MlirOperation op, stow_symbols *symbols);

// barriers.c: whether threads of the kernel may leave a branch, or a region of the op, by different
// ways.
bool stow_check_parts_threads(MlirOperation op, MlirOperation kernel);

void stow_check_transfers_free(stow_check_transfers *transfers);

// `facts`: what stow_op_facts says of it. Freed with stow_check_op_free.
stow_check_op stow_check_op_read(stow_check_transfers *transfers, MlirOperation op, uint32_t facts);
void stow_check_op_free(stow_check_op *does);

// Whether an op with STOW_CHECK_FREES may free the operand; and whether it frees only what is none
// of the operand's memory.
bool stow_check_frees(MlirOperation op, intptr_t operand);
bool stow_check_retains(MlirOperation op, intptr_t operand);

// Whether a result is memory that the function owns: what region 0 yields where a bit says that
// this is so, and a clone where it says no.
bool stow_check_is_own(MlirOperation op, intptr_t result);

// Whether an op may write to what the value names, itself or by a name that it makes of it.
bool stow_check_may_be_written(stow_check_transfers *transfers, MlirValue value);

// Whether a value of this type may stand for memory: a memref, or a handle of another kind (a
// pointer, a token); whether it is such a handle.
bool stow_check_is_followed(MlirType type);
bool stow_check_is_handle(MlirType type);

// A memref of i8.
bool stow_check_is_bytes(MlirType type);

// What the op's attribute `alignment` says in bytes, or 0.
uint64_t stow_check_alignment_of(MlirOperation op);

#endif // STOWAGE_CHECK_OP_H
