// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/driver/TextPlaces.h"

#include "dialects/Train/Place.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/AsmParser/AsmParserState.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;

namespace zcc {

static bool hasPlace(Location loc) {
  return findPlace(loc) || loc->findInstanceOf<NameLoc>();
}

/// Gives ops without a place their place in the text.
static void setPlaces(const llvm::SourceMgr &source,
                      const AsmParserState &state) {
  unsigned buffer = source.getMainFileID();
  StringRef file = source.getMemoryBuffer(buffer)->getBufferIdentifier();
  for (const AsmParserState::OperationDefinition &definition :
       state.getOpDefs()) {
    if (hasPlace(definition.op->getLoc()))
      continue;
    auto [line, column] = source.getLineAndColumn(definition.loc.Start, buffer);
    definition.op->setLoc(
        FileLineColLoc::get(definition.op->getContext(), file, line, column));
  }
}

LogicalResult
verifyAtPlaces(ModuleOp module, llvm::MemoryBufferRef text,
               llvm::function_ref<LogicalResult(ModuleOp)> verify) {
  MLIRContext *context = module.getContext();
  bool isPlaced = true;
  {
    ScopedDiagnosticHandler quiet(context, [&](Diagnostic &diagnostic) {
      isPlaced &= hasPlace(diagnostic.getLocation());
      return success();
    });
    if (succeeded(verify(module)))
      return success();
  }
  if (isPlaced)
    return verify(module); // now errors are reported
  llvm::SourceMgr source;
  source.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBuffer(text), {});
  AsmParserState state;
  Block block;
  ParserConfig config(context, /*verifyAfterParse=*/false);
  if (failed(parseAsmSourceFile(source, &block, config, &state)))
    return failure();
  setPlaces(source, state);
  auto inner = dyn_cast<ModuleOp>(block.front());
  if (inner && llvm::hasSingleElement(block))
    return verify(inner);
  OwningOpRef<ModuleOp> whole = ModuleOp::create(UnknownLoc::get(context));
  whole->getBody()->getOperations().splice(whole->getBody()->begin(),
                                           block.getOperations());
  return verify(*whole);
}

} // namespace zcc
