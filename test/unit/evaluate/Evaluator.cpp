// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes a program of the op or function and runs the interpreter. For double
// arithmetic, all floats become f64.

#include "test/unit/evaluate/Evaluator.h"
#include "compiler/reference/Program.h"
#include "runtime/format/ElementType.h"
#include "runtime/reference/Interpreter.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace zcc::train {
namespace {

namespace format = rt::format;

std::string print(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

RankedTensorType wideType(RankedTensorType type) {
  return isa<FloatType>(type.getElementType())
             ? type.clone(Float64Type::get(type.getContext()))
             : type;
}

bool isNarrowFloat(format::Type type) {
  return type == format::F16 || type == format::BF16 || type == format::F32;
}

// Elements of a constant as f64.
std::string widenData(MLIRContext *context, format::Type type,
                      const std::string &data) {
  Type element = type == format::F16    ? Type(Float16Type::get(context))
                 : type == format::BF16 ? Type(BFloat16Type::get(context))
                                        : Type(Float32Type::get(context));
  auto count =
      static_cast<int64_t>(data.size() * 8 / element.getIntOrFloatBitWidth());
  Tensor tensor = fromBytes(RankedTensorType::get({count}, element), data);
  tensor.type = wideType(tensor.type);
  return toBytes(tensor);
}

// The same program with all floats in f64. Bits are those of the type that was
// stated: a bitcast gets conversions around it.
format::Program widen(const format::Program &program, MLIRContext *context) {
  format::Program out = program;
  for (format::ProgramValue &value : *out.mutable_values())
    if (isNarrowFloat(value.type()))
      value.set_type(format::F64);
  out.clear_ops();
  auto addConvert = [&](uint32_t from, uint32_t to) {
    format::ProgramOp &op = *out.add_ops();
    op.set_name("convert");
    op.add_operands(from);
    op.add_results(to);
  };
  auto addNarrow = [&](uint32_t value) {
    *out.add_values() = program.values(static_cast<int>(value));
    return static_cast<uint32_t>(out.values_size() - 1);
  };
  for (const format::ProgramOp &op : program.ops()) {
    auto typeOf = [&](uint32_t value) {
      return program.values(static_cast<int>(value)).type();
    };
    if (op.name() == "constant" && isNarrowFloat(typeOf(op.results(0)))) {
      format::ProgramOp &constant = *out.add_ops();
      constant = op;
      for (format::Attribute &attribute : *constant.mutable_attributes())
        if (attribute.name() == "value")
          attribute.set_data(
              widenData(context, typeOf(op.results(0)), attribute.data()));
      continue;
    }
    if (op.name() != "bitcast_convert") {
      *out.add_ops() = op;
      continue;
    }
    uint32_t from = op.operands(0), to = op.results(0);
    if (isNarrowFloat(typeOf(from))) {
      from = addNarrow(op.operands(0));
      addConvert(op.operands(0), from);
    }
    if (isNarrowFloat(typeOf(to)))
      to = addNarrow(op.results(0));
    format::ProgramOp &cast = *out.add_ops();
    cast = op;
    cast.set_operands(0, from);
    cast.set_results(0, to);
    if (to != op.results(0))
      addConvert(to, op.results(0));
  }
  return out;
}

bool run(const format::Program &program, TypeRange inputTypes,
         TypeRange resultTypes, ArrayRef<Tensor> inputs,
         SmallVectorImpl<Tensor> &results, std::string &error,
         EvaluateOptions options) {
  auto fail = [&](const Twine &message) {
    error = message.str();
    return false;
  };
  if (inputs.size() != inputTypes.size())
    return fail("expected " + Twine(inputTypes.size()) + " inputs, got " +
                Twine(inputs.size()));
  std::vector<std::string> memory;
  for (auto [input, type] : llvm::zip(inputs, inputTypes)) {
    if (input.type != type)
      return fail("expected a tensor of type " + print(type) + ", got " +
                  (input.type ? print(input.type) : "none"));
    size_t given =
        input.integers.empty() ? input.values.size() : input.integers.size();
    if (given != static_cast<size_t>(input.type.getNumElements()))
      return fail("a tensor of type " + print(type) + " has " + Twine(given) +
                  " values");
    Tensor tensor = input;
    if (options.asDouble)
      tensor.type = wideType(tensor.type);
    memory.push_back(toBytes(tensor));
  }
  SmallVector<RankedTensorType> outTypes;
  for (Type type : resultTypes)
    outTypes.push_back(options.asDouble
                           ? wideType(cast<RankedTensorType>(type))
                           : cast<RankedTensorType>(type));
  try {
    rt::reference::Interpreter interpreter(program, "the function");
    for (size_t i = inputs.size(); i < interpreter.buffers().size(); ++i)
      memory.emplace_back(interpreter.buffers()[i].bytes(), '\xCC');
    std::vector<void *> pointers;
    for (std::string &buffer : memory)
      pointers.push_back(buffer.data());
    interpreter.run(pointers.data());
  } catch (const std::exception &thrown) {
    return fail(thrown.what());
  }
  for (auto [i, type] : llvm::enumerate(outTypes)) {
    results.push_back(fromBytes(type, memory[inputs.size() + i]));
    results.back().type = cast<RankedTensorType>(resultTypes[i]);
  }
  return true;
}

} // namespace

std::string toBytes(const Tensor &tensor) {
  Type type = tensor.type.getElementType();
  unsigned width = (type.getIntOrFloatBitWidth() + 7) / 8;
  std::string bytes;
  for (int64_t i = 0; i < tensor.type.getNumElements(); ++i) {
    uint64_t bits;
    if (auto floatType = dyn_cast<FloatType>(type)) {
      APFloat value(tensor.values[i]);
      bool losesInfo;
      value.convert(floatType.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                    &losesInfo);
      bits = value.bitcastToAPInt().getZExtValue();
    } else if (!tensor.integers.empty()) {
      bits = static_cast<uint64_t>(tensor.integers[i]);
    } else if (tensor.values[i] >= 0x1p63) { // only as unsigned
      bits = static_cast<uint64_t>(tensor.values[i]);
    } else {
      bits = static_cast<uint64_t>(static_cast<int64_t>(tensor.values[i]));
    }
    if (type.isInteger(1))
      bits &= 1;
    bytes.append(reinterpret_cast<const char *>(&bits), width);
  }
  return bytes;
}

Tensor fromBytes(RankedTensorType type, StringRef bytes) {
  Tensor tensor{type, {}, {}};
  Type element = type.getElementType();
  unsigned bitWidth = element.getIntOrFloatBitWidth();
  unsigned width = (bitWidth + 7) / 8;
  bool isUnsigned = element.isUnsignedInteger() || element.isInteger(1);
  for (int64_t i = 0; i < type.getNumElements(); ++i) {
    uint64_t raw = 0;
    std::memcpy(&raw, bytes.data() + i * width, width);
    APInt bits(width * 8, raw);
    if (auto floatType = dyn_cast<FloatType>(element)) {
      tensor.values.push_back(
          APFloat(floatType.getFloatSemantics(), bits).convertToDouble());
      continue;
    }
    int64_t x = isUnsigned ? static_cast<int64_t>(bits.getZExtValue())
                           : bits.getSExtValue();
    tensor.integers.push_back(x);
    tensor.values.push_back(isUnsigned
                                ? static_cast<double>(static_cast<uint64_t>(x))
                                : static_cast<double>(x));
  }
  return tensor;
}

// Programs are built without diagnostics on the way: the first message is the
// error.
template <typename Op>
static bool evaluateAny(Op op, TypeRange inputTypes, TypeRange resultTypes,
                        ArrayRef<Tensor> inputs,
                        SmallVectorImpl<Tensor> &results, std::string &error,
                        EvaluateOptions options) {
  results.clear();
  MLIRContext *context = op->getContext();
  FailureOr<format::Program> program = [&] {
    ScopedDiagnosticHandler handler(context, [&](Diagnostic &diagnostic) {
      error = diagnostic.str();
      return success();
    });
    return buildProgram(op);
  }();
  if (failed(program))
    return false;
  return run(options.asDouble ? widen(*program, context) : *program, inputTypes,
             resultTypes, inputs, results, error, options);
}

bool evaluate(func::FuncOp function, ArrayRef<Tensor> inputs,
              SmallVectorImpl<Tensor> &results, std::string &error,
              EvaluateOptions options) {
  return evaluateAny(function, function.getArgumentTypes(),
                     function.getResultTypes(), inputs, results, error,
                     options);
}

bool evaluate(Operation *op, ArrayRef<Tensor> operands,
              SmallVectorImpl<Tensor> &results, std::string &error,
              EvaluateOptions options) {
  return evaluateAny(op, op->getOperandTypes(), op->getResultTypes(), operands,
                     results, error, options);
}

} // namespace zcc::train
