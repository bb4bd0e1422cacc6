// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/unit/train/GradientExamples.h"

namespace zcc::train {

static std::string list(const std::string &name, const std::string &numbers) {
  return name + " = array<i64" + (numbers.empty() ? "" : ": ") + numbers + ">";
}
static std::string kind(const std::string &name) {
  return "kind = #train<reduce_kind " + name + ">";
}
static std::string dot(const std::string &lb, const std::string &rb,
                       const std::string &lc, const std::string &rc) {
  return list("lhs_batching", lb) + ", " + list("rhs_batching", rb) + ", " +
         list("lhs_contracting", lc) + ", " + list("rhs_contracting", rc);
}
static std::string window(const std::string &sizes, const std::string &strides,
                          const std::string &base, const std::string &dilation,
                          const std::string &low, const std::string &high,
                          const std::string &by) {
  return list("window", sizes) + ", " + list("strides", strides) + ", " +
         list("base_dilation", base) + ", " +
         list("window_dilation", dilation) + ", " + list("pad_low", low) +
         ", " + list("pad_high", high) + ", " + kind(by);
}
static std::string gather(const std::string &offset,
                          const std::string &collapsed, const std::string &ob,
                          const std::string &ib, const std::string &map,
                          int vectorDim, const std::string &sizes) {
  return list("offset_dims", offset) + ", " +
         list("collapsed_slice_dims", collapsed) + ", " +
         list("operand_batching_dims", ob) + ", " +
         list("indices_batching_dims", ib) + ", " +
         list("start_index_map", map) +
         ", index_vector_dim = " + std::to_string(vectorDim) + " : i64, " +
         list("slice_sizes", sizes);
}
static std::string scatter(const std::string &window,
                           const std::string &inserted, const std::string &ob,
                           const std::string &ib, const std::string &map,
                           int vectorDim, const std::string &by,
                           bool clamp = false) {
  return list("update_window_dims", window) + ", " +
         list("inserted_window_dims", inserted) + ", " +
         list("operand_batching_dims", ob) + ", " +
         list("indices_batching_dims", ib) + ", " +
         list("operand_dims_map", map) +
         ", index_vector_dim = " + std::to_string(vectorDim) + " : i64, " +
         kind(by) + (clamp ? ", clamp_starts = true" : "");
}
static std::string
convolution(const std::string &strides, const std::string &low,
            const std::string &high, const std::string &lhsDilation,
            const std::string &rhsDilation, const std::string &reversal,
            const std::string &input, const std::string &kernel,
            const std::string &output, int features = 1, int batches = 1) {
  return list("strides", strides) + ", " + list("pad_low", low) + ", " +
         list("pad_high", high) + ", " + list("lhs_dilation", lhsDilation) +
         ", " + list("rhs_dilation", rhsDilation) +
         ", reversal = array<i1: " + reversal + ">, " +
         list("input_dims", input) + ", " + list("kernel_dims", kernel) + ", " +
         list("output_dims", output) +
         ", feature_groups = " + std::to_string(features) +
         " : i64, batch_groups = " + std::to_string(batches) + " : i64";
}

static void addElementwise(std::vector<GradientExample> &all) {
  const std::string t = "tensor<7xf64>";
  auto unary = [&](const char *op, double low, double high) {
    all.push_back({op, "", {t}, {t}, {{low, high}}});
  };
  for (const char *op :
       {"abs", "negate", "exponential", "exponential_minus_one", "tanh",
        "logistic", "cbrt", "sine", "cosine", "erf", "erfc"})
    unary(op, -2, 2);
  all.push_back({"sharding_constraint",
                 R"(sharding = [["data", "?"]], replicated = ["tensor"])",
                 {t},
                 {t},
                 {{-2, 2}}});
  unary("log", 0.2, 3);
  unary("log_plus_one", -0.7, 3);
  unary("sqrt", 0.2, 3);
  unary("rsqrt", 0.2, 3);
  unary("tan", -1.2, 1.2);
  unary("erf_inv", -0.9, 0.9);
  auto binary = [&](const char *op, ExampleRange x, ExampleRange y) {
    all.push_back({op, "", {t, t}, {t}, {x, y}});
  };
  for (const char *op :
       {"add", "subtract", "multiply", "maximum", "minimum", "atan2"})
    binary(op, {-2, 2}, {-2, 2});
  binary("divide", {-2, 2}, {0.5, 2});
  binary("divide", {-2, 2}, {-2, -0.5});
  binary("power", {0.3, 2}, {-2, 2});
  binary("remainder", {2.1, 2.9}, {0.7, 0.9});
  binary("remainder", {-2.9, -2.1}, {0.7, 0.9});
  all.push_back({"select",
                 "",
                 {"tensor<7xi1>", t, t},
                 {t},
                 {{0, 0, {1, 0, 0, 1, 1, 0, 1}}}});
  all.push_back({"clamp", "", {t, t, t}, {t}, {{-1, -0.5}, {-2, 2}, {0.5, 1}}});
  all.push_back({"convert", "", {t}, {"tensor<7xf32>"}});
}

static void addMovement(std::vector<GradientExample> &all) {
  all.push_back({"broadcast_in_dim",
                 list("dims", ""),
                 {"tensor<f64>"},
                 {"tensor<2x3xf64>"}});
  all.push_back({"broadcast_in_dim",
                 list("dims", "1"),
                 {"tensor<3xf64>"},
                 {"tensor<2x3x4xf64>"}});
  all.push_back({"broadcast_in_dim",
                 list("dims", "0, 1"),
                 {"tensor<2x1xf64>"},
                 {"tensor<2x3xf64>"}});
  all.push_back({"broadcast_in_dim",
                 list("dims", "2, 0"),
                 {"tensor<2x3xf64>"},
                 {"tensor<3x4x2xf64>"}});
  all.push_back({"broadcast_in_dim",
                 list("dims", "3, 0, 1"),
                 {"tensor<2x1x3xf64>"},
                 {"tensor<5x3x4x2xf64>"}});
  all.push_back({"reshape", "", {"tensor<2x6xf64>"}, {"tensor<3x4xf64>"}});
  all.push_back({"transpose",
                 list("permutation", "2, 0, 1"),
                 {"tensor<2x3x4xf64>"},
                 {"tensor<4x2x3xf64>"}});
  all.push_back({"slice",
                 list("start", "1, 0") + ", " + list("limit", "6, 3") + ", " +
                     list("stride", "2, 1"),
                 {"tensor<8x3xf64>"},
                 {"tensor<3x3xf64>"}});
  auto pad = [](const char *low, const char *high, const char *interior) {
    return list("low", low) + ", " + list("high", high) + ", " +
           list("interior", interior);
  };
  all.push_back({"pad",
                 pad("1, 0", "2, 3", "1, 0"),
                 {"tensor<3x2xf64>", "tensor<f64>"},
                 {"tensor<8x5xf64>"}});
  all.push_back({"pad",
                 pad("-1, 1", "1, -1", "1, 2"),
                 {"tensor<3x2xf64>", "tensor<f64>"},
                 {"tensor<5x4xf64>"}});
  all.push_back({"concatenate",
                 "dim = 1 : i64",
                 {"tensor<2x3xf64>", "tensor<2x1xf64>"},
                 {"tensor<2x4xf64>"}});
  all.push_back({"reverse",
                 list("dims", "0, 2"),
                 {"tensor<2x3x2xf64>"},
                 {"tensor<2x3x2xf64>"}});
}

static void addReductions(std::vector<GradientExample> &all) {
  for (const char *by : {"add", "multiply", "maximum", "minimum"}) {
    all.push_back({"reduce",
                   list("dims", "1") + ", " + kind(by),
                   {"tensor<3x4xf64>"},
                   {"tensor<3xf64>"}});
    all.push_back({"reduce",
                   list("dims", "0, 2") + ", " + kind(by),
                   {"tensor<2x3x2xf64>"},
                   {"tensor<3xf64>"}});
    for (const char *reverse : {"false", "true"})
      all.push_back(
          {"cumulative",
           std::string("dim = 0 : i64, reverse = ") + reverse + ", " + kind(by),
           {"tensor<5x2xf64>"},
           {"tensor<5x2xf64>"}});
    all.push_back({"reduce_window",
                   window("2, 2", "2, 1", "1, 1", "1, 1", "0, 1", "1, 0", by),
                   {"tensor<5x4xf64>"},
                   {"tensor<3x4xf64>"}});
    all.push_back({"reduce_window",
                   window("2, 3", "1, 2", "2, 1", "1, 2", "1, 2", "0, 1", by),
                   {"tensor<3x5xf64>"},
                   {"tensor<5x2xf64>"}});
  }
  // Zeros: the product of the others, not a quotient.
  ExampleRange zeros{0, 0, {1.5, 0, 2, 0.5, 0, 0, 3, -1, 2, 1, 0, 4}};
  all.push_back({"reduce",
                 list("dims", "1") + ", " + kind("multiply"),
                 {"tensor<3x4xf64>"},
                 {"tensor<3xf64>"},
                 {zeros}});
  all.push_back({"cumulative",
                 "dim = 1 : i64, " + kind("multiply"),
                 {"tensor<3x4xf64>"},
                 {"tensor<3x4xf64>"},
                 {zeros}});
  // A window that starts outside: negative padding of its transpose.
  all.push_back({"reduce_window",
                 window("2", "1", "1", "1", "3", "0", "add"),
                 {"tensor<4xf64>"},
                 {"tensor<6xf64>"}});
  for (const char *descending : {"false", "true"})
    all.push_back({"sort",
                   std::string("dim = 1 : i64, descending = ") + descending,
                   {"tensor<2x5xf64>", "tensor<2x5xf64>"},
                   {"tensor<2x5xf64>", "tensor<2x5xf64>"}});
  all.push_back({"sort",
                 "dim = 0 : i64",
                 {"tensor<5xi32>", "tensor<5xf64>"},
                 {"tensor<5xi32>", "tensor<5xf64>"},
                 {{0, 0, {3, 1, 2, 1, 3}}}});
}

static void addProducts(std::vector<GradientExample> &all) {
  all.push_back({"dot_general",
                 dot("", "", "1", "0"),
                 {"tensor<2x3xf64>", "tensor<3x4xf64>"},
                 {"tensor<2x4xf64>"}});
  all.push_back({"dot_general",
                 dot("", "", "0", "1"),
                 {"tensor<3x2xf64>", "tensor<4x3xf64>"},
                 {"tensor<2x4xf64>"}});
  all.push_back({"dot_general",
                 dot("0", "2", "1", "0"),
                 {"tensor<2x3x4xf64>", "tensor<3x2x2xf64>"},
                 {"tensor<2x4x2xf64>"}});
  all.push_back({"dot_general",
                 dot("1", "0", "2, 0", "1, 3"),
                 {"tensor<2x3x4x2xf64>", "tensor<3x4x2x2xf64>"},
                 {"tensor<3x2x2xf64>"}});
  all.push_back({"dot_general",
                 dot("1", "0", "0, 2", "3, 1"),
                 {"tensor<2x3x4xf64>", "tensor<3x4x2x2xf64>"},
                 {"tensor<3x2xf64>"}});
  all.push_back({"dot_general",
                 dot("", "", "0", "0"),
                 {"tensor<3xf64>", "tensor<3xf64>"},
                 {"tensor<f64>"}});
  all.push_back({"dot_general",
                 dot("", "", "", ""),
                 {"tensor<3xf64>", "tensor<2xf64>"},
                 {"tensor<3x2xf64>"}});

  const std::string nhwc = "0, 3, 1, 2", hwio = "2, 3, 0, 1";
  all.push_back({"convolution",
                 convolution("1, 1", "1, 1", "1, 1", "1, 1", "1, 1",
                             "false, false", nhwc, hwio, nhwc),
                 {"tensor<2x4x4x2xf64>", "tensor<3x3x2x3xf64>"},
                 {"tensor<2x4x4x3xf64>"}});
  all.push_back({"convolution",
                 convolution("2, 2", "0, 1", "1, 0", "1, 1", "1, 1",
                             "false, false", nhwc, hwio, nhwc),
                 {"tensor<2x4x5x2xf64>", "tensor<3x2x2x3xf64>"},
                 {"tensor<2x2x3x3xf64>"}});
  all.push_back({"convolution",
                 convolution("2, 1", "0, 0", "0, 0", "1, 1", "1, 1",
                             "false, false", nhwc, hwio, nhwc),
                 {"tensor<1x5x2x2xf64>", "tensor<1x1x2x3xf64>"},
                 {"tensor<1x3x2x3xf64>"}});
  // Dilations, a mirrored window, another layout.
  all.push_back({"convolution",
                 convolution("2", "2", "1", "2", "2", "true", "0, 1, 2",
                             "1, 0, 2", "1, 0, 2"),
                 {"tensor<2x2x4xf64>", "tensor<3x2x2xf64>"},
                 {"tensor<3x2x4xf64>"}});
  all.push_back({"convolution",
                 convolution("1", "-1", "0", "1", "1", "false", "0, 1, 2",
                             "1, 0, 2", "0, 1, 2"),
                 {"tensor<1x2x5xf64>", "tensor<2x2x2xf64>"},
                 {"tensor<1x2x3xf64>"}});
  all.push_back({"convolution",
                 convolution("1", "1", "1", "1", "1", "false", "0, 1, 2",
                             "1, 0, 2", "0, 1, 2", 2, 1),
                 {"tensor<2x4x3xf64>", "tensor<6x2x2xf64>"},
                 {"tensor<2x6x4xf64>"}});
  all.push_back({"convolution",
                 convolution("2", "1", "0", "1", "1", "true", "0, 1, 2",
                             "1, 0, 2", "0, 1, 2", 2, 1),
                 {"tensor<2x4x4xf64>", "tensor<2x2x2xf64>"},
                 {"tensor<2x2x2xf64>"}});
  all.push_back({"convolution",
                 convolution("1", "1", "0", "1", "1", "false", "0, 1, 2",
                             "1, 0, 2", "0, 1, 2", 1, 2),
                 {"tensor<4x2x3xf64>", "tensor<4x2x2xf64>"},
                 {"tensor<2x4x3xf64>"}});
}

static void addIndexed(std::vector<GradientExample> &all) {
  ExampleRange outside{
      0, 0, {2, -1, 5, 2}}; // rows of 0..2: two are outside, one twice
  ExampleRange distinct{0, 0, {2, 0, 7, 1}};
  all.push_back({"gather",
                 gather("1", "0", "", "", "0", 1, "1, 2"),
                 {"tensor<3x2xf64>", "tensor<4xi32>"},
                 {"tensor<4x2xf64>"},
                 {{}, outside}});
  all.push_back({"gather",
                 gather("2, 3", "0", "", "", "1, 0", 2, "1, 2, 2"),
                 {"tensor<3x4x2xf64>", "tensor<2x3x2xi64>"},
                 {"tensor<2x3x2x2xf64>"},
                 {{}, {0, 3}}});
  all.push_back({"gather",
                 gather("", "1", "0", "0", "1", 2, "1, 1"),
                 {"tensor<2x3xf64>", "tensor<2x2x1xi32>"},
                 {"tensor<2x2xf64>"},
                 {{}, {0, 2}}});
  for (const char *by : {"add", "replace", "maximum", "minimum", "multiply"}) {
    bool multiply = by == std::string("multiply");
    all.push_back({"scatter",
                   scatter("1", "0", "", "", "0", 1, by),
                   {"tensor<3x2xf64>", "tensor<4xi32>", "tensor<4x2xf64>"},
                   {"tensor<3x2xf64>"},
                   {{}, multiply ? distinct : outside, {}}});
    all.push_back({"scatter",
                   scatter("1", "0", "", "", "0", 1, by, true),
                   {"tensor<3x2xf64>", "tensor<4xi32>", "tensor<4x2xf64>"},
                   {"tensor<3x2xf64>"},
                   {{}, outside, {}}});
  }
  all.push_back(
      {"scatter",
       scatter("2, 3", "0", "", "", "1, 0", 2, "add"),
       {"tensor<3x4x2xf64>", "tensor<2x3x2xi64>", "tensor<2x3x2x2xf64>"},
       {"tensor<3x4x2xf64>"},
       {{}, {-1, 4}, {}}});
  all.push_back({"scatter",
                 scatter("", "1", "0", "0", "1", 2, "add"),
                 {"tensor<2x3xf64>", "tensor<2x2x1xi32>", "tensor<2x2xf64>"},
                 {"tensor<2x3xf64>"},
                 {{}, {0, 4}, {}}});
  // A narrow index type does not hold the extents of what it indexes.
  all.push_back({"scatter",
                 scatter("", "0", "", "", "0", 1, "add"),
                 {"tensor<200xf64>", "tensor<3xi8>", "tensor<3xf64>"},
                 {"tensor<200xf64>"},
                 {{}, {0, 0, {5, 127, -3}}, {}}});
  ExampleRange tooFar{0, 0, {9}};
  all.push_back({"dynamic_slice",
                 list("sizes", "2, 2"),
                 {"tensor<3x4xf64>", "tensor<i32>", "tensor<i32>"},
                 {"tensor<2x2xf64>"},
                 {{}, {1, 1}, tooFar}});
  all.push_back(
      {"dynamic_update_slice",
       "",
       {"tensor<3x4xf64>", "tensor<2x2xf64>", "tensor<i32>", "tensor<i32>"},
       {"tensor<3x4xf64>"},
       {{}, {}, {0, 0}, tooFar}});
}

static void addAttention(std::vector<GradientExample> &all) {
  auto attention = [](const std::string &more, const std::string &segments) {
    return "scale = 0.7 : f64, fill = -1.0e30 : f64" + more +
           ", operandSegmentSizes = array<i32: 1, 1, 1, " + segments + ">";
  };
  const std::string q = "tensor<2x3x4x2xf64>", k = "tensor<2x5x4x2xf64>",
                    v = "tensor<2x5x4x3xf64>", o = "tensor<2x3x4x3xf64>",
                    lse = "tensor<2x3x4xf64>";
  all.push_back(
      {"attention", attention("", "0, 0, 0, 0, 0"), {q, k, v}, {o, lse}});
  all.push_back(
      {"attention",
       attention(", before = 1 : i64, after = 1 : i64", "1, 0, 0, 0, 0"),
       {q, k, v, "tensor<1x4x3x5xf64>"},
       {o, lse}});
  // Heads that share a key, an origin, a bias and a mask that are repeated.
  all.push_back({"attention",
                 attention(", after = 0 : i64", "1, 1, 1, 0, 0"),
                 {"tensor<3x4x2xf64>", "tensor<5x2x2xf64>", "tensor<5x2x3xf64>",
                  "tensor<1x1x5xf64>", "tensor<4x3x5xi1>", "tensor<i32>"},
                 {"tensor<3x4x3xf64>", "tensor<3x4xf64>"},
                 {{}, {}, {}, {}, {1, 1}, {1, 1}}});
  // Dropped weights, beside a bias.
  all.push_back({"attention",
                 attention(", kept_scale = 1.25 : f64", "1, 0, 0, 0, 1"),
                 {q, k, v, "tensor<1x4x3x5xf64>", "tensor<2x1x3x5xi1>"},
                 {o, lse}});
}

std::vector<GradientExample> getGradientExamples() {
  std::vector<GradientExample> all;
  addElementwise(all);
  addMovement(all);
  addReductions(all);
  addProducts(all);
  addIndexed(all);
  addAttention(all);
  return all;
}

} // namespace zcc::train
