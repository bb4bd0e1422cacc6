// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds the features of a CPU by its name, and the level that code is generated
// for (CpuLevel in Codegen.h).
#include "compiler/cpu/Codegen.h"
#include "compiler/cpu/Machine.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/X86TargetParser.h"
#include <mutex>

using namespace mlir;

namespace zcc {

bool CpuLevel::has(StringRef feature) const {
  return llvm::is_contained(features, feature.str());
}

FailureOr<CpuLevel>
getCpuLevel(StringRef name,
            llvm::function_ref<void(const llvm::Twine &)> error) {
  llvm::StringSet<> features;
  std::string tune;
  if (name == "native") {
    tune = llvm::sys::getHostCPUName().str();
    for (auto &f : llvm::sys::getHostCPUFeatures())
      if (f.second)
        features.insert(f.first());
  } else {
    tune = name.str();
    if (llvm::X86::parseArchX86(name, /*Only64Bit=*/true) ==
        llvm::X86::CK_None) {
      error("unknown CPU '" + name + "'");
      return failure();
    }
    SmallVector<StringRef> list;
    llvm::X86::getFeaturesForCPU(name, list);
    llvm::StringMap<bool> implied;
    for (StringRef f : list) {
      features.insert(f);
      llvm::X86::updateImpliedFeatures(f, true, implied);
    }
    for (auto &f : implied)
      if (f.second)
        features.insert(f.first());
  }
  // Code is generated for one of two levels, and tuned for the CPU. Other
  // instructions would gain nothing, and this way executables of machines of
  // one level are the same.
  static const char *const base[] = {"avx", "avx2",  "bmi",   "bmi2",  "f16c",
                                     "fma", "lzcnt", "movbe", "popcnt"};
  static const char *const wide[] = {"avx512bw", "avx512cd", "avx512dq",
                                     "avx512f", "avx512vl"};
  auto hasAll = [&](ArrayRef<const char *> list) {
    return llvm::all_of(list,
                        [&](const char *f) { return features.contains(f); });
  };
  for (const char *needed : base)
    if (!features.contains(needed)) {
      error("CPU '" + name + "' lacks " + needed + ", which kernels need");
      return failure();
    }
  bool isWide = hasAll(wide);
  CpuLevel target;
  target.cpu = isWide ? "x86-64-v4" : "x86-64-v3";
  target.tune = tune;
  target.features.assign(std::begin(base), std::end(base));
  if (isWide)
    target.features.insert(target.features.end(), std::begin(wide),
                           std::end(wide));
  llvm::sort(target.features);
  target.vectorBytes = isWide ? 64 : 32;
  return target;
}

std::unique_ptr<llvm::TargetMachine> createTargetMachine(const CpuLevel &cpu) {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
  });
  llvm::Triple triple("x86_64-unknown-linux-gnu");
  std::string message;
  const llvm::Target *target =
      llvm::TargetRegistry::lookupTarget(triple, message);
  assert(target && "LLVM without X86");
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Strict;
  options.DataSections = options.FunctionSections = false;
  std::string features;
  for (const std::string &f : cpu.features)
    features += (features.empty() ? "+" : ",+") + f;
  return std::unique_ptr<llvm::TargetMachine>(target->createTargetMachine(
      triple, cpu.cpu, features, options, llvm::Reloc::PIC_, std::nullopt,
      llvm::CodeGenOptLevel::Default));
}

} // namespace zcc
