// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Batches that are copied to the device while the step before runs. The device
// does the work of its queues as late as it can.

#include "OpaqueDevice.h"
#include "Toy.h"

#include "runtime/core/Error.h"
#include "runtime/core/HostView.h"
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
