// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels that a library does: products, and the operands that they are run
// with.

#include "runtime/format/Checker.h"
#include "runtime/format/Targets.h"

namespace zcc::rt {

namespace {

struct NamedMatrix {
  const char *name;
  const format::Product::Matrix &matrix;
  uint64_t rows, columns;
};

/// Elements up to the end of the last matrix; nothing if the sizes are absurd.
std::optional<uint64_t> elementsOf(const format::Product &product,
                                   const NamedMatrix &own) {
  uint64_t last = 0;
  for (auto [extent, stride] :
       {std::pair{product.batches(), own.matrix.batch_stride()},
        {own.rows, own.matrix.row_stride()},
        {own.columns, own.matrix.column_stride()}}) {
    uint64_t bytes;
    if (__builtin_mul_overflow(extent - 1, stride, &bytes) ||
        __builtin_add_overflow(last, bytes, &last))
      return std::nullopt;
  }
  return last + 1;
}

bool isDense(const NamedMatrix &own) {
  auto along = [](uint64_t stride, uint64_t extent, uint64_t other,
                  uint64_t otherExtent) {
    return (stride == 1 || extent == 1) &&
           (otherExtent == 1 || other >= extent);
  };
  uint64_t row = own.matrix.row_stride(), column = own.matrix.column_stride();
  return along(column, own.columns, row, own.rows) ||
         along(row, own.rows, column, own.columns);
}

std::vector<NamedMatrix> matricesOf(const format::Product &product) {
  return {{"left", product.left(), product.rows(), product.steps()},
          {"right", product.right(), product.steps(), product.columns()},
          {"result", product.result(), product.rows(), product.columns()}};
}

} // namespace

bool Checker::checkProduct(const format::Kernel &kernel) {
  std::string where = text("kernel \"", kernel.symbol(), "\"");
  const format::Product &product = kernel.product();
  constexpr uint64_t most = uint64_t(1) << 31;
  for (auto [name, extent] : {std::pair{"batches", product.batches()},
                              {"rows", product.rows()},
                              {"columns", product.columns()},
                              {"steps", product.steps()}})
    if (extent == 0 || extent > most)
      return fail(where, ": a product of ", extent, " ", name,
                  ", expected 1 to ", most);
  ElementType from = toElementType(product.left().type()),
              to = toElementType(product.result().type());
  bool isNarrow = from == ElementType::F16 || from == ElementType::BF16;
  bool isKnown =
      isNarrow || from == ElementType::F32 || from == ElementType::F64;
  if (!isKnown || product.right().type() != product.left().type() ||
      !(to == from || (isNarrow && to == ElementType::F32)))
    return fail(where, ": a product of ", typeName(from), " and ",
                typeName(toElementType(product.right().type())), " as ",
                typeName(to));
  if (kernel.has_program() || !isCuda(executable.codes(int(kernel.code()))))
    return fail(where,
                ": a product beside a program, or of another target than cuda");
  if (product.result().column_stride() != 1)
    return fail(where, ": the columns of the result have stride ",
                product.result().column_stride(), ", expected 1");
  if (kernel.buffers() == 0 ||
      product.result().buffer() != kernel.buffers() - 1)
    return fail(where, ": the product is in buffer ", product.result().buffer(),
                " of ", kernel.buffers(), ", expected the last");
  for (const NamedMatrix &own : matricesOf(product)) {
    if (own.matrix.buffer() >= kernel.buffers())
      return fail(where, ": the ", own.name, " matrix is in buffer ",
                  own.matrix.buffer(), " of ", kernel.buffers());
    if (!isDense(own))
      return fail(where, ": the ", own.name, " matrix of ", own.rows, " x ",
                  own.columns, " elements has strides ",
                  own.matrix.row_stride(), " and ", own.matrix.column_stride());
    if (!elementsOf(product, own))
      return fail(where, ": the ", own.name, " matrices reach beyond memory");
  }
  if (product.tf32() && from != ElementType::F32)
    return fail(where, ": a product of ", typeName(from), " in tf32");
  if (product.has_bias() && (product.bias().buffer() + 1 >= kernel.buffers() ||
                             to == ElementType::F64 || product.batches() != 1))
    return fail(where, ": a bias in buffer ", product.bias().buffer(), " of ",
                kernel.buffers(), ", of ", product.batches(), " batches in ",
                typeName(to), ", expected one batch, not in f64");
  const format::Product::Matrix &result = product.result();
  return product.batches() == 1 ||
         result.batch_stride() >= product.rows() * product.columns() ||
         fail(where, ": the results of two batches overlap");
}

bool Checker::checkProductStep(const std::string &where,
                               const format::KernelStep &run,
                               const format::Task &task) {
  const format::Product &product =
      executable.kernels(int(run.kernel())).product();
  for (const NamedMatrix &own : matricesOf(product)) {
    const format::Operand &operand =
        task.operands(int(run.operands(int(own.matrix.buffer()))));
    uint64_t width = byteSize(toElementType(own.matrix.type()));
    if (*elementsOf(product, own) > operand.size() / width)
      return fail(where, ": operand \"", operand.name(), "\" has ",
                  operand.size(), " bytes, the ", own.name,
                  " matrices of the product have ", *elementsOf(product, own),
                  " elements of ", width);
    bool isRead = own.matrix.buffer() < run.reads();
    if (isRead == (&own.matrix == &product.result()))
      return fail(where, ": the ", own.name, " matrix is ",
                  isRead ? "read" : "written");
  }
  if (!product.has_bias())
    return true;
  const format::Operand &bias =
      task.operands(int(run.operands(int(product.bias().buffer()))));
  uint64_t width = byteSize(toElementType(product.result().type()));
  if (bias.size() / width < product.columns())
    return fail(where, ": operand \"", bias.name(), "\" has ", bias.size(),
                " bytes, the bias of the product has ", product.columns(),
                " elements of ", width);
  return product.bias().buffer() < run.reads() ||
         fail(where, ": the bias is written");
}

} // namespace zcc::rt
