// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Declares the state, inputs and outputs of the step (dist.state, dist.input,
// dist.output ops), and names the values that go from task to task.
#ifndef ZCC_PASSES_PIPELINE_DECLARATIONS_H
#define ZCC_PASSES_PIPELINE_DECLARATIONS_H

#include "dialects/Dist/Dist.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "passes/Distribute/Sharding/ValueNames.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"

namespace zcc {

class Declarations {
public:
  // run() writes the declarations before `step`. Errors are at arguments and
  // results.
  Declarations(mlir::ModuleOp module, mlir::func::FuncOp step);
  mlir::LogicalResult run();

  // Returns the symbol of an argument that is a state or an input; else "".
  std::string symbolOf(mlir::BlockArgument argument) const {
    return argumentSymbols.lookup(argument);
  }
  // Returns the symbol of the i-th result; "" for a state that the step returns
  // unchanged.
  llvm::StringRef resultSymbol(unsigned i) const { return resultSymbols[i]; }
  // Records the stage on which the state, input or output of an argument or a
  // result lives. Fails with an error if it lives on another stage already.
  mlir::LogicalResult placeArgument(mlir::BlockArgument argument,
                                    int64_t stage);
  mlir::LogicalResult placeResult(unsigned i, int64_t stage);
  // Returns the name by which `v` goes from task to task.
  mlir::StringAttr valueName(mlir::Value v);
  // Returns the name by which a value of the forward pass goes from a task that
  // computed it again.
  mlir::StringAttr againName(mlir::Value v);
  // Gives `v`, which has no name yet, the name `name`, or `name#k` if it is
  // taken.
  void nameValue(mlir::Value v, const std::string &name) {
    between[v] = b.getStringAttr(unique(valueNames, name));
  }
  // Returns a symbol that the module does not have: `name` or `name#k`.
  std::string uniqueSymbol(const std::string &name) {
    return unique(symbols, name);
  }

private:
  using Taken = llvm::StringMap<unsigned>; // how often each name was asked for
  static std::string unique(Taken &taken, const std::string &name);
  void findFileTypes();
  mlir::LogicalResult declareState(mlir::BlockArgument argument,
                                   mlir::DictionaryAttr attributes);
  mlir::LogicalResult declareArguments();
  mlir::LogicalResult declareResults();
  mlir::LogicalResult place(llvm::StringRef symbol, int64_t stage);
  void nameGradients();

  mlir::func::FuncOp step;
  mlir::Block &block;
  mlir::OpBuilder b;
  distribute::ValueNamer namer;
  Taken symbols, valueNames;
  llvm::StringMap<mlir::Operation *> declared; // by symbol
  llvm::StringMap<int64_t> stages;             // only symbols that were placed
  llvm::StringMap<mlir::Type> fileTypes;       // by parameter
  llvm::DenseMap<mlir::Value, std::string> argumentSymbols, gradientNames;
  llvm::SmallVector<std::string> resultSymbols;
  llvm::DenseMap<mlir::Value, mlir::StringAttr> between, again;
  llvm::DenseMap<mlir::Value, mlir::StringAttr> sums; // by the summed value
};

} // namespace zcc

#endif
