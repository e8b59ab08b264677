//===- options.h - commands and options, one line each --------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The two tables below are all there is to know about the command line: the parser,
// --help, the man pages and shell completion are made from them.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_TOOL_OPTIONS_H
#define STOWAGE_TOOL_OPTIONS_H

#include "shapes.h"
#include "stowage/plan.h"

#include <stdbool.h>

// One line per command: enumerator, name, function, operands, a line of help.
#define TOOL_COMMANDS(X)                                                                           \
  X(PLAN, "plan", tool_plan, "FILE", "give every buffer an offset in one small arena")             \
  X(VERIFY, "verify", tool_verify, "FILE", "check the offsets in a file")                          \
  X(BOUND, "bound", tool_bound, "FILE...", "print a lower bound for the arena of any plan")        \
  X(MAP, "map", tool_map, "FILE", "draw the plan in a file: terminal, SVG or HTML")                \
  X(CONVERT, "convert", tool_convert, "FILE", "turn CSV into JSON, or JSON into CSV")              \
  X(BENCH, "bench", tool_bench, "FILE...", "time strategies on files, and print a table")          \
  X(GEN, "gen", tool_gen, "", "generate a planning problem from a seed")

typedef enum tool_command_bit {
#define TOOL_COMMAND_NUMBER(ENUM, NAME, FUNCTION, OPERANDS, HELP) TOOL_NUMBER_##ENUM,
  TOOL_COMMANDS(TOOL_COMMAND_NUMBER)
#undef TOOL_COMMAND_NUMBER
      TOOL_COMMAND_COUNT,
#define TOOL_COMMAND_BIT(ENUM, NAME, FUNCTION, OPERANDS, HELP)                                     \
  TOOL_##ENUM = 1 << TOOL_NUMBER_##ENUM,
  TOOL_COMMANDS(TOOL_COMMAND_BIT)
#undef TOOL_COMMAND_BIT
      TOOL_ALL = (1 << TOOL_COMMAND_COUNT) - 1,
} tool_command_bit;

// The commands that read instances.
#define TOOL_READERS (TOOL_PLAN | TOOL_VERIFY | TOOL_BOUND | TOOL_MAP | TOOL_CONVERT | TOOL_BENCH)

// One line per option: field, name, kind, what its argument is called, commands that have it, value
// where it is not given, help. The kinds are the types below.
#define TOOL_OPTIONS(X)                                                                            \
  X(capacity, "capacity", BYTES, "BYTES", TOOL_PLAN | TOOL_VERIFY | TOOL_MAP | TOOL_BENCH, "0",    \
    "the bytes that the arena may have, such as 65536 or 64KiB; 0: any")                           \
  X(strategy, "strategy", STRATEGY, "NAME", TOOL_PLAN, "auto",                                     \
    "how to look for a plan; the list is below")                                                   \
  X(strategies, "strategies", TEXT, "NAMES", TOOL_BENCH, "all",                                    \
    "which strategies to time, with commas between; the list is below")                            \
  X(runs, "runs", COUNT, "N", TOOL_BENCH, "3", "time each this often and keep the shortest")       \
  X(output, "output", TEXT, "FILE", TOOL_PLAN, "",                                                 \
    "write the plan as CSV; '-' is standard output")                                               \
  X(drawing, "output", TEXT, "FILE", TOOL_MAP, "",                                                 \
    "FILE.html, FILE.svg, or '-' for the terminal (the default)")                                  \
  X(table, "output", TEXT, "FILE", TOOL_BENCH, "", "write the table as CSV too")                   \
  X(result, "output", TEXT, "FILE", TOOL_GEN | TOOL_CONVERT, "-",                                  \
    "FILE.csv or FILE.json; '-' is standard output")                                               \
  X(format, "to", TEXT, "FORMAT", TOOL_GEN | TOOL_CONVERT, "",                                     \
    "csv or json, if the name of the output does not say; convert writes by default the one that " \
    "the input is not")                                                                            \
  X(json, "json", TEXT, "FILE", TOOL_PLAN, "", "write all that is known about the plan as JSON")   \
  X(map, "map", TEXT, "FILE", TOOL_PLAN, "",                                                       \
    "draw the memory map into FILE.html or FILE.svg; 'none': no map on the terminal either")       \
  X(compare, "compare", TEXT, "FILE", TOOL_PLAN | TOOL_MAP, "",                                    \
    "a second plan of the same buffers, or a second report, for the HTML map to compare with")     \
  X(ignore_offsets, "ignore-offsets", FLAG, "",                                                    \
    TOOL_PLAN | TOOL_BOUND | TOOL_CONVERT | TOOL_BENCH, "",                                        \
    "ignore the offsets in the input; without this option they are kept")                          \
  X(arena, "arena", COUNT, "N", TOOL_READERS, "0",                                                 \
    "of a JSON file with several arenas, the one to read, counted from 1")                         \
  X(spaces, "spaces", TEXT, "LIST", TOOL_READERS, "",                                              \
    "memory spaces to choose from, NAME:CAPACITY:COST,...; cheap ones are filled first")           \
  X(effort, "effort", COUNT, "STEPS", TOOL_PLAN | TOOL_BENCH, "0",                                 \
    "how much work to put in, such as 1e9; the same steps give the same plan on any machine; 0: "  \
    "about a second, but without limit if there is a time limit, or in plan a capacity")           \
  X(time_limit, "time-limit", TIME, "TIME", TOOL_PLAN | TOOL_BENCH, "0",                           \
    "stop after 2.5, 500ms or 1m30s with the best plan so far; 0 or inf: never")                   \
  X(timeout, "timeout", TIME, "TIME", TOOL_PLAN, "0", "the same as --time-limit")                  \
  X(threads, "threads", COUNT, "N", TOOL_PLAN | TOOL_BENCH, "1",                                   \
    "how many threads may work; the plan does not depend on it")                                   \
  X(explain, "explain", FLAG, "", TOOL_PLAN, "",                                                   \
    "if the capacity is too small, name a set of buffers that does not fit")                       \
  X(input, "input", TEXT, "FILE", TOOL_PLAN, "", "the same as naming FILE alone")                  \
  X(print_solution, "print-solution", FLAG, "", TOOL_PLAN, "",                                     \
    "print the plan as CSV on standard output, besides --output")                                  \
  X(minimize_capacity, "minimize-capacity", FLAG, "", TOOL_PLAN, "",                               \
    "make the arena as small as possible even if there is a capacity")                             \
  X(validate, "validate", FLAG, "", TOOL_PLAN, "", "accepted for scripts; every plan is verified") \
  X(quiet, "quiet", FLAG, "", TOOL_PLAN | TOOL_VERIFY, "", "print no table and no progress")       \
  X(shape, "shape", TEXT, "NAME", TOOL_GEN, "random", TOOL_SHAPE_NAMES "; the list is below")      \
  X(buffers, "buffers", COUNT, "N", TOOL_GEN, "1000", "how many")                                  \
  X(seed, "seed", COUNT, "N", TOOL_GEN, "1", "the same seed gives the same instance anywhere")     \
  X(alignment, "alignment", BYTES, "BYTES", TOOL_GEN, "0", "give every buffer this alignment")     \
  X(help, "help", FLAG, "", TOOL_ALL, "", "print this and stop")

typedef bool tool_FLAG;
typedef uint64_t tool_BYTES;
typedef uint64_t tool_COUNT;
typedef uint64_t tool_TIME; // microseconds
typedef const char *tool_TEXT;
typedef stow_strategy tool_STRATEGY;

typedef struct tool_options {
#define TOOL_OPTION_FIELD(FIELD, NAME, KIND, ARGUMENT, COMMANDS, DEFAULT, HELP) tool_##KIND FIELD;
  TOOL_OPTIONS(TOOL_OPTION_FIELD)
#undef TOOL_OPTION_FIELD
  const char **inputs; // the operands
  size_t input_count;
} tool_options;

// What a process says when it ends. One line per exit: enumerator, status, meaning.
#define TOOL_EXITS(X)                                                                              \
  X(DONE, 0, "done; the outcome says whether a plan is proven to be the smallest")                 \
  X(NO, 1, "infeasible, which is proven; of verify and map: not a valid plan")                     \
  X(BAD, 2, "an error: bad input, a bad command line, or an output that cannot be written")        \
  X(STOPPED, 3, "interrupted or out of time, with the best plan found written")                    \
  X(UNKNOWN, 4, "no plan found within the effort or the time, and none proven impossible")

typedef enum tool_exit {
#define TOOL_EXIT_VALUE(ENUM, STATUS, MEANING) TOOL_##ENUM = STATUS,
  TOOL_EXITS(TOOL_EXIT_VALUE)
#undef TOOL_EXIT_VALUE
} tool_exit;

typedef tool_exit tool_run(const tool_options *options);

typedef struct tool_command {
  const char *name;
  tool_run *run;
  const char *operands;
  const char *help;
  unsigned bit;
} tool_command;

// The table above as an array of TOOL_COMMAND_COUNT, and one of them by name or NULL.
extern const tool_command tool_commands[];
const tool_command *tool_find_command(const char *name);

#define TOOL_DECLARE(ENUM, NAME, FUNCTION, OPERANDS, HELP) tool_run FUNCTION;
TOOL_COMMANDS(TOOL_DECLARE)
#undef TOOL_DECLARE

typedef enum tool_kind {
  TOOL_FLAG,
  TOOL_BYTES,
  TOOL_COUNT,
  TOOL_TIME,
  TOOL_TEXT,
  TOOL_STRATEGY
} tool_kind;

typedef struct tool_option {
  const char *name;
  tool_kind kind;
  const char *argument;
  unsigned commands;
  const char *preset;
  const char *help;
  size_t field; // offset in tool_options
} tool_option;

extern const tool_option tool_option_table[];
extern const size_t tool_option_count;

// Reads the arguments of one command. Operands are gathered at the front of `arguments`, which is
// rearranged. On false a message has been printed.
bool tool_parse(const tool_command *command, const char **arguments, size_t count,
                tool_options *out_options);

// Prints the help of a command, or of the whole tool where `command` is NULL, on standard output.
void tool_print_help(const tool_command *command);

// The same as a man page in roff.
void tool_print_man(const tool_command *command);

// What "bash", "zsh" or "fish" completes; false for another shell.
bool tool_print_completion(const char *shell);

#endif // STOWAGE_TOOL_OPTIONS_H
