//===- check_op_test.c - what ops do to memory, as the checker reads it -----===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The checker reads ops by a table of its own. Where MLIR's interfaces tell the same of an
// op, both must agree.
//
//===----------------------------------------------------------------------===//

#include "check/op.h"
#include "programs.h"

#include "mlir-c/BuiltinTypes.h"

#include <stdlib.h>

static const char ACCESSES[] =
    "#map = affine_map<(i, j) -> (i, j)>\n"
    "#turned = affine_map<(i, j) -> (j, i)>\n"
    "#row = affine_map<(i, j) -> (i)>\n"
    "func.func @f(%a: memref<4x4xf32>, %b: memref<4x4xf32>, %r: memref<4xf32>,\n"
    "             %one: memref<1xf32>, %x: f32, %i: index, %n: i32) {\n"
    "  %0 = memref.load %r[%i] : memref<4xf32>\n"
    "  memref.store %x, %r[%i] : memref<4xf32>\n"
    "  memref.store %x, %one[%i] : memref<1xf32>\n"
    "  memref.copy %a, %b : memref<4x4xf32> to memref<4x4xf32>\n"
    "  memref.copy %a, %a : memref<4x4xf32> to memref<4x4xf32>\n"
    "  %1 = memref.atomic_rmw addf %x, %r[%i] : (f32, memref<4xf32>) -> f32\n"
    "  %2 = memref.generic_atomic_rmw %r[%i] : memref<4xf32> {\n"
    "  ^bb0(%old: f32):\n"
    "    memref.atomic_yield %old : f32\n"
    "  }\n"
    "  %3 = bufferization.clone %a : memref<4x4xf32> to memref<4x4xf32>\n"
    "  %4 = memref.alloc() : memref<4x4xf32>\n"
    "  %5 = memref.alloca() : memref<4x4xf32>\n"
    "  %6 = memref.realloc %r : memref<4xf32> to memref<8xf32>\n"
    "  memref.prefetch %a[%i, %i], read, locality<3>, data : memref<4x4xf32>\n"
    "  linalg.fill ins(%x : f32) outs(%a : memref<4x4xf32>)\n"
    "  linalg.copy ins(%a : memref<4x4xf32>) outs(%b : memref<4x4xf32>)\n"
    "  linalg.copy ins(%a : memref<4x4xf32>) outs(%a : memref<4x4xf32>)\n"
    "  linalg.transpose ins(%a : memref<4x4xf32>) outs(%b : memref<4x4xf32>) permutation = [1, 0]\n"
    "  linalg.broadcast ins(%r : memref<4xf32>) outs(%b : memref<4x4xf32>) dimensions = [1]\n"
    "  linalg.matmul ins(%a, %a : memref<4x4xf32>, memref<4x4xf32>) outs(%b : memref<4x4xf32>)\n"
    "  linalg.map { arith.negf } ins(%a : memref<4x4xf32>) outs(%b : memref<4x4xf32>)\n"
    "  linalg.reduce { arith.addf } ins(%a : memref<4x4xf32>) outs(%r : memref<4xf32>) dimensions "
    "= [1]\n"
    "  linalg.generic {indexing_maps = [#map, #turned], iterator_types = [\"parallel\", "
    "\"parallel\"]}\n"
    "      ins(%a : memref<4x4xf32>) outs(%b : memref<4x4xf32>) {\n"
    "  ^bb0(%in: f32, %out: f32):\n"
    "    linalg.yield %in : f32\n"
    "  }\n"
    "  linalg.generic {indexing_maps = [#map, #row], iterator_types = [\"parallel\", "
    "\"parallel\"]}\n"
    "      ins(%a : memref<4x4xf32>) outs(%r : memref<4xf32>) {\n"
    "  ^bb0(%in: f32, %out: f32):\n"
    "    linalg.yield %in : f32\n"
    "  }\n"
    "  linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = [\"parallel\", "
    "\"parallel\"]}\n"
    "      ins(%a : memref<4x4xf32>) outs(%b, %b : memref<4x4xf32>, memref<4x4xf32>) {\n"
    "  ^bb0(%in: f32, %out: f32, %other: f32):\n"
    "    linalg.yield %in, %in : f32, f32\n"
    "  }\n"
    "  return\n"
    "}\n";

static bool is_memref(MlirOperation op, intptr_t operand) {
  return mlirTypeIsAMemRef(mlirValueGetType(mlirOperationGetOperand(op, operand)));
}

static bool has_one_element(MlirOperation op, intptr_t operand) {
  MlirType type = mlirValueGetType(mlirOperationGetOperand(op, operand));
  return mlirShapedTypeGetRank(type) == 1 && mlirShapedTypeGetDimSize(type, 0) == 1;
}

static void compare(MlirOperation op, const stow_check_op *does, const uint8_t *operands,
                    const uint8_t *results) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
    if (!is_memref(op, i))
      continue;
    bool reads = operands[i] & (STOW_READ | STOW_FREE), writes = operands[i] & STOW_WRITE;
    bool fills = writes && !reads &&
                 (stow_ir_overwrites(op, mlirOperationGetOperand(op, i)) || has_one_element(op, i));
    CHECK_EQ((bool)(does->operands[i] & STOW_CHECK_READS), reads);
    CHECK_EQ((bool)(does->operands[i] & STOW_CHECK_WRITES), writes);
    CHECK_EQ((bool)(does->operands[i] & STOW_CHECK_FILLS), fills);
    CHECK(!(does->operands[i] & STOW_CHECK_KEEPS));
  }
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i)
    CHECK_EQ(does->results[i] == STOW_CHECK_OWN, (bool)(results[i] & STOW_ALLOCATE));
}

static MlirWalkResult visit(MlirOperation op, void *user) {
  uint32_t facts = stow_op_facts(op);
  MlirStringRef name = stow_ir_op_name(op);
  test_note("%.*s", (int)name.length, name.data);
  if ((facts & STOW_OP_FUNCTION) || !(facts & STOW_OP_EFFECTS_KNOWN))
    return MlirWalkResultAdvance;
  uint8_t *operands = stow_ir_allocate((size_t)mlirOperationGetNumOperands(op), 1), other;
  uint8_t *results = stow_ir_allocate((size_t)mlirOperationGetNumResults(op), 1);
  stow_check_transfers transfers = {0};
  stow_check_op does = stow_check_op_read(&transfers, op, facts);
  stow_check_transfers_free(&transfers);
  stow_bridge_op_effects(op, operands, results, &other);
  compare(op, &does, operands, results);
  stow_check_op_free(&does);
  free(operands);
  free(results);
  ++*(unsigned *)user;
  return MlirWalkResultAdvance;
}

static void as_interfaces_tell(void) {
  test_program program = test_parse(ACCESSES);
  unsigned met = 0;
  mlirOperationWalk(program.function, visit, &met, MlirWalkPreOrder);
  CHECK(met >= 23);
  test_program_free(&program);
}

// What no interface tells: the address of a memref is stored; work goes on; nothing is known.
static void addresses_and_work(void) {
  test_program program =
      test_parse("func.func @f(%m: memref<4xf32>, %s: memref<1xmemref<4xf32>>, %i: index) {\n"
                 "  memref.store %m, %s[%i] : memref<1xmemref<4xf32>>\n"
                 "  %d = memref.alloc() : memref<1xi32>\n"
                 "  memref.dma_start %m[%i], %m[%i], %i, %d[%i] : memref<4xf32>, memref<4xf32>, "
                 "memref<1xi32>\n"
                 "  return\n"
                 "}\n");
  MlirOperation op = mlirBlockGetFirstOperation(
      mlirRegionGetFirstBlock(mlirOperationGetRegion(program.function, 0)));
  stow_check_transfers transfers = {0};
  stow_check_op does = stow_check_op_read(&transfers, op, stow_op_facts(op));
  CHECK_EQ(does.operands[0], STOW_CHECK_KEEPS);
  CHECK_EQ(does.operands[1], STOW_CHECK_USES | STOW_CHECK_WRITES | STOW_CHECK_FILLS);
  stow_check_op_free(&does);
  op = mlirOperationGetNextInBlock(mlirOperationGetNextInBlock(op));
  does = stow_check_op_read(&transfers, op, stow_op_facts(op));
  CHECK_EQ(does.operands[0],
           STOW_CHECK_USES | STOW_CHECK_READS | STOW_CHECK_WRITES | STOW_CHECK_KEEPS);
  stow_check_op_free(&does);
  stow_check_transfers_free(&transfers);
  test_program_free(&program);
}

TEST_MAIN(TEST(as_interfaces_tell), TEST(addresses_and_work))
