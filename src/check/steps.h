//===- steps.h - the steps of the checker ----------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// First those that fill the tables of program.h, callers first; then the rules. check_plan.c goes
// through them.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_CHECK_STEPS_H
#define STOWAGE_CHECK_STEPS_H

#include "check/program.h"

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

// build.c: a function as a control flow graph. Freed with stow_check_program_free.
void stow_check_program_read(stow_check_program *program);

// names.c: reads the sources, and finds origins and families. Once all else is read.
void stow_check_names_close(stow_check_program *program);

// cuts.c: gives views of choices their sources, for choices whose sources are sorted. Whether there
// are any.
bool stow_check_cuts_close(stow_check_program *program);

// effects.c: appends the events of `op`, but for those of its regions.
void stow_check_effects_add(stow_check_program *program, MlirOperation op, uint32_t facts);

// returns.c: which arguments of a call may be its result `result`, as bits; all from the 31st on
// are one.
uint32_t stow_check_returned_arguments(stow_check_program *program, MlirOperation call,
                                       intptr_t result);

// lent.c: whether a declared function lends the value; and whether an op may give such back.
bool stow_check_is_borrowed(const stow_check_program *program, MlirValue value);
bool stow_check_takes_back(const stow_check_program *program, MlirOperation op);

// What the function that lends a value was asked for, or -1 where that is not known.
enum stow_check_asked { STOW_CHECK_ASKED_BYTES, STOW_CHECK_ASKED_ALIGNMENT };
int64_t stow_check_lent(const stow_check_program *program, MlirValue value,
                        enum stow_check_asked asked);

// globals.c: the bytes of the global arena that the function called, or one that it calls, writes
// by views that it cuts. None where `arena` is no global.
stow_check_bytes stow_check_global_used(stow_check_program *program, MlirOperation call,
                                        MlirValue arena);

// The same of global arenas that threads have in common, as an event of the call: all views that
// these functions cut, each of which is a name.
void stow_check_globals_shared(stow_check_program *program, MlirOperation call);

// Whether any function of the module uses such an arena.
bool stow_check_any_global_shared(MlirOperation module);

// Whether a value is one of the function's, and not of one that it calls.
bool stow_check_is_of_program(const stow_check_program *program, MlirValue value);

// The functions that are called in an op, or by what is called there. Freed by the caller.
stow_op_set stow_check_called_in(MlirOperation around, stow_symbols *symbols);

// places.c: the name of the global that the value is, or null.
MlirAttribute stow_check_global_of(MlirValue value);

// places.c: whether it is memory of i8 that views are cut from.
bool stow_check_is_arena(MlirValue value);

// places.c: gives `value` a place if it is an arena, memory of i8 that views are cut from.
void stow_check_root_find(stow_check_program *program, MlirValue value);

// The same for the results of an op that only makes new names for memory. False for any other op.
bool stow_check_view_follow(stow_check_program *program, MlirOperation op);

// That a view of a choice is not compared with others.
void stow_check_remark_chosen(const stow_check_program *program, MlirOperation view);

// A name for a value that stands for one of others; its sources are added with
// stow_check_source_add. `node` brings it along its edges; where that is -1 it has an event.
int32_t stow_check_choice_add(stow_check_program *program, MlirValue value, int32_t node);

//===----------------------------------------------------------------------===//
// offsets.c: what byte offsets may be
//===----------------------------------------------------------------------===//

// An offset as an SSA value (or null) and a constant on top of it.
MlirValue stow_check_offset_split(MlirValue value, int64_t *out_constant);

typedef struct stow_check_range {
  int64_t least, most; // 0 <= least <= most
} stow_check_range;

// What an offset may be, as constants tell: those in it, and the bounds of loops around it.
// False where they do not.
bool stow_check_offset_range(MlirValue value, stow_check_range *out);

// Whether constant bounds allow a parallel loop one iteration at most.
bool stow_check_loop_runs_once(MlirOperation loop);

// Whether they make an scf.for run its body, with signed or unsigned numbers.
bool stow_check_loop_runs(MlirOperation loop);

//===----------------------------------------------------------------------===//
// fits.c: sizes, and whether a view fits where it is put
//===----------------------------------------------------------------------===//

// The bytes from the start of a value to its end; to FAR where that is not known. `parent` is what
// it is cut from, or null.
stow_check_bytes stow_check_extent_of_value(const stow_check_program *program, MlirValue value,
                                            MlirValue parent);

// The same as far as a type tells.
stow_check_bytes stow_check_extent_of(const stow_check_program *program, MlirType type);

// Bytes from one element to the next, or 0 where that is not known.
int64_t stow_check_element_size(const stow_check_program *program, MlirType type);

// Whether all bytes between its first and its last are its own.
bool stow_check_is_contiguous(MlirType type);

// The offset in the type's layout, in elements; false where it is not known.
bool stow_check_type_offset(MlirType type, int64_t *out_offset);

// Reports a carve that leaves its arena, or whose elements are not aligned.
void stow_check_fits_carve(stow_check_program *program, MlirOperation op, int32_t carve);

// Reports a memref.assume_alignment that does not hold of `place`.
void stow_check_fits_promise(stow_check_program *program, MlirOperation op, stow_check_place place);

// The same of what a function promises of its arguments, where `op` calls it.
void stow_check_fits_call(stow_check_program *program, MlirOperation op);

//===----------------------------------------------------------------------===//
// depends.c: what a value depends on
//===----------------------------------------------------------------------===//

bool stow_check_is_made_inside(MlirValue value, MlirOperation around);

// Whether it may depend on the iteration of `around`, which runs it; the operands of an op.
bool stow_check_value_varies(MlirValue value, MlirOperation around);
bool stow_check_op_varies(MlirOperation op, MlirOperation around);

// The gpu.launch around an op, or the function.
MlirOperation stow_check_kernel_of(MlirOperation op, MlirOperation function);

// Whether threads of a workgroup that run `kernel`, a function or gpu.launch, may have different
// ones.
bool stow_check_differs_by_thread(MlirValue value, MlirOperation kernel);

//===----------------------------------------------------------------------===//
// races.c: iterations that write the same bytes at once
//===----------------------------------------------------------------------===//

// Reports writes that iterations which may run at once do to the same bytes of an arena. Behind
// stow_check_pending_find.
void stow_check_races_find(stow_check_program *program);

//===----------------------------------------------------------------------===//
// barriers.c: threads that use the same bytes at once
//===----------------------------------------------------------------------===//

// Reports accesses through different views to the same bytes that the threads of a workgroup share,
// without a barrier between them. False where the effort does not suffice.
bool stow_check_barriers_find(stow_check_program *program);

//===----------------------------------------------------------------------===//
// pending.c: work that nothing has waited for
//===----------------------------------------------------------------------===//

// Finds accesses to bytes that work which may still run accesses through another view, and bodies
// of work that may run with those of earlier iterations. False where the effort does not suffice.
bool stow_check_pending_find(stow_check_program *program);

// Reports these accesses, where the rules before have not named the op. In clashes.c.
void stow_check_pending_report(stow_check_program *program);

//===----------------------------------------------------------------------===//
// channels.c: tasks that talk through channels
//===----------------------------------------------------------------------===//

// Simulates the tasks of each block with a channel, in so many steps at most, and reports the first
// access that is wrong or waits forever. `out_any` is set where there is a channel.
bool stow_check_channels_find(MlirOperation function, uint64_t most, bool *out_any);

//===----------------------------------------------------------------------===//
// launches.c: dynamic shared memory
//===----------------------------------------------------------------------===//

// Whether each launch of the module states as many bytes as its kernel's views need; reports
// others.
bool stow_check_launches_find(MlirOperation module, stow_symbols *symbols);

//===----------------------------------------------------------------------===//
// solve.c: what is needed where, and what destroys it
//===----------------------------------------------------------------------===//

typedef enum stow_check_fault_kind {
  STOW_CHECK_FAULT_CLOBBERED, // `by` writes through `other` what `written` wrote and `reader` reads
  STOW_CHECK_FAULT_USED,      // `reader` uses what `by` has freed
  STOW_CHECK_FAULT_FREED,     // `reader` frees what `by` has freed
} stow_check_fault_kind;

typedef struct stow_check_fault {
  stow_check_fault_kind kind;
  int32_t name, other;         // the view or arena; the view in its way
  int32_t by, written, reader; // ops
  stow_check_bytes bytes;      // of `name`
} stow_check_fault;

// False where the effort does not suffice. `out_faults` is sorted, and freed by the caller.
bool stow_check_faults_find(const stow_check_program *program, stow_check_fault **out_faults,
                            size_t *out_count);

//===----------------------------------------------------------------------===//
// report.c: faults as located errors
//===----------------------------------------------------------------------===//

void stow_check_report_faults(stow_check_program *program, const stow_check_fault *faults,
                              size_t count);
void stow_check_report_effort(stow_check_program *program);
void stow_check_report_leaks(const stow_check_program *program);

//===----------------------------------------------------------------------===//
// invariants.c: what is read is as the rules take it; nothing with NDEBUG
//===----------------------------------------------------------------------===//

#ifndef NDEBUG
void stow_check_assert_program(const stow_check_program *program);
#else
static inline void stow_check_assert_program(const stow_check_program *program) { (void)program; }
#endif

#endif // STOWAGE_CHECK_STEPS_H
