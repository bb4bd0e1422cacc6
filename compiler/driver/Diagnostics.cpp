// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/driver/Diagnostics.h"
#include "mlir/IR/Location.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace zcc;

static bool hasLine(Diagnostic &diagnostic) {
  return diagnostic.getLocation()->findInstanceOf<FileLineColLoc>() != nullptr;
}

static StringRef wordFor(DiagnosticSeverity severity) {
  switch (severity) {
  case DiagnosticSeverity::Error:
    return "error: ";
  case DiagnosticSeverity::Warning:
    return "warning: ";
  case DiagnosticSeverity::Note:
    return "note: ";
  case DiagnosticSeverity::Remark:
    return "remark: ";
  }
  return "";
}

Diagnostics::Diagnostics(llvm::SourceMgr &sources, MLIRContext *context)
    : SourceMgrDiagnosticHandler(sources, context) {
  setHandler([this](Diagnostic &diagnostic) {
    bool all = hasLine(diagnostic);
    for (Diagnostic &note : diagnostic.getNotes())
      all &= hasLine(note);
    if (all)
      return emitDiagnostic(diagnostic);
    print(diagnostic);
    for (Diagnostic &note : diagnostic.getNotes())
      print(note);
  });
}

void Diagnostics::print(Diagnostic &diagnostic) {
  if (hasLine(diagnostic))
    return emitDiagnostic(diagnostic.getLocation(), diagnostic.str(),
                          diagnostic.getSeverity());
  if (auto name = diagnostic.getLocation()->findInstanceOf<NameLoc>())
    os << name.getName().getValue() << ": ";
  os << wordFor(diagnostic.getSeverity()) << diagnostic.str() << "\n";
}
