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

tool_format tool_choose_format(const tool_options *options, tool_format preset) {
  const char *const said = options->format;
  if (!*said)
    return tool_has_suffix(options->result, ".json")  ? TOOL_FORMAT_JSON
           : tool_has_suffix(options->result, ".csv") ? TOOL_FORMAT_CSV
                                                      : preset;
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
