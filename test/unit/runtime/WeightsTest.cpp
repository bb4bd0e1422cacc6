// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tensors in pieces, and the rename file: each layout against plain loops.

#include "Files.h"

#include "runtime/core/Error.h"
#include "runtime/data/Rename.h"
#include "runtime/format/Mesh.h"

#include <gtest/gtest.h>

#include <numeric>
#include <random>

using namespace zcc::rt;
using namespace zcc::rt::test;

namespace {

using Shape = std::vector<int64_t>;

std::vector<float> counted(int64_t count, float first = 0) {
  std::vector<float> out(count);
  std::iota(out.begin(), out.end(), first);
  return out;
}

/// All elements of a weight, row-major, read as boxes of at most `edge`.
std::vector<float> read(const Weight &weight, int64_t edge = 1000) {
  std::vector<float> out(volume(weight.shape), -1);
  Shape start(weight.shape.size(), 0);
  for (;;) {
    Shape extent = weight.shape;
    for (size_t i = 0; i < extent.size(); ++i)
      extent[i] = std::min(edge, weight.shape[i] - start[i]);
    EXPECT_TRUE(copyWeight("w", weight, start,
                           {out.data(), ElementType::F32, weight.shape, start},
                           extent));
    size_t i = start.size();
    while (i > 0 && (start[i - 1] += edge) >= weight.shape[i - 1])
      start[--i] = 0;
    if (i == 0)
      return out;
  }
}

class WeightsTest : public ::testing::Test {
protected:
  WeightSet open(const std::vector<NamedTensor> &tensors) {
    writeTensors(folder / "w.safetensors", tensors);
    return openWeights(folder / "w.safetensors");
  }
  WeightSet rename(const std::string &rules, const WeightSet &weights,
                   const std::vector<std::string> &parameters) {
    writeFile(folder / "names", rules);
    return renameWeights(folder / "names", weights, parameters);
  }
  /// The error's text after the file's name.
  std::string refusal(const std::string &rules, const WeightSet &weights,
                      const std::vector<std::string> &parameters) {
    try {
      rename(rules, weights, parameters);
      return "accepted";
    } catch (const Error &error) {
      EXPECT_EQ(error.status, Status::BadInput);
      std::string what = error.what(), file = folder / "names";
      for (size_t at; (at = what.find(file)) != std::string::npos;)
        what.replace(at, file.size(), "F");
      file = folder / "w.safetensors";
      for (size_t at; (at = what.find(file)) != std::string::npos;)
        what.replace(at, file.size(), "W");
      return what;
    }
  }
  TemporaryFolder folder;
};

TEST_F(WeightsTest, LayoutsAgainstPlainLoops) {
  // In half precision, so that conversion takes part.
  std::vector<uint16_t> halves;
  for (int i = 0; i < 70 * 6 * 90; ++i)
    halves.push_back(uint16_t(i & 0x3BFF));
  WeightSet set = open({tensor("a", ElementType::F16, {70, 6, 90}, halves)});
  std::vector<float> plain = read(set.tensors["a"]);
  auto at = [&](int64_t i, int64_t j, int64_t k) {
    return plain[(i * 6 + j) * 90 + k];
  };
  for (int64_t edge : {1000, 7}) {
    Weight turned = set.tensors["a"];
    EXPECT_EQ(transposeWeight(turned, {2, 0, 1}), "");
    EXPECT_EQ(turned.shape, (Shape{90, 70, 6}));
    std::vector<float> got = read(turned, edge);
    for (int64_t k = 0, n = 0; k < 90; ++k)
      for (int64_t i = 0; i < 70; ++i)
        for (int64_t j = 0; j < 6; ++j)
          ASSERT_EQ(got[n++], at(i, j, k));
    // Every second of the middle, as heads interleave queries and keys.
    Weight cut = set.tensors["a"];
    EXPECT_EQ(reshapeWeight(cut, {70, 3, 2, 90}), "");
    EXPECT_EQ(sliceWeight(cut, 2, 1, 2), "");
    EXPECT_EQ(reshapeWeight(cut, {210, 90}), "");
    got = read(cut, edge);
    for (int64_t i = 0, n = 0; i < 70; ++i)
      for (int64_t j = 1; j < 6; j += 2)
        for (int64_t k = 0; k < 90; ++k)
          ASSERT_EQ(got[n++], at(i, j, k));
    // Merged after a transposition: in pieces.
    Weight merged = set.tensors["a"];
    EXPECT_EQ(transposeWeight(merged, {1, 0, 2}), "");
    EXPECT_EQ(reshapeWeight(merged, {420, 9, 10}), "");
    got = read(merged, edge);
    for (int64_t j = 0, n = 0; j < 6; ++j)
      for (int64_t i = 0; i < 70; ++i)
        for (int64_t k = 0; k < 90; ++k)
          ASSERT_EQ(got[n++], at(i, j, k));
    Weight joined = cut;
    EXPECT_EQ(concatWeights(joined, cut, 0), "");
    EXPECT_EQ(joined.shape, (Shape{420, 90}));
    std::vector<float> twice = read(cut);
    got = read(joined, edge);
    EXPECT_EQ(std::vector<float>(got.begin() + 210 * 90, got.end()), twice);
  }
}

TEST_F(WeightsTest, ReshapesOfRandomLayouts) {
  std::mt19937 random(5);
  WeightSet set = open({tensor("a", ElementType::F32, {720}, counted(720))});
  const std::vector<Shape> shapes = {
      {720},    {2, 360},    {24, 30},   {4, 6, 30},     {3, 8, 5, 6},
      {1, 720}, {6, 1, 120}, {8, 90, 1}, {2, 3, 4, 5, 6}};
  int done = 0;
  for (int round = 0; round < 300; ++round) {
    Weight weight = set.tensors["a"];
    std::vector<float> expected = counted(720);
    for (int move = 0; move < 3; ++move) {
      Shape shape = shapes[random() % shapes.size()];
      Weight next = weight;
      if (!reshapeWeight(next, shape).empty())
        continue;
      weight = next;
      Shape order(shape.size());
      std::iota(order.begin(), order.end(), 0);
      std::shuffle(order.begin(), order.end(), random);
      ASSERT_EQ(transposeWeight(weight, order), "");
      std::vector<float> turned;
      Shape strides = stridesOf(shape), index(shape.size(), 0);
      for (int n = 0; n < 720; ++n) {
        int64_t from = 0;
        for (size_t i = 0; i < order.size(); ++i)
          from += index[i] * strides[order[i]];
        turned.push_back(expected[from]);
        for (size_t i = order.size(); i-- > 0;) {
          if (++index[i] < shape[order[i]])
            break;
          index[i] = 0;
        }
      }
      expected = turned;
      ++done;
    }
    ASSERT_EQ(read(weight, 4), expected) << round;
  }
  EXPECT_GT(done, 300);
}

TEST_F(WeightsTest, RenamesSplitsMergesAndStacks) {
  WeightSet set =
      open({tensor("h.0.qkv", ElementType::F32, {6, 2}, counted(12)),
            tensor("h.1.qkv", ElementType::F32, {6, 2}, counted(12, 100)),
            tensor("h.0.mask", ElementType::F32, {1}, counted(1)),
            tensor("h.1.mask", ElementType::F32, {1}, counted(1)),
            tensor("head", ElementType::F32, {2, 3}, counted(6)),
            tensor("same", ElementType::F32, {2}, counted(2))});
  WeightSet out = rename("# from a fused projection\n"
                         "blocks.{i}.q = transpose(split(h.{i}.qkv, 0, 3, 0))\n"
                         "blocks.{i}.kv = concat(0, slice(h.{i}.qkv, 0, 2, 4), "
                         "split(h.{i}.qkv, 0, 3, 2))  # again\n"
                         "all=stack(0, h.{j}.qkv)\n"
                         "\n"
                         "heads = reshape(head, 3, 2)\r\n"
                         "ignore h.{i}.mask\n",
                         set,
                         {"blocks.0.q", "blocks.1.q", "blocks.0.kv",
                          "blocks.1.kv", "all", "heads", "same"});
  EXPECT_EQ(out.tensors.size(), 7u);
  EXPECT_EQ(read(out.tensors["blocks.1.q"]),
            (std::vector<float>{100, 102, 101, 103}));
  EXPECT_EQ(read(out.tensors["blocks.0.kv"]),
            (std::vector<float>{4, 5, 6, 7, 8, 9, 10, 11}));
  EXPECT_EQ(out.tensors["all"].shape, (Shape{2, 6, 2}));
  EXPECT_EQ(read(out.tensors["all"])[13], 101);
  EXPECT_EQ(out.tensors["heads"].shape, (Shape{3, 2}));
  EXPECT_EQ(read(out.tensors["same"]), counted(2));
}

TEST_F(WeightsTest, AListOfOneBecomesAScalar) {
  WeightSet set = open({tensor("a", ElementType::F32, {1}, counted(1)),
                        tensor("b", ElementType::F32, {5}, counted(5))});
  // Editors of some systems begin files with a byte order mark.
  WeightSet out = rename("\xef\xbb\xbfs = reshape(a)\n", set, {"s"});
  EXPECT_EQ(out.tensors["s"].shape, Shape());
  EXPECT_EQ(read(out.tensors["s"]), counted(1));
  EXPECT_THROW(rename("s = reshape(b)\n", set, {"s"}), std::exception);
}

TEST_F(WeightsTest, WrongLinesAreRefusedAtTheirPlace) {
  WeightSet set = open({tensor("a", ElementType::F32, {4, 6}, counted(24)),
                        tensor("b", ElementType::F32, {5}, counted(5))});
  const std::vector<std::pair<const char *, const char *>> wrong = {
      {"x = a\nx = b\n", "F:2: x has a line already, F:1"},
      {"{i} = a\nx = b\n", "F:2: parameter \"x\" has a line already, F:1"},
      {"x = a\ny = b\n", "F:2: no parameter is named y"},
      {"x = c\n", "F:1: W has no tensor \"c\""},
      {"x a\n", "F:1: expected '=', found \"a\""},
      {"x = \n", "F:1: expected a name, found the end of the line"},
      {"x = a b\n", "F:1: expected the end of the line, found \"b\""},
      {"x = turn(a)\n", "F:1: no function turn: transpose, reshape, slice, "
                        "split, concat and stack are known"},
      {"x = transpose(a\n", "F:1: expected ')', found the end of the line"},
      {"x = transpose(b)\n", "F:1: transpose: shape [5] has no two dims"},
      {"x = transpose(a, 0, 0)\n",
       "F:1: transpose: [0, 0] is no order of the dims of shape [4, 6]"},
      {"x = reshape(a, 5, 5)\n",
       "F:1: reshape: shape [4, 6] has not as many elements as [5, 5]"},
      {"x = reshape(a, -4, -6)\n", "F:1: reshape: no shape: [-4, -6]"},
      {"x = reshape(transpose(a), 8, 3)\n",
       "F:1: reshape: not possible without copying: reshape before "
       "transposing"},
      {"x = split(a, 1, 4, 0)\n",
       "F:1: split: no part 0 of 4 in dim 1 of shape [4, 6]"},
      {"x = split(a, 9, 1, 0)\n", "F:1: split: no dim 9 in shape [4, 6]"},
      {"x = slice(a, 0, 3, 5)\n",
       "F:1: slice: no elements 3 to 5 in dim 0 of shape [4, 6]"},
      {"x = slice(a, 0, 3)\n", "F:1: expected slice(E, DIM, BEGIN, END)"},
      {"x = concat(0, a, b)\n",
       "F:1: concat: shapes [4, 6] and [5] cannot be joined in dim 0"},
      {"x = reshape(concat(0, a, a), 48)\n",
       "F:1: reshape: the tensor is in several pieces: reshape before "
       "joining"},
      {"x = h.{i}\n", "F:1: {i} is not in the parameter's name"},
      {"x = stack(0, a)\n", "F:1: stack: expected one placeholder that the "
                            "parameter's name does not have, found 0"},
      {"x = h{\n", "F:1: placeholders are {name}, found \"h{\""},
      {"x = h{}\n", "F:1: placeholders are {name}, found \"h{}\""},
      {"x = slice(a, 0, 99999999999999999999, 1)\n",
       "F:1: expected slice(E, DIM, BEGIN, END)"},
  };
  for (auto [rules, message] : wrong)
    EXPECT_EQ(refusal(rules, set, {"x"}), message) << rules;
  EXPECT_EQ(refusal("a = b", set, {"a"}),
            "W: tensor \"a\" has the name of a parameter that F takes from "
            "elsewhere: add \"ignore a\"");
  EXPECT_THROW(renameWeights(folder / "none", set, {}), Error);
  // Nothing in it, but extents whose sum is no number.
  WeightSet wide;
  wide.tensors["a"] = {ElementType::I8, {0, int64_t(1) << 62}, {}};
  EXPECT_NE(refusal("x = concat(1, a, a)\n", wide, {"x"})
                .find("too large to be joined in dim 1"),
            std::string::npos);
  std::string deep = "x = ";
  for (int i = 0; i < 100000; ++i)
    deep += "transpose(";
  EXPECT_EQ(refusal(deep, set, {"x"}),
            "F:1: the expression is nested too deeply");
}

TEST_F(WeightsTest, RandomLinesAreRefusedOrWork) {
  WeightSet set = open({tensor("h.0", ElementType::F32, {4, 6}, counted(24)),
                        tensor("h.1", ElementType::F32, {4, 6}, counted(24))});
  const std::vector<std::string> words = {
      "x",         "h.0",        "h.{i}",    "{i}",      "=",
      "(",         ")",          ",",        " ",        "\n",
      "0",         "1",          "6",        "4",        "#",
      "ignore",    "transpose(", "stack(0,", "reshape(", "split(",
      "concat(0,", "-1",         "{",        "}",        "24"};
  std::mt19937 random(3);
  int worked = 0;
  for (int i = 0; i < 1500; ++i) {
    std::string rules = random() % 2 ? "x = " : "";
    for (unsigned n = random() % 12; n-- > 0;)
      rules += words[random() % words.size()];
    writeFile(folder / "names", rules);
    try {
      WeightSet out = renameWeights(folder / "names", set, {"x"});
      for (const auto &entry : out.tensors)
        read(entry.second);
      ++worked;
    } catch (const Error &error) {
      std::string what = error.what();
      ASSERT_TRUE(what.find("names") != std::string::npos) << what;
    }
  }
  EXPECT_GT(worked, 0);
}

TEST_F(WeightsTest, AFolderOfHuggingFaceIsItsFile) {
  const std::string &path = folder.path();
  EXPECT_EQ(weightsFile(path), path);
  EXPECT_EQ(weightsFile(folder / "none"), folder / "none");
  writeFile(folder / "pytorch_model.bin", "x");
  try {
    weightsFile(path);
    ADD_FAILURE();
  } catch (const Error &error) {
    EXPECT_EQ(error.status, Status::BadInput);
    EXPECT_NE(std::string(error.what()).find("save_pretrained"),
              std::string::npos);
  }
  auto write = [&](const std::string &name, float first) {
    writeTensors(folder / name,
                 {tensor("a", ElementType::F32, {2}, counted(2, first))});
  };
  write("adapter_model.safetensors", 1);
  EXPECT_EQ(read(openWeights(path).tensors.at("a")), counted(2, 1));
  write("part", 5);
  writeFile(folder / "model.safetensors.index.json",
            R"({"weight_map": {"a": "part"}})");
  EXPECT_EQ(read(openWeights(path).tensors.at("a")), counted(2, 5));
  write("model.safetensors", 7);
  EXPECT_EQ(read(openWeights(path).tensors.at("a")), counted(2, 7));
}

} // namespace
