// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The library's matrices are column-major: it computes the transposed result,
// of the transposed operands in the other order.

#include "runtime/cuda/ProductSteps.h"

#include "runtime/cuda/CudaDevice.h"
#include "runtime/format/executable.pb.h"

#include <algorithm>

namespace zcc::rt::cuda {

Products::Products(const CublasLt &library) : library(library) {
  library.require(library.create(&own), "begin with cuBLASLt ",
                  library.versionText());
}

Products::~Products() { library.destroy(own); }

namespace {

int typeOf(const format::Product::Matrix &matrix) {
  switch (matrix.type()) {
  case format::F64:
    return lt::typeF64;
  case format::F16:
    return lt::typeF16;
  case format::BF16:
    return lt::typeBF16;
  default:
    return lt::typeF32;
  }
}

constexpr uintptr_t alignment = 64; // of all operands

/// A matrix in memory, column by column.
struct Columns {
  uint64_t rows, columns;
  int64_t leading; // from one column to the next, elements
  bool transposed; // that is not the matrix, but its transpose
};

/// Of the transpose of a matrix of `rows` and `columns`.
Columns transposeOf(const format::Product::Matrix &matrix, uint64_t rows,
                    uint64_t columns) {
  auto distance = [](uint64_t stride, uint64_t count, uint64_t least) {
    return int64_t(count == 1 ? std::max(stride, least) : stride);
  };
  bool byRows = (matrix.column_stride() == 1 || columns == 1) &&
                (rows == 1 || matrix.row_stride() >= columns);
  if (byRows)
    return {columns, rows, distance(matrix.row_stride(), rows, columns), false};
  return {rows, columns, distance(matrix.column_stride(), columns, rows), true};
}

class ProductStep : public Step {
public:
  ProductStep(const format::KernelStep &step, const format::Kernel &kernel,
              const Products &products)
      : product(kernel.product()), workspaceBytes(kernel.scratch()),
        products(products), library(products.library),
        operands(step.operands().begin(), step.operands().end()) {
    reads.assign(operands.begin(), operands.begin() + step.reads());
    writes.assign(operands.begin() + step.reads(), operands.end());
  }

  ~ProductStep() override {
    for (lt::Layout layout : layouts)
      if (layout)
        library.destroyLayout(layout);
    if (operation)
      library.destroyOperation(operation);
  }

  void prepare(ResourceRequest &request) override {
    request.scratchBytes = std::max(request.scratchBytes, workspaceBytes);
  }

  void initialize() override {
    bool isDouble = typeOf(product.result()) == lt::typeF64;
    require(library.createOperation(&operation,
                                    isDouble         ? lt::computeF64
                                    : product.tf32() ? lt::computeF32AsTf32
                                                     : lt::computeF32,
                                    isDouble ? lt::typeF64 : lt::typeF32));
    if (product.has_bias()) {
      uint32_t epilogue = lt::epilogueBias;
      require(library.setOperation(operation, lt::operationEpilogue, &epilogue,
                                   sizeof epilogue));
      // The choice of an algorithm reads the alignment of it, and no more.
      setBias(reinterpret_cast<void *>(alignment));
    }
    Columns a = transposeOf(product.right(), product.steps(),
                            product.columns()),
            b = transposeOf(product.left(), product.rows(), product.steps()),
            d = transposeOf(product.result(), product.rows(),
                            product.columns());
    for (auto [attribute, matrix] : {std::pair{lt::operationTransposeA, &a},
                                     {lt::operationTransposeB, &b}}) {
      int32_t form = matrix->transposed ? lt::transposed : lt::plain;
      require(library.setOperation(operation, attribute, &form, sizeof form));
    }
    makeLayout(layouts[0], a, product.right());
    makeLayout(layouts[1], b, product.left());
    makeLayout(layouts[2], d, product.result());
    choose();
  }

  void execute(const Frame &frame) override {
    auto &device = static_cast<CudaDevice &>(frame.device);
    auto at = [&](const format::Product::Matrix &matrix) {
      return reinterpret_cast<void *>(
          uintptr_t(frame.operands[operands[matrix.buffer()]].bits()));
    };
    // 1 and 0 of either type.
    static const double one = 1, zero = 0;
    static const float oneSingle = 1, zeroSingle = 0;
    bool isDouble = typeOf(product.result()) == lt::typeF64;
    const void *alpha = isDouble ? static_cast<const void *>(&one) : &oneSingle;
    const void *beta =
        isDouble ? static_cast<const void *>(&zero) : &zeroSingle;
    void *result = at(product.result());
    device.call(frame.stream, name, [&](StreamHandle stream) {
      if (product.has_bias())
        setBias(reinterpret_cast<void *>(uintptr_t(
            frame.operands[operands[product.bias().buffer()]].bits())));
      require(library.multiply(products.handle(), operation, alpha,
                               at(product.right()), layouts[0],
                               at(product.left()), layouts[1], beta, result,
                               layouts[2], result, layouts[2], &algorithm,
                               reinterpret_cast<void *>(uintptr_t(
                                   device.workspace(frame.stream).bits())),
                               workspaceBytes, stream));
    });
  }

private:
  void require(lt::Status status) const {
    library.require(status, "compute step \"", name, "\" with cuBLASLt ",
                    library.versionText());
  }

  /// Of the library's rows, which are our columns.
  void setBias(const void *at) const {
    require(library.setOperation(operation, lt::operationBias, &at, sizeof at));
  }

  void makeLayout(lt::Layout &layout, const Columns &own,
                  const format::Product::Matrix &matrix) {
    require(library.createLayout(&layout, typeOf(matrix), own.rows, own.columns,
                                 own.leading));
    if (product.batches() == 1)
      return;
    auto batches = int32_t(product.batches());
    auto stride = int64_t(matrix.batch_stride());
    require(
        library.setLayout(layout, lt::layoutBatches, &batches, sizeof batches));
    require(library.setLayout(layout, lt::layoutBatchStride, &stride,
                              sizeof stride));
  }

  void choose() {
    lt::Preference preference = nullptr;
    require(library.createPreference(&preference));
    auto set = [&](int attribute, const auto &value) {
      require(
          library.setPreference(preference, attribute, &value, sizeof value));
    };
    set(lt::preferenceWorkspace, uint64_t(workspaceBytes));
    set(lt::preferenceReductions, lt::reductionsInComputeType);
    for (int attribute : {lt::preferenceAlignmentA, lt::preferenceAlignmentB,
                          lt::preferenceAlignmentC, lt::preferenceAlignmentD})
      set(attribute, uint32_t(alignment));
    lt::Heuristic best = {};
    int found = 0;
    lt::Status status =
        library.heuristic(products.handle(), operation, layouts[0], layouts[1],
                          layouts[2], layouts[2], preference, 1, &best, &found);
    library.destroyPreference(preference);
    if (status == lt::statusSuccess && (found == 0 || best.state))
      status = lt::statusNotSupported;
    require(status);
    algorithm = best.algorithm;
  }

  const format::Product &product;
  const size_t workspaceBytes;
  const Products &products;
  const CublasLt &library;
  const std::vector<uint32_t> operands; // in the order of the kernel's buffers
  lt::Operation operation = nullptr;
  lt::Layout layouts[3] = {}; // of the library's A, B, and C with D
  lt::Algorithm algorithm = {};
};

} // namespace

std::unique_ptr<Step> createProductStep(const format::KernelStep &step,
                                        const format::Kernel &kernel,
                                        const Products &products) {
  return std::make_unique<ProductStep>(step, kernel, products);
}

} // namespace zcc::rt::cuda
