//===- dynamic.h - arenas of buffers whose sizes are known at run time ----===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An arena is *dynamic* where the size of a planned member is a formula (ir/formula.h). Its plan is
// then the one for typical sizes; what holds for all sizes are *stackings* (stowage/stacking.h)
// made of plans for several sizes, of which the one that needs the fewest bytes is taken at run
// time.
//
//   sizes  --guard---> sizes     of branches and loops, as their scope sees them   guarded.c
//   arenas --sort----> arenas    what is known and certain to be allocated         dynamic.c
//          --plan----> offsets   for typical sizes                                 plan_arenas.c
//          --stack---> formulas  of the stackings of plans for several sizes       stackings.c
//          --join----> formulas  of an arena and the results that lend to it joint_stackings.c
//          --rewrite-> IR        arithmetic in front of the arena                  rewrite.c
//
// Each of the arenas that are planned together has *tenants*, all that may lie in it; from these
// follows where it is made and freed (lifetime.c). bound_heap.c bounds the heap in several
// cases: sizes, and branches taken or not.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_ARENA_DYNAMIC_H
#define STOWAGE_ARENA_DYNAMIC_H

#include "arena/arena.h"

// Whether some planned member of the arena has no known size.
bool stow_arena_is_dynamic(const stow_arenas *arenas, const stow_arena *arena);

// Makes the sizes of buffers in branches and loops count in all of their scope, where these are
// known in front of it (guarded.c).
void stow_arena_guard_sizes(stow_arenas *arenas);

// Gives buffers of unknown size, and results, a typical number of bytes.
void stow_arena_set_typical_sizes(stow_arenas *arenas);

// After the members were sorted into arenas: gives those of unknown size an arena of their own
// where their sizes are known later than others, or where they may not be allocated.
void stow_arena_sort_dynamic(stow_arenas *arenas);

// After a dynamic arena was planned for typical sizes: finds its stackings, and the offsets of each
// as formulas; none where there is no end to its sizes. False where one does not hold.
bool stow_arena_stack(const stow_arenas *arenas, stow_arena *arena);

// The same with the one stacking that its plan has.
bool stow_arena_stack_as_planned(const stow_arenas *arenas, stow_arena *arena);

// The same of an arena inside of something of `limit` bytes. False where for some sizes it could
// be larger.
bool stow_arena_stack_within(const stow_arenas *arenas, stow_arena *arena, stow_formula limit);

// A member's bytes as a formula.
stow_formula stow_arena_member_formula(const stow_arenas *arenas, const stow_arena *arena,
                                       size_t member);

// Whether formulas tell an arena's bytes. In a result that is taken together with an arena, that
// one's decide.
bool stow_arena_has_formula(const stow_arena *arena);

// "max(2048*n, 2048*m)": the bytes of a planned dynamic arena; "n=128, m=64": the sizes for which
// all its numbers are. Freed with free().
char *stow_arena_formula(const stow_arenas *arenas, const stow_arena *arena);
char *stow_arena_typical_text(const stow_arenas *arenas, const stow_arena *arena);

// The same, and all offsets, for a report: for those sizes it has the figures that the arena has.
// Freed with stow_arena_formulas_free. NULL where the arena has no stackings, or buffers of it lie
// in another for some sizes.
stow_report_formulas *stow_arena_formulas(const stow_arenas *arenas, const stow_arena *arena);
void stow_arena_formulas_free(stow_report_formulas *formulas);

// Whether each size that the options ask for (`at`) is a size of some function. False, with a
// located error that names those there are.
bool stow_arena_asked_sizes_exist(const stow_arenas *arenas);

// The value of a variable that typical figures are for.
int64_t stow_arena_typical_value(const stow_reuse_options *options, const stow_extents *extents,
                                 size_t variable);

// The value of each atom there is at those sizes. Freed with free().
int64_t *stow_arena_typical_atoms(const stow_reuse_options *options, const stow_extents *extents);

// The bytes of a planned dynamic arena, whichever of its stackings is taken.
stow_formula stow_arena_bytes(const stow_arenas *arenas, const stow_arena *arena);

// Sizes of a function's variables: typical ones where `sample` is 0, any below STOW_SAMPLES that
// plans are made for, and more from there on; bits are STOW_EITHER. One entry per variable.
enum { STOW_SAMPLES = 12 };
void stow_arena_sample_variables(const stow_extents *extents, size_t sample, int64_t *out_values);

// For one function and sample: the values of its variables, and of all atoms that were there when
// they were last asked for. What is made later is added, so that all arenas of a function together
// cost no more than its formulas.
typedef struct stow_sampled {
  STOW_ARRAY(int64_t) variables;
  STOW_ARRAY(int64_t) atoms;
} stow_sampled;

// The bytes of a member with the sizes of a sample, and all planned members of an arena with these.
// False where they are too many to count.
bool stow_sampled_bytes(const stow_arenas *arenas, const stow_arena *arena, size_t sample,
                        size_t member, uint64_t *out);
bool stow_arena_size_members(const stow_arenas *arenas, const stow_arena *arena, size_t sample,
                             stow_buffer *out);

// Stackings that compete: their bytes in each sample, and what the planner needs there.
typedef struct stow_rivals {
  const uint64_t (*bytes)[STOW_SAMPLES]; // per stacking
  const uint64_t *planned;
  size_t samples;
} stow_rivals;

// What one stacking more must save of the bytes of one sample, in the sum over all.
#define STOW_LEAST_GAIN 0.005

// How far the best of `chosen` stackings and `one` more are above the planner's bytes: the sum over
// all samples of the ratio.
double stow_arena_excess(const stow_rivals *choice, const size_t *chosen, size_t count, size_t one);

// joint_stackings.c. Of one arena, as it was before some of its members came to lie in results:
// `parts` are the arena and one part for each result, maybe empty. If other members should be in
// the results for other sizes, all parts get stackings, one of each for every plan; a part that no
// plan uses has no tenants. `allowed` has a bit per part for each planned member of `whole`: where
// it may be if it fits. The sizes of these results are known where the first memory is made.
void stow_arena_stack_jointly(const stow_arenas *arenas, const stow_arena *whole,
                              const uint64_t *allowed, stow_arena *parts, size_t part_count);

// The value of each atom there is. Valid until another formula is made.
const int64_t *stow_sampled_atoms(const stow_arenas *arenas, size_t function, size_t sample);

// Where a member of an arena lies, as values.
typedef struct stow_slice {
  MlirValue arena, offset, bytes;
} stow_slice;

// For tests: assertions that a member's alloc asks for no more bytes than its slice has, and that
// what arguments state holds, where a function begins.
void stow_arena_check_member_size(const stow_builder *builder, const stow_arenas *arenas,
                                  const stow_arena *arena, size_t member, const stow_slice *slice);
void stow_arena_check_stated_sizes(MlirOperation function);

#endif // STOWAGE_ARENA_DYNAMIC_H
