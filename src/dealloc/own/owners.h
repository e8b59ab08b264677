//===- owners.h - who owns what a value stands for ------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// At every point of the program each tracked buffer has one *owner*: a ref in whose
// name it is freed, or from which it is moved to the next. Refs that own are
// allocations, results of calls, and targets that cannot borrow. All others *borrow*:
// the owners they may stand for outlive them.
//
// A target can borrow from an owner that reaches it: whose definition dominates it, and
// which can be mentioned there. (Then the target is the buffer of the owner's latest
// definition; a proof is in docs/buffer-deallocation.md.) Every other target owns.
// Targets that are passed one operand are decided together, as a *band*.
//
// A *conditional* owner owns on some paths to it only: on the others it borrows. A bit
// says at run time which of the two holds (bits.h). What may own its buffer while it
// borrows must outlive it, as for any target that borrows.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_DEALLOC_OWNERS_H
#define STOWAGE_DEALLOC_OWNERS_H

#include "dealloc/read/domain.h"

// Refs in ascending order.
typedef struct stow_ref_set {
  int32_t *items;
  size_t count, capacity;
} stow_ref_set;

typedef enum stow_manner {
  STOW_LEND,   // the target borrows: the source's owner outlives it
  STOW_MOVE,   // ownership moves to the target
  STOW_CARRY,  // ownership moves if the source's owner has it: both are conditional
  STOW_COPY,   // the target gets a clone
  STOW_SETTLE, // which of several owners it is is found at run time: see place/settle.c
} stow_manner;

// What becomes of ownership where a handover passes a value.
typedef struct stow_transfer {
  stow_manner manner;
  bool immovable;  // moving would free on some path where nothing can be placed
  bool lends;      // to a conditional owner
  bool settles;    // with others, to conditional owners
  bool spared;     // (STOW_COPY) no clone, where its source is a buffer whose owner ends there
  bool tried;      // to spare a clone by letting borrowing targets own
  bool unlendable; // some owner of the source does not reach the target
} stow_transfer;

typedef struct stow_owners {
  const stow_domain *domain;
  stow_transfer *transfers; // per handover
  stow_flights flights;     // those of the domain, and those for which decisions were given up
  int32_t *band;            // per ref, of targets that are decided together: the smallest of them
  bool *part;               // per ref: it may lie inside an allocation, rather than be one
  bool *owns;               // per ref, of targets: it owns
  bool *conditional;        // per ref, of those that own: on some paths only
  int32_t *left;            // per ref: the flight for which it is left alone, or -1
  bool *mixed;              // per ref: it may be memory that no ref owns
  int32_t *root;      // per ref: the owner that it is the value of, or a view of; NO_ROOT: several
  stow_ref_set *sets; // per ref: the owners it may stand for
  int32_t *order;     // refs, in the order in which control reaches them
  bool claimed;       // since the last propagation began
  stow_index behind;  // by owner: the refs that may stand for it
} stow_owners;

stow_owners stow_owners_create(const stow_domain *domain);
void stow_owners_free(stow_owners *owners);

// Decides all targets anew. What was set in `owns` before stays so.
void stow_owners_find(stow_owners *owners);

// From then on, a ref and all that may be the same memory is left alone, for what `op` does.
void stow_owners_leave(stow_owners *owners, int32_t ref, stow_departure departure, MlirOperation op,
                       const char *reason);

// What was decided of a handover; and whether it clones.
const stow_transfer *stow_transfer_of(const stow_owners *owners, const stow_handover *handover);
bool stow_is_copied(const stow_owners *owners, const stow_handover *handover);

// Whether an earlier run's bits decide who frees what the ref may be, and nothing else leaves it
// alone.
bool stow_is_left_to_bits(const stow_owners *owners, int32_t ref);

// The owner whose value the ref is, or a view of it, on every path; or -1.
int32_t stow_only_owner(const stow_owners *owners, int32_t ref);

// Whether the ref may be the owner's buffer, or lie in it.
bool stow_may_stand_for(const stow_owners *owners, int32_t ref, int32_t owner);

// Makes a target and its band own, or own on some paths only.
void stow_owners_claim(stow_owners *owners, int32_t target);
void stow_owners_make_conditional(stow_owners *owners, int32_t target);

// Whether the target can borrow all that the ref may stand for, except for `except`.
bool stow_can_lend(const stow_owners *owners, int32_t ref, int32_t target, int32_t except);

// Finds, per ref, one of the flights for which it is left alone, or -1. See left.c.
void stow_find_left(const stow_domain *domain, const stow_flights *flights, int32_t *out_left);

#endif // STOWAGE_DEALLOC_OWNERS_H
