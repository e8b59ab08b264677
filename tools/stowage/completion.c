//===- completion.c - what a shell completes, from the tables of options.h ===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "options.h"

#include <stdio.h>
#include <string.h>

static const char strategy_words[] =
#define TOOL_WORD(ENUM, NAME, HELP) " " NAME
    STOW_STRATEGIES(TOOL_WORD)
#undef TOOL_WORD
    ;

static const char shape_words[] =
#define TOOL_WORD(NAME, FUNCTION, HELP) " " NAME
    TOOL_SHAPES(TOOL_WORD)
#undef TOOL_WORD
    ;

static bool has(const tool_command *command, const tool_option *option) {
  return option->commands & command->bit;
}

// A shell's word in quotes, for one line: none of the texts has a quote but "'".
static void print_quoted(const char *text) {
  putchar('"');
  for (; *text; text++) {
    if (strchr("\"\\$`", *text))
      putchar('\\');
    putchar(*text);
  }
  putchar('"');
}

//===----------------------------------------------------------------------===//
// bash, and zsh by its own emulation of it
//===----------------------------------------------------------------------===//

static void print_bash_words(const tool_command *command) {
  printf("    %s) words=\"", command->name);
  for (size_t i = 0; i < tool_option_count; i++)
    if (has(command, &tool_option_table[i]))
      printf(" --%s%s", tool_option_table[i].name, *tool_option_table[i].argument ? "=" : "");
  puts("\" ;;");
}

static void print_bash(void) {
  // Where "=" ends words: --strategy = NAME.
  puts("_stowage() {\n"
       "  local word=\"${COMP_WORDS[COMP_CWORD]}\" at=$((COMP_CWORD - 1)) words=\n"
       "  if [ \"$word\" = = ]; then word=; elif [ \"${COMP_WORDS[at]}\" = = ]; then at=$((at - "
       "1)); fi");
  fputs("  case \"${COMP_WORDS[at]}\" in\n    stowage|*/stowage|help|man) words=\"", stdout);
  for (size_t i = 0; i < TOOL_COMMAND_COUNT; i++)
    printf(" %s", tool_commands[i].name);
  printf(" help man completion\" ;;\n    completion) words=\"bash zsh fish\" ;;\n"
         "    --strategy|--strategies) words=\"%s\" ;;\n    --shape) words=\"%s\" ;;\n"
         "  esac\n  [ -n \"$words\" ] || case \"$word\" in -*) case \"${COMP_WORDS[1]}\" in\n",
         strategy_words, shape_words);
  for (size_t i = 0; i < TOOL_COMMAND_COUNT; i++)
    print_bash_words(&tool_commands[i]);
  puts("  esac ;; esac\n"
       "  if [ -n \"$words\" ]; then COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
       "  else COMPREPLY=($(compgen -f -- \"$word\")); fi\n"
       "  case \"${COMPREPLY[0]}\" in *=) compopt -o nospace 2>/dev/null ;; esac\n"
       "}\n"
       "complete -o filenames -F _stowage stowage");
}

//===----------------------------------------------------------------------===//
// fish
//===----------------------------------------------------------------------===//

static void print_fish_option(const tool_command *command, const tool_option *option) {
  printf("complete -c stowage -n '__fish_seen_subcommand_from %s' -l %s", command->name,
         option->name);
  if (!strcmp(option->name, "strategy"))
    printf(" -x -a '%s'", strategy_words + 1);
  else if (!strcmp(option->name, "shape"))
    printf(" -x -a '%s'", shape_words + 1);
  else if (*option->argument)
    fputs(" -r", stdout);
  fputs(" -d ", stdout);
  print_quoted(option->help);
  putchar('\n');
}

static void print_fish(void) {
  for (size_t i = 0; i < TOOL_COMMAND_COUNT; i++) {
    printf("complete -c stowage -n __fish_use_subcommand -a %s -d ", tool_commands[i].name);
    print_quoted(tool_commands[i].help);
    putchar('\n');
    for (size_t k = 0; k < tool_option_count; k++)
      if (has(&tool_commands[i], &tool_option_table[k]))
        print_fish_option(&tool_commands[i], &tool_option_table[k]);
  }
}

bool tool_print_completion(const char *shell) {
  const bool zsh = !strcmp(shell, "zsh");
  if (zsh)
    puts("#compdef stowage\nautoload -U bashcompinit && bashcompinit");
  if (zsh || !strcmp(shell, "bash"))
    print_bash();
  else if (!strcmp(shell, "fish"))
    print_fish();
  else
    return false;
  return true;
}
