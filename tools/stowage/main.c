//===- main.c - the stowage command ---------------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "options.h"
#include "output.h"
#include "render.h"
#include "suggest.h"

#include <stdio.h>
#include <string.h>

static tool_exit run_command(const tool_command *command, const char **arguments, size_t count) {
  tool_options options;
  if (!tool_parse(command, arguments, count, &options))
    return TOOL_BAD;
  if (options.help) {
    tool_print_help(command);
    return TOOL_DONE;
  }
  return command->run(&options);
}

static bool is_one_of(const char *text, const char *first, const char *second) {
  return !strcmp(text, first) || !strcmp(text, second);
}

static bool is_input(const char *name) {
  return *name != '-' && (tool_has_suffix(name, ".csv") || tool_has_suffix(name, ".json"));
}

static tool_exit complain(const char *name) {
  if (is_input(name)) {
    fprintf(stderr, "stowage: error: no command '%s'; did you mean 'stowage plan %s'?\n", name,
            name);
    return TOOL_BAD;
  }
  tool_suggestion suggestion = tool_suggest(name, strlen(name));
  for (size_t i = 0; i < TOOL_COMMAND_COUNT; i++)
    tool_suggest_offer(&suggestion, tool_commands[i].name);
  fprintf(stderr, "stowage: error: no command '%s'", name);
  tool_suggest_end(&suggestion, "", "");
  return TOOL_BAD;
}

static bool asks_help(const char *text) {
  return is_one_of(text, "--help", "-h") || !strcmp(text, "-help");
}

// "stowage help plan", "stowage man", "stowage --help", "stowage man --help".
static tool_exit print_about(int argc, char **argv) {
  const bool help = argc > 2 && asks_help(argv[2]);
  const tool_command *const about = argc > 2 && !help ? tool_find_command(argv[2]) : NULL;
  if (argc > 2 && !help && !about)
    return complain(argv[2]);
  (help || strcmp(argv[1], "man") ? tool_print_help : tool_print_man)(about);
  return TOOL_DONE;
}

static tool_exit print_completion(const char *shell) {
  if (tool_print_completion(shell))
    return TOOL_DONE;
  fprintf(stderr, "stowage: error: expected 'stowage completion bash', zsh or fish, found '%s'\n",
          shell);
  return TOOL_BAD;
}

static tool_exit run(int argc, char **argv) {
  if (argc < 2) {
    tool_print_help(NULL);
    return TOOL_BAD;
  }
  if (asks_help(argv[1]) || is_one_of(argv[1], "help", "man"))
    return print_about(argc, argv);
  if (!strcmp(argv[1], "completion"))
    return print_completion(argc > 2 ? argv[2] : "");
  if (is_one_of(argv[1], "--version", "-version")) {
    puts("stowage " STOWAGE_VERSION);
    return TOOL_DONE;
  }
  const tool_command *const command = tool_find_command(argv[1]);
  if (command)
    return run_command(command, (const char **)argv + 2, (size_t)argc - 2);
  return complain(argv[1]);
}

// What did not reach standard output is not done, unless more than that has failed.
int main(int argc, char **argv) {
  tool_open_standard_streams();
  const tool_exit done = run(argc, argv);
  return done != TOOL_BAD && !tool_flush_stdout() ? TOOL_BAD : done;
}
