// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Graphs of cuDNN's operations as plain loops, one operation after the other:
// every tensor is held as floats in the order of its dims.

#include "runtime/core/Float.h"
#include "runtime/format/Text.h"
#include "test/cuda-stand-in/Cudnn.h"
#include "test/cuda-stand-in/Rounding.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <set>

namespace zcc::standin {

using rt::text;

int firstAttribute(int kind) {
  return kind == dnn::kindConvolutionForward ? dnn::forwardAlpha
         : kind == dnn::kindConvolutionData  ? dnn::dataAlpha
                                             : dnn::filterAlpha;
}

namespace {

using Dims = std::vector<int64_t>;

struct Tensor {
  int64_t id;
  int type;
  Dims dims, strides;
  int64_t alignment;
  bool isVirtual, isByValue;

  explicit Tensor(const DnnRecord &record)
      : id(record.one<int64_t>(dnn::tensorId)),
        type(record.one<int>(dnn::tensorType)),
        dims(record.list<int64_t>(dnn::tensorDims)),
        strides(record.list<int64_t>(dnn::tensorStrides)),
        alignment(record.one<int64_t>(dnn::tensorAlignment)),
        isVirtual(record.one<bool>(dnn::tensorIsVirtual)),
        isByValue(record.one<bool>(dnn::tensorIsByValue)) {}

  size_t count() const {
    size_t n = 1;
    for (int64_t dim : dims)
      n *= size_t(dim);
    return n;
  }
  size_t width() const {
    return type == dnn::typeF16 || type == dnn::typeBF16 ? 2
           : type == dnn::typeBool                       ? 1
                                                         : 4;
  }
  /// Elements up to the last one.
  size_t reach() const {
    size_t end = 1;
    for (size_t d = 0; d < dims.size(); ++d)
      end += size_t(dims[d] - 1) * size_t(strides[d]);
    return end;
  }
  /// visit(linear index, element in memory), in the order of dims.
  template <typename Visit> void forEach(Visit visit) const {
    Dims at(dims.size());
    size_t place = 0;
    for (size_t i = 0, n = count(); i < n; ++i) {
      visit(i, place);
      for (size_t d = dims.size(); d-- > 0;) {
        place += size_t(strides[d]);
        if (++at[d] < dims[d])
          break;
        place -= size_t(strides[d] * dims[d]);
        at[d] = 0;
      }
    }
  }
  float rounded(float x) const {
    return type == dnn::typeF16    ? rt::f16ToFloat(rt::floatToF16(x))
           : type == dnn::typeBF16 ? rt::bf16ToFloat(rt::floatToBf16(x))
                                   : x;
  }
  float load(const char *at) const {
    if (width() == 2) {
      uint16_t half;
      std::memcpy(&half, at, 2);
      return type == dnn::typeF16 ? rt::f16ToFloat(half)
                                  : rt::bf16ToFloat(half);
    }
    float x;
    return std::memcpy(&x, at, 4), x;
  }
  void store(char *at, float x) const {
    if (width() == 2) {
      uint16_t half =
          type == dnn::typeF16 ? rt::floatToF16(x) : rt::floatToBf16(x);
      std::memcpy(at, &half, 2);
    } else {
      std::memcpy(at, &x, 4);
    }
  }
};

struct Operation {
  int kind;
  std::vector<Tensor> reads;
  Tensor result;
  const DnnRecord *how; // null: it needs none
};

Operation readOperation(const DnnRecord &record) {
  auto tensor = [&](int attribute) { return Tensor(*record.part(attribute)); };
  switch (record.kind) {
  case dnn::kindPointwiseOperation: {
    Operation out{record.kind,
                  {tensor(dnn::operationX)},
                  tensor(dnn::operationY),
                  record.part(dnn::operationPointwise)};
    for (int attribute : {dnn::operationB, dnn::operationT})
      if (record.has(attribute))
        out.reads.push_back(tensor(attribute));
    return out;
  }
  case dnn::kindMatmulOperation:
    return {record.kind,
            {tensor(dnn::matmulA), tensor(dnn::matmulB)},
            tensor(dnn::matmulC),
            nullptr};
  case dnn::kindReductionOperation:
    return {record.kind,
            {tensor(dnn::reductionX)},
            tensor(dnn::reductionY),
            record.part(dnn::reductionDescriptor)};
  case dnn::kindReshapeOperation:
    return {
        record.kind, {tensor(dnn::reshapeX)}, tensor(dnn::reshapeY), nullptr};
  default: {
    int first = firstAttribute(record.kind);
    Tensor filter = tensor(first + 3), input = tensor(first + 4),
           output = tensor(first + 5);
    const DnnRecord *how = record.part(first + 2);
    if (record.kind == dnn::kindConvolutionForward)
      return {record.kind, {filter, input}, output, how};
    if (record.kind == dnn::kindConvolutionData)
      return {record.kind, {filter, output}, input, how};
    return {record.kind, {input, output}, filter, how};
  }
  }
}

bool isConvolution(int kind) {
  return kind == dnn::kindConvolutionForward ||
         kind == dnn::kindConvolutionData || kind == dnn::kindConvolutionFilter;
}

std::vector<Operation> operationsOf(const DnnRecord &graph) {
  std::vector<Operation> out;
  for (void *operation : graph.list<void *>(dnn::graphOperations))
    out.push_back(readOperation(*static_cast<const DnnRecord *>(operation)));
  return out;
}

using Values = std::vector<float>;

/// Maps an index of `like` to the dims of `of`: dims of 1 are repeated, and
/// dims that divide those of `like` are shared.
size_t project(const Tensor &of, const Dims &like, size_t index) {
  size_t out = 0, scale = 1;
  for (size_t d = like.size(); d-- > 0;) {
    auto at = int64_t(index % size_t(like[d]));
    index /= size_t(like[d]);
    at = at / (like[d] / of.dims[d]);
    out += size_t(at) * scale;
    scale *= size_t(of.dims[d]);
  }
  return out;
}

float pointwise(int mode, float x, float b, float t) {
  switch (mode) {
  case dnn::modeAdd:
    return x + b;
  case dnn::modeMultiply:
    return x * b;
  case dnn::modeDivide:
    return x / b;
  case dnn::modeSubtract:
    return x - b;
  case dnn::modeExp:
    return std::exp(x);
  case dnn::modeLog:
    return std::log(x);
  case dnn::modeIsNotLess:
    return x >= b;
  default:
    return t != 0 ? x : b;
  }
}

void doPointwise(const Operation &op, const std::vector<const Values *> &in,
                 Values &out) {
  int mode = op.how->one<int>(dnn::pointwiseMode);
  const Dims &dims = op.result.dims;
  if (mode == dnn::modeIndex) {
    auto dim = size_t(op.how->one<int64_t>(dnn::pointwiseAxis));
    size_t inner = 1;
    for (size_t d = dim + 1; d < dims.size(); ++d)
      inner *= size_t(dims[d]);
    for (size_t i = 0; i < out.size(); ++i)
      out[i] = float(i / inner % size_t(dims[dim]));
    return;
  }
  for (size_t i = 0; i < out.size(); ++i) {
    float x[3] = {};
    for (size_t k = 0; k < in.size(); ++k)
      x[k] = (*in[k])[project(op.reads[k], dims, i)];
    out[i] = pointwise(mode, x[0], x[1], x[2]);
  }
}

void doReduction(const Operation &op, const Values &in, Values &out) {
  bool isSum = op.how->one<int>(dnn::reductionMode) == dnn::reduceAdd;
  out.assign(out.size(), isSum ? 0 : -INFINITY);
  for (size_t i = 0; i < in.size(); ++i) {
    float &to = out[project(op.result, op.reads[0].dims, i)];
    to = isSum ? to + in[i] : std::max(to, in[i]);
  }
}

/// Heads of the right operand are shared.
void doProduct(const Operation &op, const Values &left, const Values &right,
               Values &out) {
  const Tensor &a = op.reads[0], &b = op.reads[1], &c = op.result;
  auto rows = size_t(c.dims[2]), columns = size_t(c.dims[3]),
       steps = size_t(a.dims[3]);
  Dims batches{c.dims[0], c.dims[1]};
  Tensor heads = b;
  heads.dims.resize(2);
  for (size_t batch = 0; batch < size_t(c.dims[0] * c.dims[1]); ++batch) {
    const float *x = &left[batch * rows * steps];
    const float *y = &right[project(heads, batches, batch) * steps * columns];
    float *z = &out[batch * rows * columns];
    for (size_t i = 0; i < rows; ++i)
      for (size_t k = 0; k < steps; ++k)
        for (size_t j = 0; j < columns; ++j)
          z[i * columns + j] += x[i * steps + k] * y[k * columns + j];
  }
}

void doReshape(const Operation &op, const Values &in, Values &out) {
  Values memory(op.reads[0].reach());
  op.reads[0].forEach([&](size_t i, size_t at) { memory[at] = in[i]; });
  op.result.forEach([&](size_t i, size_t at) { out[i] = memory[at]; });
}

/// Computes output[n, o, y] from input[n, c, x] and filter[o, c, k], or the
/// derivative by one of them: every product belongs to one element of each.
void doConvolution(const Operation &op, const Values &first,
                   const Values &second, Values &out) {
  bool isForward = op.kind == dnn::kindConvolutionForward,
       isData = op.kind == dnn::kindConvolutionData;
  const Tensor &filter = isForward || isData ? op.reads[0] : op.result,
               &input = isForward ? op.reads[1]
                        : isData  ? op.result
                                  : op.reads[0],
               &output = isForward ? op.result : op.reads[1];
  Dims strides = op.how->list<int64_t>(dnn::convolutionStrides),
       dilations = op.how->list<int64_t>(dnn::convolutionDilations),
       low = op.how->list<int64_t>(dnn::convolutionPadLow);
  size_t spatial = strides.size();
  auto volume = [&](const Tensor &t) {
    size_t n = 1;
    for (size_t d = 0; d < spatial; ++d)
      n *= size_t(t.dims[d + 2]);
    return n;
  };
  size_t pixels = volume(output), window = volume(filter), area = volume(input);
  auto groups = size_t(input.dims[1] / filter.dims[1]),
       features = size_t(filter.dims[1]), outputs = size_t(filter.dims[0]);
  for (size_t y = 0; y < pixels; ++y)
    for (size_t k = 0; k < window; ++k) {
      size_t restY = y, restK = k, x = 0, scale = 1;
      bool isInside = true;
      for (size_t d = spatial; d-- > 0;) {
        auto extentY = size_t(output.dims[d + 2]),
             extentK = size_t(filter.dims[d + 2]);
        int64_t at = int64_t(restY % extentY) * strides[d] +
                     int64_t(restK % extentK) * dilations[d] - low[d];
        restY /= extentY;
        restK /= extentK;
        isInside &= at >= 0 && at < input.dims[d + 2];
        x += size_t(at) * scale;
        scale *= size_t(input.dims[d + 2]);
      }
      if (!isInside)
        continue;
      for (size_t n = 0; n < size_t(input.dims[0]); ++n)
        for (size_t o = 0; o < outputs; ++o)
          for (size_t c = 0; c < features; ++c) {
            size_t ofGroup = o / (outputs / groups) * features + c;
            size_t i = (n * features * groups + ofGroup) * area + x,
                   f = (o * features + c) * window + k,
                   j = (n * outputs + o) * pixels + y;
            if (isForward)
              out[j] += first[f] * second[i];
            else if (isData)
              out[i] += first[f] * second[j];
            else
              out[f] += first[i] * second[j];
          }
    }
}

void run(const Operation &op, const std::vector<const Values *> &in,
         Values &out) {
  out.assign(op.result.count(), 0);
  switch (op.kind) {
  case dnn::kindPointwiseOperation:
    doPointwise(op, in, out);
    break;
  case dnn::kindReductionOperation:
    doReduction(op, *in[0], out);
    break;
  case dnn::kindMatmulOperation:
    doProduct(op, *in[0], *in[1], out);
    break;
  case dnn::kindReshapeOperation:
    doReshape(op, *in[0], out);
    break;
  default:
    doConvolution(op, *in[0], *in[1], out);
  }
  for (float &x : out)
    x = op.result.rounded(x);
}

bool divides(const Tensor &of, const Dims &like) {
  bool does = of.dims.size() == like.size();
  for (size_t d = 0; does && d < like.size(); ++d)
    does = of.dims[d] > 0 && like[d] % of.dims[d] == 0;
  return does;
}

} // namespace

std::string checkGraph(const DnnRecord &graph) {
  std::map<int64_t, Dims> known;
  std::set<int64_t> made;
  for (const Operation &op : operationsOf(graph)) {
    auto meet = [&](const Tensor &tensor) {
      auto at = known.insert({tensor.id, tensor.dims});
      return at.second || at.first->second == tensor.dims;
    };
    for (const Tensor &tensor : op.reads) {
      if (!meet(tensor))
        return text("two tensors are number ", tensor.id);
      if (tensor.isVirtual && !made.count(tensor.id))
        return text("tensor ", tensor.id, " is read before it is made");
    }
    if (!meet(op.result) || !made.insert(op.result.id).second ||
        op.result.isByValue)
      return text("tensor ", op.result.id, " cannot be made here");
    if (op.kind == dnn::kindPointwiseOperation)
      for (const Tensor &tensor : op.reads)
        if (!divides(tensor, op.result.dims))
          return text("tensor ", tensor.id, " has no place in tensor ",
                      op.result.id);
    if (op.kind == dnn::kindReductionOperation &&
        !divides(op.result, op.reads[0].dims))
      return text("tensor ", op.result.id, " is no reduction");
    if (op.kind == dnn::kindMatmulOperation &&
        (op.reads[0].dims[3] != op.reads[1].dims[2] ||
         op.reads[0].dims[2] != op.result.dims[2] ||
         op.reads[1].dims[3] != op.result.dims[3]))
      return text("tensor ", op.result.id, " is no product");
    if (op.kind == dnn::kindReshapeOperation &&
        (op.reads[0].reach() != op.result.reach() ||
         op.reads[0].count() != op.result.count()))
      return text("tensor ", op.result.id, " is no reshape");
  }
  return "";
}

uint64_t workspaceOf(const DnnRecord &graph) {
  uint64_t most = 0;
  for (const Operation &op : operationsOf(graph))
    if (op.kind == dnn::kindReshapeOperation && op.reads[0].isVirtual)
      most = std::max<uint64_t>(most, op.result.count() * op.result.width());
  return most;
}

std::string prepareGraph(const DnnRecord &graph,
                         const std::map<int64_t, void *> &memory, bool asTf32,
                         DnnExecution &out) {
  auto operations =
      std::make_shared<const std::vector<Operation>>(operationsOf(graph));
  auto values = std::make_shared<std::map<int64_t, Values>>();
  std::set<int64_t> made, seen;
  for (const Operation &op : *operations)
    made.insert(op.result.id);
  size_t wanted = 0;
  for (const Operation &op : *operations) {
    std::vector<Tensor> tensors = op.reads;
    tensors.push_back(op.result);
    for (const Tensor &tensor : tensors) {
      if (tensor.isVirtual || !seen.insert(tensor.id).second)
        continue;
      ++wanted;
      auto at = memory.find(tensor.id);
      if (at == memory.end() || !at->second)
        return text("tensor ", tensor.id, " is nowhere");
      auto begin = uint64_t(uintptr_t(at->second));
      if (tensor.isByValue) {
        (*values)[tensor.id] = {
            tensor.load(static_cast<const char *>(at->second))};
        continue;
      }
      if (begin % uint64_t(tensor.alignment) != 0)
        return text("tensor ", tensor.id, " at ", begin, " is no multiple of ",
                    tensor.alignment);
      out.uses.push_back(
          {begin, tensor.reach() * tensor.width(), made.count(tensor.id) != 0});
    }
  }
  if (wanted != memory.size())
    return text("pointers to ", memory.size(), " tensors, the graph has ",
                wanted);
  out.work = [=] {
    std::map<int64_t, Values> all = *values;
    for (const Operation &op : *operations) {
      std::vector<const Values *> in;
      for (const Tensor &tensor : op.reads) {
        Values &own = all[tensor.id];
        if (own.empty()) {
          own.resize(tensor.count());
          const char *base = static_cast<const char *>(memory.at(tensor.id));
          tensor.forEach([&](size_t i, size_t at) {
            own[i] = tensor.load(base + at * tensor.width());
          });
        }
        in.push_back(&own);
      }
      Values result, rounded[2];
      if (asTf32 && isConvolution(op.kind))
        for (size_t i = 0; i < 2; ++i) {
          for (float value : *in[i])
            rounded[i].push_back(roundToTf32(value));
          in[i] = &rounded[i];
        }
      run(op, in, result);
      if (!op.result.isVirtual) {
        char *base = static_cast<char *>(memory.at(op.result.id));
        op.result.forEach([&](size_t i, size_t at) {
          op.result.store(base + at * op.result.width(), result[i]);
        });
      }
      all[op.result.id] = std::move(result);
    }
  };
  return "";
}

} // namespace zcc::standin
