//===- survey.c - who gets a frame from whom ------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires a module. Computes for each function where its frame comes from: itself, its callers, or
// a place that the options name, with the objection where it cannot be a caller; and rounds, so
// that a function's callees have theirs before it passes them on.
//
//===----------------------------------------------------------------------===//

#include "frames/frames.h"

#include "arena/framed.h"

#include <assert.h>
#include <string.h>

//===----------------------------------------------------------------------===//
// Options
//===----------------------------------------------------------------------===//

static const void *name_of(MlirOperation function) {
  return stow_attribute_of(function, "sym_name").ptr;
}

static bool is_asked_for(const stow_frames *frames, MlirOperation function) {
  return frames->options->public_entries || stow_map_get(&frames->asked, name_of(function)) >= 0;
}

static stow_map asked_names(MlirOperation module, const stow_reuse_options *options) {
  stow_symbol_names names = {.context = mlirOperationGetContext(module)};
  for (size_t i = 0; i < options->entry_count; ++i)
    stow_ir_take_name(&names, options->entries[i]);
  return names.taken;
}

static bool can_be_entry(MlirOperation op) {
  return stow_ir_is(op, STOW_FUNC_FUNC) && !stow_bridge_is_private(op) &&
         !mlirRegionIsNull(stow_bridge_function_body(op));
}

static stow_symbol_names possible_entries(MlirOperation module) {
  stow_symbol_names names = {.context = mlirOperationGetContext(module)};
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(module, 0));
  STOW_EACH_OP(op, body)
    if (can_be_entry(op))
      stow_map_note(&names.taken, name_of(op));
  return names;
}

bool stow_frames_entries_exist(MlirOperation module, const stow_reuse_options *options) {
  stow_symbol_names possible = possible_entries(module);
  const char *other = NULL;
  for (size_t i = 0; i < options->entry_count && !other; ++i)
    if (stow_ir_take_name(&possible, options->entries[i]))
      other = options->entries[i];
  stow_symbol_names_free(&possible);
  return !other ||
         stow_ir_refuse(mlirOperationGetLocation(module),
                        "merge-alloc: entries names '%s', which is no public func.func with "
                        "a body of this module",
                        other);
}

//===----------------------------------------------------------------------===//
// Mentions
//===----------------------------------------------------------------------===//

// Attributes by which LLVM believes that a call touches no memory, or some only. They hold no
// longer where the memory is the caller's.
static const char *const promises[] = {"llvm.readnone", "memory_effects"};

static bool promises_effects(MlirOperation op) {
  for (size_t i = 0; i < sizeof promises / sizeof *promises; ++i)
    if (stow_ir_has_attribute(op, promises[i]))
      return true;
  MlirAttribute passed = stow_attribute_of(op, "passthrough");
  if (mlirAttributeIsNull(passed))
    return false;
  char *text = stow_attribute_text(passed);
  const bool found = strstr(text, "\"memory\"") != NULL;
  free(text);
  return found;
}

// A call to which an argument can be added.
static bool is_plain_call(MlirOperation op) {
  return stow_ir_is(op, STOW_FUNC_CALL) && !stow_ir_has_attribute(op, "arg_attrs") &&
         !stow_ir_has_attribute(op, "res_attrs") && !promises_effects(op);
}

static void object(stow_framed *framed, const char *objection, const char *advice) {
  if (!framed->objection) {
    framed->objection = objection;
    framed->advice = advice;
  }
}

static void note_mention(void *user, MlirOperation op, MlirOperation symbol) {
  stow_frames *frames = user;
  const int32_t f =
      mlirOperationIsNull(symbol) ? -1 : stow_map_get(&frames->calls.index, symbol.ptr);
  if (f < 0)
    return;
  stow_framed *framed = &frames->functions[f];
  if (is_plain_call(op))
    STOW_PUSH(framed->calls, op);
  else if (stow_ir_is(op, STOW_FUNC_CONSTANT))
    object(framed, "its address is taken", "call it directly");
  else
    object(framed, "something else than a plain func.call mentions it", NULL);
}

static void note_mentions(stow_frames *frames) {
  if (stow_bridge_symbol_uses(frames->module, frames->calls.symbols, note_mention, frames))
    return;
  for (size_t f = 0; f < frames->calls.function_count; ++f)
    object(&frames->functions[f], "an op of the module may call functions that it does not name",
           NULL);
}

//===----------------------------------------------------------------------===//
// Frames
//===----------------------------------------------------------------------===//

static bool is_recursive(const stow_frames *frames, size_t f) {
  const stow_components *components = &frames->calls.components;
  const int32_t c = components->of_node[f];
  if (components->first[c + 1] - components->first[c] > 1)
    return true;
  const stow_op_list *calls = &frames->functions[f].calls;
  for (size_t i = 0; i < calls->count; ++i)
    if (stow_calls_caller(&frames->calls, calls->at[i]) == (int32_t)f)
      return true;
  return false;
}

static bool is_in_module(const stow_frames *frames, MlirOperation function) {
  return stow_ir_is(function, STOW_FUNC_FUNC) &&
         mlirOperationEqual(mlirOperationGetParentOperation(function), frames->module);
}

static bool is_wrapper(const stow_splits *splits, MlirOperation function) {
  return stow_map_get(&splits->wrappers, function.ptr) >= 0;
}

// Where an entry point was split for the arena to be an argument, the body's signature may change,
// and the wrapper's is kept.
static bool keeps_signature(const stow_frames *frames, const stow_splits *splits,
                            MlirOperation function) {
  return is_wrapper(splits, function) &&
         stow_arena_place_is(frames->options->arena, STOW_BACKING_IS_PASSED);
}

static bool is_changeable(const stow_frames *frames, const stow_splits *splits,
                          MlirOperation function) {
  if (stow_map_get(&splits->inners, function.ptr) >= 0)
    return true;
  if (keeps_signature(frames, splits, function))
    return false;
  return is_asked_for(frames, function);
}

static void settle_public(const stow_frames *frames, const stow_splits *splits,
                          stow_framed *framed) {
  framed->changeable = is_changeable(frames, splits, framed->function);
  if (stow_arena_place_is(frames->options->arena, STOW_BACKING_IS_PASSED) && !framed->changeable) {
    if (is_wrapper(splits, framed->function))
      object(framed, "keep-wrapper keeps its signature", "call the function that takes the arena");
    else
      object(framed, "it is public", "name it in entries, or set public");
    return;
  }
  framed->entry = true;
  framed->told = stow_map_get(&frames->told, name_of(framed->function)) >= 0;
  framed->backing = stow_backing_of_place(frames->options->arena);
}

static void object_to_place(const stow_frames *frames, stow_framed *framed) {
  const char *advice = NULL;
  const char *reason = stow_arena_why_not_function(framed->function, frames->options, &advice);
  if (reason)
    object(framed, reason, advice);
}

static void settle(const stow_frames *frames, const stow_splits *splits, size_t f) {
  stow_framed *framed = &frames->functions[f];
  framed->backing = STOW_BACKING_HEAP;
  framed->asked = !stow_bridge_is_private(framed->function) &&
                  (is_asked_for(frames, framed->function) ||
                   stow_map_get(&splits->inners, framed->function.ptr) >= 0) &&
                  !keeps_signature(frames, splits, framed->function);
  if (!is_in_module(frames, framed->function))
    object(framed, "it is no func.func of the module itself", NULL);
  else if (promises_effects(framed->function))
    object(framed, "it promises what memory it touches",
           "take off llvm.readnone, memory_effects or passthrough");
  else if (is_recursive(frames, f))
    object(framed, "it may call itself", NULL);
  else
    object_to_place(frames, framed);
  if (framed->objection)
    return;
  if (!stow_bridge_is_private(framed->function))
    settle_public(frames, splits, framed);
  else if (framed->calls.count > 0) {
    framed->changeable = true;
    framed->backing = STOW_BACKING_ARGUMENT;
  }
}

//===----------------------------------------------------------------------===//
// Rounds
//===----------------------------------------------------------------------===//

// A caller's round is after those of the functions it gives frames to. Components come callees
// first, so what a function calls has its round before it gives it on.
static void number_rounds(stow_frames *frames) {
  const stow_components *components = &frames->calls.components;
  frames->rounds = 1;
  for (size_t i = 0; i < frames->calls.function_count; ++i) {
    const stow_framed *callee = &frames->functions[components->members[i]];
    for (size_t k = 0;
         k < callee->calls.count && stow_backing_is(callee->backing, STOW_BACKING_IS_PASSED); ++k) {
      const int32_t caller = stow_calls_caller(&frames->calls, callee->calls.at[k]);
      if (caller < 0)
        continue;
      size_t *round = &frames->functions[caller].round;
      assert(caller != components->members[i]); // what calls itself has no frame
      *round = *round > callee->round ? *round : callee->round + 1;
      frames->rounds = *round < frames->rounds ? frames->rounds : *round + 1;
    }
  }
}

stow_frames stow_frames_survey(MlirOperation module, const stow_reuse_options *options,
                               const stow_splits *splits) {
  stow_frames frames = {.module = module, .options = options, .calls = stow_calls_of(module)};
  frames.asked = asked_names(module, options);
  frames.told = stow_frames_told_names(&frames.calls);
  frames.functions = stow_ir_allocate(frames.calls.function_count, sizeof *frames.functions);
  for (size_t f = 0; f < frames.calls.function_count; ++f)
    frames.functions[f].function = frames.calls.functions[f];
  note_mentions(&frames);
  for (size_t f = 0; f < frames.calls.function_count; ++f)
    settle(&frames, splits, f);
  number_rounds(&frames);
  frames.by_round = stow_index_of(STOW_COLUMN(frames.functions, frames.calls.function_count, round),
                                  frames.rounds);
  return frames;
}

void stow_frames_free(stow_frames *frames) {
  for (size_t f = 0; f < frames->calls.function_count; ++f) {
    stow_framed *framed = &frames->functions[f];
    for (size_t i = 0; i < framed->needs.count; ++i)
      stow_measure_free(&framed->needs.at[i].measure);
    free(framed->calls.at);
    free(framed->needs.at);
    free(framed->moved.at);
    free(framed->results.at);
  }
  free(frames->functions);
  stow_index_free(&frames->by_round);
  stow_map_free(&frames->asked);
  stow_map_free(&frames->told);
  stow_calls_free(&frames->calls);
}
