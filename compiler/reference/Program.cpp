// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/reference/Program.h"
#include "compiler/backend/FormatType.h"
#include "dialects/TensorBytes.h"
#include "dialects/Train/Optimizers/Optimizer.h"
#include "dialects/Train/Train.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/Support/Endian.h"

using namespace mlir;

namespace zcc {

namespace format = rt::format;

namespace {

void append(std::string &out, uint64_t bits, unsigned bytes) {
  for (unsigned i = 0; i < bytes; ++i)
    out.push_back(static_cast<char>(bits >> (8 * i)));
}

// Writes elements in their memory layout: little endian, i1 in a byte.
LogicalResult fillData(Operation *op, ElementsAttr elements, std::string &out) {
  Type type = elements.getElementType();
  auto bytes = static_cast<unsigned>(getElementBytes(type));
  if (auto dense = dyn_cast<DenseElementsAttr>(elements)) {
    auto add = [&](const auto &value) {
      if constexpr (std::is_same_v<std::decay_t<decltype(value)>, APFloat>)
        append(out, value.bitcastToAPInt().getZExtValue(), bytes);
      else
        append(out, value.getZExtValue(), bytes);
    };
    bool isFloat = isa<FloatType>(type);
    if (dense.isSplat())
      isFloat ? add(dense.getSplatValue<APFloat>())
              : add(dense.getSplatValue<APInt>());
    else if (isFloat)
      for (APFloat value : dense.getValues<APFloat>())
        add(value);
    else
      for (APInt value : dense.getValues<APInt>())
        add(value);
    return success();
  }
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(elements))
    if (AsmResourceBlob *blob = resource.getRawHandle().getBlob()) {
      ArrayRef<char> data = blob->getData();
      if (data.size() == bytes * static_cast<size_t>(elements.size())) {
        out.assign(data.begin(), data.end());
        return success();
      }
    }
  return op->emitError("its elements cannot be read");
}

LogicalResult fillAttribute(Operation *op, Attribute value,
                            format::Attribute &out) {
  auto integers = [&](auto values) {
    auto *list = out.mutable_integers();
    for (auto x : values)
      list->add_values(x);
    return success();
  };
  // An enumeration is stored as an integer attribute, but has another class.
  if (auto kind = dyn_cast<train::ReduceKindAttr>(value)) {
    out.set_word(train::stringifyReduceKind(kind.getValue()).str());
    return success();
  }
  if (auto direction = dyn_cast<train::CompareDirectionAttr>(value)) {
    out.set_word(train::stringifyCompareDirection(direction.getValue()).str());
    return success();
  }
  if (auto truth = dyn_cast<BoolAttr>(value)) {
    out.set_integer(truth.getValue());
    return success();
  }
  if (auto integer = dyn_cast<IntegerAttr>(value)) {
    out.set_integer(integer.getInt());
    return success();
  }
  if (auto number = dyn_cast<FloatAttr>(value)) {
    out.set_number(number.getValueAsDouble());
    return success();
  }
  if (auto list = dyn_cast<DenseI64ArrayAttr>(value))
    return integers(list.asArrayRef());
  if (auto list = dyn_cast<DenseI32ArrayAttr>(value))
    return integers(list.asArrayRef());
  if (auto list = dyn_cast<DenseBoolArrayAttr>(value))
    return integers(list.asArrayRef());
  if (auto elements = dyn_cast<ElementsAttr>(value))
    return fillData(op, elements, *out.mutable_data());
  return op->emitError("programs have no form for its attribute '")
         << out.name() << "'";
}

class Builder {
public:
  // Adds the op, or, for an update, the ops of its optimizer's formula.
  LogicalResult add(Operation *op, DenseMap<Value, unsigned> &values) {
    if (auto update = dyn_cast<train::UpdateOp>(op)) {
      Block block;
      OpBuilder builder(op->getContext());
      builder.setInsertionPointToEnd(&block);
      SmallVector<Value> expanded = train::expandUpdate(builder, update);
      for (Operation &inner : block)
        if (failed(add(&inner, values)))
          return failure();
      for (auto [result, value] : llvm::zip_equal(op->getResults(), expanded))
        values[result] = values.lookup(value);
      return success();
    }
    SmallVector<unsigned> operands, results;
    for (Value value : op->getOperands())
      operands.push_back(values.lookup(value));
    if (failed(addOp(op, operands, results)))
      return failure();
    for (auto [value, index] : llvm::zip(op->getResults(), results))
      values[value] = index;
    return success();
  }

  FailureOr<unsigned> addValue(Operation *op, Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    format::Type element = tensor && tensor.hasStaticShape()
                               ? toFormatType(tensor.getElementType())
                               : format::TYPE_INVALID;
    if (element == format::TYPE_INVALID)
      return op->emitError("programs have no form for the type ") << type;
    format::ProgramValue *value = program.add_values();
    value->set_type(element);
    for (int64_t extent : tensor.getShape())
      value->add_shape(extent);
    return program.values_size() - 1;
  }

  LogicalResult addOp(Operation *op, ArrayRef<unsigned> operands,
                      SmallVectorImpl<unsigned> &results) {
    if (!isa_and_nonnull<train::TrainDialect>(op->getDialect()))
      return op->emitError("is not of the train dialect");
    format::ProgramOp &out = *program.add_ops();
    out.set_name(op->getName().stripDialect().str());
    for (unsigned value : operands)
      out.add_operands(value);
    for (Type type : op->getResultTypes()) {
      FailureOr<unsigned> value = addValue(op, type);
      if (failed(value))
        return failure();
      out.add_results(*value);
      results.push_back(*value);
    }
    // Discardable attributes, such as the tag of a step, mean nothing here; the
    // axes of a constraint no longer exist once a step is partitioned.
    auto own = dyn_cast_or_null<DictionaryAttr>(op->getPropertiesAsAttribute());
    if (!own || isa<train::ShardingConstraintOp>(op))
      return success();
    for (NamedAttribute attribute : own) {
      format::Attribute &message = *out.add_attributes();
      message.set_name(attribute.getName().str());
      if (failed(fillAttribute(op, attribute.getValue(), message)))
        return failure();
    }
    return success();
  }

  format::Program program;
};

} // namespace

FailureOr<format::Program> buildProgram(func::FuncOp function) {
  if (!llvm::hasSingleElement(function.getBody()))
    return function.emitError("expected a function of one block");
  Builder builder;
  llvm::DenseMap<Value, unsigned> values;
  Block &block = function.getBody().front();
  for (Value argument : block.getArguments()) {
    FailureOr<unsigned> value = builder.addValue(function, argument.getType());
    if (failed(value))
      return failure();
    values[argument] = *value;
  }
  builder.program.set_arguments(block.getNumArguments());
  for (Operation &op : block) {
    if (isa<func::ReturnOp>(op)) {
      for (Value value : op.getOperands())
        builder.program.add_results(values.lookup(value));
      return std::move(builder.program);
    }
    if (failed(builder.add(&op, values)))
      return failure();
  }
  return function.emitError("expected a func.return");
}

FailureOr<format::Program> buildProgram(Operation *op) {
  Builder builder;
  DenseMap<Value, unsigned> values;
  for (Value operand : op->getOperands()) {
    FailureOr<unsigned> value = builder.addValue(op, operand.getType());
    if (failed(value))
      return failure();
    values[operand] = *value;
  }
  builder.program.set_arguments(op->getNumOperands());
  if (failed(builder.add(op, values)))
    return failure();
  for (Value result : op->getResults())
    builder.program.add_results(values.lookup(result));
  return std::move(builder.program);
}

} // namespace zcc
