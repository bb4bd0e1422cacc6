// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ops that move along dims, with extents, windows, strides, dilations and
// padding drawn at random.
#include "test/unit/distribute/OpExamples.h"
#include <random>

using namespace zcc;

namespace {
struct WindowDraw {
  std::mt19937 engine;

  int64_t between(int64_t low, int64_t high) {
    return low + static_cast<int64_t>(engine() % (high - low + 1));
  }
  template <size_t n> const char *of(const char *const (&list)[n]) {
    return list[engine() % n];
  }
};

std::string array(const std::string &name, const std::vector<int64_t> &list) {
  std::string text = name + " = array<i64";
  for (size_t i = 0; i < list.size(); ++i)
    text += (i ? ", " : ": ") + std::to_string(list[i]);
  return text + ">";
}
std::string tensor(const std::vector<int64_t> &shape,
                   const char *element = "f32") {
  std::string text = "tensor<";
  for (int64_t extent : shape)
    text += std::to_string(extent) + "x";
  return text + element + ">";
}
std::string kind(const char *name) {
  return std::string("kind = #train<reduce_kind ") + name + ">";
}
int64_t dilated(int64_t extent, int64_t dilation) {
  return (extent - 1) * dilation + 1;
}

// The window along one dim.
struct Line {
  int64_t extent, window, stride, dilation, step, low, high;

  Line(WindowDraw &d, int64_t most, bool plain)
      : extent(d.between(1, most)), window(d.between(1, 4)),
        stride(d.between(1, 3)), dilation(plain ? 1 : d.between(1, 3)),
        step(plain ? 1 : d.between(1, 2)), low(d.between(plain ? 0 : -1, 3)),
        high(d.between(plain ? 0 : -1, 3)) {
    if (plain) {
      low = std::min(low, window - 1);
      high = std::min(high, window - 1);
    }
  }
  int64_t places() const {
    int64_t rest =
        dilated(extent, dilation) + low + high - dilated(window, step);
    return rest < 0 ? 0 : rest / stride + 1;
  }
};

std::optional<OpExample> slice(WindowDraw &d) {
  int64_t n = d.between(2, 14), start = d.between(0, n - 1),
          limit = d.between(start + 1, n), stride = d.between(1, 3);
  return OpExample{
      "slice",
      array("start", {0, start}) + ", " + array("limit", {3, limit}) + ", " +
          array("stride", {1, stride}),
      tensor({3, n}), tensor({3, (limit - start + stride - 1) / stride})};
}

std::optional<OpExample> dynamicSlice(WindowDraw &d) {
  int64_t n = d.between(2, 14), size = d.between(1, n - 1);
  OpExample example{"dynamic_slice", array("sizes", {3, size}),
                    tensor({3, n}) + ", tensor<i32>, tensor<i32>",
                    tensor({3, size})};
  example.constants = {{2, std::to_string(d.between(-1, n))}};
  return example;
}

std::optional<OpExample> updateSlice(WindowDraw &d) {
  int64_t n = d.between(2, 14), size = d.between(1, n - 1);
  bool other = d.between(0, 1);
  OpExample example{"dynamic_update_slice", "",
                    tensor({3, n}) + ", " + tensor({other ? 2 : 3, size}) +
                        ", tensor<i32>, tensor<i32>",
                    tensor({3, n})};
  example.constants = {{3, std::to_string(d.between(-1, n))}};
  return example;
}

std::optional<OpExample> pad(WindowDraw &d) {
  int64_t n = d.between(1, 10), low = d.between(-2, 4), high = d.between(-2, 4),
          interior = d.between(0, 2);
  int64_t to = dilated(n, interior + 1) + low + high;
  if (to < 1)
    return std::nullopt;
  return OpExample{"pad",
                   array("low", {0, low}) + ", " + array("high", {0, high}) +
                       ", " + array("interior", {0, interior}),
                   tensor({3, n}) + ", tensor<f32>", tensor({3, to})};
}

std::optional<OpExample> reverse(WindowDraw &d) {
  int64_t n = d.between(1, 14);
  return OpExample{"reverse", array("dims", {1}), tensor({3, n}),
                   tensor({3, n})};
}

std::optional<OpExample> concatenate(WindowDraw &d) {
  int64_t sum = 0;
  std::string operands;
  for (int64_t i = d.between(1, 3); i >= 0; --i) {
    int64_t n = d.between(1, 7);
    sum += n;
    operands += (operands.empty() ? "" : ", ") + tensor({3, n});
  }
  return OpExample{"concatenate", "dim = 1 : i64", operands, tensor({3, sum})};
}

std::optional<OpExample> cumulative(WindowDraw &d) {
  int64_t n = d.between(1, 14);
  std::string shape = tensor({3, n});
  return OpExample{"cumulative",
                   "dim = 1 : i64, " +
                       kind(d.of({"add", "multiply", "maximum", "minimum"})) +
                       (d.between(0, 1) ? ", reverse = true" : ""),
                   shape, shape};
}

std::optional<OpExample> reduceWindow(WindowDraw &d) {
  Line a(d, 10, false), b(d, 3, d.between(0, 1));
  if (!a.places() || !b.places())
    return std::nullopt;
  return OpExample{"reduce_window",
                   array("window", {1, a.window, b.window}) + ", " +
                       array("strides", {1, a.stride, b.stride}) + ", " +
                       array("base_dilation", {1, a.dilation, b.dilation}) +
                       ", " + array("window_dilation", {1, a.step, b.step}) +
                       ", " + array("pad_low", {0, a.low, b.low}) + ", " +
                       array("pad_high", {0, a.high, b.high}) + ", " +
                       kind(d.of({"add", "multiply", "maximum", "minimum"})),
                   tensor({2, a.extent, b.extent}),
                   tensor({2, a.places(), b.places()})};
}

std::optional<OpExample> selectAndScatter(WindowDraw &d) {
  Line a(d, 14, true), b(d, 3, true);
  if (!a.places() || !b.places())
    return std::nullopt;
  return OpExample{"select_and_scatter",
                   array("window", {a.window, b.window}) + ", " +
                       array("strides", {a.stride, b.stride}) + ", " +
                       array("pad_low", {a.low, b.low}) + ", " +
                       array("pad_high", {a.high, b.high}) + ", " +
                       kind(d.of({"maximum", "minimum"})),
                   tensor({a.extent, b.extent}) + ", " +
                       tensor({a.places(), b.places()}),
                   tensor({a.extent, b.extent})};
}

// One or two spatial dims; every other has the window of a kernel's gradient:
// few places, a long kernel.
std::optional<OpExample> convolution(WindowDraw &d) {
  bool two = d.between(0, 1), gradient = d.between(0, 1);
  std::vector<Line> lines = {Line(d, 9, false)};
  if (gradient) {
    Line &line = lines[0];
    line.window = d.between(1, 9);
    line.extent = std::max<int64_t>(
        1, dilated(line.window, line.step) / line.dilation + d.between(-1, 3));
  }
  if (two)
    lines.push_back(Line(d, 3, true));
  std::vector<int64_t> strides, low, high, dilation, step, in, kernel, out;
  std::string reversal = "reversal = array<i1: ";
  for (const Line &line : lines) {
    if (!line.places())
      return std::nullopt;
    strides.push_back(line.stride);
    low.push_back(line.low);
    high.push_back(line.high);
    dilation.push_back(line.dilation);
    step.push_back(line.step);
    in.push_back(line.extent);
    kernel.push_back(line.window);
    out.push_back(line.places());
    reversal += std::string(in.size() > 1 ? ", " : "") +
                (d.between(0, 1) ? "true" : "false");
  }
  std::vector<int64_t> imageDims = {0, static_cast<int64_t>(lines.size()) + 1},
                       kernelDims = {static_cast<int64_t>(lines.size()),
                                     static_cast<int64_t>(lines.size()) + 1};
  for (size_t i = 0; i < lines.size(); ++i) {
    imageDims.push_back(i + 1);
    kernelDims.push_back(i);
  }
  auto image = [](std::vector<int64_t> spatial, int64_t features) {
    spatial.insert(spatial.begin(), 2);
    spatial.push_back(features);
    return tensor(spatial);
  };
  std::vector<int64_t> kernelShape = kernel;
  kernelShape.insert(kernelShape.end(), {2, 3});
  return OpExample{"convolution",
                   array("strides", strides) + ", " + array("pad_low", low) +
                       ", " + array("pad_high", high) + ", " +
                       array("lhs_dilation", dilation) + ", " +
                       array("rhs_dilation", step) + ", " + reversal + ">, " +
                       array("input_dims", imageDims) + ", " +
                       array("kernel_dims", kernelDims) + ", " +
                       array("output_dims", imageDims),
                   image(in, 2) + ", " + tensor(kernelShape), image(out, 3)};
}
} // namespace

std::vector<OpExample> zcc::windowExamples(unsigned seed, unsigned count) {
  WindowDraw d{std::mt19937(seed)};
  std::optional<OpExample> (*const ops[])(WindowDraw &) = {
      slice,        dynamicSlice,     updateSlice, pad,
      reverse,      concatenate,      cumulative,  reduceWindow,
      reduceWindow, selectAndScatter, convolution, convolution};
  std::vector<OpExample> list;
  for (unsigned i = 0; list.size() < count; ++i)
    if (std::optional<OpExample> example = ops[i % std::size(ops)](d))
      list.push_back(std::move(*example));
  return list;
}
