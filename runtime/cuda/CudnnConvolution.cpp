// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds cuDNN's graph for a convolution, which is a single operation. cuDNN
// supports filters of two layouts only, but does not refuse others; the format
// has only those two.

#include "runtime/cuda/CudnnSteps.h"

#include "runtime/format/executable.pb.h"

#include <utility>

namespace zcc::rt::cuda {

namespace {

using Extents = google::protobuf::RepeatedField<uint64_t>;

std::vector<int64_t> list(const Extents &values) {
  return {values.begin(), values.end()};
}

/// [first, second, spatial...] without gaps.
CudnnGraph::Layout layoutOf(uint64_t first, uint64_t second,
                            const Extents &spatial, bool secondLast) {
  std::vector<int64_t> dims = list(spatial);
  dims.insert(dims.begin(), {int64_t(first), int64_t(second)});
  std::vector<int64_t> strides(dims.size());
  int64_t stride = 1;
  if (secondLast)
    strides[1] = std::exchange(stride, dims[1]);
  for (size_t i = dims.size() - 1; i > 1; --i)
    strides[i] = std::exchange(stride, stride * dims[i]);
  if (!secondLast)
    strides[1] = std::exchange(stride, stride * dims[1]);
  strides[0] = stride;
  return {dims, strides};
}

} // namespace

std::unique_ptr<CudnnWork> makeConvolution(const CudnnTarget &target,
                                           const format::Convolution &c,
                                           size_t workspaceBytes) {
  auto work = std::unique_ptr<CudnnWork>(new CudnnWork{CudnnGraph(target)});
  dnn::Type type = c.type() == format::F16    ? dnn::typeF16
                   : c.type() == format::BF16 ? dnn::typeBF16
                                              : dnn::typeF32;
  auto add = [&](uint32_t buffer, uint64_t first, uint64_t second,
                 const Extents &spatial) {
    CudnnGraph::Tensor tensor = work->graph.tensor(
        type, layoutOf(first, second, spatial, c.features_last()));
    work->arguments.push_back(
        {tensor.id, CudnnArgument::Operand, buffer, 0, 0, 0, 0});
    return tensor;
  };
  CudnnGraph::Tensor input = add(c.input(), c.batches(),
                                 c.groups() * c.input_features(),
                                 c.input_extents()),
                     filter = add(c.filter(), c.groups() * c.output_features(),
                                  c.input_features(), c.filter_extents()),
                     output = add(c.output(), c.batches(),
                                  c.groups() * c.output_features(),
                                  c.output_extents());
  work->graph.convolve(c.kind() == format::Convolution::FORWARD
                           ? dnn::kindConvolutionForward
                       : c.kind() == format::Convolution::INPUT_GRADIENT
                           ? dnn::kindConvolutionData
                           : dnn::kindConvolutionFilter,
                       {list(c.strides()), list(c.dilations()),
                        list(c.pad_low()), list(c.pad_high())},
                       filter, input, output);
  work->plan = work->graph.plan(workspaceBytes, [&](dnn::Note note) {
    return allowsNote(note, type == dnn::typeF32 && !c.tf32());
  });
  return work;
}

} // namespace zcc::rt::cuda
