//===- workgroup.h - the shared memory of a GPU kernel ---------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A gpu.func or gpu.launch lists the buffers that the threads of a workgroup share as
// *workgroup attributions*, arguments of its body. There is little of that memory, and
// it is reserved as long as the kernel runs. The attributions of one kernel whose lives
// are disjoint become views of one attribution of bytes.
//
// A life is a range of steps (below): from the step of the first op that may touch
// the attribution, by whatever name, to that of the last. Two attributions whose lives
// are disjoint have a barrier between their uses that all threads pass. The attribution
// holds nothing when the kernel begins, and nobody reads it when it has ended.
//
// A memref.alloc of such memory is an attribution, too, where a kernel comes to it once at most, in
// one of its own blocks and in no loop; or once in each iteration of a loop that all threads run
// together. Its deallocs go with it.
//
// A gpu.func says how its attributions are aligned. A gpu.launch cannot, so there the first
// aligned byte is found at run time, and padding makes room for it.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_ARENA_WORKGROUP_H
#define STOWAGE_ARENA_WORKGROUP_H

#include "arena/arena.h"
#include "ir/build.h"
#include "ir/index.h"

// What LLVM aligns an array in shared memory to, and vector accesses rely on.
enum { STOW_WORKGROUP_ALIGNMENT = 16 };

// The workgroup attributions of a function's kernels and their allocs of such memory, one kernel's
// after the other's, and allocs first.
stow_attributions stow_attributions_of(const stow_function_memory *memory);

// Which member of the function's selection it is.
size_t stow_attribution_member(const stow_function_memory *memory,
                               const stow_attributions *attributions, size_t index);

// Gives each its size and life, or a reason to leave it alone.
void stow_arena_read_attributions(const stow_reuse_options *options,
                                  const stow_function_memory *memory,
                                  stow_attributions *attributions, stow_buffer_fact *selection);

// What of a kernel's memory a planned arena takes, padding included.
uint64_t stow_arena_workgroup_bytes(const stow_arenas *arenas, const stow_arena *arena);

// The arenas of one kernel, one for each of its memory spaces, follow each other: one past the
// last. And what all its attributions take, planned or not.
bool stow_arena_are_of_one_kernel(const stow_arena *a, const stow_arena *b);
const stow_arena *stow_arena_end_of_kernel(const stow_arenas *arenas, const stow_arena *first);
uint64_t stow_arena_kernel_bytes(const stow_arenas *arenas, const stow_arena *first,
                                 const stow_arena *end);

// workgroup_beside.c: static memory that a kernel has beside its attributions and allocs, in it or
// in what it calls: each of its bytes, as far as they are known. Freed by the caller.
typedef struct stow_beside {
  MlirOperation op; // that makes it, or takes its address
  uint64_t bytes;
} stow_beside;

typedef STOW_ARRAY(stow_beside) stow_beside_list;

stow_beside_list stow_arena_beside(MlirOperation kernel);
uint64_t stow_arena_beside_bytes(MlirOperation kernel);

void stow_arena_add_saturating(uint64_t *sum, uint64_t bytes);

// Whether it is the first arena of a kernel that has workgroup memory. And what reports say of that
// kernel, but its name and place.
bool stow_arena_begins_kernel(const stow_arenas *arenas, const stow_arena *arena);
stow_report_kernel stow_arena_describe_kernel(const stow_arenas *arenas, const stow_arena *first);

// An attribution of bytes in front of the kernel's others.
MlirValue stow_arena_insert_attribution(const stow_arenas *arenas, const stow_arena *arena);

// How many of its bytes to skip to the first that is aligned: a number, or null for none.
MlirValue stow_arena_build_start(const stow_builder *builder, const stow_arenas *arenas,
                                 const stow_arena *arena, MlirValue bytes);

// Per planned member: the kernel, or the loop in each of whose iterations it is a new buffer. Freed
// with free().
MlirOperation *stow_arena_homes_of(const stow_arenas *arenas, const stow_arena *arena);

// Takes the planned attributions, which nothing uses any more, out of the kernel.
void stow_arena_erase_attributions(const stow_arenas *arenas, const stow_arena *arena);

// How many attributions a kernel has, a gpu.func or gpu.launch, and where they begin among the
// arguments of its body.
size_t stow_attribution_count(MlirOperation kernel);
intptr_t stow_arena_first_attribution(MlirOperation kernel);

//===----------------------------------------------------------------------===//
// workgroup_dynamic.c: memory that launches ask for
//===----------------------------------------------------------------------===//

// Makes arenas `in_launch` where the options ask for it and it can be, before they are planned.
void stow_arena_choose_dynamic_workgroup(stow_arenas *arenas);

// The dynamic shared memory of the kernel, at the builder.
MlirValue stow_arena_build_dynamic_workgroup(const stow_builder *builder, const stow_arena *arena);

// States the arena's size at each launch of its kernel.
void stow_arena_state_at_launches(const stow_arenas *arenas, const stow_arena *arena);

//===----------------------------------------------------------------------===//
// barriers.c: time in a kernel
//===----------------------------------------------------------------------===//

// The threads of a workgroup run at once, and only gpu.barrier orders them: what one
// does before it has happened when another goes on. So time in a kernel moves in
// *steps*. A step of the kernel ends at a barrier that every thread passes exactly once:
//
//   it stands in one of the kernel's own blocks, not in the region of an op there,
//   that block is on every path through the kernel, and in no loop of blocks.
//
// Such barriers come in one order on all paths, that of their positions, so the step of
// an op is the number of step ends at lower positions. An op in step i has been done by
// all threads before any begins step i + 1, whatever the order inside of a step.
//
// A call is such a barrier where a gpu.barrier is in the only block of its callee, or of a function
// that is called there, and none of the kernel's buffers is given to it.
//
// A step also ends behind a loop, in one of these blocks, that all threads run together and whose
// body has a barrier after all that it touches; but only for what was not touched before the loop,
// as that may have no iteration. All else that began earlier is alive in the next step, too.
//
// The body of a loop that all threads run together is a *sequence* of steps of its own, as the
// kernel is one, for what each iteration makes anew: an alloc in the body, or what it writes before
// it reads. No barrier need be between its last step and the first of the next iteration, nor
// between these and what is around the loop in the same step there. What is touched in the first or
// the last is alive in all of them.
//
// The steps of all sequences have numbers in one order: an outer step has the numbers of all that
// is inside of it.
//
// Any other barrier in an op whose control flow is uniform, the same for all threads, ends no
// step, which is safe: steps are only longer. One whose control flow is not might be met by some
// threads while the rest waits at one of ours, so such a kernel has no steps.

typedef struct stow_step_end {
  int64_t position; // of the barrier, or of the loop's end
  int64_t from;     // what is touched from here on has been done by all threads then
} stow_step_end;

typedef struct stow_sequence {
  MlirOperation op; // the kernel, or a loop
  int32_t parent;   // the sequence around; -1 for the kernel
  int64_t begin, end;
  STOW_ARRAY(stow_step_end) ends; // by position
} stow_sequence;

typedef struct stow_steps {
  STOW_ARRAY(stow_sequence) sequences; // the kernel, then its loops, by where they begin
  STOW_ARRAY(int64_t) cuts;            // positions of the ends of all
  stow_map regions; // ops with regions: 0 where threads may run them apart; 1 where they run them
                    // together, or 2 and the number of the sequence
  MlirOperation divergent; // a barrier that threads may not pass together, or null
} stow_steps;

// How often a position of the flow is in a loop of blocks, for each of its positions. Freed with
// free().
int32_t *stow_arena_block_loops(const stow_flow *flow);

// A gpu.func or gpu.launch whose body is a scope of the flow.
typedef struct stow_kernel {
  const stow_flow *flow;
  const stow_scope *scope;
  const int32_t *loops; // of blocks, by position
  stow_post_dominance *dominance;
} stow_kernel;

// Its steps. Linear. Freed with stow_steps_free.
stow_steps stow_steps_of(const stow_kernel *kernel);
void stow_steps_free(stow_steps *steps);

// Whether each run of a sequence passes an op in its own block exactly once.
bool stow_arena_is_passed_in(const stow_kernel *kernel, const stow_sequence *sequence,
                             MlirOperation op, int64_t position);

// Whether all threads have done in a sequence what they do at one position before any does what is
// at a later one.
bool stow_arena_are_in_steps(const stow_sequence *sequence, int64_t position, int64_t later);

// The innermost sequence whose op an op is inside of, where all threads run all between the two
// together; else -1.
int32_t stow_sequence_around(const stow_steps *steps, MlirOperation op);

// Whether threads may touch what is in such steps of a loop in one iteration while others touch it
// in the next one.
bool stow_arena_meets_itself(const stow_sequence *sequence, int64_t begin, int64_t last);

// Takes in the kernel's steps from a position on.
void stow_arena_add_steps_from(const stow_steps *steps, int64_t position, stow_live_pieces *pieces);

// Adds the steps of what is first touched at one position of a sequence and last at another, and
// made anew each time that it runs.
void stow_arena_add_steps_between(const stow_steps *steps, int32_t sequence, int64_t begin,
                                  int64_t last, stow_live_pieces *out);

// How many of an op's first operands decide how its regions run; -1: something else does.
intptr_t stow_arena_deciding_operands(MlirOperation op);
bool stow_arena_is_for(MlirOperation op); // scf.for or affine.for

//===----------------------------------------------------------------------===//
// anew.c: what each iteration of a loop writes before it reads
//===----------------------------------------------------------------------===//

// The first and the last position that touches a buffer, and the sequence in which that is so, and
// which reads nothing that an iteration before has left; else the sequence is -1.
typedef struct stow_anew {
  int32_t sequence;
  int64_t begin, last;
} stow_anew;

// Of a function's values.
typedef struct stow_names_used {
  const stow_flow *flow;
  stow_index uses, escapes; // by value
} stow_names_used;

stow_names_used stow_names_used_in(const stow_flow *flow);
void stow_names_used_free(stow_names_used *names);

// Of a buffer of the kernel's that does not get away, by its value in the flow.
stow_anew stow_arena_written_anew(const stow_names_used *names, const stow_steps *steps,
                                  int32_t value);

//===----------------------------------------------------------------------===//
// mbarriers.c: loads whose end an mbarrier tells
//===----------------------------------------------------------------------===//

// nvgpu.tma.async.load starts a load and returns. That the load is done, a thread knows from an
// mbarrier, an element of an nvgpu.mbarrier.group. This is its use that is understood:
//
//   one init for one arrival, in front of the rest with a barrier in between;
//   then *rounds*, each of one arrive.expect_tx and loads beside it, in one block, whose bytes are
//   the ones that it expects; and a wait in the own block of the kernel or of a loop that all
//   threads run together. Nothing else uses the element, and wait and round take turns.
//
// A round is one phase: with more arrivals than one, some schedule has two in a phase, which is
// undefined; without, its wait does not return. A wait for a parity returns where the last phase
// that ended has it. So it returns behind the end of its own round if the round before has ended
// and it asks for the parity of its number. The parity of the rounds so far is a constant, or a
// value that a loop carries and turns with each. The wait before this one, which each thread has
// passed, tells that the rounds before have ended, and what a round's loads count for.
//
// Any other load, a store of TMA, a copy that is not waited for, and what has a buffer's address as
// a pointer or a descriptor, may go on as long as the kernel runs, whatever its mbarriers say:
// where producers and consumers take turns, or an index or a count is not a constant. Such a buffer
// is alive from the step of its first use to the end of the kernel. No one has its address before
// that use. Nor does another workgroup, which may come there earlier: a load has no multicast mask,
// and where there are pointers, no op of the kernel is about memory of others (remote.c).
typedef struct stow_mbarriers {
  stow_map of_start;               // of ops that begin work: which they are
  STOW_ARRAY(int64_t) starts;      // their positions
  bool remote;                     // some op may be about memory of other workgroups
  stow_map of_load;                // of loads that are waited for: their elements
  STOW_ARRAY(int64_t) last_waits;  // by element: the position
  STOW_ARRAY(int64_t) after_fence; // positions; what was touched before may be loaded to from here
} stow_mbarriers;

// Of a kernel without barriers that threads may not pass together. Freed with stow_mbarriers_free.
stow_mbarriers stow_mbarriers_of(const stow_kernel *kernel, const stow_steps *steps);
void stow_mbarriers_free(stow_mbarriers *mbarriers);

// remote.c: whether an op surely is about memory of its own workgroup, or none that workgroups
// have.
bool stow_arena_is_local(MlirOperation op);

// Such work on one buffer. `begin`: from where on the buffer must be its own. `last`: the last
// wait, or the end of the kernel, where there is an `endless` op.
typedef struct stow_loads {
  int64_t first, begin, last;
  bool fenced; // some of it comes behind what threads have written by a fence only
  uint64_t alignment;
  MlirOperation endless;
} stow_loads;

// Whether all that keeps a buffer beyond the ops that are given it is such work, and there is
// some. `first`: where it is first touched.
bool stow_arena_is_loaded(const stow_mbarriers *mbarriers, const stow_names_used *used,
                          const stow_kernel *kernel, int32_t value, int64_t first, stow_loads *out);

#endif // STOWAGE_ARENA_WORKGROUP_H
