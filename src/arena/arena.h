//===- arena.h - the four stages of planning a module's memory ------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   module  --collect-->  arenas: what is planned, and why the rest is not
//           --plan-->     an offset for each planned buffer
//           --describe--> report, remarks, annotations
//           --rewrite-->  one alloc per arena, a memref.view per buffer
//
// An *arena* belongs to one scope (flow.h) and one memory space. The *selection* begins
// as a copy of ir's facts; options, tracers and rules between buffers write their reasons
// and lives there. Everything is planned before anything is rewritten, so that a failure
// leaves the module as it was.
//
// Between these steps: conditional.c gives branches that need much more than every path an arena,
// bound_heap.c splits an arena that raises the heap's peak, lend.c moves buffers into results that
// are not yet written, fixed.c reads offsets that the program states, callbacks.c lets a caller's
// tracer and scheduler take the place of lives and of planning. reuse.c is the list as code.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_ARENA_H
#define STOWAGE_ARENA_H

#include "arena/reasons.h"
#include "ir/buffers.h"
#include "ir/symbols.h"
#include "report/report.h"

// Where the bytes of an arena are: X(NAME, traits). Which rules hold there, all files ask of the
// traits. How the memory is made, and who cannot have it, is a row of rewrite.c.
#define STOW_BACKINGS(X)                                                                           \
  /* in an alloc of each activation of its scope */                                                \
  X(HEAP,                                                                                          \
    STOW_BACKING_IS_HOST | STOW_BACKING_IS_ALLOC | STOW_BACKING_IS_WHOLE | STOW_BACKING_IS_OWN)    \
  /* in an alloca */                                                                               \
  X(STACK, STOW_BACKING_IS_HOST)                                                                   \
  /* in a slice of an alloc for all iterations of a parallel loop (hoist.h) */                     \
  X(ITERATION, STOW_BACKING_IS_HOST)                                                               \
  /* in a workgroup attribution of a GPU kernel (workgroup.h) */                                   \
  X(WORKGROUP, STOW_BACKING_IS_SHARED)                                                             \
  /* in an allocation that is returned, until that is first touched (lend.c) */                    \
  X(RESULT, STOW_BACKING_IS_HOST | STOW_BACKING_IS_ALLOC | STOW_BACKING_IS_LENT)                   \
  /* in memory that the caller passes */                                                           \
  X(ARGUMENT,                                                                                      \
    STOW_BACKING_IS_HOST | STOW_BACKING_IS_GIVEN | STOW_BACKING_IS_WHOLE | STOW_BACKING_IS_PASSED) \
  /* in a memref.global */                                                                         \
  X(GLOBAL, STOW_BACKING_IS_HOST | STOW_BACKING_IS_WHOLE)                                          \
  /* in memory that a function of the program gives and takes back */                              \
  X(CALLBACK, STOW_BACKING_IS_HOST | STOW_BACKING_IS_GIVEN | STOW_BACKING_IS_CALLED)               \
  /* in a gpu.alloc of each activation of its scope */                                             \
  X(DEVICE, STOW_BACKING_IS_ASYNC)

typedef enum stow_backing {
#define STOW_BACKING_OF(name, traits) STOW_BACKING_##name,
  STOW_BACKINGS(STOW_BACKING_OF)
#undef STOW_BACKING_OF
      STOW_BACKING_COUNT
} stow_backing;

enum stow_backing_trait {
  STOW_BACKING_IS_HOST = 1 << 0,   // counts in what the host needs at its peak
  STOW_BACKING_IS_ALLOC = 1 << 1,  // memory that the function allocates
  STOW_BACKING_IS_GIVEN = 1 << 2,  // asked for before the function runs, for what its arguments say
  STOW_BACKING_IS_WHOLE = 1 << 3,  // nothing else is in that memory
  STOW_BACKING_IS_CALLED = 1 << 4, // a function of the program is called for it, at any time
  STOW_BACKING_IS_OWN = 1 << 5,    // allocated and freed there: where it helps, several times
  STOW_BACKING_IS_LENT = 1 << 6,   // what is counted is its `lender`: it adds no bytes
  STOW_BACKING_IS_PASSED = 1 << 7, // each call of the function has it as an operand
  STOW_BACKING_IS_SHARED = 1 << 8, // by a kernel's threads, which have one capacity and steps
  STOW_BACKING_IS_ASYNC = 1 << 9,  // work may go on in it while the function does
};

bool stow_backing_is(stow_backing backing, unsigned traits); // any of these

// Of an entry point's arenas, for an option; and what reports call it: NULL where no frame is.
bool stow_arena_place_is(stow_arena_place place, unsigned traits);
stow_backing stow_backing_of_place(stow_arena_place place);
const char *stow_backing_kind(stow_backing backing);

typedef STOW_ARRAY(MlirAttribute) stow_spaces;

// Whose buffers one run plans, and where the arenas of those functions' bodies are.
typedef struct stow_framing {
  const stow_calls *calls; // of the module
  stow_reader *reader;
  const int32_t *functions;     // indices in `calls`. Any other function is left alone
  const stow_backing *backings; // one each
  size_t count;
  stow_symbol_names *names; // of the module
  stow_spaces *declared;    // memory spaces whose callbacks are declared
} stow_framing;

typedef STOW_ARRAY(stow_live_piece) stow_live_pieces;

// A buffer that the threads of a workgroup share: an argument of the kernel's body, or what an
// alloc there makes.
typedef struct stow_attribution {
  MlirValue value;
  int32_t scope;         // the kernel's
  int32_t alloc;         // of the flow, or STOW_NO_ALLOC
  stow_live_pieces life; // in steps (workgroup.h)
  MlirOperation home;    // the kernel, or the loop in each of whose iterations it is a new buffer
} stow_attribution;

typedef STOW_ARRAY(stow_attribution) stow_attributions;

// The offsets of a dynamic arena's planned members and its size, as formulas of its function.
// `memory` is NULL for an arena that is planned alone. In a plan for several arenas, `memory` has
// the index of the arena that each member is in, from 0 on. The size is that of the first arena; it
// is larger than needed where this plan must not be chosen.
typedef struct stow_offsets {
  stow_formula *at;
  stow_formula size;
  size_t *memory;
} stow_offsets;

// An attribute of an arena's alloc: the bytes that every path needs of it, where that is not all.
#define STOW_ON_EVERY_PATH "stowage.on_every_path"

// Why a dynamic arena is not made in front of the op around its region.
typedef enum stow_region_cause {
  STOW_SIZES_LATER,   // sizes are known in the region only
  STOW_RUN_UNCERTAIN, // what is known earlier may not be allocated
  STOW_HOME_TOO_DEEP  // to ask earlier takes too many ops
} stow_region_cause;

typedef struct stow_arena {
  // Collected (collect.c; timeline.c links them).
  size_t function; // index into the module's functions
  int32_t scope;   // index into that function's scopes
  MlirAttribute memory_space;
  bool host_shared;           // of memory of a device
  size_t next_in_scope;       // another arena of the same scope, or SIZE_MAX
  STOW_ARRAY(size_t) members; // of that function's selection, planned or not, in program order

  // Told by a tracer (callbacks.c).
  stow_live_piece *traced;        // lives of its members
  STOW_ARRAY(stow_relation) told; // of members

  // Stated (plan_arenas.c; fixed.c for `fixed`); one entry per planned member, in order.
  size_t planned_count;
  size_t *planned;      // members
  stow_problem problem; // over the arrays below
  stow_buffer *buffers;
  size_t *piece_starts;
  stow_piece *pieces;
  STOW_ARRAY(stow_relation) relations; // as indices of `planned`
  uint64_t *fixed;                     // what the program states of offsets, or NULL

  // Planned (plan_arenas.c, or what plans in its place: callbacks.c, lend.c, stackings.c, banks.c).
  bool waits; // has no plan yet: lenders may give it a better one
  uint64_t *offsets;
  stow_plan_result plan;
  size_t bank_pairs, bank_pairs_apart; // that one op uses; those in different banks
  STOW_ARRAY(stow_offsets) stackings;  // of a dynamic arena: the one of the smallest size counts

  // The memory that it is, and when that exists: each by the file that asks for such a one.
  //
  // Where a buffer lies is no type of its own: it is the arena that has it among `planned`, with
  // its offset at the same place. Which memory that is tell `backing` and `lender`, and from when
  // on `region`. What the heap then has for some sizes and branches: stow_cases of heap.h.
  stow_backing backing;
  uint64_t trips;          // hoist.c: iterations that have a slice each
  size_t lender;           // lend.c: where bytes are lent, the alloc that is returned
  MlirRegion region;       // dynamic.c: where it is made and freed; null: the innermost one
  stow_region_cause cause; // dynamic.c: of a region that is not null
  bool outside_frame;      // dynamic.c: no part of the frame that its function has from outside
  uint64_t on_every_path;  // conditional.c: bytes of it, where branches have separate arenas; or 0
  bool in_launch;          // workgroup_dynamic.c: dynamic, of a size that launches state
  const char *not_in_launch; // workgroup_dynamic.c: why not, where that is asked for

  // Taken together with others (joint_stackings.c).
  // The number of arenas after this one, in results, that were planned with it: the stacking chosen
  // here is chosen for all. A buffer may change between them with the sizes.
  size_t joint;
  STOW_ARRAY(size_t) tenants; // of each of these: all that may lie in it, as `planned`; else empty
  uint64_t alignment;         // the same: the most that these are aligned to, in bytes; else 0
} stow_arena;

// An op that launches a kernel, a gpu.func or itself.
typedef struct stow_launch {
  MlirOperation kernel, op;
} stow_launch;

typedef struct stow_arenas {
  MlirOperation module;
  const char *pass; // its name, for remarks and reports
  bool on_stack;    // planned are the stack's allocations, not the heap's
  bool device;      // with the heap's, what gpu.alloc makes
  bool pool_alone;  // an arena may have a single buffer
  bool pool_bytes;  // also where that is bytes already
  bool unfixed;     // offsets that allocs state wait until it is known what the arenas are
  bool numbers;     // sizes must be numbers, whatever the option `dynamic` says
  stow_reuse_options options;
  const stow_framing *framing;   // NULL: all functions are planned, with arenas on the heap
  stow_module_memory memory;     // as ir found it
  bool workgroups;               // GPU kernels' workgroup attributions are planned, too
  stow_attributions *shared;     // per function, where they are planned; allocs in front
  stow_buffer_fact **selection;  // per function, alloc and attribution: what this pass makes of it
  STOW_ARRAY(stow_arena) arenas; // one function's after the other's
  STOW_ARRAY(stow_launch) launches; // of all kernels, where their memory may be dynamic
  struct stow_sampled *sampled;     // dynamic.h; NULL but with dynamic=exact
} stow_arenas;

// Sorts the module's allocations into arenas, after an analysis where `memory` is empty.
// False, with a located error, where a tracer said what cannot be, or a size is asked for that is
// none.
bool stow_arena_collect(stow_arenas *arenas);

// Makes reasons agree after some were set: what belongs together is planned together or not at all.
void stow_arena_settle(stow_arenas *arenas);

// Plans every arena and verifies each plan. False, with an error, where one does not hold. With
// `lenders` to be asked, arenas wait whose buffers are worth one anyway.
bool stow_arenas_plan(stow_arenas *arenas, bool lenders);

// Plans again what allocs state offsets of.
bool stow_arena_plan_fixed(stow_arenas *arenas);

// Plans an arena that waits.
bool stow_arena_plan_waiting(stow_arenas *arenas, stow_arena *arena);

// Whether arenas and kernels' memory are within the options' capacities. Where not, a located error
// tells.
bool stow_arenas_fit(const stow_arenas *arenas);

// The bytes that an arena with a stated problem may have; of a kernel's memory, with what else the
// kernel has left out. 0: any.
uint64_t stow_arena_capacity_for(const stow_arenas *arenas, const stow_arena *arena);

// Lists the planned members of an arena as a planning problem.
void stow_arena_state_problem(const stow_arenas *arenas, stow_arena *arena);

// Requires of a stated problem the offsets that allocs have as stowage.offset. False, with a
// located error, where one cannot be, or two cannot be together.
bool stow_arena_fix_offsets(const stow_arenas *arenas, stow_arena *arena, bool is_dynamic);

// The most bytes of the stated problem that are live at once, and the first position where they
// are. Computed each time.
typedef struct stow_most_live {
  uint64_t bytes;
  int64_t position;
} stow_most_live;

stow_most_live stow_most_live_in(const stow_arena *arena);

// Moves buffers into the bytes of results where that makes an arena smaller: what was one arena is
// then several. Unless the options say otherwise, or a tracer or scheduler is the caller's.
// What waits has a plan then; false, with an error, where one does not hold.
bool stow_arena_lend_results(stow_arenas *arenas);

// banks.c. Plans arenas of memories with banks again, in as many bytes, with buffers that one op
// uses in different banks; false, with an error, where a plan does not hold.
bool stow_arena_separate_banks(stow_arenas *arenas);

// Whether it looks for them.
bool stow_arena_asks_lenders(const stow_arenas *arenas);

// An arena without members where another one is.
stow_arena stow_arena_empty_like(const stow_arena *arena);

// The members that may lie in an arena: those planned, but for arenas that are taken together.
const size_t *stow_arena_tenants(const stow_arena *arena, size_t *out_count);

// Whether there are any: the arena is made.
bool stow_arena_is_made(const stow_arena *arena);

// bound_heap.c. A function, and a memory space, in which with its arenas the heap's peak is above
// that of unshared buffers.
typedef struct stow_rise {
  size_t function;
  MlirAttribute memory_space;
} stow_rise;

typedef STOW_ARRAY(stow_rise) stow_rises;

// Adds those of planned arenas, each at most twice; once where the heap's peak differs from run to
// run. True where there are any.
bool stow_arena_find_rises(const stow_arenas *arenas, stow_rises *out);

// After collecting: splits the arenas of what was found once, so that all could be there at once.
// The buffers of what was found twice are not planned.
void stow_arena_split_to_bound(stow_arenas *arenas, const stow_rises *found);

// What the verifier says of a plan.
bool stow_arena_plan_holds(const stow_problem *problem, const uint64_t *offsets, uint64_t size);

// Reports that one does not hold; false.
bool stow_arena_refuse_plan(const stow_arenas *arenas);

// Leaves out of an arena what is live together with all else in it, and what holds no bytes. With
// the option pool_all these only where they would be alone, with pool_alone not even then, unless
// the buffer looks like an arena already. True where it changed something.
bool stow_arena_drop_partnerless(stow_arenas *arenas, const stow_arena *arena);

// Replaces the lives of the arena's buffers by those that the options' tracer states. False, with a
// located error, if they are impossible.
bool stow_arena_ask_tracer(stow_arenas *arenas, stow_arena *arena);

// Has the options' scheduler plan the arena, and verifies what it says. False, with a located
// error, where it has no plan or one that does not hold.
bool stow_arena_ask_scheduler(stow_arenas *arenas, stow_arena *arena);

// The memory space of what it allocates.
MlirAttribute stow_arena_space_of(const stow_alloc *alloc);

// "" for the default memory space; for any other an underscore and its letters and digits, "_1".
// Freed with free().
char *stow_arena_space_suffix(MlirAttribute space);

// Whether the options ask for a memory space.
bool stow_arena_space_is_asked_for(const stow_reuse_options *options, MlirAttribute space);

// Whether the options leave a buffer of so many bytes in this memory space alone.
stow_reason stow_arena_reason_of_options(const stow_reuse_options *options, MlirAttribute space,
                                         uint64_t bytes);

// Fills the options in from the caller's. False, with an error, where they say what cannot be.
bool stow_arena_take_reuse_options(stow_arenas *arenas, const stow_reuse_options *options);

// Collects, plans, lends: everything up to plans within the capacities. False, with a located
// error, where that fails.
bool stow_arena_plan_all(stow_arenas *arenas);

// Plans, describes and rewrites, or annotates, as the options say; and frees `arenas`.
bool stow_arena_run(stow_arenas *arenas);

void stow_arena_annotate(const stow_arenas *arenas);

//===----------------------------------------------------------------------===//
// describe.c: the report, of one run or of several
//===----------------------------------------------------------------------===//

// Keeps every text it needs: the module may change before it is written.
typedef struct stow_description stow_description;

stow_description *stow_description_create(void);
void stow_description_add(stow_description *description, const stow_arenas *arenas);
void stow_description_free(stow_description *description);

// What the heap of each function holds, where rounds rewrite one after the other: as the module is,
// before the first one and after the last one.
void stow_description_heaps_before(stow_description *description, const stow_arenas *arenas);
void stow_description_heaps_after(stow_description *description, const stow_arenas *arenas);

// Whether there are such reports as the options ask for. Where not, an error tells.
bool stow_arena_reports_are_known(const stow_arenas *arenas);

// Writes what the options of `arenas` ask for, in the order of the functions. `frames`: the
// module's, or NULL. False, with an error, where a file cannot be written.
bool stow_description_write(stow_description *description, const stow_arenas *arenas,
                            const stow_report_frames *frames);

// Appends the report as JSON.
void stow_arena_describe_as_json(const stow_arenas *arenas, stow_text *out);

// One remark per arena (analysis, or passed when it was rewritten) and one, missed, per buffer left
// alone. Costs nothing when nobody listens.
void stow_arenas_remark(const stow_arenas *arenas, bool rewritten);

// What became of the buffers of one run, or of several.
typedef struct stow_tally {
  size_t of_reason[STOW_ARENA_REASON_COUNT];
  stow_reason order[STOW_ARENA_REASON_COUNT]; // as they are met
  size_t reasons, buffers;
  uint64_t spaces; // of the option memory-spaces: a bit for each that has a buffer
} stow_tally;

void stow_tally_add(stow_tally *tally, const stow_arenas *arenas);

// Tells of a module in which nothing was planned, and of memory spaces that no buffer is in.
void stow_arena_tell_idle(const stow_tally *tally, const stow_arenas *arenas);

// "0 of 12 buffers planned: 10 returned, 2 dynamic-shape", or NULL where some are. Freed with
// free().
char *stow_arena_why_idle(const stow_tally *tally, const stow_arenas *arenas);

// Cannot fail: all that could was checked before.
void stow_arena_rewrite(const stow_arenas *arenas);

void stow_arenas_free(stow_arenas *arenas);
void stow_arenas_free_plans(stow_arenas *arenas); // all but `memory`
void stow_arena_free_problem(stow_arena *arena);  // what planning filled in

// Shorthands.
const stow_function_memory *stow_arena_function(const stow_arenas *arenas, const stow_arena *arena);
const stow_scope *stow_arena_scope(const stow_arenas *arenas, const stow_arena *arena);
const stow_buffer_fact *stow_arena_fact(const stow_arenas *arenas, const stow_arena *arena,
                                        size_t member); // as selected

// What the program calls a member: its alloc's result, or the attribution.
MlirValue stow_arena_value(const stow_arenas *arenas, const stow_arena *arena, size_t member);

// For those who select.
stow_buffer_fact *stow_arena_selected(stow_arenas *arenas, const stow_arena *arena, size_t member);

// Leaves alone what the arena would still have planned.
void stow_arena_leave_alone(stow_arenas *arenas, const stow_arena *arena, stow_reason reason);

// Whether its region has no other block.
bool stow_arena_is_only_block(MlirBlock block);

// The alignment of a buffer's slice, in bytes.
uint64_t stow_slice_alignment(const stow_arenas *arenas, const stow_arena *arena,
                              const stow_buffer_fact *fact);

// The most that a slice in it is aligned to, in bytes.
uint64_t stow_arena_alignment(const stow_arena *arena);

// The bytes of the planned buffers, each for itself.
uint64_t stow_arena_bytes_unshared(const stow_arena *arena);

// Where, in positions, the first op is that may touch an alloc, and one past the last: the engine's
// answer, also where a tracer gave another.
const stow_life *stow_arena_life(const stow_arenas *arenas, const stow_arena *arena, size_t alloc);

// A piece as plan.h has it.
stow_piece stow_arena_planned_piece(const stow_live_piece *piece);

// "it is passed to 'foo', which may keep it": the reason of a buffer that is left alone, with the
// name of the op to blame. Freed with free().
char *stow_arena_reason_text(const stow_buffer_fact *fact);

// What can be done about a reason with this pass, or NULL. Freed with free().
char *stow_arena_suggestion(const stow_arenas *arenas, const stow_arena *arena,
                            const stow_buffer_fact *fact);

//===----------------------------------------------------------------------===//
// invariants.c: what collecting and planning promise the rewrite; nothing with NDEBUG
//===----------------------------------------------------------------------===//

#ifndef NDEBUG

// After stow_arena_settle: who is planned, and in which arena.
void stow_arena_assert_collected(const stow_arenas *arenas);

// After stow_arenas_plan: each arena's plan is of its planned members, and holds.
void stow_arena_assert_planned(const stow_arenas *arenas);

#else

static inline void stow_arena_assert_collected(const stow_arenas *arenas) { (void)arenas; }
static inline void stow_arena_assert_planned(const stow_arenas *arenas) { (void)arenas; }

#endif

#endif // STOWAGE_ARENA_H
