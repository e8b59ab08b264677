//===- owners.h - who owns what a value stands for ------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// At every point of the program each tracked buffer has one *owner*: a ref by which it is
// freed, or from which it moves to the next owner. Owners are allocations, results of
// calls, and phis that cannot borrow. All other refs *borrow*: the owners whose buffers
// they may be outlive them.
//
// A phi can borrow from an owner that reaches it: whose definition dominates it, and
// which can be mentioned there. (Then the phi is the buffer of the owner's latest
// definition; a proof is in docs/buffer-deallocation.md.) Every other phi owns.
// Phis that have one forwarded operand in common are decided together, as a *web*.
//
// A *conditional* owner owns on some paths to it only: on the others it borrows. A bit
// says at run time which of the two holds (place/bits.h). The owners of what it borrows
// must outlive it, as for any phi that borrows.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_DEALLOC_OWNERS_H
#define STOWAGE_DEALLOC_OWNERS_H

#include "dealloc/read/domain.h"
#include "ir/support.h"

//===----------------------------------------------------------------------===//
// ref_set.c: sets of refs
//===----------------------------------------------------------------------===//
//
// Only words that hold a ref are stored. So a set takes no more than its refs as a list would, and
// where very many refs stand for the same ones, a fraction of that.

enum { STOW_REFS_PER_WORD = 32 };

typedef struct stow_ref_word {
  int32_t number; // of refs from number * STOW_REFS_PER_WORD on
  uint32_t refs;  // a bit each; never 0
} stow_ref_word;

typedef STOW_ARRAY(stow_ref_word) stow_ref_set; // ascending

// False: it was there.
bool stow_ref_set_add(stow_ref_set *set, int32_t ref);
void stow_ref_set_add_all(stow_ref_set *set, const stow_ref_set *from);

// Makes `out` what a set lacks of another one, but for `except`; -1: for nothing.
void stow_ref_set_find_missing(const stow_ref_set *set, const stow_ref_set *from, int32_t except,
                               stow_ref_set *out);

bool stow_ref_set_has(const stow_ref_set *set, int32_t ref);
bool stow_ref_sets_meet(const stow_ref_set *a, const stow_ref_set *b);
size_t stow_ref_set_size(const stow_ref_set *set);

// The refs of a set, ascending: for (stow_ref_cursor c = {0}; stow_dealloc_next_ref(set, &c);)
// c.ref
typedef struct stow_ref_cursor {
  int32_t ref;
  size_t word;   // the next one
  uint32_t rest; // of the one before
} stow_ref_cursor;

static inline bool stow_dealloc_next_ref(const stow_ref_set *set, stow_ref_cursor *cursor) {
  if (cursor->rest == 0) {
    if (cursor->word == set->count)
      return false;
    cursor->rest = set->at[cursor->word++].refs;
  }
  cursor->ref = set->at[cursor->word - 1].number * STOW_REFS_PER_WORD + __builtin_ctz(cursor->rest);
  cursor->rest &= cursor->rest - 1;
  return true;
}

//===----------------------------------------------------------------------===//
// owners.c: who owns what a value stands for
//===----------------------------------------------------------------------===//

typedef enum stow_transfer_kind {
  STOW_BORROW,       // the phi borrows: the source's owner outlives it
  STOW_MOVE,         // ownership moves to the phi
  STOW_MOVE_OWNED,   // the same between conditional owners: if the source's owner owns
  STOW_CLONE,        // the phi gets a clone
  STOW_MOVE_ON_EDGE, // of several owners the one that ends is found at run time:
                     // place/move_on_edge.c
} stow_transfer_kind;

// What becomes of ownership where an operand is forwarded.
typedef struct stow_own_transfer {
  stow_transfer_kind kind;
  bool immovable;  // else some edge needs a dealloc and no code can be placed on it
  bool lends;      // its phi is a conditional owner, and borrows here
  bool on_edge;    // with others, among conditional owners
  bool elidable;   // (STOW_CLONE) no clone at run time, if the source's owner ends there
  bool tried;      // it was tried whether its clone can be elided
  bool unlendable; // some owner of the source does not reach the phi
} stow_own_transfer;

// What a ref stands for.
typedef struct stow_standing {
  int32_t web;      // the smallest phi of its web
  int32_t escape;   // the escape because of which it is left alone, or -1
  int32_t root;     // the one owner that it is the value or a view of; negative: none, or several
  bool part;        // it may lie inside an allocation, rather than be one
  bool owns;        // of phis
  bool conditional; // of those that own: on some paths only
  bool mixed;       // it may be memory that no ref owns
  stow_ref_set set; // the owners it may stand for
} stow_standing;

typedef struct stow_owners {
  const stow_domain *domain;
  stow_own_transfer *transfers; // per forwarded operand
  stow_escapes escapes;         // those of the domain, and of what could not be decided
  stow_standing *of;            // per ref
  int32_t *order;               // refs, in the order in which control reaches them
  bool forced;                  // something, since the last propagation began
  stow_index behind;            // by owner: the refs that may stand for it
} stow_owners;

stow_owners stow_owners_create(const stow_domain *domain);
void stow_owners_free(stow_owners *owners);

// Decides all phis anew, but for those that were made to own.
void stow_owners_find(stow_owners *owners);

// From then on a ref, and all that may be the same memory, is left alone because of `op`.
void stow_owners_escape(stow_owners *owners, int32_t ref, stow_escape_kind kind, MlirOperation op,
                        const char *reason);

// What was decided of a forwarded operand; and whether it clones.
const stow_own_transfer *stow_dealloc_transfer_of(const stow_owners *owners,
                                                  const stow_forwarded *forwarded);
bool stow_dealloc_is_copied(const stow_owners *owners, const stow_forwarded *forwarded);

// Whether the ref is left alone only because bits of an earlier run free it.
bool stow_dealloc_is_freed_by_bits(const stow_owners *owners, int32_t ref);

// The owner of which the ref is the value or a view on every path; or -1.
int32_t stow_dealloc_only_owner(const stow_owners *owners, int32_t ref);

// Whether the ref may be the owner's buffer, or lie in it.
bool stow_dealloc_may_stand_for(const stow_owners *owners, int32_t ref, int32_t owner);

// Makes a phi and its web own, or own on some paths only.
void stow_owners_force(stow_owners *owners, int32_t phi);
void stow_owners_make_conditional(stow_owners *owners, int32_t phi);

// Whether the phi can borrow all that the ref may stand for, except for `except`.
bool stow_dealloc_can_lend(const stow_owners *owners, int32_t ref, int32_t phi, int32_t except);

// Finds which refs are left alone, each because of one of the escapes. See escaped.c.
void stow_dealloc_find_escaped(stow_owners *owners);

//===----------------------------------------------------------------------===//
// forced_owners.c: phis that the program's frees show to own
//===----------------------------------------------------------------------===//

// Makes all borrowing phis own that a ref is, or is a view of, and their incoming phis that may be
// one of several owners' buffers. False: there are none.
bool stow_dealloc_force_owners_behind(stow_owners *owners, int32_t ref);

// What is freed, and may be one of several owners' buffers, is or comes from a phi that owns.
// False: no phi is made to own.
bool stow_dealloc_force_freed(stow_owners *owners);

// The owner is needed after the free. So the refs that may stand for it there must be other
// buffers, which were not freed: the first phis of it behind the free are made to own. False: there
// are none.
bool stow_dealloc_force_after_free(stow_owners *owners, int32_t owner,
                                   const stow_own_mention *free);

#endif // STOWAGE_DEALLOC_OWNERS_H
