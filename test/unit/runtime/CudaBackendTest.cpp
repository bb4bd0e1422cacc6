// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The backend of GPUs on the stand-in for their driver: training gives the same
// bits as on a CPU, and missing parts and errors are named.

#include "CudaStandIn.h"
#include "Files.h"
#include "Toy.h"
#include "Train.h"

#include "runtime/comm/InProcess.h"
#include "runtime/core/Error.h"
#include "runtime/core/Executor.h"
#include "runtime/cpu/CpuBackend.h"
#include "runtime/cuda/CudaDevice.h"
#include "runtime/cuda/Gpu.h"
#include "runtime/format/Mesh.h"
#include "runtime/format/Validate.h"
#include "runtime/launch/ProgressWatch.h"

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

using namespace zcc::rt;
using namespace zcc::rt::test;

namespace {

ToyOptions toyOf(int data, int stages, int microbatches, bool shard) {
  ToyOptions toy;
  toy.data = data;
  toy.stages = stages;
  toy.microbatches = microbatches;
  toy.shardWeights = shard;
  return toy;
}

TEST(CudaBackendTest, TrainsTheSameBitsAsACpu) {
  for (int stages : {1, 2})
    for (int microbatches : {1, 2})
      for (bool shard : {false, true})
        for (const char *words : {"seed=1", "seed=2,gpus=3"}) {
          ToyOptions toy = toyOf(2, stages, microbatches, shard);
          SCOPED_TRACE(::testing::Message() << stages << " " << microbatches
                                            << " " << shard << " " << words);
          Left cpu = train(cpuBackend(), toy, 4);
          toy.cuda = true;
          StandIn standIn(words);
          for (bool streams : {false, true}) {
            toy.streams = streams;
            Left gpu = train(*standIn.backend(), toy, 4);
            EXPECT_EQ(cpu.losses, gpu.losses);
            EXPECT_EQ(cpu.states, gpu.states);
            EXPECT_EQ(cpu.observed, gpu.observed);
          }
        }
}

TEST(CudaBackendTest, GraphsGiveTheSameBits) {
  ToyOptions toy = toyOf(2, 1, 2, true);
  Left cpu = train(cpuBackend(), toy, 4);
  toy.cuda = true;
  // Also where the driver makes none of some.
  for (const char *call : {"cuStreamBeginCapture_v2", "cuStreamEndCapture",
                           "cuGraphInstantiateWithFlags"})
    for (bool usesGraphs : {true, false}) {
      StandIn standIn(text("fail=", call, ":2:801"));
      auto backend = makeCudaBackend({StandIn::path(), {}, "", usesGraphs});
      Left gpu = train(*backend, toy, 4);
      EXPECT_EQ(cpu.states, gpu.states);
      EXPECT_EQ(cpu.losses, gpu.losses);
    }
}

TEST(CudaBackendTest, StepsAreSeenWhenTheyRun) {
  ToyOptions toy = toyOf(2, 1, 1, false);
  toy.cuda = true;
  format::Executable executable = makeToy(toy);
  StandIn standIn("");
  auto backend = standIn.backend();
  RankHost ranks(executable, *backend, {});
  std::vector<std::vector<Span>> spans;
  ranks.record(spans);
  ranks.onAllRanks([&](int rank) { ranks.runStep(rank, false); });
  size_t steps = 0;
  for (const format::Action &action : executable.stages(0).actions())
    steps += size_t(
        executable.stages(0).tasks(int(action.run().task())).steps_size());
  EXPECT_EQ(spans[1].size(), steps);
  for (const Span &span : spans[1])
    EXPECT_LE(span.begin, span.end) << span.step->name();
}

TEST(CudaBackendTest, StreamsAreSeenWhereTheyAre) {
  ToyOptions toy = toyOf(2, 1, 2, false);
  toy.cuda = toy.streams = true;
  format::Executable executable = makeToy(toy);
  StandIn standIn("late=9:300");
  auto backend = standIn.backend();
  RankHost ranks(executable, *backend, {});
  std::vector<std::vector<Span>> spans;
  auto step = [&] {
    ranks.onAllRanks([&](int rank) {
      ranks.runStep(rank, false);
      ranks.device(rank).wait(ranks.device(rank).mainStream());
    });
  };
  auto begin = std::chrono::steady_clock::now();
  auto watch = ranks.watchProgress(spans);
  ASSERT_TRUE(watch);
  // In the third tasks are graphs.
  for (int i = 0; i < 3; ++i)
    step();
  watch.reset();
  auto end = std::chrono::steady_clock::now();
  ASSERT_EQ(spans.size(), 2u);
  std::chrono::steady_clock::duration longest{};
  for (const std::vector<Span> &own : spans) {
    EXPECT_FALSE(own.empty());
    std::map<uint32_t, std::chrono::steady_clock::time_point> last;
    for (const Span &span : own) {
      EXPECT_EQ(span.kind, Span::Progress);
      EXPECT_FALSE(span.from->empty() || span.to->empty());
      EXPECT_GE(span.begin, std::max(begin, last[span.stream]));
      EXPECT_LE(span.begin, span.end);
      EXPECT_LE(span.end, end);
      last[span.stream] = span.end;
      longest = std::max(longest, span.end - span.begin);
    }
  }
  EXPECT_GE(longest, std::chrono::milliseconds(290));
}

TEST(CudaBackendTest, WhereTheHostKnowsNothingIsWatched) {
  format::Executable executable = makeToy(toyOf(1, 1, 1, false));
  RankHost ranks(executable, cpuBackend(), {});
  std::vector<std::vector<Span>> spans;
  EXPECT_FALSE(ranks.watchProgress(spans));
}

/// Expects that the body throws an error of this status with these words.
template <typename Body>
void expectError(Status status, const std::string &words, Body body) {
  try {
    body();
    ADD_FAILURE() << words;
  } catch (const Error &error) {
    EXPECT_EQ(error.status, status);
    EXPECT_NE(std::string(error.what()).find(words), std::string::npos)
        << error.what();
  }
}

format::Executable cudaToy(int data = 1) {
  ToyOptions toy = toyOf(data, 1, 1, false);
  toy.cuda = true;
  return makeToy(toy);
}

void expectRefused(const std::string &driver, const std::string &words,
                   std::vector<int> gpus = {}) {
  expectError(Status::BadInput, words, [&] {
    makeCudaBackend({driver, gpus})->check(cudaToy());
  });
}

TEST(CudaBackendTest, WhatTheMachineLacksIsNamed) {
  expectRefused("/nowhere/libcuda.so", "no CUDA driver: /nowhere/libcuda.so");
  expectRefused(CUDA_TOY_KERNELS, "has no cuInit, expected one of CUDA 12.0");
  StandIn standIn("version=11080");
  expectRefused(StandIn::path(), "is of CUDA 11.8, expected 12.0 or later");
  StandIn none("gpus=0");
  expectRefused(StandIn::path(), "finds no GPU");
  StandIn one("gpus=1");
  expectRefused(StandIn::path(), "--gpus: GPU 1, this machine has 1", {1});
  StandIn failing("fail=cuDeviceGetCount:1:3");
  expectRefused(StandIn::path(), "does not start: error 3 of the driver");
  StandIn other("mode=record,capability=90");
  expectRefused(
      StandIn::path(),
      "the executable has code for host, none for GPU 0 (stand-in, sm_90)");
}

TEST(CudaBackendTest, TooManyRegistersAreNamed) {
  format::Executable executable = cudaToy();
  executable.mutable_kernels(0)->set_threads(1000);
  auto load = [&](const std::string &words) {
    StandIn standIn(words);
    cuda::Driver driver(StandIn::path());
    cuda::Gpu(driver, cuda::readFacts(driver, 0)).load(executable);
  };
  load("registers=64");
  expectError(Status::BadInput,
              text("kernel \"", executable.kernels(0).symbol(),
                   "\" has 65 registers for each of 1000 threads of a block on "
                   "GPU 0 (stand-in, host), which has 65536 for a block"),
              [&] { load("registers=65"); });
}

TEST(CudaBackendTest, CodeThatItCannotRunIsNamed) {
  StandIn standIn("");
  auto backend = standIn.backend();
  auto expect = [&](const std::string &words, auto change) {
    format::Executable executable = cudaToy();
    change(executable);
    expectError(Status::BadInput, words, [&] { backend->check(executable); });
  };
  expect("is code for \"cpu\", in a program for \"cuda\"", [](auto &e) {
    e.add_codes()->set_target("cpu");
    e.mutable_kernels(0)->set_code(1);
  });
}

TEST(CudaBackendTest, MemoryIsAskedForBeforeAnythingIsLoaded) {
  StandIn standIn("memory=1000,fail=cuModuleLoadDataEx:1:999");
  expectError(Status::Failed, "the arenas of 2 ranks take ",
              [&] { RankHost(cudaToy(2), *standIn.backend(), {}); });
}

TEST(CudaBackendTest, LibrariesThatAreExpectedCount) {
  StandIn standIn("memory=50000,held=8000,fail=cuModuleLoadDataEx:1:999");
  format::Executable executable = cudaToy(2);
  executable.set_library_bytes(60000);
  expectError(Status::Failed, " bytes and libraries about 52000, GPU 0",
              [&] { RankHost(executable, *standIn.backend(), {}); });
}

TEST(CudaBackendTest, WhatLibrariesHoldIsMeasured) {
  StandIn standIn("held=8000");
  format::Executable executable = cudaToy(2);
  auto backend = standIn.backend();
  RankHost ranks(executable, *backend, {});
  // A context, a module, and room of both ranks for what collectives exchange and
  // for the next step's inputs; whatever the arenas are.
  EXPECT_EQ(ranks.device(0).libraryBytes(), 9512u);
  EXPECT_EQ(ranks.device(1).libraryBytes(), 9512u);
}

TEST(CudaBackendTest, ProcessesDoNotShareAGpu) {
  StandIn standIn("gpus=1");
  auto backend = standIn.backend();
  format::Executable executable = cudaToy(2);
  Mesh mesh(executable);
  ThreadPool pool(1, SpinPolicy{});
  InProcessHub hub(2, neverCancelled, SpinPolicy{});
  auto start = [&](int rank) {
    std::unique_ptr<Transport> transport = hub.connect(rank, pool);
    Observer observer;
    RankSetting setting{mesh, rank, pool, *transport, observer, neverCancelled};
    setting.localIndex = rank;
    setting.localRanks = 2;
    setting.isProcess = true;
    expectError(Status::BadInput,
                "ranks 0 and 1 are processes that both have GPU 0 (stand-in, ",
                [&] { backend->load(executable)->makeDevice(setting); });
  };
  std::thread other([&] { start(1); });
  start(0);
  other.join();
}

TEST(CudaBackendTest, AGpuIsNearANode) {
  TemporaryFolder folder;
  StandIn standIn("gpus=3");
  cuda::Driver driver(StandIn::path());
  for (auto [gpu, words] : {std::pair(0, "1\n"), {1, "-1\n"}}) {
    std::string place = folder / text("bus/pci/devices/0000:1", gpu, ":00.0");
    std::filesystem::create_directories(place);
    writeFile(place + "/numa_node", words);
  }
  auto node = [&](int gpu) {
    return cuda::numaNodeOf(cuda::readFacts(driver, gpu), folder / "");
  };
  EXPECT_EQ(node(0), 1);
  EXPECT_EQ(node(1), -1);
  EXPECT_EQ(node(2), -1);
}

TEST(CudaBackendTest, ErrorsOfLaunchesNameTheStep) {
  auto words = "lose=3:214";
  StandIn standIn(words);
  expectError(Status::Failed,
              "GPU 0 (stand-in, host): uncorrectable ECC error encountered "
              "(CUDA_ERROR_ECC_UNCORRECTABLE), in one of the steps up to ",
              [&] {
                train(
                    *standIn.backend(),
                    [] {
                      ToyOptions toy;
                      toy.cuda = true;
                      return toy;
                    }(),
                    1);
              });
  StandIn failing("fail=cuLaunchKernel:2:719");
  expectError(Status::Failed,
              "unspecified launch failure (CUDA_ERROR_LAUNCH_FAILED)", [&] {
                train(
                    *failing.backend(),
                    [] {
                      ToyOptions toy;
                      toy.cuda = true;
                      return toy;
                    }(),
                    1);
              });
}

TEST(CudaBackendTest, DescribesWhatIsThere) {
  StandIn standIn("gpus=2");
  auto facts = standIn.backend()->describe(cudaToy());
  ASSERT_EQ(facts.size(), 5u);
  EXPECT_EQ(facts[0].second, "host");
  EXPECT_EQ(facts[2].second, "CUDA 13.0");
  EXPECT_EQ(facts[4].first, "GPU 1 (stand-in, host)");
  EXPECT_NE(facts[4].second.find("the code loads"), std::string::npos);
  facts = makeCudaBackend({"/nowhere", {}})->describe(cudaToy());
  EXPECT_NE(facts.back().second.find("none: no CUDA driver"),
            std::string::npos);
}

std::string imageFor(std::vector<std::pair<const char *, const char *>> images,
                     int capability) {
  format::Code code;
  for (auto [device, object] : images) {
    format::Image &image = *code.add_images();
    image.set_device(device);
    image.set_object(object);
  }
  std::vector<std::string> names;
  for (const format::Image *image : cuda::suitableImages(code, capability))
    names.push_back(
        text(image->device(), cuda::isBinary(*image) ? " cubin" : " ptx"));
  return names.empty() ? "none" : listText(names, 1000);
}

TEST(CudaBackendTest, TakesTheImageThatSuitsAChip) {
  const char *elf = "\177ELF", *ptx = ".version 7.0";
  EXPECT_EQ(imageFor({{"sm_80", ptx}, {"sm_90", ptx}}, 90),
            "sm_90 ptx, sm_80 ptx");
  EXPECT_EQ(imageFor({{"sm_80", ptx}, {"sm_90", ptx}}, 89), "sm_80 ptx");
  EXPECT_EQ(imageFor({{"sm_80", ptx}, {"sm_100", ptx}}, 120),
            "sm_100 ptx, sm_80 ptx");
  EXPECT_EQ(imageFor({{"sm_80", ptx}, {"sm_80", elf}}, 86),
            "sm_80 cubin, sm_80 ptx");
  EXPECT_EQ(imageFor({{"sm_80", elf}, {"sm_86", elf}}, 89),
            "sm_86 cubin, sm_80 cubin");
  EXPECT_EQ(imageFor({{"sm_90", ptx}, {"sm_86", elf}}, 80), "none");
  EXPECT_EQ(imageFor({{"sm_80", ptx}, {"sm_80", elf}}, 90), "sm_80 ptx");
  EXPECT_EQ(imageFor({{"host", elf}, {"sm_80", ptx}}, 0), "host cubin");
  EXPECT_EQ(imageFor({{"host", elf}}, 80), "none");
}

/// A cubin as far as the stand-in looks: a header, and the names of kernels.
std::string fakeCubin(unsigned char abi, const std::string &kernel) {
  std::string bytes(64, 0);
  bytes.replace(0, 4, "\177ELF");
  bytes[8] = char(abi); // EI_ABIVERSION
  bytes += kernel + '\0';
  uint64_t end = bytes.size();
  std::memcpy(&bytes[40], &end, 8); // e_shoff: no sections, which come last
  return bytes;
}

std::string fakePtx(const char *version, const std::string &kernel) {
  return text(".version ", version, "\n.target sm_90\n.visible .entry ", kernel,
              "()\n{\n}\n");
}

/// Loads code of these images and returns how often the driver was asked to.
int64_t loadImages(const std::string &words,
                   const std::vector<std::string> &images) {
  StandIn standIn("mode=record,capability=90," + words);
  format::Executable executable;
  format::Code &code = *executable.add_codes();
  code.set_target("cuda");
  for (const std::string &bytes : images) {
    format::Image &image = *code.add_images();
    image.set_device("sm_90");
    image.set_object(bytes);
  }
  executable.add_kernels()->set_symbol("k");
  cuda::Driver driver(StandIn::path());
  cuda::Gpu gpu(driver, cuda::readFacts(driver, 0));
  gpu.load(executable);
  return standIn.countCalls("cuModuleLoadDataEx");
}

TEST(CudaBackendTest, ImagesThatTheDriverRefusesAreFollowedByTheNext) {
  std::string cubin = fakeCubin(8, "k"), older = fakeCubin(7, "k"),
              ptx = fakePtx("7.8", "k"), newer = fakePtx("8.8", "k");
  EXPECT_EQ(loadImages("version=13000", {ptx, cubin}), 1);
  EXPECT_EQ(loadImages("version=12080", {ptx, older}), 1);
  EXPECT_EQ(loadImages("version=12080", {ptx, cubin}), 2);
  for (int code : {200, 209, 801})
    EXPECT_EQ(
        loadImages(text("fail=cuModuleLoadDataEx:1:", code), {older, ptx}), 2);
  expectError(Status::BadInput,
              "the driver of CUDA 12.8 loads no image of the executable into "
              "GPU 0 (stand-in, sm_90): sm_90 (cubin): no kernel image is "
              "available for execution on the device "
              "(CUDA_ERROR_NO_BINARY_FOR_GPU); sm_90 (PTX): the provided PTX "
              "was compiled with an unsupported toolchain. "
              "(CUDA_ERROR_UNSUPPORTED_PTX_VERSION); expected a newer driver",
              [&] {
                loadImages("version=12080", {newer, cubin});
              });
  // An error that is no fault of an image ends the load at once.
  expectError(Status::Failed, "cannot load the code into GPU 0 ", [&] {
    loadImages("fail=cuModuleLoadDataEx:1:2", {older, ptx});
  });
}

/// Work of other threads for a run is over when the run has failed.
TEST(CudaBackendTest, FailsBesideTheHostsWork) {
  ToyOptions toy = toyOf(2, 1, 2, true);
  toy.cuda = toy.streams = true;
  for (int launch : {1, 4, 7, 12, 20})
    for (const char *what : {"lose=", "fail=cuLaunchKernel:"}) {
      StandIn standIn(text(what, launch, ":700,seed=", launch));
      expectError(Status::Failed, "CUDA_ERROR_ILLEGAL_ADDRESS",
                  [&] { train(*standIn.backend(), toy, 3); });
    }
}

/// Kernels that are launched by hand.
format::Executable blockKernels() {
  std::ifstream file(CUDA_TOY_KERNELS, std::ios::binary);
  std::ostringstream bytes;
  bytes << file.rdbuf();
  format::Executable executable;
  format::Code &code = *executable.add_codes();
  code.set_target("cuda");
  code.add_images()->set_device("host");
  code.mutable_images(0)->set_object(bytes.str());
  for (const char *symbol :
       {"block_sum", "missed_barrier", "neighbors", "racing_neighbors",
        "racing_reader", "beyond_shared", "misaligned_word", "multiplied",
        "torn_warp"})
    executable.add_kernels()->set_symbol(symbol);
  return executable;
}

/// A copy to the host's memory does not block its caller inside the driver: the
/// run may be cancelled meanwhile.
TEST(CudaBackendTest, CopyingOutIsCancelled) {
  using namespace std::chrono_literals;
  format::Executable executable = blockKernels();
  StandIn standIn("late=1:10000");
  cuda::Driver driver(StandIn::path());
  cuda::Gpu gpu(driver, cuda::readFacts(driver, 0));
  gpu.load(executable);
  Cancellation cancellation;
  cuda::CudaDevice device(gpu, {{4096, 0}, {}, 1024}, cancellation);
  Stream &stream = device.mainStream();
  uint64_t words[] = {device.at(0).bits(), device.at(2048).bits()};
  device.copyIn(stream, device.words(), words, sizeof(words));
  std::vector<uint64_t> parameters = {device.words().bits(),
                                      device.words().bits() + 8, 0};
  std::string name = "sums";
  device.launch(stream, {gpu.function(0), 1, 256, 32, parameters, name});
  std::thread other([&] {
    std::this_thread::sleep_for(50ms);
    cancellation.cancel();
  });
  std::vector<char> found(4096);
  auto begin = std::chrono::steady_clock::now();
  EXPECT_THROW(device.copyOut(stream, found.data(), device.at(0), 4096),
               Aborted);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 5s);
  other.join();
}

/// A driver that does not take fills of pinned memory in graphs, by which
/// streams tell where they are, makes them without.
TEST(CudaBackendTest, GraphsDoWithoutFillsOfPinnedMemory) {
  ToyOptions toy = toyOf(2, 1, 2, true);
  Left cpu = train(cpuBackend(), toy, 4);
  toy.cuda = true;
  StandIn standIn("pinned-fills=0");
  Left gpu = train(*standIn.backend(), toy, 4);
  EXPECT_EQ(cpu.states, gpu.states);
  EXPECT_GT(standIn.countCalls("cuGraphLaunch"), 0);
}

/// Block sums on a grid.
TEST(CudaBackendTest, ThreadsOfABlockMeet) {
  format::Executable executable = blockKernels();
  StandIn standIn("seed=5");
  cuda::Driver driver(StandIn::path());
  cuda::Gpu gpu(driver, cuda::readFacts(driver, 0));
  gpu.load(executable);
  constexpr uint32_t blocks = 5, threads = 256;
  constexpr size_t inputs = 4 * blocks * threads;
  cuda::CudaDevice device(gpu, {{inputs + 128, 0}, {}, inputs + 64});
  std::vector<uint32_t> values(blocks * threads), sums(blocks), wanted(blocks);
  for (uint32_t i = 0; i < values.size(); ++i)
    wanted[i / threads] += values[i] = i * i;
  Stream &stream = device.mainStream();
  device.copyIn(stream, device.at(0), values.data(), inputs);
  uint64_t words[] = {device.at(0).bits(), device.at(inputs).bits()};
  device.copyIn(stream, device.words(), words, sizeof(words));
  std::vector<uint64_t> parameters = {device.words().bits(),
                                      device.words().bits() + 8, 0};
  std::string name = "sums";
  device.launch(stream, {gpu.function(0), blocks, threads, 4 * threads / 32,
                         parameters, name});
  device.copyOut(stream, sums.data(), device.at(inputs), 4 * blocks);
  device.wait(stream);
  EXPECT_EQ(sums, wanted);
  EXPECT_EQ(standIn.takeComplaints(), 0);

  name = "torn";
  device.launch(stream, {gpu.function(1), 1, 64, 0, parameters, name});
  expectError(Status::Failed, "in one of the steps up to torn",
              [&] { device.wait(stream); });
  EXPECT_EQ(standIn.takeComplaints(), 1);
}

/// A processor serializes threads of a block and allows addresses that a GPU
/// refuses; the stand-in does not.
TEST(CudaBackendTest, RacesAndMisalignedAddressesAreFound) {
  format::Executable executable = blockKernels();
  for (auto [kernel, words] : {std::pair<uint32_t, const char *>{2, ""},
                               {3, " of shared memory, which thread "},
                               {4, " between the same barriers"},
                               {5, ": byte 252 of 256 of shared memory"},
                               {6, " is no multiple of 8, as the code claims"},
                               {7, ""},
                               {8, "some lanes of its warp shuffle, others "
                                   "multiply"}})
    for (uint64_t seed : {1, 2, 3}) {
      StandIn standIn(text("seed=", seed));
      cuda::Driver driver(StandIn::path());
      cuda::Gpu gpu(driver, cuda::readFacts(driver, 0));
      gpu.load(executable);
      cuda::CudaDevice device(gpu, {{64, 0}, {}, 0});
      Stream &stream = device.mainStream();
      std::string name = "by hand";
      std::vector<uint64_t> parameters = {0};
      device.launch(stream,
                    {gpu.function(kernel), 2, 64, 256, parameters, name});
      if (*words) {
        auto twice = [&] { // the first may still find the context in order
          device.wait(stream);
          device.wait(stream);
        };
        EXPECT_THROW(twice(), Error) << kernel;
        EXPECT_EQ(standIn.takeComplaints(), 1) << kernel;
        EXPECT_NE(standIn.lastComplaint().find(words), std::string::npos)
            << standIn.lastComplaint();
      } else {
        device.wait(stream);
      }
    }
}

TEST(CudaBackendTest, CodeWithoutKernelsMayBeEmpty) {
  format::Executable executable = cudaToy();
  format::Code &code = *executable.add_codes();
  code.set_target("cuda");
  code.add_images()->set_device("host");
  EXPECT_EQ(validate(executable), "");
  StandIn standIn("");
  train(*standIn.backend(), executable, 1);
}

TEST(CudaBackendTest, DamagedImagesAreNamed) {
  auto expect = [](const std::string &words, auto change) {
    format::Executable executable = cudaToy();
    ASSERT_EQ(validate(executable), "");
    change(executable);
    EXPECT_NE(validate(executable).find(words), std::string::npos)
        << words << ": " << validate(executable);
  };
  auto image = [](auto &e) { return e.mutable_codes(0)->mutable_images(0); };
  expect("code for cuda has no image",
         [](auto &e) { e.mutable_codes(0)->clear_images(); });
  expect("has images and an object",
         [](auto &e) { e.mutable_codes(0)->set_object("x"); });
  for (const char *name : {"", "sm_", "sm_9", "sm_9x", "sm_9000", "sm_90a"})
    expect("expected sm_ and a number, or host",
           [&](auto &e) { image(e)->set_device(name); });
  expect("the image for host is empty",
         [&](auto &e) { image(e)->clear_object(); });
  expect("the image for host is no ELF object",
         [&](auto &e) { image(e)->set_object(".version 8.0"); });
  expect("no ELF object, and no text", [&](auto &e) {
    image(e)->set_device("sm_80");
    image(e)->set_object(std::string(".version\0", 9));
  });
  expect("two images for host",
         [&](auto &e) { *e.mutable_codes(0)->add_images() = *image(e); });
  auto kernel = [](auto &e) { return e.mutable_kernels(0); };
  expect("0 threads a block, expected 1 to 1024",
         [&](auto &e) { kernel(e)->set_threads(0); });
  expect("1025 threads a block",
         [&](auto &e) { kernel(e)->set_threads(1025); });
  expect("blocks, at most 2147483647",
         [&](auto &e) { kernel(e)->set_items(uint64_t(1) << 31); });
  expect("bytes of shared memory, at most 232448",
         [&](auto &e) { kernel(e)->set_shared(300000); });
  auto second = [&](auto &e) {
    format::Launch *launch = kernel(e)->mutable_second();
    launch->set_symbol("second");
    launch->set_blocks(1);
    launch->set_threads(32);
    return launch;
  };
  format::Executable with = cudaToy();
  second(with);
  EXPECT_EQ(validate(with), "");
  expect("its second launch has no usable symbol",
         [&](auto &e) { second(e)->clear_symbol(); });
  expect("a second launch of no blocks",
         [&](auto &e) { second(e)->set_blocks(0); });
  expect("a second launch of no blocks, or after one of none", [&](auto &e) {
    second(e);
    kernel(e)->set_items(0);
  });
  expect("kernel \"second\": 0 threads a block",
         [&](auto &e) { second(e)->set_threads(0); });
  expect("kernel \"second\": 300000 bytes of shared memory",
         [&](auto &e) { second(e)->set_shared(300000); });
}

} // namespace
