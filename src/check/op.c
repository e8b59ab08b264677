//===- op.c - what an op does to memory -----------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An op uses the memory behind an operand, keeps its address, or gives it as a result. One whose
// effects are not known may do all of it with each operand.
//
//===----------------------------------------------------------------------===//

#include "check/op.h"

#include "bridge/bridge.h"
#include "ir/support.h"
#include "mlir-c/AffineMap.h"
#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"
#include "mlir-c/Dialect/Linalg.h"

#include <stdlib.h>
#include <string.h>

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

enum {
  R = STOW_CHECK_USES | STOW_CHECK_READS,
  W = STOW_CHECK_USES | STOW_CHECK_WRITES,
  ALL = STOW_CHECK_FILLS,
  ONE = 1 << 7, // of its elements: FILLS a memref that has no other
  KEEP = STOW_CHECK_KEEPS,
};

typedef struct row {
  const char *name;
  size_t length;
  uint32_t kinds;
  uint8_t acts[2]; // on operands 0 and 1, where they are memrefs; later ones are numbers
} row;

#define ROW(NAME, ...) {NAME, sizeof NAME - 1, __VA_ARGS__}

static const row TABLE[] = {
    // Names for memory that is there.
    ROW("memref.view", STOW_CHECK_VIEWS, {0}),
    ROW("memref.subview", STOW_CHECK_CUTS, {0}),
    ROW("memref.reinterpret_cast", STOW_CHECK_CUTS, {0}),
    ROW("memref.extract_strided_metadata", STOW_CHECK_UNCUTS | STOW_CHECK_MEASURES, {0}),
    ROW("memref.cast", STOW_CHECK_RENAMES | STOW_CHECK_NEUTRAL, {0}),
    ROW("memref.memory_space_cast", STOW_CHECK_RENAMES, {0}),
    ROW("memref.expand_shape", STOW_CHECK_RENAMES, {0}),
    ROW("memref.collapse_shape", STOW_CHECK_RENAMES, {0}),
    ROW("memref.reshape", STOW_CHECK_RENAMES, {0}),
    ROW("memref.transpose", STOW_CHECK_RENAMES, {0}),
    ROW("memref.distinct_objects", STOW_CHECK_RENAMES, {0}),
    ROW("memref.assume_alignment", STOW_CHECK_RENAMES | STOW_CHECK_PROMISES | STOW_CHECK_NEUTRAL,
        {0}),
    ROW("bufferization.to_buffer", STOW_CHECK_RENAMES, {0}),
    ROW("bufferization.to_tensor", STOW_CHECK_RENAMES, {0}),
    ROW("memref.get_global", STOW_CHECK_GLOBAL, {0}),
    ROW("memref.dim", STOW_CHECK_MEASURES | STOW_CHECK_NEUTRAL, {0}),
    ROW("memref.rank", STOW_CHECK_MEASURES, {0}),
    // Memory that begins or ends.
    ROW("memref.alloc", STOW_CHECK_MAKES | STOW_CHECK_HEAP, {0}),
    ROW("memref.alloca", STOW_CHECK_MAKES, {0}),
    ROW("bufferization.clone", STOW_CHECK_MAKES, {R}),
    ROW("gpu.alloc", STOW_CHECK_MAKES | STOW_CHECK_HEAP | STOW_CHECK_STARTS, {0}),
    ROW("gpu.dealloc", STOW_CHECK_FREES | STOW_CHECK_NEUTRAL | STOW_CHECK_STARTS, {0}),
    ROW("memref.dealloc", STOW_CHECK_FREES | STOW_CHECK_NEUTRAL, {0}),
    ROW("bufferization.dealloc", STOW_CHECK_FREES | STOW_CHECK_NEUTRAL, {0}),
    // Accesses. Where a life begins, anything may be there.
    ROW("lifetime.start", 0, {W | ALL}),
    ROW("memref.load", 0, {R}),
    ROW("memref.store", 0, {KEEP, W | ONE}),
    ROW("memref.copy", 0, {R, W | ALL}),
    ROW("memref.atomic_rmw", STOW_CHECK_ATOMIC, {0, R | W}),
    ROW("memref.generic_atomic_rmw", STOW_CHECK_ATOMIC, {R | W}),
    ROW("affine.load", 0, {R}),
    ROW("affine.store", 0, {KEEP, W}),
    ROW("affine.vector_load", 0, {R}),
    ROW("affine.vector_store", 0, {0, W}),
    ROW("vector.load", 0, {R}),
    ROW("vector.store", 0, {0, W}),
    ROW("vector.maskedload", 0, {R}),
    ROW("vector.maskedstore", 0, {W}),
    ROW("vector.expandload", 0, {R}),
    ROW("vector.compressstore", 0, {W}),
    // Regions, and work that is waited for.
    ROW("scf.if", STOW_CHECK_FLAGGED, {0}),
    ROW("gpu.launch", STOW_CHECK_SECLUDES | STOW_CHECK_STARTS, {0}),
    ROW("gpu.launch_func", STOW_CHECK_STARTS, {0}),
    ROW("gpu.memcpy", STOW_CHECK_STARTS, {0}),
    ROW("gpu.memset", STOW_CHECK_STARTS, {0}),
    ROW("gpu.wait", STOW_CHECK_WAITS | STOW_CHECK_FOLLOWS, {0}),
    ROW("memref.dma_start", STOW_CHECK_STARTS | STOW_CHECK_TRANSFERS, {0}),
    ROW("memref.dma_wait", STOW_CHECK_WAITS | STOW_CHECK_TRANSFERS, {0}),
    ROW("mpi.irecv", STOW_CHECK_STARTS, {0}),
    ROW("mpi.isend", STOW_CHECK_STARTS, {0}),
    ROW("mpi.wait", STOW_CHECK_WAITS, {0}),
    ROW("nvgpu.device_async_copy", STOW_CHECK_STARTS, {0}),
    ROW("nvgpu.device_async_create_group", STOW_CHECK_COMMITS, {0}),
    ROW("nvgpu.device_async_wait", STOW_CHECK_WAITS, {0}),
    ROW("nvgpu.mbarrier.try_wait.parity", STOW_CHECK_WAITS | STOW_CHECK_TRANSFERS, {0}),
    ROW("nvgpu.tma.async.load", STOW_CHECK_STARTS | STOW_CHECK_TRANSFERS, {W}),
    ROW("gpu.terminator", STOW_CHECK_BARRIER, {0}), // of a launch: another has memory of its own
    ROW("gpu.barrier", STOW_CHECK_BARRIER, {0}),
    ROW("amdgpu.lds_barrier", STOW_CHECK_BARRIER, {0}),
    ROW("nvvm.barrier0", STOW_CHECK_BARRIER, {0}),
    ROW("nvvm.barrier", STOW_CHECK_BARRIER, {0}),
    ROW("rocdl.barrier", STOW_CHECK_BARRIER, {0}),
    ROW("rocdl.s.barrier", STOW_CHECK_BARRIER, {0}),
    ROW("spirv.ControlBarrier", STOW_CHECK_BARRIER, {0}),
    ROW("async.add_to_group", STOW_CHECK_JOINS, {0}),
    ROW("async.create_group", STOW_CHECK_GATHERS, {0}),
    ROW("async.await", STOW_CHECK_WAITS, {0}),
    ROW("async.await_all", STOW_CHECK_WAITS, {0}),
    ROW("async.call", STOW_CHECK_STARTS, {0}),
    ROW("async.execute", STOW_CHECK_STARTS, {0}),
};

// NULL for an op that the table does not have.
static const row *row_of(MlirOperation op) {
  MlirStringRef name = stow_ir_op_name(op);
  for (const row *r = TABLE; r < TABLE + sizeof TABLE / sizeof *TABLE; ++r)
    if (name.length == r->length && memcmp(name.data, r->name, r->length) == 0)
      return r;
  return NULL;
}

// An op of another dialect may say by its interfaces that it is what memref.alloc is, or
// gpu.memcpy. stream-rows makes views of one memory in which rows of several buffers take turns;
// buffer-deallocation, clones of what a function returns without owning it, as a bit says.
uint32_t stow_check_kinds(MlirOperation op) {
  const row *r = row_of(op);
  if (!r && stow_bridge_op_is_allocation(op) && stow_bridge_only_allocates(op))
    return STOW_CHECK_MAKES | STOW_CHECK_HEAP;
  if (!r && stow_bridge_op_is_asynchronous(op))
    return STOW_CHECK_STARTS;
  const uint32_t kinds = r ? r->kinds : 0;
  if (kinds & STOW_CHECK_VIEWS && stow_ir_has_attribute(op, "stowage.rows"))
    return STOW_CHECK_PARTS;
  if (kinds & STOW_CHECK_FLAGGED && stow_ir_has_attribute(op, "stowage.by_bit"))
    return kinds | STOW_CHECK_BY_BIT;
  return kinds;
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

// func.constant names the one function whose address it is, so that a call of it is a call by name.
// What a branch, a select or an argument gives is not looked at.
MlirOperation stow_check_callee(MlirOperation op, stow_symbols *symbols) {
  const MlirOperation none = {NULL};
  if (!stow_bridge_op_is_call(op))
    return none;
  if (!stow_ir_op_is(op, "func.call_indirect"))
    return stow_bridge_callee(op, symbols);
  const MlirValue address = mlirOperationGetOperand(op, 0);
  if (!mlirValueIsAOpResult(address))
    return none;
  const MlirOperation constant = mlirOpResultGetOwner(address);
  return stow_ir_op_is(constant, "func.constant")
             ? stow_bridge_named_function(constant, "value", symbols)
             : none;
}

MlirRegion stow_check_called_body(MlirOperation op, stow_symbols *symbols) {
  const MlirOperation callee = stow_check_callee(op, symbols);
  return mlirOperationIsNull(callee) ? (MlirRegion){NULL} : stow_bridge_function_body(callee);
}

//===----------------------------------------------------------------------===//
// Types and attributes
//===----------------------------------------------------------------------===//

static bool is_memref(MlirType type) {
  return mlirTypeIsAMemRef(type) || mlirTypeIsAUnrankedMemRef(type);
}

bool stow_check_is_followed(MlirType type) {
  return is_memref(type) || !stow_bridge_type_is_plain(type);
}

bool stow_check_is_bytes(MlirType type) {
  if (!mlirTypeIsAMemRef(type))
    return false;
  MlirType element = mlirShapedTypeGetElementType(type);
  return mlirTypeIsAInteger(element) && mlirIntegerTypeGetWidth(element) == 8;
}

static bool has_one_element(MlirType type) {
  if (!mlirTypeIsAMemRef(type))
    return false;
  for (intptr_t i = 0, rank = mlirShapedTypeGetRank(type); i < rank; ++i)
    if (mlirShapedTypeIsDynamicDim(type, i) || mlirShapedTypeGetDimSize(type, i) != 1)
      return false;
  return true;
}

uint64_t stow_check_alignment_of(MlirOperation op) {
  MlirAttribute alignment = stow_attribute_of(op, "alignment");
  if (mlirAttributeIsNull(alignment) || !mlirAttributeIsAInteger(alignment))
    return 0;
  int64_t bytes = mlirIntegerAttrGetValueInt(alignment);
  return bytes > 0 && (bytes & (bytes - 1)) == 0 ? (uint64_t)bytes : 0;
}

//===----------------------------------------------------------------------===//
// Work that goes on
//===----------------------------------------------------------------------===//

// A directive that leaves its region to others, or a launch on a stream that is an object.
static bool is_deferred(MlirOperation op) {
  enum { OBJECT_SEGMENT = 12 };
  if (stow_ir_op_is(op, "gpu.launch_func"))
    return mlirDenseI32ArrayGetElement(stow_attribute_of(op, "operandSegmentSizes"),
                                       OBJECT_SEGMENT) > 0;
  if (stow_ir_op_has_prefix(op, "acc."))
    return stow_ir_has_attribute(op, "asyncOnly") ||
           stow_ir_has_attribute(op, "asyncOperandsDeviceType");
  if (stow_ir_op_has_prefix(op, "omp.target"))
    return stow_ir_has_attribute(op, "nowait");
  return stow_ir_op_is(op, "omp.task") || stow_ir_op_has_prefix(op, "omp.taskloop");
}

// What a name that nobody knows says is not listened to.
static bool starts_work(MlirOperation op) {
  static const char *const starts[] = {
      "affine.dma_start", "amdgpu.gather_to_lds",    "memref.dma_start",     "mpi.irecv",
      "mpi.isend",        "nvgpu.device_async_copy", "nvgpu.tma.async.store"};
  for (size_t i = 0; i < sizeof starts / sizeof *starts; ++i)
    if (stow_ir_op_is(op, starts[i]))
      return true;
  return is_deferred(op) || stow_ir_op_has_prefix(op, "async.");
}

bool stow_check_is_handle(MlirType type) {
  return !is_memref(type) && stow_check_is_followed(type);
}

// The op starts work, and nothing that it returns, and no op behind it, tells of the end. async's
// own ops do.
static bool works_on(stow_check_transfers *transfers, MlirOperation op) {
  return starts_work(op) && !stow_ir_gives(op, stow_check_is_handle) &&
         !stow_ir_op_has_prefix(op, "async.") &&
         stow_check_transfer_partners(transfers, op).count == 0;
}

//===----------------------------------------------------------------------===//
// Writing all of it
//===----------------------------------------------------------------------===//

static bool is_given_once(MlirOperation op, intptr_t operand) {
  MlirValue value = mlirOperationGetOperand(op, operand);
  intptr_t count = 0;
  for (intptr_t i = 0, n = mlirOperationGetNumOperands(op); i < n; ++i)
    count += mlirValueEqual(mlirOperationGetOperand(op, i), value);
  return count == 1;
}

// Whether a linalg op sets each element behind an output and reads none: its loops go over that
// memref as its indices do, in some order, and its region does not use the argument of it. Outputs
// are the last operands, one per value that the region yields.
static bool linalg_fills(MlirOperation op, intptr_t operand) {
  MlirAttribute maps = mlirLinalgGetIndexingMapsAttribute(op);
  if (mlirAttributeIsNull(maps) || operand >= mlirArrayAttrGetNumElements(maps))
    return false;
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0));
  intptr_t outputs = mlirOperationGetNumOperands(mlirBlockGetTerminator(body));
  if (operand < mlirOperationGetNumOperands(op) - outputs ||
      !mlirOpOperandIsNull(mlirValueGetFirstUse(mlirBlockGetArgument(body, operand))))
    return false;
  return mlirAffineMapIsPermutation(
      mlirAffineMapAttrGetValue(mlirArrayAttrGetElement(maps, operand)));
}

// Behind tokens, the op has its target and what it sets this to.
static bool is_gpu_target(MlirOperation op, intptr_t operand) {
  return (stow_ir_op_is(op, "gpu.memcpy") || stow_ir_op_is(op, "gpu.memset")) &&
         operand == mlirOperationGetNumOperands(op) - 2;
}

static bool fills(MlirOperation op, intptr_t operand, uint8_t acts) {
  MlirType type = mlirValueGetType(mlirOperationGetOperand(op, operand));
  bool whole = acts & STOW_CHECK_FILLS || (acts & ONE && has_one_element(type)) ||
               linalg_fills(op, operand) || is_gpu_target(op, operand);
  return whole && is_given_once(op, operand);
}

//===----------------------------------------------------------------------===//
// Effects
//===----------------------------------------------------------------------===//

typedef struct effects {
  stow_check_op does;
  uint8_t rest; // acts on operands that it has no act on
  bool any, writes;
} effects;

// As the table has it. An op that is given one memref twice does to it what it does to either.
static void effects_by_table(const row *r, MlirOperation op, effects *e) {
  intptr_t n = mlirOperationGetNumOperands(op);
  for (intptr_t i = 0; i < n && i < 2; ++i)
    for (intptr_t j = 0; j < n; ++j)
      if (mlirValueEqual(mlirOperationGetOperand(op, i), mlirOperationGetOperand(op, j)))
        e->does.operands[j] |= r->acts[i];
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i)
    e->does.results[i] =
        r->kinds & STOW_CHECK_MAKES && is_memref(mlirValueGetType(mlirOperationGetResult(op, i)))
            ? STOW_CHECK_OWN
            : STOW_CHECK_NO_MEMORY;
  e->any = true;
  e->writes = (r->acts[0] | r->acts[1]) & STOW_CHECK_WRITES;
}

static uint8_t acts_of(uint8_t mask) {
  return (uint8_t)((mask ? STOW_CHECK_USES : 0) |
                   (mask & (STOW_READ | STOW_FREE) ? STOW_CHECK_READS : 0) |
                   (mask & STOW_WRITE ? STOW_CHECK_WRITES : 0) |
                   (mask & STOW_FREE ? STOW_CHECK_ENDS : 0));
}

// As the op's interfaces have it.
static void effects_by_interface(MlirOperation op, effects *e) {
  uint8_t other, all;
  stow_bridge_op_effects(op, e->does.operands, e->does.results, &other);
  all = other;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
    all |= e->does.operands[i];
    e->does.operands[i] = acts_of(e->does.operands[i]);
  }
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i) {
    all |= e->does.results[i];
    e->does.results[i] = e->does.results[i] & STOW_ALLOCATE ? STOW_CHECK_OWN : STOW_CHECK_NO_MEMORY;
  }
  e->rest = acts_of(other);
  e->any = all != 0;
  e->writes = all & (STOW_WRITE | STOW_FREE);
}

// A memref that the op has no effect on, while it writes elsewhere, may be what it writes there. A
// handle of another kind leads anywhere.
static uint8_t acts_on(const effects *e, MlirOperation op, intptr_t operand) {
  uint8_t acts = e->does.operands[operand];
  if (!is_memref(mlirValueGetType(mlirOperationGetOperand(op, operand))))
    return R | W;
  if (!(acts & STOW_CHECK_USES))
    acts |= e->rest;
  if (!acts)
    return e->writes ? KEEP : 0;
  bool whole = !(acts & STOW_CHECK_READS) && acts & STOW_CHECK_WRITES && fills(op, operand, acts);
  return (uint8_t)((acts & (R | W | KEEP | STOW_CHECK_ENDS)) | (whole ? STOW_CHECK_FILLS : 0));
}

static void settle_operands(MlirOperation op, uint32_t facts, bool later, effects *e) {
  const uint32_t forwarding = STOW_OP_BRANCH | STOW_OP_REGION_BRANCH | STOW_OP_REGION_TERMINATOR;
  intptr_t n = mlirOperationGetNumOperands(op);
  bool *forwarded = stow_ir_allocate((size_t)n, sizeof *forwarded);
  if (facts & forwarding)
    stow_bridge_forwarded_operands(op, forwarded);
  for (intptr_t i = 0; i < n; ++i)
    if (forwarded[i])
      e->does.operands[i] = 0;
    else if (!e->any)
      e->does.operands[i] = facts & STOW_OP_TERMINATOR ? STOW_CHECK_YIELDS : 0;
    else
      e->does.operands[i] = later ? R | W | KEEP : acts_on(e, op, i);
  free(forwarded);
}

// Pure ops make numbers of addresses, too; others only handles.
static void settle_results(MlirOperation op, uint32_t kinds, effects *e) {
  for (intptr_t i = 0, n = mlirOperationGetNumResults(op); i < n; ++i) {
    MlirType type = mlirValueGetType(mlirOperationGetResult(op, i));
    bool may_be = stow_check_is_followed(type) || (!e->any && !(kinds & STOW_CHECK_MEASURES));
    if (e->does.results[i] != STOW_CHECK_OWN && may_be)
      e->does.results[i] = STOW_CHECK_OPERANDS;
  }
}

stow_check_op stow_check_op_read(stow_check_transfers *transfers, MlirOperation op,
                                 uint32_t facts) {
  const row *r = row_of(op);
  effects e = {.does = {stow_ir_allocate((size_t)mlirOperationGetNumOperands(op), 1),
                        stow_ir_allocate((size_t)mlirOperationGetNumResults(op), 1)},
               .rest = R | W,
               .any = true,
               .writes = true};
  if (r && (r->acts[0] | r->acts[1] || r->kinds & STOW_CHECK_MAKES)) {
    e.rest = 0;
    effects_by_table(r, op, &e);
  } else if (facts & STOW_OP_EFFECTS_KNOWN)
    effects_by_interface(op, &e);
  settle_operands(op, facts, e.any && works_on(transfers, op), &e);
  settle_results(op, r ? r->kinds : 0, &e);
  return e.does;
}

void stow_check_op_free(stow_check_op *does) {
  free(does->operands);
  free(does->results);
}

//===----------------------------------------------------------------------===//
// Frees
//===----------------------------------------------------------------------===//

// bufferization.dealloc has memrefs to free, a bit for each, and memrefs to retain.
static intptr_t count_bits(MlirOperation op) {
  intptr_t bits = 0;
  for (intptr_t i = 0, n = mlirOperationGetNumOperands(op); i < n; ++i)
    bits += !is_memref(mlirValueGetType(mlirOperationGetOperand(op, i)));
  return bits;
}

static bool is_false(MlirValue bit) {
  if (!mlirValueIsAOpResult(bit) || !stow_ir_op_is(mlirOpResultGetOwner(bit), "arith.constant"))
    return false;
  MlirAttribute value = stow_attribute_of(mlirOpResultGetOwner(bit), "value");
  return mlirAttributeIsAInteger(value) && mlirIntegerAttrGetValueInt(value) == 0;
}

bool stow_check_frees(MlirOperation op, intptr_t operand) {
  if (stow_ir_op_is(op, "gpu.dealloc")) // behind tokens
    return operand == mlirOperationGetNumOperands(op) - 1;
  const intptr_t bits = count_bits(op);
  if (bits == 0)
    return operand == 0;
  return operand < bits && !is_false(mlirOperationGetOperand(op, bits + operand));
}

bool stow_check_retains(MlirOperation op, intptr_t operand) {
  return stow_ir_op_is(op, "bufferization.dealloc") && operand >= 2 * count_bits(op);
}

//===----------------------------------------------------------------------===//
// Owned at run time
//===----------------------------------------------------------------------===//

static bool is_made_in(MlirRegion region, MlirValue value) {
  while (mlirValueIsAOpResult(value)) {
    MlirOperation op = mlirOpResultGetOwner(value);
    const uint32_t kinds = stow_check_kinds(op);
    if (!(kinds & STOW_CHECK_RENAMES))
      return kinds & STOW_CHECK_MAKES &&
             mlirRegionEqual(mlirBlockGetParentRegion(mlirOperationGetBlock(op)), region);
    value = mlirOperationGetOperand(op, mlirOpResultGetResultNumber(value));
  }
  return false;
}

bool stow_check_is_own(MlirOperation op, intptr_t result) {
  if (!(stow_check_kinds(op) & STOW_CHECK_BY_BIT))
    return false;
  MlirRegion otherwise = mlirOperationGetRegion(op, 1);
  MlirBlock block = mlirRegionGetFirstBlock(otherwise);
  return !mlirBlockIsNull(block) && // an scf.if may be without its else
         is_made_in(otherwise, mlirOperationGetOperand(mlirBlockGetTerminator(block), result));
}

//===----------------------------------------------------------------------===//
// Written at all
//===----------------------------------------------------------------------===//

// Or passes it on to who knows where.
static bool may_write(stow_check_transfers *transfers, MlirOperation op, intptr_t operand) {
  const uint32_t facts = stow_op_facts(op);
  stow_check_op does = stow_check_op_read(transfers, op, facts);
  const uint8_t acts = does.operands[operand];
  stow_check_op_free(&does);
  return acts & (STOW_CHECK_WRITES | STOW_CHECK_KEEPS | STOW_CHECK_YIELDS) ||
         stow_ir_gives(op, stow_check_is_followed) ||
         (!acts && facts & (STOW_OP_BRANCH | STOW_OP_TERMINATOR | STOW_OP_REGION_BRANCH));
}

bool stow_check_may_be_written(stow_check_transfers *transfers, MlirValue value) {
  const uint32_t names =
      STOW_CHECK_VIEWS | STOW_CHECK_CUTS | STOW_CHECK_UNCUTS | STOW_CHECK_RENAMES;
  STOW_ARRAY(MlirValue) todo = {0};
  bool written = false;
  STOW_PUSH(todo, value);
  for (size_t next = 0; next < todo.count && !written; ++next)
    STOW_EACH_USE(use, todo.at[next]) {
      MlirOperation op = mlirOpOperandGetOwner(use);
      if (stow_check_kinds(op) & names && mlirOperationGetNumResults(op) == 1)
        STOW_PUSH(todo, mlirOperationGetResult(op, 0));
      else
        written |= may_write(transfers, op, mlirOpOperandGetOperandNumber(use));
    }
  free(todo.at);
  return written;
}
