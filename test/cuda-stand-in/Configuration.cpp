// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the configuration of the stand-in from the variable ZCC_CUDA_STAND_IN.

#include "test/cuda-stand-in/StandIn.h"

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <sstream>
#include <sys/mman.h>

namespace zcc::standin {

/// The numbers of those of `gpus` GPUs that CUDA_VISIBLE_DEVICES shows.
static std::vector<int> visibleGpus(int gpus) {
  std::vector<int> visible;
  const char *given = std::getenv("CUDA_VISIBLE_DEVICES");
  if (given) {
    std::istringstream numbers(given);
    for (std::string number; std::getline(numbers, number, ',');)
      if (int own = std::atoi(number.c_str()); own < gpus)
        visible.push_back(own);
    return visible;
  }
  for (int i = 0; i < gpus; ++i)
    visible.push_back(i);
  return visible;
}

Result configure(State &state) {
  const char *given = std::getenv("ZCC_CUDA_STAND_IN");
  State fresh;
  fresh.streamsEver = state.streamsEver; // clocks of threads outlive a run
  if (const char *queues = std::getenv(queuesVariable))
    fresh.queuesOfGpu = std::min(std::max(std::atoi(queues), 1), mostQueues);
  std::string kernels;
  int threads = 3, gpus = 1;
  bool hasCapability = false;
  std::istringstream words(given ? given : "");
  for (std::string word; std::getline(words, word, ',');) {
    size_t equals = word.find('=');
    std::string name = word.substr(0, equals),
                value =
                    equals == std::string::npos ? "" : word.substr(equals + 1);
    std::istringstream fields(value);
    char colon;
    if (name == "mode")
      fresh.isRecording = value == "record";
    else if (name == "capability")
      hasCapability = bool(fields >> fresh.capability);
    else if (name == "gpus")
      fields >> gpus;
    else if (name == "sms")
      fields >> fresh.multiprocessors;
    else if (name == "registers")
      fields >> fresh.registers;
    else if (name == "others")
      fields >> fresh.others;
    else if (name == "pinned-fills")
      fields >> fresh.fillsPinnedInGraphs;
    else if (name == "peers")
      fields >> fresh.connectsPeers;
    else if (name == "memory")
      fields >> fresh.memory;
    else if (name == "held")
      fields >> fresh.held;
    else if (name == "version")
      fields >> fresh.version;
    else if (name == "seed")
      fields >> fresh.seed;
    else if (name == "name")
      fresh.name = value;
    else if (name == "cublaslt")
      fields >> fresh.cublasLt;
    else if (name == "cudnn")
      fields >> fresh.cudnn >> colon >> fresh.cudnnCuda;
    else if (name == "nccl")
      fields >> fresh.nccl;
    else if (name == "algorithms")
      fields >> fresh.algorithms >> colon >> fresh.fastest;
    else if (name == "threads")
      fields >> threads;
    else if (name == "kernels")
      kernels = value;
    else if (name == "counts")
      fresh.countsFile = value;
    else if (name == "fail" && std::getline(fields, fresh.failing, ':'))
      fields >> fresh.failsAt >> colon >> fresh.failsWith;
    else if (name == "late")
      fields >> fresh.lateAt >> colon >> fresh.lateBy >> colon >>
          fresh.lateCount;
    else if (name == "lose")
      fields >> fresh.losesAt >> colon >> fresh.losesWith;
    else {
      std::cerr << "stand-in: unknown word \"" << word << "\"\n";
      return notInitialized;
    }
  }
  if (fresh.isRecording && !hasCapability)
    fresh.capability = 90;
  if (fresh.memory == 0)
    fresh.memory = uint64_t(1) << (fresh.isRecording ? 40 : 33);
  if (fresh.isRecording) {
    fresh.order = std::make_unique<Order>();
    fresh.order->kernels = readKernelFacts(kernels);
  } else {
    fresh.queues = std::make_unique<Queues>(fresh.seed, threads);
  }
  fresh.visible = visibleGpus(gpus);
  for (int i = 0; i < int(fresh.visible.size()); ++i) {
    fresh.contexts.push_back(std::make_unique<ContextRecord>());
    fresh.contexts.back()->device = i;
  }
  fresh.isReady = true;
  state.queues.reset(); // its work uses the contexts
  state = std::move(fresh);
  return state.visible.empty() ? noDevice : success;
}

/// -1: the processor has none.
static int pageKey() {
  static const int key = pkey_alloc(0, PKEY_DISABLE_ACCESS);
  return key;
}

void *takePages(size_t bytes) {
  void *made = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (made == MAP_FAILED)
    return nullptr;
  if (pageKey() >= 0)
    (void)pkey_mprotect(made, bytes, PROT_READ | PROT_WRITE, pageKey());
  return made;
}

void givePages(void *at, size_t bytes) { munmap(at, bytes); }

void allowPages() {
  if (pageKey() >= 0)
    (void)pkey_set(pageKey(), 0);
}

} // namespace zcc::standin
