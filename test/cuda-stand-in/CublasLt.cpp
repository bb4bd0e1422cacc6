// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The entry points of cuBLASLt that runtime/cuda/CublasLt.h names: plain loops
// on the stream, with the driver's checks.

#include "runtime/cuda/CublasLt.h"

#include "runtime/core/Float.h"
#include "test/cuda-stand-in/Calls.h"
#include "test/cuda-stand-in/Rounding.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <thread>

namespace lt = zcc::rt::cuda::lt;

#define ZCC_DECLARE(name, symbol, parameters)                                  \
  extern "C" __attribute__((visibility("default")))                            \
  lt::Status symbol parameters;
ZCC_CUBLASLT_FUNCTIONS(ZCC_DECLARE)
#undef ZCC_DECLARE
extern "C" __attribute__((visibility("default"))) size_t cublasLtGetVersion();
extern "C" __attribute__((visibility("default"))) const char *
cublasLtGetStatusName(lt::Status status);

namespace zcc::rt::cuda::lt {

struct HandleRecord {
  ContextRecord *context;
};
struct OperationRecord {
  int compute, scale;
  int32_t transposeA = 0, transposeB = 0;
  uint32_t epilogue = lt::epilogueNone;
  const void *bias = nullptr;
};
struct LayoutRecord {
  int type;
  uint64_t rows, columns;
  int64_t leading;
  int32_t batches = 1;
  int64_t batchStride = 0;

  uint64_t elementBytes() const {
    return type == typeF64 ? 8 : type == typeF32 ? 4 : 2;
  }
  uint64_t bytes() const {
    return (uint64_t(batches - 1) * uint64_t(batchStride) +
            (columns - 1) * uint64_t(leading) + rows) *
           elementBytes();
  }
};
struct PreferenceRecord {
  uint64_t workspace = 0;
};

} // namespace zcc::rt::cuda::lt

namespace {

constexpr lt::Status invalid = 7, notBegun = 1;

template <typename... Parts> lt::Status refuse(const Parts &...parts) {
  std::lock_guard<std::mutex> lock(mutex);
  complain(parts...);
  return invalid;
}

double load(const lt::LayoutRecord &layout, const void *base, uint64_t at) {
  switch (layout.type) {
  case lt::typeF64:
    return static_cast<const double *>(base)[at];
  case lt::typeF32:
    return static_cast<const float *>(base)[at];
  case lt::typeF16:
    return zcc::rt::f16ToFloat(static_cast<const uint16_t *>(base)[at]);
  default:
    return zcc::rt::bf16ToFloat(static_cast<const uint16_t *>(base)[at]);
  }
}

void store(const lt::LayoutRecord &layout, void *base, uint64_t at,
           double value) {
  switch (layout.type) {
  case lt::typeF64:
    static_cast<double *>(base)[at] = value;
    return;
  case lt::typeF32:
    static_cast<float *>(base)[at] = float(value);
    return;
  case lt::typeF16:
    static_cast<uint16_t *>(base)[at] = zcc::rt::floatToF16(float(value));
    return;
  default:
    static_cast<uint16_t *>(base)[at] = zcc::rt::floatToBf16(float(value));
  }
}

struct Matrix {
  lt::LayoutRecord layout;
  char *data;
  bool transposed;

  uint64_t place(int32_t batch, uint64_t row, uint64_t column) const {
    if (transposed)
      std::swap(row, column);
    return uint64_t(batch) * uint64_t(layout.batchStride) +
           column * uint64_t(layout.leading) + row;
  }
  uint64_t rows() const { return transposed ? layout.columns : layout.rows; }
  uint64_t columns() const { return transposed ? layout.rows : layout.columns; }
};

/// Column by column.
template <typename T> std::vector<T> unpack(const Matrix &from, int32_t batch) {
  std::vector<T> out;
  out.reserve(from.rows() * from.columns());
  for (uint64_t j = 0; j < from.columns(); ++j)
    for (uint64_t i = 0; i < from.rows(); ++i)
      out.push_back(T(load(from.layout, from.data, from.place(batch, i, j))));
  return out;
}

struct Manner {
  bool asTf32 = false;
  const void *bias = nullptr; // of a row, of d's type; null: none
  // Each of `algorithms` algorithms begins its sums with another step.
  uint64_t algorithm = 0, algorithms = 1;
  bool isSlow = false;
};

template <typename T>
void multiply(const Matrix &a, const Matrix &b, const Matrix &d,
              const Manner &manner) {
  if (manner.isSlow)
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  const uint64_t rows = d.rows(), steps = a.columns(),
                 begin = steps * manner.algorithm / manner.algorithms;
  std::vector<T> sums(rows);
  for (int32_t batch = 0; batch < d.layout.batches; ++batch) {
    std::vector<T> left = unpack<T>(a, batch), right = unpack<T>(b, batch);
    if (manner.asTf32)
      for (std::vector<T> *factors : {&left, &right})
        for (T &factor : *factors)
          factor = T(zcc::standin::roundToTf32(float(factor)));
    for (uint64_t j = 0; j < d.columns(); ++j) {
      sums.assign(rows, 0);
      for (uint64_t step = 0; step < steps; ++step) {
        const uint64_t k = (begin + step) % steps;
        const T factor = right[j * steps + k], *column = &left[k * rows];
        for (uint64_t i = 0; i < rows; ++i)
          sums[i] += column[i] * factor;
      }
      for (uint64_t i = 0; i < rows; ++i)
        store(d.layout, d.data, d.place(batch, i, j),
              double(manner.bias ? sums[i] + T(load(d.layout, manner.bias, i))
                                 : sums[i]));
    }
  }
}

template <typename T> T valueOf(const void *value) {
  T out;
  std::memcpy(&out, value, sizeof out);
  return out;
}

} // namespace

size_t cublasLtGetVersion() {
  std::lock_guard<std::mutex> lock(mutex);
  return state.isReady ? state.cublasLt : State().cublasLt;
}

const char *cublasLtGetStatusName(lt::Status status) {
  return status == lt::statusSuccess        ? "CUBLAS_STATUS_SUCCESS"
         : status == notBegun               ? "CUBLAS_STATUS_NOT_INITIALIZED"
         : status == lt::statusNotSupported ? "CUBLAS_STATUS_NOT_SUPPORTED"
                                            : "CUBLAS_STATUS_INVALID_VALUE";
}

lt::Status cublasLtCreate(lt::Handle *handle) {
  if (Result wrong = inContext("cublasLtCreate", [](auto &) {
        bool isNewer = state.cublasLt / 10000 > size_t(state.version) / 1000;
        return Result(isNewer ? notBegun : lt::statusSuccess);
      }))
    return lt::Status(wrong);
  *handle = new lt::HandleRecord{current};
  return lt::statusSuccess;
}
lt::Status cublasLtDestroy(lt::Handle handle) {
  if (handle->context != current)
    return refuse("cublasLtDestroy: in another context than it began in");
  delete handle;
  return lt::statusSuccess;
}

lt::Status cublasLtMatmulDescCreate(lt::Operation *operation, int compute,
                                    int scale) {
  *operation = new lt::OperationRecord{compute, scale};
  return lt::statusSuccess;
}
lt::Status cublasLtMatmulDescDestroy(lt::Operation operation) {
  delete operation;
  return lt::statusSuccess;
}
lt::Status cublasLtMatmulDescSetAttribute(lt::Operation operation,
                                          int attribute, const void *value,
                                          size_t bytes) {
  if (bytes != (attribute == lt::operationBias ? 8 : 4))
    return refuse("cublasLtMatmulDescSetAttribute: ", bytes, " bytes");
  if (attribute == lt::operationTransposeA)
    operation->transposeA = valueOf<int32_t>(value);
  else if (attribute == lt::operationTransposeB)
    operation->transposeB = valueOf<int32_t>(value);
  else if (attribute == lt::operationEpilogue)
    operation->epilogue = valueOf<uint32_t>(value);
  else if (attribute == lt::operationBias)
    operation->bias = valueOf<const void *>(value);
  else
    return refuse("cublasLtMatmulDescSetAttribute: attribute ", attribute);
  return lt::statusSuccess;
}

lt::Status cublasLtMatrixLayoutCreate(lt::Layout *layout, int type,
                                      uint64_t rows, uint64_t columns,
                                      int64_t leading) {
  if (rows == 0 || columns == 0 || leading < int64_t(rows))
    return refuse("cublasLtMatrixLayoutCreate: ", rows, " rows, ", columns,
                  " columns, ", leading, " from one to the next");
  *layout = new lt::LayoutRecord{type, rows, columns, leading};
  return lt::statusSuccess;
}
lt::Status cublasLtMatrixLayoutDestroy(lt::Layout layout) {
  delete layout;
  return lt::statusSuccess;
}
lt::Status cublasLtMatrixLayoutSetAttribute(lt::Layout layout, int attribute,
                                            const void *value, size_t bytes) {
  if (attribute == lt::layoutBatches && bytes == 4)
    layout->batches = valueOf<int32_t>(value);
  else if (attribute == lt::layoutBatchStride && bytes == 8)
    layout->batchStride = valueOf<int64_t>(value);
  else
    return refuse("cublasLtMatrixLayoutSetAttribute: attribute ", attribute,
                  " of ", bytes, " bytes");
  return lt::statusSuccess;
}

lt::Status cublasLtMatmulPreferenceCreate(lt::Preference *preference) {
  *preference = new lt::PreferenceRecord;
  return lt::statusSuccess;
}
lt::Status cublasLtMatmulPreferenceDestroy(lt::Preference preference) {
  delete preference;
  return lt::statusSuccess;
}
lt::Status cublasLtMatmulPreferenceSetAttribute(lt::Preference preference,
                                                int attribute,
                                                const void *value,
                                                size_t bytes) {
  bool isLong = attribute == lt::preferenceWorkspace;
  if (bytes != (isLong ? 8 : 4))
    return refuse("cublasLtMatmulPreferenceSetAttribute: attribute ", attribute,
                  " of ", bytes, " bytes");
  if (isLong)
    preference->workspace = valueOf<uint64_t>(value);
  return lt::statusSuccess;
}

// The algorithm holds its number and the workspace that it may use.
lt::Status cublasLtMatmulAlgoGetHeuristic(lt::Handle, lt::Operation operation,
                                          lt::Layout a, lt::Layout b,
                                          lt::Layout c, lt::Layout d,
                                          lt::Preference preference, int asked,
                                          lt::Heuristic *results, int *found) {
  Matrix left{*a, nullptr, operation->transposeA != 0},
      right{*b, nullptr, operation->transposeB != 0};
  if (left.rows() != d->rows || right.columns() != d->columns ||
      left.columns() != right.rows() || c->rows != d->rows ||
      a->batches != d->batches || b->batches != d->batches || asked < 1)
    return refuse("cublasLtMatmulAlgoGetHeuristic: ", left.rows(), " x ",
                  left.columns(), " times ", right.rows(), " x ",
                  right.columns(), " is ", d->rows, " x ", d->columns);
  bool isDouble = a->type == lt::typeF64;
  bool asTf32 = operation->compute == lt::computeF32AsTf32;
  if (a->type != b->type || (asTf32 && a->type != lt::typeF32) ||
      (!asTf32 &&
       operation->compute != (isDouble ? lt::computeF64 : lt::computeF32)) ||
      operation->scale != (isDouble ? lt::typeF64 : lt::typeF32) ||
      (d->type != a->type && d->type != lt::typeF32))
    return refuse("cublasLtMatmulAlgoGetHeuristic: types ", a->type, ", ",
                  b->type, ", ", d->type);
  bool hasBias = operation->epilogue == lt::epilogueBias;
  if ((hasBias || operation->bias
           ? !hasBias || !operation->bias || d->type == lt::typeF64
           : operation->epilogue != lt::epilogueNone))
    return refuse("cublasLtMatmulAlgoGetHeuristic: epilogue ",
                  operation->epilogue, operation->bias ? " with" : " without",
                  " a bias, of type ", d->type);
  std::lock_guard<std::mutex> lock(mutex);
  *found = std::min(asked, state.algorithms);
  for (int i = 0; i < *found; ++i) {
    results[i] = {};
    results[i].algorithm.data[0] = preference->workspace;
    results[i].algorithm.data[1] = uint64_t(i);
  }
  return lt::statusSuccess;
}

lt::Status cublasLtMatmulAlgoCheck(lt::Handle, lt::Operation, lt::Layout,
                                   lt::Layout, lt::Layout, lt::Layout,
                                   const lt::Algorithm *algorithm,
                                   lt::Heuristic *result) {
  std::lock_guard<std::mutex> lock(mutex);
  *result = {};
  result->algorithm = *algorithm;
  result->workspaceBytes = algorithm->data[0];
  return algorithm->data[1] < uint64_t(state.algorithms)
             ? lt::statusSuccess
             : lt::statusNotSupported;
}

lt::Status cublasLtMatmul(lt::Handle, lt::Operation operation,
                          const void *alpha, const void *a, lt::Layout aLayout,
                          const void *b, lt::Layout bLayout, const void *beta,
                          const void *c, lt::Layout, void *d,
                          lt::Layout dLayout, const lt::Algorithm *algorithm,
                          void *workspace, size_t workspaceBytes,
                          StreamHandle stream) {
  bool isDouble = operation->scale == lt::typeF64;
  auto number = [&](const void *at) {
    return isDouble ? valueOf<double>(at) : double(valueOf<float>(at));
  };
  if (number(alpha) != 1 || number(beta) != 0 || c != d)
    return refuse("cublasLtMatmul: expected the product alone");
  if (workspaceBytes < algorithm->data[0])
    return refuse("cublasLtMatmul: a workspace of ", workspaceBytes,
                  " bytes, the algorithm wants ", algorithm->data[0]);
  auto at = [](const void *pointer) { return uint64_t(uintptr_t(pointer)); };
  Matrix left{*aLayout, static_cast<char *>(const_cast<void *>(a)),
              operation->transposeA != 0},
      right{*bLayout, static_cast<char *>(const_cast<void *>(b)),
            operation->transposeB != 0},
      product{*dLayout, static_cast<char *>(d), false};
  std::vector<Order::Use> uses = {{at(a), aLayout->bytes(), false},
                                  {at(b), bLayout->bytes(), false},
                                  {at(d), dLayout->bytes(), true}};
  for (const Order::Use &use : uses)
    if (use.begin % 64 != 0)
      return refuse("cublasLtMatmul: ", use.begin, " is no multiple of 64");
  Manner manner;
  {
    std::lock_guard<std::mutex> lock(mutex);
    manner.algorithm = algorithm->data[1];
    manner.algorithms = uint64_t(state.algorithms);
    if (manner.algorithm >= manner.algorithms)
      return complain("cublasLtMatmul: algorithm ", manner.algorithm, " of ",
                      manner.algorithms),
             invalid;
    manner.isSlow = manner.algorithm != uint64_t(state.fastest);
  }
  manner.asTf32 = operation->compute == lt::computeF32AsTf32;
  if (operation->epilogue == lt::epilogueBias) {
    manner.bias = operation->bias;
    uses.push_back(
        {at(manner.bias), dLayout->rows * dLayout->elementBytes(), false});
  }
  if (workspaceBytes)
    uses.push_back({at(workspace), workspaceBytes, true});
  const char *name = "cublasLtMatmul";
  std::string first = zcc::rt::text(
      "cuBLASLt's algorithm ", algorithm->data[1], " for ", left.rows(), " x ",
      left.columns(), " x ", right.columns(), ", types ", aLayout->type,
      " and ", dLayout->type, ", transposed ", left.transposed, " and ",
      right.transposed);
  Result result = onStream(name, stream, [&](auto &lock) {
    if (Result wrong = useFirst(lock, first))
      return wrong;
    for (const Order::Use &use : uses)
      if (!find(use.begin) || !isWithin(use.begin, use.bytes))
        return complain(name, ": ", use.bytes, " bytes at ", use.begin,
                        " are of no allocation");
    return enqueue(stream, name, uses, [=] {
      if (isDouble)
        multiply<double>(left, right, product, manner);
      else
        multiply<float>(left, right, product, manner);
    });
  });
  return result == success ? lt::statusSuccess : invalid;
}
