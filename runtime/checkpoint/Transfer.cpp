// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Converts checkpoints to one plain safetensors file and back. State that is in
// no tensor goes into the file's metadata, as the index without files and
// slices.

#include "runtime/checkpoint/Transfer.h"

#include "runtime/checkpoint/Checksum.h"
#include "runtime/checkpoint/Folder.h"
#include "runtime/core/Error.h"
#include "runtime/data/SafeTensorsWriter.h"
#include "runtime/format/Mesh.h"

#include <cstring>
#include <sstream>
#include <sys/stat.h>
#include <unistd.h>

namespace zcc::rt {

static constexpr const char *metadataKey = "zcc checkpoint";
/// Names of slots, separated by commas. Older files have those of AdamW and
/// SGD.
static constexpr const char *slotsKey = "zcc slots";
static constexpr const char *slotsBefore = "moment1,moment2";

static std::string plainName(const CheckpointIndex::Tensor &tensor) {
  return tensor.kind == parameterKind ? tensor.name
                                      : text(tensor.kind, ":", tensor.name);
}

void exportCheckpoint(const Checkpoint &checkpoint, bool withSlots,
                      const std::string &path) {
  std::vector<SafeTensorsWriter::Entry> entries;
  std::vector<const Weight *> weights;
  for (const CheckpointIndex::Tensor &tensor : checkpoint.index.tensors) {
    if (tensor.kind != parameterKind && !withSlots)
      continue;
    const WeightSet &set = checkpoint.of(tensor.kind);
    entries.push_back({plainName(tensor), tensor.type, tensor.shape});
    weights.push_back(&set.tensors.at(tensor.name));
  }
  std::map<std::string, std::string> metadata;
  if (withSlots) {
    CheckpointIndex standing = checkpoint.index;
    standing.files.clear();
    standing.tensors.clear();
    metadata[metadataKey] = printIndex(standing);
    std::string &slots = metadata[slotsKey];
    for (const auto &[kind, set] : checkpoint.tensors)
      if (kind != parameterKind)
        slots += (slots.empty() ? "" : ",") + kind;
  }
  SafeTensorsWriter writer(path, entries, metadata);
  for (size_t i = 0; i < entries.size(); ++i) {
    std::vector<int64_t> zero(entries[i].shape.size(), 0);
    if (!copyWeight(text(checkpoint.path, ": tensor ", entries[i].name),
                    *weights[i], zero,
                    {writer.data(i), entries[i].type, entries[i].shape, zero},
                    entries[i].shape))
      fail(path, ": tensor ", entries[i].name, " cannot be written");
    MappedFile::release(writer.data(i),
                        volume(entries[i].shape) * byteSize(entries[i].type));
  }
  writer.commit();
}

std::string importCheckpoint(const std::string &path,
                             const std::string &folder) {
  SafeTensors file(path);
  auto metadata = file.metadata().find(metadataKey);
  if (metadata == file.metadata().end())
    badInput(path, ": not a checkpoint that was exported with its moments; "
                   "parameters alone can be loaded with --params");
  CheckpointIndex index =
      parseIndex(text(path, ": metadata"), metadata->second);
  index.tensors.clear();
  auto listed = file.metadata().find(slotsKey);
  std::istringstream list(listed == file.metadata().end() ? slotsBefore
                                                          : listed->second);
  std::vector<TensorKind> slots;
  for (std::string slot; std::getline(list, slot, ',');)
    slots.push_back(slot);
  std::vector<SafeTensorsWriter::Entry> entries;
  std::vector<const TensorView *> views;
  for (const auto &[name, view] : file.tensors()) {
    CheckpointIndex::Tensor tensor;
    tensor.name = name;
    for (const TensorKind &kind : slots) {
      std::string prefix = kind + ":";
      if (name.compare(0, prefix.size(), prefix) == 0) {
        tensor.kind = kind;
        tensor.name = name.substr(prefix.size());
      }
    }
    tensor.type = view.type;
    tensor.shape = view.shape;
    std::vector<int64_t> zero(view.shape.size(), 0);
    tensor.slices = {{0, zero, view.shape}};
    entries.push_back({sliceName(tensor, zero), view.type, view.shape});
    views.push_back(&view);
    index.tensors.push_back(std::move(tensor));
  }

  makeFolder(folder);
  FolderLock lock(folder);
  std::string target = stepFolder(folder, index.standing.step);
  if (isFolder(target))
    badInput(target, ": exists already");
  std::string temporary = text(folder, "/writing-", getpid(), "-import");
  struct Cleanup {
    const std::string &path;
    ~Cleanup() { removeAll(path); }
  } cleanup{temporary};
  makeFolder(temporary);
  index.files = {{"rank-00000.safetensors", "", 0}};
  std::string written = temporary + "/" + index.files[0].name;
  {
    SafeTensorsWriter writer(written, entries);
    for (size_t i = 0; i < entries.size(); ++i)
      if (views[i]->bytes)
        std::memcpy(writer.data(i), views[i]->data, views[i]->bytes);
    writer.commit();
  }
  struct stat status;
  if (stat(written.c_str(), &status) != 0)
    fail(written, ": it is gone");
  index.files[0].bytes = uint64_t(status.st_size);
  std::string problem;
  index.files[0].checksum =
      checksumOfFile(written, index.files[0].bytes, problem);
  std::string bytes = printIndex(index);
  if (problem.empty())
    problem = writeWholeFile(temporary + "/index.json", bytes);
  if (problem.empty())
    problem = syncFolder(temporary);
  if (problem.empty())
    problem = replaceFolder(temporary, target, temporary + "-replaced");
  if (problem.empty())
    problem = syncFolder(folder);
  if (!problem.empty())
    fail(problem);
  return target;
}

} // namespace zcc::rt
