// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Batches that are copied to the device while the step before runs. The device
// does the work of its queues as late as it can.

#include "OpaqueDevice.h"
#include "Toy.h"

#include "runtime/core/Error.h"
#include "runtime/core/HostView.h"
#include "runtime/cpu/CpuDevice.h"
#include "runtime/data/InputFeed.h"
#include "runtime/format/Arenas.h"

#include <gtest/gtest.h>

#include <cstring>

using namespace zcc::rt;
using namespace zcc::rt::test;

namespace {

/// The second rank of two, of a batch in two microbatches.
class InputFeedTest : public ::testing::Test {
protected:
  static format::Executable make() {
    ToyOptions toy;
    toy.data = toy.microbatches = 2;
    format::Executable executable = makeToy(toy);
    // Integers, which may not fit.
    for (format::Input &input : *executable.mutable_stages(0)->mutable_inputs())
      input.mutable_tensor()->set_type(format::I32);
    return executable;
  }

  /// Elements are `step`, and places in the whole.
  Batch batch(int step, int64_t extra = 0) {
    Batch made;
    for (size_t i = 0; i < specs.size(); ++i) {
      auto values = std::make_shared<std::vector<int64_t>>();
      for (int64_t at = 0; at < volume(specs[i].shape); ++at)
        values->push_back(100 * step + at + extra);
      TensorView view;
      view.type = ElementType::I64;
      view.shape = specs[i].shape;
      view.bytes = 8 * values->size();
      view.data = reinterpret_cast<const char *>(values->data());
      made.inputs.push_back(view);
      kept.push_back(values);
    }
    return made;
  }

  /// The inputs that the step finds.
  std::string places(Device &device) {
    std::string all;
    for (const InputPart &part : parts) {
      HostView view(device, device.at(part.offset), part.bytes, Access::Read);
      all.append(view.data(), part.bytes);
    }
    return all;
  }

  format::Executable executable = make();
  Mesh mesh{executable};
  std::vector<InputSpec> specs = inputSpecs(executable);
  std::vector<InputPart> parts = inputParts(executable.stages(0), mesh, 1);
  size_t bytes = arenaBytes(executable.stages(0));
  std::vector<std::shared_ptr<std::vector<int64_t>>> kept;
};

TEST_F(InputFeedTest, PartsLieSideBySide) {
  ASSERT_EQ(parts.size(), 4u);
  for (size_t i = 0; i < parts.size(); ++i) {
    EXPECT_EQ(parts[i].bytes, 2 * 4 * sizeof(int32_t));
    EXPECT_EQ(parts[i].room, 64 * i);
  }
  EXPECT_EQ(inputRoomBytes(parts), 256u);
  EXPECT_EQ(inputRoomBytes({}), 0u);
}

// Microbatches split the rows first, ranks those of each: in a batch of the
// rank alone its rows follow each other.
TEST_F(InputFeedTest, ALocalBatchHasTheRowsOfAllMicrobatches) {
  std::vector<InputPart> local = partsOfLocalBatch(parts);
  ASSERT_EQ(local.size(), 4u);
  for (size_t i = 0; i < local.size(); ++i) {
    const int64_t m = int64_t(i % 2);
    EXPECT_EQ(parts[i].start, (std::vector<int64_t>{4 * m + 2, 0}));
    EXPECT_EQ(local[i].start, (std::vector<int64_t>{2 * m, 0}));
    EXPECT_EQ(local[i].shard.start, parts[i].shard.start);
  }
  for (const format::Input &input : executable.stages(0).inputs())
    EXPECT_EQ(localShape(local, input), (std::vector<int64_t>{4, 4}));
}

TEST_F(InputFeedTest, BatchesAreTheirStepsOwn) {
  OpaqueDevice plain(bytes), roomy(bytes, nullptr, inputRoomBytes(parts));
  InputFeed late(executable.stages(0), mesh, 1, specs, plain),
      early(executable.stages(0), mesh, 1, specs, roomy);
  EXPECT_FALSE(late.hasRoom());
  ASSERT_TRUE(early.hasRoom());
  for (int step = 0; step < 5; ++step) {
    Batch now = batch(step);
    late.load(now);
    early.load(now);
    if (step != 2) // it may not be there in time
      early.bringAhead(batch(step + 1));
    EXPECT_EQ(places(plain), places(roomy)) << step;
  }
}

/// Inputs in the caller's memory, of the second rank of two.
class CallerFeedTest : public InputFeedTest {
protected:
  CallerFeedTest() { giveInputsToCaller(executable); }

  /// The batch in the program's type, `shift` bytes behind a multiple of 64.
  Batch own(size_t shift = 0) {
    Batch made;
    for (const InputSpec &spec : specs) {
      size_t size = 4 * size_t(volume(spec.shape));
      memory.emplace_back(static_cast<char *>(std::aligned_alloc(
                              64, 64 + (size + 63) / 64 * 64)),
                          &std::free);
      char *data = memory.back().get() + shift;
      for (size_t i = 0; i < size / 4; ++i) {
        int32_t value = int32_t(i);
        std::memcpy(data + 4 * i, &value, 4);
      }
      TensorView view;
      view.type = ElementType::I32;
      view.shape = spec.shape;
      view.bytes = size;
      view.data = data;
      made.inputs.push_back(view);
    }
    return made;
  }
  /// The elements that the step finds: all parts, one after the other.
  std::vector<int32_t> found(const InputFeed &feed) {
    std::vector<int32_t> all;
    for (size_t i = 0; i < parts.size(); ++i) {
      auto *at = static_cast<const int32_t *>(feed.places()[i].host());
      all.insert(all.end(), at, at + parts[i].bytes / 4);
    }
    return all;
  }

  ThreadPool pool{1, SpinPolicy{0}};
  CpuDevice device{bytes, pool};
  std::vector<std::unique_ptr<char, decltype(&std::free)>> memory;
};

TEST_F(CallerFeedTest, PartsAreReadWhereTheyLie) {
  InputFeed feed(executable.stages(0), mesh, 1, specs, device);
  EXPECT_TRUE(feed.readsCallers());
  Batch plain = own();
  feed.load(plain);
  EXPECT_EQ(feed.copiedBytes(), 0u);
  ASSERT_EQ(feed.places().size(), 4u);
  for (size_t i = 0; i < parts.size(); ++i) {
    // Rows of 4 elements: two of each microbatch's four are this rank's.
    const TensorView &view = plain.inputs[i / 2];
    EXPECT_EQ(feed.places()[i].host(),
              view.data + 16 * size_t(parts[i].shard.start[0]));
  }
  std::vector<int32_t> wanted = found(feed);
  // The same values from arrays that do not lie as the program reads them.
  Batch odd = own(2); // no multiple of an element's bytes
  Batch wide = batch(0);
  for (const Batch &other : {odd, wide}) {
    feed.load(other);
    EXPECT_EQ(feed.copiedBytes(), 4 * 32u);
    EXPECT_EQ(found(feed), wanted);
  }
  // Four bytes are enough, and what was copied before is forgotten.
  Batch shifted = own(4);
  feed.load(shifted);
  EXPECT_EQ(feed.copiedBytes(), 0u);
  EXPECT_EQ(found(feed), wanted);
}

TEST_F(CallerFeedTest, ColumnsAndPaddedRowsAreCopied) {
  Batch plain = own();
  InputPart part = parts[0];
  EXPECT_EQ(findPart(part, specs, plain),
            plain.inputs[0].data + 16 * size_t(part.shard.start[0]));
  part.start = part.shard.start = {1, 2};
  part.shard.shape = part.shard.extent = {3, 2};
  EXPECT_EQ(findPart(part, specs, plain), nullptr);
  part.shard.shape = part.shard.extent = {1, 2}; // a piece of one row
  EXPECT_EQ(findPart(part, specs, plain), plain.inputs[0].data + 16 + 8);
  part.start = part.shard.start = {6, 0};
  part.shard.shape = {3, 4};
  part.shard.extent = {2, 4};
  EXPECT_EQ(findPart(part, specs, plain), nullptr);
}

TEST_F(CallerFeedTest, BadValuesAreRefused) {
  InputFeed feed(executable.stages(0), mesh, 1, specs, device);
  EXPECT_THROW(feed.load(batch(0, int64_t(1) << 40)), Error);
}

TEST_F(InputFeedTest, AStageMayHaveNoInputs) {
  OpaqueDevice device(bytes);
  format::Stage stage = executable.stages(0);
  stage.clear_inputs();
  InputFeed feed(stage, mesh, 1, specs, device);
  EXPECT_TRUE(feed.hasRoom());
  feed.load(batch(0));
  feed.bringAhead(batch(1));
  feed.load(batch(1));
}

TEST_F(InputFeedTest, TheStepSaysWhatIsWrongWithItsBatch) {
  OpaqueDevice device(bytes, nullptr, inputRoomBytes(parts));
  InputFeed feed(executable.stages(0), mesh, 1, specs, device);
  feed.load(batch(0));
  std::string before = places(device);
  Batch wrong = batch(1, int64_t(1) << 40);
  EXPECT_THROW(feed.bringAhead(wrong), Error);
  EXPECT_EQ(places(device), before);
  EXPECT_THROW(feed.load(wrong), Error);
}

} // namespace
