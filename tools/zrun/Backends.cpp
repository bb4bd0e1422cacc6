// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/zrun/Backends.h"

#include "runtime/core/Error.h"
#include "runtime/cpu/CpuBackend.h"
#include "runtime/cuda/CudaBackend.h"
#include "runtime/data/NewFile.h"
#include "runtime/format/executable.pb.h"
#include "runtime/reference/ReferenceBackend.h"
#include "tools/zrun/Options.h"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>

namespace zcc::rt {

using MadeBackend = std::shared_ptr<const Backend>;

/// Of a backend that there is one of.
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

struct Row {
  const char *name; // as the backend's own
  MadeBackend (*make)(const Options &);
};

/// One line a backend.
static constexpr Row backends[] = {
    {"cpu", [](const Options &) { return lasting(cpuBackend()); }},
    {"cuda",
     [](const Options &options) -> MadeBackend {
       CudaOptions own{options.cudaDriver, options.gpus, options.cublasLt,
                       !options.noCudaGraphs};
       own.cudnn = options.cudnn;
       own.nccl = options.nccl;
       if (!options.tune.empty()) {
         const std::string path = options.tune;
         own.tuning.name = path;
         own.tuning.read = [path] { return readTuning(path); };
         own.tuning.write = [path](const std::string &words) {
           writeNewFile(path, words);
         };
       }
       if (options.collectives == "device")
         own.collectives = CudaCollectives::Device;
       else if (options.collectives == "nccl")
         own.collectives = CudaCollectives::Nccl;
       // Links that are slowed down are those between hosts.
       else if (options.collectives == "host" || options.linkDelay)
         own.collectives = CudaCollectives::Host;
       return makeCudaBackend(own);
     }},
    {"reference", [](const Options &) { return lasting(referenceBackend()); }},
};

std::shared_ptr<const Backend> backendOf(const format::Executable &executable,
                                         const Options &options) {
  std::vector<std::string> names;
  for (const Row &row : backends) {
    if (row.name == executable.target())
      return row.make(options);
    names.push_back(row.name);
  }
  badInput("the executable is for target ", jsonText(executable.target()),
           ", which this zrun does not have: there is ", listText(names),
           "; compile with --target ", nearestName(executable.target(), names));
}

} // namespace zcc::rt
