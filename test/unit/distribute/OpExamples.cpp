// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/unit/distribute/OpExamples.h"

using namespace zcc;

// Splits at commas outside of brackets.
static std::vector<std::string> split(const std::string &types) {
  std::vector<std::string> parts;
  int depth = 0;
  std::string part;
  for (char c : types + ",") {
    depth += (c == '<') - (c == '>');
    if (c == ',' && depth == 0) {
      if (!part.empty())
        parts.push_back(part);
      part.clear();
    } else if (c != ' ') {
      part += c;
    }
  }
  return parts;
}

// Puts numbers for letters.
static std::string withExtents(const std::string &text, unsigned seed) {
  auto extent = [&](char letter) {
    constexpr unsigned usual[] = {4, 6, 2, 3};
    unsigned i = letter - 'a';
    return seed == 0 ? usual[i]
                     : (seed * 2654435761u + i * 40503u * seed) / 1024 % 7 + 1;
  };
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '$') {
      out += text[i];
      continue;
    }
    unsigned product = 1;
    if (text[++i] != '(')
      product = extent(text[i]);
    else
      while (text[++i] != ')')
        product *= extent(text[i]);
    out += std::to_string(product);
  }
  return out;
}

std::string OpExample::text(unsigned seed) const {
  std::vector<std::string> in = split(operands), out = split(results);
  std::string arguments, names, body, returned;
  for (size_t i = 0; i < in.size(); ++i) {
    std::string name = "%a" + std::to_string(i);
    names += (i ? ", " : "") + name;
    if (auto constant = constants.find(i); constant != constants.end())
      body += "  " + name + " = train.constant dense<" + constant->second +
              "> : " + in[i] + "\n";
    else if (zeroFirst && i == 0)
      body += "  %a0 = train.constant dense<0.0> : " + in[0] + "\n";
    else
      arguments += (arguments.empty() ? "" : ", ") + name + ": " + in[i];
  }
  for (size_t i = 0; i < out.size(); ++i)
    returned += (i ? ", %r#" : "%r#") + std::to_string(i);
  return withExtents("func.func @f(" + arguments + ") -> (" + results +
                         ") {\n" + body + "  %r:" + std::to_string(out.size()) +
                         " = \"train." + name + "\"(" + names + ") {" +
                         attributes + "} : (" + operands + ") -> (" + results +
                         ")\n  return " + returned + " : " + results + "\n}\n",
                     seed);
}

std::vector<OpExample> zcc::opExamples() {
  std::vector<OpExample> list;
  const std::string f = "tensor<$ax1x$bxf32>", i = "tensor<$ax1x$bxi32>",
                    p = "tensor<$ax1x$bxi1>";
  for (const char *name : {"abs",
                           "negate",
                           "sign",
                           "exponential",
                           "exponential_minus_one",
                           "log",
                           "log_plus_one",
                           "tanh",
                           "logistic",
                           "sqrt",
                           "rsqrt",
                           "cbrt",
                           "sine",
                           "cosine",
                           "tan",
                           "erf",
                           "erfc",
                           "erf_inv",
                           "floor",
                           "ceil",
                           "round_nearest_afz",
                           "round_nearest_even",
                           "stop_gradient"})
    list.push_back({name, "", f, f});
  list.push_back({"sharding_constraint",
                  R"(sharding = [["data"], ["?"], ["tensor:(1)2", "?"]])", f,
                  f});
  for (const char *name : {"not", "popcnt", "count_leading_zeros"})
    list.push_back({name, "", i, i});
  for (const char *name : {"add", "subtract", "multiply", "divide", "maximum",
                           "minimum", "power", "remainder", "atan2"})
    list.push_back({name, "", f + "," + f, f});
  for (const char *name :
       {"and", "or", "xor", "shift_left", "shift_right_logical",
        "shift_right_arithmetic", "remainder", "divide"})
    list.push_back({name, "", i + "," + i, i});
  list.push_back({"is_finite", "", f, p});
  list.push_back(
      {"compare", "direction = #train<compare_direction LT>", f + "," + f, p});
  list.push_back({"select", "", p + "," + f + "," + f, f});
  list.push_back({"clamp", "", f + "," + f + "," + f, f});
  list.push_back({"convert", "", f, "tensor<$ax1x$bxf16>"});
  list.push_back({"bitcast_convert", "", i, f});

  list.push_back({"constant",
                  "value = dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>",
                  "", "tensor<2x2xf32>"});
  list.push_back({"constant", "value = dense<2.0> : tensor<$ax$cxf32>", "",
                  "tensor<$ax$cxf32>"});
  for (const char *dim : {"0", "1"})
    list.push_back({"iota", std::string("dim = ") + dim + " : i64", "",
                    "tensor<$ax$bxi32>"});
  list.push_back({"broadcast_in_dim", "dims = array<i64: 0, 2>",
                  "tensor<$ax1xf32>", "tensor<$ax$bx$cxf32>"});
  list.push_back({"reshape", "", "tensor<$ax$bxf32>", "tensor<$(ab)xf32>"});
  list.push_back({"reshape", "", "tensor<24x2xf32>", "tensor<4x1x3x4xf32>"});
  list.push_back(
      {"reshape", "", "tensor<$(ab)x$cxf32>", "tensor<$ax$(bc)xf32>"});
  list.push_back(
      {"reshape", "", "tensor<$ax$(bcd)xf32>", "tensor<$(ab)x1x$cx$dxf32>"});
  list.push_back({"reshape", "", "tensor<6x4x2xf32>", "tensor<4x6x2xf32>"});
  list.push_back({"reshape", "", "tensor<2x9x4xf32>", "tensor<2x6x3x2xf32>"});
  list.push_back({"transpose", "permutation = array<i64: 2, 0, 1>",
                  "tensor<$cx$ax$bxf32>", "tensor<$bx$cx$axf32>"});
  list.push_back({"slice",
                  "start = array<i64: 0, 1>, limit = array<i64: $a, 6>, stride "
                  "= array<i64: 1, 2>",
                  "tensor<$ax6xf32>", "tensor<$ax3xf32>"});
  list.push_back({"pad",
                  "low = array<i64: 0, 1>, high = array<i64: 0, -1>, interior "
                  "= array<i64: 0, 1>",
                  "tensor<$ax3xf32>, tensor<f32>", "tensor<$ax5xf32>"});
  list.push_back({"concatenate", "dim = 1 : i64",
                  "tensor<$ax2xf32>, tensor<$ax4xf32>", "tensor<$ax6xf32>"});
  list.push_back({"reverse", "dims = array<i64: 1>", "tensor<$ax$bxf32>",
                  "tensor<$ax$bxf32>"});

  for (const char *kind : {"add", "multiply", "maximum", "minimum"})
    list.push_back(
        {"reduce",
         std::string("dims = array<i64: 0, 2>, kind = #train<reduce_kind ") +
             kind + ">",
         "tensor<$ax$cx$bxf32>", "tensor<$cxf32>"});
  for (const char *kind : {"logical_and", "logical_or", "add"})
    list.push_back(
        {"reduce",
         std::string("dims = array<i64: 0>, kind = #train<reduce_kind ") +
             kind + ">",
         "tensor<$cx$axi1>", "tensor<$axi1>"});
  list.push_back({"arg_reduce",
                  "dim = 1 : i64, kind = #train<reduce_kind maximum>",
                  "tensor<$ax$bx$cxf32>", "tensor<$ax$cxi32>"});
  list.push_back({"arg_reduce",
                  "dim = 0 : i64, kind = #train<reduce_kind minimum>",
                  "tensor<$ax$bxi32>", "tensor<$bxi32>"});
  list.push_back({"cumulative", "dim = 1 : i64, kind = #train<reduce_kind add>",
                  "tensor<$ax$bxf32>", "tensor<$ax$bxf32>"});
  list.push_back({"reduce_window",
                  "window = array<i64: 1, 2, 1>, strides = array<i64: 1, 2, "
                  "1>, base_dilation = array<i64: 1, 1, 1>, "
                  "window_dilation = array<i64: 1, 1, 1>, pad_low = array<i64: "
                  "0, 0, 0>, pad_high = array<i64: 0, 0, 0>, "
                  "kind = #train<reduce_kind maximum>",
                  "tensor<$ax6x$cxf32>", "tensor<$ax3x$cxf32>"});
  list.push_back({"select_and_scatter",
                  "window = array<i64: 1, 2, 1>, strides = array<i64: 1, 2, "
                  "1>, pad_low = array<i64: 0, 0, 0>, pad_high "
                  "= array<i64: 0, 0, 0>, kind = #train<reduce_kind maximum>",
                  "tensor<$ax6x$cxf32>, tensor<$ax3x$cxf32>",
                  "tensor<$ax6x$cxf32>"});
  list.push_back({"sort", "dim = 1 : i64",
                  "tensor<$ax$bxf32>, tensor<$ax$bxi32>",
                  "tensor<$ax$bxf32>, tensor<$ax$bxi32>"});
  list.push_back({"sum_of_squares", "", "tensor<$ax$bxf32>", "tensor<f32>"});

  list.push_back({"dot_general",
                  "lhs_batching = array<i64: 0>, rhs_batching = array<i64: 2>, "
                  "lhs_contracting = array<i64: 2, 3>, "
                  "rhs_contracting = array<i64: 0, 3>",
                  "tensor<$cx$ax$bx$dxf32>, tensor<$bx5x$cx$dxf32>",
                  "tensor<$cx$ax5xf32>"});
  const std::string conv = "strides = array<i64: 2>, pad_low = array<i64: 1>, "
                           "pad_high = array<i64: 1>, lhs_dilation = "
                           "array<i64: 1>, rhs_dilation = array<i64: 1>, "
                           "reversal = array<i1: false>, input_dims = "
                           "array<i64: 0, 2, 1>, kernel_dims = array<i64: 1, "
                           "2, 0>, output_dims = array<i64: 0, 2, 1>";
  list.push_back({"convolution", conv,
                  "tensor<$ax6x$cxf32>, tensor<3x$cx$dxf32>",
                  "tensor<$ax3x$dxf32>"});
  list.push_back({"convolution", conv + ", feature_groups = 2 : i64",
                  "tensor<$ax6x8xf32>, tensor<3x4x4xf32>",
                  "tensor<$ax3x4xf32>"});
  list.push_back({"convolution", conv + ", batch_groups = 2 : i64",
                  "tensor<4x6x2xf32>, tensor<3x2x4xf32>", "tensor<2x3x4xf32>"});

  const std::string gather =
      "offset_dims = array<i64: 2>, collapsed_slice_dims = array<i64: 0>, "
      "operand_batching_dims = "
      "array<i64>, indices_batching_dims = array<i64>, start_index_map = "
      "array<i64: 0>, "
      "index_vector_dim = 2 : i64, slice_sizes = array<i64: 1, $a>";
  list.push_back({"gather", gather, "tensor<$dx$axf32>, tensor<$cx$bx1xi32>",
                  "tensor<$cx$bx$axf32>"});
  list.push_back({"gather",
                  "offset_dims = array<i64: 1>, collapsed_slice_dims = "
                  "array<i64: 1>, operand_batching_dims = array<i64: "
                  "0>, indices_batching_dims = array<i64: 0>, start_index_map "
                  "= array<i64: 1, 2>, index_vector_dim = 1 : "
                  "i64, slice_sizes = array<i64: 1, 1, 2>",
                  "tensor<$ax$dx6xf32>, tensor<$ax2xi32>", "tensor<$ax2xf32>"});
  const std::string scatter =
      "update_window_dims = array<i64: 2>, inserted_window_dims = array<i64: "
      "0>, "
      "operand_batching_dims = array<i64>, indices_batching_dims = array<i64>, "
      "operand_dims_map = "
      "array<i64: 0>, index_vector_dim = 2 : i64, kind = #train<reduce_kind ";
  for (bool zero : {true, false})
    list.push_back({"scatter", scatter + "add>",
                    "tensor<$dx$axf32>, tensor<$cx$bx1xi32>, "
                    "tensor<$cx$bx$axf32>",
                    "tensor<$dx$axf32>", zero});
  list.push_back({"scatter", scatter + "maximum>, clamp_starts = true",
                  "tensor<$dx$axf32>, tensor<$cx$bx1xi32>, "
                  "tensor<$cx$bx$axf32>",
                  "tensor<$dx$axf32>"});
  list.push_back({"scatter",
                  "update_window_dims = array<i64: 1>, inserted_window_dims = "
                  "array<i64: 1>, operand_batching_dims = "
                  "array<i64: 0>, indices_batching_dims = array<i64: 0>, "
                  "operand_dims_map = array<i64: 1, 2>, "
                  "index_vector_dim = 1 : i64, kind = #train<reduce_kind add>",
                  "tensor<$ax$dx6xf32>, tensor<$ax2xi32>, tensor<$ax2xf32>",
                  "tensor<$ax$dx6xf32>"});
  list.push_back({"dynamic_slice", "sizes = array<i64: $a, 2>",
                  "tensor<$ax6xf32>, tensor<i32>, tensor<i32>",
                  "tensor<$ax2xf32>"});
  list.push_back({"dynamic_update_slice", "",
                  "tensor<$ax6xf32>, tensor<$ax2xf32>, tensor<i32>, "
                  "tensor<i32>",
                  "tensor<$ax6xf32>"});
  list.push_back({"dynamic_update_slice", "",
                  "tensor<$ax6xf32>, tensor<$ax2xf32>, tensor<i32>, "
                  "tensor<i32>",
                  "tensor<$ax6xf32>", /*zeroFirst=*/true});

  list.push_back({"update", "optimizer = \"adamw\", decay = true",
                  "tensor<$ax$bxf32>, tensor<$ax$bxf32>, tensor<$ax$bxf32>, "
                  "tensor<$ax$bxf32>, "
                  "tensor<16xf32>, tensor<f32>, "
                  "tensor<i1>",
                  "tensor<$ax$bxf32>, tensor<$ax$bxf32>, tensor<$ax$bxf32>, "
                  "tensor<$ax$bxbf16>"});
  list.push_back({"update", "optimizer = \"sgd\", decay = false",
                  "tensor<$ax$bxf32>, tensor<$ax$bxf32>, tensor<$ax$bxf32>, "
                  "tensor<16xf32>, tensor<f32>, tensor<i1>",
                  "tensor<$ax$bxf32>, tensor<$ax$bxf32>"});

  // Heads, and heads that share a key; a band; bias and mask, whole or
  // repeated.
  const std::string scale = "scale = 0.5 : f64, fill = -1.0e30 : f64";
  auto segments = [](const std::string &list) {
    return ", operandSegmentSizes = array<i32: " + list + ">";
  };
  const std::string shared = "tensor<$cx5x4x2xf32>, tensor<$cx6x2x2xf32>, "
                             "tensor<$cx6x2x4xf32>",
                    plain = "tensor<$ax$dx2xf32>, tensor<$bx$dx2xf32>, "
                            "tensor<$bx$dx4xf32>",
                    masked = ", tensor<$dx1x$bxf32>, tensor<1x$ax$bxi1>",
                    one = "tensor<$ax$dx2xf32>, tensor<$bx1x2xf32>, "
                          "tensor<$bx1x4xf32>";
  const std::string band = ", before = 2 : i64, after = 1 : i64";
  list.push_back({"attention",
                  scale + band + segments("1, 1, 1, 0, 0, 0, 0, 0"), shared,
                  "tensor<$cx5x4x4xf32>, tensor<$cx5x4xf32>"});
  list.push_back({"attention", scale + segments("1, 1, 1, 1, 1, 0, 0, 0"),
                  plain + masked, "tensor<$ax$dx4xf32>, tensor<$ax$dxf32>"});
  list.push_back({"attention", scale + segments("1, 1, 1, 0, 0, 0, 0, 0"), one,
                  "tensor<$ax$dx4xf32>, tensor<$ax$dxf32>"});
  list.push_back(
      {"attention_gradient",
       scale + band + segments("1, 1, 1, 0, 0, 0, 0, 1, 1, 1, 0"),
       shared + ", tensor<$cx5x4xf32>, tensor<$cx5x4xf32>, "
                "tensor<$cx5x4x4xf32>",
       "tensor<$cx5x4x2xf32>, tensor<$cx6x2x2xf32>, tensor<$cx6x2x4xf32>"});
  list.push_back(
      {"attention_gradient",
       scale + segments("1, 1, 1, 1, 1, 0, 0, 1, 1, 1, 0"),
       plain + masked +
           ", tensor<$ax$dxf32>, tensor<$ax$dxf32>, "
           "tensor<$ax$dx4xf32>",
       "tensor<$ax$dx2xf32>, tensor<$bx$dx2xf32>, tensor<$bx$dx4xf32>"});

  // Weights are dropped.
  const std::string kept = ", kept_scale = 1.25 : f64",
                    keeps = ", tensor<$dx$ax$bxi1>";
  list.push_back({"attention",
                  scale + kept + segments("1, 1, 1, 0, 0, 0, 0, 1"),
                  plain + keeps, "tensor<$ax$dx4xf32>, tensor<$ax$dxf32>"});
  list.push_back(
      {"attention_gradient",
       scale + kept + segments("1, 1, 1, 0, 0, 0, 0, 1, 1, 1, 1"),
       plain + ", tensor<$ax$dxf32>, tensor<$ax$dxf32>, tensor<$ax$dx4xf32>" +
           keeps,
       "tensor<$ax$dx2xf32>, tensor<$bx$dx2xf32>, tensor<$bx$dx4xf32>"});

  // Keys and values go around a ring.
  const std::string ring = ", train.ring",
                    itself = "tensor<$cx$bx4x2xf32>, tensor<$cx$bx2x2xf32>, "
                             "tensor<$cx$bx2x4xf32>",
                    around = "tensor<$bx$dx2xf32>, tensor<$bx$dx2xf32>, "
                             "tensor<$bx$dx4xf32>",
                    hidden = ", tensor<$dx$bx$bxf32>, tensor<1x$bx$bxi1>";
  list.push_back({"attention",
                  scale + band + ring + segments("1, 1, 1, 0, 0, 0, 0, 0"),
                  itself, "tensor<$cx$bx4x4xf32>, tensor<$cx$bx4xf32>"});
  list.push_back({"attention",
                  scale + ring + segments("1, 1, 1, 1, 1, 0, 0, 0"),
                  around + hidden, "tensor<$bx$dx4xf32>, tensor<$bx$dxf32>"});
  list.push_back(
      {"attention_gradient",
       scale + band + ring + segments("1, 1, 1, 0, 0, 0, 0, 1, 1, 1, 0"),
       itself + ", tensor<$cx$bx4xf32>, tensor<$cx$bx4xf32>, "
                "tensor<$cx$bx4x4xf32>",
       "tensor<$cx$bx4x2xf32>, tensor<$cx$bx2x2xf32>, tensor<$cx$bx2x4xf32>"});
  list.push_back({"attention_gradient",
                  scale + ring + segments("1, 1, 1, 1, 1, 0, 0, 1, 1, 1, 0"),
                  around + hidden +
                      ", tensor<$bx$dxf32>, tensor<$bx$dxf32>, "
                      "tensor<$bx$dx4xf32>",
                  around});
  const std::string keys = ", all_keys = 6 : i64";
  list.push_back({"attention_block",
                  scale + keys + segments("1, 1, 1, 0, 0, 0, 1, 1, 1, 1"),
                  one + ", tensor<i32>, tensor<$ax$dxf32>, tensor<$ax$dxf32>, "
                        "tensor<$ax$dx4xf32>",
                  "tensor<$ax$dxf32>, tensor<$ax$dxf32>, tensor<$ax$dx4xf32>"});
  list.push_back(
      {"attention_block_gradient",
       scale + keys + segments("1, 1, 1, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1"),
       one +
           ", tensor<i32>, tensor<$ax$dxf32>, tensor<$ax$dxf32>, "
           "tensor<$ax$dx4xf32>, " +
           one,
       one});
  return list;
}
