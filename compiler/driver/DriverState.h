// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The state of one compilation (Driver.h). Driver.cpp runs the phases,
// DriverMemory.cpp checks the program against the memory, DriverOutputs.cpp
// writes files. The planner (PlanFitter.h) finds the plan.
#ifndef ZCC_COMPILER_DRIVER_DRIVERSTATE_H
#define ZCC_COMPILER_DRIVER_DRIVERSTATE_H

#include "compiler/driver/Driver.h"
#include "compiler/driver/OutputFile.h"
#include "compiler/emission/Report.h"
#include "compiler/planner/fit/PlanFitter.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/ThreadPool.h"

namespace zcc {

/// Prints to standard error, and keeps the printed text.
class KeptMessages : public llvm::raw_ostream {
public:
  /// `text`, which gets the messages, outlives this.
  explicit KeptMessages(std::string &text)
      : raw_ostream(/*unbuffered=*/true), text(text) {}

private:
  void write_impl(const char *bytes, size_t size) override {
    text.append(bytes, size);
    llvm::errs().write(bytes, size);
  }
  uint64_t current_pos() const override { return text.size(); }

  std::string &text;
};

class Driver {
public:
  explicit Driver(CompileRequest request);
  // Compiles in memory; both outlive the driver.
  Driver(CompileRequest request, const std::string &text, CompiledText &result);

  int run();

private:
  Driver(CompileRequest request, const std::string *text, CompiledText *result);

  // Returns where messages go if not to standard error alone; else null.
  std::unique_ptr<llvm::raw_ostream> openMessages();
  // Reports the error and returns the exit status.
  int fail(const llvm::Twine &message);

  // Before the phases: reading the text and all that it is compiled with.
  std::string checkRequest() const;
  int checkPlaces();
  int prepare();
  mlir::OwningOpRef<mlir::ModuleOp> parse(const std::string &file);
  mlir::OwningOpRef<mlir::ModuleOp>
  parse(std::unique_ptr<llvm::MemoryBuffer> text);
  std::string takeOptions();
  int takeMachine();

  // The phases.
  int runPhases();
  mlir::LogicalResult finishPhase(Phase phase, mlir::ModuleOp module);
  int fitPlan();

  // After the phases.
  int checkMemory();
  int explainNames();
  int writeExecutable();
  /// Returns true if the document is asked for.
  bool wants(Document document) const {
    return request.documents.count(document) != 0;
  }
  /// Hands a document out, to its file or in memory.
  int put(Document document, std::string text);
  int writePictures();
  int writePlan();
  int writeReport();

  CompileContext context() const { return {options, machine, *target}; }
  mlir::ModuleOp module() { return *fitted.compiled.module; }
  // Bytes of a device, before any are withheld from passes.
  double wholeMemory();
  std::string print(mlir::ModuleOp op);

  CompileRequest request;
  Options &options;
  const std::string *text = nullptr; // null: it is in a file
  CompiledText *inMemory = nullptr;  // null: results go to files
  std::string keptMessages;          // if a page shows them
  std::unique_ptr<llvm::raw_ostream> ownMessages; // null: standard error alone
  llvm::raw_ostream &messages;
  std::optional<llvm::DefaultThreadPool> threads; // if not all cores
  mlir::MLIRContext mlirContext;
  llvm::SourceMgr sources;
  std::unique_ptr<Target> target; // once the options are known
  planning::Machine machine;
  // The module, with the plan that was asked for until the planner has fitted
  // it, and with its results then.
  planner::FittedStep fitted;
  std::string explanation;
  Report report;                    // of the module, once the phases have run
  std::vector<PredictedSpan> spans; // of the step, if a trace is wanted
  ActionTimes times;                // of the step, if its memory is drawn
  OutputFiles files;                // all are written, or none
};

} // namespace zcc

#endif
