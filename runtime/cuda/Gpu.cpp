// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/cuda/Gpu.h"

#include "runtime/format/Targets.h"
#include "runtime/format/Validate.h"
#include "runtime/format/executable.pb.h"

#include <algorithm>
#include <cctype>
#include <fstream>
#include <map>
#include <mutex>
#include <utility>

namespace zcc::rt::cuda {

// Bytes of shared memory that a block may use on any GPU by default.
static constexpr uint32_t ordinaryShared = 48 << 10;

std::string chipName(int capability) {
  return capability == 0 ? "host" : text("sm_", capability);
}

std::string GpuFacts::describe() const {
  return text("GPU ", index, " (", name, ", ", chipName(capability), ")");
}

GpuFacts readFacts(const Driver &driver, int index) {
  GpuFacts facts{index, 0, "", 0, 0, "", {}};
  char name[256] = "", bus[32] = "";
  int major = 0, minor = 0;
  driver.require(driver.device(&facts.device, index), "find GPU ", index);
  driver.require(driver.deviceName(name, sizeof(name), facts.device),
                 "ask GPU ", index, " for its name");
  driver.require(driver.deviceAttribute(&major, capabilityMajor, facts.device),
                 "ask GPU ", index, " for its compute capability");
  driver.require(driver.deviceAttribute(&minor, capabilityMinor, facts.device),
                 "ask GPU ", index, " for its compute capability");
  driver.require(driver.deviceAttribute(&facts.multiprocessors,
                                        multiprocessorCount, facts.device),
                 "ask GPU ", index, " for its multiprocessors");
  driver.require(driver.deviceBus(bus, sizeof(bus), facts.device), "ask GPU ",
                 index, " for its place");
  driver.require(driver.deviceUuid(&facts.uuid, facts.device), "ask GPU ",
                 index, " which it is");
  facts.bus = bus;
  facts.name = name;
  facts.capability = 10 * major + minor;
  return facts;
}

int numaNodeOf(const GpuFacts &facts, const std::string &sys) {
  std::string bus = facts.bus;
  for (char &c : bus)
    c = char(std::tolower(static_cast<unsigned char>(c)));
  std::ifstream file(text(sys, "/bus/pci/devices/", bus, "/numa_node"));
  int node = -1;
  return file >> node ? node : -1;
}

bool isBinary(const format::Image &image) {
  return image.object().compare(0, 4,
                                "\x7f"
                                "ELF") == 0;
}

/// 90 for "sm_90"; -1 if it is no chip.
static int capabilityOf(const format::Image &image) {
  const std::string &name = image.device();
  if (name.compare(0, 3, "sm_") != 0 || name.size() < 5 || name.size() > 7)
    return isOfHost(image) ? 0 : -1;
  int capability = 0;
  for (size_t i = 3; i < name.size(); ++i) {
    if (name[i] < '0' || name[i] > '9')
      return -1;
    capability = 10 * capability + (name[i] - '0');
  }
  return capability;
}

std::vector<const format::Image *> suitableImages(const format::Code &code,
                                                  int capability) {
  std::vector<const format::Image *> suitable;
  for (const format::Image &image : code.images()) {
    int own = capabilityOf(image);
    bool fits = capability == 0   ? own == 0
                : isBinary(image) ? own > 0 && own / 10 == capability / 10 &&
                                        own <= capability
                                  : own > 0 && own <= capability;
    if (fits)
      suitable.push_back(&image);
  }
  auto rank = [](const format::Image *image) {
    return std::pair(isBinary(*image), capabilityOf(*image));
  };
  std::sort(suitable.begin(), suitable.end(),
            [&](auto *a, auto *b) { return rank(a) > rank(b); });
  return suitable;
}

static std::string describeImage(const format::Image &image) {
  return isOfHost(image)
             ? image.device()
             : text(image.device(), isBinary(image) ? " (cubin)" : " (PTX)");
}

std::string describeImages(const format::Code &code) {
  std::vector<std::string> names;
  for (const format::Image &image : code.images())
    names.push_back(describeImage(image));
  return listText(names, 1000);
}

/// Returns true if the driver refuses the image itself, so that another image
/// of the same code may do.
static bool isOfImage(Result result) {
  switch (result) {
  case invalidImage:
  case noBinaryForGpu:
  case invalidPtx:
  case noPtxCompiler:
  case unsupportedPtxVersion:
  case ptxCompilationDisabled:
  case invalidSource:
  case notSupported:
    return true;
  default:
    return false;
  }
}

Gpu::Gpu(const Driver &driver, GpuFacts given)
    : driver(driver), facts(std::move(given)) {
  driver.require(driver.retainContext(&context, facts.device), "open ",
                 facts.describe());
}

Gpu::~Gpu() {
  if (driver.setContext(context) == success)
    for (Module module : modules)
      if (module)
        (void)driver.unloadModule(module);
  (void)driver.releaseContext(facts.device);
}

std::pair<size_t, size_t> Gpu::memory() const {
  use();
  size_t free = 0, total = 0;
  driver.require(driver.memoryInfo(&free, &total), "ask ", facts.describe(),
                 " for its free memory");
  return {free, total};
}

size_t Gpu::freeBytes() const {
  size_t free = memory().first;
  lastUsable = free + arenaBytes();
  return free;
}

std::atomic<size_t> &Gpu::arenaBytes() const {
  static std::mutex mutex;
  static std::map<int, std::atomic<size_t>> all; // by index
  std::lock_guard<std::mutex> lock(mutex);
  return all[facts.index];
}

size_t Gpu::libraryBytes() const {
  auto [free, total] = memory();
  size_t held = free + arenaBytes();
  return total > held ? total - held : 0;
}

bool Gpu::reach(const Gpu &other) const {
  int can = 0;
  driver.require(driver.canAccess(&can, facts.device, other.facts.device),
                 "ask whether ", facts.describe(), " reaches ",
                 other.facts.describe());
  if (!can)
    return false;
  use();
  Result result = driver.enableAccess(other.context, 0);
  // A machine may connect only some of the pairs at once.
  if (result == tooManyPeers || result == notSupported)
    return false;
  if (result != accessEnabled)
    driver.require(result, "let ", facts.describe(), " use the memory of ",
                   other.facts.describe());
  return true;
}

Module Gpu::loadCode(const format::Code &code) const {
  std::string refused; // images, each with the driver's reason
  for (const format::Image *image : suitableImages(code, facts.capability)) {
    if (image->object().empty()) // of no kernel
      return nullptr;
    char log[4096] = "";
    int options[] = {jitErrorLog, jitErrorLogBytes};
    void *values[] = {log, reinterpret_cast<void *>(uintptr_t(sizeof(log)))};
    Module module = nullptr;
    // PTX is text that ends with a zero, as c_str() does.
    Result result =
        driver.loadModule(&module, image->object().c_str(), 2, options, values);
    if (result == success)
      return module;
    std::string reason =
        text(describeImage(*image), ": ", driver.describe(result),
             *log ? text(": ", std::string(log)) : "");
    if (!isOfImage(result))
      fail("cannot load the code into ", facts.describe(), ": ", reason);
    refused += (refused.empty() ? "" : "; ") + reason;
  }
  if (refused.empty()) // check() has refused code that is needed
    return nullptr;
  badInput("the driver of CUDA ", versionText(driver.version()),
           " loads no image of the executable into ", facts.describe(), ": ",
           refused,
           "; expected a newer driver, or code that an older ptxas has "
           "assembled (zcc --ptxas)");
}

void Gpu::load(const format::Executable &executable) {
  use();
  for (const format::Code &code : executable.codes()) {
    Module &module = modules.emplace_back(nullptr);
    if (isCuda(code))
      module = loadCode(code);
  }
  auto find = [&](Function &function, Module module,
                  const std::string &symbol) {
    Result result = driver.function(&function, module, symbol.c_str());
    if (result == notFound)
      badInput("the executable's code for ", facts.describe(),
               " has no kernel \"", symbol, "\"");
    driver.require(result, "load kernel \"", symbol, "\"");
  };
  for (const format::ReductionKernel &kernel : executable.reductions())
    find(reductions.emplace_back(nullptr), modules[kernel.code()],
         kernel.symbol());
  auto findLaunch = [&](Function &function, Module module,
                        const std::string &symbol, uint32_t threads,
                        uint32_t shared) {
    find(function, module, symbol);
    // The driver would refuse to launch it. It gives registers by warps.
    int registers = 0;
    driver.require(
        driver.functionAttribute(&registers, functionRegisters, function),
        "ask how many registers kernel \"", symbol, "\" has");
    if (registers * int((threads + 31) / 32 * 32) > blockRegisters)
      badInput("kernel \"", symbol, "\" has ", registers,
               " registers for each of ", threads, " threads of a block on ",
               facts.describe(), ", which has ", blockRegisters,
               " for a block");
    if (shared > ordinaryShared)
      driver.require(driver.setFunctionAttribute(
                         function, functionDynamicShared, int(shared)),
                     "give kernel \"", symbol, "\" ", shared,
                     " bytes of shared memory on ", facts.describe());
  };
  for (const format::Kernel &kernel : executable.kernels()) {
    Function &function = functions.emplace_back(nullptr);
    Function &second = seconds.emplace_back(nullptr);
    Module module = modules[kernel.code()];
    if (!module || isOfLibrary(kernel))
      continue;
    findLaunch(function, module, kernel.symbol(), kernel.threads(),
               kernel.shared());
    if (kernel.has_second())
      findLaunch(second, module, kernel.second().symbol(),
                 kernel.second().threads(), kernel.second().shared());
  }
}

} // namespace zcc::rt::cuda
