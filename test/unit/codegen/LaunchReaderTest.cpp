// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Code by hand is read, of blocks of 128 threads with two buffers of 4 bytes
// for each of a million threads. There is a test for each rule.
#include "compiler/cuda/LaunchReader.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/SourceMgr.h"
#include <gtest/gtest.h>

using namespace zcc;

namespace {

constexpr uint64_t readerBlocks = 8192;
constexpr double bufferBytes = 4. * readerBlocks * 128;

/// Reads a kernel with this body; %x and %y are the addresses of the buffers,
/// %i is the thread's number in the launch and %t that in its block.
std::optional<planning::LaunchWork> readBody(const std::string &body) {
  std::string text =
      R"(
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
@memory = external addrspace(3) global [0 x float]
define void @k(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(1) %scratch) {
entry:
  %x = load ptr addrspace(1), ptr addrspace(1) %a
  %y = load ptr addrspace(1), ptr addrspace(1) %b
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %c = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %base = mul i32 %c, 128
  %i = add i32 %base, %t
  %ax = getelementptr float, ptr addrspace(1) %x, i32 %i
  %ay = getelementptr float, ptr addrspace(1) %y, i32 %i
)" + body +
      "  ret void\n}\n!0 = !{}\n!1 = !{!\"branch_weights\", i32 1, i32 63}\n"
      "!2 = !{!\"branch_weights\", i32 63, i32 1}\n";
  llvm::LLVMContext context;
  llvm::SMDiagnostic error;
  std::unique_ptr<llvm::Module> module =
      llvm::parseAssemblyString(text, error, context);
  if (!module) {
    ADD_FAILURE() << error.getMessage().str() << " in line "
                  << error.getLineNo() << ": " << error.getLineContents().str();
    return std::nullopt;
  }
  cuda::LaunchShape shape;
  shape.blocks = readerBlocks;
  shape.threads = 128;
  shape.arguments = {bufferBytes, bufferBytes};
  return cuda::readLaunch(*module->getFunction("k"), shape);
}

planning::LaunchWork readKnown(const std::string &body) {
  std::optional<planning::LaunchWork> work = readBody(body);
  EXPECT_TRUE(work);
  return work.value_or(planning::LaunchWork());
}

/// A loop over %j from 0 to %end by 1, in blocks named after `name`.
std::string loopText(const std::string &name, const std::string &before,
                     const std::string &end, const std::string &body) {
  return "  br label %" + name + "\n" + name + ":\n  %" + name +
         ".j = phi i32 [ 0, %" + before + " ], [ %" + name + ".n, %" + name +
         " ]\n" + body + "  %" + name + ".n = add nsw i32 %" + name +
         ".j, 1\n  %" + name + ".c = icmp slt i32 %" + name + ".n, " + end +
         "\n  br i1 %" + name + ".c, label %" + name + ", label %" + name +
         ".e\n" + name + ".e:\n";
}

constexpr char loadX[] = "  %u = load float, ptr addrspace(1) %ax\n";
constexpr char loadY[] = "  %v = load float, ptr addrspace(1) %ay\n";

} // namespace

// The addresses of both buffers are read in a round, which a cache has.
TEST(LaunchReader, IndependentLoadsAreARound) {
  planning::LaunchWork work = readKnown(std::string(loadX) + loadY);
  EXPECT_EQ(work.blocks, readerBlocks);
  EXPECT_EQ(work.threads, 128);
  EXPECT_EQ(work.memoryRounds, 1);
  EXPECT_EQ(work.cacheRounds, 1);
}

TEST(LaunchReader, AnAddressWaitsForItsLoad) {
  planning::LaunchWork work = readKnown(R"(
  %k = load i32, ptr addrspace(1) %ax
  %p = getelementptr float, ptr addrspace(1) %y, i32 %k
  %v = load float, ptr addrspace(1) %p
)");
  EXPECT_EQ(work.memoryRounds, 2);
}

TEST(LaunchReader, LoadsWaitForStoresThatTheyMayDependOn) {
  std::string stored =
      std::string(loadX) + "  store float %u, ptr addrspace(1) %ax\n";
  EXPECT_EQ(readKnown(stored + loadY).memoryRounds, 2);
  // Nothing overlaps what is invariant, and what is not loaded needs no wait.
  EXPECT_EQ(readKnown(stored + "  %v = load float, ptr addrspace(1) %ay, "
                               "!invariant.load !0\n")
                .memoryRounds,
            1);
  EXPECT_EQ(readKnown("  store float 1.0, ptr addrspace(1) %ax\n" +
                      std::string(loadY))
                .memoryRounds,
            1);
}

TEST(LaunchReader, BarriersWaitForWhatIsStored) {
  const std::string store = R"(
  %s = getelementptr float, ptr addrspace(3) @memory, i32 %t
  store float %u, ptr addrspace(3) %s
)",
                    barrier = "  call void "
                              "@llvm.nvvm.barrier.cta.sync.aligned.all(i32 "
                              "0)\n";
  EXPECT_EQ(readKnown(loadX + store + loadY).memoryRounds, 1);
  planning::LaunchWork work = readKnown(loadX + store + barrier + loadY);
  EXPECT_EQ(work.memoryRounds, 2);
  // Loading from the block's memory is no round, but takes its time.
  planning::LaunchWork more = readKnown(
      loadX + store + barrier + "  %w = load float, ptr addrspace(3) %s\n");
  EXPECT_EQ(more.memoryRounds, 1);
  EXPECT_GE(more.cycles, 29 + 20);
  EXPECT_EQ(more.instructions.transfers, 2 + 2 + 1 + 1 + 1);
}

TEST(LaunchReader, IterationsFollowEachOther) {
  // A loop that is not short, whose iterations load neighbors in turn.
  std::string body = R"(
  %p = getelementptr float, ptr addrspace(1) %ax, i32 %loop.j
  %u = load float, ptr addrspace(1) %p
  store float %u, ptr addrspace(1) %ay
)";
  for (int i = 0; i < 60; ++i)
    body += "  %f" + std::to_string(i) + " = fadd float %u, 1.0\n";
  planning::LaunchWork work = readKnown(loopText("loop", "entry", "20", body));
  // A twentieth of the loads is the first of its bytes.
  EXPECT_DOUBLE_EQ(work.memoryRounds, 1);
  EXPECT_DOUBLE_EQ(work.cacheRounds, 1 + 19);
  EXPECT_DOUBLE_EQ(work.instructions.floats, 20 * 60);
}

// ptxas makes one of four short iterations, whose loads then overlap.
TEST(LaunchReader, ShortLoopsAreUnrolled) {
  const std::string body = R"(
  %p = getelementptr float, ptr addrspace(1) %ax, i32 %loop.j
  %u = load float, ptr addrspace(1) %p
)";
  planning::LaunchWork work = readKnown(loopText("loop", "entry", "20", body));
  EXPECT_DOUBLE_EQ(work.memoryRounds + work.cacheRounds, 1 + 5);
  work = readKnown(loopText("loop", "entry", "3", body));
  EXPECT_DOUBLE_EQ(work.memoryRounds + work.cacheRounds, 1 + 3);
  // Sums are still added one after the other.
  work = readKnown(loopText("loop", "entry", "20", R"(
  %sum = phi float [ 0.0, %entry ], [ %next, %loop ]
  %p = getelementptr float, ptr addrspace(1) %ax, i32 %loop.j
  %u = load float, ptr addrspace(1) %p
  %next = fadd float %sum, %u
)"));
  EXPECT_DOUBLE_EQ(work.memoryRounds + work.cacheRounds, 1 + 5);
  EXPECT_GE(work.cycles, 20 * 4);
}

TEST(LaunchReader, GuardsSayWhichWarpsRun) {
  auto guarded = [](const std::string &condition) {
    return condition + R"(
  br i1 %is, label %then, label %end
then:
  %f = fadd float 1.0, 2.0
  br label %end
end:
)";
  };
  EXPECT_EQ(
      readKnown(guarded("  %is = icmp ult i32 %t, 32\n")).instructions.floats,
      0.25);
  // One thread is enough for its warp.
  EXPECT_EQ(
      readKnown(guarded("  %is = icmp eq i32 %t, 5\n")).instructions.floats,
      0.25);
  EXPECT_EQ(readKnown(guarded("  %is = icmp ult i32 %i, 1048576\n"))
                .instructions.floats,
            1);
  EXPECT_EQ(readKnown(guarded("  %is = icmp ugt i32 %i, 1048576\n"))
                .instructions.floats,
            0);
  // Data may be anything.
  EXPECT_EQ(readKnown(guarded(std::string(loadX) +
                              "  %is = fcmp olt float %u, 0.0\n"))
                .instructions.floats,
            1);
}

TEST(LaunchReader, BoundsDependOnTheThread) {
  planning::LaunchWork work = readKnown(
      "  %w = udiv i32 %t, 32\n  %end = add i32 %w, 1\n" +
      loopText("loop", "entry", "%end", "  %f = fadd float 1.0, 2.0\n"));
  EXPECT_EQ(work.instructions.floats, (1 + 2 + 3 + 4) / 4.);
}

// An inner loop to the variable of the outer one has half of the iterations.
TEST(LaunchReader, TrianglesCountHalf) {
  planning::LaunchWork work = readKnown(R"(
  br label %outer
outer:
  %o = phi i32 [ 0, %entry ], [ %on, %inner.e ]
  %end = add nsw i32 %o, 1
)" + loopText("inner", "outer", "%end", "  %f = fadd float 1.0, 2.0\n") +
                                        R"(
  %on = add nsw i32 %o, 1
  %oc = icmp slt i32 %on, 99
  br i1 %oc, label %outer, label %done
done:
)");
  EXPECT_EQ(work.instructions.floats, 99 * 50);
}

TEST(LaunchReader, WhatIsUnlikelyCountsByItsShare) {
  planning::LaunchWork work = readKnown(std::string(loadX) + R"(
  %is = fcmp olt float %u, 0.0
  br i1 %is, label %then, label %end, !prof !1
then:
  %f = fadd float 1.0, 2.0
  %v = load float, ptr addrspace(1) %ay
  store float %v, ptr addrspace(1) %ax
  br label %end
end:
)");
  EXPECT_EQ(work.instructions.floats, 1 / 64.);
  EXPECT_EQ(work.memoryRounds, 1);
}

// The number of iterations is in memory, and the weights of the branch back say
// how many to expect.
TEST(LaunchReader, WeightsSayHowOftenALoopIsRun) {
  std::string body =
      loopText("loop", "entry", "%end", "  %f = fadd float 1.0, 2.0\n");
  const std::string back = "label %loop, label %loop.e";
  auto floats = [&](const std::string &weights) {
    std::string text = body;
    text.insert(text.find(back) + back.size(), ", !prof !" + weights);
    planning::LaunchWork work =
        readKnown("  %end = load i32, ptr addrspace(1) %ax\n" + text);
    return work.instructions.floats;
  };
  EXPECT_EQ(floats("1"), 1 + 1 / 63.);
  EXPECT_EQ(floats("2"), 1 + 63 / 1.);
}

// The number of iterations is in memory; a thread has memory of its own.
TEST(LaunchReader, SomeCodeCannotBeRead) {
  EXPECT_FALSE(readBody("  %end = load i32, ptr addrspace(1) %ax\n" +
                        loopText("loop", "entry", "%end", "")));
  EXPECT_FALSE(readBody("  %own = alloca float\n"));
}

TEST(LaunchReader, ValuesThatAreLiveTogetherTakeRegisters) {
  auto registersOf = [](int values) {
    std::string text;
    for (int i = 0; i < values; ++i)
      text += "  %l" + std::to_string(i) +
              " = load volatile float, ptr addrspace(1) %ax\n";
    for (int i = 0; i < values; ++i)
      text +=
          "  store float %l" + std::to_string(i) + ", ptr addrspace(1) %ay\n";
    return readKnown(text).registers;
  };
  EXPECT_EQ(registersOf(80) - registersOf(40), 40);
  EXPECT_EQ(registersOf(300), 255);
  EXPECT_GE(registersOf(0), 16);
}

TEST(LaunchReader, InstructionsCountByTheirUnits) {
  planning::LaunchInstructions own = readKnown(R"(
  %f = fmul <4 x float> splat (float 2.0), splat (float 3.0)
  %d = fadd double 1.0, 2.0
  %q = fdiv float 1.0, 3.0
)")
                                         .instructions,
                               none = readKnown("").instructions;
  EXPECT_EQ(own.floats, 4 + 9);
  EXPECT_EQ(own.doubles, 1);
  EXPECT_EQ(own.functions, 1);
  EXPECT_EQ(own.integers, none.integers);
  EXPECT_EQ(own.sum() - none.sum(), 4 + 1 + 10);
}
