// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The conformance suite. See docs/reference.md.
//
//   conformance check TARGET CASES [DRIVER DEVICE]
//                                        every case on the target's backend;
//                                        GPUs by that driver, with code for
//                                        that device
//   conformance pack TARGET CASES DEVICE FILE
//                                        the kernels' code and programs, for
//                                        conformance_run
//   conformance break CASES              the reference backend, broken once an
//                                        op and a step: all are caught
//   conformance missing CASES FILE...    signatures of planned modules that no
//                                        case has, with kernels that have them
#include "compiler/cpu/CpuTarget.h"
#include "compiler/cuda/CudaTarget.h"
#include "compiler/reference/ReferenceTarget.h"
#include "dialects/Dist/Dist.h"
#include "dialects/Exec/Exec.h"
#include "dialects/Train/Train.h"
#include "mlir/Parser/Parser.h"
#include "runtime/core/Error.h"
#include "runtime/cpu/CpuBackend.h"
#include "runtime/cuda/CudaBackend.h"
#include "runtime/format/ExecutableFile.h"
#include "runtime/reference/ReferenceBackend.h"
#include "test/conformance/KernelCode.h"
#include "test/conformance/Signatures.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/xxhash.h"
#include <fstream>

using namespace mlir;

namespace zcc::conformance {
namespace {

struct TestedBackend {
  std::unique_ptr<Target> target;
  std::shared_ptr<const rt::Backend> backend;
};

// Each backend has a line here.
TestedBackend findBackend(StringRef name, const std::string &driver,
                          const std::string &device) {
  auto lasting = [](const rt::Backend &backend) {
    return std::shared_ptr<const rt::Backend>(std::shared_ptr<void>(),
                                              &backend);
  };
  if (name == "cpu")
    return {std::make_unique<CpuTarget>(), lasting(rt::cpuBackend())};
  if (name == "cuda")
    return {std::make_unique<CudaTarget>(std::vector{device}),
            rt::makeCudaBackend({driver, {}, driver})};
  if (name == "reference")
    return {std::make_unique<ReferenceTarget>(),
            lasting(rt::referenceBackend())};
  rt::badInput("unknown target '", name.str(), "'");
}

// The cases of a folder: functions in *.mlir, steps in steps.txt.
struct Cases {
  std::vector<OwningOpRef<ModuleOp>> modules;
  std::vector<func::FuncOp> functions;
  std::vector<KernelCase> kernels; // of the functions
  std::unique_ptr<StepCases> steps;
  Signatures signatures;
};

Cases loadCases(MLIRContext &context, const std::string &folder) {
  Cases out;
  std::vector<std::string> files;
  std::error_code code;
  for (llvm::sys::fs::directory_iterator it(folder, code), end;
       it != end && !code; it.increment(code))
    files.push_back(it->path());
  llvm::sort(files);
  for (const std::string &file : files) {
    if (StringRef(file).ends_with(".mlir")) {
      out.modules.push_back(parseSourceFile<ModuleOp>(file, &context));
      if (!out.modules.back())
        rt::badInput(file, " does not parse");
      for (auto function : out.modules.back()->getOps<func::FuncOp>()) {
        out.functions.push_back(function);
        out.kernels.push_back(makeCase(function.getSymName().str(),
                                       programOf(function),
                                       out.kernels.size() + 1));
      }
    } else if (StringRef(file).ends_with(".txt")) {
      auto buffer = llvm::MemoryBuffer::getFile(file);
      if (!buffer)
        rt::badInput("cannot read ", file);
      out.steps = std::make_unique<StepCases>((*buffer)->getBuffer().str());
    }
  }
  if (!out.steps || out.kernels.empty())
    rt::badInput(folder, ": expected *.mlir and steps.txt");
  for (func::FuncOp function : out.functions)
    for (const std::string &line : signaturesOf(function))
      out.signatures.insert(line);
  for (const std::string &line : out.steps->signatures())
    out.signatures.insert(line);
  out.signatures.insert("step batch"); // of all kernels
  return out;
}

int check(const Cases &cases, StringRef name, const std::string &driver,
          const std::string &device) {
  TestedBackend tested = findBackend(name, driver, device);
  return checkCases(cases.kernels,
                    compileCases(cases.functions, *tested.target), *cases.steps,
                    *tested.backend) != 0;
}

// Every kernel with its code and its program, in one file.
int pack(const Cases &cases, StringRef name, const std::string &device,
         const std::string &file) {
  TestedBackend tested = findBackend(name, "", device);
  CaseCode code = compileCases(cases.functions, *tested.target);
  for (auto [kernel, one] : llvm::zip_equal(code.kernels, cases.kernels))
    *kernel.mutable_program() = one.program;
  std::string bytes,
      wrong = rt::serializeExecutable(
          buildExecutable(cases.kernels, code, Form::Batch), bytes);
  std::ofstream out(file, std::ios::binary);
  out << bytes;
  out.close();
  if (!wrong.empty() || !out)
    rt::badInput("cannot write ", file, wrong.empty() ? "" : ": " + wrong);
  return 0;
}

// Moves each op by the smallest amount that is not permitted, one bit or eight
// times the limit, in the cases that have it. Some case must notice.
int breakKernels(const Cases &cases) {
  std::set<std::string> names;
  for (const KernelCase &one : cases.kernels)
    for (const rt::format::ProgramOp &op : one.program.ops())
      names.insert(op.name());
  int unseen = 0;
  for (const std::string &name : names) {
    std::vector<KernelCase> chosen;
    std::vector<rt::format::Program> programs;
    for (const KernelCase &one : cases.kernels) {
      Perturbation how;
      how.chooses = [&](const rt::format::ProgramOp &op) {
        return op.name() == name;
      };
      how.scale = 8;
      int moved = 0;
      rt::format::Program program = perturb(one.program, how, moved);
      if (moved == 0)
        continue;
      chosen.push_back(one);
      programs.push_back(std::move(program));
      if (chosen.size() == 40)
        break;
    }
    bool isSeen = false;
    if (!chosen.empty()) {
      Results results = runCases(chosen, codeOf(programs, "reference"),
                                 rt::referenceBackend());
      for (size_t i = 0; i < chosen.size() && !isSeen; ++i)
        isSeen = !compare(chosen[i], results[i]).empty();
    }
    if (!isSeen) {
      ++unseen;
      llvm::outs() << "error: no case sees a broken " << name << "\n";
    }
  }
  llvm::outs() << names.size() << " ops broken, " << unseen << " unseen\n";
  return unseen;
}

// Leaves each step out and, if it has them, changes its reduction, the order of
// its axes, its shift, its value or the places of its rows.
int breakSteps(const StepCases &steps) {
  namespace format = rt::format;
  using Change = bool (*)(format::Step &);
  struct Kind {
    const char *name;
    Change change;
  };
  static const Kind kinds[] = {
      {"left out",
       [](format::Step &step) {
         step.clear_what();
         return true;
       }},
      {"of another reduction",
       [](format::Step &step) {
         if (!step.has_collective() ||
             (step.collective().kind() != format::CollectiveStep::ALL_REDUCE &&
              step.collective().kind() !=
                  format::CollectiveStep::REDUCE_SCATTER))
           return false;
         auto old = step.collective().reduction();
         bool isSum = old == format::CollectiveStep::SUM ||
                      old == format::CollectiveStep::OR;
         step.mutable_collective()->set_reduction(
             isSum ? format::CollectiveStep::PRODUCT
                   : format::CollectiveStep::SUM);
         return old != format::CollectiveStep::MAX ||
                step.collective().type() != format::I1;
       }},
      {"with axes in another order",
       [](format::Step &step) {
         if (!step.has_collective() || step.collective().axes_size() != 2 ||
             step.collective().kind() ==
                 format::CollectiveStep::EXCHANGE_BOXES ||
             (step.collective().kind() == format::CollectiveStep::ALL_REDUCE))
           return false;
         step.mutable_collective()->mutable_axes()->SwapElements(0, 1);
         return true;
       }},
      {"with another shift",
       [](format::Step &step) {
         if (step.collective().kind() != format::CollectiveStep::PERMUTE ||
             !step.has_collective())
           return false;
         step.mutable_collective()->set_shift(step.collective().shift() + 1);
         return true;
       }},
      {"with another value",
       [](format::Step &step) {
         if (!step.has_fill())
           return false;
         step.mutable_fill()->set_value(step.fill().value() + 1);
         return true;
       }},
      {"with a source elsewhere",
       [](format::Step &step) {
         uint64_t begin = step.collective().source_rows().begin();
         if (begin == 0)
           return false;
         step.mutable_collective()->mutable_source_rows()->set_begin(begin - 1);
         return true;
       }},
      {"with a target elsewhere",
       [](format::Step &step) {
         uint64_t begin = step.collective().target_rows().begin();
         if (begin == 0)
           return false;
         step.mutable_collective()->mutable_target_rows()->set_begin(begin - 1);
         return true;
       }},
      {"without its last part",
       [](format::Step &step) {
         if (!step.has_bucket() || step.bucket().members_size() < 3)
           return false;
         step.mutable_bucket()->mutable_members()->RemoveLast();
         return true;
       }},
      {"without what is between",
       [](format::Step &step) {
         if (!step.has_repeat())
           return false;
         step.mutable_repeat()->clear_between();
         return true;
       }},
  };
  int unseen = 0, broken = 0;
  for (const Kind &kind : kinds) {
    std::set<size_t> changed;
    std::vector<std::string> wrong =
        steps.run(rt::referenceBackend(),
                  [&](size_t i, format::Step &step, const format::Task &) {
                    if (kind.change(step))
                      changed.insert(i);
                    return true;
                  });
    for (size_t i : changed) {
      ++broken;
      if (!wrong[i].empty())
        continue;
      ++unseen;
      llvm::outs() << "error: " << steps.line(i) << ": unseen when "
                   << kind.name << "\n";
    }
  }
  llvm::outs() << broken << " steps broken, " << unseen << " unseen\n";
  return unseen;
}

// Kernels are printed as cases are written, so that they can be added to them.
int missing(MLIRContext &context, Cases &cases, ArrayRef<char *> files) {
  int count = 0;
  for (const char *file : files) {
    OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(file, &context);
    if (!module)
      rt::badInput(file, " does not parse");
    for (const std::string &line : stepSignaturesOf(*module))
      if (cases.signatures.insert(line).second) {
        ++count;
        llvm::outs() << "// missing: " << line << "\n";
      }
    for (auto kernel : module->getOps<func::FuncOp>()) {
      if (!kernel->hasAttr(exec::kernelAttrName))
        continue;
      bool isNew = false;
      for (const std::string &line : signaturesOf(kernel))
        if (cases.signatures.insert(line).second) {
          isNew = true;
          ++count;
          llvm::outs() << "// missing: " << line << "\n";
        }
      if (!isNew)
        continue;
      kernel->removeAttr(exec::kernelAttrName);
      for (Operation &op : kernel.getBody().front())
        op.removeDiscardableAttr(train::tagAttrName);
      // Equal kernels have one name, whatever their names in the text.
      std::string name = kernel.getSymName().split('_').second.str();
      kernel.setSymName("kernel");
      std::string text;
      llvm::raw_string_ostream stream(text);
      kernel.print(stream);
      kernel.setSymName(
          name + "_" +
          llvm::utohexstr(llvm::xxh3_64bits(llvm::StringRef(text)), true));
      kernel.setPublic();
      kernel.print(llvm::outs());
      llvm::outs() << "\n";
    }
  }
  llvm::errs() << count << " missing\n";
  return count != 0;
}

int run(ArrayRef<char *> words) {
  MLIRContext context;
  context.loadDialect<func::FuncDialect, train::TrainDialect, dist::DistDialect,
                      exec::ExecDialect>();
  StringRef what = words.empty() ? "" : words[0];
  if (what == "check" && (words.size() == 3 || words.size() == 5))
    return check(loadCases(context, words[2]), words[1],
                 words.size() == 5 ? words[3] : "",
                 words.size() == 5 ? words[4] : "");
  if (what == "pack" && words.size() == 5)
    return pack(loadCases(context, words[2]), words[1], words[3], words[4]);
  if (what == "break" && words.size() == 2) {
    Cases cases = loadCases(context, words[1]);
    return breakKernels(cases) + breakSteps(*cases.steps) != 0;
  }
  if (what == "missing" && words.size() > 2) {
    Cases cases = loadCases(context, words[1]);
    return missing(context, cases, words.drop_front(2));
  }
  rt::badInput("expected check TARGET CASES [DRIVER DEVICE], pack TARGET CASES "
               "DEVICE FILE, break CASES or missing CASES FILE...");
}

} // namespace
} // namespace zcc::conformance

int main(int argc, char **argv) {
  try {
    return zcc::conformance::run(
        llvm::ArrayRef<char *>(argv + 1, static_cast<size_t>(argc - 1)));
  } catch (const std::exception &thrown) {
    llvm::errs() << "error: " << thrown.what() << "\n";
    return 2;
  }
}
