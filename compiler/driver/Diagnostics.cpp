// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/driver/Diagnostics.h"
#include "dialects/Train/Place.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace zcc;

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

Diagnostics::Diagnostics(llvm::SourceMgr &sources, MLIRContext *context,
                         llvm::raw_ostream &os, std::string *firstPlace)
    : SourceMgrDiagnosticHandler(sources, context, os), firstPlace(firstPlace) {
  setHandler([this](Diagnostic &diagnostic) {
    print(diagnostic);
    for (Diagnostic &note : diagnostic.getNotes())
      print(note);
    if (diagnostic.getSeverity() == DiagnosticSeverity::Error) {
      notePlace(diagnostic.getLocation());
      printStack(diagnostic.getLocation());
    }
  });
}

void Diagnostics::notePlace(Location loc) {
  FileLineColLoc place = findPlace(loc);
  if (place && firstPlace && firstPlace->empty())
    *firstPlace = place.getFilename().getValue().str() + ":" +
                  std::to_string(place.getLine());
}

void Diagnostics::print(Diagnostic &diagnostic) {
  if (FileLineColLoc place = findPlace(diagnostic.getLocation())) {
    // A line is not shown twice in a row.
    bool isNote = diagnostic.getSeverity() == DiagnosticSeverity::Note,
         isShown = isNote && place == last;
    last = place;
    std::string text = diagnostic.str();
    // A line of a model may be of many of its modules.
    if (StringRef module = findModule(diagnostic.getLocation());
        diagnostic.getSeverity() == DiagnosticSeverity::Error &&
        !module.empty())
      text += " (in the module " + module.str() + ")";
    return emitDiagnostic(place, text, diagnostic.getSeverity(),
                          /*displaySourceLine=*/!isShown);
  }
  if (auto name = diagnostic.getLocation()->findInstanceOf<NameLoc>())
    os << name.getName().getValue() << ": ";
  os << wordFor(diagnostic.getSeverity()) << diagnostic.str() << "\n";
}

void Diagnostics::printStack(Location loc) {
  constexpr size_t most = 10;
  SmallVector<Frame> frames = getFrames(loc);
  FileLineColLoc last = findPlace(loc);
  auto note = [&](FileLineColLoc at, StringRef text) {
    emitDiagnostic(at, text, DiagnosticSeverity::Note);
  };
  auto place =
      llvm::find_if(frames, [&](const Frame &f) { return f.at == last; });
  if (place != frames.end() && place != frames.begin())
    note(frames.front().at, "in a library's code called there");
  size_t count = 0;
  for (const Frame &frame : llvm::make_range(place, frames.end())) {
    if (frame.isLibrary || frame.at == last)
      continue;
    if (++count > most)
      return;
    note(last = frame.at, "called from");
  }
}
