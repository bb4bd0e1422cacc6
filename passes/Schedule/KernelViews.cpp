// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Schedule/KernelViews.h"
#include "dialects/Exec/Exec.h"
#include "dialects/TensorBytes.h"
#include "dialects/Train/Train.h"
#include "passes/Schedule/TaskEmitter.h"

using namespace mlir;

namespace zcc {

/// Returns the number of elements before the slice if it has no holes; else
/// nullopt. It has none if its dims are single indices, then one range, then
/// whole dims.
static std::optional<int64_t> contiguousBegin(train::SliceOp op) {
  ArrayRef<int64_t> shape = train::shapeOf(op.getOperand()),
                    taken = train::shapeOf(op.getResult());
  int64_t begin = 0;
  bool isRange = false;
  for (unsigned d = 0; d < shape.size(); ++d) {
    begin = begin * shape[d] + op.getStart()[d];
    if (isRange && taken[d] != shape[d])
      return std::nullopt;
    if (taken[d] != 1) {
      if (op.getStride()[d] != 1)
        return std::nullopt;
      isRange = true;
    }
  }
  return begin;
}

SmallVector<ArgumentView> findSlices(func::FuncOp kernel) {
  SmallVector<ArgumentView> out;
  for (Value value : kernel.front().getTerminator()->getOperands()) {
    auto type = train::tensorType(value);
    int64_t bytes = getElementBytes(type.getElementType()), begin = 0;
    while (Operation *op = value.getDefiningOp()) {
      if (auto slice = dyn_cast<train::SliceOp>(op)) {
        std::optional<int64_t> own = contiguousBegin(slice);
        if (!own)
          return {};
        begin += *own * bytes;
      } else if (!isAlias(op)) {
        return {};
      }
      value = op->getOperand(0);
    }
    if (type.getNumElements() == 0)
      return {};
    out.push_back({cast<BlockArgument>(value).getArgNumber(), begin});
  }
  return out;
}

SmallVector<ArgumentView> findParts(func::FuncOp kernel) {
  Operation *end = kernel.front().getTerminator();
  if (end->getNumOperands() != 1)
    return {};
  Value result = resolveAlias(end->getOperand(0));
  auto join = result.getDefiningOp<train::ConcatenateOp>();
  if (!join || llvm::any_of(train::shapeOf(result).take_front(join.getDim()),
                            [](int64_t extent) { return extent != 1; }))
    return {};
  SmallVector<ArgumentView> out;
  int64_t begin = 0;
  for (Value input : join.getInputs()) {
    auto argument = dyn_cast<BlockArgument>(resolveAlias(input));
    int64_t bytes = getTensorBytes(train::tensorType(input));
    if (!argument || bytes == 0)
      return {};
    out.push_back({argument.getArgNumber(), begin});
    begin += bytes;
  }
  return out;
}

bool mayWriteInto(func::FuncOp kernel, const exec::KernelForm &form,
                  unsigned argument, unsigned result) {
  if (!form.pointwise && !form.absorbs)
    return false;
  KernelBody body;
  for (Operation &op : kernel.front().without_terminator())
    body.ops.push_back(&op);
  body.outputs.assign(kernel.front().getTerminator()->operand_begin(),
                      kernel.front().getTerminator()->operand_end());
  Value input = kernel.getArgument(argument), output = body.outputs[result];
  // Their types must be equal: kernels know that such buffers may be the same.
  return train::tensorType(input).getElementType() ==
             train::tensorType(output).getElementType() &&
         train::tensorType(input).getNumElements() ==
             train::tensorType(output).getNumElements() &&
         canUpdateInPlace(body, form, input, output);
}

} // namespace zcc
