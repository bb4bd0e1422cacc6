// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checkpoints that are damaged, of another run, or on a failing disk are
// refused with a message that names them.

#include "CheckpointToy.h"

#include "runtime/checkpoint/Checksum.h"

#include <random>

using namespace zcc::rt;
using namespace zcc::rt::test;

namespace {

/// Damage of every kind, also such that the checksums are right.
TEST(CheckpointRefusals, DamageIsRefusedAndNeverCrashes) {
  TemporaryFolder folder;
  ToyState run(toy(2, 2, true));
  run.fill();
  auto writer = run.writer(folder.path());
  run.save(*writer, 1);
  std::string path = stepFolder(folder.path(), 1);
  std::vector<std::string> files;
  for (const auto &entry : std::filesystem::directory_iterator(path))
    files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  std::map<std::string, std::string> whole;
  for (const std::string &file : files)
    whole[file] = readFile(file);
  std::mt19937 random(11);
  auto damage = [&](std::string bytes) {
    for (unsigned n = 1 + random() % 3; n-- > 0 && !bytes.empty();)
      switch (random() % 4) {
      case 0:
        bytes.resize(random() % bytes.size());
        break;
      case 1:
        bytes.insert(random() % bytes.size(), "9");
        break;
      case 2:
        bytes.erase(random() % bytes.size(), 1 + random() % 8);
        break;
      default:
        bytes[random() % bytes.size()] ^= char(1 << random() % 8);
      }
    return bytes;
  };
  for (int i = 0; i < 150; ++i) {
    const std::string &file = files[random() % files.size()];
    std::string bytes = damage(whole[file]);
    if (bytes == whole[file])
      continue;
    writeFile(file, bytes);
    std::string said = refusal([&] { openCheckpoint(path); });
    EXPECT_EQ(said.find(file), 0u) << said;
    writeFile(file, whole[file]);
  }
  // An index that somebody wrote, with a right checksum.
  std::string index = path + "/index.json", tail = "\"checksum\": \"";
  std::string body = whole[index].substr(0, whole[index].find(tail));
  int accepted = 0;
  for (int i = 0; i < 400; ++i) {
    std::string bytes = damage(body);
    writeFile(index, bytes + tail + checksumOf(bytes) + "\"}\n");
    std::string said = refusal([&] {
      Checkpoint checkpoint = openCheckpoint(path);
      checkFits(run.executable, checkpoint);
      for (int rank = 0; rank < run.mesh.ranks(); ++rank)
        loadCheckpoint(run.executable, run.mesh, rank, checkpoint,
                       run.devices[rank]);
    });
    if (said == "accepted")
      ++accepted; // another step, say
    else
      EXPECT_EQ(said.find(path), 0u) << said;
  }
  EXPECT_LT(accepted, 200);
}

TEST(CheckpointRefusals, WhatDiffersIsSaid) {
  TemporaryFolder folder;
  ToyState run(toy(1, 2, false));
  run.fill();
  auto writer = run.writer(folder.path());
  run.save(*writer, 1);
  Checkpoint checkpoint = openCheckpoint(stepFolder(folder.path(), 1));
  auto says = [&](const format::Executable &e, const char *expected) {
    std::string said = refusal([&] { checkFits(e, checkpoint); });
    EXPECT_NE(said.find(expected), std::string::npos) << said;
  };
  format::Executable other = run.executable;
  other.mutable_parameters(0)->set_name("v");
  says(other, "a checkpoint of another model: missing: v; surplus: w1");
  other = run.executable;
  other.mutable_parameters(0)->set_shape(0, 5);
  says(other, "misshapen: w1 (expected f32 [5, 4], found f32 [4, 4])");
  other = run.executable;
  other.set_optimizer("sgd");
  says(other, "a checkpoint of optimizer adamw, the executable has sgd");
  other = run.executable;
  other.mutable_states(4)->set_shape(0, 2); // the columns of w1
  says(other, "columns of w1 has shape [4], the executable's [2]");
  checkpoint.tensors.at("moment2").tensors.erase("w2");
  says(run.executable, "state of the optimizer is missing: moment2 of w2");
}

TEST(CheckpointRefusals, OneRunAFolder) {
  TemporaryFolder folder;
  auto lock = std::make_unique<FolderLock>(folder.path());
  std::string said = refusal([&] { FolderLock second(folder.path()); });
  EXPECT_EQ(said.find(folder.path() + ": another run writes its checkpoints "
                                      "there: process "),
            0u)
      << said;
  lock.reset();
  FolderLock again(folder.path());
}

TEST(CheckpointRefusals, ADiskThatFailsIsToldAndNothingIsLeft) {
  TemporaryFolder folder;
  ToyState run(toy(2, 1, true));
  run.fill();
  auto writer = run.writer(folder.path());
  run.save(*writer, 1);
  EXPECT_EQ(writer->takeProblem(), "");
  // A folder that is gone.
  std::filesystem::rename(folder.path(), folder.path() + "x");
  run.save(*writer, 2);
  std::string problem = writer->takeProblem();
  EXPECT_EQ(problem.find("no checkpoint of step 2: "), 0u) << problem;
  std::filesystem::rename(folder.path() + "x", folder.path());
  run.save(*writer, 3);
  EXPECT_EQ(writer->takeProblem(), "");
  EXPECT_EQ(listSteps(folder.path()), (std::vector<int64_t>{1, 3}));
}

TEST(CheckpointRefusals, WhatCannotBeReplacedStays) {
  TemporaryFolder folder;
  makeFolder(folder / "old");
  writeFile(folder / "old/file", "x");
  std::string problem =
      replaceFolder(folder / "none", folder / "old", folder / "aside");
  EXPECT_EQ(problem.find(folder / "old: cannot rename"), 0u) << problem;
  EXPECT_EQ(readFile(folder / "old/file"), "x");
  EXPECT_FALSE(isFolder(folder / "aside"));
}

TEST(CheckpointRefusals, SlicesOverSlicesAreRefused) {
  CheckpointIndex index;
  index.files = {{"f", std::string(32, '0'), 0}};
  int64_t many = int64_t(1) << 58;
  index.tensors.push_back({"w", parameterKind, ElementType::I8, {many}, {}});
  // So many slices that the sum of their elements overflows.
  for (int i = 0; i < 65; ++i)
    index.tensors[0].slices.push_back({0, {0}, {many}});
  EXPECT_EQ(refusal([&] { parseIndex("i", printIndex(index)); }),
            text("i: tensors[0]: slices: parameter \"w\": the slices [", many,
                 "] at [0] in f and [", many, "] at [0] in f overlap"));
}

/// A right checksum, the right number of elements, and still not the tensor.
TEST(CheckpointRefusals, AnIndexThatLeavesAPartOutIsPassedOver) {
  TemporaryFolder folder;
  ToyState run(toy(2, 1, true));
  run.fill();
  auto writer = run.writer(folder.path());
  run.save(*writer, 1);
  run.save(*writer, 2);
  std::string file = stepFolder(folder.path(), 2) + "/index.json";
  CheckpointIndex index = parseIndex(file, readFile(file));
  for (CheckpointIndex::Tensor &tensor : index.tensors)
    if (tensor.kind == parameterKind && tensor.slices.size() == 2)
      tensor.slices[1] = tensor.slices[0];
  writeFile(file, printIndex(index));
  std::vector<std::string> refused;
  auto found =
      openNewest(folder.path(), Readers(),
                 [&](const std::string &why) { refused.push_back(why); });
  ASSERT_TRUE(found);
  EXPECT_EQ(found->index.standing.step, 1);
  ASSERT_EQ(refused.size(), 1u);
  EXPECT_EQ(refused[0].find(file + ": tensors["), 0u) << refused[0];
  EXPECT_NE(refused[0].find("parameter \"w1\": the slices "),
            std::string::npos);
  EXPECT_NE(refused[0].find(" overlap"), std::string::npos) << refused[0];
}

} // namespace
