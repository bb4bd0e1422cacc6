// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads checkpoints. The checksums of the files are shared out over processes
// and threads; the checked files are then read through the page cache, so that
// one machine reads a byte from its disk once.

#include "runtime/checkpoint/CheckpointReader.h"

#include "runtime/checkpoint/Checksum.h"
#include "runtime/checkpoint/Folder.h"
#include "runtime/checkpoint/SavePlan.h"
#include "runtime/core/Error.h"
#include "runtime/data/Parameters.h"
#include "runtime/format/States.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <set>
#include <system_error>
#include <thread>
#include <unistd.h>

namespace zcc::rt {

static constexpr const char *indexName = "/index.json";

std::function<bool(const CheckpointIndex::Tensor &,
                   const CheckpointIndex::Slice &)>
slicesOfRank(const format::Executable &executable, const Mesh &mesh, int rank) {
  struct Box {
    std::vector<int64_t> start, extent;
  };
  std::map<std::pair<TensorKind, std::string>, std::vector<Box>> boxes;
  for (const format::State &state :
       executable.stages(mesh.stageOf(rank)).states()) {
    StateBox place(mesh, state, rank);
    boxes[{tensorKindOf(executable, state), fileNameOf(executable, state)}]
        .push_back({place.start, place.shard.extent});
  }
  return [boxes](const CheckpointIndex::Tensor &tensor,
                 const CheckpointIndex::Slice &slice) {
    auto at = boxes.find({tensor.kind, tensor.name});
    if (at == boxes.end())
      return false;
    return std::any_of(
        at->second.begin(), at->second.end(), [&](const Box &box) {
          // Tensors of other shapes are refused later, by name.
          if (box.start.size() != slice.start.size())
            return false;
          for (size_t i = 0; i < box.start.size(); ++i)
            if (box.start[i] >= slice.start[i] + slice.shape[i] ||
                slice.start[i] >= box.start[i] + box.extent[i])
              return false;
          return true;
        });
  };
}

const WeightSet &Checkpoint::of(const TensorKind &kind) const {
  static const WeightSet none;
  auto at = tensors.find(kind);
  return at == tensors.end() ? none : at->second;
}

static CheckpointIndex readIndexFile(const std::string &path) {
  std::string file = path + indexName;
  MappedFile bytes(file);
  return parseIndex(file, {bytes.data() ? bytes.data() : "", bytes.size()});
}

/// Checks this process's share of the files. Returns the first error, or an
/// empty text.
static std::string verifyFiles(const std::string &path,
                               const CheckpointIndex &index,
                               const Readers &readers) {
  std::vector<size_t> own;
  for (size_t i = size_t(readers.index); i < index.files.size();
       i += size_t(readers.count))
    own.push_back(i);
  std::vector<std::string> problems(own.size());
  std::atomic<size_t> next{0};
  auto work = [&] {
    for (size_t k; (k = next++) < own.size();) {
      const CheckpointIndex::File &file = index.files[own[k]];
      std::string name = path + "/" + file.name;
      std::string sum = checksumOfFile(name, file.bytes, problems[k]);
      if (problems[k].empty() && sum != file.checksum)
        problems[k] = text(name, ": damaged: its checksum is ", sum,
                           ", the index says ", file.checksum);
    }
  };
  size_t workers = std::min<size_t>(
      own.size(), std::max(1u, std::thread::hardware_concurrency() /
                                   unsigned(std::max(1, readers.count))));
  std::vector<std::thread> threads;
  try {
    for (size_t i = 1; i < workers; ++i)
      threads.emplace_back(work);
  } catch (const std::system_error &) {
    // The threads that were started do all the work.
  }
  work();
  for (std::thread &thread : threads)
    thread.join();
  for (const std::string &problem : problems)
    if (!problem.empty())
      return problem;
  return "";
}

/// Finds the slices of all tensors in the files.
static void mapFiles(Checkpoint &checkpoint, const Readers &readers) {
  struct Files {
    std::vector<std::unique_ptr<SafeTensors>> files;
  };
  auto owner = std::make_shared<Files>();
  owner->files.resize(checkpoint.index.files.size());
  for (const CheckpointIndex::Tensor &tensor : checkpoint.index.tensors) {
    Weight weight;
    weight.type = tensor.type;
    weight.shape = tensor.shape;
    for (const CheckpointIndex::Slice &slice : tensor.slices) {
      if (readers.needs && !readers.needs(tensor, slice))
        continue;
      std::unique_ptr<SafeTensors> &opened = owner->files[slice.file];
      if (!opened)
        opened = std::make_unique<SafeTensors>(
            checkpoint.path + "/" + checkpoint.index.files[slice.file].name);
      const SafeTensors &file = *opened;
      std::string name = sliceName(tensor, slice.start);
      auto at = file.tensors().find(name);
      if (at == file.tensors().end())
        badInput(file.path(), ": no tensor ", jsonText(name),
                 ", which the index places there");
      const TensorView &view = at->second;
      if (view.type != tensor.type || view.shape != slice.shape)
        badInput(file.path(), ": tensor ", jsonText(name), " is ",
                 typeName(view.type), " ", view.shape, ", the index says ",
                 typeName(tensor.type), " ", slice.shape);
      weight.pieces.push_back(
          {view.type, view.data, slice.start, slice.shape, {}});
    }
    checkpoint.tensors[tensor.kind].tensors[tensor.name] = std::move(weight);
  }
  for (auto &[kind, set] : checkpoint.tensors) {
    set.path = checkpoint.path;
    set.owner = owner;
  }
}

Checkpoint openCheckpoint(const std::string &path, const Readers &readers) {
  Checkpoint checkpoint;
  checkpoint.path = path;
  std::string problem;
  try {
    checkpoint.index = readIndexFile(path);
    problem = verifyFiles(path, checkpoint.index, readers);
    if (problem.empty())
      mapFiles(checkpoint, readers);
  } catch (const Error &error) {
    problem = error.what();
  }
  std::vector<std::string> all = {problem};
  if (readers.gather)
    all = readers.gather(problem);
  for (const std::string &found : all)
    if (!found.empty())
      badInput(found);
  return checkpoint;
}

std::optional<Checkpoint>
openNewest(const std::string &folder, const Readers &readers,
           const std::function<void(const std::string &)> &refused,
           std::vector<int64_t> *whole) {
  // All processes use the list of the first: the folder may change meanwhile.
  std::vector<int64_t> steps;
  std::string list, problem;
  try {
    steps = listSteps(folder);
  } catch (const Error &error) {
    problem = error.what();
  }
  if (readers.gather) {
    for (int64_t step : steps)
      list += text(step, " ");
    std::vector<std::string> all =
        readers.gather(problem.empty() ? list : "!" + problem);
    problem.clear();
    for (const std::string &given : all)
      if (!given.empty() && given[0] == '!')
        problem = given.substr(1);
    steps.clear();
    for (const char *at = all[0].c_str(); problem.empty() && *at;) {
      char *end;
      steps.push_back(std::strtoll(at, &end, 10));
      at = end + (*end == ' ');
    }
  }
  if (!problem.empty())
    badInput(problem);
  while (!steps.empty()) {
    int64_t step = steps.back();
    try {
      Checkpoint found = openCheckpoint(stepFolder(folder, step), readers);
      if (found.index.standing.step != step)
        badInput(found.path, indexName, ": it is of step ",
                 found.index.standing.step);
      if (whole)
        *whole = steps;
      return found;
    } catch (const Error &error) {
      refused(error.what());
    }
    steps.pop_back();
  }
  return std::nullopt;
}

Checkpoint
openForParameters(const std::string &path, const Readers &readers,
                  const std::function<void(const std::string &)> &refused) {
  if (access((path + indexName).c_str(), F_OK) == 0)
    return openCheckpoint(path, readers);
  if (std::optional<Checkpoint> found = openNewest(path, readers, refused))
    return std::move(*found);
  badInput(path, ": no whole checkpoint in this folder");
}

void checkFits(const format::Executable &executable,
               const Checkpoint &checkpoint) {
  std::string problems = parameterProblems(executable, checkpoint.parameters());
  if (!problems.empty())
    badInput(checkpoint.path, ": a checkpoint of another model: ", problems);
  if (checkpoint.index.optimizer != executable.optimizer())
    badInput(checkpoint.path, ": a checkpoint of optimizer ",
             checkpoint.index.optimizer, ", the executable has ",
             executable.optimizer(),
             "; its parameters alone can be loaded with --params");
  std::set<std::string> missing;
  for (const format::Stage &stage : executable.stages())
    for (const format::State &state : stage.states()) {
      if (isInFiles(executable, state))
        continue;
      const format::StateTensor &tensor = tensorOf(executable, state);
      const TensorKind kind = tensorKindOf(executable, state);
      const std::string &name = fileNameOf(executable, state);
      const WeightSet &set = checkpoint.of(kind);
      auto at = set.tensors.find(name);
      std::vector<int64_t> shape(tensor.shape().begin(), tensor.shape().end());
      if (at != set.tensors.end() && at->second.shape != shape)
        badInput(checkpoint.path, ": ", kind, " of ", name, " has shape ",
                 at->second.shape, ", the executable's ", shape);
      if (at == set.tensors.end() && !beginsAsParameter(kindOf(tensor)))
        missing.insert(text(kind, " of ", name));
    }
  if (!missing.empty())
    badInput(checkpoint.path, ": state of the optimizer is missing: ",
             listText({missing.begin(), missing.end()}),
             "; its parameters alone can be loaded with --params");
}

/// Returns true if the checkpoint lacks the average.
static bool lacksAverage(const format::Executable &executable,
                         const format::State &state,
                         const Checkpoint &checkpoint) {
  return beginsAsParameter(kindOf(executable, state)) &&
         !checkpoint.of(tensorKindOf(executable, state))
              .tensors.count(fileNameOf(executable, state));
}

std::string missingAverages(const format::Executable &executable,
                            const Checkpoint &checkpoint) {
  std::set<std::string> names;
  for (const format::Stage &stage : executable.stages())
    for (const format::State &state : stage.states())
      if (lacksAverage(executable, state, checkpoint))
        names.insert(fileNameOf(executable, state));
  return names.empty()
             ? ""
             : text(checkpoint.path, ": has no averages of ",
                    listText({names.begin(), names.end()}),
                    "; they begin as the parameters of the checkpoint");
}

void loadCheckpoint(const format::Executable &executable, const Mesh &mesh,
                    int rank, const Checkpoint &checkpoint, Device &device) {
  const format::Stage &stage = executable.stages(mesh.stageOf(rank));
  for (const format::State &state : stage.states())
    if (!lacksAverage(executable, state, checkpoint))
      loadState(executable, mesh, state, rank,
                checkpoint.of(tensorKindOf(executable, state)), device);
  for (const format::State &state : stage.states())
    if (lacksAverage(executable, state, checkpoint))
      startAverage(executable, mesh, state, rank, device);
}

} // namespace zcc::rt
