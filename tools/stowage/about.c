//===- about.c - what the commands are for, in sentences ------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "about.h"

static const char tool_text[] =
    "Plans memory ahead of time: given buffers with sizes and lifetimes, finds an offset for each "
    "in "
    "one arena, so that buffers alive at the same time do not overlap and the arena is small.\n\n"
    "A FILE is CSV or JSON; '-' is standard input. The CSV is minimalloc's: a header, then a row "
    "per buffer.\n\n"
    "  id,lower,upper,size\n"
    "  b1,0,3,4\n"
    "  b2,3,9,4\n\n"
    "A buffer is alive during [lower, upper). Names of the columns: id (buffer, buffer_id); lower "
    "(begin, start); upper, or end for the last point itself; size in bytes. Optional columns: "
    "alignment; gaps, such as '10-20 30-40@0:64', the second with the bytes that stay in use; "
    "offset, a required one (-1: none); hint, kept and not used; spaces and space; exclusive, "
    "colocated and may_colocate, ids of other buffers; name, op, layer, type and location, which "
    "tables and maps show.\n\n"
    "Options are written --name=value or --name value, with one dash or two; flags may have =true "
    "or "
    "=false. If an option is given twice, the last one counts. '--' ends the options.";

static const char plan_text[] =
    "Finds an offset for every buffer and prints the size of the arena, a lower bound for any "
    "plan, "
    "the buffers alive at the peak, and a map. Every plan is verified before it is shown.\n\n"
    "Without a capacity the arena is made as small as the effort allows: about a second of work, "
    "or up to five where the bound is not met, unless --effort is given. With a capacity the "
    "search ends at the first plan that fits, or "
    "when it is proven that none does; with --time-limit it ends at that time. If it ends without "
    "an answer, it says why. The effort is counted in steps, so the same command gives the same "
    "plan on any machine; only --time-limit and Ctrl-C make the result depend on the clock, and "
    "both keep the best plan found.\n\n"
    "The options of minimalloc are accepted; those that switch rules of its own search are "
    "ignored, "
    "with a note.";

static const char verify_text[] =
    "Checks that the offsets in FILE are a plan: no two buffers that are alive together share "
    "bytes, every offset is aligned, and everything is within the capacity where one is given. "
    "Prints the first fault there is.";

static const char bound_text[] = "Prints a lower bound for the arena of any plan: the most bytes "
                                 "alive at any one point, with the "
                                 "padding that alignment requires.";

static const char map_text[] =
    "Draws a plan: a rectangle per buffer, its lifetime from left to right and its bytes upwards. "
    "The "
    "HTML page is one file that needs no network; with --compare it switches between two plans.";

static const char convert_text[] = "Reads CSV or JSON and writes the other one, or the format that "
                                   "--to or the output's name selects.";

static const char bench_text[] =
    "Runs strategies on files and prints for each the arena, its ratio to the lower bound, the "
    "outcome, and the shortest time of several runs of planning and verifying.";

static const char gen_text[] = "Generates a planning problem from a seed. Only integers are "
                               "involved, so a seed gives the same file on every machine.";

static const char *const texts[TOOL_COMMAND_COUNT] = {
    [TOOL_NUMBER_PLAN] = plan_text,       [TOOL_NUMBER_VERIFY] = verify_text,
    [TOOL_NUMBER_BOUND] = bound_text,     [TOOL_NUMBER_MAP] = map_text,
    [TOOL_NUMBER_CONVERT] = convert_text, [TOOL_NUMBER_BENCH] = bench_text,
    [TOOL_NUMBER_GEN] = gen_text,
};

const char *tool_about(const tool_command *command) {
  return command ? texts[command - tool_commands] : tool_text;
}
