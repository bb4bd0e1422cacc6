// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Entry points: modules and launches.

#include "test/cuda-stand-in/Calls.h"

#include "runtime/format/GpuThread.h"
#include "runtime/format/ReductionWords.h"
#include "test/cuda-blocks/Blocks.h"
#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <unistd.h>

static void destroyModule(ModuleRecord *module) {
  if (module->handle)
    dlclose(module->handle);
  if (module->file >= 0)
    close(module->file);
  delete module;
}

template <typename T> static T wordAt(uint64_t at) {
  T word;
  allowPages();
  std::memcpy(&word, reinterpret_cast<void *>(at), sizeof(T));
  return word;
}

static bool isWord(uint64_t at, uint64_t bytes) {
  const Allocation *words = find(at);
  return words && !words->isPinned && isWithin(at, bytes);
}

/// Adds the uses of a kernel's buffers, whose addresses `word(i)` points at.
template <typename Word>
static Result useBuffers(const std::string &name, const KernelFacts &facts,
                         std::vector<Order::Use> &uses, Word word) {
  for (size_t i = 0; i < facts.sizes.size(); ++i) {
    if (!isWord(word(i), 8))
      return complain(name, ": parameter ", i, " is no word");
    auto buffer = wordAt<uint64_t>(word(i));
    if (!find(buffer) || !isWithin(buffer, facts.sizes[i]))
      return complain(name, ": buffer ", i, " of ", facts.sizes[i],
                      " bytes at ", buffer, " is of no allocation");
    uses.push_back({word(i), 8, false});
    uses.push_back({buffer, facts.sizes[i], i >= facts.reads});
  }
  return success;
}

/// Adds the uses of a reduction (runtime/format/ReductionWords.h), given its
/// words.
static Result usesOfReduction(const FunctionRecord &function, uint64_t width,
                              uint64_t threads,
                              const std::vector<uint64_t> &parameters,
                              std::vector<Order::Use> &uses) {
  auto refuse = [&](const char *what) {
    return complain(function.name, ": ", what);
  };
  if (parameters.size() != 1 || !find(parameters[0]) ||
      !isWithin(parameters[0], 8 * zccReductionWords))
    return refuse("its parameter is no words");
  allowPages();
  auto *words = reinterpret_cast<const uint64_t *>(parameters[0]);
  uint64_t sources = words[zccReductionSources],
           count = words[zccReductionCount], row = words[zccReductionRow],
           pitch = words[zccReductionPitch],
           vectors = words[zccReductionVectors];
  if (sources == 0 || row == 0 || count % row != 0 || pitch < row ||
      !isWithin(parameters[0], 8 * (zccReductionWords + sources)))
    return refuse("no sources, or rows that are none");
  if (words[zccReductionThreads] != threads)
    return refuse("launched with other threads than it is told");
  uses.push_back({parameters[0], 8 * (zccReductionWords + sources), false});
  for (uint64_t i = 0; i <= sources; ++i) {
    bool isTarget = i == sources;
    uint64_t at =
        isTarget ? words[zccReductionTarget] : words[zccReductionWords + i];
    uint64_t rows = isTarget ? 1 : count / row,
             bytes = (isTarget ? count : row) * width;
    if (!find(at) || !isWithin(at, (rows - 1) * pitch * width + bytes))
      return refuse("a source or target is of no allocation");
    if (at % width != 0 ||
        (vectors != 0 &&
         (at % zccReductionVectorBytes != 0 ||
          (rows > 1 && (row * width % zccReductionVectorBytes != 0 ||
                        pitch * width % zccReductionVectorBytes != 0)))))
      return refuse("vectors of what is not aligned");
    for (uint64_t r = 0; r < rows; ++r)
      uses.push_back({at + r * pitch * width, bytes, isTarget});
  }
  return success;
}

/// Adds the uses of a launch that runs other kernels, by its table.
static Result usesOfSegments(const std::string &name, const KernelFacts &facts,
                             const std::vector<uint64_t> &parameters,
                             uint32_t blocks, std::vector<Order::Use> &uses) {
  if (parameters.size() != 2)
    return complain(name, ": ", parameters.size(),
                    " parameters, expected a table and words");
  uint64_t bytes = blocks * sizeof(ZccGpuSegment);
  if (!isWord(parameters[0], bytes) || parameters[0] % 16 != 0)
    return complain(name, ": no table of ", blocks, " segments");
  uses.push_back({parameters[0], bytes, false});
  std::set<std::pair<uint32_t, uint32_t>> seen; // member: part and word
  for (uint32_t i = 0; i < blocks; ++i) {
    auto own = wordAt<ZccGpuSegment>(parameters[0] + i * sizeof(ZccGpuSegment));
    if (own.part >= facts.parts.size() || own.count == 0)
      return complain(name, ": segment ", i, " does ", own.count,
                      " blocks of part ", own.part);
    auto known = state.order->kernels.find(facts.parts[own.part]);
    if (known == state.order->kernels.end())
      return complain(name, ": no facts of ", facts.parts[own.part]);
    if (!seen.insert({own.part, own.word}).second)
      continue;
    if (Result wrong =
            useBuffers(known->first, known->second, uses, [&](size_t k) {
              return parameters[1] + 8 * (own.word + uint64_t(k));
            }))
      return wrong;
  }
  return success;
}

/// Adds the uses of a launch, by its words; or returns an error.
static Result usesOf(const FunctionRecord &function,
                     const std::vector<uint64_t> &parameters, uint32_t blocks,
                     uint32_t threads,
                     std::vector<Order::Use> &uses) {
  auto known = state.order->kernels.find(function.name);
  if (known == state.order->kernels.end())
    return success;
  const KernelFacts &facts = known->second;
  if (!facts.parts.empty())
    return usesOfSegments(function.name, facts, parameters, blocks, uses);
  if (facts.reduced != 0)
    return usesOfReduction(function, facts.reduced, uint64_t(blocks) * threads,
                            parameters, uses);
  if (parameters.size() != facts.sizes.size() + 1)
    return complain(function.name, ": ", parameters.size(),
                    " parameters, it has ", facts.sizes.size(),
                    " buffers and a workspace");
  if (Result wrong = useBuffers(function.name, facts, uses,
                                [&](size_t i) { return parameters[i]; }))
    return wrong;
  if (facts.scratch == 0)
    return success;
  if (!find(parameters.back()) || !isWithin(parameters.back(), facts.scratch))
    return complain(function.name, ": the workspace is of no allocation");
  uses.push_back({parameters.back(), facts.scratch, true});
  return success;
}

Result cuModuleLoadDataEx(Module *module, const void *image, unsigned count,
                          int *options, void **values) {
  return inContext("cuModuleLoadDataEx", [&](auto &) {
    if (Result wrong = requireQuiet("cuModuleLoadDataEx"))
      return wrong;
    auto made = std::make_unique<ModuleRecord>();
    made->context = current;
    std::string wrong;
    Result result = loadImage(state, image, *made, wrong);
    if (result != success) {
      for (unsigned i = 0; i < count; ++i)
        if (options[i] == jitErrorLog)
          std::snprintf(static_cast<char *>(values[i]), 256, "%s",
                        wrong.c_str());
      destroyModule(made.release());
      return result;
    }
    *module = made.release();
    state.modules.insert(*module);
    return success;
  });
}

Result cuModuleUnload(Module module) {
  return inContext("cuModuleUnload", [&](auto &) {
    if (!state.modules.erase(module))
      return complain("cuModuleUnload: no module");
    destroyModule(module);
    return success;
  });
}

Result cuModuleGetFunction(Function *function, Module module,
                           const char *name) {
  return inContext("cuModuleGetFunction", [&](auto &) {
    if (!state.modules.count(module))
      return complain("cuModuleGetFunction: no module");
    std::unique_ptr<FunctionRecord> &found = module->functions[name];
    if (!found) {
      if (Result wrong = requireQuiet("cuModuleGetFunction"))
        return wrong;
      found = findFunction(state, *module, name);
    }
    *function = found.get();
    return found ? success : notFound;
  });
}

Result cuFuncGetAttribute(int *value, int attribute, Function function) {
  return inContext("cuFuncGetAttribute", [&](auto &) {
    *value = attribute == functionRegisters ? function->registers : 0;
    return success;
  });
}

Result cuFuncSetAttribute(Function function, int attribute, int value) {
  return inContext("cuFuncSetAttribute", [&](auto &) {
    if (attribute != functionDynamicShared || value < 0 || value > 227 << 10)
      return complain("cuFuncSetAttribute: ", attribute, " of ", value);
    function->sharedLimit = uint32_t(value);
    return success;
  });
}

Result cuLaunchKernel(Function function, unsigned gridX, unsigned gridY,
                      unsigned gridZ, unsigned blockX, unsigned blockY,
                      unsigned blockZ, unsigned shared, StreamHandle stream,
                      void **values, void **extra) {
  const char *name = "cuLaunchKernel";
  return onStream(name, stream, [&](auto &) {
    if (function->context != current)
      return complain(name, ": a function of another context");
    if (gridX == 0 || gridX > INT32_MAX || blockX == 0 || blockX > 1024 ||
        gridY != 1 || gridZ != 1 || blockY != 1 || blockZ != 1)
      return complain(name, ": ", function->name, " of ", gridX, " x ", gridY,
                      " x ", gridZ, " blocks of ", blockX, " x ", blockY, " x ",
                      blockZ, " threads");
    if (shared > function->sharedLimit)
      return complain(name, ": ", function->name, " with ", shared,
                      " bytes of shared memory, it may have ",
                      function->sharedLimit);
    if (function->registers * int((blockX + 31) / 32 * 32) > blockRegisters)
      return complain(name, ": ", function->name, " with ", function->registers,
                      " registers for each of ", blockX, " threads");
    if (values || !extra || uintptr_t(extra[0]) != launchBuffer ||
        uintptr_t(extra[2]) != launchBufferBytes ||
        uintptr_t(extra[4]) != launchEnd)
      return complain(name, ": expected a buffer of parameters");
    size_t bytes = *static_cast<size_t *>(extra[3]);
    std::vector<uint64_t> parameters(bytes / 8);
    std::memcpy(parameters.data(), extra[1], bytes);
    if (function->parameters >= 0 &&
        size_t(function->parameters) != parameters.size())
      return complain(name, ": ", function->name, " with ", parameters.size(),
                      " parameters, it has ", function->parameters);
    std::vector<Order::Use> uses;
    if (state.isRecording)
      if (Result wrong = usesOf(*function, parameters, gridX, blockX, uses))
        return wrong;
    int64_t number = ++state.launches;
    ContextRecord *context = current;
    auto loses = number == state.losesAt ? Result(state.losesWith) : success;
    bool isLate = number >= state.lateAt &&
                  number < state.lateAt + state.lateCount;
    auto late = std::chrono::milliseconds(isLate ? state.lateBy : 0);
    uint64_t seed = state.seed * 1000003 + uint64_t(number);
    if (state.isRecording)
      return enqueue(stream, function->name, uses, nullptr);
    return enqueue(stream, name, uses, [=]() mutable {
      if (loses != success) {
        context->lost = loses;
        return;
      }
      std::this_thread::sleep_for(late);
      std::vector<void *> pointers;
      for (uint64_t &one : parameters)
        pointers.push_back(&one);
      std::string wrong =
          runBlocks(reinterpret_cast<ZccGpuKernel>(function->entry),
                    pointers.data(), {gridX, blockX, shared}, seed);
      if (wrong.empty())
        return;
      complain(function->name, ": ", wrong);
      context->lost = launchFailed;
    });
  });
}
