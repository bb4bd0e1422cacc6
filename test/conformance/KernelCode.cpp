// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/conformance/KernelCode.h"
#include "compiler/reference/Program.h"
#include "runtime/core/Error.h"
#include <numeric>

using namespace mlir;

namespace zcc::conformance {

namespace format = rt::format;

format::Program programOf(func::FuncOp function) {
  FailureOr<format::Program> program = buildProgram(function);
  if (failed(program))
    rt::badInput(function.getSymName().str(), ": not a program");
  return std::move(*program);
}

CaseCode compileCases(ArrayRef<func::FuncOp> functions, const Target &target) {
  LaunchBatch all(functions.size());
  std::iota(all.begin(), all.end(), 0);
  FailureOr<CompiledKernels> kernels = target.compile(functions, 2, all);
  if (failed(kernels))
    rt::fail("the cases do not compile");
  CaseCode out;
  out.target = kernels->codes.front().target;
  for (const TargetCode &code : kernels->codes) {
    format::Code &message = out.codes.emplace_back();
    message.set_target(code.target);
    message.set_device(code.device);
    for (const std::string &feature : code.features)
      message.add_features(feature);
    message.set_object(code.object);
    for (const CodeImage &image : code.images) {
      format::Image &own = *message.add_images();
      own.set_device(image.device);
      own.set_object(image.object);
    }
  }
  auto fill = [&](const KernelInfo &info, format::Kernel &kernel) {
    kernel.set_symbol(info.symbol);
    kernel.set_code(info.code);
    kernel.set_items(info.items);
    kernel.set_scratch(info.scratchBytes);
    kernel.set_item_cost(info.itemNanoseconds);
    kernel.set_threads(info.threads);
    kernel.set_shared(uint32_t(info.shared));
    if (info.second) {
      format::Launch &second = *kernel.mutable_second();
      second.set_symbol(info.second->symbol);
      second.set_blocks(info.second->blocks);
      second.set_threads(info.second->threads);
      second.set_shared(uint32_t(info.second->shared));
    }
    if (!info.program.empty())
      kernel.mutable_program()->ParseFromString(info.program);
  };
  for (const KernelInfo &info : kernels->kernels)
    fill(info, out.kernels.emplace_back());
  for (const SegmentedKernel &segmented : kernels->segmented) {
    format::Kernel &kernel = out.segmented.emplace_back();
    fill(segmented.info, kernel);
    for (unsigned part : segmented.kernels)
      kernel.mutable_segments()->add_kernels(part);
  }
  if (!kernels->launches.empty())
    for (const BatchLaunch &launch : kernels->launches.front()) {
      format::BatchLaunch &own = out.launches.emplace_back();
      own.set_kernel(launch.segmented);
      own.set_blocks(launch.segmentBlocks);
    }
  return out;
}

} // namespace zcc::conformance
