// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checkpoints of toy programs: a checkpoint that one mesh wrote is read on
// another.

#include "CheckpointToy.h"
#include "OpaqueDevice.h"

#include "runtime/checkpoint/Overlap.h"
#include "runtime/checkpoint/SavePlan.h"
#include "runtime/checkpoint/Transfer.h"
#include "runtime/core/HostView.h"
#include "runtime/train/Schedule.h"

#include <random>

using namespace zcc;
using namespace zcc::rt;
using namespace zcc::rt::test;

namespace {

TEST(CheckpointTest, AnyMeshReadsWhatAnyOtherWrote) {
  const std::vector<ToyOptions> meshes = {toy(1, 2, false), toy(2, 2, true),
                                          toy(4, 2, false), toy(4, 2, true)};
  for (const ToyOptions &from : meshes) {
    TemporaryFolder folder;
    ToyState first(from);
    first.fill();
    auto writer = first.writer(folder.path());
    first.save(*writer, 3);
    EXPECT_EQ(writer->takeProblem(), "");
    for (const ToyOptions &to : meshes) {
      Checkpoint checkpoint = openCheckpoint(stepFolder(folder.path(), 3));
      EXPECT_EQ(checkpoint.index.standing.step, 3);
      EXPECT_EQ(checkpoint.index.standing.updates, 2);
      EXPECT_EQ(checkpoint.index.standing.lossScale, 1024);
      EXPECT_EQ(checkpoint.index.standing.goodSteps, 1);
      EXPECT_EQ(checkpoint.index.standing.seed, 7u);
      ToyState second(to);
      checkFits(second.executable, checkpoint);
      for (int rank = 0; rank < second.mesh.ranks(); ++rank)
        loadCheckpoint(second.executable, second.mesh, rank, checkpoint,
                       second.devices[rank]);
      second.check();
    }
  }
}

TEST(CheckpointTest, AParameterIsSavedFromItsMaster) {
  format::Executable e = makeToy(toy(1, 2, false));
  for (format::Stage &stage : *e.mutable_stages()) {
    format::State *weight = stage.mutable_states(0);
    format::State *master = stage.add_states();
    *master = *weight;
    master->set_tensor(e.states_size());
    format::StateTensor *tensor = e.add_states();
    *tensor = e.states(int(weight->tensor()));
    tensor->set_kind(format::StateTensor::MASTER);
    weight->set_type(format::BF16);
  }
  SavePlan plan(e, Mesh(e));
  ASSERT_EQ(plan.index.tensors.size(), 2u);
  for (const CheckpointIndex::Tensor &tensor : plan.index.tensors) {
    EXPECT_EQ(tensor.kind, parameterKind);
    EXPECT_EQ(tensor.type, ElementType::F32);
  }
  size_t slices = 0;
  for (const std::vector<SavedSlice> &own : plan.byRank)
    for (const SavedSlice &slice : own) {
      EXPECT_EQ(kindOf(e, *slice.state), StateKind::Master);
      ++slices;
    }
  EXPECT_EQ(slices, 2u);
}

TEST(CheckpointTest, MemoryOfADeviceIsWrittenAndReadLikeThatOfTheHost) {
  for (bool shard : {false, true}) {
    TemporaryFolder folder;
    ToyState first(toy(4, 2, shard)), second(toy(4, 2, !shard));
    first.fill();
    // A view that is not the memory itself: what is not committed is lost.
    auto copy = [](Device &from, Device &to) {
      size_t bytes = from.arenaBytes(MemorySpace::Device);
      HostView source(from, from.at(0), bytes, Access::Read);
      to.copyIn(to.mainStream(), to.at(0), source.data(), bytes);
    };
    std::deque<OpaqueDevice> written, read;
    for (int rank = 0; rank < first.mesh.ranks(); ++rank) {
      written.emplace_back(first.devices[rank].arenaBytes(MemorySpace::Device));
      copy(first.devices[rank], written.back());
      read.emplace_back(second.devices[rank].arenaBytes(MemorySpace::Device));
    }
    auto writer = first.writer(folder.path());
    first.save(*writer, 3, written);
    EXPECT_EQ(writer->takeProblem(), "");
    Checkpoint checkpoint = openCheckpoint(stepFolder(folder.path(), 3));
    for (int rank = 0; rank < second.mesh.ranks(); ++rank) {
      loadCheckpoint(second.executable, second.mesh, rank, checkpoint,
                     read[rank]);
      copy(read[rank], second.devices[rank]);
    }
    second.check();
  }
}

TEST(CheckpointTest, ARankOpensOnlyWhatItReads) {
  TemporaryFolder folder;
  ToyState run(toy(4, 1, true));
  run.fill();
  auto writer = run.writer(folder.path());
  run.save(*writer, 1);
  std::string path = stepFolder(folder.path(), 1);
  for (int rank = 0; rank < 4; ++rank) {
    Readers readers;
    readers.index = rank;
    readers.count = 4;
    readers.needs = slicesOfRank(run.executable, run.mesh, rank);
    ToyState second(toy(4, 1, true));
    // The file of a rank whose slices this one has not.
    std::string other =
        text(path, "/rank-0000", (rank + 2) % 4, ".safetensors");
    std::string bytes = readFile(other);
    std::filesystem::remove(other);
    Checkpoint checkpoint = openCheckpoint(path, readers);
    writeFile(other, bytes);
    loadCheckpoint(second.executable, second.mesh, rank, checkpoint,
                   second.devices[rank]);
    second.forElements(rank,
                       [](float &at, float value) { EXPECT_EQ(at, value); });
  }
}

TEST(CheckpointTest, EverySliceHasOneWriterAndCopiesTakeTurns) {
  for (bool shard : {false, true}) {
    ToyState run(toy(4, 2, shard));
    SavePlan plan(run.executable, run.mesh);
    for (const CheckpointIndex::Tensor &tensor : plan.index.tensors) {
      EXPECT_EQ(tensor.shape.size(), tensor.kind == "columns" ? 1u : 2u);
      std::vector<int> seen(volume(tensor.shape), 0);
      for (const CheckpointIndex::Slice &slice : tensor.slices) {
        auto last = slice.shape.size() - 1;
        for (int64_t i = 0; i < (last ? slice.shape[0] : 1); ++i)
          for (int64_t j = 0; j < slice.shape[last]; ++j)
            ++seen[(last ? (slice.start[0] + i) * 4 : 0) + slice.start[last] +
                   j];
      }
      EXPECT_EQ(seen, std::vector<int>(seen.size(), 1)) << tensor.name;
    }
  }
  // All state replicated: four tensors of a stage go to four of its ranks.
  format::Executable e = withSlots(toy(4, 1, false));
  for (format::State &state : *e.mutable_stages(0)->mutable_states())
    for (format::DimSharding &dim : *state.mutable_sharding())
      dim.Clear();
  SavePlan plan(e, Mesh(e));
  EXPECT_EQ(plan.index.files.size(), 4u);
}

TEST(CheckpointTest, TheLastAreKeptAndNothingElseIsLeft) {
  TemporaryFolder folder;
  ToyState run(toy(2, 1, false));
  run.fill();
  auto writer = run.writer(folder.path(), 3);
  for (int step = 1; step <= 6; ++step)
    run.save(*writer, step);
  EXPECT_EQ(writer->published(), 6);
  writer.reset();
  EXPECT_EQ(listSteps(folder.path()), (std::vector<int64_t>{4, 5, 6}));
  size_t entries = 0;
  for ([[maybe_unused]] const auto &entry :
       std::filesystem::directory_iterator(folder.path()))
    ++entries;
  EXPECT_EQ(entries, 3u);
}

/// With a smaller --keep, surplus checkpoints are removed before the new one
/// needs the disk.
TEST(CheckpointTest, SurplusGoesAlsoWhereNothingCanBeWritten) {
  TemporaryFolder folder;
  ToyState run(toy(2, 1, false));
  run.fill();
  auto writer = run.writer(folder.path(), 3);
  for (int step = 1; step <= 3; ++step)
    run.save(*writer, step);
  CheckpointWriter::Settings settings;
  settings.folder = folder.path();
  settings.keep = 1;
  settings.present = {1, 2, 3};
  settings.token = "u";
  settings.gather = [](const std::string &) {
    return std::vector<std::string>{"!the disk is full"};
  };
  CheckpointWriter later(run.executable, run.mesh, {0, 1}, settings);
  run.save(later, 4);
  EXPECT_EQ(later.takeProblem(), "no checkpoint of step 4: the disk is full");
  EXPECT_EQ(listSteps(folder.path()), (std::vector<int64_t>{3}));
}

TEST(CheckpointTest, TheNewestWholeOneIsFound) {
  TemporaryFolder folder;
  ToyState run(toy(2, 1, true));
  run.fill();
  auto writer = run.writer(folder.path(), 4);
  for (int step = 1; step <= 3; ++step)
    run.save(*writer, step);
  std::string file = stepFolder(folder.path(), 3) + "/rank-00001.safetensors";
  std::string bytes = readFile(file);
  bytes[bytes.size() - 1] ^= 4;
  writeFile(file, bytes);
  std::filesystem::remove(stepFolder(folder.path(), 2) + "/index.json");
  std::vector<std::string> refused;
  std::vector<int64_t> whole;
  auto found = openNewest(
      folder.path(), Readers(),
      [&](const std::string &why) { refused.push_back(why); }, &whole);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->index.standing.step, 1);
  EXPECT_EQ(whole, (std::vector<int64_t>{1}));
  ASSERT_EQ(refused.size(), 2u);
  EXPECT_NE(refused[0].find("rank-00001.safetensors: damaged"),
            std::string::npos);
  EXPECT_NE(refused[1].find("index.json: cannot open"), std::string::npos);
  // A checkpoint under the name of another step.
  std::filesystem::rename(stepFolder(folder.path(), 1),
                          stepFolder(folder.path(), 9));
  EXPECT_FALSE(
      openNewest(folder.path(), Readers(),
                 [&](const std::string &why) { refused.push_back(why); }));
  EXPECT_NE(refused[2].find("it is of step 1"), std::string::npos);
}

TEST(CheckpointTest, EveryElementIsInOneSlice) {
  CheckpointIndex index;
  index.files = {{"a", std::string(32, '0'), 0},
                 {"b", std::string(32, '0'), 0}};
  auto says = [&](std::vector<int64_t> shape,
                  std::vector<CheckpointIndex::Slice> slices) {
    index.tensors = {{"w", "moment1", ElementType::F32, std::move(shape),
                      std::move(slices)}};
    return refusal([&] { parseIndex("i", printIndex(index)); });
  };
  const std::string where = "i: tensors[0]: slices: moment1 \"w\": the slices ";
  // The slices have as many elements as the tensor, but miss a row.
  EXPECT_EQ(says({4, 2}, {{0, {0, 0}, {2, 2}}, {1, {1, 0}, {2, 2}}}),
            where + "[2, 2] at [0, 0] in a and [2, 2] at [1, 0] in b overlap");
  EXPECT_EQ(says({4, 2}, {{0, {0, 0}, {2, 2}}, {1, {3, 0}, {1, 2}}}),
            where + "hold 6 of its 8 elements");
  EXPECT_EQ(says({4, 2}, {}), where + "hold 0 of its 8 elements");
  EXPECT_EQ(says({}, {{0, {}, {}}, {1, {}, {}}}),
            where + "[] at [] in a and [] at [] in b overlap");
  EXPECT_EQ(says({}, {{0, {}, {}}}), "accepted");
  EXPECT_EQ(says({0, 3}, {}), "accepted");
  // Nothing lies on top of nothing.
  EXPECT_EQ(says({2, 1}, {{0, {0, 0}, {2, 1}}, {1, {1, 0}, {0, 1}}}),
            "accepted");
  // A wheel, which no plane cuts; and one with a wing too wide.
  std::vector<CheckpointIndex::Slice> wheel = {{0, {0, 0}, {1, 2}},
                                               {0, {0, 2}, {2, 1}},
                                               {0, {2, 1}, {1, 2}},
                                               {0, {1, 0}, {2, 1}},
                                               {0, {1, 1}, {1, 1}}};
  EXPECT_EQ(says({3, 3}, wheel), "accepted");
  wheel[4] = {1, {1, 0}, {1, 1}};
  EXPECT_EQ(says({3, 3}, wheel),
            where + "[2, 1] at [1, 0] in a and [1, 1] at [1, 0] in b overlap");
}

TEST(CheckpointTest, CutsFindWhatPairsFind) {
  std::mt19937 random(5);
  int overlapping = 0;
  for (int round = 0; round < 2000; ++round) {
    std::vector<CheckpointIndex::Slice> slices(random() % 8);
    for (CheckpointIndex::Slice &slice : slices)
      for (int dim = 0; dim < 2; ++dim) {
        slice.start.push_back(random() % 6);
        slice.shape.push_back(random() % 4);
      }
    auto overlap = [&](size_t a, size_t b) {
      for (int dim = 0; dim < 2; ++dim)
        if (std::min(slices[a].start[dim] + slices[a].shape[dim],
                     slices[b].start[dim] + slices[b].shape[dim]) <=
            std::max(slices[a].start[dim], slices[b].start[dim]))
          return false;
      return true;
    };
    bool some = false;
    for (size_t a = 0; a < slices.size(); ++a)
      for (size_t b = 0; b < a; ++b)
        some |= overlap(a, b);
    auto found = findOverlap(slices);
    ASSERT_EQ(found.has_value(), some);
    if (found) {
      ++overlapping;
      EXPECT_LT(found->first, found->second);
      EXPECT_TRUE(overlap(found->first, found->second));
    }
  }
  EXPECT_GT(overlapping, 200);
  EXPECT_LT(overlapping, 1800);
}

TEST(CheckpointTest, SlotsBeginAsTheirTensorSays) {
  ToyState run(toy(2, 1, false));
  run.fill();
  for (int rank = 0; rank < run.mesh.ranks(); ++rank) {
    auto &device = run.devices[rank];
    initializeSlots(run.executable, run.mesh, rank, device);
    for (const format::State &state : run.executable.stages(0).states()) {
      const format::StateTensor &tensor = tensorOf(run.executable, state);
      const float *at = static_cast<float *>(device.at(state.offset()).host());
      if (isInFiles(run.executable, state))
        EXPECT_EQ(at[1], 1); // as it was
      else
        for (int j = 0; j < 3; ++j)
          EXPECT_EQ(at[j], tensor.name() == "columns" ? 2 : 0) << tensor.name();
    }
  }
}

// Checkpoints of other optimizers, and files that were exported before there
// were other slots than two moments.
TEST(CheckpointTest, AnySlotIsRead) {
  CheckpointIndex index;
  index.files = {{"f", std::string(32, '0'), 0}};
  auto says = [&](const char *kind) {
    index.tensors = {{"w", kind, ElementType::F32, {0}, {}}};
    return refusal([&] {
      EXPECT_EQ(parseIndex("i", printIndex(index)).tensors[0].kind, kind);
    });
  };
  EXPECT_EQ(says("parameter"), "accepted");
  EXPECT_EQ(says("row_sums2"), "accepted");
  for (const char *wrong : {"", "a:b", "a/b", "a b"})
    EXPECT_NE(
        says(wrong).find("i: tensors[0]: kind: expected parameter, or the "
                         "name of an optimizer's slot, found"),
        std::string::npos)
        << says(wrong);
}

TEST(CheckpointTest, ALossScaleGoesOn) {
  LossScale scale(true, 65536), fixed(false, 8);
  scale.restore(1024, 1999);
  scale.update(false);
  EXPECT_EQ(scale.value(), 2048);
  EXPECT_EQ(scale.good(), 0);
  fixed.restore(1024, 1999);
  EXPECT_EQ(fixed.value(), 8);
}

TEST(CheckpointTest, ExportedAndImportedAsOneFile) {
  TemporaryFolder folder;
  ToyState run(toy(2, 2, true));
  run.fill();
  auto writer = run.writer(folder.path());
  run.save(*writer, 5);
  Checkpoint checkpoint = openCheckpoint(stepFolder(folder.path(), 5));
  exportCheckpoint(checkpoint, false, folder / "weights");
  SafeTensors weights(folder / "weights");
  EXPECT_EQ(weights.tensors().size(), 2u);
  EXPECT_EQ(values<float>(weights.tensors(), "w2")[5], 1005);
  EXPECT_NE(refusal([&] {
              importCheckpoint(folder / "weights", folder / "new");
            }).find("--params"),
            std::string::npos);
  exportCheckpoint(checkpoint, true, folder / "all");
  SafeTensors all(folder / "all");
  EXPECT_EQ(all.tensors().size(), 8u);
  EXPECT_EQ(all.metadata().at("zcc slots"), "columns,moment1,moment2");
  EXPECT_EQ(values<float>(all.tensors(), "columns:w1")[3], 403);
  EXPECT_EQ(importCheckpoint(folder / "all", folder / "new"),
            stepFolder(folder / "new", 5));
  EXPECT_NE(refusal([&] {
              importCheckpoint(folder / "all", folder / "new");
            }).find("exists already"),
            std::string::npos);
  Checkpoint again = openCheckpoint(stepFolder(folder / "new", 5));
  EXPECT_EQ(again.index.standing.seed, 7u);
  ToyState second(toy(4, 2, false));
  checkFits(second.executable, again);
  for (int rank = 0; rank < second.mesh.ranks(); ++rank)
    loadCheckpoint(second.executable, second.mesh, rank, again,
                   second.devices[rank]);
  second.check();
}

} // namespace
