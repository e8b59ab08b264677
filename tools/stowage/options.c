//===- options.c - the command line's parser ------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "options.h"

#include "error.h"
#include "number.h"
#include "put.h"
#include "suggest.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

const tool_command tool_commands[] = {
#define TOOL_COMMAND_ROW(ENUM, NAME, FUNCTION, OPERANDS, HELP)                                     \
  {NAME, FUNCTION, OPERANDS, HELP, TOOL_##ENUM},
    TOOL_COMMANDS(TOOL_COMMAND_ROW)
#undef TOOL_COMMAND_ROW
};

const tool_option tool_option_table[] = {
#define TOOL_OPTION_ROW(FIELD, NAME, KIND, ARGUMENT, COMMANDS, DEFAULT, HELP)                      \
  {NAME, TOOL_##KIND, ARGUMENT, COMMANDS, DEFAULT, HELP, offsetof(tool_options, FIELD)},
    TOOL_OPTIONS(TOOL_OPTION_ROW)
#undef TOOL_OPTION_ROW
};

const size_t tool_option_count = sizeof tool_option_table / sizeof *tool_option_table;

const tool_command *tool_find_command(const char *name) {
  for (size_t i = 0; i < TOOL_COMMAND_COUNT; i++)
    if (!strcmp(tool_commands[i].name, name))
      return &tool_commands[i];
  return NULL;
}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

// An argument taken apart: "--name=value" or "-name=value".
typedef struct named {
  const char *name, *value; // value NULL: none
  size_t size;              // of the name
} named;

static named take_apart(const char *argument) {
  const char *const name = argument + (argument[1] == '-' ? 2 : 1);
  const size_t size = strcspn(name, "=");
  return (named){name, name[size] ? name + size + 1 : NULL, size};
}

static char dashed(char c) { return c == '_' ? '-' : c; }

// Underscores are as good as dashes.
static bool is_named(const named *argument, const char *name) {
  size_t i = 0;
  while (i < argument->size && dashed(argument->name[i]) == name[i])
    i++;
  return i == argument->size && !name[i];
}

// NULL where the command has no option of this name.
static const tool_option *find_option(const tool_command *command, const named *argument) {
  for (size_t i = 0; i < tool_option_count; i++) {
    const tool_option *const option = &tool_option_table[i];
    if ((option->commands & command->bit) && is_named(argument, option->name))
      return option;
  }
  return NULL;
}

// What stands after "no" or "no-"; where there is neither, nothing.
static named without_no(const named *argument) {
  if (argument->size < 3 || strncmp(argument->name, "no", 2))
    return (named){"", NULL, 0};
  const size_t cut = dashed(argument->name[2]) == '-' ? 3 : 2;
  return (named){argument->name + cut, argument->value, argument->size - cut};
}

// Options of minimalloc that switch rules of its own search: scripts may have them.
static bool is_passed_over(const tool_command *command, const named *argument) {
  static const char *const names[] = {
      "canonical-only",    "section-inference",     "dynamic-ordering",      "check-dominance",
      "unallocated-floor", "static-preordering",    "dynamic-decomposition", "monotonic-floor",
      "hatless-pruning",   "preordering-heuristics"};
  for (size_t i = 0; i < sizeof names / sizeof *names && command->bit == TOOL_PLAN; i++)
    if (is_named(argument, names[i]))
      return true;
  return false;
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

static bool is_one_of(const char *value, const char *const *words) {
  while (*words && strcasecmp(*words, value))
    words++;
  return *words;
}

static bool parse_flag(const char *value, bool *out_flag) {
  static const char *const yes[] = {"true", "yes", "t", "y", "1", NULL};
  static const char *const no[] = {"false", "no", "f", "n", "0", NULL};
  *out_flag = is_one_of(value, yes);
  return *out_flag || is_one_of(value, no);
}

// Stores `value` into the option's field. False where it is not of the option's kind.
static bool store(const tool_option *option, const char *value, tool_options *options) {
  void *const field = (char *)options + option->field;
  switch (option->kind) {
  case TOOL_FLAG:
    return parse_flag(value, field);
  case TOOL_BYTES:
    return stow_report_read_bytes(value, field);
  case TOOL_COUNT:
    return tool_parse_count(value, field);
  case TOOL_TIME:
    return tool_parse_microseconds(value, field);
  case TOOL_STRATEGY:
    return stow_strategy_parse(value, field);
  case TOOL_TEXT:
    *(tool_TEXT *)field = value;
    return true;
  }
  return false;
}

static void store_presets(tool_options *options) {
  for (size_t i = 0; i < tool_option_count; i++)
    if (tool_option_table[i].kind != TOOL_FLAG)
      store(&tool_option_table[i], tool_option_table[i].preset, options);
}

//===----------------------------------------------------------------------===//
// Complaints
//===----------------------------------------------------------------------===//

static bool complain_unknown(const tool_command *command, const char *argument) {
  const named parts = take_apart(argument);
  tool_suggestion suggestion = tool_suggest(parts.name, parts.size);
  for (size_t i = 0; i < tool_option_count; i++)
    if (tool_option_table[i].commands & command->bit)
      tool_suggest_offer(&suggestion, tool_option_table[i].name);
  fprintf(stderr, "stowage %s: error: unknown option %s", command->name,
          tool_quote(argument, strlen(argument)).text);
  tool_suggest_end(&suggestion, "--", command->name);
  return false;
}

static const char *const expected_value[] = {
    [TOOL_FLAG] = "true or false",
    [TOOL_BYTES] = "bytes such as 65536 or 64KiB",
    [TOOL_COUNT] = "a number such as 1000000 or 1e6",
    [TOOL_TIME] = "a time such as 2.5, 500ms, 1m30s or inf",
    [TOOL_TEXT] = "a value",
};

// Whether a count is a time, and the command has an option for times.
static bool is_time_limit(const tool_command *command, const tool_option *option,
                          const char *value) {
  const named limit = {"time-limit", NULL, strlen("time-limit")};
  uint64_t time;
  return option->kind == TOOL_COUNT && tool_parse_microseconds(value, &time) &&
         find_option(command, &limit);
}

static bool complain_value(const tool_command *command, const tool_option *option,
                           const char *value) {
  if (option->kind == TOOL_STRATEGY) {
    tool_complain_strategy(command->name, option->name, value, strlen(value));
    return false;
  }
  fprintf(stderr, "stowage %s: error: --%s: expected %s, found %s", command->name, option->name,
          expected_value[option->kind], tool_quote(value, strlen(value)).text);
  if (is_time_limit(command, option, value))
    fprintf(stderr, "; for a time there is --time-limit=%s", value);
  tool_suggest_end(&(tool_suggestion){0}, "", command->name);
  return false;
}

static bool complain_missing(const tool_command *command, const tool_option *option) {
  fprintf(stderr, "stowage %s: error: --%s: expected --%s=%s, found no value", command->name,
          option->name, option->name, option->argument);
  tool_suggest_end(&(tool_suggestion){0}, "", command->name);
  return false;
}

static bool note_passed_over(const tool_command *command, const char *argument) {
  fprintf(stderr, "stowage %s: note: %s is ignored: it is about minimalloc's own search\n",
          command->name, tool_quote(argument, strlen(argument)).text);
  return true;
}

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

static bool store_value(const tool_command *command, const tool_option *option, const char *value,
                        tool_options *options) {
  if (!value || (!*value && option->kind != TOOL_FLAG))
    return complain_missing(command, option);
  return store(option, value, options) || complain_value(command, option, value);
}

// What is no option as it stands: one of minimalloc's, or a flag with "no" before it.
static bool parse_other(const tool_command *command, const char *argument, const named *parts,
                        tool_options *options) {
  const named rest = without_no(parts);
  const tool_option *const opposite = find_option(command, &rest);
  if (opposite && opposite->kind == TOOL_FLAG && !parts->value)
    return store(opposite, "false", options);
  return is_passed_over(command, parts) || is_passed_over(command, &rest)
             ? note_passed_over(command, argument)
             : complain_unknown(command, argument);
}

// Reads the option at *at, and its value where that is the next argument.
static bool parse_option(const tool_command *command, const char **arguments, size_t count,
                         size_t *at, tool_options *options) {
  const named parts = take_apart(arguments[*at]);
  const tool_option *const option = find_option(command, &parts);
  if (!option)
    return parse_other(command, arguments[*at], &parts, options);
  if (parts.value)
    return store_value(command, option, parts.value, options);
  if (option->kind == TOOL_FLAG)
    return store(option, "true", options);
  return store_value(command, option, *at + 1 < count ? arguments[++*at] : NULL, options);
}

static bool is_operand(const char *argument) { return argument[0] != '-' || !argument[1]; }

bool tool_parse(const tool_command *command, const char **arguments, size_t count,
                tool_options *out_options) {
  *out_options = (tool_options){.inputs = arguments};
  store_presets(out_options);
  bool only_operands = false;
  for (size_t at = 0; at < count; at++) {
    const char *const argument = arguments[at];
    if (only_operands || is_operand(argument))
      arguments[out_options->input_count++] = argument;
    else if (!strcmp(argument, "--"))
      only_operands = true;
    else if (!strcmp(argument, "-h"))
      out_options->help = true;
    else if (!parse_option(command, arguments, count, &at, out_options))
      return false;
  }
  return true;
}
