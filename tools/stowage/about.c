//===- about.c - what the commands are for, in sentences ------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "about.h"

static const char tool_text[] =
    "Plans memory offline: given buffers with sizes and lives, finds an offset for each in one "
    "arena, so that buffers alive at the same time do not overlap and the arena is small.\n\n"
    "A FILE is CSV or JSON; '-' is standard input. The CSV is minimalloc's: a header, then a row "
    "per buffer.\n\n"
    "  id,lower,upper,size\n"
    "  b1,0,3,4\n"
    "  b2,3,9,4\n\n"
    "A buffer is alive from lower up to, not including, upper. Names of the columns: id (buffer, "
    "buffer_id); lower (begin, start); upper, or end for the last point itself; size in bytes; and "
    "where wanted alignment; gaps, such as '10-20 30-40@0:64', the second with the bytes that stay "
    "in use; offset, a required one (-1: none); hint, kept as it is; spaces and space; exclusive, "
    "colocated and may_colocate, ids "
    "of other buffers; name, op, layer, type and location for people.\n\n"
    "Values follow an option as --name=value or --name value, and one dash does as well; flags may "
    "say =true or =false. Of an option given twice the last one counts. '--' ends the options.";

static const char plan_text[] =
    "Finds an offset for every buffer and prints what came of it: the arena, the bound that no "
    "plan can go below, the buffers alive at the peak and a map. Every plan is verified before it "
    "is shown.\n\n"
    "Without a capacity the arena is made as small as the effort allows, which is about a second's "
    "unless --effort says otherwise. With a capacity the first plan that fits will do, and the "
    "search goes on until there is one or it is proven that there is none; with --time-limit it "
    "goes on until that time. What ended it without an answer is said. The effort is counted in "
    "steps, so "
    "the same command gives the same plan on any machine; only --time-limit and Ctrl-C depend on "
    "the clock, and both keep the best plan found.\n\n"
    "The options of minimalloc work as they are; those that switch rules of its own search are "
    "passed over with a note.";

static const char verify_text[] =
    "Checks that the offsets in FILE are a plan: no two buffers that are alive together share "
    "bytes, every offset is aligned, and everything is within the capacity where one is given. "
    "Prints the first fault there is.";

static const char bound_text[] =
    "Prints the bytes that no plan can go below: the most that is alive at any one point, with the "
    "padding that alignment forces.";

static const char map_text[] =
    "Draws a plan: every buffer a rectangle, its life across and its bytes upwards. The HTML page "
    "is one file that needs no network; with --compare it flips between two plans.";

static const char convert_text[] =
    "Reads CSV or JSON and writes the other, or what --to and the output's name say.";

static const char bench_text[] =
    "Runs strategies on files and prints, for each, the arena, its ratio to the bound, the outcome "
    "and the time of the shortest of a few runs, planning and verifying.";

static const char gen_text[] = "Makes an instance out of a seed. Integers only are involved, so a "
                               "seed means the same bytes on "
                               "every machine.";

static const char *const texts[TOOL_COMMAND_COUNT] = {
    [TOOL_NUMBER_PLAN] = plan_text,       [TOOL_NUMBER_VERIFY] = verify_text,
    [TOOL_NUMBER_BOUND] = bound_text,     [TOOL_NUMBER_MAP] = map_text,
    [TOOL_NUMBER_CONVERT] = convert_text, [TOOL_NUMBER_BENCH] = bench_text,
    [TOOL_NUMBER_GEN] = gen_text,
};

const char *tool_about(const tool_command *command) {
  return command ? texts[command - tool_commands] : tool_text;
}
