// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Convolutions that a library does, and the operands that they are run with.

#include "runtime/format/Checker.h"
#include "runtime/format/Targets.h"

namespace zcc::rt {

namespace {

constexpr uint64_t mostDim = uint64_t(1) << 31;

struct ConvolutionTensor {
  const char *name;
  uint32_t buffer;
  uint64_t first, second; // dims
  const google::protobuf::RepeatedField<uint64_t> &extents;
  bool isResult;

  /// Bytes; nothing if no memory has so many.
  std::optional<uint64_t> bytes(ElementType type) const {
    std::vector<int64_t> shape{int64_t(first), int64_t(second)};
    shape.insert(shape.end(), extents.begin(), extents.end());
    return Checker::bytes(shape, type);
  }
};

std::vector<ConvolutionTensor> tensorsOf(const format::Convolution &c) {
  using C = format::Convolution;
  return {{"input", c.input(), c.batches(), c.groups() * c.input_features(),
           c.input_extents(), c.kind() == C::INPUT_GRADIENT},
          {"filter", c.filter(), c.groups() * c.output_features(),
           c.input_features(), c.filter_extents(),
           c.kind() == C::FILTER_GRADIENT},
          {"output", c.output(), c.batches(), c.groups() * c.output_features(),
           c.output_extents(), c.kind() == C::FORWARD}};
}

} // namespace

bool Checker::checkConvolution(const format::Kernel &kernel) {
  std::string where = text("kernel \"", kernel.symbol(), "\"");
  const format::Convolution &c = kernel.convolution();
  if (kernel.has_program() || !isCuda(executable.codes(int(kernel.code()))))
    return fail(where, ": a convolution beside a program, or of another "
                       "target than cuda");
  ElementType type = toElementType(c.type());
  if (type != ElementType::F32 && type != ElementType::F16 &&
      type != ElementType::BF16)
    return fail(where, ": a convolution of ", typeName(type));
  if (c.tf32() && type != ElementType::F32)
    return fail(where, ": a convolution of ", typeName(type), " in tf32");
  if (!format::Convolution::Kind_IsValid(c.kind()))
    return fail(where, ": a convolution of kind ", int(c.kind()));
  for (auto [name, extent] : {std::pair{"batches", c.batches()},
                              {"groups", c.groups()},
                              {"input features", c.input_features()},
                              {"output features", c.output_features()}})
    if (extent == 0 || extent >= mostDim)
      return fail(where, ": a convolution of ", extent, " ", name,
                  ", expected 1 to ", mostDim - 1);
  int spatial = c.input_extents_size();
  if (spatial < 2 || spatial > 3 || c.filter_extents_size() != spatial ||
      c.output_extents_size() != spatial || c.strides_size() != spatial ||
      c.dilations_size() != spatial || c.pad_low_size() != spatial ||
      c.pad_high_size() != spatial)
    return fail(where, ": expected 2 or 3 spatial dims of everything");
  for (int i = 0; i < spatial; ++i) {
    for (uint64_t extent : {c.input_extents(i), c.filter_extents(i),
                            c.output_extents(i), c.strides(i), c.dilations(i)})
      if (extent == 0 || extent >= mostDim)
        return fail(where, ": extent, stride or dilation ", extent,
                    " in spatial dim ", i);
    if (c.pad_low(i) >= mostDim || c.pad_high(i) >= mostDim)
      return fail(where, ": padding of ", c.pad_low(i), " and ", c.pad_high(i),
                  " in spatial dim ", i);
    uint64_t window = (c.filter_extents(i) - 1) * c.dilations(i) + 1,
             room = c.input_extents(i) + c.pad_low(i) + c.pad_high(i);
    if (room < window ||
        (room - window) / c.strides(i) + 1 != c.output_extents(i))
      return fail(where, ": ", c.output_extents(i), " outputs in spatial dim ",
                  i, ", expected ",
                  room < window ? 0 : (room - window) / c.strides(i) + 1);
  }
  for (const ConvolutionTensor &tensor : tensorsOf(c)) {
    if (tensor.isResult ? tensor.buffer + 1 != kernel.buffers()
                        : tensor.buffer >= kernel.buffers())
      return fail(where, ": the ", tensor.name, " is in buffer ", tensor.buffer,
                  " of ", kernel.buffers(),
                  tensor.isResult ? ", expected the last" : "");
    if (tensor.second >= mostDim || !tensor.bytes(type))
      return fail(where, ": the ", tensor.name, " is too large");
  }
  return true;
}

bool Checker::checkConvolutionStep(const std::string &where,
                                   const format::KernelStep &run,
                                   const format::Task &task) {
  const format::Convolution &c =
      executable.kernels(int(run.kernel())).convolution();
  for (const ConvolutionTensor &tensor : tensorsOf(c)) {
    const format::Operand &operand =
        task.operands(int(run.operands(int(tensor.buffer))));
    uint64_t bytes = *tensor.bytes(toElementType(c.type()));
    if (bytes > operand.size())
      return fail(where, ": operand \"", operand.name(), "\" has ",
                  operand.size(), " bytes, the ", tensor.name,
                  " of the convolution ", bytes);
    bool isRead = tensor.buffer < run.reads();
    if (isRead == tensor.isResult)
      return fail(where, ": the ", tensor.name, " is ",
                  isRead ? "read" : "written");
  }
  return true;
}

} // namespace zcc::rt
