//===- loaded.c - a plan as a file holds it -------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "loaded.h"

#include "command.h"
#include "input.h"
#include "output.h"
#include "put.h"

#include <inttypes.h>
#include <stdio.h>

uint64_t tool_arena_bytes(const tool_instance *instance) {
  uint64_t tops[STOW_MAX_SPACES] = {0}, sum = 0;
  for (size_t i = 0; i < instance->count; i++) {
    uint64_t *const top = &tops[instance->space_count ? instance->placed[i] : 0];
    uint64_t end;
    if (__builtin_add_overflow(instance->offsets[i], instance->buffers[i].size, &end))
      end = UINT64_MAX;
    *top = end > *top ? end : *top;
  }
  for (size_t i = 0; i < STOW_MAX_SPACES; i++)
    if (__builtin_add_overflow(sum, tops[i], &sum))
      sum = UINT64_MAX;
  return sum;
}

// Ids come from a file, and are shown as such.
static void put_buffer(const char *before, const tool_instance *instance, size_t index) {
  const stow_sink sink = tool_file_sink(stderr);
  stow_put(sink, before);
  stow_put_all_shown(sink, tool_instance_id(instance, index));
}

static void print_pair(const tool_instance *instance, const stow_fault *fault, const char *what) {
  put_buffer("buffers ", instance, fault->first);
  put_buffer(" and ", instance, fault->second);
  fprintf(stderr, " %s\n", what);
}

static void print_misplaced(const tool_instance *instance, const stow_fault *fault,
                            uint64_t arena_size) {
  put_buffer("buffer ", instance, fault->first);
  if (fault->kind == STOW_FAULT_ALIGNMENT)
    fprintf(stderr, " lies at %" PRIu64 ", no multiple of its alignment %" PRIu64 "\n",
            instance->offsets[fault->first], instance->buffers[fault->first].alignment);
  else if (fault->kind == STOW_FAULT_SPACE)
    fputs(" is in a space it may not go to\n", stderr);
  else if (fault->kind != STOW_FAULT_ARENA_SIZE)
    fprintf(stderr, ": %s\n", stow_fault_name(fault->kind));
  else if (instance->space_count > 1)
    fputs(" ends past the capacity of its space\n", stderr);
  else
    fprintf(stderr, " ends past the arena's %" PRIu64 " bytes\n", arena_size);
}

static void print_fault(const tool_instance *instance, const char *source, const stow_fault *fault,
                        uint64_t arena_size) {
  fprintf(stderr, "%s: not a valid plan: ", source);
  if (fault->kind == STOW_FAULT_OVERLAP)
    print_pair(instance, fault, "are alive together and share bytes");
  else if (fault->kind == STOW_FAULT_COLOCATION)
    print_pair(instance, fault, "must start at the same offset and do not");
  else
    print_misplaced(instance, fault, arena_size);
}

static bool all_placed(const tool_instance *instance, const char *source) {
  const size_t unplaced = tool_instance_first_unplaced(instance);
  if (unplaced == instance->count)
    return true;
  fprintf(stderr, "%s: error: ", source);
  put_buffer("buffer ", instance, unplaced);
  fputs(" has no offset; expected one for every buffer\n", stderr);
  return false;
}

tool_exit tool_check_plan(const tool_instance *instance, const char *source, uint64_t capacity) {
  if (!all_placed(instance, source))
    return TOOL_BAD;
  const stow_problem problem = tool_instance_problem(instance, false);
  const uint64_t arena_size = capacity ? capacity : tool_arena_bytes(instance);
  stow_fault fault;
  const stow_status status =
      instance->space_count > 1
          ? stow_verify_spaces(&problem, instance->offsets, instance->placed, &fault)
          : stow_verify(&problem, instance->offsets, arena_size, &fault);
  if (status != STOW_OK)
    return tool_report_status(source, status);
  if (fault.kind != STOW_FAULT_NONE)
    print_fault(instance, source, &fault, arena_size);
  return fault.kind == STOW_FAULT_NONE ? TOOL_DONE : TOOL_NO;
}

static stow_status fill_result(const tool_instance *instance, stow_plan_result *result) {
  const stow_problem problem = tool_instance_problem(instance, false);
  const stow_status status = stow_lower_bound(&problem, &result->lower_bound);
  result->arena_size = tool_arena_bytes(instance);
  result->outcome = result->arena_size == result->lower_bound ? STOW_OPTIMAL : STOW_FEASIBLE;
  result->strategy = instance->strategy;
  return status;
}

static stow_status make_model(const char *source, const tool_options *options,
                              tool_loaded *loaded) {
  const tool_instance *const instance = &loaded->instance;
  const stow_status status = fill_result(instance, &loaded->result);
  const tool_plan_view view = {
      .title = "stowage map",
      .source = source,
      .instance = instance,
      .offsets = instance->offsets,
      .spaces = instance->placed,
      .result = &loaded->result,
      .capacity = options->capacity ? options->capacity : instance->arena_capacity,
  };
  return status == STOW_OK ? tool_model_make(&view, &loaded->model) : status;
}

bool tool_load_plan(const char *input, const tool_options *options, tool_loaded *out_loaded,
                    tool_exit *out_exit) {
  const char *const source = tool_source_name(input);
  *out_loaded = (tool_loaded){0};
  *out_exit = TOOL_BAD;
  if (!tool_load(input, options, &out_loaded->instance))
    return false;
  *out_exit = tool_check_plan(&out_loaded->instance, source, 0);
  if (*out_exit == TOOL_DONE) {
    const stow_status status = make_model(source, options, out_loaded);
    *out_exit = status == STOW_OK ? TOOL_DONE : tool_report_status(source, status);
  }
  if (*out_exit != TOOL_DONE)
    tool_instance_release(&out_loaded->instance);
  return *out_exit == TOOL_DONE;
}

void tool_loaded_release(tool_loaded *loaded) {
  tool_model_release(&loaded->model);
  tool_instance_release(&loaded->instance);
}
