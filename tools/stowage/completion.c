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

static const char shell_words[] = " bash zsh fish";

static bool has(const tool_command *command, const tool_option *option) {
  return option->commands & command->bit;
}

// The words that an option's value is one of, each after a blank; NULL: they are not known.
static const char *words_of(const tool_option *option) {
  if (option->kind == TOOL_STRATEGY || !strcmp(option->name, "strategies"))
    return strategy_words;
  if (!strcmp(option->name, "shape"))
    return shape_words;
  return strcmp(option->name, "to") ? NULL : " csv json";
}

// "strategies" takes some of its words, with commas between.
static bool takes_several(const tool_option *option) { return !strcmp(option->argument, "NAMES"); }

static bool is_file(const tool_option *option) { return !strcmp(option->argument, "FILE"); }

// Text inside of a shell's double quotes: none of it has a quote but "'".
static void print_escaped(const char *text) {
  for (; *text; text++) {
    if (strchr("\"\\$`", *text))
      putchar('\\');
    putchar(*text);
  }
}

static void print_quoted(const char *text) {
  putchar('"');
  print_escaped(text);
  putchar('"');
}

//===----------------------------------------------------------------------===//
// bash
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
  printf(" help man completion\" ;;\n    completion) words=\"%s\" ;;\n", shell_words + 1);
  for (size_t i = 0; i < tool_option_count; i++)
    if (words_of(&tool_option_table[i]))
      printf("    --%s) words=\"%s\" ;;\n", tool_option_table[i].name,
             words_of(&tool_option_table[i]));
  puts("  esac\n  [ -n \"$words\" ] || case \"$word\" in -*) case \"${COMP_WORDS[1]}\" in");
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
// zsh
//===----------------------------------------------------------------------===//

static void print_zsh_value(const tool_option *option) {
  const char *const words = words_of(option);
  if (words && takes_several(option))
    printf(":%s:_values -s , %s%s", option->argument, option->name, words);
  else if (words)
    printf(":%s:(%s)", option->argument, words + 1);
  else
    printf(":%s:%s", option->argument, is_file(option) ? "_files" : " ");
}

static void print_zsh_option(const tool_option *option) {
  const bool flag = !*option->argument;
  printf(" \\\n      \"--%s%s[", option->name, flag ? "" : "=");
  print_escaped(option->help);
  putchar(']');
  if (!flag)
    print_zsh_value(option);
  putchar('"');
}

static void print_zsh_command(const tool_command *command) {
  printf("    %s) _arguments", command->name);
  for (size_t i = 0; i < tool_option_count; i++)
    if (has(command, &tool_option_table[i]))
      print_zsh_option(&tool_option_table[i]);
  puts(*command->operands ? " \\\n      '*:FILE:_files' ;;" : " ;;");
}

static void print_zsh(void) {
  puts("#compdef stowage\n_stowage() {\n  local -a commands=(");
  for (size_t i = 0; i < TOOL_COMMAND_COUNT; i++) {
    printf("    \"%s:", tool_commands[i].name);
    print_escaped(tool_commands[i].help);
    puts("\"");
  }
  puts("  )\n  local -a others=(help man completion)\n"
       "  if ((CURRENT == 2)); then _describe command commands; compadd -a others; return; fi\n"
       "  shift words\n  ((CURRENT--))\n  case $words[1] in");
  for (size_t i = 0; i < TOOL_COMMAND_COUNT; i++)
    print_zsh_command(&tool_commands[i]);
  printf("    help|man) ((CURRENT == 2)) && _describe command commands ;;\n"
         "    completion) ((CURRENT == 2)) && compadd%s ;;\n  esac\n}\n",
         shell_words);
  // A file in fpath is the body of the function; otherwise it is read by a person's own command.
  puts("if [[ $funcstack[1] == _stowage ]]; then _stowage \"$@\"; else compdef _stowage stowage; "
       "fi");
}

//===----------------------------------------------------------------------===//
// fish
//===----------------------------------------------------------------------===//

static void print_fish_value(const tool_option *option) {
  const char *const words = words_of(option);
  if (words && takes_several(option))
    printf(" -x -a '(__fish_complete_list , \"string split \\\" \\\" \\\"%s\\\"\")'", words + 1);
  else if (words)
    printf(" -x -a '%s'", words + 1);
  else
    printf(is_file(option) ? " -rF" : " -x");
}

static void print_fish_option(const tool_command *command, const tool_option *option) {
  printf("complete -c stowage -n '__fish_seen_subcommand_from %s' -l %s", command->name,
         option->name);
  if (*option->argument)
    print_fish_value(option);
  fputs(" -d ", stdout);
  print_quoted(option->help);
  putchar('\n');
}

static void print_fish_command(const tool_command *command) {
  printf("complete -c stowage -n '__fish_use_subcommand || __fish_seen_subcommand_from help man' "
         "-a %s -d ",
         command->name);
  print_quoted(command->help);
  putchar('\n');
  if (*command->operands)
    printf("complete -c stowage -n '__fish_seen_subcommand_from %s' -F\n", command->name);
  for (size_t i = 0; i < tool_option_count; i++)
    if (has(command, &tool_option_table[i]))
      print_fish_option(command, &tool_option_table[i]);
}

static void print_fish(void) {
  puts("complete -c stowage -f\n"
       "complete -c stowage -n __fish_use_subcommand -a 'help man completion'");
  printf("complete -c stowage -n '__fish_seen_subcommand_from completion' -a '%s'\n",
         shell_words + 1);
  for (size_t i = 0; i < TOOL_COMMAND_COUNT; i++)
    print_fish_command(&tool_commands[i]);
}

bool tool_print_completion(const char *shell) {
  static const struct {
    const char *name;
    void (*print)(void);
  } shells[] = {{"bash", print_bash}, {"zsh", print_zsh}, {"fish", print_fish}};
  for (size_t i = 0; i < sizeof shells / sizeof *shells; i++)
    if (!strcmp(shell, shells[i].name)) {
      shells[i].print();
      return true;
    }
  return false;
}
