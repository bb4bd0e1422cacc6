// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Schedule/KernelTable.h"

#include "dialects/Exec/Exec.h"
#include "dialects/Exec/AttributeNames.h"
#include "dialects/Train/Attention.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace zcc {

/// A backend sets these attributes on ops; they stay on the op in its kernel.
static constexpr StringLiteral keptAttrs[] = {exec::fitsTf32AttrName,
                                              exec::tensorCoresAttrName};

Operation *mainOp(const KernelBody &body) {
  auto rank = [](Operation *op) {
    if (isa<train::DotGeneralOp, train::ConvolutionOp>(op) ||
        train::Attention::isAttention(op))
      return 5;
    if (isa<train::ScatterOp, train::SortOp, train::CumulativeOp,
            train::ReduceWindowOp, train::SelectAndScatterOp, train::UpdateOp>(
            op))
      return 4;
    if (isa<train::ReduceOp, train::ArgReduceOp, train::SumOfSquaresOp>(op))
      return 3;
    if (op->hasTrait<train::ElementwiseOp>() && !isa<train::ConvertOp>(op))
      return 2;
    return isa<train::ConstantOp>(op) ? 0 : 1;
  };
  Operation *best = body.ops.front();
  for (Operation *op : body.ops)
    if (rank(op) >= rank(best))
      best = op;
  return best;
}

KernelTable::Entry KernelTable::get(const KernelBody &body,
                                    const exec::KernelForm &form) {
  Entry out;
  std::vector<uintptr_t> key;
  auto add = [&](const void *pointer) {
    key.push_back(reinterpret_cast<uintptr_t>(pointer));
  };
  DenseMap<Value, uintptr_t> numbers;
  DenseSet<Operation *> inside(body.ops.begin(), body.ops.end());
  for (Operation *op : body.ops) {
    add(op->getName().getAsOpaquePointer());
    add(op->getPropertiesAsAttribute().getAsOpaquePointer());
    for (StringRef name : keptAttrs)
      add(op->getDiscardableAttr(name).getAsOpaquePointer());
    key.push_back(op->getNumOperands());
    for (Value operand : op->getOperands()) {
      auto [at, isNew] = numbers.insert({operand, numbers.size() * 2});
      if (isNew) {
        // Inputs have odd numbers, which results never have.
        at->second |= 1;
        out.inputs.push_back(operand);
        add(operand.getType().getAsOpaquePointer());
      }
      key.push_back(at->second);
    }
    for (Value result : op->getResults()) {
      numbers.insert({result, numbers.size() * 2});
      add(result.getType().getAsOpaquePointer());
    }
  }
  for (Value output : body.outputs)
    key.push_back(numbers.lookup(output));
  func::FuncOp &kernel = kernels[key];
  if (!kernel)
    kernel = make(body, form, out.inputs);
  out.kernel = kernel;
  return out;
}

func::FuncOp KernelTable::make(const KernelBody &body,
                               const exec::KernelForm &form,
                               ArrayRef<Value> inputs) {
  MLIRContext *context = module.getContext();
  OpBuilder builder(context);
  builder.setInsertionPointToEnd(module.getBody());
  Location loc = builder.getUnknownLoc();
  auto types = [](ArrayRef<Value> values) {
    return llvm::map_to_vector(values, [](Value v) { return v.getType(); });
  };
  // An update's kernel has the name of its optimizer.
  Operation *main = mainOp(body);
  auto update = dyn_cast<train::UpdateOp>(main);
  std::string name =
      "k" + std::to_string(kernels.size() - 1) + "_" +
      (update ? update.getOptimizer().str() : backend.nameKernel(main, form));
  auto kernel = func::FuncOp::create(
      builder, loc, name,
      builder.getFunctionType(types(inputs), types(body.outputs)));
  kernel.setPrivate();
  kernel->setAttr(exec::kernelAttrName, builder.getUnitAttr());
  if (!form.library.empty())
    kernel->setAttr(exec::libraryAttrName, builder.getStringAttr(form.library));
  Block *block = kernel.addEntryBlock();
  builder.setInsertionPointToStart(block);
  IRMapping map;
  for (auto [input, argument] : llvm::zip(inputs, block->getArguments())) {
    argument.setLoc(loc);
    map.map(input, argument);
  }
  for (Operation *op : body.ops) {
    Operation *copy = builder.clone(*op, map);
    copy->setDiscardableAttrs(DictionaryAttr::get(context));
    for (StringRef name : keptAttrs)
      if (Attribute kept = op->getDiscardableAttr(name))
        copy->setDiscardableAttr(name, kept);
    copy->setLoc(loc);
  }
  auto results = llvm::map_to_vector(
      body.outputs, [&](Value output) { return map.lookup(output); });
  func::ReturnOp::create(builder, loc, results);
  return kernel;
}

} // namespace zcc
