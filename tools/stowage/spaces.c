//===- spaces.c - the memories a buffer may go to -------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "spaces.h"

#include "number.h"
#include "put.h"

#include <stdio.h>
#include <string.h>

tool_space_status tool_find_or_add_space(tool_instance *instance, const char *name, size_t size,
                                         size_t *out_space) {
  *out_space = tool_instance_find_space(instance, name, size);
  if (*out_space < instance->space_count)
    return TOOL_SPACE_FOUND;
  if (instance->space_count == STOW_MAX_SPACES)
    return TOOL_SPACE_TOO_MANY;
  if (!tool_instance_text(instance, name, size, &instance->space_names[*out_space]))
    return TOOL_SPACE_NO_MEMORY;
  instance->spaces[*out_space] = (stow_space){.capacity = 0, .cost = 1};
  instance->space_count++;
  return TOOL_SPACE_FOUND;
}

static bool complain(const char *what, const char *text, size_t size) {
  fprintf(stderr, "stowage: error: --spaces: %s, found %s\n", what, tool_quote(text, size).text);
  return false;
}

// One part of a declaration, "NAME", "64KiB" or "10", copied so that it ends.
typedef struct part {
  char text[32];
} part;

static bool next_part(const char **at, const char *end, part *out_part) {
  const char *const colon = memchr(*at, ':', (size_t)(end - *at));
  const size_t size = (size_t)((colon ? colon : end) - *at);
  if (size >= sizeof out_part->text)
    return false;
  memcpy(out_part->text, *at, size);
  out_part->text[size] = '\0';
  *at += size + (colon != NULL);
  return true;
}

static bool declare(tool_instance *instance, const char *text, size_t size) {
  const char *at = text;
  part name, capacity, cost;
  size_t index;
  if (!next_part(&at, text + size, &name) || !next_part(&at, text + size, &capacity) ||
      !next_part(&at, text + size, &cost) || at != text + size || !*name.text)
    return complain("expected NAME:CAPACITY:COST", text, size);
  const size_t known = instance->space_count;
  if (tool_find_or_add_space(instance, name.text, strlen(name.text), &index) != TOOL_SPACE_FOUND ||
      index < known)
    return complain("expected at most 64 spaces of different names", text, size);
  if (*capacity.text && !stow_report_read_bytes(capacity.text, &instance->spaces[index].capacity))
    return complain("expected a capacity such as 64KiB", capacity.text, strlen(capacity.text));
  if (*cost.text && !stow_report_read_bytes(cost.text, &instance->spaces[index].cost))
    return complain("expected a cost per byte such as 10", cost.text, strlen(cost.text));
  return true;
}

bool tool_declare_spaces(tool_instance *instance, const char *text) {
  while (*text) {
    const size_t size = strcspn(text, ",");
    if (!declare(instance, text, size))
      return false;
    text += size + (text[size] == ',');
  }
  return true;
}
