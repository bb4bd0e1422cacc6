// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/emission/NameGroup.h"
#include "gtest/gtest.h"

using namespace zcc;

namespace {

std::string textOf(const std::vector<std::string> &names) {
  NameGroup group;
  for (const std::string &name : names)
    group.add(name);
  return group.text();
}

TEST(NameGroup, patternHasNoNumbers) {
  EXPECT_EQ(NameGroup::patternOf("blocks.12.attn.w1"), "blocks.*.attn.w*");
  EXPECT_EQ(NameGroup::patternOf("wte"), "wte");
  EXPECT_EQ(NameGroup::patternOf("7"), "*");
  EXPECT_EQ(NameGroup::patternOf(""), "");
  // These would not come back as they were.
  EXPECT_EQ(NameGroup::patternOf("l007"), "l007");
  EXPECT_EQ(NameGroup::patternOf("l1234567890123456789"),
            "l1234567890123456789");
  EXPECT_EQ(NameGroup::patternOf("l0.w"), "l*.w");
  // Another line of the source is another value.
  EXPECT_EQ(NameGroup::patternOf("m.py:12:3#0"), "m.py:12:3#0");
  EXPECT_EQ(NameGroup::patternOf("t1:w2"), "t*:w*");
}

TEST(NameGroup, oneNameIsItself) {
  EXPECT_EQ(textOf({"blocks.12.attn.w1"}), "blocks.12.attn.w1");
  EXPECT_EQ(textOf({"wte"}), "wte");
  EXPECT_EQ(textOf({"wte", "wte"}), "wte");
  EXPECT_EQ(textOf({"l007"}), "l007");
  EXPECT_EQ(textOf({}), "");
}

TEST(NameGroup, layersAreRanges) {
  std::vector<std::string> names;
  NameGroup group;
  for (int layer = 83; layer >= 0; --layer)
    group.add("blocks." + std::to_string(layer) + ".mlp.w1");
  EXPECT_EQ(group.text(), "blocks.{0-83}.mlp.w1");
  EXPECT_EQ(group.count(), 84);
  EXPECT_EQ(textOf({"b0", "b1", "b2", "b7", "b9", "b10"}), "b{0-2,7,9-10}");
  EXPECT_EQ(textOf({"b0", "b2", "b4", "b6"}), "b*");
}

TEST(NameGroup, severalNumbersNeedEveryCombination) {
  EXPECT_EQ(textOf({"b0.w1", "b0.w3", "b1.w1", "b1.w3"}), "b{0-1}.w{1,3}");
  EXPECT_EQ(textOf({"b0.w1", "b1.w2"}), "b*.w*");
  EXPECT_EQ(textOf({"b0.w1", "b1.w1"}), "b{0-1}.w1");
}

TEST(AlikeTexts, layersThatDifferInNothingElseAreToldOnce) {
  AlikeTexts texts;
  for (int i : {0, 1, 2}) {
    std::string layer = "b." + std::to_string(i) + ".";
    texts.add(layer + "w", layer + "w: 12 B, as '" + layer +
                               "o' needs it at p['b'][" + std::to_string(i) +
                               "]['w']\n");
  }
  EXPECT_EQ(texts.text(), "b.{0-2}.w: 12 B, as 'b.{0-2}.o' needs it at "
                          "p['b'][{0-2}]['w']\n"
                          "  3 such values; figures are of one\n");
}

TEST(AlikeTexts, whatDiffersIsToldApart) {
  AlikeTexts texts;
  texts.add("b.0.w", "b.0.w: 12 B\n");
  texts.add("wte", "wte: 1 B\n");
  texts.add("b.1.w", "b.1.w: 13 B\n");
  texts.add("c.0.w", "c.0.w: 12 B\n");
  texts.add("b.2.w", "b.2.w: 12 B, not 1.b.2.w\n");
  EXPECT_EQ(texts.text(), "b.0.w: 12 B\nwte: 1 B\nb.1.w: 13 B\n"
                          "c.0.w: 12 B\nb.2.w: 12 B, not 1.b.2.w\n");
  AlikeTexts figures;
  figures.add("0.w", "0.w: 0.5 us\n");
  figures.add("1.w", "1.w: 1.5 us\n");
  EXPECT_EQ(figures.text(), "0.w: 0.5 us\n1.w: 1.5 us\n");
  // "a.b.0." is a layer of something else.
  AlikeTexts others;
  others.add("b.0.w", "b.0.w: beside a.b.0.w\n");
  others.add("b.1.w", "b.1.w: beside a.b.1.w\n");
  EXPECT_EQ(others.text(), "b.0.w: beside a.b.0.w\nb.1.w: beside a.b.1.w\n");
  // Another layer's name in the text is a difference.
  AlikeTexts next;
  next.add("b.0.w", "b.0.w: read by b.5.o\n");
  next.add("b.1.w", "b.1.w: read by b.5.o\n");
  next.add("b.5.w", "b.5.w: read by b.5.o\n");
  EXPECT_EQ(next.text(), "b.{0-1}.w: read by b.5.o\n"
                         "  2 such values; figures are of one\n"
                         "b.5.w: read by b.5.o\n");
}

TEST(NameGroup, shortenedTextsHaveBothEnds) {
  EXPECT_EQ(shorten("abcdefgh", 8), "abcdefgh");
  EXPECT_EQ(shorten("abcdefghi", 8), "ab...ghi");
}

TEST(AlikeTexts, PathsOfValuesHaveLayers) {
  AlikeTexts texts;
  EXPECT_EQ(texts.add("params['blocks'][0]['wi']",
                      "params['blocks'][0]['wi'] is of blocks.0.wi\n"),
            0u);
  EXPECT_EQ(texts.add("params['blocks'][1]['wi']",
                      "params['blocks'][1]['wi'] is of blocks.1.wi\n"),
            0u);
  EXPECT_EQ(texts.add("batch['x']", "batch['x']\n"), 1u);
  EXPECT_EQ(texts.text(0),
            "params['blocks'][{0-1}]['wi'] is of blocks.{0-1}.wi\n"
            "  2 such values; figures are of one\n");
  texts.replace(0, "params['blocks'][1]['wi']", "of blocks.1.wi, told anew\n");
  EXPECT_EQ(texts.text(0), "of blocks.{0-1}.wi, told anew\n"
                           "  2 such values; figures are of one\n");
  EXPECT_EQ(texts.size(), 2u);
}

} // namespace
