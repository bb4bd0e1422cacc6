// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Batches from files, streams and tokens.

#include "Files.h"

#include "runtime/core/Error.h"
#include "runtime/data/Inputs.h"
#include "runtime/data/Limits.h"
#include "runtime/data/Prefetch.h"
#include "runtime/data/Tokens.h"

#include <gtest/gtest.h>

#include <chrono>
#include <set>
#include <unistd.h>

using namespace zcc::rt;
using namespace zcc::rt::test;

namespace {

const std::vector<InputSpec> xy = {{"x", ElementType::I32, {2, 3}},
                                   {"y", ElementType::I32, {2, 3}}};

template <typename T> std::vector<T> valuesOf(const TensorView &view) {
  std::vector<T> out(view.bytes / sizeof(T));
  std::memcpy(out.data(), view.data, view.bytes);
  return out;
}

void expectError(const std::string &message, const std::function<void()> &f) {
  try {
    f();
    ADD_FAILURE() << "accepted, expected: " << message;
  } catch (const Error &error) {
    EXPECT_EQ(error.status, Status::BadInput);
    EXPECT_NE(std::string(error.what()).find(message), std::string::npos)
        << error.what();
  }
}

TEST(PermuteTest, IsAPermutationForEverySeedAndEpoch) {
  std::set<std::vector<uint64_t>> orders;
  for (uint64_t size : {1, 2, 3, 7, 64, 65, 1000})
    for (uint64_t seed : {0, 1})
      for (uint64_t epoch : {0, 1}) {
        std::vector<bool> seen(size, false);
        std::vector<uint64_t> order;
        for (uint64_t i = 0; i < size; ++i) {
          uint64_t p = permute(i, size, seed, epoch);
          ASSERT_LT(p, size);
          ASSERT_FALSE(seen[p]);
          seen[p] = true;
          order.push_back(p);
        }
        if (size >= 64)
          EXPECT_TRUE(orders.insert(order).second);
      }
}

TEST(TokensTest, EachWindowOnceAnEpochAndYIsTheNextToken) {
  TemporaryFolder folder;
  // 2 * 10 + 1 windows of 3 over two files, the cut inside a window.
  std::vector<uint16_t> tokens(64);
  for (size_t i = 0; i < tokens.size(); ++i)
    tokens[i] = uint16_t(1000 + i);
  std::string bytes(reinterpret_cast<char *>(tokens.data()), 128);
  writeFile(folder / "a", bytes.substr(0, 62));
  writeFile(folder / "b", bytes.substr(62));
  auto source =
      openTokens({folder / "a", folder / "b"}, ElementType::U16, 5, xy);
  std::multiset<int> starts;
  for (int64_t step = 0; step < 21; ++step) { // two epochs of 21 windows
    Batch batch = source->read(step);
    auto x = valuesOf<uint16_t>(batch.inputs[0]);
    auto y = valuesOf<uint16_t>(batch.inputs[1]);
    for (int row = 0; row < 2; ++row) {
      starts.insert(x[row * 3]);
      for (int i = 0; i < 3; ++i) {
        EXPECT_EQ(x[row * 3 + i], x[row * 3] + i);
        EXPECT_EQ(y[row * 3 + i], x[row * 3 + i] + 1);
      }
    }
  }
  EXPECT_EQ(starts.size(), 42u);
  for (int w = 0; w < 21; ++w)
    EXPECT_EQ(starts.count(1000 + 3 * w), 2u);
  // The step alone decides.
  auto again =
      openTokens({folder / "a", folder / "b"}, ElementType::U16, 5, xy);
  EXPECT_EQ(valuesOf<uint16_t>(again->read(17).inputs[0]),
            valuesOf<uint16_t>(source->read(17).inputs[0]));
}

size_t residentBytes() {
  size_t total = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> total >> resident;
  return resident * size_t(sysconf(_SC_PAGESIZE));
}

// A sparse file: 20 GB of zeros but for a few bytes.
TEST(TokensTest, AFileOfManyGigabytesIsMappedNotRead) {
  TemporaryFolder folder;
  constexpr uint64_t bytes = 20'000'000'000;
  writeFile(folder / "tokens", "");
  ASSERT_EQ(truncate((folder / "tokens").c_str(), off_t(bytes)), 0);
  const std::vector<InputSpec> long4k = {{"x", ElementType::I32, {16, 4096}},
                                         {"y", ElementType::I32, {16, 4096}}};
  size_t before = residentBytes();
  auto start = std::chrono::steady_clock::now();
  auto source = openTokens({folder / "tokens"}, ElementType::U16, 1, long4k);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(1));
  EXPECT_EQ(source->stepsInEpoch(), int64_t((bytes / 2 - 1) / 4096 / 16));
  for (int64_t step = 0; step < 300; ++step)
    EXPECT_EQ(valuesOf<uint16_t>(source->read(step * 251).inputs[1])[5], 0);
    // 79 MB were read. The sanitizers' shadow of what is mapped stays.
#if defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
  return;
#endif
#endif
  EXPECT_LT(residentBytes(), before + (16 << 20));
}

// Epochs differ in their order; a window is as often in x as in y's place.
TEST(TokensTest, AnotherOrderEachEpoch) {
  TemporaryFolder folder;
  std::vector<uint8_t> tokens(3 * 64 + 1);
  for (size_t i = 0; i < tokens.size(); ++i)
    tokens[i] = uint8_t(i);
  writeFile(folder / "t", {tokens.begin(), tokens.end()});
  auto orders = [&](uint64_t seed) {
    auto source = openTokens({folder / "t"}, ElementType::U8, seed, xy);
    EXPECT_EQ(source->stepsInEpoch(), 32);
    std::vector<std::vector<int>> out(3);
    for (int64_t step = 0; step < 96; ++step) {
      auto x = valuesOf<uint8_t>(source->read(step).inputs[0]);
      out[step / 32].insert(out[step / 32].end(), {x[0], x[3]});
    }
    return out;
  };
  std::vector<std::vector<int>> mine = orders(7);
  EXPECT_NE(mine[0], mine[1]);
  EXPECT_NE(mine[1], mine[2]);
  EXPECT_NE(mine[0], orders(8)[0]);
  EXPECT_EQ(mine, orders(7));
  for (std::vector<int> &epoch : mine) {
    std::sort(epoch.begin(), epoch.end());
    for (int w = 0; w < 64; ++w)
      EXPECT_EQ(epoch[w], 3 * w);
  }
}

TEST(TokensTest, Errors) {
  TemporaryFolder folder;
  writeFile(folder / "short", std::string(3, 'a'));
  expectError("3 tokens of type u8 are too few: one window takes 4",
              [&] { openTokens({folder / "short"}, ElementType::U8, 0, xy); });
  expectError("not a whole number",
              [&] { openTokens({folder / "short"}, ElementType::U16, 0, xy); });
  writeFile(folder / "long", std::string(100, 'a'));
  expectError("tokens feed the inputs x and y, or one input of integers "
              "[batch, seq + 1]; the executable reads x, y, z; rename its "
              "inputs, or write the data as --batches",
              [&] {
                auto inputs = xy;
                inputs.push_back({"z", ElementType::I32, {2, 3}});
                openTokens({folder / "long"}, ElementType::U8, 0, inputs);
              });
  expectError(
      "tokens feed integers [batch, seq + 1], input \"t\" is i32 [2, 1]", [&] {
        openTokens({folder / "long"}, ElementType::U8, 0,
                   {{"t", ElementType::I32, {2, 1}}});
      });
  expectError("f32", [&] {
    openTokens({folder / "long"}, ElementType::U8, 0,
               {{"x", ElementType::F32, {2, 3}}});
  });
}

// One input has the windows of x, each with the last token of y's.
TEST(TokensTest, OneInputOfAnyNameHasXAndY) {
  TemporaryFolder folder;
  std::string bytes;
  for (int i = 0; i < 61; ++i) // 20 windows of 3
    bytes += char(i);
  writeFile(folder / "t", bytes);
  auto pair = openTokens({folder / "t"}, ElementType::U8, 9, xy);
  auto one = openTokens({folder / "t"}, ElementType::U8, 9,
                        {{"key", ElementType::U32, {2}, 0, 0, true},
                         {"text", ElementType::I32, {2, 4}}});
  EXPECT_EQ(one->stepsInEpoch(), pair->stepsInEpoch());
  for (int64_t step = 0; step < 12; ++step) {
    Batch wanted = pair->read(step), batch = one->read(step);
    EXPECT_EQ(batch.inputs[0].data, nullptr); // the trainer makes it
    EXPECT_EQ(batch.inputs[1].shape, (std::vector<int64_t>{2, 4}));
    auto x = valuesOf<uint8_t>(wanted.inputs[0]),
         y = valuesOf<uint8_t>(wanted.inputs[1]),
         tokens = valuesOf<uint8_t>(batch.inputs[1]);
    ASSERT_EQ(tokens.size(), 8u);
    for (int row = 0; row < 2; ++row)
      for (int i = 0; i < 3; ++i) {
        EXPECT_EQ(tokens[row * 4 + i], x[row * 3 + i]);
        EXPECT_EQ(tokens[row * 4 + i + 1], y[row * 3 + i]);
      }
  }
}

TEST(TokensTest, FewerWindowsThanTheBatch) {
  TemporaryFolder folder;
  writeFile(folder / "few", std::string(6, 'a'));
  expectError("few: 6 tokens of type u8 make 1 window of 3, too few for a "
              "batch of 2",
              [&] { openTokens({folder / "few"}, ElementType::U8, 0, xy); });
}

TEST(TokensTest, AnotherTypeIsSuspected) {
  TemporaryFolder folder;
  std::string bytes, halves, words, large;
  for (int i = 0; i < 400; ++i) {
    bytes += char(i % 97 + 1);
    halves += {char(i % 97 + 1), '\0'};
    words += {char(i % 97 + 1), char(i % 3 + 1), '\0', '\0'};
    large += {char(i % 97 + 1), char(i % 91 + 1)};
  }
  for (const auto &[name, contents] :
       {std::pair("u8", bytes), std::pair("u16", halves),
        std::pair("u32", words), std::pair("large", large),
        std::pair("zeros", std::string(400, '\0')),
        std::pair("few", halves.substr(0, 40))})
    writeFile(folder / name, contents);
  auto doubt = [&](const char *name, ElementType type, int64_t limit = 256) {
    std::vector<InputSpec> inputs = xy;
    inputs[0].limit = limit;
    return doubtTokenType({folder / name}, type, inputs);
  };
  EXPECT_EQ(doubt("u8", ElementType::U8), "");
  EXPECT_EQ(doubt("u16", ElementType::U8),
            (folder / "u16") + ": read as u8, but it has zeros where tokens of "
                               "u16 have their upper half; is it of "
                               "--token-type u16?");
  EXPECT_NE(doubt("u32", ElementType::U8).find("--token-type u32"),
            std::string::npos);
  EXPECT_NE(doubt("u32", ElementType::U16).find("--token-type u32"),
            std::string::npos);
  EXPECT_EQ(doubt("u16", ElementType::U16), "");
  EXPECT_EQ(doubt("u32", ElementType::U32), "");
  EXPECT_EQ(doubt("zeros", ElementType::U8), "");
  EXPECT_EQ(doubt("few", ElementType::U8), "");
  EXPECT_EQ(doubt("large", ElementType::U8), "");
  EXPECT_EQ(doubt("large", ElementType::U8, 50257),
            (folder / "large") + ": tokens of u8 are below 256, input \"x\" "
                                 "takes those below 50257; is it of "
                                 "--token-type u16?");
}

// Only y is bounded. The second file begins with token 31 of the stream.
TEST(TokensTest, ATokenBeyondTheVocabularyIsNamed) {
  TemporaryFolder folder;
  std::vector<uint16_t> tokens(64, 7);
  tokens[0] = 256; // never in y
  tokens[63] = 256;
  std::string bytes(reinterpret_cast<char *>(tokens.data()), 128);
  writeFile(folder / "a", bytes.substr(0, 62));
  writeFile(folder / "b", bytes.substr(62));
  std::vector<InputSpec> inputs = xy;
  auto readAll = [&] {
    auto source =
        openTokens({folder / "a", folder / "b"}, ElementType::U16, 5, inputs);
    for (int64_t step = 0; step < 11; ++step)
      source->read(step);
  };
  readAll();
  inputs[1].limit = 256;
  inputs[1].low = -256;
  expectError("token 256 at position 32 of " + (folder / "b") +
                  " exceeds the vocabulary of 256",
              readAll);
  inputs[1].limit = 257;
  readAll();
}

NamedTensor steps(const std::string &name, int64_t count, int first) {
  std::vector<int64_t> v(count * 6);
  for (size_t i = 0; i < v.size(); ++i)
    v[i] = first + int64_t(i) / 6;
  return tensor(name, ElementType::I64, {count, 2, 3}, v);
}

TEST(BatchFilesTest, FoldersAreReadInNameOrderAndRepeat) {
  TemporaryFolder folder;
  writeTensors(folder / "b.safetensors",
               {steps("x", 2, 10), steps("y", 2, 20)});
  writeTensors(folder / "a.safetensors",
               {steps("x", 1, 0), steps("y", 1, 5), steps("z", 1, 0)});
  std::vector<std::string> notes;
  auto source = openBatchFiles(folder.path(), xy, [&](const std::string &note) {
    notes.push_back(note);
  });
  EXPECT_EQ(source->steps(), 3);
  std::vector<int64_t> seen;
  for (int64_t step = 0; step < 4; ++step)
    seen.push_back(valuesOf<int64_t>(source->read(step).inputs[0])[0]);
  EXPECT_EQ(seen, (std::vector<int64_t>{0, 10, 11, 0}));
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_NE(notes[0].find("z"), std::string::npos);
}

TEST(BatchFilesTest, WhatDoesNotFitIsListed) {
  TemporaryFolder folder;
  writeTensors(folder / "f.safetensors", {tensor("x", ElementType::I64, {1, 6},
                                                 std::vector<int64_t>(6))});
  auto open = [&] { openBatchFiles(folder / "f.safetensors", xy, nullptr); };
  expectError("\"x\": expected i32 [steps, 2, 3], found i64 [1, 6]", open);
  expectError("\"y\": expected i32 [steps, 2, 3], not found", open);
  writeTensors(folder / "f.safetensors", {steps("x", 2, 0), steps("y", 1, 0)});
  expectError("1 steps, the inputs before it have 2", open);
  writeTensors(folder / "f.safetensors", {steps("x", 0, 0), steps("y", 0, 0)});
  expectError("holds no step", open);
}

template <typename T>
void checkOutside(ElementType type, T low, T last, T below, T above) {
  InputSpec input{
      "x", ElementType::I32, {5000}, int64_t(low), int64_t(last) + 1};
  std::vector<T> v(5000, last);
  v[0] = low;
  TensorView view{
      type, {5000}, reinterpret_cast<char *>(v.data()), 5000 * sizeof(T)};
  EXPECT_FALSE(findOutside(input, view));
  for (T wrong : {below, above}) {
    v[4999] = wrong;
    auto found = findOutside(input, view);
    ASSERT_EQ(bool(found), wrong < low || wrong > last);
    if (found)
      EXPECT_EQ(found->index, 4999);
  }
  input.limit = 0;
  EXPECT_FALSE(findOutside(input, view));
}

// Values of JAX 0.10.2: key_data(fold_in(key(seed), number)); large seeds with
// jax_enable_x64.
TEST(RandomKeysTest, AreThoseOfJax) {
  EXPECT_EQ(keyOfSeed((uint64_t(5) << 32) + 9), (RandomKey{5, 9}));
  struct {
    uint64_t seed;
    uint32_t number;
    RandomKey key;
  } cases[] = {
      {7, 3, {276534068, 1641862660}},
      {0, 0, {1797259609, 2579123966}},
      {0, 1, {928981903, 3453687069}},
      {1, 1000000, {3013587952, 486077020}},
      {(uint64_t(5) << 32) + 9, 2, {3105894920, 2167160646}},
      {UINT32_MAX, UINT32_MAX, {3708439410, 3860806197}},
  };
  for (const auto &one : cases)
    EXPECT_EQ(foldIn(keyOfSeed(one.seed), one.number), one.key) << one.seed;
}

TEST(RandomKeysTest, ABatchThatHasAKeyKeepsIt) {
  const std::vector<InputSpec> inputs = {
      {"x", ElementType::I32, {1}}, {"key", ElementType::U32, {2}, 0, 0, true}};
  const int32_t x = 3;
  const RandomKey given = {1, 2}, made = {3, 4};
  TensorMap arrays = {
      {"x", {ElementType::I32, {1}, reinterpret_cast<const char *>(&x), 4}}};
  std::vector<std::string> surplus;
  Batch batch;
  batch.inputs = matchInputs("batch", arrays, inputs, nullptr, surplus);
  Batch whole = withKey(inputs, batch, made);
  EXPECT_EQ(valuesOf<int32_t>(whole.inputs[0]), std::vector<int32_t>{3});
  EXPECT_EQ(valuesOf<uint32_t>(whole.inputs[1]), (std::vector<uint32_t>{3, 4}));
  arrays["key"] = {
      ElementType::U32, {2}, reinterpret_cast<const char *>(given.data()), 8};
  batch.inputs = matchInputs("batch", arrays, inputs, nullptr, surplus);
  EXPECT_EQ(valuesOf<uint32_t>(withKey(inputs, batch, made).inputs[1]),
            (std::vector<uint32_t>{1, 2}));
  arrays["key"].shape = {1, 2};
  expectError("\"key\": expected u32 [2], found u32 [1, 2]",
              [&] { matchInputs("batch", arrays, inputs, nullptr, surplus); });
  EXPECT_EQ(surplus, std::vector<std::string>());
  // A program that reads nothing else needs no batch.
  EXPECT_EQ(withKey({inputs[1]}, {}, made).inputs.size(), 1u);
}

TEST(RandomKeysTest, ASeedNeedsAKey) {
  checkKeySeed({{"key", ElementType::U32, {2}, 0, 0, true}}, 3);
  checkKeySeed({}, std::nullopt);
  expectError("--key-seed: expected an executable that reads a key of random "
              "numbers, this one reads x i32 [2, 3], y i32 [2, 3]; give the "
              "loss a last argument `key`",
              [] { checkKeySeed(xy, 0); });
  expectError("reads no input", [] { checkKeySeed({}, 0); });
}

TEST(LimitsTest, EveryIntegerType) {
  checkOutside<int8_t>(ElementType::I8, -100, 99, -101, 100);
  checkOutside<int16_t>(ElementType::I16, -100, 99, -101, 100);
  checkOutside<int32_t>(ElementType::I32, 0, 255, -1, 256);
  checkOutside<int64_t>(ElementType::I64, -256, 255, INT64_MIN, INT64_MAX);
  checkOutside<uint8_t>(ElementType::U8, 0, 255, 0, 255);
  checkOutside<uint8_t>(ElementType::U8, 0, 99, 0, 100);
  checkOutside<uint16_t>(ElementType::U16, 0, 255, 0, 65535);
  checkOutside<uint32_t>(ElementType::U32, 0, 255, 0, UINT32_MAX);
  checkOutside<uint64_t>(ElementType::U64, 0, 255, 0, UINT64_MAX);
}

TEST(LimitsTest, BatchesNameStepAndIndex) {
  TemporaryFolder folder;
  writeTensors(folder / "f.safetensors", {steps("x", 3, 0), steps("y", 3, 7)});
  std::vector<InputSpec> inputs = xy;
  inputs[1].limit = 9;
  auto source = openBatchFiles(folder / "f.safetensors", inputs, nullptr);
  source->read(0);
  source->read(1);
  expectError("f.safetensors: step 3: input \"y\": 9 at index [0, 0] exceeds "
              "the vocabulary of 9",
              [&] { source->read(2); });
  inputs[1] = {"y", ElementType::I32, {2, 3}, 8, 99};
  expectError("y\": 7 at index [0, 0] is below 8", [&] {
    openBatchFiles(folder / "f.safetensors", inputs, nullptr)->read(0);
  });
}

class StreamTest : public ::testing::Test {
protected:
  void SetUp() override {
    ASSERT_EQ(pipe(ends), 0);
    writeTensors(folder / "f",
                 {tensor("x", ElementType::I32, {2, 3},
                         std::vector<int32_t>{1, 2, 3, 4, 5, 6}),
                  tensor("y", ElementType::I32, {2, 3},
                         std::vector<int32_t>{6, 5, 4, 3, 2, 1})});
    std::string file = readFile(folder / "f");
    uint64_t size = file.size();
    step = std::string(reinterpret_cast<char *>(&size), 8) + file;
  }
  void TearDown() override { close(ends[0]); }
  void send(const std::string &bytes, bool andClose) {
    ASSERT_EQ(write(ends[1], bytes.data(), bytes.size()),
              ssize_t(bytes.size()));
    if (andClose)
      close(ends[1]);
  }
  TemporaryFolder folder;
  int ends[2];
  std::string step;
};

TEST_F(StreamTest, StepByStep) {
  send(step + step, true);
  auto source = openBatchStream(ends[0], xy, nullptr);
  EXPECT_EQ(valuesOf<int32_t>(source->read(0).inputs[0])[5], 6);
  EXPECT_EQ(valuesOf<int32_t>(source->read(1).inputs[1])[0], 6);
  expectError("ended after 2 steps", [&] { source->read(2); });
}

TEST_F(StreamTest, AValueOutsideNamesStepAndIndex) {
  send(step, true);
  std::vector<InputSpec> inputs = xy;
  inputs[0].limit = 6;
  auto source = openBatchStream(ends[0], inputs, nullptr);
  expectError("standard input, step 1: input \"x\": 6 at index [1, 2] exceeds",
              [&] { source->read(0); });
}

TEST_F(StreamTest, AnEndInsideAStepNamesIt) {
  send(step + step.substr(0, step.size() - 1), true);
  auto source = openBatchStream(ends[0], xy, nullptr);
  source->read(0);
  expectError("step 2: the stream ended inside", [&] { source->read(1); });
}

TEST_F(StreamTest, AnEndInsideALengthNamesTheStep) {
  send(step.substr(0, 5), true);
  auto source = openBatchStream(ends[0], xy, nullptr);
  expectError("step 1: the stream ended inside", [&] { source->read(0); });
}

TEST_F(StreamTest, AbsurdLengthsAreRefused) {
  send(std::string(7, '\xFF') + "\x7F", true);
  auto source = openBatchStream(ends[0], xy, nullptr);
  expectError("a length of", [&] { source->read(0); });
}

TEST_F(StreamTest, PrefetchIsOneStepAheadAndCanBeLeft) {
  send(step + step, false);
  auto source = openBatchStream(ends[0], xy, nullptr);
  {
    Prefetch prefetch(*source, 0, 10);
    EXPECT_EQ(prefetch.next().inputs.size(), 2u);
    EXPECT_EQ(prefetch.next().inputs.size(), 2u);
  } // the writer is silent: the reader must not hang
  close(ends[1]);
}

TEST(PrefetchTest, WhatIsNotThereIsNotWaitedFor) {
  struct Late : BatchSource {
    std::mutex mutex; // held: there is nothing yet
    Batch read(int64_t step) override {
      std::lock_guard<std::mutex> lock(mutex);
      return {{TensorView(), TensorView()}, nullptr, step == 1};
    }
  } source;
  source.mutex.lock();
  Prefetch prefetch(source, 0, 2);
  EXPECT_FALSE(prefetch.poll());
  source.mutex.unlock();
  EXPECT_FALSE(prefetch.next().mapped);
  std::optional<Batch> second;
  while (!second)
    second = prefetch.poll();
  EXPECT_TRUE(second->mapped);
  EXPECT_FALSE(prefetch.poll()) << "the end";
}

TEST(PrefetchTest, ErrorsComeAtTheirStep) {
  class Source : public BatchSource {
    Batch read(int64_t step) override {
      if (step == 2)
        badInput("step 2");
      return {};
    }
  } source;
  Prefetch prefetch(source, 0, 5);
  prefetch.next();
  prefetch.next();
  expectError("step 2", [&] { prefetch.next(); });
}

} // namespace
