// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/train/Backends.h"

#include "runtime/core/Error.h"
#include "runtime/cpu/CpuBackend.h"
#include "runtime/cuda/CudaBackend.h"
#include "runtime/data/NewFile.h"
#include "runtime/format/executable.pb.h"
#include "runtime/reference/ReferenceBackend.h"
#include "runtime/train/Settings.h"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <sstream>

namespace zcc::rt {

using MadeBackend = std::shared_ptr<const Backend>;

/// A pointer to a backend that lives as long as the program.
static MadeBackend lasting(const Backend &backend) {
  return MadeBackend(MadeBackend(), &backend);
}

/// Empty if there is no such file.
static std::string readTuning(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    if (errno == ENOENT)
      return "";
    badInput("--tune: cannot read ", path, ": ", std::strerror(errno));
  }
  std::string words{std::istreambuf_iterator<char>(file), {}};
  if (words.empty() || file.bad())
    badInput("--tune: ", path, " is empty, or cannot be read");
  return words;
}

/// The parts of "A:B".
static std::vector<std::string> foldersOf(const std::string &given) {
  std::vector<std::string> folders;
  std::istringstream parts(given);
  for (std::string folder; std::getline(parts, folder, ':');)
    if (!folder.empty())
      folders.push_back(folder);
  return folders;
}

static CudaCollectives collectivesOf(const RankSettings &settings) {
  switch (settings.collectives) {
  case GpuCollectives::Device:
    return CudaCollectives::Device;
  case GpuCollectives::Nccl:
    return CudaCollectives::Nccl;
  case GpuCollectives::Host:
    return CudaCollectives::Host;
  case GpuCollectives::Default:
    break;
  }
  // Links that are slowed down are those between hosts.
  return settings.linkDelay ? CudaCollectives::Host : CudaCollectives::Auto;
}

struct Row {
  const char *name; // as the backend's own
  MadeBackend (*make)(const RankSettings &);
};

/// One line a backend.
static constexpr Row backends[] = {
    {"cpu", [](const RankSettings &) { return lasting(cpuBackend()); }},
    {"cuda",
     [](const RankSettings &settings) -> MadeBackend {
       CudaOptions own{settings.cudaDriver, settings.gpus, settings.cublasLt,
                       !settings.noCudaGraphs};
       own.cudnn = settings.cudnn;
       own.nccl = settings.nccl;
       own.folders = foldersOf(settings.cudaLibraries);
       if (!settings.tune.empty()) {
         const std::string path = settings.tune;
         own.tuning.name = path;
         own.tuning.read = [path] { return readTuning(path); };
         own.tuning.write = [path](const std::string &words) {
           writeNewFile(path, words);
         };
       }
       own.collectives = collectivesOf(settings);
       return makeCudaBackend(own);
     }},
    {"reference",
     [](const RankSettings &) { return lasting(referenceBackend()); }},
};

std::shared_ptr<const Backend> backendOf(const format::Executable &executable,
                                         const RankSettings &settings) {
  std::vector<std::string> names;
  for (const Row &row : backends) {
    if (row.name == executable.target())
      return row.make(settings);
    names.push_back(row.name);
  }
  badInput("the executable is for target ", jsonText(executable.target()),
           ", which this zrun does not have: there is ", listText(names),
           "; compile with --target ", nearestName(executable.target(), names));
}

} // namespace zcc::rt
