//===- man.c - the man pages, from the tables of options.h ----------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "about.h"
#include "shapes.h"

#include <stdio.h>
#include <string.h>

// Text that begins with a dot or a quote would be a request, and a hyphen would become a dash.
static void print_text(const char *text, size_t size) {
  if (size && (*text == '.' || *text == '\''))
    fputs("\\&", stdout);
  for (size_t i = 0; i < size; i++) {
    if (text[i] == '-' || text[i] == '\\')
      putchar('\\');
    putchar(text[i]);
    if (text[i] == '\n' && i + 1 < size && (text[i + 1] == '.' || text[i + 1] == '\''))
      fputs("\\&", stdout);
  }
}

static void print_string(const char *text) { print_text(text, strlen(text)); }

static void print_paragraphs(const char *text) {
  for (const char *end; *text; text = *end ? end + 2 : end) {
    end = strstr(text, "\n\n");
    end = end ? end : text + strlen(text);
    const bool example = *text == ' ';
    puts(example ? ".PP\n.EX" : ".PP");
    print_text(text, (size_t)(end - text));
    puts(example ? "\n.EE" : "");
  }
}

static void print_entry(const char *name, const char *argument, const char *help) {
  fputs(".TP\n\\fB", stdout);
  print_string(name);
  fputs("\\fR", stdout);
  if (*argument)
    printf("=\\fI%s\\fR", argument);
  putchar('\n');
  print_string(help);
  putchar('\n');
}

static void print_options(const tool_command *command) {
  puts(".SH OPTIONS");
  for (size_t i = 0; i < tool_option_count; i++) {
    const tool_option *const option = &tool_option_table[i];
    char name[64], help[320];
    if (!(option->commands & command->bit))
      continue;
    const bool preset = *option->preset && strcmp(option->preset, "0") != 0;
    snprintf(name, sizeof name, "--%s", option->name);
    snprintf(help, sizeof help, "%s%s%s%s", option->help, preset ? " (default: " : "",
             preset ? option->preset : "", preset ? ")" : "");
    print_entry(name, option->argument, help);
  }
}

static void print_lists(const tool_command *command) {
  if (command->bit & (TOOL_PLAN | TOOL_BENCH)) {
    puts(".SH STRATEGIES");
#define TOOL_MAN_STRATEGY(ENUM, NAME, HELP) print_entry(NAME, "", HELP);
    STOW_STRATEGIES(TOOL_MAN_STRATEGY)
#undef TOOL_MAN_STRATEGY
  }
  if (command->bit & TOOL_GEN) {
    puts(".SH SHAPES");
#define TOOL_MAN_SHAPE(NAME, FUNCTION, HELP) print_entry(NAME, "", HELP);
    TOOL_SHAPES(TOOL_MAN_SHAPE)
#undef TOOL_MAN_SHAPE
  }
}

static void print_exits(void) {
  puts(".SH EXIT STATUS");
#define TOOL_MAN_EXIT(ENUM, STATUS, MEANING) print_entry(#STATUS, "", MEANING);
  TOOL_EXITS(TOOL_MAN_EXIT)
#undef TOOL_MAN_EXIT
}

static void print_command_page(const tool_command *command) {
  printf(".TH STOWAGE\\-%s 1 \"\" \"stowage " STOWAGE_VERSION "\"\n.SH NAME\nstowage\\-%s \\- ",
         command->name, command->name);
  print_string(command->help);
  printf("\n.SH SYNOPSIS\n\\fBstowage %s\\fR [options]%s%s\n.SH DESCRIPTION\n", command->name,
         *command->operands ? " " : "", command->operands);
  print_paragraphs(tool_about(command));
  print_options(command);
  print_lists(command);
  print_exits();
  puts(".SH SEE ALSO\n\\fBstowage\\fR(1)");
}

static void print_tool_page(void) {
  puts(".TH STOWAGE 1 \"\" \"stowage " STOWAGE_VERSION "\"\n.SH NAME\n"
       "stowage \\- offline memory planning\n.SH SYNOPSIS\n"
       "\\fBstowage\\fR \\fICOMMAND\\fR [options] [\\fIFILE\\fR...]\n.SH DESCRIPTION");
  print_paragraphs(tool_about(NULL));
  puts(".SH COMMANDS");
  for (size_t i = 0; i < TOOL_COMMAND_COUNT; i++)
    print_entry(tool_commands[i].name, "", tool_commands[i].help);
  puts(".PP\nEach has a page of its own, such as \\fBstowage\\-plan\\fR(1).");
  print_exits();
}

void tool_print_man(const tool_command *command) {
  if (command)
    print_command_page(command);
  else
    print_tool_page();
}
