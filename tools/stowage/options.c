//===- options.c - the command line's parser ------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "options.h"

#include "number.h"
#include "suggest.h"

#include <stdio.h>
#include <string.h>

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

// The option `argument` names, up to its "=" or its end; NULL where the command has none such.
static const tool_option *find_option(const tool_command *command, const char *argument) {
  const char *const name = argument + 2;
  const size_t size = strcspn(name, "=");
  for (size_t i = 0; i < tool_option_count; i++) {
    const tool_option *const option = &tool_option_table[i];
    if ((option->commands & command->bit) && strlen(option->name) == size &&
        !strncmp(option->name, name, size))
      return option;
  }
  return NULL;
}

static bool parse_count(const char *text, uint64_t *out_count) {
  bool fits;
  const size_t size = strlen(text);
  return size && tool_scan_unsigned(text, size, out_count, &fits) == size && fits;
}

// Stores `value` into the option's field. False where it is not of the option's kind.
static bool store(const tool_option *option, const char *value, tool_options *options) {
  void *const field = (char *)options + option->field;
  switch (option->kind) {
  case TOOL_FLAG:
    *(tool_FLAG *)field = true;
    return true;
  case TOOL_BYTES:
    return tool_parse_bytes(value, field);
  case TOOL_COUNT:
    return parse_count(value, field);
  case TOOL_TIME:
    return tool_parse_milliseconds(value, field);
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

static bool complain_with(const tool_command *command, const char *what, const char *argument,
                          const tool_suggestion *suggestion, const char *prefix) {
  fprintf(stderr, "stowage %s: error: %s '%s'", command->name, what, argument);
  tool_suggest_end(suggestion, prefix, command->name);
  return false;
}

static bool complain(const tool_command *command, const char *what, const char *argument) {
  return complain_with(command, what, argument, &(tool_suggestion){0}, "");
}

static bool complain_unknown(const tool_command *command, const char *argument) {
  const char *const name = argument + strspn(argument, "-");
  tool_suggestion suggestion = tool_suggest(name, strcspn(name, "="));
  for (size_t i = 0; i < tool_option_count; i++)
    if (tool_option_table[i].commands & command->bit)
      tool_suggest_offer(&suggestion, tool_option_table[i].name);
  return complain_with(command, "unknown option", argument, &suggestion, "--");
}

static bool complain_strategy(const tool_command *command, const char *name) {
  const tool_suggestion suggestion = tool_suggest_strategy(name, strlen(name));
  return complain_with(command, "no such strategy:", name, &suggestion, "");
}

static const char *expected_value(tool_kind kind) {
  switch (kind) {
  case TOOL_BYTES:
    return "expected bytes such as 65536 or 64KiB, found";
  case TOOL_COUNT:
    return "expected a number, found";
  case TOOL_TIME:
    return "expected a time such as 2.5, 500ms or 1m, found";
  case TOOL_STRATEGY:
  case TOOL_FLAG:
  case TOOL_TEXT:
    break;
  }
  return "unexpected";
}

// Reads the option at *at, and its value where that is the next argument.
static bool parse_option(const tool_command *command, const char **arguments, size_t count,
                         size_t *at, tool_options *options) {
  const char *const argument = arguments[*at];
  const tool_option *const option = find_option(command, argument);
  if (!option)
    return complain_unknown(command, argument);
  const char *const equals = strchr(argument, '=');
  if (option->kind == TOOL_FLAG && equals)
    return complain(command, "this option takes no value:", argument);
  const bool missing = equals ? !equals[1] : *at + 1 == count;
  if (option->kind != TOOL_FLAG && missing)
    return complain(command, "a value is missing after", argument);
  const char *const value = equals ? equals + 1 : option->kind == TOOL_FLAG ? "" : arguments[++*at];
  if (store(option, value, options))
    return true;
  return option->kind == TOOL_STRATEGY ? complain_strategy(command, value)
                                       : complain(command, expected_value(option->kind), value);
}

static bool is_option(const char *argument) { return argument[0] == '-' && argument[1] == '-'; }

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
    else if (!is_option(argument))
      return complain_unknown(command, argument);
    else if (!parse_option(command, arguments, count, &at, out_options))
      return false;
  }
  return true;
}
