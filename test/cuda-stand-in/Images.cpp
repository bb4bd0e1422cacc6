// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Images: shared objects are opened from memory, PTX is searched as text.

#include "test/cuda-stand-in/StandIn.h"

#include "runtime/format/Text.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <elf.h>
#include <sys/mman.h>
#include <unistd.h>

namespace zcc::standin {

/// An image is only a pointer. Its section headers come last.
static size_t elfBytes(const void *image) {
  Elf64_Ehdr head;
  std::memcpy(&head, image, sizeof(head));
  return head.e_shoff + size_t(head.e_shnum) * head.e_shentsize;
}

static Result openObject(ModuleRecord &module, const void *image,
                         std::string &wrong) {
  module.file = memfd_create("stand-in", MFD_CLOEXEC);
  size_t bytes = elfBytes(image);
  if (write(module.file, image, bytes) != ssize_t(bytes)) {
    wrong = "cannot write an object";
    return invalidImage;
  }
  module.handle = dlopen(rt::text("/proc/self/fd/", module.file).c_str(),
                         RTLD_NOW | RTLD_LOCAL);
  if (module.handle)
    return success;
  wrong = dlerror();
  return invalidImage;
}

/// The number behind a directive: 90 of ".target sm_90".
static int numberAfter(const std::string &text, const char *directive) {
  size_t at = text.find(directive);
  return at == std::string::npos
             ? -1
             : std::atoi(text.c_str() + at + std::strlen(directive));
}

/// The latest PTX that a driver reads, 80 for 8.0; PTX ISA, release notes.
static int latestPtx(int driver) {
  if (driver >= 13000)
    return 90 + (driver - 13000) / 10;
  const int of12[] = {80, 81, 82, 83, 84, 85, 85, 86, 87, 88}; // 12.0 to 12.9
  return of12[std::min((driver - 12000) / 10, 9)];
}

/// The ELF ABI of cubins that ptxas 13.0 and later make. Older drivers refuse
/// it.
static constexpr unsigned char abiOf13 = 8;

Result loadImage(const State &state, const void *image, ModuleRecord &module,
                 std::string &wrong) {
  auto *bytes = static_cast<const char *>(image);
  bool isElf = std::memcmp(bytes, ELFMAG, SELFMAG) == 0;
  if (isElf && (unsigned char)bytes[EI_ABIVERSION] >= abiOf13 &&
      state.version < 13000)
    return noBinaryForGpu;
  if (!state.isRecording)
    return isElf ? openObject(module, image, wrong) : noBinaryForGpu;
  if (isElf) {
    module.text.assign(bytes, elfBytes(image));
    return success;
  }
  module.text = bytes;
  int target = numberAfter(module.text, ".target sm_");
  if (target < 0 || module.text.find(".version ") == std::string::npos) {
    wrong = "no .version and .target";
    return invalidPtx;
  }
  size_t version = module.text.find(".version ") + std::strlen(".version ");
  int major = 0, minor = 0;
  if (std::sscanf(module.text.c_str() + version, "%d.%d", &major, &minor) != 2)
    return invalidPtx;
  if (10 * major + minor > latestPtx(state.version))
    return unsupportedPtxVersion;
  return target > state.capability ? noBinaryForGpu : success;
}

/// The registers that a cubin says that a kernel's thread has, in the
/// information of the section of its code; or `other`.
static int registersIn(const std::string &cubin, const std::string &kernel,
                       int other) {
  Elf64_Ehdr head;
  std::memcpy(&head, cubin.data(), sizeof(head));
  auto section = [&](size_t i) {
    Elf64_Shdr one;
    std::memcpy(&one, &cubin[head.e_shoff + i * sizeof(one)], sizeof(one));
    return one;
  };
  for (size_t i = 0; i < head.e_shnum; ++i)
    if (section(head.e_shstrndx).sh_offset + section(i).sh_name <
            cubin.size() &&
        ".text." + kernel == cubin.c_str() +
                                 section(head.e_shstrndx).sh_offset +
                                 section(i).sh_name)
      return int(section(i).sh_info >> 24);
  return other;
}

std::unique_ptr<FunctionRecord> findFunction(const State &state,
                                             const ModuleRecord &module,
                                             const std::string &name) {
  auto function = std::make_unique<FunctionRecord>();
  function->context = module.context;
  function->name = name;
  function->registers = state.registers;
  if (module.handle) {
    function->entry = dlsym(module.handle, name.c_str());
    return function->entry ? std::move(function) : nullptr;
  }
  // A cubin has the name among its symbols.
  if (module.text.compare(0, 4, ELFMAG) == 0) {
    function->registers = registersIn(module.text, name, state.registers);
    return module.text.find('\0' + name + '\0') == std::string::npos
               ? nullptr
               : std::move(function);
  }
  // ".entry name(": its parameters are all ".param .u64".
  for (size_t at = 0;
       (at = module.text.find(".entry", at)) != std::string::npos;) {
    at = module.text.find_first_not_of(" \t\n", at + 6);
    size_t end = module.text.find_first_of("( \t\n", at);
    if (end == std::string::npos)
      return nullptr;
    if (module.text.compare(at, end - at, name) != 0)
      continue;
    size_t close = module.text.find_first_of("){", end);
    function->parameters = 0;
    for (size_t p = end; (p = module.text.find(".param", p)) < close; p += 6)
      ++function->parameters;
    return function;
  }
  return nullptr;
}

} // namespace zcc::standin
