// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/cuda/LibraryAttention.h"
#include "compiler/backend/FormatType.h"
#include "compiler/codegen/KernelForm.h"
#include "compiler/cuda/ProductOperand.h"
#include "dialects/Train/Attention.h"
#include "dialects/Train/StridedView.h"
#include "runtime/format/executable.pb.h"

using namespace mlir;

namespace zcc::cuda {
namespace {

using rt::format::Attention;

bool isView(Operation *op) {
  return isa_and_present<train::ReshapeOp, train::TransposeOp, train::SliceOp,
                         train::BroadcastOp>(op);
}

/// A tensor [batches, rows, heads, n] in memory, with strides in elements.
struct Tensor {
  Value memory;
  int64_t begin = 0, batchStride = 0, rowStride = 0, headStride = 0;
};

/// Returns the tensor of a view [batch..., rows, heads, n]; nullopt if cuDNN
/// cannot access it in units of 16 bytes.
std::optional<Tensor> toTensor(const train::StridedView &view,
                               ArrayRef<int64_t> shape) {
  size_t rank = shape.size();
  // Dims of size 1 get the strides of a dense tensor.
  SmallVector<int64_t> strides(view.strides);
  for (size_t d = rank; d-- > 0;)
    if (shape[d] == 1)
      strides[d] = d + 1 == rank ? 1 : strides[d + 1] * shape[d + 1];
  // Dims of size 1 do not determine the layout, so only larger dims are
  // checked.
  int64_t batches = 1;
  for (size_t d = 0; d + 3 < rank; ++d) {
    if (d + 4 < rank && strides[d] != strides[d + 1] * shape[d + 1])
      return std::nullopt;
    batches *= shape[d];
  }
  Tensor out{view.base, view.offset, rank > 3 ? strides[rank - 4] : 0,
             strides[rank - 3], strides[rank - 2]};
  if (batches == 1)
    out.batchStride = strides[rank - 3] * shape[rank - 3];
  for (int64_t stride : {out.batchStride, out.rowStride, out.headStride})
    if (stride == 0 || stride % 8 != 0)
      return std::nullopt;
  if (out.begin % 8 != 0 || strides[rank - 1] != 1)
    return std::nullopt;
  return out;
}

/// Returns a value [batch..., rows, heads, n] as a view; nullopt if cuDNN
/// cannot read it in units of 16 bytes.
std::optional<Tensor> viewOf(Value value) {
  std::optional<train::StridedView> view = train::getStridedView(
      value, [](Value part) { return isView(part.getDefiningOp()); });
  return view ? toTensor(*view, train::shapeOf(value)) : std::nullopt;
}

/// Returns the operand as a view, if it is one; else in memory of its own.
Tensor findTensor(Value value) {
  if (std::optional<Tensor> view = viewOf(value))
    return *view;
  ArrayRef<int64_t> shape = train::shapeOf(value);
  size_t rank = shape.size();
  int64_t head = shape[rank - 1], row = head * shape[rank - 2];
  return {value, 0, row * shape[rank - 3], row, head};
}

/// Returns true if cuDNN supports the op, apart from the layout of its
/// operands.
bool hasShape(const train::Attention &a, bool isGradient) {
  Type type = elementOf(a.query);
  // These are the limits that all chips and all versions from 9.12 on support:
  // heads of up to 128 elements; in the gradient, until 9.15, only whole blocks
  // of keys. The parts (CudnnAttention.cpp) begin at multiples of 16 bytes of
  // statistics.
  return (type.isBF16() || type.isF16()) && elementOf(a.key) == type &&
         elementOf(a.value) == type && !a.bias && !a.mask && !a.queryOrigin &&
         !a.keyOrigin && !a.kept && !a.block && !a.before &&
         (!a.after || *a.after == 0) && a.depth % 8 == 0 && a.depth <= 128 &&
         a.depth > 0 && a.valueDepth % 8 == 0 && a.valueDepth <= 128 &&
         a.valueDepth > 0 && a.batches() > 0 && a.queries > 1 && a.keys > 1 &&
         a.keyHeads > 0 &&
         (!isGradient || (a.keys % 128 == 0 && a.queries % 4 == 0));
}

/// Returns true if the result replaces delta.
bool takesResult(train::AttentionGradientOp op) {
  return train::tensorType(op.getDelta()).getRank() ==
         train::tensorType(op.getGradient()).getRank();
}

struct AttentionMatch {
  Operation *op;
  // Query, key, value; for gradients also result and cotangent.
  SmallVector<Tensor> operands;
  // The result; for gradients those of query, key and value.
  SmallVector<Tensor> results;
};

/// Returns the operands of an attention, or of a gradient that takes the
/// result.
SmallVector<Value> operandsOf(Operation *op) {
  train::Attention a = train::Attention::of(op);
  SmallVector<Value> values{a.query, a.key, a.value};
  if (auto gradient = dyn_cast<train::AttentionGradientOp>(op))
    values.append({gradient.getDelta(), gradient.getGradient()});
  return values;
}

std::optional<AttentionMatch> findOp(Operation *op) {
  auto gradient = dyn_cast<train::AttentionGradientOp>(op);
  if (!gradient && !isa<train::AttentionOp>(op))
    return std::nullopt;
  train::Attention a = train::Attention::of(op);
  if (!hasShape(a, gradient != nullptr) || (gradient && !takesResult(gradient)))
    return std::nullopt;
  AttentionMatch found{op, {}, {}};
  for (Value value : operandsOf(op))
    found.operands.push_back(findTensor(value));
  return found;
}

/// Returns the results of an attention as they lie in the outputs: that of the
/// attention, or the three of its gradient. cuDNN does not compute the
/// statistics alone, nor only some of the gradients, and writes each once.
std::optional<SmallVector<Tensor>> findResults(Operation *root,
                                               ArrayRef<Operation *> ops,
                                               ArrayRef<Value> outputs) {
  llvm::SmallPtrSet<Operation *, 8> inside(ops.begin(), ops.end());
  SmallVector<Tensor> out(isa<train::AttentionGradientOp>(root) ? 3 : 1);
  for (Value output : outputs) {
    if (isa<train::AttentionOp>(root) && output == root->getResult(1))
      continue;
    auto placed = train::placeResults(root, output, [&](Value v) {
      return inside.contains(v.getDefiningOp());
    });
    if (!placed)
      return std::nullopt;
    for (const train::PlacedResult &own : *placed) {
      if (own.number >= out.size() || out[own.number].memory)
        return std::nullopt;
      std::optional<Tensor> tensor =
          toTensor(own.view, train::shapeOf(root->getResult(own.number)));
      if (!tensor)
        return std::nullopt;
      out[own.number] = *tensor;
    }
  }
  if (llvm::any_of(out, [](const Tensor &own) { return !own.memory; }))
    return std::nullopt;
  return out;
}

std::optional<AttentionMatch> findKernel(ArrayRef<Operation *> ops,
                                         ArrayRef<Value> outputs) {
  Operation *root = nullptr;
  for (Operation *op : ops) {
    if (isView(op) || isa<train::ConcatenateOp>(op))
      continue;
    if (root)
      return std::nullopt;
    root = op;
  }
  if (!root || !train::Attention::isAttention(root))
    return std::nullopt;
  std::optional<SmallVector<Tensor>> results = findResults(root, ops, outputs);
  if (!results)
    return std::nullopt;
  std::optional<AttentionMatch> found = findOp(root);
  llvm::SmallPtrSet<Operation *, 8> inside(ops.begin(), ops.end());
  auto isMade = [&](Value memory) {
    return memory.getDefiningOp() && inside.contains(memory.getDefiningOp());
  };
  if (!found || llvm::any_of(found->operands, [&](const Tensor &tensor) {
        return isMade(tensor.memory);
      }))
    return std::nullopt;
  found->results = std::move(*results);
  if (auto gradient = dyn_cast<train::AttentionGradientOp>(root))
    if (isMade(gradient.getLse()) &&
        !isa<train::ReshapeOp>(gradient.getLse().getDefiningOp()))
      return std::nullopt;
  return found;
}

/// Returns an upper bound of the bytes that a gradient holds for so many
/// batches and heads: the scores' cotangents in 16 bits, padded to blocks of
/// 128, heads that share keys, delta, and a reserve.
uint64_t heldBytes(const train::Attention &a, int64_t batches, int64_t heads) {
  auto padded = [](int64_t n) { return uint64_t(llvm::alignTo(n, 128)); };
  uint64_t matrices = uint64_t(batches) * uint64_t(heads);
  uint64_t bytes = matrices * padded(a.queries) * (padded(a.keys) * 2 + 8);
  if (a.heads != a.keyHeads)
    bytes += matrices * padded(a.keys) * uint64_t(a.depth + a.valueDepth) * 2;
  return bytes + (1 << 20);
}

uint64_t workspaceOf(const train::Attention &a, bool isGradient) {
  if (!isGradient)
    return 4 << 20;
  // The limit is that of kernels' scratch: 64 MiB unless one item needs more
  // (0028).
  uint64_t one = heldBytes(a, 1, a.group());
  return std::min(heldBytes(a, a.batches(), a.heads),
                  std::max<uint64_t>(64 << 20, one));
}

/// Returns the tensor that is multiplied by the cotangent in the sum that
/// computes delta, or null.
Value findResult(train::AttentionGradientOp op) {
  auto unwidened = [](Value value) {
    auto convert = value.getDefiningOp<train::ConvertOp>();
    return convert ? convert.getOperand() : value;
  };
  auto sum = op.getDelta().getDefiningOp<train::ReduceOp>();
  int64_t last = train::tensorType(op.getGradient()).getRank() - 1;
  if (!sum || sum.getKind() != train::ReduceKind::add ||
      sum.getDims() != ArrayRef<int64_t>(last))
    return nullptr;
  auto product = sum.getOperand().getDefiningOp<train::MulOp>();
  if (!product)
    return nullptr;
  Value x = unwidened(product->getOperand(0)),
        y = unwidened(product->getOperand(1));
  if (y == op.getGradient())
    std::swap(x, y);
  return x == op.getGradient() && y.getType() == x.getType() ? y : Value();
}

} // namespace

bool isLibraryAttention(ArrayRef<Operation *> ops, ArrayRef<Value> outputs) {
  return findKernel(ops, outputs).has_value();
}

bool isLibraryAttention(Operation *op) { return findOp(op).has_value(); }

void takeResult(train::AttentionGradientOp op) {
  train::Attention a(op);
  Value result = takesResult(op) ? Value() : findResult(op);
  if (!result || !hasShape(a, /*isGradient=*/true))
    return;
  OpBuilder builder(op);
  SmallVector<int64_t> order;
  for (int64_t d = 0, rank = train::tensorType(op.getLse()).getRank(); d < rank;
       ++d)
    order.push_back(d);
  std::swap(order[order.size() - 1], order[order.size() - 2]);
  Value delta = op.getDelta();
  op.getDeltaMutable().set(result);
  op.getLseMutable().set(
      train::transpose(builder, op.getLoc(), op.getLse(), order));
  // The ops that made delta are mostly dead now.
  SmallVector<Operation *> dead{delta.getDefiningOp()};
  while (!dead.empty()) {
    Operation *last = dead.pop_back_val();
    if (!last || !last->use_empty() ||
        !isa<train::ReduceOp, train::MulOp, train::ConvertOp>(last))
      continue;
    SmallVector<Value> operands(last->getOperands());
    last->erase();
    for (Value operand :
         llvm::SetVector<Value>(operands.begin(), operands.end()))
      dead.push_back(operand.getDefiningOp());
  }
}

SmallVector<Value> getCopied(Operation *op) {
  SmallVector<Value> out;
  for (Value value : operandsOf(op))
    if (!viewOf(value))
      out.push_back(value);
  return out;
}

std::optional<AttentionCall> buildAttention(func::FuncOp kernel) {
  std::optional<codegen::KernelBody> body = codegen::getKernelBody(kernel);
  std::optional<AttentionMatch> found =
      body ? findKernel(body->ops, body->outputs) : std::nullopt;
  if (!found)
    return std::nullopt;
  train::Attention a = train::Attention::of(found->op);
  auto gradient = dyn_cast<train::AttentionGradientOp>(found->op);
  rt::format::Kernel message;
  Attention &out = *message.mutable_attention();
  out.set_type(toFormatType(elementOf(a.query)));
  out.set_batches(uint64_t(a.batches()));
  out.set_queries(uint64_t(a.queries));
  out.set_keys(uint64_t(a.keys));
  out.set_heads(uint64_t(a.heads));
  out.set_key_heads(uint64_t(a.keyHeads));
  out.set_depth(uint64_t(a.depth));
  out.set_value_depth(uint64_t(a.valueDepth));
  out.set_scale(a.scale);
  out.set_causal(a.after.has_value());
  auto bufferOf = [&](Value memory) {
    if (auto argument = dyn_cast<BlockArgument>(memory))
      return argument.getArgNumber();
    const auto *output = llvm::find(body->outputs, memory);
    return output == body->outputs.end()
               ? UINT32_MAX
               : kernel.getNumArguments() +
                     static_cast<uint32_t>(output - body->outputs.begin());
  };
  auto fill = [&](const Tensor &from, Attention::Tensor &to) {
    to.set_buffer(bufferOf(from.memory));
    to.set_begin(uint64_t(from.begin));
    to.set_batch_stride(uint64_t(from.batchStride));
    to.set_row_stride(uint64_t(from.rowStride));
    to.set_head_stride(uint64_t(from.headStride));
  };
  fill(found->operands[0], *out.mutable_query());
  fill(found->operands[1], *out.mutable_key());
  fill(found->operands[2], *out.mutable_value());
  if (!gradient) {
    fill(found->results[0], *out.mutable_result());
    // 0 means none.
    out.set_statistics(bufferOf(found->op->getResult(1)) + 1);
  } else {
    fill(found->operands[3], *out.mutable_result());
    fill(found->operands[4], *out.mutable_cotangent());
    out.set_statistics(bufferOf(train::beforeReshapes(gradient.getLse())) + 1);
    fill(found->results[0], *out.mutable_query_gradient());
    fill(found->results[1], *out.mutable_key_gradient());
    fill(found->results[2], *out.mutable_value_gradient());
  }
  return AttentionCall{message.SerializeAsString(),
                       workspaceOf(a, gradient != nullptr)};
}

} // namespace zcc::cuda
