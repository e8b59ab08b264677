//===- help.c - --help, from the tables of options.h ----------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "about.h"
#include "shapes.h"

#include <stdio.h>
#include <string.h>

enum { LINE = 80, INDENT = 26 };

// Prints `text` from column `column` on, wrapped before LINE, continued at `indent`.
static void print_wrapped(const char *text, size_t column, size_t indent) {
  while (*text) {
    const size_t word = strcspn(text, " ");
    if (column + word > LINE && column > indent) {
      printf("\n%*s", (int)indent, "");
      column = indent;
    }
    printf("%.*s", (int)word, text);
    column += word;
    text += word;
    text += *text == ' ';
    if (*text && column + 1 + strcspn(text, " ") <= LINE) {
      putchar(' ');
      column++;
    } else if (*text) {
      column = LINE + 1;
    }
  }
  putchar('\n');
}

static void print_paragraphs(const char *text) {
  char paragraph[1024];
  for (const char *end; *text; text = *end ? end + 2 : end) {
    end = strstr(text, "\n\n");
    end = end ? end : text + strlen(text);
    snprintf(paragraph, sizeof paragraph, "%.*s", (int)(end - text), text);
    if (*paragraph == ' ')
      puts(paragraph);
    else
      print_wrapped(paragraph, 0, 0);
    putchar('\n');
  }
}

static void print_entry(const char *name, const char *help) {
  const int used = printf("  %s", name);
  const size_t column = used < INDENT - 1 ? (size_t)used : 0;
  if (!column)
    putchar('\n');
  printf("%*s", (int)(INDENT - column), "");
  print_wrapped(help, INDENT, INDENT);
}

static void print_option(const tool_option *option) {
  char name[64], help[256];
  snprintf(name, sizeof name, "--%s%s%s", option->name, *option->argument ? "=" : "",
           option->argument);
  const bool preset = *option->preset && strcmp(option->preset, "0") != 0;
  snprintf(help, sizeof help, "%s%s%s%s", option->help, preset ? " (default: " : "",
           preset ? option->preset : "", preset ? ")" : "");
  print_entry(name, help);
}

static void print_strategies(void) {
  puts("\nstrategies:");
#define TOOL_PRINT_STRATEGY(ENUM, NAME, HELP) print_entry(NAME, HELP);
  STOW_STRATEGIES(TOOL_PRINT_STRATEGY)
#undef TOOL_PRINT_STRATEGY
}

static void print_shapes(void) {
  puts("\nshapes:");
#define TOOL_PRINT_SHAPE(NAME, FUNCTION, HELP) print_entry(NAME, HELP);
  TOOL_SHAPES(TOOL_PRINT_SHAPE)
#undef TOOL_PRINT_SHAPE
}

static void print_command_help(const tool_command *command) {
  printf("usage: stowage %s [options]%s%s\n\n", command->name, *command->operands ? " " : "",
         command->operands);
  print_paragraphs(tool_about(command));
  puts("options:");
  bool strategies = false, shapes = false;
  for (size_t i = 0; i < tool_option_count; i++) {
    const tool_option *const option = &tool_option_table[i];
    if (!(option->commands & command->bit))
      continue;
    print_option(option);
    strategies |= option->kind == TOOL_STRATEGY || !strcmp(option->name, "strategies");
    shapes |= !strcmp(option->name, "shape");
  }
  if (strategies)
    print_strategies();
  if (shapes)
    print_shapes();
}

static void print_exits(void) {
  puts("\nexit status:");
#define TOOL_PRINT_EXIT(ENUM, STATUS, MEANING) print_entry(#STATUS, MEANING);
  TOOL_EXITS(TOOL_PRINT_EXIT)
#undef TOOL_PRINT_EXIT
}

static void print_tool_help(void) {
  puts("usage: stowage COMMAND [options] [FILE...]\n");
  print_paragraphs(tool_about(NULL));
  puts("commands:");
  for (size_t i = 0; i < TOOL_COMMAND_COUNT; i++)
    print_entry(tool_commands[i].name, tool_commands[i].help);
  print_exits();
  puts("\n'stowage COMMAND --help' says more, 'stowage man COMMAND' as a man page;\n'stowage "
       "completion SHELL' is for bash, zsh or fish.");
}

void tool_print_help(const tool_command *command) {
  if (command)
    print_command_help(command);
  else
    print_tool_help();
}
