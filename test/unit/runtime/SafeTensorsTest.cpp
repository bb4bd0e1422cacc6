// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The safetensors reader on good and damaged files, and the writer.

#include "Files.h"

#include "runtime/core/Error.h"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>

using namespace zcc::rt;
using namespace zcc::rt::test;

namespace {

std::string fileOf(const std::string &header, size_t dataBytes,
                   uint64_t length = UINT64_MAX) {
  uint64_t size = length == UINT64_MAX ? header.size() : length;
  std::string bytes(reinterpret_cast<char *>(&size), 8);
  return bytes + header + std::string(dataBytes, '\0');
}

void expectError(const std::string &message, const std::string &bytes) {
  try {
    parseSafeTensors("f", bytes.data(), bytes.size());
    ADD_FAILURE() << "accepted, expected: " << message;
  } catch (const Error &error) {
    EXPECT_EQ(error.status, Status::BadInput);
    EXPECT_NE(std::string(error.what()).find(message), std::string::npos)
        << error.what();
  }
}

const char *const good =
    R"({"a":{"dtype":"F32","shape":[2,2],"data_offsets":[0,16]},)"
    R"("__metadata__":{"x":"y"},)"
    R"("b":{"dtype":"I8","shape":[],"data_offsets":[16,17]}})";

TEST(SafeTensorsTest, ReadsWhatIsThere) {
  std::string bytes = fileOf(good, 17);
  TensorMap tensors = parseSafeTensors("f", bytes.data(), bytes.size());
  ASSERT_EQ(tensors.size(), 2u);
  EXPECT_EQ(tensors["a"].shape, (std::vector<int64_t>{2, 2}));
  EXPECT_EQ(tensors["b"].type, ElementType::I8);
}

TEST(SafeTensorsTest, DamageIsNamed) {
  expectError("not a safetensors file", "abc");
  expectError("not a safetensors file: its first 8 bytes, which are the length "
              "of a header of at most 100000000 bytes there, say "
              "7017280452245743464",
              "hgfedcba and more");
  expectError("truncated", fileOf("{}", 0, 3));
  expectError("header of", fileOf("{}", 0, uint64_t(1) << 62));
  expectError("not a JSON object", fileOf("{", 0));
  expectError("not a JSON object", fileOf("[]", 0));
  expectError("not a JSON object", fileOf(std::string(100000, '['), 0));
  expectError("expected dtype", fileOf(R"({"a":3})", 0));
  expectError("expected dtype", fileOf(R"({"a":{"dtype":"F32"}})", 0));
  auto one = [](const char *type, const char *shape, const char *offsets) {
    return fileOf(std::string(R"({"a":{"dtype":")") + type + R"(","shape":)" +
                      shape + R"(,"data_offsets":)" + offsets + "}}",
                  16);
  };
  expectError("not known", one("F4", "[4]", "[0,16]"));
  expectError("outside", one("F32", "[5]", "[0,20]"));
  expectError("outside", one("F32", "[4]", "[16,0]"));
  expectError("not have as many", one("F32", "[3]", "[0,16]"));
  expectError("not have as many",
              one("F32", "[4294967296,4294967296]", "[0,16]"));
  expectError("not have as many", one("F32", "[0,4]", "[0,16]"));
  expectError("non-negative", one("F32", "[-4]", "[0,16]"));
  expectError("non-negative", one("F32", "[4.5]", "[0,16]"));
  expectError("too large", one("F32", "[0,4294967296,4294967296]", "[0,0]"));
  expectError("an extent of", one("F32", "[18446744073709551615]", "[0,16]"));
  expectError("two data_offsets", one("F32", "[4]", "[0]"));
  expectError(
      "overlap",
      fileOf(R"({"a":{"dtype":"F32","shape":[4],"data_offsets":[0,16]},)"
             R"("b":{"dtype":"F32","shape":[1],"data_offsets":[12,16]}})",
             16));
  expectError(
      "two tensors",
      fileOf(R"({"a":{"dtype":"F32","shape":[4],"data_offsets":[0,16]},)"
             R"("a":{"dtype":"F32","shape":[4],"data_offsets":[0,16]}})",
             16));
}

TEST(SafeTensorsTest, NoTruncationOrFlippedBitCrashes) {
  std::string bytes = fileOf(good, 17);
  auto parse = [](const std::string &b) {
    try {
      for (const auto &entry : parseSafeTensors("f", b.data(), b.size()))
        ASSERT_LE(entry.second.data + entry.second.bytes, b.data() + b.size());
    } catch (const Error &) {
    }
  };
  for (size_t i = 0; i < bytes.size(); ++i) {
    parse(bytes.substr(0, i));
    for (int bit = 0; bit < 8; ++bit) {
      std::string damaged = bytes;
      damaged[i] ^= char(1 << bit);
      parse(damaged);
    }
  }
}

TEST(SafeTensorsTest, IndexedSets) {
  TemporaryFolder folder;
  writeTensors(folder / "one.safetensors",
               {tensor("a", ElementType::F32, {1}, std::vector<float>{1})});
  writeTensors(folder / "two.safetensors",
               {tensor("b", ElementType::F32, {1}, std::vector<float>{2})});
  writeFile(folder / "m.index.json",
            R"({"metadata":{},"weight_map":{"a":"one.safetensors",)"
            R"("b":"two.safetensors"}})");
  SafeTensors set(folder / "m.index.json");
  EXPECT_EQ(values<float>(set.tensors(), "b")[0], 2);
  writeFile(folder / "m.index.json",
            R"({"weight_map":{"c":"one.safetensors"}})");
  EXPECT_THROW(SafeTensors(folder / "m.index.json"), Error);
  EXPECT_THROW(SafeTensors(folder / "none.safetensors"), Error);
}

size_t filesIn(const std::string &path) {
  size_t count = 0;
  for (auto &entry : std::filesystem::directory_iterator(path))
    count += entry.is_regular_file();
  return count;
}

TEST(SafeTensorsWriterTest, NothingIsLeftWithoutCommit) {
  TemporaryFolder folder;
  writeFile(folder / "old", "old");
  {
    SafeTensorsWriter writer(folder / "old", {{"a", ElementType::F32, {4}}});
    EXPECT_EQ(filesIn(folder.path()), 2u);
  }
  EXPECT_EQ(filesIn(folder.path()), 1u);
  EXPECT_EQ(readFile(folder / "old"), "old");
}

TEST(SafeTensorsWriterTest, AFullDiskIsAnError) {
  TemporaryFolder folder;
  std::signal(SIGXFSZ, SIG_IGN);
  rlimit before, small{1 << 16, RLIM_INFINITY};
  getrlimit(RLIMIT_FSIZE, &before);
  small.rlim_max = before.rlim_max;
  setrlimit(RLIMIT_FSIZE, &small);
  EXPECT_THROW(
      SafeTensorsWriter(folder / "f", {{"a", ElementType::F32, {1 << 20}}}),
      Error);
  setrlimit(RLIMIT_FSIZE, &before);
  EXPECT_EQ(filesIn(folder.path()), 0u);
}

TEST(SafeTensorsWriterTest, PlacesThatCannotBeWrittenAreRefusedAtOnce) {
  TemporaryFolder folder;
  EXPECT_THROW(checkWritable(folder / "no/such/folder"), Error);
  EXPECT_THROW(checkWritable(folder.path()), Error);
  EXPECT_THROW(checkWritable("/dev/null"), Error);
  checkWritable(folder / "new");
  EXPECT_THROW(checkWritable(folder.path(), /*special=*/true), Error);
  checkWritable("/dev/null", /*special=*/true);
}

TEST(NewFileTest, AppearsWholeAndReplaces) {
  TemporaryFolder folder;
  writeFile(folder / "f", "old");
  {
    NewFile file(folder / "f"), other(folder / "f");
    ASSERT_EQ(write(file.descriptor(), "new", 3), 3);
    EXPECT_EQ(readFile(folder / "f"), "old");
    file.commit(true);
  }
  EXPECT_EQ(readFile(folder / "f"), "new");
  EXPECT_EQ(filesIn(folder.path()), 1u);
  writeNewFile(folder / "f", "newer");
  EXPECT_EQ(readFile(folder / "f"), "newer");
  EXPECT_EQ(filesIn(folder.path()), 1u);
}

TEST(NewFileTest, DevicesAndPipesStayWhatTheyAre) {
  TemporaryFolder folder;
  ASSERT_EQ(mkfifo((folder / "pipe").c_str(), 0600), 0);
  int reader = open((folder / "pipe").c_str(), O_RDONLY | O_NONBLOCK);
  ASSERT_GE(reader, 0);
  writeNewFile(folder / "pipe", "bytes");
  char bytes[8];
  EXPECT_EQ(read(reader, bytes, sizeof(bytes)), 5);
  close(reader);
  EXPECT_EQ(filesIn(folder.path()), 0u);
  try {
    writeNewFile("/dev/full", "bytes");
    FAIL();
  } catch (const Error &error) {
    EXPECT_EQ(error.status, Status::Failed);
    EXPECT_STREQ(error.what(),
                 "/dev/full: cannot write: No space left on device");
  }
}

} // namespace
