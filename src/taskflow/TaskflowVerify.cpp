//===- TaskflowVerify.cpp - what a valid task is --------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The rules that make versions trustworthy: an operand is a version of the buffer it
// is paired with, a result is the memory of the argument it comes from, and what a
// body writes is in the list of writes.
//
//===----------------------------------------------------------------------===//

#include "taskflow/TaskflowDialect.h"

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace stowage::taskflow;

//===----------------------------------------------------------------------===//
// Versions
//===----------------------------------------------------------------------===//

// The buffer that a memref result of a task is a version of.
static Value originalOf(TaskOp task, OpResult output) {
  size_t index = output.getResultNumber(), reads = task.getReadOutputs().size();
  Block &body = task.getBody().front();
  auto yield = cast<YieldOp>(body.getTerminator());
  if (index < reads) {
    auto argument = index < yield.getReads().size()
                        ? dyn_cast<BlockArgument>(yield.getReads()[index])
                        : BlockArgument();
    size_t position = argument ? argument.getArgNumber() : SIZE_MAX;
    return position < task.getOriginalReadMemrefs().size() ? task.getOriginalReadMemrefs()[position]
                                                           : Value();
  }
  index -= reads;
  return index < task.getOriginalWriteMemrefs().size() ? task.getOriginalWriteMemrefs()[index]
                                                       : Value();
}

static bool hasBody(TaskOp task) {
  Region &body = task.getBody();
  return body.hasOneBlock() && !body.front().empty() && isa<YieldOp>(body.front().back());
}

static bool isVersionOf(Value version, Value original) {
  if (version == original)
    return true;
  auto task = version.getDefiningOp<TaskOp>();
  return task && hasBody(task) && originalOf(task, cast<OpResult>(version)) == original;
}

static LogicalResult verifyVersions(TaskOp task, StringRef kind, ValueRange versions,
                                    ValueRange originals) {
  if (versions.size() != originals.size())
    return task.emitOpError() << "has " << versions.size() << ' ' << kind << "_memrefs, but "
                              << originals.size() << " original_" << kind << "_memrefs";
  SmallPtrSet<Value, 8> seen;
  for (auto [index, version, original] : llvm::enumerate(versions, originals)) {
    if (version.getType() != original.getType())
      return task.emitOpError() << kind << "_memrefs #" << index << " is of type "
                                << version.getType() << ", its original of type "
                                << original.getType();
    if (!isVersionOf(version, original))
      return task.emitOpError() << kind << "_memrefs #" << index
                                << " is neither its original nor a task's version of it";
    if (!seen.insert(original).second)
      return task.emitOpError() << "original_" << kind << "_memrefs #" << index
                                << " is listed twice";
  }
  return success();
}

static LogicalResult verifyNoMemref(TaskOp task, StringRef list, TypeRange types) {
  for (auto [index, type] : llvm::enumerate(types))
    if (isa<BaseMemRefType>(type))
      return task.emitOpError() << list << " #" << index << " is a memref";
  return success();
}

//===----------------------------------------------------------------------===//
// The body's edges
//===----------------------------------------------------------------------===//

static LogicalResult verifyArguments(TaskOp task) {
  Block &body = task.getBody().front();
  size_t count =
      task.getReadMemrefs().size() + task.getWriteMemrefs().size() + task.getValueInputs().size();
  if (body.getNumArguments() != count)
    return task.emitOpError() << "has " << count << " inputs, but its body "
                              << body.getNumArguments() << " arguments";
  for (auto [index, argument] : llvm::enumerate(body.getArguments()))
    if (argument.getType() != task->getOperand(index).getType())
      return task.emitOpError() << "argument #" << index << " is of type " << argument.getType()
                                << ", its operand of type " << task->getOperand(index).getType();
  return success();
}

static LogicalResult verifyYieldedReads(TaskOp task, YieldOp yield) {
  Block &body = task.getBody().front();
  size_t reads = task.getReadMemrefs().size();
  SmallPtrSet<Value, 8> seen;
  for (auto [index, value] : llvm::enumerate(yield.getReads())) {
    auto argument = dyn_cast<BlockArgument>(value);
    if (!argument || argument.getOwner() != &body || argument.getArgNumber() >= reads)
      return yield.emitOpError() << "reads #" << index << " is no read argument of the task";
    if (!seen.insert(value).second)
      return yield.emitOpError() << "reads #" << index << " is yielded twice";
  }
  return success();
}

static LogicalResult verifyYieldedWrites(TaskOp task, YieldOp yield) {
  Block &body = task.getBody().front();
  size_t reads = task.getReadMemrefs().size(), writes = task.getWriteMemrefs().size();
  if (yield.getWrites().size() != writes)
    return yield.emitOpError() << "yields " << yield.getWrites().size() << " writes of " << writes;
  for (auto [index, value] : llvm::enumerate(yield.getWrites()))
    if (value != body.getArgument(reads + index))
      return yield.emitOpError() << "writes #" << index << " must be write argument #" << index;
  return success();
}

static LogicalResult verifyResults(TaskOp task, YieldOp yield) {
  if (task.getReadOutputs().size() != yield.getReads().size() ||
      task.getWriteOutputs().size() != yield.getWrites().size() ||
      task.getValueOutputs().size() != yield.getValues().size())
    return task.emitOpError("has other results than its body yields");
  for (auto [index, result, yielded] :
       llvm::enumerate(task->getResultTypes(), yield->getOperandTypes()))
    if (result != yielded)
      return task.emitOpError() << "result #" << index << " is of type " << result
                                << ", but the body yields " << yielded;
  return success();
}

//===----------------------------------------------------------------------===//
// The task
//===----------------------------------------------------------------------===//

static TaskOp firstTask(FunctionOpInterface function) {
  TaskOp first;
  function.walk<WalkOrder::PreOrder>([&](TaskOp task) {
    first = task;
    return WalkResult::interrupt();
  });
  return first;
}

// The first task of a function sees to the names of all.
static LogicalResult verifyNames(TaskOp task) {
  auto function = task->getParentOfType<FunctionOpInterface>();
  if (!function || firstTask(function) != task)
    return success();
  llvm::StringMap<Location> names;
  WalkResult result = function.walk([&](TaskOp other) {
    auto [entry, fresh] = names.try_emplace(other.getTaskName(), other.getLoc());
    if (fresh)
      return WalkResult::advance();
    other.emitOpError("has the name of another task").attachNote(entry->second)
        << "the other @" << other.getTaskName();
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

//===----------------------------------------------------------------------===//
// What is written
//===----------------------------------------------------------------------===//

static bool isMemref(Value value) { return isa<BaseMemRefType>(value.getType()); }

// Whether `op` itself may write or free what `value`, one of its operands, stands for.
static bool mayWrite(Operation *op, Value value) {
  auto interface = dyn_cast<MemoryEffectOpInterface>(op);
  if (!interface)
    return !op->hasTrait<OpTrait::HasRecursiveMemoryEffects>() && !isa<YieldOp>(op);
  SmallVector<MemoryEffects::EffectInstance> effects;
  interface.getEffects(effects);
  return llvm::any_of(effects, [&](const MemoryEffects::EffectInstance &effect) {
    return isa<MemoryEffects::Write, MemoryEffects::Free>(effect.getEffect()) &&
           (!effect.getValue() || effect.getValue() == value);
  });
}

// Every memref that may be the same memory as `operand`, as far as its user goes: results,
// arguments of the user's regions, and where the user is a terminator those of the op around it.
static void addNames(Operation *user, SmallVectorImpl<Value> &names) {
  SmallVector<Operation *, 2> makers = {user};
  if (user->hasTrait<OpTrait::IsTerminator>() && !isa<YieldOp>(user))
    makers.push_back(user->getParentOp());
  for (Operation *maker : makers) {
    llvm::append_range(names, llvm::make_filter_range(maker->getResults(), isMemref));
    for (Region &region : maker->getRegions())
      for (Block &block : region)
        llvm::append_range(names, llvm::make_filter_range(block.getArguments(), isMemref));
  }
}

static LogicalResult verifyWrites(TaskOp task) {
  auto reads = task.getBody().front().getArguments().take_front(task.getReadMemrefs().size());
  SmallVector<Value> names(reads.begin(), reads.end());
  SmallPtrSet<Value, 16> seen;
  while (!names.empty()) {
    Value name = names.pop_back_val();
    if (!seen.insert(name).second)
      continue;
    for (Operation *user : name.getUsers()) {
      if (mayWrite(user, name))
        return user->emitOpError("may write what its task only reads: use the write argument");
      addNames(user, names);
    }
  }
  return success();
}

LogicalResult TaskOp::verify() {
  if (failed(verifyVersions(*this, "read", getReadMemrefs(), getOriginalReadMemrefs())) ||
      failed(verifyVersions(*this, "write", getWriteMemrefs(), getOriginalWriteMemrefs())) ||
      failed(verifyNoMemref(*this, "value_inputs", getValueInputs().getTypes())) ||
      failed(verifyNoMemref(*this, "value_outputs", getValueOutputs().getTypes())))
    return failure();
  return verifyNames(*this);
}

LogicalResult TaskOp::verifyRegions() {
  if (!hasBody(*this))
    return emitOpError("must end in taskflow.yield");
  auto yield = cast<YieldOp>(getBody().front().getTerminator());
  if (failed(verifyArguments(*this)) || failed(verifyYieldedReads(*this, yield)) ||
      failed(verifyYieldedWrites(*this, yield)) || failed(verifyResults(*this, yield)))
    return failure();
  return verifyWrites(*this);
}

//===----------------------------------------------------------------------===//
// The channel
//===----------------------------------------------------------------------===//

static bool reads(TaskOp task, Value buffer) {
  return llvm::is_contained(task.getOriginalReadMemrefs(), buffer);
}

LogicalResult ChannelOp::verify() {
  MemRefType type = cast<MemRefType>(getElements().getType());
  if (type.getRank() != 1 || !type.getLayout().isIdentity())
    return emitOpError("must be of one dimension, with the identity layout");
  if (static_cast<int64_t>(getDepth()) > type.getDimSize(0))
    return emitOpError() << "is " << getDepth() << " elements deep, but has only "
                         << type.getDimSize(0);
  Operation *tasks[2] = {nullptr, nullptr};
  for (Operation *user : getElements().getUsers()) {
    auto task = dyn_cast<TaskOp>(user);
    if (!task && !hasEffect<MemoryEffects::Free>(user, getElements()))
      return emitOpError("is used by an op that is neither a task nor frees it")
                 .attachNote(user->getLoc())
             << "this one";
    if (!task)
      continue;
    Operation *&same = tasks[reads(task, getElements())];
    if (same && same != user)
      return emitOpError(reads(task, getElements()) ? "is loaded from by two tasks"
                                                    : "is stored to by two tasks");
    same = user;
  }
  return success();
}
