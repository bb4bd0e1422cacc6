// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/cuda/ProductSteps.h"

#include "runtime/cuda/CudaDevice.h"
#include "runtime/cuda/ProductCall.h"
#include "runtime/format/executable.pb.h"

#include <algorithm>
#include <optional>

namespace zcc::rt::cuda {

Products::Products(const CublasLt &library, const ProductChoices *choices)
    : library(library), choices(choices) {
  library.require(library.create(&own), "begin with cuBLASLt ",
                  library.versionText());
}

Products::~Products() { library.destroy(own); }

namespace {

class ProductStep : public Step {
public:
  ProductStep(const format::KernelStep &step, const format::Kernel &kernel,
              Products &products)
      : kernel(kernel), products(products),
        operands(step.operands().begin(), step.operands().end()) {
    reads.assign(operands.begin(), operands.begin() + step.reads());
    writes.assign(operands.begin() + step.reads(), operands.end());
  }

  void prepare(ResourceRequest &request) override {
    request.scratchBytes =
        std::max(request.scratchBytes, size_t(kernel.scratch()));
  }

  void initialize() override {
    what = text("compute step \"", name, "\"");
    call.emplace(kernel, products.library, products.handle(), what);
    algorithm = products.choices ? products.choices->of(kernel, *call)
                                 : call->algorithms(1).front();
  }

  bool warmUp(const Frame &frame) override {
    if (!products.isFirst(kernel))
      return false;
    execute(frame);
    return true;
  }

  void execute(const Frame &frame) override {
    auto &device = static_cast<CudaDevice &>(frame.device);
    auto at = [&](uint32_t buffer) {
      return reinterpret_cast<void *>(
          uintptr_t(frame.operands[operands[buffer]].bits()));
    };
    const format::Product &product = kernel.product();
    ProductCall::Operands where{
        at(product.left().buffer()), at(product.right().buffer()),
        product.has_bias() ? at(product.bias().buffer()) : nullptr,
        at(product.result().buffer()),
        reinterpret_cast<void *>(
            uintptr_t(device.workspace(frame.stream).bits()))};
    device.call(frame.stream, name, [&](StreamHandle stream) {
      call->enqueue(where, algorithm, stream);
    });
  }

private:
  const format::Kernel &kernel;
  Products &products;
  const std::vector<uint32_t> operands; // in the order of the kernel's buffers
  std::string what;
  std::optional<ProductCall> call;
  lt::Algorithm algorithm = {};
};

} // namespace

std::unique_ptr<Step> createProductStep(const format::KernelStep &step,
                                        const format::Kernel &kernel,
                                        Products &products) {
  return std::make_unique<ProductStep>(step, kernel, products);
}

} // namespace zcc::rt::cuda
