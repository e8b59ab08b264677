//===- pq_tree.c - all orders in which pieces may lie above each other ----===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Pieces to be replaced are marked. A node is empty, full or partial by its marked
// leaves. Below the lowest node that has all of them, partial nodes are *opened* into
// two rows: what is empty, and what is full, the near ends of which meet. There are at
// most two of those, one to either side. The full rows together are what goes.
//
// With a change is kept what went, as nodes of which the order is still open, and one
// leaf that lies to the left of it, or to the right: it tells whether the row has been
// reversed since.
//
//===----------------------------------------------------------------------===//

#include "pq_tree.h"
#include "limits.h"

#include <assert.h>
#include <string.h>

#define NO_NODE UINT32_MAX

enum kind { PIECE, ANY, ROW };

struct stow_pq_node {
  enum kind kind;
  uint32_t piece;
  uint32_t first, count;   // into kids
  uint32_t marked, leaves; // below it
};

struct stow_pq_change {
  uint32_t gone, come; // nodes
  uint32_t beside;     // a piece beside them, or STOW_NO_PIECE
  bool is_left;        // that piece
};

//===----------------------------------------------------------------------===//
// Making
//===----------------------------------------------------------------------===//

bool stow_plan_pq_make(stow_pq_tree *tree, const uint64_t *heights, uint32_t item_count,
                       uint32_t max_pieces, stow_memory *memory) {
  *tree = (stow_pq_tree){.now.piece_count = item_count,
                         .max_nodes = 64 * item_count + 2 * STOW_PQ_MOST_NEW,
                         .max_kids = 512 * item_count + 2 * STOW_PQ_MOST_NEW,
                         .max_pieces = max_pieces};
  tree->nodes = STOW_TAKE(memory, struct stow_pq_node, tree->max_nodes);
  tree->kids = STOW_TAKE(memory, uint32_t, tree->max_kids);
  tree->changes = STOW_TAKE(memory, struct stow_pq_change, max_pieces);
  tree->heights = STOW_TAKE(memory, uint64_t, max_pieces);
  tree->halves = STOW_TAKE(memory, uint32_t, max_pieces);
  tree->splits = STOW_TAKE(memory, uint32_t, max_pieces);
  tree->marked = STOW_TAKE_ZEROED(memory, unsigned char, max_pieces);
  if (!tree->nodes || !tree->kids || !tree->changes || !tree->heights || !tree->halves ||
      !tree->splits || !tree->marked)
    return false;
  memcpy(tree->heights, heights, item_count * sizeof *heights);
  for (uint32_t i = 0; i < max_pieces; ++i)
    tree->halves[i] = STOW_NO_PIECE;
  return true;
}

bool stow_plan_pq_has_room(const stow_pq_tree *tree) {
  return tree->now.node_count + STOW_PQ_MOST_NEW <= tree->max_nodes &&
         tree->now.kid_count + STOW_PQ_MOST_NEW <= tree->max_kids &&
         tree->now.change_count < tree->max_pieces && tree->now.piece_count + 2 <= tree->max_pieces;
}

uint32_t stow_plan_pq_add_piece(stow_pq_tree *tree, uint64_t height) {
  tree->heights[tree->now.piece_count] = height;
  return tree->now.piece_count++;
}

static uint32_t add_node(stow_pq_tree *tree, enum kind kind, const uint32_t *kids, uint32_t count) {
  stow_pq_state *now = &tree->now;
  tree->nodes[now->node_count] =
      (struct stow_pq_node){.kind = kind, .first = now->kid_count, .count = count};
  memcpy(tree->kids + now->kid_count, kids, count * sizeof *kids);
  now->kid_count += count;
  tree->effort += 4 + count;
  return now->node_count++;
}

static uint32_t add_leaf(stow_pq_tree *tree, uint32_t piece) {
  tree->nodes[tree->now.node_count] = (struct stow_pq_node){.kind = PIECE, .piece = piece};
  return tree->now.node_count++;
}

// One child needs no node.
static uint32_t join(stow_pq_tree *tree, enum kind kind, const stow_pq_list *kids) {
  return kids->count == 1 ? kids->at[0] : add_node(tree, kind, kids->at, kids->count);
}

static void append(stow_pq_list *list, uint32_t value) { list->at[list->count++] = value; }

static void append_all(stow_pq_list *list, const stow_pq_list *other, bool reversed) {
  for (uint32_t i = 0; i < other->count; ++i)
    append(list, other->at[reversed ? other->count - 1 - i : i]);
}

// A single one gets a node all the same: what it is split into later stays where it is.
static uint32_t add_in_any_order(stow_pq_tree *tree, const stow_pq_list *pieces) {
  stow_pq_list leaves = {.count = 0};
  for (uint32_t i = 0; i < pieces->count; ++i)
    append(&leaves, add_leaf(tree, pieces->at[i]));
  return add_node(tree, ANY, leaves.at, leaves.count);
}

void stow_plan_pq_begin(stow_pq_tree *tree, const stow_pq_list *pieces) {
  tree->now.root = add_in_any_order(tree, pieces);
}

void stow_plan_pq_go_back(stow_pq_tree *tree, const stow_pq_state *state) {
  while (tree->now.split_count > state->split_count)
    tree->halves[tree->splits[--tree->now.split_count]] = STOW_NO_PIECE;
  tree->now = *state;
}

//===----------------------------------------------------------------------===//
// Leaves
//===----------------------------------------------------------------------===//

static void list_leaves(const stow_pq_tree *tree, uint32_t at, bool reversed,
                        stow_pq_list *out_pieces) {
  const struct stow_pq_node *node = &tree->nodes[at];
  if (node->kind == PIECE)
    append(out_pieces, node->piece);
  for (uint32_t i = 0; i < node->count; ++i)
    list_leaves(tree, tree->kids[node->first + (reversed ? node->count - 1 - i : i)], reversed,
                out_pieces);
}

void stow_pq_list_leaves(const stow_pq_tree *tree, stow_pq_list *out_pieces) {
  out_pieces->count = 0;
  list_leaves(tree, tree->now.root, false, out_pieces);
}

static uint32_t some_leaf(const stow_pq_tree *tree, uint32_t at) {
  while (tree->nodes[at].kind != PIECE)
    at = tree->kids[tree->nodes[at].first];
  return tree->nodes[at].piece;
}

static void mark(stow_pq_tree *tree, const stow_pq_list *pieces, bool marked) {
  for (uint32_t i = 0; i < pieces->count; ++i)
    tree->marked[pieces->at[i]] = marked;
}

static void count_marked(stow_pq_tree *tree, uint32_t at) {
  struct stow_pq_node *node = &tree->nodes[at];
  node->leaves = node->kind == PIECE;
  node->marked = node->kind == PIECE && tree->marked[node->piece];
  for (uint32_t i = 0; i < node->count; ++i) {
    const uint32_t kid = tree->kids[node->first + i];
    count_marked(tree, kid);
    node->leaves += tree->nodes[kid].leaves;
    node->marked += tree->nodes[kid].marked;
  }
  tree->effort += 4;
}

static bool is_full(const stow_pq_tree *tree, uint32_t at) {
  return tree->nodes[at].marked == tree->nodes[at].leaves;
}

static bool is_empty(const stow_pq_tree *tree, uint32_t at) { return !tree->nodes[at].marked; }

//===----------------------------------------------------------------------===//
// Nests
//===----------------------------------------------------------------------===//

struct nests {
  const stow_pq_list *pieces;
  uint32_t piece;
  uint64_t *sets;
  uint32_t count, most;
};

static uint64_t bit_of(const stow_pq_list *pieces, uint32_t piece) {
  for (uint32_t i = 0; i < pieces->count; ++i)
    if (pieces->at[i] == piece)
      return UINT64_C(1) << i;
  return 0;
}

// The set below a node. The piece's own nodes come back in `*out_found`, from below.
static uint64_t find_nests(stow_pq_tree *tree, struct nests *nests, uint32_t at, bool *out_found) {
  const struct stow_pq_node *node = &tree->nodes[at];
  *out_found = node->kind == PIECE && node->piece == nests->piece;
  uint64_t set = node->kind == PIECE ? bit_of(nests->pieces, node->piece) : 0;
  for (uint32_t i = 0; i < node->count; ++i) {
    bool found;
    set |= find_nests(tree, nests, tree->kids[node->first + i], &found);
    *out_found |= found;
  }
  tree->effort += 4;
  if (*out_found && nests->count < nests->most &&
      (!nests->count || nests->sets[nests->count - 1] != set))
    nests->sets[nests->count++] = set;
  return set;
}

uint32_t stow_pq_list_nests(stow_pq_tree *tree, const stow_pq_list *pieces, uint32_t piece,
                            uint64_t *out_sets, uint32_t most) {
  struct nests nests = {.pieces = pieces, .piece = piece, .sets = out_sets, .most = most};
  bool found;
  find_nests(tree, &nests, tree->now.root, &found);
  return nests.count;
}

//===----------------------------------------------------------------------===//
// Replacing
//===----------------------------------------------------------------------===//

// A partial node, from its far to its near end, and from there on.
struct opened {
  stow_pq_list empty, full;
};

struct kinds {
  stow_pq_list empty, full, partial;
};

static void sort_kids(const stow_pq_tree *tree, const struct stow_pq_node *node,
                      struct kinds *out_kinds) {
  out_kinds->empty.count = out_kinds->full.count = out_kinds->partial.count = 0;
  for (uint32_t i = 0; i < node->count; ++i) {
    const uint32_t kid = tree->kids[node->first + i];
    append(is_full(tree, kid)    ? &out_kinds->full
           : is_empty(tree, kid) ? &out_kinds->empty
                                 : &out_kinds->partial,
           kid);
  }
}

static bool open_node(stow_pq_tree *tree, uint32_t at, struct opened *opened);

static bool open_any(stow_pq_tree *tree, const struct stow_pq_node *node, struct opened *opened) {
  struct kinds kinds;
  sort_kids(tree, node, &kinds);
  if (kinds.partial.count > 1)
    return false;
  if (kinds.empty.count)
    append(&opened->empty, join(tree, ANY, &kinds.empty));
  if (kinds.partial.count && !open_node(tree, kinds.partial.at[0], opened))
    return false;
  if (kinds.full.count)
    append(&opened->full, join(tree, ANY, &kinds.full));
  return true;
}

// What is empty lies at one end, what is full at the other, and at most one is partial between.
static bool open_row(stow_pq_tree *tree, const struct stow_pq_node *node, struct opened *opened) {
  const uint32_t *kids = tree->kids + node->first;
  const bool reversed = is_full(tree, kids[0]) || is_empty(tree, kids[node->count - 1]);
  bool was_marked = false;
  for (uint32_t i = 0; i < node->count; ++i) {
    const uint32_t kid = kids[reversed ? node->count - 1 - i : i];
    const bool full = is_full(tree, kid);
    if (was_marked && !full)
      return false;
    was_marked |= !is_empty(tree, kid);
    if (full)
      append(&opened->full, kid);
    else if (!was_marked)
      append(&opened->empty, kid);
    else if (!open_node(tree, kid, opened))
      return false;
  }
  return true;
}

// `at` is partial.
static bool open_node(stow_pq_tree *tree, uint32_t at, struct opened *opened) {
  const struct stow_pq_node node = tree->nodes[at];
  return node.kind == ANY ? open_any(tree, &node, opened) : open_row(tree, &node, opened);
}

// Notes a change at a row in which `left` lies to the left of what goes and `right` to the right.
static void note_change(stow_pq_tree *tree, const stow_pq_list *left, const stow_pq_list *gone,
                        const stow_pq_list *right, uint32_t come) {
  const stow_pq_list *beside = left->count ? left : right;
  tree->changes[tree->now.change_count++] = (struct stow_pq_change){
      .gone = join(tree, ROW, gone),
      .come = come,
      .beside = beside->count ? some_leaf(tree, beside->at[0]) : STOW_NO_PIECE,
      .is_left = left->count != 0};
}

static uint32_t make_row(stow_pq_tree *tree, const stow_pq_list *left, const stow_pq_list *gone,
                         const stow_pq_list *right, uint32_t come) {
  stow_pq_list row = {.count = 0};
  note_change(tree, left, gone, right, come);
  append_all(&row, left, false);
  append(&row, come);
  append_all(&row, right, false);
  return join(tree, ROW, &row);
}

static uint32_t replace_in_any(stow_pq_tree *tree, const struct stow_pq_node *node, uint32_t come) {
  struct kinds kinds;
  struct opened left = {{.count = 0}, {.count = 0}}, right = {{.count = 0}, {.count = 0}};
  stow_pq_list right_of_it = {.count = 0};
  sort_kids(tree, node, &kinds);
  if (kinds.partial.count > 2 ||
      (kinds.partial.count > 0 && !open_node(tree, kinds.partial.at[0], &left)) ||
      (kinds.partial.count > 1 && !open_node(tree, kinds.partial.at[1], &right)))
    return NO_NODE;
  if (kinds.full.count)
    append(&left.full, join(tree, ANY, &kinds.full));
  append_all(&left.full, &right.full, true);
  append_all(&right_of_it, &right.empty, true);
  append(&kinds.empty, make_row(tree, &left.empty, &left.full, &right_of_it, come));
  return join(tree, ANY, &kinds.empty);
}

static uint32_t replace_in_row(stow_pq_tree *tree, const struct stow_pq_node *node, uint32_t come) {
  enum { LEFT, GONE, RIGHT } side = LEFT;
  stow_pq_list left = {.count = 0}, gone = {.count = 0}, right = {.count = 0};
  for (uint32_t i = 0; i < node->count; ++i) {
    const uint32_t kid = tree->kids[node->first + i];
    const bool empty = is_empty(tree, kid), full = is_full(tree, kid);
    struct opened opened = {{.count = 0}, {.count = 0}};
    if ((side == RIGHT && !empty) || (!empty && !full && !open_node(tree, kid, &opened)))
      return NO_NODE;
    if (empty) {
      side = side == GONE ? RIGHT : side;
      append(side == LEFT ? &left : &right, kid);
    } else if (full) {
      side = GONE;
      append(&gone, kid);
    } else {
      const bool on_left = side == LEFT;
      append_all(on_left ? &left : &right, &opened.empty, !on_left);
      append_all(&gone, &opened.full, !on_left);
      side = on_left ? GONE : RIGHT;
    }
  }
  return make_row(tree, &left, &gone, &right, come);
}

// The node without the kid that has all marked ones, and with what came of it.
static uint32_t with_other_kid(stow_pq_tree *tree, const struct stow_pq_node *node, uint32_t index,
                               uint32_t kid) {
  const uint32_t changed = add_node(tree, node->kind, tree->kids + node->first, node->count);
  tree->kids[tree->nodes[changed].first + index] = kid;
  return changed;
}

static uint32_t replace_below(stow_pq_tree *tree, uint32_t at, uint32_t marked, uint32_t come) {
  const struct stow_pq_node node = tree->nodes[at];
  if (is_full(tree, at)) {
    const stow_pq_list none = {.count = 0}, gone = {{at}, 1};
    note_change(tree, &none, &gone, &none, come);
    return come;
  }
  for (uint32_t i = 0; i < node.count; ++i) {
    const uint32_t kid = tree->kids[node.first + i];
    if (tree->nodes[kid].marked != marked)
      continue;
    const uint32_t changed = replace_below(tree, kid, marked, come);
    return changed == NO_NODE ? NO_NODE : with_other_kid(tree, &node, i, changed);
  }
  return node.kind == ANY ? replace_in_any(tree, &node, come) : replace_in_row(tree, &node, come);
}

bool stow_plan_pq_replace(stow_pq_tree *tree, const stow_pq_list *old_pieces,
                          const stow_pq_list *new_pieces) {
  const stow_pq_state before = tree->now;
  mark(tree, old_pieces, true);
  count_marked(tree, tree->now.root);
  mark(tree, old_pieces, false);
  const uint32_t leaves = tree->nodes[tree->now.root].leaves;
  uint32_t root = NO_NODE;
  if (leaves - old_pieces->count + new_pieces->count < STOW_PQ_MOST_LEAVES)
    root =
        replace_below(tree, tree->now.root, old_pieces->count, add_in_any_order(tree, new_pieces));
  if (root == NO_NODE)
    tree->now = before;
  else
    tree->now.root = root;
  return root != NO_NODE;
}

//===----------------------------------------------------------------------===//
// Splitting
//===----------------------------------------------------------------------===//

// In a node of kind ANY the halves go where the piece could go; elsewhere they stay together.
static uint32_t split_kid(stow_pq_tree *tree, const struct stow_pq_node *node, uint32_t index,
                          uint32_t half) {
  const uint32_t halves[] = {add_leaf(tree, half), add_leaf(tree, half + 1)};
  if (node->kind == ROW)
    return with_other_kid(tree, node, index, add_node(tree, ANY, halves, 2));
  stow_pq_list kids = {.count = 0};
  for (uint32_t i = 0; i < node->count; ++i)
    append(&kids, i == index ? halves[0] : tree->kids[node->first + i]);
  append(&kids, halves[1]);
  return add_node(tree, ANY, kids.at, kids.count);
}

static uint32_t split_below(stow_pq_tree *tree, uint32_t at, uint32_t piece, uint32_t half) {
  const struct stow_pq_node node = tree->nodes[at];
  for (uint32_t i = 0; i < node.count; ++i) {
    const uint32_t kid = tree->kids[node.first + i];
    if (tree->nodes[kid].kind == PIECE && tree->nodes[kid].piece == piece)
      return split_kid(tree, &node, i, half);
    const uint32_t changed = split_below(tree, kid, piece, half);
    if (changed != NO_NODE)
      return with_other_kid(tree, &node, i, changed);
  }
  return NO_NODE;
}

uint32_t stow_plan_pq_split(stow_pq_tree *tree, uint32_t piece, uint64_t height) {
  const uint32_t half = stow_plan_pq_add_piece(tree, height);
  stow_plan_pq_add_piece(tree, tree->heights[piece] - height);
  tree->halves[piece] = half;
  tree->splits[tree->now.split_count++] = piece;
  tree->now.root = split_below(tree, tree->now.root, piece, half);
  assert(tree->now.root != NO_NODE);
  return half;
}

//===----------------------------------------------------------------------===//
// Placing
//===----------------------------------------------------------------------===//

// Appends what the piece was split into, or itself.
static void append_halves(const stow_pq_tree *tree, uint32_t piece, stow_pq_list *list) {
  while (tree->halves[piece] != STOW_NO_PIECE) {
    append_halves(tree, tree->halves[piece] + 1, list);
    piece = tree->halves[piece];
  }
  append(list, piece);
}

static uint32_t index_of(const stow_pq_list *list, uint32_t piece) {
  uint32_t at = 0;
  while (list->at[at] != piece)
    ++at;
  return at;
}

// Where in the order the pieces begin that came with a change, and how many they are by now.
static uint32_t find_what_came(const stow_pq_tree *tree, const struct stow_pq_change *change,
                               const stow_pq_list *order, uint32_t *out_count) {
  stow_pq_list leaves = {.count = 0}, came = {.count = 0};
  list_leaves(tree, change->come, false, &leaves);
  for (uint32_t i = 0; i < leaves.count; ++i)
    append_halves(tree, leaves.at[i], &came);
  uint32_t first = order->count;
  for (uint32_t i = 0; i < came.count; ++i) {
    const uint32_t at = index_of(order, came.at[i]);
    first = at < first ? at : first;
  }
  *out_count = came.count;
  return first;
}

static bool is_reversed(const stow_pq_tree *tree, const struct stow_pq_change *change,
                        const stow_pq_list *order, uint32_t first) {
  if (change->beside == STOW_NO_PIECE)
    return false;
  stow_pq_list beside = {.count = 0};
  append_halves(tree, change->beside, &beside);
  return (index_of(order, beside.at[0]) < first) != change->is_left;
}

static void stack_up(const stow_pq_tree *tree, const stow_pq_list *pieces, uint64_t offset,
                     uint64_t *offsets) {
  for (uint32_t i = 0; i < pieces->count; ++i) {
    offsets[pieces->at[i]] = offset;
    offset += tree->heights[pieces->at[i]];
  }
}

// Replaces what came by what went. `order` is that of the moment after, and becomes that
// of the moment before.
static bool undo_change(const stow_pq_tree *tree, const struct stow_pq_change *change,
                        stow_pq_list *order, uint64_t *offsets) {
  stow_pq_list gone = {.count = 0};
  uint32_t came;
  const uint32_t first = find_what_came(tree, change, order, &came);
  list_leaves(tree, change->gone, is_reversed(tree, change, order, first), &gone);
  if (order->count - came + gone.count > STOW_PQ_MOST_LEAVES)
    return false;
  stack_up(tree, &gone, offsets[order->at[first]], offsets);
  memmove(order->at + first + gone.count, order->at + first + came,
          (order->count - first - came) * sizeof *order->at);
  memcpy(order->at + first, gone.at, gone.count * sizeof *gone.at);
  order->count += gone.count - came;
  return true;
}

bool stow_plan_pq_place(const stow_pq_tree *tree, uint64_t *out_offsets) {
  stow_pq_list order;
  stow_pq_list_leaves(tree, &order);
  stack_up(tree, &order, 0, out_offsets);
  bool placed = true;
  for (uint32_t i = tree->now.change_count; i-- > 0 && placed;)
    placed = undo_change(tree, &tree->changes[i], &order, out_offsets);
  return placed;
}
