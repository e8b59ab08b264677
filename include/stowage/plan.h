//===- stowage/plan.h - offline memory planning ---------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// WHAT. A program needs buffers. Each has a size in bytes, an alignment, and a
// life: the half-open range [begin, end) of program points at which its bytes
// must not be disturbed. The planner gives every buffer a byte offset in one
// arena, so that buffers alive at the same point do not overlap, and keeps the
// arena small. In the literature: dynamic storage allocation, NP-complete.
//
//     offset                     time ->
//       |  +-----+
//       |  |  b  |  +--------+      b and c share bytes: their lives are disjoint.
//       |  +-----+--+---+ c  |      a overlaps both in time, so it is elsewhere.
//       |  |     a      +----+
//       |  +------------+
//
// HOW. One call, over arrays the caller owns:
//
//     stow_buffer buffers[] = {{.size = 4096, .begin = 0, .end = 2},
//                              {.size = 4096, .begin = 2, .end = 4}};
//     stow_problem problem = STOW_PROBLEM(buffers, 2);
//     uint64_t offsets[2];
//     stow_plan_result result;
//     stow_status status = stow_plan(&problem, NULL, offsets, &result);
//     // STOW_OK, result.arena_size == 4096, result.outcome == STOW_OPTIMAL
//
// A plain problem is buffers with one life each. Beside them a caller may give, as optional arrays:
// fixed offsets; lives with holes, and parts of a buffer alive by themselves; pairs of buffers that
// never meet, that must start at one offset, or that may, or that must lie in different banks; and
// several memory spaces with capacities and costs. Bytes that nothing may use are a buffer with a
// fixed offset that is alive all the time. What is not given costs nothing and need not be
// understood.
//
// The default strategy, `auto`, first runs fast heuristics, then searches: exhaustively where the
// problem is small enough, by improving the best plan where it is not, and stops when the plan is
// proven optimal or its *effort* is spent. Effort is counted in steps of work, not in time, so that
// a compiler gives the same output on every machine. A progress callback may stop it at any moment;
// the best plan found so far is then the answer.
//
// PROMISES. No function here prints, exits, reads the clock, touches a global or
// recurses to a depth its input decides. The same input gives the same offsets on
// every machine. All functions are thread-compatible: calls that share no
// writable argument may run at once. Arithmetic is checked: a sum that does not
// fit 64 bits is STOW_OVERFLOW, never a wrapped offset.
//
// ERRORS. A *status* says whether the call could do its work. An *outcome* says
// what was found: a capacity that cannot be met is an outcome, not an error.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_PLAN_H
#define STOWAGE_PLAN_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// What the shared library exports.
#ifdef __GNUC__
#pragma GCC visibility push(default)
#endif

//===----------------------------------------------------------------------===//
// The problem
//===----------------------------------------------------------------------===//

// A buffer. Never written by the planner.
typedef struct stow_buffer {
  uint64_t size;      // bytes; 0 is allowed and conflicts with nothing
  uint64_t alignment; // bytes, a power of two; 0 means 1
  int64_t begin;      // first program point of the life
  int64_t end;        // one past the last; begin < end
} stow_buffer;

// "Anywhere": the value of an entry of stow_problem.fixed_offsets that fixes nothing.
#define STOW_ANY_OFFSET UINT64_MAX

// A part of a buffer's life: bytes [low, high) of the buffer, counted from its offset, are in use
// during [begin, end). A buffer given by pieces may lend the rest of itself to others: a life with
// a hole is two pieces, a tensor of which only a slice survives is a large piece and then a small
// one.
typedef struct stow_piece {
  int64_t begin, end;
  uint64_t low, high; // both 0: the whole buffer
} stow_piece;

// What is special about a pair of buffers. Without a relation two buffers that are alive together
// do not share bytes.
typedef enum stow_relation_kind {
  STOW_EXCLUSIVE,    // never needed in the same run, such as the two arms of a branch: may overlap
  STOW_COLOCATED,    // must start at the same offset, and may overlap: an operator in place
  STOW_MAY_COLOCATE, // may overlap, but only if they start at exactly the same offset
  STOW_OTHER_BANK,   // no bank has bytes of both (see bank_count): used by one op
} stow_relation_kind;

// STOW_COLOCATED carries over: where a-b and b-c are, so are a-c. The others speak of their pair
// only.
typedef struct stow_relation {
  stow_relation_kind kind;
  size_t first, second; // indices of two different buffers
} stow_relation;

// A memory. The cost of a plan is the sum over all spaces of `cost` times the bytes of the space's
// arena; the planner looks for the least, so that what is cheap is filled first and the overflow
// goes to the next. Among plans of equal cost the earlier space is preferred.
typedef struct stow_space {
  uint64_t capacity; // bytes; 0: no limit
  uint64_t cost;     // per byte
} stow_space;

#define STOW_MAX_SPACES 64

// A problem. What not every caller needs comes as optional arrays beside the buffers; those with
// one entry per buffer are NULL where nothing is asked. `struct_size` lets later versions add such
// arrays: a field that lies past the caller's struct_size is taken as absent.
typedef struct stow_problem {
  size_t struct_size; // sizeof(stow_problem), as STOW_PROBLEM sets it
  size_t buffer_count;
  const stow_buffer *buffers;
  const uint64_t *fixed_offsets; // required offset in bytes, or STOW_ANY_OFFSET; NULL: all free

  // Buffer i lives in pieces[piece_starts[i]] .. pieces[piece_starts[i + 1] - 1]: ascending,
  // disjoint, inside [begin, end). With none it lives from begin to end. NULL: all do.
  const size_t *piece_starts; // buffer_count + 1 entries, ascending
  const stow_piece *pieces;

  size_t relation_count;
  const stow_relation *relations;

  // Spaces to choose from; 0: one, without limit, at a cost of 1 a byte. Buffer i may go to space s
  // where bit s of allowed_spaces[i] is set; NULL: anywhere. Colocated buffers share their space.
  size_t space_count;
  const stow_space *spaces;
  const uint64_t *allowed_spaces;

  // Bank b of the arena is its bytes from b * bank_size on, so that the arena must begin where a
  // bank does. With STOW_OTHER_BANK only, which needs it, and one space at most.
  uint64_t bank_size;

  // Not 0: that many banks take turns, as in the shared memory of a GPU. Byte x of the arena is in
  // bank x / bank_size % bank_count, and a large buffer has bytes in all of them. So there
  // STOW_OTHER_BANK asks that two buffers begin in different ones, wherever the arena begins that
  // is aligned to a bank. Pairs that need more banks than there are have no plan: STOW_OVERFLOW.
  uint64_t bank_count;
} stow_problem;

// Every field, in order, so that it is one initializer in C and in C++.
#define STOW_PROBLEM(BUFFERS, COUNT)                                                               \
  {sizeof(stow_problem), (COUNT), (BUFFERS), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}

//===----------------------------------------------------------------------===//
// Status and outcome
//===----------------------------------------------------------------------===//

typedef enum stow_status {
  STOW_OK = 0,
  STOW_INVALID,   // the problem or the options are malformed
  STOW_OVERFLOW,  // sizes, offsets or their sums do not fit 64 bits
  STOW_NO_MEMORY, // the allocator returned NULL
} stow_status;

typedef enum stow_outcome {
  STOW_UNKNOWN = 0, // no plan found, and none shown impossible (a capacity was asked for)
  STOW_FEASIBLE,    // a plan; a smaller arena may exist
  STOW_OPTIMAL,     // a plan, and its arena equals a proven lower bound
  STOW_INFEASIBLE,  // no plan fits the capacity or the fixed offsets: proven
} stow_outcome;

// What is wrong with a plan, or with a problem.
typedef enum stow_fault_kind {
  STOW_FAULT_NONE = 0,
  STOW_FAULT_OVERLAP,    // first and second are alive together and share bytes
  STOW_FAULT_ALIGNMENT,  // first's offset is no multiple of its alignment
  STOW_FAULT_FIXED,      // first is not at its fixed offset
  STOW_FAULT_ARENA_SIZE, // first ends past the arena, or past its space's capacity
  STOW_FAULT_COLOCATION, // first and second must start at the same offset and do not
  STOW_FAULT_SPACE,      // first is in a space it may not go to
  STOW_FAULT_BANK,       // first and second must lie in different banks and share one

  // What is malformed in a problem, where the status is STOW_INVALID or STOW_OVERFLOW.
  STOW_FAULT_BAD_LIFE,      // first's life does not begin before it ends
  STOW_FAULT_BAD_ALIGNMENT, // first's alignment is no power of two
  STOW_FAULT_BAD_PIECES,    // first's pieces do not ascend, meet, or leave its life or its bytes
  STOW_FAULT_BAD_RELATION,  // relation `first` is of no kind, not between two buffers, or of banks
                            // where there are none
  STOW_FAULT_NO_SPACE,      // first may go to none of the spaces
  STOW_FAULT_BAD_OFFSET,    // first's fixed offset and size do not fit 64 bits
  STOW_FAULT_BAD_STRUCT,    // an array is missing, or a size or a count is out of range
} stow_fault_kind;

typedef struct stow_fault {
  stow_fault_kind kind;
  size_t first, second; // indices of buffers unless noted; second: OVERLAP, COLOCATION, BANK only
} stow_fault;

// The names in lower case, as printed by the tools: "ok", "invalid", ...; never NULL.
const char *stow_status_name(stow_status status);
const char *stow_outcome_name(stow_outcome outcome);
const char *stow_fault_name(stow_fault_kind kind);

//===----------------------------------------------------------------------===//
// Strategies
//===----------------------------------------------------------------------===//

// One line per strategy: enumerator, name for people, one line of help. A strategy takes the
// buffers in a stated order (ties: larger size, then earlier begin, then lower index) and puts each
// at the lowest offset where it fits (first fit) or into the smallest gap where it fits (best fit).
#define STOW_STRATEGIES(X)                                                                         \
  X(STOW_AUTO, "auto", "try several strategies, keep the smallest arena")                          \
  X(STOW_FIRST_FIT_SIZE, "first-fit-size", "first fit, largest size first")                        \
  X(STOW_FIRST_FIT_AREA, "first-fit-area", "first fit, largest size x duration first")             \
  X(STOW_FIRST_FIT_DURATION, "first-fit-duration", "first fit, longest life first")                \
  X(STOW_FIRST_FIT_START, "first-fit-start", "first fit, earliest begin first")                    \
  X(STOW_BEST_FIT_SIZE, "best-fit-size", "best fit, largest size first")                           \
  X(STOW_BEST_FIT_AREA, "best-fit-area", "best fit, largest size x duration first")                \
  X(STOW_BEST_FIT_DURATION, "best-fit-duration", "best fit, longest life first")                   \
  X(STOW_BEST_FIT_START, "best-fit-start", "best fit, earliest begin first")                       \
  X(STOW_LAYERED, "layered",                                                                       \
    "first fit of large buffers by class of size, the rest above by best-fit-start")               \
  X(STOW_PEAK, "peak", "first fit, what is alive at the peak first, then reordered some times")    \
  X(STOW_REPAIR, "repair", "first fit, reordered again and again where the arena is highest")      \
  X(STOW_EXACT, "exact", "exhaustive search, within the effort")

typedef enum stow_strategy {
#define STOW_STRATEGY_ENUMERATOR(ENUM, NAME, HELP) ENUM,
  STOW_STRATEGIES(STOW_STRATEGY_ENUMERATOR)
#undef STOW_STRATEGY_ENUMERATOR
      STOW_STRATEGY_COUNT
} stow_strategy;

// The name as in the table above, or NULL where `strategy` is none of it.
const char *stow_strategy_name(stow_strategy strategy);

// Finds a strategy by name. Returns 1 and writes it, or returns 0 and leaves `out_strategy` alone.
int stow_strategy_parse(const char *name, stow_strategy *out_strategy);

//===----------------------------------------------------------------------===//
// Planning
//===----------------------------------------------------------------------===//

// Memory for the planner's own work. One function in the shape of realloc that is told sizes:
// `old_size` 0 allocates, `new_size` 0 frees and returns NULL. The planner frees all it allocated
// before it returns, whatever it returns.
typedef struct stow_allocator {
  void *(*reallocate)(void *user, void *block, size_t old_size, size_t new_size);
  void *user;
} stow_allocator;

// As much effort as it takes: the work goes on until the question is answered or the progress
// callback ends it. Without a callback the call may never return.
#define STOW_UNLIMITED_EFFORT UINT64_MAX

// What a progress callback is told. It is called on the thread that called stow_plan.
typedef struct stow_progress {
  uint64_t effort;     // spent so far
  uint64_t max_effort; // what may be spent, or STOW_UNLIMITED_EFFORT
  uint64_t arena_size; // of the best plan so far; 0: none yet
  uint64_t lower_bound;
} stow_progress;

// The search's shortcuts, each proven not to lose the answer. All are on; a test may switch single
// ones off and must get the same answers, more slowly. One line per rule: enumerator, name, help.
#define STOW_RULES(X)                                                                              \
  X(STOW_RULE_CANONICAL, "canonical", "place in ascending order of offset only")                   \
  X(STOW_RULE_DOMINANCE, "dominance", "leave no hole into which an unplaced buffer fits")          \
  X(STOW_RULE_LOAD, "load", "give up where a section's rest does not fit above its floor")         \
  X(STOW_RULE_CEILING, "ceiling", "give up where a single buffer no longer fits")                  \
  X(STOW_RULE_TWINS, "twins", "place equal buffers in one order only")                             \
  X(STOW_RULE_SPLIT, "split", "search parts that no longer meet in time one by one")               \
  X(STOW_RULE_UNITS, "units", "count in the largest unit common to all sizes and alignments")

typedef enum stow_rule_index {
#define STOW_RULE_INDEX(ENUM, NAME, HELP) ENUM##_INDEX,
  STOW_RULES(STOW_RULE_INDEX)
#undef STOW_RULE_INDEX
      STOW_RULE_COUNT
} stow_rule_index;

enum {
#define STOW_RULE_BIT(ENUM, NAME, HELP) ENUM = 1 << ENUM##_INDEX,
  STOW_RULES(STOW_RULE_BIT)
#undef STOW_RULE_BIT
};

// Zero-initialised means defaults.
typedef struct stow_plan_options {
  size_t struct_size; // sizeof(stow_plan_options), or 0 for this version's
  stow_strategy strategy;
  uint64_t capacity;               // bytes the arena may have; 0: as small as can be found
  const stow_allocator *allocator; // NULL: libc

  // Steps of work, each a few nanoseconds, that search and improvement may take; the heuristics
  // that give the first plan run in any case. 0: a default of 400 million and a thousand more per
  // buffer, about a second for a problem whose optimum is not proven before. A compiler that plans
  // many functions may want to give less, an offline tool more, or STOW_UNLIMITED_EFFORT. This is
  // the effort for one capacity. Without one it goes to the lower bound; up to as much again, and
  // one search more, to capacities that fall from the first plan; and as much to each of 0.3 %, 1 %
  // and 3 % above the bound where the plan is still larger, as a call with that capacity would;
  // not where pieces have byte windows, which is then searched at the bound alone.
  uint64_t max_effort;
  unsigned threads;   // 0 or 1: none but the caller's. The answer does not depend on it.
  unsigned rules_off; // STOW_RULE_* to do without

  // Called now and then; non-zero stops the work and the best plan so far is the answer. NULL:
  // never.
  int (*progress)(void *user, const stow_progress *progress);
  void *progress_user;

  // Outputs not every caller wants, one entry per buffer; NULL: not wanted.
  uint32_t *out_spaces;        // the space each buffer goes to; required where there are several
  uint64_t *out_space_sizes;   // one entry per space: bytes of its arena
  unsigned char *out_culprits; // where the outcome is INFEASIBLE: 1 for each buffer of a set that
                               // has no plan, and that has one as soon as any of them is taken away
  stow_fault *out_fault;       // one: what is malformed in the problem; else STOW_FAULT_NONE
} stow_plan_options;

typedef struct stow_plan_result {
  uint64_t arena_size;      // bytes: the largest offset + size of the plan; 0 without a plan. With
                            // several spaces the sum of their arenas
  uint64_t lower_bound;     // bytes: no plan has a smaller arena (see stow_lower_bound). With
                            // several spaces: no plan costs less
  stow_outcome outcome;     //
  stow_strategy strategy;   // the strategy that made the plan; never STOW_AUTO when there is one
  uint64_t cost;            // of the plan: with one space of cost 1, the arena's size
  uint64_t effort;          // steps taken
  int stopped;              // 1: the progress callback ended the work
  int culprits_irreducible; // 1: out_culprits is written, and proven to be irreducible
  int exhausted;            // 1: effort ended the work; more may find a plan, or a smaller one
  uint64_t smallest;        // bytes: the smallest arena found, where the outcome is UNKNOWN and one
                            // was found that the capacity does not hold; else 0
} stow_plan_result;

// Plans `problem`. `out_offsets` has one entry per buffer, in bytes, and is written only when the
// outcome is FEASIBLE or OPTIMAL; a plan whose arena is larger than a given capacity is not one
// (outcome UNKNOWN or, where the lower bound exceeds the capacity, INFEASIBLE). `options` may be
// NULL. `out_result` is always written, zeroed where the status is not STOW_OK.
stow_status stow_plan(const stow_problem *problem, const stow_plan_options *options,
                      uint64_t *out_offsets, stow_plan_result *out_result);

//===----------------------------------------------------------------------===//
// Checking
//===----------------------------------------------------------------------===//

// No plan of `problem` has an arena smaller than `out_bound` bytes: the largest sum of sizes alive
// at one point, with padding. Counted are all buffers, or those of at least some alignment, with
// the padding that this alignment forces between them.
stow_status stow_lower_bound(const stow_problem *problem, uint64_t *out_bound);

// The load as such: the largest sum of sizes alive at one point, no padding. `out_point`, where not
// NULL, receives the first point at which it is reached (0 for a problem without buffers).
stow_status stow_load(const stow_problem *problem, uint64_t *out_load, int64_t *out_point);

// Checks a plan from whatever source against the definition, by a sweep over time that shares no
// code with any strategy: O((n + p) log n), where p pairs overlap and are allowed to. STOW_OK means
// the check was made; `out_fault->kind` is STOW_FAULT_NONE exactly when the plan is valid within
// `arena_size` bytes. Where the problem is malformed, it says how. For problems of one space; all
// buffers are taken to be in space 0.
stow_status stow_verify(const stow_problem *problem, const uint64_t *offsets, uint64_t arena_size,
                        stow_fault *out_fault);

// How many of the pairs that are STOW_OTHER_BANK share one. For a caller whom fewer conflicts would
// serve where not all can be separated: it plans without some of the relations, and counts.
stow_status stow_bank_conflicts(const stow_problem *problem, const uint64_t *offsets,
                                size_t *out_count);

// The same as stow_verify for a plan over several spaces: `spaces` has the space of each buffer,
// and the arenas may be as large as the spaces' capacities.
stow_status stow_verify_spaces(const stow_problem *problem, const uint64_t *offsets,
                               const uint32_t *spaces, stow_fault *out_fault);

#ifdef __GNUC__
#pragma GCC visibility pop
#endif

#ifdef __cplusplus
}
#endif

#endif // STOWAGE_PLAN_H
