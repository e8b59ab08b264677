//===- fit.h - a block as nodes that may run again ------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A block within a capacity. It *requires* the block's graph as src/reorder reads it, and
// *computes* which ops run again and which buffers are spilled:
//
//   function --split--> one life per buffer                                 split.c
//            --stage--> copies of constants in the first memory             stage.c
//            --block--> nodes and memories, a problem of stowage/budget.h   block.c, cost.c
//            --find---> steps                                               src/budget
//            --apply--> the block with these steps                          apply.c, place.c
//            --tiles--> constants without room, row by row                  tiles.c
//            --send---> transfers in place of copies of constants           transfer.c
//
// Only linalg ops and copies of static sizes run again. A buffer may be replaced by another one if
// merge-alloc plans it, one memref.alloc of the block makes it, and nothing but views of it, made
// in the block, have its address. It may lie in another memory if, besides, no op that uses it asks
// for a memory space.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_FIT_FIT_H
#define STOWAGE_FIT_FIT_H

#include "fit/place.h"
#include "reorder/reorder.h"
#include "rows/block.h"
#include "stowage/budget.h"
#include "stowage/passes.h"

// Where a memory of the problem comes from.
typedef struct stow_fit_origin {
  MlirOperation alloc;   // null: not a single one of the block, or not one that may be copied
  MlirOperation dealloc; // behind the last node that touches the buffer; or null
  MlirOperation filling; // a copy of all of a constant, which alone fills the buffer; or null
  uint64_t hidden;       // of its cost: what runs beside another op, where it is a transfer
} stow_fit_origin;

typedef struct stow_fit_block {
  stow_reorder_block graph;
  STOW_ARRAY(stow_budget_node) nodes; // those of the graph
  STOW_ARRAY(stow_budget_memory) memories;
  STOW_ARRAY(stow_fit_origin) origins; // by memory
  stow_map values; // of the block, which are a renewable buffer or a view of it: the memory
  STOW_ARRAY(stow_budget_access) accesses;
  stow_budget_problem problem; // of the tables above
  uint64_t cost;               // of all nodes
  unsigned shift; // costs are right shifted by so many bits, so that their sums are numbers
} stow_fit_block;

// Of a buffer that is read, written or moved.
typedef struct stow_fit_amount {
  uint64_t bytes, accesses; // `accesses`: of an element, or of a vector of them
} stow_fit_amount;

// What is made as little as possible, by an objective. All costs are asked for here, so none needs
// to be linear in bytes. Each is at most 2^61. cost.c.
typedef struct stow_fit_measure {
  const char *name;                         // "time"
  uint64_t (*of_work)(uint64_t operations); // on elements
  uint64_t (*of_access)(stow_fit_amount what, const stow_machine_memory *in);
  uint64_t (*of_move)(stow_fit_amount what, const stow_machine_memory *from,
                      const stow_machine_memory *to); // by one transfer; either way
  bool of_each_load; // accesses by ops other than structured ones count, too
  bool hides;        // what runs beside another op costs nothing
  bool of_copies;    // spill-cost is that of a copy, both its sides; else of the far side alone
} stow_fit_measure;

const stow_fit_measure *stow_fit_measure_of(stow_fit_objective objective);

// What may be done with the buffers of one memory, and the memories that say what it costs.
typedef struct stow_fit_prices {
  const stow_fit_measure *measure;
  const stow_machine_memory *first;     // with which costs are compared
  const stow_machine_memory *here;      // whose buffers these are
  const stow_machine_memory *next;      // where they are spilled to; NULL: nothing is spilled
  const stow_machine_memory *constants; // where these lie; NULL: nothing says so
  bool once;                            // no op runs again
  bool stages;    // the first memory is at hand: what is copied there may be read where it lies
  bool transfers; // these copies run beside other ops
} stow_fit_prices;

// Whether buffers may also lie in the next memory, rather than only be copied there.
static inline bool stow_fit_places(const stow_fit_prices *prices) {
  return prices->next && !prices->next->copied;
}

// What a memory costs where it is placed elsewhere and no op runs again; so what it saves that a
// constant is copied.
uint64_t stow_fit_placed_cost(const stow_fit_block *block, size_t memory);

// Freed with stow_fit_block_free.
void stow_fit_read(const stow_reorder_facts *facts, MlirBlock block, const stow_fit_prices *prices,
                   stow_fit_block *out);
void stow_fit_block_free(stow_fit_block *block);

static inline MlirOperation stow_fit_op(const stow_fit_block *block, size_t node) {
  return block->graph.ops.at[block->graph.nodes.at[node]].op;
}

// split.c: makes a buffer of each life of one, where an op of the block overwrites all of it.
// Buffers that the program frees stay as they are.
void stow_fit_split(const stow_function_memory *memory, MlirBlock block);

// And of each op that updates one of the space in place which other ops have read. Returns how many
// there are.
size_t stow_fit_part(const stow_function_memory *memory, MlirBlock block, MlirAttribute space);

// inside.c: whether an alloc is one that a memory may be chosen for, such as this one.
bool stow_fit_may_move(const stow_function_memory *memory, size_t alloc,
                       const stow_machine_memory *to);

typedef struct stow_fit_sent {
  MlirValue buffer;
  uint64_t bytes, cost; // it costs so much more in the next memory
  uint64_t others;      // bytes of the others that may go there
} stow_fit_sent;

// Of the buffers of this memory that an op allocates for itself and that may go to the next one,
// the cheapest per byte; without bytes: there is none.
stow_fit_sent stow_fit_cheapest_inside(const stow_fit_prices *prices,
                                       const stow_function_memory *memory, MlirOperation node);

// stage.c: copies constants of the block to the first memory, just before the first op that reads
// them, or one op ahead, and has all of these read the copy. Adds the allocs of these copies.
typedef struct stow_fit_staging {
  const stow_reorder_facts *facts;
  MlirBlock block;
  const stow_machine_memory *first;
  bool ahead;
} stow_fit_staging;

void stow_fit_stage(const stow_fit_staging *staging, stow_op_list *out);

// Names a buffer after a constant.
void stow_fit_name_copy(MlirOperation alloc, MlirOperation global, const char *why);

// Has them read the constant again, which alone fills what the alloc makes; the copy goes.
void stow_fit_unstage(MlirOperation alloc);

// The copy of all of a constant that fills what an alloc makes, or null.
MlirOperation stow_fit_filling_of(const stow_reorder_facts *facts, MlirOperation alloc);

// The first and the last op of the block that use a value, or a view of it, for more than a view;
// null: there is none. One of them is left out.
typedef struct stow_fit_users {
  MlirOperation first, last;
} stow_fit_users;

stow_fit_users stow_fit_users_of(MlirBlock block, MlirValue value, MlirOperation but);

// Whether the module frees buffers, so that a new one is to be freed.
bool stow_fit_has_deallocs(MlirOperation function);

// tiles.c: an op that reads a constant from where it lies, and may read it in tiles, one behind the
// other, of which each is transferred while the op works on the one before.
typedef struct stow_fit_tile {
  stow_rows_statement
      statement;         // split along the loop that the rows of the constant are indices of
  intptr_t operand, dim; // the constant, and its rows
  MlirOperation global;
  int64_t rows, count; // of a tile; tiles
  uint64_t bytes;      // of a tile
  // All by the model, for all times that the op runs.
  uint64_t saved, cost, hidden; // compared with the op as it is; of the transfers, and beside work
} stow_fit_tile;

typedef STOW_ARRAY(stow_fit_tile) stow_fit_tiles;

// What tiles may take of the first memory together with all else; both halves are aligned.
typedef struct stow_fit_tile_room {
  uint64_t bytes, alignment;
} stow_fit_tile_room;

// Those that pay and that have room where the op stands. Freed with stow_fit_tiles_free.
void stow_fit_find_tiles(const stow_reorder_facts *facts, const stow_fit_block *block,
                         const stow_fit_prices *prices, const stow_fit_tile_room *room,
                         stow_fit_tiles *out);
void stow_fit_tiles_free(stow_fit_tiles *tiles);

// transfer.c: makes transfers of copies of constants, waited for where they are first read, and of
// tiles. The buffers of these are in the first memory.
void stow_fit_transfer(const stow_fit_block *block, const stow_fit_tiles *tiles,
                       const stow_machine_memory *first);

// Of all constants of a module that lie in the memory where those are that name none.
uint64_t stow_fit_bytes_of_constants(MlirOperation module, const stow_machine_memory *memory);

// cost.c: what an op costs by the measure with all buffers in the first memory. Time is one per
// operation on an element, at least 1, and what the bytes of its operands cost; traffic is the
// second alone.
uint64_t stow_fit_cost(MlirOperation op, const stow_fit_prices *prices);

// How much more accesses cost in one memory than in another; 0: not more.
uint64_t stow_fit_more(const stow_fit_prices *prices, stow_fit_amount what,
                       const stow_machine_memory *in, const stow_machine_memory *than);

// The operations on elements of a structured op; and all elements of an operand, wherever they lie;
// 0: of anything but a memref of static shape.
uint64_t stow_fit_work_of(MlirOperation op);
stow_fit_amount stow_fit_amount_of(MlirOperation op, MlirValue operand);
uint64_t stow_fit_elements_of(MlirType type); // of static shape

// How often the body of a loop with constant bounds runs; 1 for any other op.
uint64_t stow_fit_trips_of(MlirOperation op);

// Tells how much an op, with those in it, reads and writes of each of its operands.
typedef void (*stow_fit_amount_fn)(void *user, MlirValue operand, stow_fit_amount amount);
void stow_fit_each_operand(MlirOperation op, stow_fit_amount_fn tell, void *user);
uint64_t stow_fit_product(uint64_t a, uint64_t b); // at most 2^61
uint64_t stow_fit_sum(uint64_t a, uint64_t b);     // of such numbers: at most 2^61, too

// apply.c: takes the steps of a plan. Buffers that are spilled or placed elsewhere go to `next`,
// but copies of constants, which are read where they lie.
void stow_fit_apply(const stow_fit_block *block, const stow_budget_plan *plan,
                    const stow_machine_memory *next);

#endif // STOWAGE_FIT_FIT_H
