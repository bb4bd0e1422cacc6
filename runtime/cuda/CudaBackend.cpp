// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The target "cuda": its code is images for chips, loaded once a GPU for all
// ranks of the process on it. Exchanges.h has who does their collectives.

#include "runtime/cuda/CudaBackend.h"

#include "runtime/comm/Communicator.h"
#include "runtime/core/Error.h"
#include "runtime/core/Spaces.h"
#include "runtime/cuda/BatchTable.h"
#include "runtime/cuda/CudnnSteps.h"
#include "runtime/cuda/Exchanges.h"
#include "runtime/cuda/KernelSteps.h"
#include "runtime/cuda/ProductSteps.h"
#include "runtime/cuda/SharedLibrary.h"
#include "runtime/format/InputParts.h"
#include "runtime/format/KernelTables.h"
#include "runtime/format/Mesh.h"
#include "runtime/format/executable.pb.h"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <numeric>
#include <optional>

namespace zcc::rt {

namespace {

using namespace cuda;

constexpr const char *target = "cuda";

DeviceSizes sizesOfStage(const format::Stage &stage) {
  DeviceSizes sizes;
  sizes.arenas = arenaSizes(stage);
  for (const format::Workspace &own : stage.workspaces()) {
    sizes.workspaces.push_back(own.offset());
    sizes.workspaceBytes.push_back(own.bytes());
  }
  sizes.words = stage.tables().offset();
  return sizes;
}

/// Steps of one rank.
class CudaSteps : public StepFactory {
public:
  CudaSteps(const KernelSetting &kernels, const RankSetting &given,
            Exchanges &exchanges, CudaDevice &device)
      : kernels(kernels), setting(given),
        collectives(exchanges.open(setting, kernels.gpu, device)) {}

  std::unique_ptr<Step> create(const format::Step &step,
                               const format::Task &task) override {
    if (auto kernel = createKernelStep(step, kernels))
      return kernel;
    if (auto collective = collectives.create(step, task))
      return collective;
    return createBasicStep(step, task, setting.observer);
  }

private:
  const KernelSetting kernels;
  const RankSetting setting;
  Exchanges::Factory collectives;
};

bool hasProducts(const format::Executable &executable) {
  return std::any_of(
      executable.kernels().begin(), executable.kernels().end(),
      [](const format::Kernel &kernel) { return kernel.has_product(); });
}

/// Convolutions or attention.
bool needsCudnn(const format::Executable &executable) {
  return std::any_of(executable.kernels().begin(), executable.kernels().end(),
                     [](const format::Kernel &kernel) {
                       return kernel.has_convolution() ||
                              kernel.has_attention();
                     });
}

/// The tables and libraries that a rank's kernels use beside its device.
struct RankKernels {
  const Gpu &gpu;
  PointerTable table;
  BatchTable batches;
  std::unique_ptr<const ProductChoices> choices; // null: the library's
  std::unique_ptr<Products> products;            // null: there are none
  std::unique_ptr<CudnnCalls> cudnn;             // likewise

  RankKernels(const format::Executable &executable, const format::Stage &stage,
              const Gpu &gpu, CudaDevice &device)
      : gpu(gpu), table(stage, device),
        batches(executable, stage, device,
                device.words() + 8 * firstBatchWord(stage)) {}
  /// Handles of libraries end in the context that they began in, whichever
  /// thread this is.
  ~RankKernels() {
    (void)gpu.driver.setContext(gpu.held());
    products.reset();
    cudnn.reset();
  }
};

class CudaCode : public LoadedCode {
public:
  /// The GPUs, as the driver counts them, that ranks take in turn.
  CudaCode(const format::Executable &executable,
           std::shared_ptr<const Driver> driver, std::vector<int> gpus,
           const CudaOptions &options)
      : executable(executable), driver(std::move(driver)),
        gpus(std::move(gpus)), options(options), usesGraphs(options.usesGraphs),
        tuning(options.tuning), sys(options.sys),
        exchanges(
            executable, options, [this](int rank) { return gpuOf(rank); },
            this->gpus.size()) {}

  std::unique_ptr<Device> makeDevice(const RankSetting &setting) override {
    const Gpu &gpu = open(setting);
    // Tunes before the arena is allocated, so that there is room.
    if (library && !tuning.name.empty() && setting.rank == 0)
      tune(gpu);
    const ArenaSource *source = nullptr;
    if (auto made = exchanges.arenaSource(setting)) {
      std::lock_guard<std::mutex> lock(mutex);
      source = (sources[setting.rank] = std::move(made)).get();
    }
    return std::make_unique<CudaDevice>(gpu, sizesOf(setting, setting.rank),
                                        setting.cancellation, usesGraphs,
                                        source);
  }

  std::unique_ptr<DeviceTransfers> makeTransfers(const RankSetting &setting,
                                                 Device &device) override {
    return exchanges.openTransfers(setting, open(setting),
                                   static_cast<CudaDevice &>(device));
  }

  std::unique_ptr<StepFactory> makeSteps(const RankSetting &setting,
                                         Device &device) override {
    const format::Stage &stage =
        executable.stages(setting.mesh.stageOf(setting.rank));
    const Gpu &gpu = open(setting);
    auto made = std::make_unique<RankKernels>(
        executable, stage, gpu, static_cast<CudaDevice &>(device));
    gpu.use();
    if (library) {
      if (!tuning.name.empty())
        made->choices = shareChoices(setting, gpu);
      made->products =
          std::make_unique<Products>(*library, made->choices.get());
    }
    if (cudnn)
      made->cudnn = std::make_unique<CudnnCalls>(*cudnn);
    const RankKernels *own = made.get();
    {
      std::lock_guard<std::mutex> lock(mutex);
      kernels[setting.rank] = std::move(made);
    }
    return std::make_unique<CudaSteps>(
        KernelSetting{executable, gpu, own->table, own->batches,
                      own->products.get(), own->cudnn.get()},
        setting, exchanges, static_cast<CudaDevice &>(device));
  }

  int nodeOf(int localIndex) const override {
    return numaNodeOf(readFacts(*driver, gpuOf(localIndex)), sys);
  }

  std::vector<int> awaited(int rank) const override {
    return exchanges.awaited(rank);
  }

private:
  /// Times algorithms of products; only rank 0 does.
  void tune(const Gpu &gpu) {
    gpu.use();
    ProductChoices choices(tuning.name, *library, gpu);
    if (std::string kept = tuning.read(); !kept.empty())
      choices.read(kept);
    if (choices.tune(executable))
      tuning.write(choices.toText());
    chosen = choices.toText();
  }

  static std::shared_ptr<Communicator>
  openEverybody(const RankSetting &setting) {
    std::vector<int> ranks(size_t(setting.mesh.ranks()));
    std::iota(ranks.begin(), ranks.end(), 0);
    return setting.transport.open(ranks);
  }

  /// Gives all ranks the choices of rank 0.
  std::unique_ptr<const ProductChoices> shareChoices(const RankSetting &setting,
                                                     const Gpu &gpu) {
    auto everybody = openEverybody(setting);
    std::string bytes = setting.rank == 0 ? chosen : "";
    auto size = int64_t(bytes.size());
    // One rank's text, added to zeros of the others.
    if (everybody->size() > 1) {
      everybody->allReduce(ElementType::I64, Reduction::Max, &size, &size, 1);
      bytes.resize(size_t(size));
      everybody->allReduce(ElementType::U8, Reduction::Max, bytes.data(),
                           bytes.data(), size);
    }
    auto choices = std::make_unique<ProductChoices>(tuning.name, *library, gpu);
    choices->read(bytes);
    return choices;
  }

  DeviceSizes sizesOf(const RankSetting &setting, int rank) {
    DeviceSizes sizes =
        sizesOfStage(executable.stages(setting.mesh.stageOf(rank)));
    sizes.exchange = exchanges.bytesOf(setting, rank);
    sizes.inputs = inputRoomBytes(
        inputParts(executable.stages(setting.mesh.stageOf(rank)), setting.mesh,
                   rank));
    return sizes;
  }

  int gpuOf(int localIndex) const {
    return gpus[size_t(localIndex) % gpus.size()];
  }

  /// Refuses ranks that share a GPU. Launchers may show each process GPUs of
  /// its own, so numbers do not tell. All ranks call this.
  static void refuseToShare(const RankSetting &setting, const GpuFacts &own) {
    std::vector<Uuid> all(size_t(setting.mesh.ranks()));
    openEverybody(setting)->allGather(ElementType::U8, own.uuid.bytes,
                                      all.data(), 1, sizeof(Uuid), 1);
    for (int rank = 0; rank < setting.mesh.ranks(); ++rank)
      if (rank != setting.rank &&
          std::memcmp(&all[size_t(rank)], &own.uuid, sizeof(Uuid)) == 0)
        badInput("ranks ", std::min(rank, setting.rank), " and ",
                 std::max(rank, setting.rank), " are processes that both have ",
                 own.describe(), "; expected a GPU for each of the ",
                 setting.localRanks, " processes of this machine (--gpus, or ",
                 "what the launcher shows them); ranks of one process may "
                 "share one");
  }

  /// Returns the rank's GPU, with the code loaded into it. Refuses before
  /// loading if the ranks of this process need more memory on it than is free.
  const Gpu &open(const RankSetting &setting) {
    int index = gpuOf(setting.localIndex);
    std::lock_guard<std::mutex> lock(mutex);
    std::unique_ptr<Gpu> &gpu = opened[index];
    if (gpu)
      return *gpu;
    auto made = std::make_unique<Gpu>(*driver, readFacts(*driver, index));
    made->use();
    int sharing = 0;
    size_t needed = 0;
    for (int rank = 0; rank < setting.mesh.ranks(); ++rank)
      if (setting.isProcess ? rank == setting.rank : gpuOf(rank) == index) {
        ++sharing;
        needed += sizesOf(setting, rank).ofGpu();
      }
    if (setting.isProcess)
      refuseToShare(setting, made->facts);
    std::string arenas =
        text("the arenas of ", sharing, sharing == 1 ? " rank" : " ranks",
             " take ", needed, " bytes");
    // The context is allocated by now, but most memory of libraries is not.
    size_t held = made->libraryBytes(), expected = executable.library_bytes(),
           rest = expected > held ? expected - held : 0;
    if (size_t free = made->freeBytes(); needed + rest > free)
      fail(arenas, rest ? text(" and libraries about ", rest) : "", ", ",
           made->facts.describe(), " has ", free, " free");
    made->load(executable);
    openLibraries();
    if (size_t free = made->freeBytes(); needed > free)
      fail(arenas, ", ", made->facts.describe(), " with the code in it has ",
           free, " free");
    reachOthers(*made, setting);
    gpu = std::move(made);
    return *gpu;
  }

  /// Lets the GPU and those that are open already use each other's memory.
  void reachOthers(const Gpu &made, const RankSetting &setting) {
    for (const auto &[number, other] : opened) {
      if (!other || (made.reach(*other) && other->reach(made)))
        continue;
      if (setting.note)
        setting.note(text(made.facts.describe(), " and ",
                          other->facts.describe(),
                          " do not reach each other's memory: copies between "
                          "them go through the host's"));
    }
    made.use();
  }

  /// Opens the libraries that the kernels need, once; the context of a GPU is
  /// current, on which they must begin.
  void openLibraries() {
    if (hasProducts(executable) && !library)
      library.emplace(libraryFiles<CublasLt>(options.cublasLt, options.folders),
                      driver->version(), true);
    if (needsCudnn(executable) && !cudnn)
      cudnn.emplace(libraryFiles<Cudnn>(options.cudnn, options.folders),
                    driver->version(), true);
  }

  const format::Executable &executable;
  const std::shared_ptr<const Driver> driver;
  const std::vector<int> gpus;
  const CudaOptions options;
  const bool usesGraphs;
  const CudaTuning tuning;
  const std::string sys;
  std::string chosen; // by rank 0, where it is of this process
  std::mutex mutex;
  std::map<int, std::unique_ptr<Gpu>> opened; // by index
  std::optional<CublasLt> library;
  std::optional<Cudnn> cudnn;
  std::map<int, std::unique_ptr<RankKernels>> kernels;       // by rank
  std::map<int, std::unique_ptr<const ArenaSource>> sources; // likewise
  Exchanges exchanges;
};

class CudaBackend : public Backend {
public:
  explicit CudaBackend(const CudaOptions &options) : options(options) {}

  const char *name() const override { return target; }

  void check(const format::Executable &executable) const override {
    checkCode(executable);
    requireSpaces(executable, target, {MemorySpace::Device, MemorySpace::Host});
    refuseCallerInputs(executable, target);
    std::shared_ptr<const Driver> driver = open();
    if (hasProducts(executable))
      CublasLt(libraryFiles<CublasLt>(options.cublasLt, options.folders),
               driver->version());
    if (needsCudnn(executable))
      Cudnn(libraryFiles<Cudnn>(options.cudnn, options.folders),
            driver->version());
    for (int index : usedGpus(*driver)) {
      GpuFacts facts = readFacts(*driver, index);
      for (const format::Code &code : executable.codes())
        if (code.target() == target &&
            suitableImages(code, facts.capability).empty())
          badInput("the executable has code for ", describeImages(code),
                   ", none for ", facts.describe());
    }
  }

  Facts describe(const format::Executable &executable) const override {
    checkCode(executable);
    Facts facts;
    for (const format::Code &code : executable.codes())
      if (code.target() == target)
        facts.push_back({"code", describeImages(code)});
    facts.push_back({"kernels", text(executable.kernels_size())});
    try {
      std::shared_ptr<const Driver> driver = open();
      facts.push_back(
          {"driver", text("CUDA ", versionText(driver->version()))});
      for (int index : usedGpus(*driver)) {
        Gpu gpu(*driver, readFacts(*driver, index));
        bool fits = true;
        for (const format::Code &code : executable.codes())
          fits &= code.target() != target ||
                  !suitableImages(code, gpu.facts.capability).empty();
        if (fits)
          gpu.load(executable);
        facts.push_back({gpu.facts.describe(),
                         text(gpu.freeBytes(), " bytes free, ",
                              fits ? "the code loads" : "no code for it")});
      }
    } catch (const Error &error) {
      // The executable is in order, but this machine cannot run it.
      facts.push_back({"GPUs", text("none: ", error.what())});
    }
    return facts;
  }

  /// The free memory of each GPU is read only when it is opened, before code is
  /// loaded into it.
  uint64_t memoryBytes() const override { return 0; }
  bool computesOnCores() const override { return false; }

  std::unique_ptr<LoadedCode>
  load(const format::Executable &executable) const override {
    std::shared_ptr<const Driver> driver = open();
    std::vector<int> gpus = usedGpus(*driver);
    return std::make_unique<CudaCode>(executable, std::move(driver),
                                      std::move(gpus), options);
  }

private:
  static void checkCode(const format::Executable &executable) {
    for (const format::Kernel &kernel : executable.kernels()) {
      const format::Code &code = executable.codes(int(kernel.code()));
      if (code.target() != target)
        badInput("kernel \"", kernel.symbol(), "\" is code for ",
                 jsonText(code.target()), ", in a program for ",
                 jsonText(target));
    }
  }

  std::shared_ptr<const Driver> open() const {
    std::lock_guard<std::mutex> lock(mutex);
    if (!driver)
      driver = std::make_shared<const Driver>(options.driver);
    return driver;
  }

  std::vector<int> usedGpus(const Driver &driver) const {
    std::vector<int> gpus = options.gpus;
    for (int index : gpus)
      if (index >= driver.gpus())
        badInput("--gpus: GPU ", index, ", this machine has ", driver.gpus());
    if (gpus.empty())
      for (int i = 0; i < driver.gpus(); ++i)
        gpus.push_back(i);
    return gpus;
  }

  const CudaOptions options;
  mutable std::mutex mutex;
  mutable std::shared_ptr<const Driver> driver; // null: not opened yet
};

} // namespace

std::unique_ptr<const Backend> makeCudaBackend(const CudaOptions &options) {
  return std::make_unique<CudaBackend>(options);
}

} // namespace zcc::rt
