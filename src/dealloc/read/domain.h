//===- domain.h - what ownership is decided over --------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A *domain* is a region in which control flow is known: a function's body, or the
// body of an op that does not tell when it runs its regions. It is cut into
// *stretches*, ops that run one after another: a stretch begins at a block or after
// an op with regions that control enters, and ends with a terminator or such an op.
// *Paths* lead from the end of a stretch to the start of another, through branches
// and through regions alike, so that everything above this file knows one kind of
// control flow only.
//
//   refs       SSA values of memref type, and the function's results
//   views      a -> b: b is a, or lies in a, or may
//   handovers  an operand of a stretch's last op that is passed along paths ...
//   passes     ... once per path: to a block argument, a result of an op, a result of the function
//   uses       an op mentions a ref, other than to pass it
//   frees      an op that frees a ref: memref.dealloc, memref.realloc, a call
//   takeovers  a call frees a, or gives it back as its result b, which the caller owns
//   escapes    a ref's address escapes: what it may be is left alone
//
// A *target* is the far end of a pass: a phi.
//
// Positions number the ops of the domain; they are compared within a stretch only.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_DEALLOC_DOMAIN_H
#define STOWAGE_DEALLOC_DOMAIN_H

#include "bridge/bridge.h"
#include "dealloc/read/contract.h"
#include "ir/index.h"
#include "ir/op.h"
#include "ir/support.h"

typedef struct stow_room {
  MlirRegion region;
  int32_t parent, depth; // parent: -1 for the domain's own region
} stow_room;

typedef struct stow_stretch {
  MlirBlock block;
  MlirOperation after; // the op with regions it begins behind; null where it begins its block
  MlirOperation end;
  int32_t room;
  int64_t stop;                     // position of `end`
  int32_t handover, handover_count; // of `end`
  bool reachable;
  bool made; // it is ended by a choice, or by what ends an arm of one: `end` is what they stand
             // before
  // The dominator tree over stretches, as intervals: a dominates b if a's holds b's.
  int32_t enter, leave;
  int32_t dominator; // the closest one; its own of what control begins with
  int32_t turn;      // in an order in which control moves forward, but for loops
} stow_stretch;

typedef struct stow_path {
  int32_t from, to;
  intptr_t successor;    // of a branch, or -1
  intptr_t empty_region; // of an scf.if or affine.if whose else is not there, or -1
} stow_path;

typedef enum stow_origin {
  STOW_OUTSIDE, // comes from elsewhere: an argument, a global, stack memory
  STOW_MADE,    // heap memory that the domain must free: an allocation, a call's result, an owned
                // argument
  STOW_VIEW,    // made from others by an op
  STOW_TARGET,  // a phi: a block argument, a result of an op or of the function
} stow_origin;

typedef struct stow_ref {
  MlirValue value;  // null for a result of the function
  int32_t stretch;  // that defines it, or -1: outside of the domain
  int64_t position; // of the op that defines it; -1: where the stretch begins
  stow_origin origin;
  bool foreign; // may be memory that the domain must not free
  bool stack;   // is stack memory of this function
  bool part;    // may lie inside an allocation, rather than be one
  bool shifted; // its base may be another address than that of what it is a view of
  bool given;   // by a function without a body: one of its arguments, or else owned by the caller
  bool mere;    // a name that ops only look at: none frees it or passes it on
} stow_ref;

typedef struct stow_view {
  int32_t from, to;
} stow_view;

typedef struct stow_handover {
  int32_t stretch, operand, ref;
  int32_t pass, pass_count;
  bool idle; // no op uses the target: see idle.c
} stow_handover;

typedef struct stow_pass {
  int32_t handover, target;
  int32_t path; // -1: out of the function
} stow_pass;

typedef struct stow_mention {
  int32_t ref, stretch; // ref -1: memory from outside that is not named here
  int64_t position;
  MlirOperation op;
  bool writes; // it may change what is there
} stow_mention;

// Marks a dealloc that a bit decides on, and an scf.if that clones on a bit: another run of the
// pass knows them by that.
#define STOW_BY_BIT "stowage.by_bit"

bool stow_is_by_bit(MlirOperation op);

typedef enum stow_departure {
  STOW_ESCAPED, // its address escapes
  STOW_MANAGED, // the program frees it in its own way: all that it meets is left alone, too
  STOW_BY_BITS, // the same, by bits that an earlier run of this pass made: all that is owned is
                // freed
} stow_departure;

typedef struct stow_flight {
  int32_t ref, stretch; // -1: wherever it is
  stow_departure departure;
  MlirOperation op;
  const char *reason;
} stow_flight;

typedef STOW_ARRAY(stow_flight) stow_flights;

// A select whose result is passed on by an op can be replaced right before that op by an scf.if: in
// its arms it is known which of the two is not chosen, and may be freed.
typedef struct stow_wish {
  MlirOperation before;
  MlirValue select;
} stow_wish;

// What ends a stretch and passes refs on: an op of the program, or the yield of an arm of a choice.
typedef struct stow_ending {
  MlirOperation op; // null until it is made
  int32_t stretch;  // that it ends
  int32_t first;    // stretch of an arm; it ends another where choices stand in the arm
  int32_t goes_to;  // of an arm: the stretch behind its choice; -1
  int32_t hand, hand_count;
} stow_ending;

typedef struct stow_hand {
  int32_t operand, ref;
  int32_t target; // of an arm: what it becomes behind the choice; -1
} stow_hand;

// An scf.if that is to be made before an ending.
typedef struct stow_choice {
  MlirValue condition;
  int32_t ending;  // that it stands before
  int32_t arms[2]; // endings, of the then block and of the else block
  int32_t stretch, after;
} stow_choice;

// An op whose buffers this pass does not free, as something about it is not known.
typedef struct stow_doubt {
  MlirOperation op;
  const char *reason;
} stow_doubt;

typedef struct stow_domain {
  MlirOperation op;
  MlirRegion region;
  bool is_function;
  stow_map ref_index, stretch_at; // by value; by block, and by op for the stretch behind it
  stow_map stretch_ended;         // by op: the stretch it ends
  STOW_ARRAY(stow_room) rooms;
  STOW_ARRAY(stow_stretch) stretches;
  STOW_ARRAY(stow_path) paths;
  STOW_ARRAY(stow_ref) refs;
  STOW_ARRAY(stow_view) views;
  STOW_ARRAY(stow_view) takeovers;
  STOW_ARRAY(stow_handover) handovers;
  STOW_ARRAY(stow_pass) passes;
  STOW_ARRAY(stow_mention) uses;
  STOW_ARRAY(stow_mention) frees;
  STOW_ARRAY(stow_mention) asks; // deallocs that are ignored: what they freed owned
  stow_flights flights;
  const stow_wish *wishes;
  size_t wish_count;
  STOW_ARRAY(stow_ending) endings;
  STOW_ARRAY(stow_hand) hands;
  STOW_ARRAY(stow_choice) choices;
  STOW_ARRAY(stow_doubt) doubts;
  STOW_ARRAY(MlirOperation) op_at; // by position
  STOW_ARRAY(MlirRegion) inner;    // regions of ops that do not tell when they run them
  int32_t result, result_count;    // refs that stand for the function's results
  stow_index leaving, entering;    // paths by stretch
  stow_index views_of, views_to;   // views by what they are of, and by what they make
  stow_index taken_of, taken_to;   // takeovers, in the same way
  stow_index handed, handed_to;    // handovers that are not idle by ref, passes by target
} stow_domain;

typedef struct stow_domain_context {
  bool unknown_ops_escape;
  const stow_map *ignored; // deallocs that free nothing, but tell who owned; NULL: none
  const stow_wish *wishes;
  size_t wish_count;
  const stow_contract
      *promised; // by the function that is read: its arguments that are owned; or NULL
  // The contract of the function that `call` calls, or NULL where it is not known.
  const stow_contract *(*callee)(void *user, MlirOperation call);
  // Whether its declaration promises that it neither keeps, returns nor frees an argument.
  bool (*borrows)(void *user, MlirOperation call, intptr_t argument);
  void *user;
} stow_domain_context;

// Reads a region. Freed with stow_domain_free.
void stow_domain_read(MlirOperation op, MlirRegion region, const stow_domain_context *context,
                      stow_domain *out_domain);
void stow_domain_free(stow_domain *domain);

// Whether control can reach a stretch; -1: outside of the domain.
bool stow_is_reachable(const stow_domain *domain, int32_t stretch);

// Whether two handovers from one stretch go along some path together.
bool stow_travel_together(const stow_domain *domain, const stow_handover *a,
                          const stow_handover *b);

// Whether the one stretch dominates the other.
bool stow_stretch_dominates(const stow_domain *domain, int32_t stretch, int32_t other);

// Whether a room is another one, or lies in it.
bool stow_room_is_inside(const stow_domain *domain, int32_t room, int32_t around);

// Whether the ref's value may be mentioned at the start of a stretch, and is the same there as
// where it was last defined.
bool stow_reaches_start(const stow_domain *domain, int32_t ref, int32_t stretch);

// The block in which a value is defined.
MlirBlock stow_block_of(MlirValue value);

//===----------------------------------------------------------------------===//
// Filling the tables
//===----------------------------------------------------------------------===//

typedef struct stow_domain_place {
  int32_t stretch;
  int64_t position;
} stow_domain_place;

int32_t stow_domain_ref(stow_domain *domain, MlirValue value); // adds it where it is new

int32_t stow_domain_add_ref(stow_domain *domain, MlirValue value); // one more, not to be found
int32_t stow_domain_add_stretch(stow_domain *domain, MlirBlock block, int32_t room);
int32_t stow_domain_add_path(stow_domain *domain, int32_t from, int32_t to, intptr_t successor);
void stow_domain_add_pass(stow_domain *domain, int32_t handover, int32_t target, int32_t path);
int64_t stow_domain_take_position(stow_domain *domain, MlirOperation op);
void stow_domain_add_view(stow_domain *domain, int32_t from, int32_t to);
void stow_domain_add_takeover(stow_domain *domain, int32_t from, int32_t to);
void stow_domain_add_handover(stow_domain *domain, int32_t stretch, intptr_t operand, int32_t ref);

void stow_domain_add_use(stow_domain *domain, int32_t ref, stow_domain_place place,
                         MlirOperation op, bool writes);

void stow_domain_add_free(stow_domain *domain, int32_t ref, stow_domain_place place,
                          MlirOperation op);
void stow_domain_add_ask(stow_domain *domain, MlirOperation dealloc, stow_domain_place place);

void stow_domain_add_flight(stow_domain *domain, int32_t ref, int32_t stretch, MlirOperation op,
                            const char *reason);

void stow_domain_doubt(stow_domain *domain, MlirOperation op, const char *reason);
void stow_domain_add_inner(stow_domain *domain, MlirRegion region);

// The same for what the program frees in a way of its own, or by bits.
void stow_domain_add_managed(stow_domain *domain, int32_t ref, MlirOperation op,
                             stow_departure departure, const char *reason);

#endif // STOWAGE_DEALLOC_DOMAIN_H
