// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/conformance/Signatures.h"
#include "compiler/cpu/CpuTarget.h"
#include "dialects/Dist/Dist.h"
#include "dialects/Exec/Exec.h"
#include "dialects/Exec/Steps.h"
#include "dialects/Train/Train.h"

using namespace mlir;

namespace zcc::conformance {

static std::string elementOf(Type type) {
  std::string text;
  llvm::raw_string_ostream(text)
      << cast<RankedTensorType>(type).getElementType();
  return text;
}

Signatures signaturesOf(func::FuncOp kernel) {
  Signatures out;
  static const CpuTarget cpu;
  std::optional<exec::KernelForm> form = cpu.classify(kernel);
  std::string prefix =
      "kernel " + (form ? form->name.str() : std::string("none")) + ": ";
  for (Operation &op : kernel.getBody().front().without_terminator()) {
    std::string line = prefix + op.getName().stripDialect().str();
    if (auto kind = op.getAttrOfType<train::ReduceKindAttr>("kind"))
      line += " " + train::stringifyReduceKind(kind.getValue()).str();
    if (auto update = dyn_cast<train::UpdateOp>(op))
      line += " " + update.getOptimizer().str();
    // A list of values of one type counts as one.
    std::string last;
    for (Type type : op.getOperandTypes())
      if (std::string element = elementOf(type);
          !isa<train::ConcatenateOp>(op) || element != last)
        line += " " + (last = element);
    line += " ->";
    for (Type type : op.getResultTypes())
      line += " " + elementOf(type);
    out.insert(line);
  }
  return out;
}

static std::string describe(exec::CollectiveOp op) {
  std::string line = dist::stringifyCollectiveKind(op.getKind()).str();
  if (op.getWindows())
    line += " windows";
  if (op.getSourcePart() || op.getTargetPart())
    line += " rows";
  if (!op.getReduction().empty())
    line += " " + op.getReduction().str();
  return line + " " +
         elementOf(
             cast<exec::BufferType>(op.getSource().getType()).getTensor());
}

Signatures stepSignaturesOf(ModuleOp module) {
  Signatures out;
  module.walk([&](Operation *op) {
    if (auto bucket = dyn_cast<exec::BucketOp>(op)) {
      auto members = bucket.getBody().getOps<exec::CollectiveOp>();
      out.insert("step bucket " + describe(*members.begin()));
    } else if (auto collective = dyn_cast<exec::CollectiveOp>(op)) {
      if (!isa<exec::BucketOp>(op->getParentOp()))
        out.insert("step " + describe(collective));
    } else if (auto fill = dyn_cast<exec::FillOp>(op)) {
      auto type = cast<exec::BufferType>(fill.getTarget().getType());
      out.insert("step fill " + elementOf(type.getTensor()));
    } else if (auto copy = dyn_cast<exec::CopyOp>(op)) {
      bool isLoad =
          exec::getMemorySpace(copy.getSource()) != MemorySpace::Device;
      out.insert(!exec::isTransfer(copy) ? "step copy"
                 : isLoad                ? "step load"
                                         : "step store");
    } else if (isa<exec::RepeatOp>(op)) {
      out.insert("step repeat");
    } else if (isa<exec::BatchOp>(op)) {
      out.insert("step batch");
    }
  });
  return out;
}

} // namespace zcc::conformance
