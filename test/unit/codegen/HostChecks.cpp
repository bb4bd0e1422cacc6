// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels for the host tell of alignments and of uses of shared memory.

#include "compiler/cuda/HostChecks.h"
#include "runtime/format/GpuThread.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/SourceMgr.h"
#include "gtest/gtest.h"
#include <map>

namespace zcc::cuda {
namespace {

/// Adds the checks to a kernel of that body, and returns how many calls go to
/// each function of the thread, by the distance of its field.
std::map<int64_t, int> callsOf(const std::string &body) {
  llvm::LLVMContext context;
  llvm::SMDiagnostic error;
  std::string shared = std::to_string(offsetof(ZccGpuThread, shared));
  auto module = llvm::parseAssemblyString(
      "define void @kernel(ptr %self, ptr %parameters) {\n"
      "%own = alloca float\n"
      "%place = getelementptr i8, ptr %self, i64 " +
          shared +
          "\n%shared = load ptr, ptr %place\n"
          "%first = load ptr, ptr %parameters\n"
          "%buffer = load ptr, ptr %first\n" +
          body + "ret void\n}\n",
      error, context);
  EXPECT_TRUE(module) << error.getMessage().str();
  if (!module)
    return {};
  addHostChecks(*module);
  EXPECT_FALSE(llvm::verifyModule(*module, &llvm::errs()));
  std::map<int64_t, int> calls;
  llvm::Function &kernel = *module->getFunction("kernel");
  for (llvm::Instruction &one : llvm::instructions(kernel))
    if (auto *call = llvm::dyn_cast<llvm::CallInst>(&one)) {
      auto *field = llvm::cast<llvm::LoadInst>(call->getCalledOperand());
      int64_t distance = 0;
      EXPECT_EQ(
          llvm::GetPointerBaseWithConstantOffset(
              field->getPointerOperand(), distance, module->getDataLayout()),
          kernel.getArg(0));
      EXPECT_EQ(call->getArgOperand(0), kernel.getArg(0));
      ++calls[distance];
    }
  return calls;
}

constexpr int64_t misaligned = offsetof(ZccGpuThread, misaligned),
                  access = offsetof(ZccGpuThread, access);

TEST(HostChecks, BuffersHaveTheAlignmentThatTheCodeClaims) {
  // The parameter's word and the buffer are checked.
  EXPECT_EQ(callsOf("%v = load <4 x float>, ptr %buffer, align 16\n"),
            (std::map<int64_t, int>{{misaligned, 2}}));
  EXPECT_EQ(callsOf("%v = load <4 x float>, ptr %buffer, align 1\n"),
            (std::map<int64_t, int>{{misaligned, 1}}));
}

TEST(HostChecks, UsesOfSharedMemoryAreTold) {
  EXPECT_EQ(callsOf("%at = getelementptr float, ptr %shared, i64 7\n"
                    "%v = load float, ptr %at, align 4\n"
                    "store float %v, ptr %shared, align 4\n"),
            (std::map<int64_t, int>{{misaligned, 3}, {access, 2}}));
}

TEST(HostChecks, TheThreadsOwnMemoryIsNotToldOf) {
  EXPECT_EQ(callsOf("%v = load float, ptr %own, align 4\n"
                    "store float %v, ptr %own, align 4\n"),
            (std::map<int64_t, int>{{misaligned, 1}}));
}

} // namespace
} // namespace zcc::cuda
