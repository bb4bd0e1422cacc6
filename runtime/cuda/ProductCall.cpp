// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls cuBLASLt for a product. The library's matrices are column-major, so it
// computes the transposed result, from the transposed operands in the other
// order.

#include "runtime/cuda/ProductCall.h"

#include "runtime/format/executable.pb.h"

#include <algorithm>

namespace zcc::rt::cuda {

namespace {

constexpr uintptr_t operandAlignment = 64; // of all operands

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

/// A matrix in memory, column by column.
struct Columns {
  uint64_t rows, columns;
  int64_t leading; // from one column to the next, elements
  bool transposed; // if set, the layout is of the matrix's transpose
};

/// The layout of the transpose of a matrix of `rows` and `columns`.
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

bool isDouble(const format::Product &product) {
  return product.result().type() == format::F64;
}

} // namespace

ProductCall::ProductCall(const format::Kernel &kernel, const CublasLt &library,
                         lt::Handle handle, const std::string &what)
    : product(kernel.product()), workspaceBytes(kernel.scratch()),
      library(library), handle(handle), what(what) {
  require(
      library.createOperation(&operation,
                              isDouble(product) ? lt::computeF64
                              : product.tf32()  ? lt::computeF32AsTf32
                                                : lt::computeF32,
                              isDouble(product) ? lt::typeF64 : lt::typeF32));
  if (product.has_bias()) {
    uint32_t epilogue = lt::epilogueBias;
    require(library.setOperation(operation, lt::operationEpilogue, &epilogue,
                                 sizeof epilogue));
    // The library only reads the alignment of this address to choose an
    // algorithm.
    setBias(reinterpret_cast<void *>(operandAlignment));
  }
  Columns a = transposeOf(product.right(), product.steps(), product.columns()),
          b = transposeOf(product.left(), product.rows(), product.steps()),
          d = transposeOf(product.result(), product.rows(), product.columns());
  for (auto [attribute, matrix] : {std::pair{lt::operationTransposeA, &a},
                                   {lt::operationTransposeB, &b}}) {
    int32_t form = matrix->transposed ? lt::transposed : lt::plain;
    require(library.setOperation(operation, attribute, &form, sizeof form));
  }
  auto makeLayout = [&](lt::Layout &layout, const Columns &own,
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
  };
  makeLayout(layouts[0], a, product.right());
  makeLayout(layouts[1], b, product.left());
  makeLayout(layouts[2], d, product.result());
}

ProductCall::~ProductCall() {
  for (lt::Layout layout : layouts)
    if (layout)
      library.destroyLayout(layout);
  if (operation)
    library.destroyOperation(operation);
}

void ProductCall::require(lt::Status status) const {
  library.require(status, what, " with cuBLASLt ", library.versionText());
}

/// Sets the bias of the library's rows, which are our columns.
void ProductCall::setBias(const void *at) const {
  require(library.setOperation(operation, lt::operationBias, &at, sizeof at));
}

std::vector<lt::Algorithm> ProductCall::algorithms(int most) const {
  lt::Preference preference = nullptr;
  require(library.createPreference(&preference));
  auto set = [&](int attribute, const auto &value) {
    require(library.setPreference(preference, attribute, &value, sizeof value));
  };
  set(lt::preferenceWorkspace, uint64_t(workspaceBytes));
  set(lt::preferenceReductions, lt::reductionsInComputeType);
  for (int attribute : {lt::preferenceAlignmentA, lt::preferenceAlignmentB,
                        lt::preferenceAlignmentC, lt::preferenceAlignmentD})
    set(attribute, uint32_t(operandAlignment));
  std::vector<lt::Heuristic> found(size_t(most), lt::Heuristic{});
  int count = 0;
  lt::Status status =
      library.heuristic(handle, operation, layouts[0], layouts[1], layouts[2],
                        layouts[2], preference, most, found.data(), &count);
  library.destroyPreference(preference);
  std::vector<lt::Algorithm> out;
  if (status == lt::statusSuccess)
    for (int i = 0; i < count; ++i)
      if (found[size_t(i)].state == lt::statusSuccess)
        out.push_back(found[size_t(i)].algorithm);
  require(status == lt::statusSuccess && out.empty() ? lt::statusNotSupported
                                                     : status);
  return out;
}

bool ProductCall::takes(const lt::Algorithm &algorithm) const {
  lt::Heuristic result = {};
  return library.check(handle, operation, layouts[0], layouts[1], layouts[2],
                       layouts[2], &algorithm, &result) == lt::statusSuccess &&
         result.state == lt::statusSuccess &&
         result.workspaceBytes <= workspaceBytes;
}

void ProductCall::enqueue(const Operands &operands,
                          const lt::Algorithm &algorithm,
                          StreamHandle stream) const {
  // 1 and 0 of either type.
  static const double one = 1, zero = 0;
  static const float oneSingle = 1, zeroSingle = 0;
  const void *alpha = &oneSingle, *beta = &zeroSingle;
  if (isDouble(product)) {
    alpha = &one;
    beta = &zero;
  }
  if (product.has_bias())
    setBias(operands.bias);
  require(library.multiply(handle, operation, alpha, operands.right, layouts[0],
                           operands.left, layouts[1], beta, operands.result,
                           layouts[2], operands.result, layouts[2], &algorithm,
                           operands.workspace, workspaceBytes, stream));
}

} // namespace zcc::rt::cuda
