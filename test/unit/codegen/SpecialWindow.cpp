// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cumulative, sort, reduce_window and select_and_scatter kernels against the
// evaluator.

#include "test/unit/codegen/DotText.h"
#include "test/unit/codegen/RunCompiled.h"
#include <limits>

using namespace zcc;
using namespace zcc::test;

namespace {

const char *const elementTypes[] = {"f32", "bf16", "f16", "f64",  "i32",
                                    "ui8", "i64",  "i16", "ui32", "i8"};

std::string unary(const std::string &op, const std::string &attributes,
                  const std::string &in, const std::string &out) {
  return "func.func @k(%a: " + in + ") -> " + out + " { %0 = train." + op +
         " %a {" + attributes + "} : (" + in + ") -> " + out +
         " return %0 : " + out + " }";
}

TEST_F(RunCompiled, CumulativeAlongAnyDim) {
  const char *kinds[] = {"add", "multiply", "maximum", "minimum"};
  int i = 0;
  for (std::vector<int64_t> shape :
       {std::vector<int64_t>{37}, {3, 5}, {4, 19}, {2, 3, 33}, {5, 16, 1}})
    for (size_t dim = 0; dim < shape.size(); ++dim, ++i) {
      std::string type = tensorText(shape, elementTypes[i % 10]);
      std::string kind = kinds[i % 4];
      check(unary("cumulative",
                  "dim = " + std::to_string(dim) +
                      ", kind = #train<reduce_kind " + kind + ">" +
                      (i % 3 ? ", reverse = true" : ""),
                  type, type),
            -2, 2);
    }
  check(unary("cumulative", "dim = 0, kind = #train<reduce_kind logical_or>",
              "tensor<9x5xi1>", "tensor<9x5xi1>"));
}

// GPUs load 32 elements of a line ahead; what is left is a group of its own.
TEST_F(RunCompiled, CumulativeInGroupsAndARest) {
  int i = 0;
  for (int64_t n : {31, 32, 33, 64, 95, 129})
    for (std::vector<int64_t> shape :
         {std::vector<int64_t>{3, n}, {n, 5}, {2, n, 3}}) {
      std::string type = tensorText(shape, elementTypes[i % 5]);
      check(
          unary(
              "cumulative",
              "dim = " + std::to_string(llvm::find(shape, n) - shape.begin()) +
                  ", kind = #train<reduce_kind " + (i % 2 ? "add" : "maximum") +
                  ">" + (i % 3 ? ", reverse = true" : ""),
              type, type),
          -2, 2);
      ++i;
    }
}

// A result that is returned twice is stored twice.
TEST_F(RunCompiled, CumulativeWithTwoResults) {
  check(
      R"(func.func @k(%a: tensor<2x70x3xf32>) -> (tensor<2x70x3xf32>, tensor<2x70x3xf32>) {
    %0 = train.cumulative %a {dim = 1 : i64, kind = #train<reduce_kind add>} : (tensor<2x70x3xf32>) -> tensor<2x70x3xf32>
    return %0, %0 : tensor<2x70x3xf32>, tensor<2x70x3xf32>
  })");
}

TEST_F(RunCompiled, SortsAnyTypeAlongAnyDim) {
  int i = 0;
  for (std::vector<int64_t> shape :
       {std::vector<int64_t>{1}, {100}, {3, 17}, {33, 4}, {2, 130, 3}})
    for (size_t dim = 0; dim < shape.size(); ++dim)
      for (const char *element : elementTypes) {
        std::string key = tensorText(shape, element);
        std::string value = tensorText(shape, elementTypes[i++ % 10]);
        std::string types = "(" + key + ", " + value + ")";
        check("func.func @k(%a: " + key + ", %b: " + value + ") -> " + types +
                  " { %0:2 = train.sort %a, %b {dim = " + std::to_string(dim) +
                  (i % 2 ? ", descending = true" : "") + "} : " + types +
                  " -> " + types + " return %0#0, %0#1 : " + key + ", " +
                  value + " }",
              -5, 5);
      }
}

TEST_F(RunCompiled, SortsNaNLast) {
  double nan = std::numeric_limits<double>::quiet_NaN(),
         inf = std::numeric_limits<double>::infinity();
  for (const char *element : {"f32", "bf16", "f16", "f64"})
    for (const char *descending : {"true", "false"}) {
      std::string key = tensorText({20}, element);
      std::string types = "(" + key + ", tensor<20xi32>)";
      train::Tensor keys{mlir::RankedTensorType(), {}, {}}, places;
      keys.type =
          mlir::cast<mlir::RankedTensorType>(mlir::parseType(key, &context));
      for (int i = 0; i < 4; ++i)
        keys.values.insert(keys.values.end(),
                           {nan, inf, -0.0 * (i % 2), -inf, i - 2.0});
      places.type = mlir::cast<mlir::RankedTensorType>(
          mlir::parseType("tensor<20xi32>", &context));
      for (int i = 0; i < 20; ++i)
        places.values.push_back(i);
      check("func.func @k(%a: " + key +
                ", %b: tensor<20xi32>) -> tensor<20xi32>"
                " { %0:2 = train.sort %a, %b {dim = 0, descending = " +
                descending + "} : " + types + " -> " + types +
                " return %0#1 : tensor<20xi32> }",
            {keys, places});
    }
}

struct Window {
  std::vector<int64_t> shape, window, strides, base, spread, low, high;

  std::vector<int64_t> out() const {
    std::vector<int64_t> result;
    for (size_t d = 0; d < shape.size(); ++d) {
      int64_t padded = (shape[d] - 1) * base[d] + 1 + low[d] + high[d];
      int64_t covered = (window[d] - 1) * spread[d] + 1;
      result.push_back(padded < covered ? 0
                                        : (padded - covered) / strides[d] + 1);
    }
    return result;
  }
};

TEST_F(RunCompiled, ReduceWindowOfAnyKind) {
  std::vector<Window> windows = {
      // NHWC and NCHW pooling, 1-d, dilations, negative padding.
      {{2, 5, 6, 18},
       {1, 2, 3, 1},
       {1, 2, 2, 1},
       {1, 1, 1, 1},
       {1, 1, 1, 1},
       {0, 0, 1, 0},
       {0, 1, 1, 0}},
      {{2, 3, 9, 21},
       {1, 1, 3, 3},
       {1, 1, 2, 2},
       {1, 1, 1, 1},
       {1, 1, 1, 1},
       {0, 0, 1, 1},
       {0, 0, 1, 1}},
      {{300}, {5}, {1}, {1}, {1}, {4}, {0}},
      {{40, 3}, {3, 2}, {2, 1}, {2, 1}, {3, 1}, {1, 0}, {2, 0}},
      {{7, 40}, {2, 3}, {1, 3}, {1, 2}, {1, 2}, {0, 3}, {1, 5}},
      {{6, 50}, {2, 3}, {1, 1}, {1, 1}, {1, 2}, {-1, -2}, {0, -3}},
      {{3, 7}, {3, 7}, {1, 1}, {1, 1}, {1, 1}, {0, 0}, {0, 0}},
      {{33}, {2}, {1}, {3}, {1}, {1}, {1}},
      {{}, {}, {}, {}, {}, {}, {}},
  };
  const char *kinds[] = {"add", "maximum", "multiply", "minimum"};
  int i = 0;
  for (const Window &w : windows)
    for (const char *kind : kinds) {
      const char *element = elementTypes[i++ % 10];
      check(unary("reduce_window",
                  "window = " + arrayText(w.window) +
                      ", strides = " + arrayText(w.strides) +
                      ", base_dilation = " + arrayText(w.base) +
                      ", window_dilation = " + arrayText(w.spread) +
                      ", pad_low = " + arrayText(w.low) +
                      ", pad_high = " + arrayText(w.high) +
                      ", kind = #train<reduce_kind " + kind + ">",
                  tensorText(w.shape, element), tensorText(w.out(), element)),
            -3, 3);
    }
}

TEST_F(RunCompiled, SelectAndScatterOfAnyWindow) {
  std::vector<Window> windows = {
      {{2, 5, 6, 18},
       {1, 2, 3, 1},
       {1, 2, 2, 1},
       {1, 1, 1, 1},
       {1, 1, 1, 1},
       {0, 0, 1, 0},
       {0, 1, 1, 0}},
      {{2, 3, 9, 11},
       {1, 1, 3, 3},
       {1, 1, 2, 2},
       {1, 1, 1, 1},
       {1, 1, 1, 1},
       {0, 0, 1, 1},
       {0, 0, 1, 1}},
      {{50}, {5}, {1}, {1}, {1}, {4}, {0}},
      {{7, 16}, {3, 1}, {1, 1}, {1, 1}, {1, 1}, {1, 0}, {1, 0}},
      {{9, 7}, {1, 1}, {1, 1}, {1, 1}, {1, 1}, {0, 0}, {0, 0}},
      {{3, 9, 5},
       {1, 2, 1},
       {1, 3, 1},
       {1, 1, 1},
       {1, 1, 1},
       {0, 2, 0},
       {0, 2, 0}},
  };
  for (const Window &w : windows)
    for (const char *element : {"f32", "bf16", "f16", "f64"})
      for (const char *kind : {"maximum", "minimum"}) {
        std::string in = tensorText(w.shape, element);
        std::string from = tensorText(w.out(), element);
        check("func.func @k(%a: " + in + ", %s: " + from + ") -> " + in +
              " { %0 = train.select_and_scatter %a, %s {window = " +
              arrayText(w.window) + ", strides = " + arrayText(w.strides) +
              ", pad_low = " + arrayText(w.low) +
              ", pad_high = " + arrayText(w.high) +
              ", kind = #train<reduce_kind " + kind + ">} : (" + in + ", " +
              from + ") -> " + in + " return %0 : " + in + " }");
      }
}

} // namespace
