//===- alive.c - how many bytes of buffers are alive at once in a block ---===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires a block of tasks. Computes at which of its ops each buffer is touched, and from that the
// bytes that are alive at once per memory space, with and without what is returned. A fusion is a
// *change*: the peak after it is found without making it.
//
//===----------------------------------------------------------------------===//

#include "taskflow/pairs.h"

#include "bridge/bridge.h"
#include "ir/buffers.h"
#include "ir/op.h"
#include "taskflow/memory.h"
#include "taskflow/task.h"

#include <stdlib.h>

//===----------------------------------------------------------------------===//
// Uses
//===----------------------------------------------------------------------===//

int32_t stow_taskflow_position_around(const stow_map *positions, MlirOperation op) {
  int32_t position = -1;
  for (; position < 0 && !mlirOperationIsNull(op); op = mlirOperationGetParentOperation(op))
    position = stow_map_get(positions, op.ptr);
  return position;
}

static void touch(stow_tenant *tenant, size_t position) { STOW_PUSH(tenant->touches, position); }

static bool is_made_here(const stow_alive *alive, const stow_tenant *tenant) {
  return stow_taskflow_position_around(&alive->positions, mlirOpResultGetOwner(tenant->buffer)) >=
         0;
}

static bool returns_from_function(MlirOperation op, uint32_t facts) {
  return (facts & STOW_OP_RETURN) &&
         stow_bridge_op_is_function(mlirOperationGetParentOperation(op));
}

// False where it is not known in which part of the block the buffer is alive.
static bool see_use(const stow_alive *alive, stow_tenant *tenant, MlirOpOperand use) {
  const MlirOperation user = mlirOpOperandGetOwner(use);
  const stow_traits traits = stow_ir_op_traits(user);
  if (stow_ir_makes_view(use) || stow_ir_is_dealloc(user) || (traits & STOW_TELLS_SHAPE))
    return true;
  uint32_t facts = stow_op_facts(user);
  int32_t position = stow_taskflow_position_around(&alive->positions, user);
  tenant->returned |= returns_from_function(user, facts);
  if (position < 0) {
    tenant->to_end = true;
    return is_made_here(alive, tenant);
  }
  tenant->to_end |= !stow_taskflow_is_task(user) && !(traits & STOW_VIEWS) &&
                    ((facts & STOW_OP_TERMINATOR) || stow_ir_gives_buffer(user));
  touch(tenant, (size_t)position);
  return true;
}

static bool see_uses(const stow_alive *alive, stow_tenant *tenant) {
  STOW_EACH_USE_OF_NAMES(use, tenant->buffer)
    if (!see_use(alive, tenant, use))
      return false;
  return tenant->touches.count > 0;
}

//===----------------------------------------------------------------------===//
// Tenants
//===----------------------------------------------------------------------===//

static size_t pool_of(stow_alive *alive, MlirValue buffer) {
  MlirAttribute space = stow_ir_memory_space(mlirValueGetType(buffer));
  bool stack = stow_ir_op_traits(mlirOpResultGetOwner(buffer)) & STOW_ALLOCATES_STACK;
  for (size_t i = 0; i < alive->pools.count; ++i)
    if (alive->pools.at[i].stack == stack &&
        mlirAttributeEqual(alive->pools.at[i].memory_space, space))
      return i;
  return STOW_PUSH(alive->pools, (stow_pool){space, stack, 0, 0});
}

static void add_tenant(stow_alive *alive, MlirValue buffer) {
  stow_tenant tenant = {.buffer = buffer};
  if (!stow_taskflow_allocation_bytes(buffer, &tenant.bytes) || !see_uses(alive, &tenant)) {
    free(tenant.touches.at);
    return;
  }
  tenant.bytes = stow_ir_rounded_up(tenant.bytes, STOW_ARENA_ALIGNMENT);
  tenant.pool = pool_of(alive, buffer);
  STOW_PUSH(alive->tenants, tenant);
}

static void collect_buffers(stow_values *buffers, MlirOperation op) {
  if (stow_ir_is_allocation(op))
    stow_values_add(buffers, stow_taskflow_result(op));
  for (intptr_t i = 0, n = stow_taskflow_is_task(op) ? mlirOperationGetNumOperands(op) : 0; i < n;
       ++i) {
    MlirValue root = stow_ir_root_of(mlirOperationGetOperand(op, i));
    if (stow_ir_is_local_allocation(root))
      stow_values_add(buffers, root);
  }
}

//===----------------------------------------------------------------------===//
// Peaks
//===----------------------------------------------------------------------===//

static bool is_gone(const stow_tenant *tenant, const stow_alive_change *change) {
  return change && stow_values_find(&change->buffers->gone, tenant->buffer) >= 0;
}

static uint64_t bytes_of(const stow_tenant *tenant, const stow_alive_change *change) {
  for (size_t i = 0; change && i < change->buffers->windows.count; ++i)
    if (mlirValueEqual(change->buffers->windows.at[i]->buffer, tenant->buffer))
      return stow_ir_rounded_up(change->buffers->windows.at[i]->bytes, STOW_ARENA_ALIGNMENT);
  return tenant->bytes;
}

size_t stow_taskflow_position_after(const stow_alive_change *change, size_t position) {
  if (change->at_reader)
    return position == change->writer ? change->reader : position;
  if (position < change->writer || position > change->reader)
    return position;
  size_t earlier = 0; // of those that rise
  const size_t count = change->rising->count;
  for (; earlier < count && change->rising->at[earlier] < position; ++earlier)
    ;
  if (position == change->writer || position == change->reader)
    return change->writer + count;
  const bool rises = earlier < count && change->rising->at[earlier] == position;
  return rises ? change->writer + earlier : position + count - earlier;
}

// The peak of one pool; `with_returned`: of the buffers that are returned, too.
static uint64_t peak_of(const stow_alive *alive, size_t pool, bool with_returned,
                        const stow_alive_change *change) {
  uint64_t *begins = stow_ir_allocate(alive->op_count, sizeof *begins);
  uint64_t *ends = stow_ir_allocate(alive->op_count, sizeof *ends);
  STOW_EACH(const stow_tenant, tenant, alive->tenants) {
    if (tenant->pool != pool || (tenant->returned && !with_returned) || is_gone(tenant, change))
      continue;
    size_t first = alive->op_count - 1, last = tenant->to_end ? first : 0;
    for (size_t k = 0; k < tenant->touches.count; ++k) {
      size_t at = tenant->touches.at[k];
      at = change ? stow_taskflow_position_after(change, at) : at;
      first = at < first ? at : first;
      last = at > last ? at : last;
    }
    begins[first] += bytes_of(tenant, change);
    ends[last] += bytes_of(tenant, change);
  }
  uint64_t alive_now = 0, peak = 0;
  for (size_t at = 0; at < alive->op_count; ++at) {
    alive_now += begins[at];
    peak = stow_ir_larger(peak, alive_now);
    alive_now -= ends[at];
  }
  free(begins);
  free(ends);
  return peak;
}

static void find_peaks(stow_alive *alive) {
  for (size_t pool = 0; pool < alive->pools.count; ++pool) {
    alive->pools.at[pool].peak = peak_of(alive, pool, true, NULL);
    alive->pools.at[pool].peak_of_own = peak_of(alive, pool, false, NULL);
  }
}

stow_alive stow_alive_in(MlirBlock block) {
  stow_alive alive = {0};
  stow_values buffers = {0};
  STOW_EACH_OP(op, block) {
    stow_map_add(&alive.positions, op.ptr, (int32_t)alive.op_count++);
    STOW_EACH_OP_OF(inside, op)
      collect_buffers(&buffers, inside);
  }
  for (size_t i = 0; i < buffers.count; ++i)
    add_tenant(&alive, buffers.at[i]);
  stow_values_free(&buffers);
  find_peaks(&alive);
  return alive;
}

void stow_alive_free(stow_alive *alive) {
  for (size_t i = 0; i < alive->tenants.count; ++i)
    free(alive->tenants.at[i].touches.at);
  free(alive->tenants.at);
  free(alive->pools.at);
  stow_map_free(&alive->positions);
  *alive = (stow_alive){0};
}

size_t stow_alive_position(const stow_alive *alive, MlirOperation op) {
  return (size_t)stow_map_get(&alive->positions, op.ptr);
}

//===----------------------------------------------------------------------===//
// Changes
//===----------------------------------------------------------------------===//

static bool exceeds(const stow_alive *alive, uint64_t bytes, uint64_t before) {
  return bytes > stow_ir_larger(before, alive->allowed);
}

bool stow_alive_rises(const stow_alive *alive, stow_alive_change change) {
  for (size_t pool = 0; pool < alive->pools.count; ++pool)
    if (exceeds(alive, peak_of(alive, pool, true, &change), alive->pools.at[pool].peak) ||
        exceeds(alive, peak_of(alive, pool, false, &change), alive->pools.at[pool].peak_of_own))
      return true;
  return false;
}

static void move_touches(stow_tenant *tenant, const stow_alive_change *change) {
  for (size_t k = 0; k < tenant->touches.count; ++k)
    tenant->touches.at[k] = stow_taskflow_position_after(change, tenant->touches.at[k]);
}

void stow_alive_apply(stow_alive *alive, stow_alive_change change) {
  size_t count = 0;
  STOW_EACH(stow_tenant, tenant, alive->tenants) {
    if (is_gone(tenant, &change)) {
      free(tenant->touches.at);
      continue;
    }
    move_touches(tenant, &change);
    tenant->bytes = bytes_of(tenant, &change);
    alive->tenants.at[count++] = *tenant;
  }
  alive->tenants.count = count;
  find_peaks(alive);
}

stow_alive stow_alive_save(const stow_alive *alive) {
  stow_alive saved = {.op_count = alive->op_count};
  STOW_EACH(const stow_tenant, tenant, alive->tenants) {
    stow_tenant copy = *tenant;
    copy.touches.at = NULL;
    copy.touches.count = copy.touches.capacity = 0;
    for (size_t k = 0; k < tenant->touches.count; ++k)
      touch(&copy, tenant->touches.at[k]);
    STOW_PUSH(saved.tenants, copy);
  }
  for (size_t i = 0; i < alive->pools.count; ++i)
    STOW_PUSH(saved.pools, alive->pools.at[i]);
  return saved;
}

void stow_alive_restore(stow_alive *alive, stow_alive *saved) {
  const stow_alive dropped = {.tenants = {alive->tenants.at, alive->tenants.count, 0},
                              .pools = {alive->pools.at, alive->pools.count, 0}};
  alive->tenants.at = saved->tenants.at;
  alive->tenants.count = saved->tenants.count;
  alive->tenants.capacity = saved->tenants.capacity;
  alive->pools.at = saved->pools.at;
  alive->pools.count = saved->pools.count;
  alive->pools.capacity = saved->pools.capacity;
  *saved = dropped;
  stow_alive_free(saved);
}

void stow_alive_keep_limits(stow_alive *alive, const stow_alive *saved) {
  for (size_t i = 0; i < alive->pools.count; ++i)
    alive->pools.at[i] = saved->pools.at[i];
}

void stow_alive_rename(stow_alive *alive, MlirValue buffer, MlirValue made) {
  STOW_EACH(stow_tenant, tenant, alive->tenants)
    if (mlirValueEqual(tenant->buffer, buffer))
      tenant->buffer = made;
}
