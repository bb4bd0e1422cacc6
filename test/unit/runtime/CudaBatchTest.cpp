// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launches of batches: the validator's checks of them, and the tables by which
// they find their members.

#include "Toy.h"

#include "runtime/format/Arenas.h"
#include "runtime/format/KernelTables.h"
#include "runtime/format/Text.h"
#include "runtime/format/Validate.h"

#include <gtest/gtest.h>

#include <functional>

using namespace zcc::rt;
using namespace zcc::rt::test;

namespace {

/// Two kernels of one buffer, one of 5 blocks, one of 2; and a batch of three
/// members, the last of which is the first's kernel in a slot.
format::Executable makeBatch() {
  ToyOptions toy;
  toy.data = toy.stages = 1;
  toy.microbatches = 2;
  toy.cuda = true;
  format::Executable out = makeToy(toy);
  out.set_optimizer("forward");
  out.clear_kernels();
  out.clear_parameters();
  out.clear_states();
  out.clear_settings();
  out.clear_stages();
  for (uint32_t blocks : {5, 2}) {
    format::Kernel &kernel = *out.add_kernels();
    kernel.set_symbol(text("k", blocks));
    kernel.set_buffers(1);
    kernel.set_items(blocks);
    kernel.set_threads(64 * blocks);
  }
  format::Kernel &both = *out.add_kernels();
  both.set_symbol("both");
  both.set_threads(320);
  both.mutable_segments()->add_kernels(0);
  both.mutable_segments()->add_kernels(1);
  format::Stage &stage = *out.add_stages();
  setArenaBytes(stage, 512);
  format::Task &task = *stage.add_tasks();
  task.set_kind(format::Task::FORWARD);
  format::KernelBatch &batch = *task.add_steps()->mutable_batch();
  for (uint32_t i = 0; i < 3; ++i) {
    format::Operand &operand = *task.add_operands();
    operand.set_size(64);
    operand.set_written(true);
    operand.set_slot(i == 2);
    operand.set_offset(i == 2 ? 0 : 64 * i);
    format::KernelStep &member = *batch.add_members();
    member.set_kernel(i % 2);
    member.add_operands(i);
  }
  format::BatchLaunch &launch = *batch.add_launches();
  launch.set_kernel(2);
  launch.set_blocks(2);
  for (uint32_t microbatch : {0, 1}) {
    format::Run &run = *stage.add_actions()->mutable_run();
    run.set_microbatch(microbatch);
    run.add_slots(256 + 64 * microbatch);
  }
  addWorkspaces(out);
  return out;
}

const format::KernelBatch &batchOf(const format::Executable &e) {
  return e.stages(0).tasks(0).steps(0).batch();
}

TEST(CudaBatchTest, SegmentsAreBlocksOfMembersInOrder) {
  format::Executable e = makeBatch();
  ASSERT_EQ(validate(e), "");
  std::vector<std::vector<uint32_t>> found;
  for (const ZccGpuSegment &own :
       segmentsOf(e, batchOf(e), batchOf(e).launches(0)))
    found.push_back({own.part, own.word, own.first, own.count});
  EXPECT_EQ(found, (std::vector<std::vector<uint32_t>>{{0, 0, 0, 2},
                                                       {0, 0, 2, 2},
                                                       {0, 0, 4, 1},
                                                       {1, 1, 0, 2},
                                                       {0, 2, 0, 2},
                                                       {0, 2, 2, 2},
                                                       {0, 2, 4, 1}}));
}

TEST(CudaBatchTest, AddressesAreThoseOfEachRun) {
  format::Executable e = makeBatch();
  const format::Stage &stage = e.stages(0);
  auto places = batchPlaces(stage, stage.tasks(0), batchOf(e));
  ASSERT_EQ(places.size(), 2u);
  for (uint64_t run : {0, 1}) {
    ASSERT_EQ(places[run].size(), 3u);
    EXPECT_EQ(places[run][1].offset, 64u);
    EXPECT_EQ(places[run][2].offset, 256 + 64 * run);
  }
  // Seven segments, and twice three words, which four have room for.
  EXPECT_EQ(batchWords(e, stage), 2u * 7 + 2 * 4);
  e.mutable_stages(0)->mutable_tasks(0)->mutable_operands(2)->set_slot(false);
  EXPECT_EQ(batchPlaces(stage, stage.tasks(0), batchOf(e)).size(), 1u);
}

TEST(CudaBatchTest, DamageIsFound) {
  using Change = std::function<void(format::Executable &)>;
  auto segments = [](format::Executable &e) {
    return e.mutable_kernels(2)->mutable_segments();
  };
  auto batch = [](format::Executable &e) {
    return e.mutable_stages(0)
        ->mutable_tasks(0)
        ->mutable_steps(0)
        ->mutable_batch();
  };
  const std::pair<const char *, Change> cases[] = {
      {"kernel \"both\": segments of no kernel",
       [&](auto &e) { segments(e)->clear_kernels(); }},
      {"kernel \"both\": segments of kernel 9 of 3",
       [&](auto &e) { segments(e)->set_kernels(1, 9); }},
      {"kernel \"both\": segments of kernel 0 after 0, expected ascending",
       [&](auto &e) { segments(e)->set_kernels(1, 0); }},
      {"segments of kernel \"both\", which has segments",
       [&](auto &e) { segments(e)->set_kernels(1, 2); }},
      {"segments of kernel \"k5\", which has segments, scratch",
       [&](auto &e) { e.mutable_kernels(0)->set_scratch(64); }},
      {"128 threads and 0 bytes of shared memory for segments of \"k5\", which "
       "has 320",
       [&](auto &e) { e.mutable_kernels(2)->set_threads(128); }},
      {"segments beside items",
       [&](auto &e) { e.mutable_kernels(2)->set_items(1); }},
      {"member 1: kernel \"both\" is for launches of batches",
       [&](auto &e) { batch(e)->mutable_members(1)->set_kernel(2); }},
      {"launch 0: kernel 7 of 3",
       [&](auto &e) { batch(e)->mutable_launches(0)->set_kernel(7); }},
      {"launch 0: kernel \"k5\" has no segments",
       [&](auto &e) { batch(e)->mutable_launches(0)->set_kernel(0); }},
      {"launch 0: segments of no blocks",
       [&](auto &e) { batch(e)->mutable_launches(0)->set_blocks(0); }},
      {"launch 1: kernel \"k5\" is in another launch",
       [&](auto &e) { *batch(e)->add_launches() = batchOf(e).launches(0); }},
      {"stage 0, workspace 0: 0 bytes, it needs 64",
       [&](auto &e) {
         e.mutable_kernels(2)
             ->mutable_segments()
             ->mutable_kernels()
             ->RemoveLast();
         e.mutable_kernels(1)->set_scratch(64);
       }},
      {"stage 0, tables: 0 bytes, it needs ",
       [&](auto &e) { e.mutable_stages(0)->clear_tables(); }},
      {"stage 0, tables: offset 520 is not a multiple of 256",
       [&](auto &e) {
         e.mutable_stages(0)->mutable_tables()->set_offset(520);
         setArenaBytes(*e.mutable_stages(0), 4096);
       }},
      {"stage 0, tables: bytes 512 to",
       [&](auto &e) { setArenaBytes(*e.mutable_stages(0), 600); }},
      {"stage 0: an operand at byte 256 overlaps the tables",
       [&](auto &e) {
         e.mutable_stages(0)->mutable_tables()->set_offset(256);
       }},
      {"stage 0: workspaces in a program for \"cpu\"",
       [&](auto &e) {
         e.mutable_stages(0)->clear_tasks();
         e.mutable_stages(0)->clear_actions();
         e.set_target("cpu");
       }},
      {"launch 0: does no block of a member",
       [&](auto &e) {
         e.mutable_kernels(0)->set_items(0);
         e.mutable_kernels(1)->set_items(0);
       }},
  };
  for (const auto &[message, change] : cases) {
    format::Executable e = makeBatch();
    change(e);
    std::string wrong = validate(e);
    EXPECT_NE(wrong.find(message), std::string::npos)
        << "expected " << message << "\nfound " << wrong;
  }
}

} // namespace
