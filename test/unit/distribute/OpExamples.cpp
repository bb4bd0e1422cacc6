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

std::string OpExample::text() const {
  std::vector<std::string> in = split(operands), out = split(results);
  std::string arguments, names, body, returned;
  for (size_t i = 0; i < in.size(); ++i) {
    std::string name = "%a" + std::to_string(i);
    names += (i ? ", " : "") + name;
    if (zeroFirst && i == 0)
      body += "  %a0 = train.constant dense<0.0> : " + in[0] + "\n";
    else
      arguments += (arguments.empty() ? "" : ", ") + name + ": " + in[i];
  }
  for (size_t i = 0; i < out.size(); ++i)
    returned += (i ? ", %r#" : "%r#") + std::to_string(i);
  return "func.func @f(" + arguments + ") -> (" + results + ") {\n" + body +
         "  %r:" + std::to_string(out.size()) + " = \"train." + name + "\"(" +
         names + ") {" + attributes + "} : (" + operands + ") -> (" + results +
         ")\n  return " + returned + " : " + results + "\n}\n";
}

std::vector<OpExample> zcc::opExamples() {
  std::vector<OpExample> list;
  const std::string f = "tensor<4x1x6xf32>", i = "tensor<4x1x6xi32>",
                    p = "tensor<4x1x6xi1>";
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
  list.push_back({"convert", "", f, "tensor<4x1x6xf16>"});
  list.push_back({"bitcast_convert", "", i, f});

  list.push_back({"constant",
                  "value = dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>",
                  "", "tensor<2x2xf32>"});
  list.push_back({"constant", "value = dense<2.0> : tensor<4x2xf32>", "",
                  "tensor<4x2xf32>"});
  for (const char *dim : {"0", "1"})
    list.push_back({"iota", std::string("dim = ") + dim + " : i64", "",
                    "tensor<4x6xi32>"});
  list.push_back({"broadcast_in_dim", "dims = array<i64: 0, 2>",
                  "tensor<4x1xf32>", "tensor<4x6x2xf32>"});
  list.push_back({"reshape", "", "tensor<4x6xf32>", "tensor<24xf32>"});
  list.push_back({"reshape", "", "tensor<24x2xf32>", "tensor<4x1x3x4xf32>"});
  list.push_back({"reshape", "", "tensor<6x4x2xf32>", "tensor<4x6x2xf32>"});
  list.push_back({"reshape", "", "tensor<2x9x4xf32>", "tensor<2x6x3x2xf32>"});
  list.push_back({"transpose", "permutation = array<i64: 2, 0, 1>",
                  "tensor<2x4x6xf32>", "tensor<6x2x4xf32>"});
  list.push_back({"slice",
                  "start = array<i64: 0, 1>, limit = array<i64: 4, 6>, stride "
                  "= array<i64: 1, 2>",
                  "tensor<4x6xf32>", "tensor<4x3xf32>"});
  list.push_back({"pad",
                  "low = array<i64: 0, 1>, high = array<i64: 0, -1>, interior "
                  "= array<i64: 0, 1>",
                  "tensor<4x3xf32>, tensor<f32>", "tensor<4x5xf32>"});
  list.push_back({"concatenate", "dim = 1 : i64",
                  "tensor<4x2xf32>, tensor<4x4xf32>", "tensor<4x6xf32>"});
  list.push_back({"reverse", "dims = array<i64: 1>", "tensor<4x6xf32>",
                  "tensor<4x6xf32>"});

  for (const char *kind : {"add", "multiply", "maximum", "minimum"})
    list.push_back(
        {"reduce",
         std::string("dims = array<i64: 0, 2>, kind = #train<reduce_kind ") +
             kind + ">",
         "tensor<4x2x6xf32>", "tensor<2xf32>"});
  for (const char *kind : {"logical_and", "logical_or", "add"})
    list.push_back(
        {"reduce",
         std::string("dims = array<i64: 0>, kind = #train<reduce_kind ") +
             kind + ">",
         "tensor<2x4xi1>", "tensor<4xi1>"});
  list.push_back({"arg_reduce",
                  "dim = 1 : i64, kind = #train<reduce_kind maximum>",
                  "tensor<4x6x2xf32>", "tensor<4x2xi32>"});
  list.push_back({"cumulative", "dim = 1 : i64, kind = #train<reduce_kind add>",
                  "tensor<4x6xf32>", "tensor<4x6xf32>"});
  list.push_back({"reduce_window",
                  "window = array<i64: 1, 2, 1>, strides = array<i64: 1, 2, "
                  "1>, base_dilation = array<i64: 1, 1, 1>, "
                  "window_dilation = array<i64: 1, 1, 1>, pad_low = array<i64: "
                  "0, 0, 0>, pad_high = array<i64: 0, 0, 0>, "
                  "kind = #train<reduce_kind maximum>",
                  "tensor<4x6x2xf32>", "tensor<4x3x2xf32>"});
  list.push_back({"select_and_scatter",
                  "window = array<i64: 1, 2, 1>, strides = array<i64: 1, 2, "
                  "1>, pad_low = array<i64: 0, 0, 0>, pad_high "
                  "= array<i64: 0, 0, 0>, kind = #train<reduce_kind maximum>",
                  "tensor<4x6x2xf32>, tensor<4x3x2xf32>", "tensor<4x6x2xf32>"});
  list.push_back({"sort", "dim = 1 : i64", "tensor<4x6xf32>, tensor<4x6xi32>",
                  "tensor<4x6xf32>, tensor<4x6xi32>"});
  list.push_back({"sum_of_squares", "", "tensor<4x6xf32>", "tensor<1xf32>"});

  list.push_back({"dot_general",
                  "lhs_batching = array<i64: 0>, rhs_batching = array<i64: 2>, "
                  "lhs_contracting = array<i64: 2, 3>, "
                  "rhs_contracting = array<i64: 0, 3>",
                  "tensor<2x4x6x2xf32>, tensor<6x8x2x2xf32>",
                  "tensor<2x4x8xf32>"});
  const std::string conv = "strides = array<i64: 2>, pad_low = array<i64: 1>, "
                           "pad_high = array<i64: 1>, lhs_dilation = "
                           "array<i64: 1>, rhs_dilation = array<i64: 1>, "
                           "reversal = array<i1: false>, input_dims = "
                           "array<i64: 0, 2, 1>, kernel_dims = array<i64: 1, "
                           "2, 0>, output_dims = array<i64: 0, 2, 1>";
  list.push_back({"convolution", conv, "tensor<4x6x2xf32>, tensor<3x2x4xf32>",
                  "tensor<4x3x4xf32>"});
  list.push_back({"convolution", conv + ", feature_groups = 2 : i64",
                  "tensor<4x6x8xf32>, tensor<3x4x4xf32>", "tensor<4x3x4xf32>"});
  list.push_back({"convolution", conv + ", batch_groups = 2 : i64",
                  "tensor<4x6x2xf32>, tensor<3x2x4xf32>", "tensor<2x3x4xf32>"});

  const std::string gather =
      "offset_dims = array<i64: 2>, collapsed_slice_dims = array<i64: 0>, "
      "operand_batching_dims = "
      "array<i64>, indices_batching_dims = array<i64>, start_index_map = "
      "array<i64: 0>, "
      "index_vector_dim = 2 : i64, slice_sizes = array<i64: 1, 4>";
  list.push_back({"gather", gather, "tensor<3x4xf32>, tensor<2x6x1xi32>",
                  "tensor<2x6x4xf32>"});
  list.push_back({"gather",
                  "offset_dims = array<i64: 1>, collapsed_slice_dims = "
                  "array<i64: 1>, operand_batching_dims = array<i64: "
                  "0>, indices_batching_dims = array<i64: 0>, start_index_map "
                  "= array<i64: 1, 2>, index_vector_dim = 1 : "
                  "i64, slice_sizes = array<i64: 1, 1, 2>",
                  "tensor<4x3x6xf32>, tensor<4x2xi32>", "tensor<4x2xf32>"});
  const std::string scatter =
      "update_window_dims = array<i64: 2>, inserted_window_dims = array<i64: "
      "0>, "
      "operand_batching_dims = array<i64>, indices_batching_dims = array<i64>, "
      "operand_dims_map = "
      "array<i64: 0>, index_vector_dim = 2 : i64, kind = #train<reduce_kind ";
  for (bool zero : {true, false})
    list.push_back({"scatter", scatter + "add>",
                    "tensor<3x4xf32>, tensor<2x6x1xi32>, tensor<2x6x4xf32>",
                    "tensor<3x4xf32>", zero});
  list.push_back({"scatter", scatter + "maximum>, clamp_starts = true",
                  "tensor<3x4xf32>, tensor<2x6x1xi32>, tensor<2x6x4xf32>",
                  "tensor<3x4xf32>"});
  list.push_back({"scatter",
                  "update_window_dims = array<i64: 1>, inserted_window_dims = "
                  "array<i64: 1>, operand_batching_dims = "
                  "array<i64: 0>, indices_batching_dims = array<i64: 0>, "
                  "operand_dims_map = array<i64: 1, 2>, "
                  "index_vector_dim = 1 : i64, kind = #train<reduce_kind add>",
                  "tensor<4x3x6xf32>, tensor<4x2xi32>, tensor<4x2xf32>",
                  "tensor<4x3x6xf32>"});
  list.push_back({"dynamic_slice", "sizes = array<i64: 4, 2>",
                  "tensor<4x6xf32>, tensor<i32>, tensor<i32>",
                  "tensor<4x2xf32>"});
  list.push_back({"dynamic_update_slice", "",
                  "tensor<4x6xf32>, tensor<4x2xf32>, tensor<i32>, tensor<i32>",
                  "tensor<4x6xf32>"});

  list.push_back(
      {"adamw", "decay = true",
       "tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, "
       "tensor<16xf32>, tensor<f32>, "
       "tensor<i1>",
       "tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xbf16>"});
  list.push_back({"sgd", "decay = false",
                  "tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, "
                  "tensor<16xf32>, tensor<f32>, tensor<i1>",
                  "tensor<4x6xf32>, tensor<4x6xf32>"});
  return list;
}
