//===- domain.h - what ownership is decided over --------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A *domain* is a region in which control flow is known: a function's body, or the
// body of an op that does not tell when it runs its regions. It is cut into
// *segments* by ir/control.h, and further by *choices*: branches that are not in the
// program, but could be made. *Edges* lead from the end of a segment to the start of
// another.
//
//   refs       SSA values of memref type, and the function's results
//   views      a -> b: b is a, or lies in a, or may
//   forwarded  an operand of a segment's last op that becomes the value of phis ...
//   incoming   ... once per edge. A phi is a block argument, a result of an op with regions, or a
//              result of the function.
//   uses       an op mentions a ref, other than to forward it
//   frees      an op that frees a ref: memref.dealloc, memref.realloc, a call
//   takeovers  a call frees a, or gives it back as its result b, which the caller owns
//   escapes    a ref's address escapes: what it may be is left alone
//
// What control cannot reach has segments and refs, and stands in no other table.
//
// Positions number the ops of the domain; they are compared within a segment only.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_DEALLOC_DOMAIN_H
#define STOWAGE_DEALLOC_DOMAIN_H

#include "bridge/bridge.h"
#include "ir/completion.h"
#include "ir/control.h"
#include "ir/digraph.h"
#include "ir/op.h"
#include "ir/support.h"
#include "mlir-c/IR.h"

#include <stdbool.h>
#include <stddef.h>

//===----------------------------------------------------------------------===//
// contract.c: what a function does with buffers
//===----------------------------------------------------------------------===//

// What a function does with its arguments, and what its results are.
typedef struct stow_contract_argument {
  bool kept, freed, written;
  bool mixed;    // some of the functions that one call may call free it, and others do not
  bool owned;    // on every path it is freed or becomes an owned result
  bool disowned; // it was guessed to be owned, and is not; this is never forgotten
  bool unclear;  // freed on some paths, returned on others, and neither on yet others
} stow_contract_argument;

typedef struct stow_contract_result {
  bool owned;    // the caller must free it
  bool disowned; // as of an argument
  bool unowned;  // it cannot be, whatever was guessed
  bool part;     // it may lie inside an allocation
  bool foreign;  // it may be external memory: not made here
  bool *may_be;  // per argument
} stow_contract_result;

typedef struct stow_contract {
  size_t argument_count, result_count;
  stow_contract_argument *arguments;
  stow_contract_result *results;
  bool writes_outside; // it may write memory that is none of its arguments
} stow_contract;

// What a function does with an operand of a call of it; NULL: not known.
const stow_contract_argument *stow_contract_argument_at(const stow_contract *contract,
                                                        MlirOperation call, intptr_t operand);

// The contract of a function that does nothing. Freed with stow_contract_free.
stow_contract stow_contract_empty(MlirOperation function);
void stow_contract_free(stow_contract *contract);

// Adds to a contract what another one, of as many arguments and results, says that was proven on a
// guess: what was guessed to be owned and is not is disowned. True: it has grown; and of
// `out_results`, if it says more of results.
bool stow_contract_join(stow_contract *contract, const stow_contract *proven,
                        const stow_contract *guess, bool *out_results);

// Whether two contracts, of as many arguments and results, say the same; of arguments; of results.
bool stow_contract_is(const stow_contract *contract, const stow_contract *other);
bool stow_contract_arguments_are(const stow_contract *contract, const stow_contract *other);
bool stow_contract_results_are(const stow_contract *contract, const stow_contract *other);

// Says of no argument that it is kept.
void stow_contract_forget_kept(stow_contract *contract);

// Makes it empty again, but for what it does not own.
void stow_contract_restart(stow_contract *contract);

// Of how many arguments and results it says so.
size_t stow_contract_disowned(const stow_contract *contract);

// Of results that it alone disowns, says again what was guessed.
void stow_contract_keep_guess_of_results(stow_contract *contract, const stow_contract *guess);

// For the contract of one function among those that share another: that it keeps and frees what the
// proven one says, too, true where it has grown; that and nothing else, true where it differs; and
// all but that from the shared one.
bool stow_contract_keep(stow_contract *contract, const stow_contract *proven);
bool stow_contract_set_own(stow_contract *contract, const stow_contract *proven);
void stow_contract_agree(stow_contract *contract, const stow_contract *shared);

// Whether an argument is freed, or taken over.
bool stow_contract_frees(const stow_contract_argument *argument);

// The contract of a call that may also call a function with this one: what only one of them frees
// is mixed.
void stow_contract_mix(stow_contract *contract, const stow_contract *callee);

// The function may also be one that is not seen: nobody knows who owns what it is given and gives.
void stow_contract_lose(stow_contract *contract);

//===----------------------------------------------------------------------===//
// read.c: the tables of a domain
//===----------------------------------------------------------------------===//

// What the op that ends a segment forwards: from `first` up to but not `end`.
typedef struct stow_passed {
  int32_t first, end;
  int32_t segment; // that ends with the op where choices are made before it; or itself
} stow_passed;

typedef enum stow_origin {
  STOW_OUTSIDE, // comes from elsewhere: an argument, a global, stack memory
  STOW_MADE,    // heap memory that the domain must free: an allocation, a call's result, an owned
                // argument
  STOW_VIEW,    // made from others by an op
  STOW_PHI,
} stow_origin;

typedef struct stow_ref {
  MlirValue value;  // null for a result of the function
  int32_t segment;  // that defines it, or -1: outside of the domain
  int64_t position; // of the op that defines it; -1: where the segment begins
  stow_origin origin;
  bool foreign; // may be memory that the domain must not free
  bool stack;   // is stack memory of this function
  bool part;    // may lie inside an allocation, rather than be one
  bool shifted; // its base may be another address than that of what it is a view of
  bool given;   // by a function without a body: one of its arguments, or else owned by the caller
  bool local;   // a view that no op frees or forwards
} stow_ref;

typedef struct stow_forwarded {
  int32_t segment, operand, ref;
  int32_t incoming, incoming_count;
  bool needs_no_owner; // no op uses the phi: see needs_no_owner.c
} stow_forwarded;

typedef struct stow_incoming {
  int32_t forwarded, phi;
  int32_t edge; // -1: out of the function
} stow_incoming;

typedef struct stow_own_mention {
  int32_t ref, segment; // ref -1: memory from outside that is not named here
  int64_t position;
  MlirOperation op;
  bool writes; // it may change what is there
} stow_own_mention;

// Marks a dealloc that a bit decides on, an scf.if that clones on a bit, and an address that is
// compared for one: another run of the pass knows them by that. On any other op it says nothing.
#define STOW_BY_BIT "stowage.by_bit"

bool stow_dealloc_can_be_by_bit(MlirOperation op);
bool stow_dealloc_is_by_bit(MlirOperation op);

typedef enum stow_escape_kind {
  STOW_ESCAPED, // its address escapes
  STOW_MANAGED, // the program frees it in its own way: all phis of it are left alone, too
  STOW_BY_BITS, // the same, by bits that an earlier run of this pass made: all that is owned is
                // freed
} stow_escape_kind;

typedef struct stow_own_escape {
  int32_t ref;
  stow_escape_kind kind;
  MlirOperation op;
  const char *reason;
} stow_own_escape;

typedef STOW_ARRAY(stow_own_escape) stow_escapes;

// A select whose result an op forwards can be split: replaced, right before that op, by an scf.if.
// In its arms it is known which of the two is not chosen, and may be freed.
typedef struct stow_own_split {
  MlirOperation before;
  MlirValue select;
} stow_own_split;

// What ends a segment and forwards refs: an op of the program, or the yield of an arm of a choice.
typedef struct stow_ending {
  MlirOperation op; // null until it is made
  int32_t segment;  // that it ends
  int32_t first;    // segment of an arm; it ends another where choices stand in the arm
  int32_t goes_to;  // of an arm: the segment behind its choice; -1
  int32_t operand, operand_count;
} stow_ending;

typedef struct stow_ending_operand {
  int32_t operand, ref;
  int32_t phi; // of an arm: behind the choice; -1
} stow_ending_operand;

// An scf.if to be made before an ending, in place of selects of one condition.
typedef struct stow_choice {
  MlirValue condition;
  int32_t ending;  // before which it stands
  int32_t arms[2]; // endings, of the then block and of the else block
  int32_t segment, after;
} stow_choice;

// Why a marked buffer is left alone.
#define STOW_MANUAL_REASON                                                                         \
  "'bufferization.manual_deallocation' says that the program frees it itself"

// An op whose buffers this pass does not free, as something about it is not known.
typedef struct stow_doubt {
  MlirOperation op;
  const char *reason;
} stow_doubt;

typedef struct stow_domain {
  MlirOperation op;
  MlirRegion region;
  bool is_function;
  const stow_region_control *control; // without choices
  stow_map ref_index;                 // by value
  stow_by_name names;                 // of ops that are read
  stow_completions completions;
  // First those of `control`. One that a choice ends has the positions of the whole, and its last
  // op.
  STOW_ARRAY(stow_segment) segments;
  STOW_ARRAY(stow_passed) passed; // by segment
  STOW_ARRAY(stow_jump) edges;
  STOW_ARRAY(stow_exit) exits; // of edges
  stow_dominance *dominance;   // of segments
  STOW_ARRAY(stow_ref) refs;
  STOW_ARRAY(stow_jump) views, takeovers; // between refs
  STOW_ARRAY(stow_forwarded) forwarded;
  STOW_ARRAY(stow_incoming) incoming;
  STOW_ARRAY(stow_own_mention) uses;
  STOW_ARRAY(stow_own_mention) frees;
  STOW_ARRAY(stow_own_mention)
  ignored_frees; // deallocs that are placed anew: what they freed owned
  stow_escapes escapes;
  const stow_own_split *splits;
  size_t split_count;
  STOW_ARRAY(stow_ending) endings;
  STOW_ARRAY(stow_ending_operand) operands;
  STOW_ARRAY(stow_choice) choices;
  STOW_ARRAY(stow_doubt) doubts;
  STOW_ARRAY(MlirRegion) inner;  // regions of ops that do not tell when they run them
  int32_t result, result_count;  // refs that stand for the function's results
  stow_index leaving, entering;  // edges by segment
  stow_index views_of, views_to; // refs by ref: its views, and what it is a view of
  stow_index taken_of, taken_to; // takeovers, in the same way
  stow_index forwarded_of,
      incoming_of; // forwarded, but for those that need no owner, by ref; incoming by phi
  stow_index uses_of, frees_of; // by ref
} stow_domain;

typedef struct stow_domain_context {
  bool unknown_ops_escape;
  const stow_map *ignored; // deallocs to be placed anew, which only show who owned, and the names
                           // of their first operands that only they mention; or NULL
  const stow_own_split *splits;
  size_t split_count;
  const stow_contract *promised; // of the function that is read: which arguments it owns; or NULL
  // The contract of the function that `call` calls, or NULL where it is not known.
  const stow_contract *(*callee)(void *user, MlirOperation call);
  // Whether its declaration says that it neither keeps, returns nor frees an argument.
  bool (*borrows)(void *user, MlirOperation call, intptr_t argument);
  // Whether its declaration says that a result is not the caller's to free.
  bool (*lends)(void *user, MlirOperation call, intptr_t result);
  void *user;
} stow_domain_context;

// Reads a region of `op`. Freed with stow_domain_free; `control` lives longer.
void stow_domain_read(MlirOperation op, const stow_region_control *control,
                      const stow_domain_context *context, stow_domain *out_domain);
void stow_domain_free(stow_domain *domain);

// Whether control can reach a segment; -1: outside of the domain.
bool stow_dealloc_is_reachable(const stow_domain *domain, int32_t segment);

// Whether two forwarded operands of one segment have incoming values on one edge.
bool stow_dealloc_share_edge(const stow_domain *domain, const stow_forwarded *a,
                             const stow_forwarded *b);

// The segment that ends with an op whose regions control enters; -1: another op.
int32_t stow_dealloc_segment_ended_by(const stow_domain *domain, MlirOperation op);

// Whether the one segment dominates the other.
bool stow_dealloc_segment_dominates(const stow_domain *domain, int32_t segment, int32_t other);

// Whether a region is another one, or lies in it.
bool stow_dealloc_region_is_inside(const stow_domain *domain, int32_t region, int32_t around);

// Whether the ref's value may be mentioned at the start of a segment, and is the same there as
// where it was last defined.
bool stow_dealloc_reaches_start(const stow_domain *domain, int32_t ref, int32_t segment);

// Per segment: whether control may get there from the end of `segment` without passing another one;
// that may be reached itself. Freed with free().
bool *stow_dealloc_segments_after(const stow_domain *domain, int32_t segment, int32_t without);

// Whether a walk over refs follows a forwarded operand to its phis, or back.
typedef bool (*stow_follows_fn)(const void *user, const stow_forwarded *forwarded);

// Adds what the ref is a view of and its incoming values; or its views and the phis it is forwarded
// to. `follows`: NULL for all forwarded operands.
void stow_dealloc_walk_backward(const stow_domain *domain, stow_walk *walk, int32_t ref,
                                stow_follows_fn follows, const void *user);
void stow_dealloc_walk_forward(const stow_domain *domain, stow_walk *walk, int32_t ref,
                               stow_follows_fn follows, const void *user);

// Adds the phis that a forwarded operand becomes.
void stow_dealloc_add_phis(const stow_domain *domain, stow_walk *walk,
                           const stow_forwarded *forwarded);

//===----------------------------------------------------------------------===//
// Filling the tables
//===----------------------------------------------------------------------===//

typedef struct stow_own_place {
  int32_t segment;
  int64_t position;
} stow_own_place;

int32_t stow_domain_add_segment(stow_domain *domain, stow_segment segment);

// What stands where control does not get is not added to tables but those of refs.

int32_t stow_domain_ref(stow_domain *domain, MlirValue value); // added if it is new

int32_t stow_domain_add_ref(stow_domain *domain, MlirValue value); // one more, even if it is there
int32_t stow_domain_add_edge(stow_domain *domain, int32_t from, int32_t to, stow_exit how);
void stow_domain_add_forwarded(stow_domain *domain, int32_t segment, intptr_t operand, int32_t ref);

void stow_domain_add_use(stow_domain *domain, int32_t ref, stow_own_place place, MlirOperation op,
                         bool writes);

void stow_domain_add_free(stow_domain *domain, int32_t ref, stow_own_place place, MlirOperation op);

// `op` makes the ref `view` of another one.
void stow_domain_add_view(stow_domain *domain, int32_t ref, int32_t view, stow_own_place place);

void stow_domain_add_escape(stow_domain *domain, int32_t ref, int32_t segment, MlirOperation op,
                            const char *reason);

void stow_domain_doubt(stow_domain *domain, MlirOperation op, const char *reason);

// The same for what the program frees in a way of its own, or by bits.
void stow_domain_add_managed(stow_domain *domain, int32_t ref, int32_t segment, MlirOperation op,
                             stow_escape_kind kind, const char *reason);

#endif // STOWAGE_DEALLOC_DOMAIN_H
