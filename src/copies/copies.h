//===- copies.h - what is known of a buffer, and the steps of the pass ----===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A buffer and a copy of it, or of a part of it, need only one allocation if the difference
// cannot be observed. Each step checks that for one op, the *link* between the two.
//
// Which links pay is not known before the function is planned. So links have numbers,
// which a copy of the function shares, and a *trial* rewrites those that are allowed.
//
//   carried.c    has loops carry what an iteration allocates for the next one; before all others
//   blocks.c     the same in loops of blocks, if that needs no more memory
//   place.c      replaces a buffer by the part of another one that it is copied into
//   moves.c      has readers read where the elements come from, by composing indexing maps
//   constants.c  replaces a buffer that is made of constants by one constant
//   split.c      makes a separate buffer of each life of a buffer
//   lend.c       puts buffers into an argument that is not yet written
//
// uses.c lists who touches a buffer and how, layout.c finds the types of its views, lift.c finds
// ops that must move up. Links that make accesses strided must halve the arenas
// (stow_reduce_pays_for_strides).
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_COPIES_COPIES_H
#define STOWAGE_COPIES_COPIES_H

#include "bridge/bridge.h"
#include "ir/op.h"
#include "ir/parts.h"
#include "ir/support.h"
#include "reduce/attempts.h"

//===----------------------------------------------------------------------===//
// uses.c: who does what with a buffer
//===----------------------------------------------------------------------===//

// An op that is given a view of the buffer.
typedef struct stow_copies_touch {
  MlirOperation op;
  intptr_t operand;
  MlirValue view;
  bool reads, writes;
  bool opaque; // more may come of it: a return, a call, a choice between buffers
} stow_copies_touch;

typedef struct stow_copies_uses {
  MlirValue value; // the buffer
  STOW_ARRAY(stow_copies_touch) touches;
  stow_op_list views; // ops that make views of it; a view of a view comes later
  stow_op_list asks;  // ops of the block that ask for its shape
  stow_op_list deallocs;
  MlirOperation opaque; // of an opaque touch, or null
} stow_copies_uses;

// All uses of what memref.alloc gives, or of an argument of the function. What happens to an opaque
// touch's results is not followed. Freed with stow_copies_uses_free.
void stow_copies_uses_of(MlirValue value, stow_copies_uses *out);

// The same as one block sees it: what other blocks do is opaque, and views that they make are not
// followed.
void stow_copies_uses_in(MlirValue value, MlirBlock block, stow_copies_uses *out);
void stow_copies_uses_free(stow_copies_uses *uses);

// The largest alignment that uses promise of the buffer, in bytes, or 0; `blame` is set to the op
// that does.
uint64_t stow_copies_promised_alignment(const stow_copies_uses *uses, MlirOperation *blame);

// Whether all views of the buffer have its type of elements: others may need more alignment. If
// not, `blame` is set to one.
bool stow_copies_keeps_elements(const stow_copies_uses *uses, MlirOperation *blame);

// Whether `a` stands before `b` in their block; not where it is `b`.
static inline bool stow_copies_is_before(MlirOperation a, MlirOperation b) {
  return !mlirOperationEqual(a, b) && mlirOperationIsBeforeInBlock(a, b);
}

// Whether the block runs to its end before another run of it begins, inside of `outer`, a block
// around it or itself, and nothing of `outer` runs meanwhile.
bool stow_copies_runs_alone(MlirBlock block, MlirBlock outer);

//===----------------------------------------------------------------------===//
// layout.c: other types for the views of a buffer
//===----------------------------------------------------------------------===//

// Types for the views of a buffer that gets another type itself. False where an op among them, or
// one that is given one, does not take it; `blame` is that op. Freed with free(out->at).
typedef STOW_ARRAY(MlirType) stow_copies_types; // per view
bool stow_copies_types_of(const stow_copies_uses *uses, MlirType type, stow_copies_types *out,
                          MlirOperation *blame);

// Gives the views these types.
void stow_copies_set_types(const stow_copies_uses *uses, const stow_copies_types *types);

//===----------------------------------------------------------------------===//
// lift.c: ops moved up in their block
//===----------------------------------------------------------------------===//

// Ops of the block that are to stand before `to`, in this order.
typedef struct stow_copies_lift {
  MlirBlock block;
  MlirOperation to;
  MlirValue without; // a buffer that must not be mentioned by what moves
  stow_op_list ops;
  stow_map seen;
} stow_copies_lift;

// Notes what must move for `value` to exist at `to`: ops that trap on nothing, and allocations.
// False: it cannot.
bool stow_copies_lift_value(stow_copies_lift *lift, MlirValue value);

// The same for what an op and the ops in it mention, and the op itself, whatever it does.
bool stow_copies_lift_op(stow_copies_lift *lift, MlirOperation op);
void stow_copies_lift_all(const stow_copies_lift *lift);
void stow_copies_lift_free(stow_copies_lift *lift);

//===----------------------------------------------------------------------===//
// trial.c: which links are rewritten
//===----------------------------------------------------------------------===//

// What rewriting a link may cost, the least first.
typedef enum stow_copies_cost {
  STOW_COPIES_NOTHING, // an op goes that changes nothing: no trial is without it again
  STOW_COPIES_FREE,
  STOW_COPIES_DOUBTFUL, // more bytes may be alive at some moment than without
  STOW_COPIES_SLOW,     // a reader that was given contiguous elements jumps from one to the next
} stow_copies_cost;

typedef struct stow_copies_link {
  bool allowed;
  bool done; // this trial rewrote it
  stow_copies_cost cost;
} stow_copies_link;

// Which reads of what was moved may jump from one element to the next.
typedef enum stow_copies_reads {
  STOW_COPIES_THAT_PAY,   // by stow_reduce_pays_for_strides
  STOW_COPIES_CONTIGUOUS, // none
  STOW_COPIES_ANY,
} stow_copies_reads;

// One trial in one function.
typedef struct stow_copies_trial {
  MlirOperation function;
  size_t link_count;
  MlirOperation *ops;      // by number, in program order at first; null: gone
  stow_copies_link *links; // by number
  stow_op_list globals;    // that the trial added
  int64_t effort;          // uses that may still be looked at
  size_t rewrites;         // so far
  MlirSymbolTable symbols; // around the function; may be null
  bool lends;              // buffers may lie in arguments that nothing else reaches
  bool noalias;            // which all are
  stow_copies_reads reads;
  bool splits;     // each life of a buffer is a buffer
  size_t lives;    // that were made buffers
  bool has_others; // memory is allocated that no arena holds: by calls, or of a size not known here
  uint64_t early;  // bytes that no arena holds, allocated earlier than without the trial
  stow_remarks remarks;
  stow_remarks if_undone;      // what is to be told of updates in place if the trial is undone
  bool tells_left, tells_done; // what it adds to the remarks
} stow_copies_trial;

// Lists the ops of the function's links in `ops`.
void stow_copies_find_links(stow_copies_trial *trial);

// Whether an op may be a link.
bool stow_copies_is_link(MlirOperation op);

// An op has taken the place of a link, and has its number.
void stow_copies_replaced(stow_copies_trial *trial, MlirOperation op);

// Destroys a link's op.
void stow_copies_destroy(stow_copies_trial *trial, MlirOperation op);

// The memref.global that a value is, or null.
MlirOperation stow_copies_global(const stow_copies_trial *trial, MlirValue value);

// Whether a value is memory that never changes.
bool stow_copies_is_constant(const stow_copies_trial *trial, MlirValue value);

// Whether the trial may rewrite what the op links.
bool stow_copies_may(const stow_copies_trial *trial, MlirOperation op);

// A link's number is an attribute of the op, so that copies of the function have it.
void stow_copies_set_number(MlirOperation op, size_t number);
void stow_copies_forget_number(MlirOperation op);

void stow_copies_note(stow_copies_trial *trial, MlirOperation op, stow_copies_cost cost);
stow_copies_cost stow_copies_cost_of(const stow_copies_trial *trial, MlirOperation op);

// Why a link stays.
typedef enum stow_copies_reason {
#define STOW_COPIES_REASON(ENUM, CODE, CLAUSE, ADVICE) ENUM,
#include "copies/reasons.def"
} stow_copies_reason;

// Why something cannot be done, and the op that is in the way: of several reasons the first.
typedef struct stow_copies_refusal {
  stow_copies_reason reason; // STOW_COPIES_DONE: nothing is in the way
  MlirOperation blame;
} stow_copies_refusal;

void stow_copies_refuse(stow_copies_refusal *refusal, stow_copies_reason reason,
                        MlirOperation blame);

// `blame` may be null.
void stow_copies_tell_left(stow_copies_trial *trial, MlirOperation op, stow_copies_reason reason,
                           MlirOperation blame);
void stow_copies_tell_undone(stow_copies_trial *trial, MlirOperation op, MlirOperation blame);
void stow_copies_tell_done(stow_copies_trial *trial, MlirOperation op, const char *name,
                           const char *text);

// Counts the uses that were listed. False: that was too much, and what asked leaves its link alone.
bool stow_copies_afford(stow_copies_trial *trial, const stow_copies_uses *uses);

//===----------------------------------------------------------------------===//
// The steps
//===----------------------------------------------------------------------===//

// split.c: a buffer that is overwritten as a whole is another one from then on.
void stow_copies_split(stow_copies_trial *trial);

// moves.c: who reads a buffer that is made by moving elements reads where they come from.
void stow_copies_read_through(stow_copies_trial *trial);

// The op that may write what a move moved before it is read, where it could not if no argument
// overlapped another; else null.
MlirOperation stow_copies_unpromised(stow_copies_trial *trial, MlirOperation move);

// constants.c: a buffer of at most so many bytes that holds a constant is a memref.global.
void stow_copies_fold(stow_copies_trial *trial, uint64_t max_bytes);

// place.c: a buffer that is copied into a part of another, or computed into it cell by cell, and
// not needed afterwards, becomes that part. With `in_place` the ops that compute count, too.
void stow_copies_place(stow_copies_trial *trial, bool in_place);

// The same for one copy of an allocation, into memory that a loop carries and that has no other
// name where it runs. `by` carries it, a loop or a branch.
bool stow_copies_place_carried(stow_copies_trial *trial, MlirOperation copy, MlirOperation by);

//===----------------------------------------------------------------------===//
// blocks.c: updates in place in loops of blocks
//===----------------------------------------------------------------------===//

// Whether a branch gives an allocation to another block.
bool stow_copies_is_given_by_branch(MlirOperation op);

// Makes what an iteration allocates for the next one in memory that the loop carries.
void stow_copies_update_in_blocks(stow_copies_trial *trial);

//===----------------------------------------------------------------------===//
// invariants.c: what the steps promise each other and the search; nothing with NDEBUG
//===----------------------------------------------------------------------===//

#ifndef NDEBUG

// Views come after what they are made of, and each touch is of one of them.
void stow_copies_assert_uses(const stow_copies_uses *uses);

// Nothing was rewritten that was not allowed, and ops still have their numbers.
void stow_copies_assert_rewritten(const stow_copies_trial *trial);

#else

static inline void stow_copies_assert_uses(const stow_copies_uses *uses) { (void)uses; }
static inline void stow_copies_assert_rewritten(const stow_copies_trial *trial) { (void)trial; }

#endif // NDEBUG

//===----------------------------------------------------------------------===//
// lend.c: arguments of the function as memory
//===----------------------------------------------------------------------===//

// Whether a value is an argument of the function that buffers may lie in: nothing else reaches its
// memory.
bool stow_copies_is_lender(const stow_copies_trial *trial, MlirValue value);

// An argument that is overwritten before it is read holds buffers that are dead by then.
void stow_copies_lend(stow_copies_trial *trial);

#endif // STOWAGE_COPIES_COPIES_H
