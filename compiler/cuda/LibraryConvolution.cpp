// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// StableHLO has one form of convolution for all three of cuDNN's:
//
//   result[n, o, y] = sum over c, k of
//       lhs[n, c, y stride + k dilation - low] rhs[c, o, k]
//
// Forward, lhs is the input and rhs the filter. The input's gradient has holes
// in lhs, the output's cotangent, where the strides were, and the filter
// reversed. The filter's has batch and features exchanged in lhs, the input;
// rhs is the cotangent, strides are dilations and dilations strides.
#include "compiler/cuda/LibraryConvolution.h"
#include "compiler/backend/FormatType.h"
#include "compiler/codegen/KernelForm.h"
#include "compiler/cuda/ProductOperand.h"
#include "dialects/Exec/AttributeNames.h"
#include "dialects/Train/StridedView.h"
#include "runtime/format/executable.pb.h"

using namespace mlir;

namespace zcc::cuda {
namespace {

using rt::format::Convolution;
using Dims = SmallVector<int64_t, 5>;

/// The roles of a tensor's dims: its first and second dim in cuDNN's order, and
/// the spatial ones.
struct Parts {
  int64_t first, second;
  ArrayRef<int64_t> spatial;

  Dims order(bool featuresLast) const {
    Dims out{first};
    if (!featuresLast)
      out.push_back(second);
    out.append(spatial.begin(), spatial.end());
    if (featuresLast)
      out.push_back(second);
    return out;
  }
  /// Returns true if that is the order in memory; dims of size 1 may be
  /// anywhere.
  bool liesAs(bool featuresLast, ArrayRef<int64_t> shape) const {
    Dims real;
    for (int64_t dim : order(featuresLast))
      if (shape[dim] != 1)
        real.push_back(dim);
    return llvm::is_sorted(real);
  }
};

Parts partsOf(ArrayRef<int64_t> dims, bool exchanged = false) {
  return {dims[exchanged ? 1 : 0], dims[exchanged ? 0 : 1], dims.drop_front(2)};
}

/// One of the three forms that an op may have, with the roles of its tensors.
struct Form {
  Convolution::Kind kind;
  // The tensors of the forward convolution.
  Value input, filter, output;
  Parts inputParts, filterParts, outputParts;
  ArrayRef<int64_t> strides, dilations;
  Dims low, high;
};

Dims extentsOf(Value value, ArrayRef<int64_t> dims) {
  Dims out;
  for (int64_t dim : dims)
    out.push_back(train::shapeOf(value)[dim]);
  return out;
}

bool isOne(ArrayRef<int64_t> values) {
  return llvm::all_of(values, [](int64_t x) { return x == 1; });
}

/// Sets the padding at the end. Its excess beyond the last window's end does
/// not matter: it equals the padding in front if possible.
bool choosePadding(Form &form) {
  Dims input = extentsOf(form.input, form.inputParts.spatial),
       filter = extentsOf(form.filter, form.filterParts.spatial),
       output = extentsOf(form.output, form.outputParts.spatial);
  for (size_t d = 0; d < input.size(); ++d) {
    if (input[d] == 0 || filter[d] == 0 || output[d] == 0 || form.low[d] < 0)
      return false;
    int64_t window = (filter[d] - 1) * form.dilations[d] + 1,
            least = (output[d] - 1) * form.strides[d] + window - input[d] -
                    form.low[d],
            most = least + form.strides[d] - 1, low = form.low[d];
    if (most < 0)
      return false;
    form.high.push_back(
        least <= low && low <= most ? low : std::max<int64_t>(least, 0));
  }
  return true;
}

std::optional<Form> forward(train::ConvolutionOp op) {
  if (!isOne(op.getLhsDilation()) || op.getBatchGroups() != 1)
    return std::nullopt;
  return Form{Convolution::FORWARD,
              op.getLhs(),
              op.getRhs(),
              op.getResult(),
              partsOf(op.getInputDims()),
              partsOf(op.getKernelDims(), /*exchanged=*/true),
              partsOf(op.getOutputDims()),
              op.getStrides(),
              op.getRhsDilation(),
              Dims(op.getPadLow()),
              {}};
}

std::optional<Form> filterGradient(train::ConvolutionOp op) {
  if (!isOne(op.getLhsDilation()) || op.getBatchGroups() != 1 ||
      op.getFeatureGroups() != 1)
    return std::nullopt;
  return Form{Convolution::FILTER_GRADIENT,
              op.getLhs(),
              op.getResult(),
              op.getRhs(),
              partsOf(op.getInputDims(), /*exchanged=*/true),
              partsOf(op.getOutputDims(), /*exchanged=*/true),
              partsOf(op.getKernelDims()),
              op.getRhsDilation(),
              op.getStrides(),
              Dims(op.getPadLow()),
              {}};
}

std::optional<Form> inputGradient(train::ConvolutionOp op) {
  if (!isOne(op.getStrides()) || op.getBatchGroups() != 1 ||
      op.getFeatureGroups() != 1)
    return std::nullopt;
  Form form{Convolution::INPUT_GRADIENT,
            op.getResult(),
            op.getRhs(),
            op.getLhs(),
            partsOf(op.getOutputDims()),
            partsOf(op.getKernelDims()),
            partsOf(op.getInputDims()),
            op.getLhsDilation(),
            op.getRhsDilation(),
            {},
            {}};
  Dims filter = extentsOf(form.filter, form.filterParts.spatial);
  for (size_t d = 0; d < filter.size(); ++d)
    form.low.push_back((filter[d] - 1) * form.dilations[d] - op.getPadLow()[d]);
  return form;
}

/// Returns true if the filter is reversed as expected, in all dims larger than
/// 1.
bool isReversed(train::ConvolutionOp op, bool expected) {
  Dims filter = extentsOf(op.getRhs(), op.getKernelDims().drop_front(2));
  for (auto [extent, reversal] : llvm::zip(filter, op.getReversal()))
    if (extent != 1 && reversal != expected)
      return false;
  return true;
}

bool filterLies(const Form &form, bool featuresLast) {
  return form.filterParts.liesAs(featuresLast, train::shapeOf(form.filter));
}

/// Returns the form of an op whose tensors, except the filter, have a layout
/// that cuDNN supports, and true if features are the last dim.
std::optional<std::pair<Form, bool>> findForm(train::ConvolutionOp op) {
  size_t spatial = op.getStrides().size();
  if (spatial < 1 || spatial > 3 ||
      train::tensorType(op.getResult()).getNumElements() == 0)
    return std::nullopt;
  SmallVector<std::optional<Form>, 3> forms;
  if (isReversed(op, false))
    forms = {forward(op), filterGradient(op)};
  if (isReversed(op, true))
    forms.push_back(inputGradient(op));
  // Prefers a form that needs no transposed filter: with dims of size 1 several
  // forms may fit.
  std::optional<std::pair<Form, bool>> found;
  for (std::optional<Form> &form : forms) {
    if (!form || !choosePadding(*form))
      continue;
    for (bool featuresLast : {true, false}) {
      if (!form->inputParts.liesAs(featuresLast, train::shapeOf(form->input)) ||
          !form->outputParts.liesAs(featuresLast, train::shapeOf(form->output)))
        continue;
      if (filterLies(*form, featuresLast))
        return std::pair{*form, featuresLast};
      if (!found)
        found = {*form, featuresLast};
    }
  }
  return found;
}

/// Returns true if cuDNN supports the types, with a result that is rounded to
/// `to`.
bool hasTypes(train::ConvolutionOp op, Type to) {
  Type from = elementOf(op.getLhs()), own = elementOf(op.getResult());
  return elementOf(op.getRhs()) == from && to == from &&
         (from.isF32() || isNarrow(from)) && (own == from || own.isF32());
}

/// Returns the rounding that is the only user of the result, or null.
train::ConvertOp findRounding(train::ConvolutionOp op) {
  if (!op.getResult().hasOneUse())
    return nullptr;
  auto convert = dyn_cast<train::ConvertOp>(*op.getResult().user_begin());
  return convert && elementOf(op.getResult()).isF32() &&
                 isNarrow(elementOf(convert.getResult()))
             ? convert
             : nullptr;
}

/// Returns true if the result is the operand's memory with another shape.
bool isSameMemory(Operation *op) {
  if (isa<train::ReshapeOp>(op))
    return true;
  if (!isa<train::TransposeOp, train::BroadcastOp>(op) ||
      train::tensorType(op->getOperand(0)).getNumElements() !=
          train::tensorType(op->getResult(0)).getNumElements())
    return false;
  auto view = train::getStridedView(
      op->getResult(0), [&](Value part) { return part.getDefiningOp() == op; });
  int64_t stride = 1;
  ArrayRef<int64_t> shape = train::shapeOf(op->getResult(0));
  for (size_t d = shape.size(); view && d-- > 0; stride *= shape[d])
    if (shape[d] != 1 && view->strides[d] != stride)
      return false;
  return view && view->offset == 0;
}

struct ConvolutionMatch {
  Form form;
  bool featuresLast;
  Value lhs, rhs; // both in memory
  Type type;
  bool fitsTf32;
};

std::optional<ConvolutionMatch> findConvolution(ArrayRef<Operation *> ops,
                                                ArrayRef<Value> outputs) {
  llvm::SmallPtrSet<Operation *, 8> inside(ops.begin(), ops.end()), used;
  train::ConvolutionOp op;
  for (Operation *own : ops)
    if (auto convolution = dyn_cast<train::ConvolutionOp>(own)) {
      if (op)
        return std::nullopt;
      op = convolution;
    }
  if (!op || outputs.size() != 1)
    return std::nullopt;
  used.insert(op);
  auto memoryOf = [&](Value value) {
    while (Operation *def = value.getDefiningOp()) {
      if (!inside.contains(def) || !isSameMemory(def))
        break;
      used.insert(def);
      value = def->getOperand(0);
    }
    return value;
  };
  Value lhs = memoryOf(op.getLhs()), rhs = memoryOf(op.getRhs());
  for (Value value : {lhs, rhs})
    if (Operation *def = value.getDefiningOp(); def && inside.contains(def))
      return std::nullopt;
  Value result = op.getResult();
  while (result != outputs[0]) {
    if (!result.hasOneUse())
      return std::nullopt;
    Operation *next = *result.user_begin();
    if (!inside.contains(next) || !isSameMemory(next))
      return std::nullopt;
    used.insert(next);
    result = next->getResult(0);
  }
  auto form = findForm(op);
  if (!form || !isLibraryConvolution(op) || used.size() != ops.size())
    return std::nullopt;
  return ConvolutionMatch{
      form->first, form->second,      lhs,
      rhs,         elementOf(result), op->hasAttr(exec::fitsTf32AttrName)};
}

} // namespace

bool isLibraryConvolution(ArrayRef<Operation *> ops, ArrayRef<Value> outputs) {
  return findConvolution(ops, outputs).has_value();
}

bool isLibraryConvolution(train::ConvolutionOp op) {
  auto form = findForm(op);
  train::ConvertOp rounding = findRounding(op);
  return form && filterLies(form->first, form->second) &&
         hasTypes(op,
                  elementOf(rounding ? rounding.getResult() : op.getResult()));
}

/// Widens the operands of a filter's gradient in f32 from 16 bits. cuDNN does
/// not compute it from 16-bit operands, but it does from the same operands in
/// f32, on tensor cores, which read them as tf32 without loss.
static void widenOperands(train::ConvolutionOp op) {
  auto found = findForm(op);
  Type from = elementOf(op.getLhs());
  if (!found || found->first.kind != Convolution::FILTER_GRADIENT ||
      !isNarrow(from) || elementOf(op.getRhs()) != from ||
      !elementOf(op.getResult()).isF32() || findRounding(op))
    return;
  OpBuilder builder(op);
  for (OpOperand &operand : op->getOpOperands())
    operand.set(train::convert(builder, op.getLoc(), operand.get(),
                               builder.getF32Type()));
  op->setDiscardableAttr(exec::fitsTf32AttrName, builder.getUnitAttr());
}

void suitLibrary(train::ConvolutionOp op) {
  widenOperands(op);
  auto found = findForm(op);
  train::ConvertOp rounding = findRounding(op);
  Type type = elementOf(rounding ? rounding.getResult() : op.getResult());
  if (!found || !hasTypes(op, type))
    return;
  // The f32 sum is rounded once in either case.
  if (rounding) {
    op.getResult().setType(
        cast<RankedTensorType>(rounding.getResult().getType()));
    rounding.replaceAllUsesWith(op.getResult());
    rounding.erase();
  }
  const Form &form = found->first;
  if (filterLies(form, found->second))
    return;
  Dims order = form.filterParts.order(found->second), inverse(order.size());
  for (auto [to, from] : llvm::enumerate(order))
    inverse[from] = to;
  auto moved = [&](ArrayRef<int64_t> dims) {
    return llvm::map_to_vector(dims, [&](int64_t dim) { return inverse[dim]; });
  };
  OpBuilder builder(op);
  if (form.kind != Convolution::FILTER_GRADIENT) {
    op.getRhsMutable().set(
        train::transpose(builder, op.getLoc(), op.getRhs(), order));
    op.setKernelDims(moved(op.getKernelDims()));
    return;
  }
  SmallVector<int64_t> shape(extentsOf(op.getResult(), order));
  op.setOutputDims(moved(op.getOutputDims()));
  op.getResult().setType(RankedTensorType::get(shape, type));
  builder.setInsertionPointAfter(op);
  Value back = train::transpose(builder, op.getLoc(), op.getResult(), inverse);
  op.getResult().replaceAllUsesExcept(back, back.getDefiningOp());
}

std::optional<std::string> buildConvolution(func::FuncOp kernel, bool asTf32) {
  std::optional<codegen::KernelBody> body = codegen::getKernelBody(kernel);
  std::optional<ConvolutionMatch> found =
      body ? findConvolution(body->ops, body->outputs) : std::nullopt;
  if (!found)
    return std::nullopt;
  const Form &form = found->form;
  auto argument = [](Value memory) {
    return cast<BlockArgument>(memory).getArgNumber();
  };
  uint32_t lhs = argument(found->lhs), rhs = argument(found->rhs),
           result = kernel.getNumArguments();
  rt::format::Kernel out;
  Convolution &c = *out.mutable_convolution();
  c.set_kind(form.kind);
  c.set_type(toFormatType(found->type));
  c.set_tf32(found->type.isF32() && (asTf32 || found->fitsTf32));
  c.set_features_last(found->featuresLast);
  switch (form.kind) {
  case Convolution::INPUT_GRADIENT:
    c.set_output(lhs), c.set_filter(rhs), c.set_input(result);
    break;
  case Convolution::FILTER_GRADIENT:
    c.set_input(lhs), c.set_output(rhs), c.set_filter(result);
    break;
  default:
    c.set_input(lhs), c.set_filter(rhs), c.set_output(result);
  }
  auto extent = [](Value value, int64_t dim) {
    return train::shapeOf(value)[dim];
  };
  int64_t features = extent(form.filter, form.filterParts.second),
          groups = extent(form.input, form.inputParts.second) / features;
  c.set_batches(extent(form.input, form.inputParts.first));
  c.set_groups(groups);
  c.set_input_features(features);
  c.set_output_features(extent(form.filter, form.filterParts.first) / groups);
  // cuDNN has at least two spatial dims.
  bool isLine = form.strides.size() == 1;
  auto fill = [&](auto *to, ArrayRef<int64_t> values, int64_t neutral) {
    if (isLine)
      to->Add(neutral);
    for (int64_t value : values)
      to->Add(value);
  };
  fill(c.mutable_input_extents(),
       extentsOf(form.input, form.inputParts.spatial), 1);
  fill(c.mutable_filter_extents(),
       extentsOf(form.filter, form.filterParts.spatial), 1);
  fill(c.mutable_output_extents(),
       extentsOf(form.output, form.outputParts.spatial), 1);
  fill(c.mutable_strides(), form.strides, 1);
  fill(c.mutable_dilations(), form.dilations, 1);
  fill(c.mutable_pad_low(), form.low, 0);
  fill(c.mutable_pad_high(), form.high, 0);
  return out.SerializeAsString();
}

} // namespace zcc::cuda
