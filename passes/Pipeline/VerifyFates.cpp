// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks that the tasks carry out the fates that the deciders wrote. It reads
// the attributes (`dist.fate`) and the tasks, and nothing of what the deciders
// knew:
// - each value that a forward task makes, and a backward task of its stage
//   reads, has one fate, that of a stored value; no other result has a fate,
//   but what a backward task hands over;
// - a value that is stored is read by the backward pass;
// - a narrowed value has the types of its format, and no backward task reads it
//   whole;
// - a moved value is not sent to another stage, and it is in the memory of its
//   fate (VerifySchedule checks the copies there and back);
// - the op of a value that is gathered again or recomputed says so, its value
//   is not kept for the backward tasks of its stage, and a backward task
//   repeats it;
// - a value that is handed over was computed again by the backward task, and
//   the task of weights' gradients of that stage reads it.
#include "dialects/Dist/Dist.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/Pipeline/Pipeline.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"

namespace zcc {
using namespace mlir;
using namespace dist;
#define GEN_PASS_DEF_VERIFYFATES
#include "passes/Pipeline/Passes.h.inc"

namespace {
using planning::Fate;

struct VerifyFates : impl::VerifyFatesBase<VerifyFates> {
  // Facts of tasks, in their order.
  struct TaskFacts {
    func::FuncOp func;
    int64_t stage = 0;
    llvm::DenseSet<StringAttr> reads; // names
  };
  std::vector<TaskFacts> forward, backward, weights;
  llvm::DenseSet<StringAttr> sent;

  // Equal ops of one place of the model, with equal results, are told apart by
  // their number alone.
  using OpKind = std::pair<OperationName, Location>;
  static OpKind kindOf(Operation *op) { return {op->getName(), op->getLoc()}; }

  void collect(ModuleOp module) {
    forward.clear();
    backward.clear();
    weights.clear();
    sent.clear();
    for (auto table : module.getOps<ScheduleOp>())
      for (auto send : table.getOps<SendOp>())
        sent.insert(send.getValueAttr());
    for (auto func : module.getOps<func::FuncOp>()) {
      std::optional<TaskKind> kind = taskKindOf(func);
      std::vector<TaskFacts> *list =
          kind == TaskKind::Forward          ? &forward
          : kind == TaskKind::Backward       ? &backward
          : kind == TaskKind::WeightBackward ? &weights
                                             : nullptr;
      if (!list)
        continue;
      TaskFacts &task = list->emplace_back();
      task.func = func;
      task.stage = getStage(func);
      for (unsigned i = 0; i < func.getNumArguments(); ++i)
        if (auto name = func.getArgAttrOfType<StringAttr>(i, valueAttrName))
          task.reads.insert(name);
    }
  }

  // Returns true if a task of the list reads the value. `stage`: only tasks of
  // this stage count; nothing: all count.
  static bool isRead(ArrayRef<TaskFacts> tasks, StringAttr name,
                     std::optional<int64_t> stage) {
    return llvm::any_of(tasks, [&](const TaskFacts &task) {
      return (!stage || task.stage == *stage) && task.reads.contains(name);
    });
  }
  bool isReadBack(StringAttr name, std::optional<int64_t> stage) const {
    return isRead(backward, name, stage) || isRead(weights, name, stage);
  }

  static StringAttr nameOf(func::FuncOp func, unsigned result) {
    return func.getResultAttrOfType<StringAttr>(result, valueAttrName);
  }
  static InFlightDiagnostic refuse(func::FuncOp func, unsigned result) {
    return func.emitError() << "result " << result << ", '"
                            << nameOf(func, result).getValue() << "', ";
  }

  // Checks the form in which a narrowed value is stored.
  LogicalResult checkFormat(const TaskFacts &task, unsigned result,
                            planning::NumberFormat format) {
    func::FuncOp func = task.func;
    StringRef name = nameOf(func, result).getValue(),
              text = planning::getName(format);
    bool isScale = name.contains((":" + text + ":scale").str());
    auto type = cast<RankedTensorType>(func.getResultTypes()[result]);
    const planning::NumberFormatInfo &info = planning::getInfo(format);
    MLIRContext *context = func.getContext();
    Type expected;
    switch (info.code) {
    case planning::CodeType::BF16:
      expected = BFloat16Type::get(context);
      break;
    case planning::CodeType::F8E4M3FN:
      expected = Float8E4M3FNType::get(context);
      break;
    case planning::CodeType::I8:
      expected = IntegerType::get(context, 8);
      break;
    }
    if (isScale && info.scale == planning::ScaleType::F32)
      expected = Float32Type::get(context);
    if (type.getElementType() != expected)
      return refuse(func, result)
             << "is narrowed to '" << text << "': expected elements of type "
             << expected << ", found " << type;
    size_t end = name.rfind((":" + text).str());
    if (end == StringRef::npos)
      return refuse(func, result)
             << "is narrowed: expected a name with ':" << text << "'";
    if (isReadBack(StringAttr::get(context, name.take_front(end)),
                   std::nullopt))
      return refuse(func, result) << "is narrowed, but the backward pass reads "
                                     "the whole value, too";
    return success();
  }

  LogicalResult checkResult(const TaskFacts &task, unsigned result,
                            bool isForward) {
    func::FuncOp func = task.func;
    Attribute attribute = func.getResultAttr(result, fateAttrName);
    auto fate = dyn_cast_or_null<FateAttr>(attribute);
    StringAttr name = nameOf(func, result);
    if (attribute && !fate)
      return func.emitError()
             << "result " << result << ": expected '" << fateAttrName
             << "' to be a #dist.fate, found " << attribute;
    if (!name && fate)
      return func.emitError() << "result " << result << ": only a value has a '"
                              << fateAttrName << "'";
    if (!name)
      return success();
    if (!fate && isForward && isReadBack(name, task.stage))
      return refuse(func, result)
             << "is read by the backward pass: expected a '" << fateAttrName
             << "', found none";
    if (!fate)
      return success();
    if (fate.getValue() == Fate::HandedOver)
      return checkHanded(task, result, isForward);
    if (!isForward || !isStored(fate.getValue()))
      return refuse(func, result)
             << "is stored by a " << (isForward ? "forward" : "backward")
             << " task: expected another fate, found " << fate;
    if (!isReadBack(name, std::nullopt))
      return refuse(func, result)
             << "has the fate " << fate << ", but no backward task reads it";
    if (fate.getValue() == Fate::Moved && sent.contains(name))
      return refuse(func, result) << "has the fate " << fate
                                  << ", but it is sent from device to device";
    return fate.getFormat() ? checkFormat(task, result, *fate.getFormat())
                            : success();
  }

  LogicalResult checkHanded(const TaskFacts &task, unsigned result,
                            bool isForward) {
    func::FuncOp func = task.func;
    Operation *op = func.getBody()
                        .front()
                        .getTerminator()
                        ->getOperand(result)
                        .getDefiningOp();
    if (isForward || !op || !op->hasAttr(againAttrName))
      return refuse(func, result)
             << "is handed over: expected a backward task that computes it "
                "again ('"
             << againAttrName << "')";
    if (!isRead(weights, nameOf(func, result), task.stage))
      return refuse(func, result) << "is handed over, but no task of weights' "
                                     "gradients of its stage reads it";
    return success();
  }

  // Checks the ops whose values are not stored.
  LogicalResult checkOps() {
    llvm::MapVector<OpKind, std::pair<Operation *, size_t>> repeated;
    for (const TaskFacts &task : forward) {
      func::FuncOp func = task.func;
      Operation *end = func.getBody().front().getTerminator();
      llvm::DenseMap<Operation *, SmallVector<unsigned>> results;
      for (OpOperand &operand : end->getOpOperands())
        if (Operation *op = operand.get().getDefiningOp())
          results[op].push_back(operand.getOperandNumber());
      for (Operation &op : func.getBody().front().without_terminator()) {
        Attribute attribute = op.getDiscardableAttr(fateAttrName);
        if (!attribute)
          continue;
        std::optional<Fate> fate = readFate(attribute);
        if (fate != Fate::Recomputed && fate != Fate::GatheredAgain)
          return op.emitOpError("expected '")
                 << fateAttrName << "' of an op to be "
                 << FateAttr::get(op.getContext(), Fate::Recomputed) << " or "
                 << FateAttr::get(op.getContext(), Fate::GatheredAgain)
                 << ", found " << attribute;
        for (unsigned result : results[&op])
          if (StringAttr name = nameOf(func, result);
              name && isReadBack(name, task.stage))
            return op.emitOpError("has the fate ")
                   << attribute << ", but its value '" << name.getValue()
                   << "' is kept for the backward pass";
        auto &known = repeated.insert({kindOf(&op), {&op, 0}}).first->second;
        ++known.second;
      }
    }
    llvm::DenseMap<OpKind, size_t> again;
    for (ArrayRef<TaskFacts> tasks : {ArrayRef(backward), ArrayRef(weights)})
      for (const TaskFacts &task : tasks)
        for (Operation &op : TaskFacts(task).func.getBody().front()) {
          if (op.hasAttr(fateAttrName))
            return op.emitOpError("expected no '")
                   << fateAttrName << "' in a backward task";
          if (op.hasAttr(againAttrName))
            ++again[kindOf(&op)];
        }
    for (auto &[kind, known] : repeated)
      if (size_t times = again.lookup(kind); times < known.second)
        return known.first->emitOpError("has the fate ")
               << known.first->getAttr(fateAttrName) << ": expected "
               << known.second
               << " such ops to be repeated in backward tasks ('"
               << againAttrName << "'), found " << times;
    return success();
  }

  void runOnOperation() override {
    collect(getOperation());
    auto check = [&](ArrayRef<TaskFacts> tasks, bool isForward) {
      return llvm::all_of(tasks, [&](const TaskFacts &task) {
        func::FuncOp func = task.func;
        return llvm::all_of(llvm::seq(func.getNumResults()), [&](unsigned i) {
          return succeeded(checkResult(task, i, isForward));
        });
      });
    };
    if (!check(forward, true) || !check(backward, false) ||
        !check(weights, false) || failed(checkOps()))
      signalPassFailure();
  }
};
} // namespace
} // namespace zcc
