// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/cuda/ProductSteps.h"

#include "runtime/cuda/CudaDevice.h"
#include "runtime/cuda/ProductCall.h"
#include "runtime/format/executable.pb.h"

#include <optional>

namespace zcc::rt::cuda {

Products::Products(const CublasLt &library, const ProductChoices *choices)
    : library(library), choices(choices) {
  library.require(library.create(&own), "begin with cuBLASLt ",
                  library.versionText());
}

Products::~Products() { library.destroy(own); }

namespace {

class ProductStep : public LibraryStep {
public:
  ProductStep(const format::KernelStep &step, const format::Kernel &kernel,
              Products &products)
      : LibraryStep(step, kernel, products.firstRuns), products(products) {}

  void initialize() override {
    what = text("compute step \"", name, "\"");
    call.emplace(kernel, products.library, products.handle(), what);
    algorithm = products.choices ? products.choices->of(kernel, *call)
                                 : call->algorithms(1).front();
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
  Products &products;
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
