//===- merge_alloc.c - merge-alloc, of functions or of a whole module -----===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where each function allocates its own arena, merge-alloc is the pipeline of src/arena.
// Otherwise that runs once per round. The module is cloned before, and given back where a
// round fails.
//
//===----------------------------------------------------------------------===//

#include "arena/dynamic.h"
#include "arena/framed.h"
#include "arena/hoist.h"
#include "frames/frames.h"

#include <assert.h>

typedef struct merge {
  stow_arenas *like; // the module, and options
  stow_frames frames;
  stow_splits splits;
  stow_symbol_names names;
  stow_spaces declared; // memory spaces whose callbacks are
  stow_reader *reader;
  stow_description *description;
  stow_tally tally;
} merge;

//===----------------------------------------------------------------------===//
// Options
//===----------------------------------------------------------------------===//

// Where no function is an entry point, nobody outside gives a frame, and every arena would still be
// allocated.
static bool refuse_without_entry(const stow_frames *frames) {
  const char *objection = NULL, *advice = NULL;
  for (size_t f = 0; f < frames->calls.function_count && !objection; ++f)
    if (!stow_bridge_is_private(frames->functions[f].function)) {
      objection = frames->functions[f].objection;
      advice = frames->functions[f].advice;
    }
  return stow_ir_refuse(mlirOperationGetLocation(frames->module),
                        "merge-alloc: arena needs an entry point, and no function is one: %s; %s",
                        objection ? objection : "none is public",
                        advice      ? advice
                        : objection ? "leave arena=alloc"
                                    : "make those public that are called from outside");
}

static bool has_entry(const stow_frames *frames) {
  for (size_t f = 0; f < frames->calls.function_count; ++f)
    if (frames->functions[f].entry)
      return true;
  return frames->calls.function_count == 0 || refuse_without_entry(frames);
}

static bool options_agree(const stow_arenas *arenas) {
  const char *why = stow_arena_why_not_options(&arenas->options);
  return why ? stow_ir_refuse(mlirOperationGetLocation(arenas->module), "%s: %s", arenas->pass, why)
             : stow_frames_entries_exist(arenas->module, &arenas->options);
}

//===----------------------------------------------------------------------===//
// A round
//===----------------------------------------------------------------------===//

// Its `backings` are freed with free().
static stow_framing framing_of(merge *m, size_t round) {
  const int32_t *of_round = m->frames.by_round.first;
  const int32_t *first = m->frames.by_round.items + of_round[round];
  const size_t count = (size_t)(of_round[round + 1] - of_round[round]);
  stow_backing *backings = stow_ir_allocate(count, sizeof *backings);
  for (size_t i = 0; i < count; ++i)
    backings[i] = m->frames.functions[first[i]].backing;
  return (stow_framing){.calls = &m->frames.calls,
                        .reader = m->reader,
                        .functions = first,
                        .backings = backings,
                        .count = count,
                        .names = &m->names,
                        .declared = &m->declared};
}

static char *bytes_text(const stow_arenas *arenas, const stow_arena *arena) {
  return arena->stackings.count > 0
             ? stow_arena_formula(arenas, arena)
             : stow_ir_format("%llu", (unsigned long long)arena->plan.arena_size);
}

// `what` is said of bytes.
static void remark_no_frame(const stow_arenas *arenas, const stow_arena *arena,
                            MlirLocation location, const char *what, const char *reason,
                            const char *advice) {
  if (!stow_remarks_enabled(mlirOperationGetContext(arenas->module)))
    return;
  char *bytes = bytes_text(arenas, arena);
  stow_text text = {0};
  stow_text_fill(&text, what, bytes);
  stow_remark_emit(&(stow_remark){
      .kind = STOW_REMARK_MISSED,
      .location = location,
      .category = arenas->pass,
      .name = "no-frame",
      .function = stow_bridge_function_name(stow_arena_function(arenas, arena)->flow.function),
      .text = text.data,
      .reason = reason,
      .suggestion = advice});
  free(bytes);
  free(text.data);
}

static void remark_stays(const stow_arenas *arenas, const stow_arena *arena, const char *reason,
                         const char *advice) {
  remark_no_frame(arenas, arena,
                  mlirOperationGetLocation(stow_arena_function(arenas, arena)->flow.function),
                  "its arena of %s bytes is allocated by each call of it", reason, advice);
}

// What is no part of its function's frame, at the first of its buffers.
static void remark_outside_frame(const stow_arenas *arenas, const stow_arena *arena) {
  const bool inside = !mlirRegionIsNull(arena->region);
  const bool asked = stow_backing_is(arena->backing, STOW_BACKING_IS_CALLED);
  size_t count;
  remark_no_frame(
      arenas, arena,
      mlirValueGetLocation(stow_arena_value(arenas, arena, stow_arena_tenants(arena, &count)[0])),
      asked ? "an arena of %s bytes that is taken apart from the function's begins with this buffer"
            : "an arena of %s bytes that is allocated begins with this buffer",
      inside ? "its size is known in a region inside of the function only"
             : "its size does not follow from the function's arguments alone",
      inside ? "allocate it in front of that"
             : "compute the size from dimensions of arguments, or set dynamic=bound");
}

static bool is_of_body(const stow_arena *arena) {
  return arena->scope == 0 && stow_arena_is_made(arena) && stow_backing_kind(arena->backing);
}

// An arena that cannot be where the others are is allocated.
static void leave_out(const stow_arenas *arenas, stow_arena *arena) {
  const char *advice = NULL;
  char *reason = stow_arena_why_not_arena(arenas, arena, &advice);
  if (!reason)
    return;
  arena->backing = STOW_BACKING_HEAP;
  remark_stays(arenas, arena, reason, advice);
  free(reason);
}

// Notes what the planned arenas of a function's body need from where they are.
static void note_need(const merge *m, const stow_arenas *arenas, stow_arena *arena) {
  const int32_t f =
      stow_map_get(&m->frames.calls.index, stow_arena_function(arenas, arena)->flow.function.ptr);
  assert(f >= 0); // the rounds rewrite the functions that were surveyed
  stow_framed *framed = &m->frames.functions[f];
  assert(!framed->objection || stow_backing_is(arena->backing, STOW_BACKING_IS_OWN));
  leave_out(arenas, arena);
  if (framed->objection)
    remark_stays(arenas, arena, framed->objection, framed->advice);
  if (arena->outside_frame)
    remark_outside_frame(arenas, arena);
  else if (!stow_backing_is(framed->backing, STOW_BACKING_IS_OWN))
    STOW_PUSH(framed->needs, (stow_need){.space = arena->memory_space,
                                         .bytes = arena->plan.arena_size,
                                         .alignment = stow_arena_alignment(arena),
                                         .measure = stow_measure_of(arenas, arena),
                                         .backing = arena->backing});
}

// An entry point has a frame also where it needs none: callers need not know. One that an earlier
// run planned keeps the frame that is told.
static void take_empty_frame(stow_framed *framed) {
  assert(framed->needs.count == 0);
  framed->entry = !framed->told;
  if (framed->told)
    return;
  STOW_PUSH(framed->needs, (stow_need){.bytes = 0, .alignment = 1, .backing = framed->backing});
  if (!stow_backing_is(framed->backing, STOW_BACKING_IS_PASSED))
    return;
  MlirLocation location = mlirOperationGetLocation(framed->function);
  const stow_builder builder = stow_builder_before(framed->function, location);
  stow_bridge_append_argument(framed->function,
                              stow_ir_bytes_type(&builder, 0, (MlirAttribute){NULL}), location);
}

static void finish_function(merge *m, int32_t f) {
  stow_framed *framed = &m->frames.functions[f];
  if (framed->entry && framed->needs.count == 0)
    take_empty_frame(framed);
  stow_frames_pass(framed);
  if (stow_backing_is(framed->backing, STOW_BACKING_IS_PASSED))
    stow_ir_read_again(m->reader, f);
}

static bool plan_round(merge *m, stow_arenas *arenas) {
  if (!stow_arena_plan_all(arenas))
    return false;
  for (size_t a = 0; a < arenas->arenas.count; ++a)
    if (is_of_body(&arenas->arenas.at[a]))
      note_need(m, arenas, &arenas->arenas.at[a]);
  if (!stow_arena_declare_callbacks(arenas))
    return false;
  if (arenas->options.report_count > 0) // it names all of the module's values, in each round
    stow_description_add(m->description, arenas);
  stow_tally_add(&m->tally, arenas);
  stow_arenas_remark(arenas, true);
  stow_arena_rewrite(arenas);
  return true;
}

static bool run_round(merge *m, size_t round) {
  const stow_framing framing = framing_of(m, round);
  stow_arenas arenas = *m->like;
  MlirOperation kept;
  arenas.framing = &framing;
  bool ok = stow_arena_hoist_parallel(&arenas, &kept) && plan_round(m, &arenas);
  stow_arenas_free(&arenas);
  stow_arena_give_back(arenas.module, kept, ok);
  for (size_t i = 0; i < framing.count && ok; ++i)
    finish_function(m, framing.functions[i]);
  free((void *)framing.backings);
  return ok;
}

//===----------------------------------------------------------------------===//
// All
//===----------------------------------------------------------------------===//

static bool write(merge *m) {
  stow_strings strings = {0};
  const stow_report_frames tree = stow_frame_tree(&m->frames, &strings);
  const bool ok = stow_description_write(m->description, m->like, &tree);
  for (size_t i = 0; i < strings.count; ++i)
    free(strings.at[i]);
  free(strings.at);
  free((void *)tree.at);
  return ok;
}

static void split(merge *m) {
  const stow_splits none = {0};
  m->frames = stow_frames_survey(m->like->module, &m->like->options, &none);
  m->splits = stow_split_entries(&m->frames, &m->names);
  if (m->splits.all.count == 0)
    return;
  stow_frames_free(&m->frames);
  m->frames = stow_frames_survey(m->like->module, &m->like->options, &m->splits);
}

static void describe_heaps(merge *m, void (*describe)(stow_description *, const stow_arenas *)) {
  if (m->like->options.report_count > 0)
    describe(m->description, m->like);
}

static bool run(merge *m) {
  describe_heaps(m, stow_description_heaps_before);
  split(m);
  if (!has_entry(&m->frames) || !stow_frames_move_results(&m->frames))
    return false;
  bool ok = true;
  m->reader = stow_reader_create(&m->frames.calls, m->like->options.unknown_ops, STOW_DEVICE_ALLOCS,
                                 m->like->options.dynamic);
  for (size_t round = 0; round < m->frames.rounds && ok; ++round)
    ok = run_round(m, round);
  if (ok)
    describe_heaps(m, stow_description_heaps_after);
  ok = ok && stow_frames_add_sizes(&m->frames, &m->splits, &m->names) && write(m) &&
       stow_frames_write_header(&m->frames, &m->splits);
  if (ok)
    stow_arena_tell_idle(&m->tally, m->like);
  return ok;
}

static bool run_in_frames(stow_arenas *arenas) {
  merge m = {.like = arenas,
             .names = stow_symbol_names_of(arenas->module),
             .description = stow_description_create()};
  MlirOperation kept = mlirOperationClone(arenas->module);
  const bool ok = run(&m);
  stow_reader_free(m.reader);
  stow_frames_free(&m.frames);
  stow_splits_free(&m.splits);
  stow_symbol_names_free(&m.names);
  free(m.declared.at);
  stow_description_free(m.description);
  stow_arena_give_back(arenas->module, kept, ok);
  return ok;
}

bool stow_merge_alloc(MlirOperation module, const stow_reuse_options *options) {
  stow_arenas arenas = {.module = module,
                        .pass = "merge-alloc",
                        .device = true,
                        .pool_alone = true,
                        .workgroups = true};
  stow_bridge_load_dialects(mlirOperationGetContext(module));
  if (!stow_arena_take_reuse_options(&arenas, options) || !options_agree(&arenas))
    return false;
  return stow_arena_place_is(arenas.options.arena, STOW_BACKING_IS_OWN) ? stow_arena_run(&arenas)
                                                                        : run_in_frames(&arenas);
}
