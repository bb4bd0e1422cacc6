// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Collectives over the memory of GPUs, on the stand-in for their driver: ranks
// end up with the same bits as with collectives over the host, on one GPU and
// on several, and in any order of the streams.

#include "CudaStandIn.h"
#include "Files.h"
#include "Toy.h"

#include "runtime/comm/InProcess.h"
#include "runtime/core/Error.h"
#include "runtime/core/Float.h"
#include "runtime/cuda/Gpu.h"
#include "runtime/cuda/Nccl.h"
#include "runtime/cuda/NcclCollectives.h"
#include "runtime/format/Arenas.h"
#include "runtime/format/KernelTables.h"
#include "runtime/format/Mesh.h"
#include "runtime/format/Validate.h"
#include "runtime/launch/RankHost.h"
#include "test/cuda-stand-in/KernelFacts.h"

#include <gtest/gtest.h>

#include <cmath>
#include <mutex>
#include <random>
#include <thread>

using namespace zcc::rt;
using namespace zcc::rt::test;
using format::CollectiveStep;

namespace {

/// Collectives of f32 in a task, each with operands of its own.
class Program {
public:
  explicit Program(std::vector<uint32_t> sizes) {
    ToyOptions toy;
    toy.cuda = true;
    format::Executable other = makeToy(toy);
    executable.set_producer("test");
    executable.set_target("cuda");
    executable.set_optimizer("forward");
    executable.set_precision("f32");
    executable.set_pipe_axis(-1);
    *executable.add_codes() = other.codes(0);
    *executable.add_reductions() = other.reductions(0);
    for (size_t i = 0; i < sizes.size(); ++i) {
      format::Axis &axis = *executable.add_mesh();
      axis.set_name(text("a", i));
      axis.set_size(sizes[i]);
    }
    format::Stage &stage = *executable.add_stages();
    stage.set_streams(2);
    stage.set_hyper_offset(0);
    stage.set_coordinates_offset(64);
    task = stage.add_tasks();
    task->set_kind(format::Task::PROLOGUE);
    task->set_name("all");
    stage.add_actions()->mutable_run()->set_task(0);
  }

  /// [outer, n, inner], n per rank and block.
  CollectiveStep make(CollectiveStep::Kind kind, std::vector<uint32_t> axes,
                      uint64_t outer, uint64_t n, uint64_t inner,
                      bool inPlace = false) {
    CollectiveStep step;
    step.set_kind(kind);
    step.set_type(format::F32);
    uint64_t k = 1;
    for (uint32_t axis : axes) {
      step.add_axes(axis);
      k *= executable.mesh(int(axis)).size();
    }
    if (kind == CollectiveStep::ALL_TO_ALL)
      n *= k;
    step.set_outer(outer);
    step.set_n(n);
    step.set_inner(inner);
    uint64_t count = outer * n * inner;
    bool shrinks = kind == CollectiveStep::REDUCE_SCATTER,
         grows = kind == CollectiveStep::ALL_GATHER;
    step.set_source(operand(4 * count * (shrinks ? k : 1)));
    step.set_target(inPlace ? step.source()
                            : operand(4 * count * (grows ? k : 1)));
    task->mutable_operands(int(step.target()))->set_written(true);
    return step;
  }

  /// An all-to-all of [outer, n, inner] from each rank to each, whose source,
  /// target or both are a part of their operand.
  CollectiveStep makePart(std::vector<uint32_t> axes, uint64_t outer,
                          uint64_t n, uint64_t inner, uint64_t concat,
                          bool isSource, bool isTarget) {
    CollectiveStep step =
        make(CollectiveStep::ALL_TO_ALL, axes, outer, n, inner);
    step.set_concat(concat);
    if (isSource) {
      step.mutable_source_rows()->set_begin(5);
      step.mutable_source_rows()->set_pitch(n * inner + 3);
    }
    if (isTarget) {
      step.mutable_target_rows()->set_begin(2);
      step.mutable_target_rows()->set_pitch(outer * n * inner / concat + 7);
    }
    CollectiveSizes sizes =
        extentsOf(step, n ? step.n() / n : 1, Mesh(executable));
    step.set_source(operand(sizes.source));
    step.set_target(operand(sizes.target));
    task->mutable_operands(int(step.target()))->set_written(true);
    return step;
  }

  /// After the one before: a transport takes one call at a time.
  format::Step &add(uint32_t stream) {
    auto before = uint32_t(task->steps_size());
    format::Step &step = *task->add_steps();
    step.set_name(text("step ", before));
    step.set_stream(stream);
    if (before > 0)
      step.add_waits(before - 1);
    step.set_event(before + 1);
    executable.mutable_stages(0)->set_events(before + 1);
    return step;
  }

  /// Every kind, alone and together, on either stream.
  void addAll(std::vector<uint32_t> axes) {
    using C = CollectiveStep;
    for (auto [outer, n, inner] : {std::tuple{1u, 1u, 1u},
                                   {1, 300, 1},
                                   {3, 5, 2},
                                   {4, 1, 16},
                                   {1, 0, 3},
                                   {2, 4096, 1}}) {
      uint32_t stream = n % 2;
      for (C::Kind kind :
           {C::ALL_GATHER, C::REDUCE_SCATTER, C::ALL_TO_ALL, C::PERMUTE})
        for (uint64_t concat : {1u, outer, n * outer})
          if (concat == 1 || (concat && kind == C::ALL_TO_ALL)) {
            C step = make(kind, axes, outer, n, inner);
            step.set_concat(concat);
            step.set_shift(n % 3 == 0 ? -1 : 2);
            *add(stream).mutable_collective() = step;
          }
      for (bool inPlace : {false, true})
        *add(stream).mutable_collective() =
            make(C::ALL_REDUCE, axes, 1, outer * n * inner, 1, inPlace);
    }
    for (C::Kind kind :
         {C::ALL_REDUCE, C::ALL_GATHER, C::REDUCE_SCATTER, C::ALL_TO_ALL}) {
      format::CollectiveBucket &bucket = *add(1).mutable_bucket();
      for (uint64_t n : {7, 1, 2000})
        *bucket.add_members() = make(kind, axes, 1, n, 1);
    }
  }

  /// All-to-alls whose rows have others between them, alone and together.
  void addParts(std::vector<uint32_t> axes) {
    for (auto [isSource, isTarget] :
         {std::pair{true, false}, {false, true}, {true, true}}) {
      // Rows of the source are longer or shorter than those of the target, or
      // no multiple of them.
      for (auto [outer, n, inner, concat] : {std::tuple{1u, 1u, 1u, 1u},
                                             {1, 300, 1, 1},
                                             {3, 5, 2, 1},
                                             {3, 5, 2, 3},
                                             {3, 5, 2, 2},
                                             {4, 2, 8, 64},
                                             {1, 0, 3, 1},
                                             {0, 3, 2, 1},
                                             {2, 4096, 1, 2}})
        *add(n % 2).mutable_collective() =
            makePart(axes, outer, n, inner, concat, isSource, isTarget);
      format::CollectiveBucket &bucket = *add(1).mutable_bucket();
      for (uint64_t n : {7, 1, 2000})
        *bucket.add_members() = makePart(axes, 2, n, 3, n, isSource, isTarget);
    }
    // Two parts of one target.
    CollectiveStep first = makePart(axes, 1, 6, 1, 1, false, true),
                   second = makePart(axes, 1, 6, 1, 1, true, true);
    first.mutable_target_rows()->set_begin(0);
    first.mutable_target_rows()->set_pitch(12);
    second.mutable_target_rows()->set_begin(6);
    second.mutable_target_rows()->set_pitch(12);
    uint64_t ranks = first.n() / 6;
    uint32_t whole = operand(4 * 12 * ranks);
    task->mutable_operands(int(whole))->set_written(true);
    for (CollectiveStep *part : {&first, &second}) {
      part->set_target(whole);
      *add(1).mutable_collective() = *part;
    }
  }

  /// From rows to columns, with padding.
  void addBoxes() {
    CollectiveStep step;
    step.set_kind(CollectiveStep::EXCHANGE_BOXES);
    step.set_type(format::F32);
    step.set_outer(1);
    step.set_n(1);
    step.set_inner(1);
    step.add_axes(0);
    for (int64_t extent : {3, 7, 10})
      step.add_shape(extent);
    for (int d = 0; d < 3; ++d) {
      format::DimSharding &from = *step.add_from(), &to = *step.add_to();
      if (d == 1)
        from.add_axes(0);
      if (d == 2)
        to.add_axes(0);
    }
    uint64_t k = executable.mesh(0).size();
    step.mutable_to(2)->set_padded(k * 6);
    step.set_source(operand(4 * 3 * ((7 + k - 1) / k) * 10));
    step.set_target(operand(4 * 3 * 7 * 6));
    task->mutable_operands(int(step.target()))->set_written(true);
    *add(0).mutable_collective() = step;
  }

  const format::Executable &done() {
    format::Stage &stage = *executable.mutable_stages(0);
    stage.clear_workspaces();
    stage.clear_tables();
    setArenaBytes(stage, used);
    addWorkspaces(executable);
    return executable;
  }

  format::Executable executable;

private:
  uint32_t operand(uint64_t bytes) {
    format::Operand &own = *task->add_operands();
    own.set_offset(used);
    own.set_size(bytes);
    own.set_name(text("operand ", task->operands_size()));
    used += (bytes + 127) / 64 * 64; // none is empty
    return uint32_t(task->operands_size() - 1);
  }

  format::Task *task;
  uint64_t used = 128;
};

/// The arenas of all ranks after some steps that begin with the same random
/// numbers: integers, which can be added in any order, or others.
std::vector<std::vector<float>> arenasAfter(const format::Executable &program,
                                            CudaCollectives how,
                                            const std::string &words,
                                            bool areIntegers = false) {
  StandIn standIn(words);
  CudaOptions options{StandIn::path(), {}, StandIn::path()};
  options.collectives = how;
  options.nccl = StandIn::path();
  auto backend = makeCudaBackend(options);
  RankHost ranks(program, *backend, {});
  size_t count = 0; // behind it are the device's own tables
  for (const format::Operand &operand : program.stages(0).tasks(0).operands())
    count = std::max(count, (operand.offset() + operand.size()) / 4);
  std::vector<std::vector<float>> arenas(ranks.ranks());
  ranks.onAllRanks([&](int rank) {
    std::mt19937 random{uint32_t(rank)};
    std::vector<float> &own = arenas[rank];
    own.resize(count);
    for (float &v : own)
      v = std::ldexp(float(random() % 2001) - 1000,
                     areIntegers ? 0 : -int(random() % 20));
    Device &device = ranks.device(rank);
    device.copyIn(device.mainStream(), device.at(128), own.data() + 32,
                  4 * (count - 32));
    for (int step = 0; step < 3; ++step)
      ranks.runStep(rank, false);
    device.copyOut(device.mainStream(), own.data(), device.at(0), 4 * count);
    device.wait(device.mainStream());
  });
  return arenas;
}

void expectTheHostsBits(const format::Executable &program,
                        const std::vector<const char *> &ways,
                        CudaCollectives how = CudaCollectives::Device) {
  ASSERT_EQ(validate(program), "");
  bool isNccl = how == CudaCollectives::Nccl;
  auto wanted = arenasAfter(program, CudaCollectives::Host, "", isNccl);
  for (const char *words : ways) {
    auto found = arenasAfter(program, how, words, isNccl);
    for (size_t rank = 0; rank < wanted.size(); ++rank)
      for (const format::Operand &operand :
           program.stages(0).tasks(0).operands())
        for (size_t i = operand.offset() / 4;
             i < (operand.offset() + operand.size()) / 4; ++i)
          ASSERT_EQ(floatToBits(wanted[rank][i]), floatToBits(found[rank][i]))
              << words << ": rank " << rank << ", " << operand.name()
              << ", element " << i - operand.offset() / 4;
  }
}

TEST(CudaCollectiveTest, LeavesTheBitsOfTheHost) {
  for (auto sizes : {std::vector<uint32_t>{1}, {2}, {3}, {2, 2}}) {
    Program program(sizes);
    for (uint32_t axis = 0; axis < sizes.size(); ++axis) {
      program.addAll({axis});
      program.addParts({axis});
    }
    if (sizes.size() > 1) {
      program.addAll({1, 0});
      program.addParts({1, 0});
    }
    if (sizes[0] == 2)
      program.addBoxes();
    expectTheHostsBits(program.done(),
                       {"seed=1", "seed=2", "gpus=2,seed=3", "gpus=4,seed=4"});
  }
}

TEST(CudaCollectiveTest, SumsOverGpusInParts) {
  Program program({4});
  // The other members' operands do not fit into a stream's room.
  *program.add(0).mutable_collective() =
      program.make(CollectiveStep::ALL_REDUCE, {0}, 1, 1600001, 1);
  *program.add(1).mutable_collective() =
      program.make(CollectiveStep::REDUCE_SCATTER, {0}, 3, 140000, 1);
  *program.add(0).mutable_collective() =
      program.make(CollectiveStep::REDUCE_SCATTER, {0}, 2, 300001, 1);
  expectTheHostsBits(program.done(), {"gpus=4", "gpus=1"});
}

/// Copies between two GPUs of a process go from memory to memory, where the
/// machine connects them.
TEST(CudaCollectiveTest, CopiesAreNotStaged) {
  Program program({2, 2});
  program.addAll({0});
  program.addAll({1, 0});
  program.addParts({1, 0});
  program.addBoxes();
  auto run = [&](const std::string &words, CudaCollectives how,
                 std::vector<std::string> &notes) {
    StandIn standIn(words);
    CudaOptions options{StandIn::path(), {}};
    options.collectives = how;
    options.nccl = StandIn::path();
    auto backend = makeCudaBackend(options);
    RunOptions given;
    std::mutex mutex;
    given.note = [&](const std::string &note) {
      std::lock_guard<std::mutex> lock(mutex);
      notes.push_back(note);
    };
    RankHost ranks(program.done(), *backend, given);
    ranks.onAllRanks([&](int rank) {
      ranks.runStep(rank, false);
      ranks.device(rank).wait(ranks.device(rank).mainStream());
    });
    EXPECT_EQ(standIn.countCalls("ncclCommInitRankConfig") != 0,
              how == CudaCollectives::Auto && words.find("gpus=4") == 0);
    return standIn.countCalls("staged");
  };
  std::vector<std::string> notes;
  EXPECT_EQ(run("gpus=4", CudaCollectives::Device, notes), 0);
  EXPECT_EQ(run("gpus=2", CudaCollectives::Auto, notes), 0);
  EXPECT_EQ(run("gpus=4,threads=8", CudaCollectives::Auto, notes), 0);
  EXPECT_TRUE(notes.empty()) << notes.front();
  EXPECT_GT(run("gpus=2,peers=0", CudaCollectives::Device, notes), 0);
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_NE(notes[0].find(" do not reach each other's memory: copies between "
                          "them go through the host's"),
            std::string::npos)
      << notes[0];
}

/// Ranks with a GPU each do without NCCL where it does not begin.
TEST(CudaCollectiveTest, NcclThatIsLackingIsSaid) {
  Program program({2});
  program.addAll({0});
  for (const char *words :
       {"gpus=2,fail=ncclCommInitRankConfig:1:1", "gpus=2,nccl=30000"}) {
    StandIn standIn(words);
    std::string said;
    CudaOptions options{StandIn::path(), {}};
    options.nccl = StandIn::path();
    auto backend = makeCudaBackend(options);
    RunOptions given;
    given.note = [&](const std::string &note) { said = note; };
    RankHost ranks(program.done(), *backend, given);
    EXPECT_EQ(said.find("GPUs exchange by copies of their memory, which is "
                        "slower than NCCL: "),
              0u)
        << said;
  }
}

TEST(CudaCollectiveTest, EverythingIsInOrder) {
  for (const char *gpus : {"1", "4"}) {
    Program program({2, 2});
    program.addAll({0});
    program.addAll({0, 1});
    program.addParts({0, 1});
    program.addBoxes();
    TemporaryFolder folder;
    writeFile(folder / "facts", zcc::standin::kernelFacts(program.done()));
    arenasAfter(program.done(), CudaCollectives::Device,
                text("mode=record,capability=0,gpus=", gpus,
                     ",kernels=", folder / "facts"));
  }
}

/// A collective goes through the host if the executable has no reduction for
/// it.
TEST(CudaCollectiveTest, DoesWithoutKernels) {
  Program program({2});
  program.addAll({0});
  program.executable.clear_reductions();
  expectTheHostsBits(program.done(), {"seed=1"});
}

/// The notes of a run with such a collective, which runs twice.
std::vector<std::string> notesOf(Program &program, CudaCollectives how) {
  StandIn standIn("gpus=2,threads=4");
  std::vector<std::string> notes;
  CudaOptions options{StandIn::path(), {}, ""};
  options.collectives = how;
  options.nccl = StandIn::path();
  auto backend = makeCudaBackend(options);
  RunOptions given;
  given.note = [&](const std::string &note) { notes.push_back(note); };
  RankHost ranks(program.done(), *backend, given);
  ranks.onAllRanks([&](int rank) {
    for (int step = 0; step < 2; ++step)
      ranks.runStep(rank, false);
    ranks.device(rank).wait(ranks.device(rank).mainStream());
  });
  return notes;
}

/// A collective that goes through the host only since it lacks a kernel is
/// noted, once.
TEST(CudaCollectiveTest, DetoursAreSaid) {
  Program program({2});
  CollectiveStep step = program.make(CollectiveStep::ALL_REDUCE, {0}, 1, 9, 1);
  *program.add(0).mutable_collective() = step;
  EXPECT_TRUE(notesOf(program, CudaCollectives::Device).empty());
  step.set_type(format::I32);
  step.set_reduction(CollectiveStep::AND);
  *program.add(0).mutable_collective() = step;
  for (auto [how, who] : {std::pair(CudaCollectives::Device, "the executable"),
                          std::pair(CudaCollectives::Nccl, "NCCL")}) {
    std::vector<std::string> notes = notesOf(program, how);
    ASSERT_EQ(notes.size(), 1u);
    EXPECT_EQ(notes[0], text("all-reduce over a0 goes through the host's "
                             "memory: ",
                             who, " has no logical and of i32"));
  }
  EXPECT_TRUE(notesOf(program, CudaCollectives::Host).empty());
}

template <typename Body> std::string errorOf(Status status, Body body) {
  try {
    body();
  } catch (const Error &error) {
    EXPECT_EQ(error.status, status);
    return error.what();
  }
  ADD_FAILURE() << "no error";
  return "";
}

TEST(CudaCollectiveTest, AFailingRankStopsTheOthers) {
  Program program({4});
  for (int i = 0; i < 20; ++i)
    program.addAll({0});
  StandIn standIn("gpus=2");
  RankHost ranks(program.done(), *standIn.backend(), {});
  EXPECT_EQ(errorOf(Status::Failed,
                    [&] {
                      ranks.onAllRanks([&](int rank) {
                        ranks.runStep(rank, false);
                        if (rank == 2)
                          fail("rank 2 had enough");
                        ranks.runStep(rank, false);
                      });
                    }),
            "rank 2 had enough");
}

/// Calls that fail at any place, with others in the middle of it.
TEST(CudaCollectiveTest, FailsWithoutAHang) {
  Program program({4});
  program.addAll({0});
  for (const char *call :
       {"cuEventRecord", "cuStreamWaitEvent", "cuMemcpyAsync",
        "cuMemcpy2DAsync_v2", "cuLaunchKernel"})
    for (int at : {3, 11, 30, 55}) {
      StandIn standIn(text("fail=", call, ":", at, ":700,seed=", at));
      EXPECT_NE(errorOf(Status::Failed,
                        [&] {
                          RankHost ranks(program.done(), *standIn.backend(),
                                         {});
                          ranks.onAllRanks([&](int rank) {
                            for (int step = 0; step < 3; ++step)
                              ranks.runStep(rank, false);
                          });
                        })
                    .find("CUDA_ERROR_ILLEGAL_ADDRESS"),
                std::string::npos)
          << call << " " << at;
    }
}

/// Options of a run whose watchdog speaks soon, and what it said.
struct Watched {
  Watched() {
    options.threads = 1;
    options.watchdog = 0.5;
    options.report = [this](const std::string &message) {
      std::lock_guard<std::mutex> lock(mutex);
      said += message + "\n";
    };
    options.note = options.report;
  }

  RunOptions options;
  std::mutex mutex;
  std::string said;
};

TEST(CudaCollectiveTest, ASlowRankIsNamed) {
  Program program({3});
  *program.add(0).mutable_collective() =
      program.make(CollectiveStep::ALL_GATHER, {0}, 1, 5, 1);
  Watched watched;
  StandIn standIn("");
  auto backend = standIn.backend();
  {
    RankHost run(program.done(), *backend, watched.options);
    run.onAllRanks([&](int rank) {
      if (rank == 1)
        std::this_thread::sleep_for(std::chrono::milliseconds(900));
      run.runStep(rank, false);
    });
  }
  EXPECT_NE(watched.said.find("waits for rank 1"), std::string::npos)
      << watched.said;
}

TEST(NcclTest, LeavesTheNumbersOfTheHost) {
  for (auto sizes : {std::vector<uint32_t>{1}, {2}, {3}, {2, 2}}) {
    Program program(sizes);
    for (uint32_t axis = 0; axis < sizes.size(); ++axis) {
      program.addAll({axis});
      program.addParts({axis});
    }
    if (sizes.size() > 1) {
      program.addAll({1, 0});
      program.addParts({1, 0});
    }
    if (sizes[0] == 2)
      program.addBoxes();
    expectTheHostsBits(program.done(), {"gpus=4,threads=8,seed=1"},
                       CudaCollectives::Nccl);
  }
}

/// Blocks of at least 64 KiB, up to eight of them, are sent from where they
/// are: only the operands of nine blocks need room.
TEST(NcclTest, FewLargeBlocksAreNotPacked) {
  using C = CollectiveStep;
  for (uint64_t blocks : {4, 9}) {
    Program program({2, 2});
    for (C::Kind kind : {C::ALL_GATHER, C::REDUCE_SCATTER}) {
      *program.add(0).mutable_collective() =
          program.make(kind, {0}, blocks, 256, 64);
      format::CollectiveBucket &bucket = *program.add(1).mutable_bucket();
      for (uint64_t own : {blocks, uint64_t(1), blocks - 1})
        *bucket.add_members() = program.make(kind, {1, 0}, own, 128, 128);
    }
    format::Executable done = program.done();
    expectTheHostsBits(done, {"gpus=4,threads=8,seed=1"},
                       CudaCollectives::Nccl);
    EXPECT_EQ(cuda::planNcclExchange(done, Mesh(done), 1).bytes > 0,
              blocks == 9);
  }
}

TEST(NcclTest, EverythingIsInOrder) {
  Program program({2, 2});
  program.addAll({0});
  program.addAll({0, 1});
  program.addParts({0, 1});
  program.addBoxes();
  TemporaryFolder folder;
  writeFile(folder / "facts", zcc::standin::kernelFacts(program.done()));
  arenasAfter(
      program.done(), CudaCollectives::Nccl,
      text("mode=record,capability=0,gpus=4,kernels=", folder / "facts"));
}

std::string ncclErrorOf(Status status, const std::string &words,
                        const std::string &file = StandIn::path()) {
  Program program({2, 2});
  *program.add(0).mutable_collective() =
      program.make(CollectiveStep::ALL_REDUCE, {1}, 1, 100, 1);
  CollectiveStep shift = program.make(CollectiveStep::PERMUTE, {0}, 1, 100, 1);
  shift.set_shift(1);
  *program.add(0).mutable_collective() = shift;
  StandIn standIn(words);
  CudaOptions options{StandIn::path(), {}, ""};
  options.collectives = CudaCollectives::Nccl;
  options.nccl = file;
  return errorOf(status, [&] {
    auto backend = makeCudaBackend(options);
    RankHost ranks(program.done(), *backend, {});
    ranks.onAllRanks([&](int rank) {
      for (int step = 0; step < 3; ++step)
        ranks.runStep(rank, false);
      ranks.device(rank).wait(ranks.device(rank).mainStream());
    });
  });
}

/// The watchdog's messages about two ranks, the last of which begins late.
std::string saidOf(Program &program, const std::string &words,
                   CudaCollectives how, int milliseconds) {
  Watched watched;
  StandIn standIn(words);
  CudaOptions cuda{StandIn::path(), {}, ""};
  cuda.collectives = how;
  cuda.nccl = StandIn::path();
  auto backend = makeCudaBackend(cuda);
  {
    RankHost run(program.done(), *backend, watched.options);
    run.onAllRanks([&](int rank) {
      if (rank == 1)
        std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
      for (int step = 0; step < 3; ++step)
        run.runStep(rank, false);
      run.device(rank).wait(run.device(rank).mainStream());
    });
  } // The watchdog's thread has ended with it.
  return watched.said;
}

// The host has enqueued three steps of training and waits: only the GPU can say
// which step it is in.
TEST(NcclTest, AStalledCollectiveIsNamed) {
  for (const char *how : {"", ",fail=cuStreamWriteValue64_v2:1:801"}) {
    Program program({2});
    for (uint32_t stream : {0, 1, 1})
      *program.add(stream).mutable_collective() =
          program.make(CollectiveStep::ALL_REDUCE, {0}, 1, 100, 1);
    std::string said = saidOf(program, text("gpus=2,threads=8", how),
                              CudaCollectives::Nccl, 900);
    EXPECT_NE(said.find("last step done \"what comes before all\", pending "
                        "\"step 0: all-reduce "
                        "over a0\", waits for rank 1;"),
              std::string::npos)
        << said;
  }
}

void expectNcclError(const std::string &words, const std::string &error) {
  std::string found = ncclErrorOf(Status::Failed, words + ",gpus=4,threads=8");
  EXPECT_NE(found.find(error), std::string::npos) << words << ": " << found;
}

TEST(NcclTest, ErrorsNameCommunicatorAndStep) {
  expectNcclError("fail=ncclCommInitRankConfig:2:2",
                  "cannot open the communicator of all ranks (ranks 0, 1, 2, "
                  "3) of GPU ");
  expectNcclError("fail=ncclCommSplit:3:4",
                  "cannot split off the communicator of a");
  expectNcclError("fail=ncclAllReduce:3:6",
                  "cannot use the communicator of a1 (ranks ");
  expectNcclError("fail=ncclAllReduce:3:6",
                  "NCCL 2.28.3: remote process exited or there was a network "
                  "error");
  expectNcclError("fail=ncclSend:2:6", "cannot use the communicator of a0");
  expectNcclError("fail=ncclSend:2:6", "in step 1");
  // While others wait for its calls to be done.
  expectNcclError("fail=ncclCommGetAsyncError:60:6", "remote process exited");
}

TEST(NcclTest, SaysWhatIsLacking) {
  EXPECT_EQ(ncclErrorOf(Status::BadInput, "gpus=4", "/nowhere/libnccl.so")
                .find("no NCCL, which GPUs exchange over (--nccl names the library, --collectives host "
                      "does without): /nowhere/libnccl.so"),
            0u);
  EXPECT_NE(ncclErrorOf(Status::BadInput, "gpus=4", "libc.so.6")
                .find("libc.so.6 has no ncclGetVersion, expected NCCL 2.18.0"),
            std::string::npos);
  EXPECT_EQ(ncclErrorOf(Status::BadInput, "gpus=2"),
            "--collectives nccl: 4 ranks on 2 GPUs, expected one for each; "
            "device and host let ranks share one");
}

TEST(NcclTest, ALibraryThatDoesNotBeginIsPassedOver) {
  StandIn standIn("fail=ncclCommInitRankConfig:1:1");
  cuda::Driver driver(StandIn::path());
  cuda::Gpu gpu(driver, cuda::readFacts(driver, 0));
  gpu.use();
  EXPECT_EQ(cuda::Nccl({StandIn::path(), StandIn::path()}).versionText(),
            "2.28.3");
  EXPECT_EQ(standIn.countCalls("ncclCommInitRankConfig"), 2);
  // One that is alone is only opened.
  cuda::Nccl alone({StandIn::path()});
  EXPECT_EQ(standIn.countCalls("ncclCommInitRankConfig"), 2);
}

TEST(NcclTest, OtherVersionsAreRefused) {
  EXPECT_NE(ncclErrorOf(Status::BadInput, "gpus=4,nccl=30102")
                .find(" is NCCL 3.1.2, expected 2.18.0 or a later 2"),
            std::string::npos);
  EXPECT_NE(ncclErrorOf(Status::BadInput, "gpus=4,nccl=21702")
                .find(" is NCCL 2.17.2, expected 2.18.0 or a later 2"),
            std::string::npos);
}

// The arena is the library's, which knows it; the driver's will do.
TEST(NcclTest, MemoryIsTheLibrarysWhereItCan) {
  Program program({2});
  program.addAll({0});
  for (auto [fails, says] :
       {std::pair("", ""),
        {",fail=ncclMemAlloc:2:2", "NCCL gives no memory (an error of the "
                                   "stand-in), the arena is the driver's"},
        {",fail=ncclCommRegister:1:2",
         "NCCL does not register the arena (an error of the stand-in) for a0, "
         "which is copied through its own"}}) {
    Watched watched;
    watched.options.watchdog = 60;
    StandIn standIn(text("gpus=2,threads=8", fails));
    CudaOptions cuda{StandIn::path(), {}, ""};
    cuda.collectives = CudaCollectives::Nccl;
    cuda.nccl = StandIn::path();
    auto backend = makeCudaBackend(cuda);
    RankHost run(program.done(), *backend, watched.options);
    run.onAllRanks([&](int rank) {
      run.runStep(rank, false);
      run.device(rank).wait(run.device(rank).mainStream());
    });
    EXPECT_NE(watched.said.find(says), std::string::npos) << watched.said;
    EXPECT_EQ(watched.said.empty(), !*says) << watched.said;
  }
}

TEST(NcclTest, ManyRanksMeetInSeveralPlaces) {
  Program program({65});
  *program.add(0).mutable_collective() =
      program.make(CollectiveStep::ALL_REDUCE, {0}, 1, 3, 1);
  expectTheHostsBits(program.done(), {"gpus=65,threads=66"},
                     CudaCollectives::Nccl);
}

TEST(CudaCollectiveTest, IsForOneProcess) {
  Program program({2});
  StandIn standIn("gpus=2");
  CudaOptions options{StandIn::path(), {}, ""};
  options.collectives = CudaCollectives::Device;
  auto backend = makeCudaBackend(options);
  const format::Executable &executable = program.done();
  Mesh mesh(executable);
  ThreadPool pool(1, SpinPolicy{});
  InProcessHub hub(2, neverCancelled, SpinPolicy{});
  std::unique_ptr<Transport> transport = hub.connect(0, pool);
  Observer observer;
  RankSetting setting{mesh, 0, pool, *transport, observer, neverCancelled};
  setting.localRanks = 2;
  setting.isProcess = true;
  EXPECT_EQ(errorOf(Status::BadInput,
                    [&] { backend->load(executable)->makeDevice(setting); })
                .find("--collectives device is for ranks of one process"),
            0u);
}

TEST(CudaCollectiveTest, DamagedReductionsAreNamed) {
  auto expect = [](const std::string &words, auto change) {
    ToyOptions toy;
    toy.cuda = true;
    format::Executable executable = makeToy(toy);
    ASSERT_EQ(validate(executable), "");
    change(*executable.mutable_reductions(0), executable);
    EXPECT_NE(validate(executable).find(words), std::string::npos)
        << words << ": " << validate(executable);
  };
  using Kernel = format::ReductionKernel;
  expect("a reduction of collectives has no usable symbol",
         [](Kernel &own, auto &) { own.clear_symbol(); });
  expect("a reduction of collectives has no usable symbol",
         [](Kernel &own, auto &) { own.set_symbol(std::string("a\0", 2)); });
  expect("reduction \"toy_collective_sum\": unknown element type 99",
         [](Kernel &own, auto &) { own.set_type(format::Type(99)); });
  expect("no collective reduces f32 by 77", [](Kernel &own, auto &) {
    own.set_reduction(CollectiveStep::Reduction(77));
  });
  expect("no collective reduces f32 by 3",
         [](Kernel &own, auto &) { own.set_reduction(CollectiveStep::AND); });
  expect("no collective reduces f8 by 0",
         [](Kernel &own, auto &) { own.set_type(format::F8E4M3FN); });
  expect("is of code 5 of 1", [](Kernel &own, auto &) { own.set_code(5); });
  expect("is code for \"cpu\", expected cuda", [](Kernel &own, auto &e) {
    e.add_codes()->set_target("cpu");
    own.set_code(1);
  });
  expect(": 0 threads a block, expected 1 to 1024",
         [](Kernel &own, auto &) { own.set_threads(0); });
  expect(": 1025 threads a block",
         [](Kernel &own, auto &) { own.set_threads(1025); });
  expect(": the second of f32 by 0",
         [](Kernel &own, auto &e) { *e.add_reductions() = own; });
}

} // namespace
