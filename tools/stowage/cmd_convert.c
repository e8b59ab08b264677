//===- cmd_convert.c - stowage convert ------------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "command.h"
#include "format.h"
#include "input.h"
#include "output.h"
#include "put.h"

static void forget_offsets(tool_instance *instance) {
  for (size_t i = 0; i < instance->count; i++)
    instance->offsets[i] = STOW_ANY_OFFSET;
}

static bool has_limits(const tool_instance *instance) {
  bool found = instance->arena_capacity != 0;
  for (size_t i = 0; i < instance->space_count; i++)
    found |= instance->spaces[i].capacity || instance->spaces[i].cost != 1;
  return found;
}

// The options that say again what the columns cannot.
static void print_limits(const tool_instance *instance, const char *source) {
  const stow_sink sink = tool_file_sink(stderr);
  fprintf(stderr, "%s: note: CSV has no place for capacities; its readers take them as", source);
  if (instance->arena_capacity)
    fprintf(stderr, " --capacity=%llu", (unsigned long long)instance->arena_capacity);
  for (size_t i = 0; i < instance->space_count; i++) {
    const stow_space *const space = &instance->spaces[i];
    stow_report_put(sink, i ? "," : " --spaces=");
    stow_report_put_all_shown(sink, tool_instance_string(instance, instance->space_names[i]));
    fprintf(stderr, ":%llu:%llu", (unsigned long long)space->capacity,
            (unsigned long long)space->cost);
  }
  fputc('\n', stderr);
}

static bool check_csv(const tool_instance *instance, const char *source) {
  if (!tool_check_csv(instance, source))
    return false;
  if (has_limits(instance))
    print_limits(instance, source);
  return true;
}

tool_exit tool_convert(const tool_options *options) {
  const char *const input = tool_single_input(options);
  tool_instance instance;
  if (!input || !tool_load(input, options, &instance))
    return TOOL_BAD;
  const tool_format opposite = instance.from_json ? TOOL_FORMAT_CSV : TOOL_FORMAT_JSON;
  const tool_format format = tool_choose_format(options, opposite);
  if (options->ignore_offsets)
    forget_offsets(&instance);
  const bool done = format != TOOL_FORMAT_UNKNOWN &&
                    (format != TOOL_FORMAT_CSV || check_csv(&instance, tool_source_name(input))) &&
                    tool_write_instance(&instance, options, format);
  tool_instance_release(&instance);
  return done ? TOOL_DONE : TOOL_BAD;
}
