// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares generated matrix products with oneDNN's: large ones in every layout
// with epilogues, batched ones of attention read in place, small ones.
#include "benchmarks/products/OneDnn.h"
#include "compiler/cpu/Codegen.h"
#include "dialects/Train/Train.h"
#include "mlir/Parser/Parser.h"
#include "runtime/core/ThreadPool.h"

#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <dlfcn.h>
#include <fcntl.h>
#include <map>
#include <sys/mman.h>
#include <thread>
#include <unistd.h>

namespace zcc::benchmark {
namespace {

// Dims are letters: 'b', 'h' batch; 'm' rows; 'n' columns; 'k' contracted.
struct Case {
  std::string name;
  std::map<char, int64_t> extents;
  std::string lhs, rhs, result;
  Epilogue epilogue = Epilogue::None;
  std::string element = "f32";
};

std::vector<Case> cases() {
  std::vector<Case> list;
  std::map<char, int64_t> large{{'m', 1024}, {'k', 768}, {'n', 3072}};
  auto add = [&](const std::string &name, std::map<char, int64_t> extents,
                 const char *lhs, const char *rhs, const char *result,
                 Epilogue e = Epilogue::None, const char *element = "f32") {
    list.push_back({name, std::move(extents), lhs, rhs, result, e, element});
  };
  const std::pair<const char *, std::pair<const char *, const char *>>
      layouts[] = {
          {"NN", {"mk", "kn"}}, {"NT", {"mk", "nk"}}, {"TN", {"km", "kn"}}};
  const std::pair<const char *, Epilogue> epilogues[] = {
      {"", Epilogue::None},
      {" bias", Epilogue::Bias},
      {" residual", Epilogue::Residual},
      {" accumulate", Epilogue::Accumulate},
      {" gelu", Epilogue::Gelu}};
  for (auto [layout, operands] : layouts)
    for (auto [name, e] : epilogues)
      add(std::string("large ") + layout + name, large, operands.first,
          operands.second, "mn", e);
  for (auto [layout, operands] : layouts)
    add(std::string("large ") + layout + " bf16", large, operands.first,
        operands.second, "mn", Epilogue::None, "bf16");
  std::map<char, int64_t> scores{
      {'b', 8}, {'h', 8}, {'m', 256}, {'n', 256}, {'k', 32}};
  std::map<char, int64_t> values{
      {'b', 8}, {'h', 8}, {'m', 256}, {'n', 32}, {'k', 256}};
  add("attention q k'", scores, "bmhk", "bnhk", "bhmn");
  add("attention p v", values, "bhmk", "bkhn", "bmhn");
  add("attention p' do", values, "bhkm", "bkhn", "bmhn");
  add("attention do v'", scores, "bmhk", "bnhk", "bhmn");
  add("attention ds k", values, "bhmk", "bkhn", "bmhn");
  for (auto [m, k, n] : {std::array<int64_t, 3>{32, 16, 64},
                         {32, 64, 10},
                         {64, 64, 64},
                         {128, 32, 128},
                         {256, 16, 16},
                         {1, 256, 256},
                         {512, 512, 10},
                         {1000, 1000, 1000},
                         {2048, 256, 256},
                         {256, 2048, 256}})
    for (auto [layout, operands] : layouts)
      add("m " + std::to_string(m) + " k " + std::to_string(k) + " n " +
              std::to_string(n) + " " + layout,
          {{'m', m}, {'k', k}, {'n', n}}, operands.first, operands.second,
          "mn");
  return list;
}

std::string typeText(const Case &c, const std::string &dims,
                     const std::string &element) {
  std::string text = "tensor<";
  for (char d : dims)
    text += std::to_string(c.extents.at(d)) + "x";
  return text + element + ">";
}

// The kernel function: the product's own dims are batch, m, n; a transpose
// gives the result's order.
std::string kernelText(const Case &c) {
  std::string natural, l = typeText(c, c.lhs, c.element),
                       r = typeText(c, c.rhs, c.element);
  std::string lists[4] = {"array<i64", "array<i64", "array<i64", "array<i64"};
  auto push = [](std::string &list, size_t value) {
    list += (list.back() == '4' ? ": " : ", ") + std::to_string(value);
  };
  for (size_t i = 0; i < c.lhs.size(); ++i) {
    char d = c.lhs[i];
    if (d == 'm')
      continue;
    push(lists[d == 'k' ? 2 : 0], i);
    push(lists[d == 'k' ? 3 : 1], c.rhs.find(d));
    if (d != 'k')
      natural += d;
  }
  natural += "mn";
  std::string d = typeText(c, natural, "f32"), t = typeText(c, c.result, "f32");
  std::string text = "func.func @k(%l: " + l + ", %r: " + r;
  if (c.epilogue == Epilogue::Bias || c.epilogue == Epilogue::Gelu)
    text += ", %x: " + typeText(c, "n", "f32");
  else if (c.epilogue != Epilogue::None)
    text += ", %x: " + t;
  text += ") -> " + t +
          " {\n%d = train.dot_general %l, %r {lhs_batching = " + lists[0] +
          ">, rhs_batching = " + lists[1] + ">, lhs_contracting = " + lists[2] +
          ">, rhs_contracting = " + lists[3] + ">} : (" + l + ", " + r +
          ") -> " + d + "\n";
  std::string last = "%d";
  auto binary = [&](const char *to, const char *op, const std::string &x,
                    const std::string &y) {
    text += std::string(to) + " = train." + op + " " + x + ", " + y + " : (" +
            t + ", " + t + ") -> " + t + "\n";
    last = to;
  };
  auto constant = [&](const char *to, const char *value) {
    text += std::string(to) + " = train.constant dense<" + value + "> : " + t +
            "\n";
  };
  if (natural != c.result) {
    std::string permutation = "array<i64";
    for (char dim : c.result)
      push(permutation, natural.find(dim));
    text += "%t = train.transpose %d {permutation = " + permutation + ">} : (" +
            d + ") -> " + t + "\n";
    last = "%t";
  }
  if (c.epilogue == Epilogue::Bias || c.epilogue == Epilogue::Gelu) {
    text += "%b = train.broadcast_in_dim %x {dims = array<i64: " +
            std::to_string(c.result.size() - 1) + ">} : (" +
            typeText(c, "n", "f32") + ") -> " + t + "\n";
    binary("%y", "add", last, "%b");
  } else if (c.epilogue != Epilogue::None) {
    binary("%y", "add", last, "%x");
  }
  if (c.epilogue == Epilogue::Gelu) {
    constant("%c0", "0.044715");
    constant("%c1", "0.7978846");
    constant("%c2", "0.5");
    constant("%c3", "1.0");
    binary("%0", "multiply", "%y", "%y");
    binary("%1", "multiply", "%0", "%y");
    binary("%2", "multiply", "%1", "%c0");
    binary("%3", "add", "%y", "%2");
    binary("%4", "multiply", "%3", "%c1");
    text += "%5 = train.tanh %4 : (" + t + ") -> " + t + "\n";
    binary("%6", "add", "%5", "%c3");
    binary("%7", "multiply", "%y", "%6");
    binary("%8", "multiply", "%7", "%c2");
  }
  return text + "return " + last + " : " + t + "\n}\n";
}

StridedMatrix stridedMatrix(const Case &c, const std::string &stored,
                            const std::string &as) {
  std::map<char, int64_t> strides;
  int64_t stride = 1;
  for (size_t i = stored.size(); i-- > 0;) {
    strides[stored[i]] = stride;
    stride *= c.extents.at(stored[i]);
  }
  StridedMatrix m;
  for (char d : as) {
    m.shape.push_back(c.extents.at(d));
    m.strides.push_back(strides[d]);
  }
  return m;
}

struct Options {
  int threads = 1;
  int64_t tile = 0;
  std::string filter, cpu = "native";
  std::string library; // where to keep the last case's code
};

using Kernel = void (*)(void *const *, int64_t, int64_t, void *);

// One thread is measured by the time that it really ran: the machine may be
// busy.
double secondsOf(const std::function<void()> &f, int threads) {
  auto now = [&] {
    timespec t;
    clock_gettime(threads == 1 ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC, &t);
    return t.tv_sec + 1e-9 * t.tv_nsec;
  };
  double start = now();
  f();
  return now() - start;
}

bool runCase(const Case &c, const Options &options, mlir::MLIRContext &context,
             rt::ThreadPool &pool) {
  auto module =
      mlir::parseSourceString<mlir::ModuleOp>(kernelText(c), &context);
  if (!module)
    return false;
  auto target = getCpuLevel(options.cpu, [](const llvm::Twine &text) {
    fprintf(stderr, "%s\n", text.str().c_str());
  });
  if (failed(target))
    return false;
  mlir::func::FuncOp function = *module->getOps<mlir::func::FuncOp>().begin();
  CodegenOptions codegen;
  codegen.tile = options.tile;
  auto compiled = compileKernels({function}, *target, codegen);
  if (failed(compiled))
    return false;
  const KernelInfo &info = compiled->kernels[0];
  int file = options.library.empty() ? memfd_create("kernels", 0)
                                     : open(options.library.c_str(),
                                            O_RDWR | O_CREAT | O_TRUNC, 0755);
  if (write(file, compiled->object.data(), compiled->object.size()) < 0)
    return false;
  void *library =
      dlopen(("/proc/self/fd/" + std::to_string(file)).c_str(), RTLD_NOW);
  close(file);
  if (!library)
    return false;
  auto kernel = reinterpret_cast<Kernel>(dlsym(library, info.symbol.c_str()));

  std::vector<void *> buffers;
  auto allocate = [&](mlir::Type type) {
    auto tensor = mlir::cast<mlir::RankedTensorType>(type);
    bool narrow = tensor.getElementType().isBF16();
    int64_t n = tensor.getNumElements();
    void *data = aligned_alloc(64, (n * 4 + 127) / 64 * 64);
    for (int64_t i = 0; i < n; ++i) {
      float value = (i * 7919 % 2001 - 1000) / 1000.0f;
      uint32_t bits;
      memcpy(&bits, &value, 4);
      if (narrow)
        static_cast<uint16_t *>(data)[i] = bits >> 16;
      else
        static_cast<float *>(data)[i] = value;
    }
    buffers.push_back(data);
  };
  for (mlir::Type type : function.getArgumentTypes())
    allocate(type);
  for (mlir::Type type : function.getResultTypes())
    allocate(type);
  // C += A B, as the peer does it.
  std::vector<void *> owned = buffers;
  if (c.epilogue == Epilogue::Accumulate)
    buffers.back() = buffers[2];
  pool.reserveScratch(info.scratchBytes);
  struct Call {
    Kernel kernel;
    void *const *buffers;
    rt::ThreadPool *pool;
  } call{kernel, buffers.data(), &pool};
  auto ours = [&] {
    pool.run(
        [](void *context, int64_t begin, int64_t end, int thread) {
          auto &call = *static_cast<Call *>(context);
          call.kernel(call.buffers, begin, end, call.pool->scratch(thread));
        },
        &call, info.items, info.itemNanoseconds);
  };
  std::vector<std::function<void()>> peers;
#ifdef ZCC_WITH_DNNL
  if (c.element == "f32") {
    std::string batches;
    for (char d : c.lhs)
      if (d != 'm' && d != 'k')
        batches += d;
    void *extra = buffers.size() > 3 ? buffers[2] : nullptr;
    bool plain = batches.empty() && (c.epilogue == Epilogue::None ||
                                     c.epilogue == Epilogue::Accumulate);
    for (bool gemm : {false, true})
      if (!gemm || plain)
        peers.push_back(
            makeOneDnnProduct(stridedMatrix(c, c.lhs, batches + "mk"),
                              stridedMatrix(c, c.rhs, batches + "kn"),
                              stridedMatrix(c, c.result, batches + "mn"),
                              c.epilogue, options.threads, buffers[0],
                              buffers[1], buffers.back(), extra, gemm));
  }
#endif
  double flops = 2;
  for (auto [d, extent] : c.extents)
    flops *= extent;
  // In turns, so that both see the same machine; with a pause between, in which
  // the other's threads stop spinning.
  double best = INFINITY, peerBest = INFINITY;
  int rounds = std::min(400.0, std::max(3.0, 0.8e10 / flops));
  auto pause = [&] {
    std::this_thread::sleep_for(
        std::chrono::milliseconds(options.threads > 1 ? 30 : 1));
  };
  for (int turn = 0; turn < 6; ++turn) {
    pause();
    for (int round = 0; round < rounds; ++round)
      best = std::min(best, secondsOf(ours, options.threads));
    for (const std::function<void()> &peer : peers) {
      if (!peer)
        continue;
      pause();
      for (int round = 0; round < rounds; ++round)
        peerBest = std::min(peerBest, secondsOf(peer, options.threads));
    }
  }
  printf("%-26s %8.1f", c.name.c_str(), flops / best * 1e-9);
  if (!peers.empty())
    printf(" %8.1f  %5.2f", flops / peerBest * 1e-9, peerBest / best);
  printf("   (%.1f us, %lld items)\n", best * 1e6,
         static_cast<long long>(info.items));
  fflush(stdout);
  for (void *data : owned)
    free(data);
  dlclose(library);
  return true;
}

} // namespace
} // namespace zcc::benchmark

int main(int argc, char **argv) {
  using namespace zcc::benchmark;
  Options options;
  for (int i = 1; i + 1 < argc; i += 2) {
    std::string option = argv[i], value = argv[i + 1];
    if (option == "--threads")
      options.threads = std::stoi(value);
    else if (option == "--filter")
      options.filter = value;
    else if (option == "--tile")
      options.tile = std::stoi(value);
    else if (option == "--cpu")
      options.cpu = value;
    else if (option == "--library")
      options.library = value;
    else
      return fprintf(stderr, "unknown option %s\n", argv[i]), 2;
  }
  mlir::DialectRegistry registry;
  registry.insert<mlir::func::FuncDialect, zcc::train::TrainDialect>();
  mlir::MLIRContext context(registry);
  zcc::rt::ThreadPool pool(options.threads, zcc::rt::SpinPolicy{});
  printf("%-26s %8s %8s\n", "GFLOP/s", "zcc", "oneDNN");
  for (const Case &c : cases())
    if (c.name.find(options.filter) != std::string::npos &&
        !runCase(c, options, context, pool))
      return fprintf(stderr, "%s failed\n", c.name.c_str()), 1;
}
