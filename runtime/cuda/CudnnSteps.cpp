// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/cuda/CudnnSteps.h"

#include "runtime/cuda/CudaDevice.h"
#include "runtime/format/executable.pb.h"

namespace zcc::rt::cuda {

bool allowsNote(dnn::Note note, bool isWide) {
  switch (note) {
  case dnn::noteTensorCore:
    return !isWide;
  case dnn::noteNarrowedInputs:
  case dnn::noteNarrowedSums:
  case dnn::noteFourier:
  case dnn::noteNondeterministic:
    return false;
  default:
    return note < dnn::noteWinograd || note > dnn::noteWinogradLast;
  }
}

CudnnCalls::CudnnCalls(const Cudnn &library) : library(library) {
  library.require(library.create(&own), "begin with cuDNN ",
                  library.versionText());
}

CudnnCalls::~CudnnCalls() {
  works.clear();
  library.destroy(own);
}

const CudnnWork &CudnnCalls::workOf(const format::Kernel &kernel) {
  std::unique_ptr<CudnnWork> &work = works[&kernel];
  if (!work) {
    CudnnTarget target{library, own};
    work = kernel.has_convolution()
               ? makeConvolution(target, kernel.convolution(), kernel.scratch())
               : makeAttention(target, kernel.attention(), kernel.scratch());
  }
  return *work;
}

namespace {

class CudnnStep : public LibraryStep {
public:
  CudnnStep(const format::KernelStep &step, const format::Kernel &kernel,
            CudnnCalls &calls)
      : LibraryStep(step, kernel, calls.firstRuns), calls(calls) {}

  void initialize() override {
    work = &calls.workOf(kernel);
    if (!work->plan)
      fail("cannot compute step \"", name, "\" with cuDNN ",
           calls.library.versionText(),
           ": it has no deterministic plan for kernel \"", kernel.symbol(),
           "\" in ", kernel.scratch(), " bytes of workspace");
    ids.clear();
    for (const CudnnArgument &argument : work->arguments)
      ids.push_back(argument.id);
    pointers.resize(ids.size());
  }

  void execute(const Frame &frame) override {
    auto &device = static_cast<CudaDevice &>(frame.device);
    uint64_t workspace = device.workspace(frame.stream).bits();
    device.call(frame.stream, name, [&](StreamHandle stream) {
      calls.library.require(calls.library.setStream(calls.handle(), stream),
                            "give cuDNN the stream of step \"", name, "\"");
      for (uint64_t outer = 0; outer < work->outerParts; ++outer)
        for (uint64_t inner = 0; inner < work->innerParts; ++inner) {
          for (size_t i = 0; i < pointers.size(); ++i) {
            const CudnnArgument &argument = work->arguments[i];
            uint64_t base =
                argument.where == CudnnArgument::Workspace ? workspace
                : argument.where == CudnnArgument::Value
                    ? uint64_t(uintptr_t(&argument.value))
                    : frame.operands[operands[argument.buffer]].bits();
            pointers[i] = reinterpret_cast<void *>(
                uintptr_t(base + argument.begin + outer * argument.outerStep +
                          inner * argument.innerStep));
          }
          work->plan->execute(calls.handle(), ids, pointers,
                              reinterpret_cast<void *>(
                                  uintptr_t(workspace + work->ownWorkspace)),
                              name);
        }
    });
  }

private:
  CudnnCalls &calls;
  const CudnnWork *work = nullptr;
  std::vector<int64_t> ids;
  std::vector<void *> pointers;
};

} // namespace

std::unique_ptr<Step> createCudnnStep(const format::KernelStep &step,
                                      const format::Kernel &kernel,
                                      CudnnCalls &calls) {
  return std::make_unique<CudnnStep>(step, kernel, calls);
}

} // namespace zcc::rt::cuda
