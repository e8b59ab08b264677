//===- remote.c - memory of other workgroups ------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Workgroups of a cluster can reach each other's memory: by an address that nvvm.mapa makes of
// their own, and by a load with a multicast mask. Then bytes of a workgroup are used while it is
// somewhere else. What is not known here may do so: a call, assembly, any other op.
//
//===----------------------------------------------------------------------===//

#include "arena/workgroup.h"
#include "mlir-c/BuiltinAttributes.h"

// Ops by their names up to here. `mask`: the segment of operands that is a multicast mask, or -1.
typedef struct row {
  const char *prefix;
  intptr_t mask;
} row;

// The first that fits.
static const row LOCAL[] = {
    {"nvgpu.tma.async.load", 5},
    {"nvvm.cp.async.bulk.tensor.shared.cluster.global", 5},
    {"nvvm.cp.async.bulk.shared.cluster.global", 4},
    {"nvvm.cp.async.bulk.global.shared.cta", -1},
    {"nvvm.cp.async.bulk.commit.group", -1},
    {"nvvm.cp.async.bulk.wait_group", -1},
    {"nvvm.cp.async.shared.global", -1},
    {"nvvm.cp.async.commit.group", -1},
    {"nvvm.cp.async.wait.group", -1},
    {"nvvm.barrier", -1},
    {"nvvm.elect.sync", -1},
    {"nvvm.fence.proxy", -1},
    {"nvvm.ldmatrix", -1},
    {"nvvm.mbarrier.", -1},
    {"nvvm.mma.", -1},
    {"nvvm.read.ptx.sreg.", -1},
    {"nvvm.shfl.sync", -1},
    {"nvvm.stmatrix", -1},
    {"nvvm.wgmma.", -1},
    {"affine.", -1},
    {"arith.", -1},
    {"bufferization.", -1},
    {"builtin.", -1},
    {"cf.", -1},
    {"gpu.", -1},
    {"index.", -1},
    {"linalg.", -1},
    {"llvm.add", -1},
    {"llvm.addrspacecast", -1},
    {"llvm.and", -1},
    {"llvm.bitcast", -1},
    {"llvm.extractvalue", -1},
    {"llvm.getelementptr", -1},
    {"llvm.icmp", -1},
    {"llvm.insertvalue", -1},
    {"llvm.inttoptr", -1},
    {"llvm.load", -1},
    {"llvm.lshr", -1},
    {"llvm.mlir.", -1},
    {"llvm.mul", -1},
    {"llvm.or", -1},
    {"llvm.ptrtoint", -1},
    {"llvm.sext", -1},
    {"llvm.shl", -1},
    {"llvm.store", -1},
    {"llvm.sub", -1},
    {"llvm.trunc", -1},
    {"llvm.zext", -1},
    {"math.", -1},
    {"memref.", -1},
    {"nvgpu.", -1},
    {"scf.", -1},
    {"vector.", -1},
};

static bool is_masked(MlirOperation op, intptr_t mask) {
  if (mask < 0)
    return false;
  const MlirAttribute segments = stow_attribute_of(op, "operandSegmentSizes");
  return mlirAttributeIsNull(segments) || mlirDenseArrayGetNumElements(segments) <= mask ||
         mlirDenseI32ArrayGetElement(segments, mask) > 0;
}

bool stow_arena_is_local(MlirOperation op) {
  for (size_t i = 0; i < sizeof LOCAL / sizeof *LOCAL; ++i)
    if (stow_ir_op_has_prefix(op, LOCAL[i].prefix))
      return !is_masked(op, LOCAL[i].mask);
  return false;
}
