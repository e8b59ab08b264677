//===- format.c - CSV or JSON, by name ------------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "format.h"

#include "csv_writer.h"
#include "json_writer.h"
#include "render.h"

#include <string.h>

// From the last dot on; "" where there is none, as in "-", "..", "/dev/stdout" or ".hidden".
static const char *ending_of(const char *name) {
  const char *const slash = strrchr(name, '/');
  const char *const last = slash ? slash + 1 : name;
  const char *const dot = strrchr(last, '.');
  return dot && strspn(last, ".") < (size_t)(dot + 1 - last) ? dot : "";
}

bool tool_check_ending(const char *command, const char *option, const char *name,
                       const char *ending) {
  const char *const found = ending_of(name);
  if (!*found || !strcmp(found, ending))
    return true;
  fprintf(stderr, "stowage %s: error: --%s: expected FILE%s, found '%s'; try 'stowage %s --help'\n",
          command, option, ending, name, command);
  return false;
}

// What the name of the output says, where --to says nothing.
static tool_format format_of_name(const char *name, tool_format preset) {
  const char *const ending = ending_of(name);
  if (!strcmp(ending, ".json"))
    return TOOL_FORMAT_JSON;
  if (!strcmp(ending, ".csv"))
    return TOOL_FORMAT_CSV;
  if (!*ending)
    return preset;
  fprintf(stderr,
          "stowage: error: --output: expected FILE.csv or FILE.json, found '%s'; --to says "
          "what to write into another\n",
          name);
  return TOOL_FORMAT_UNKNOWN;
}

tool_format tool_choose_format(const tool_options *options, tool_format preset) {
  const char *const said = options->format;
  if (!*said)
    return format_of_name(options->result, preset);
  if (!strcmp(said, "csv"))
    return TOOL_FORMAT_CSV;
  if (!strcmp(said, "json"))
    return TOOL_FORMAT_JSON;
  fprintf(stderr, "stowage: error: expected --to=csv or --to=json, found '%s'\n", said);
  return TOOL_FORMAT_UNKNOWN;
}

bool tool_check_csv(const tool_instance *instance, const char *source) {
  const char *const misfit = tool_csv_misfit(instance);
  if (misfit)
    fprintf(stderr, "%s: error: CSV cannot list the name %s: blanks end a name there; JSON can\n",
            source, tool_quote(misfit, strlen(misfit)).text);
  return !misfit;
}

bool tool_write_instance(const tool_instance *instance, const tool_options *options,
                         tool_format format) {
  tool_output output;
  if (!tool_output_open(options->result, &output))
    return false;
  const stow_sink sink = tool_file_sink(output.file);
  if (format == TOOL_FORMAT_JSON)
    tool_write_json(instance, sink);
  else
    tool_write_csv(instance, tool_instance_has_offsets(instance) ? instance->offsets : NULL,
                   instance->placed, sink);
  return tool_output_close(&output, true);
}
