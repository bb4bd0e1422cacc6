// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The compiler from file to file: runs the phases in order, and stops, resumes,
// dumps and reports as requested.
#ifndef ZCC_COMPILER_DRIVER_DRIVER_H
#define ZCC_COMPILER_DRIVER_DRIVER_H

#include "compiler/phases/Options.h"
#include "compiler/phases/Phases.h"
#include <map>
#include <set>
#include <string>
#include <vector>

namespace zcc {

/// A text that a compilation writes besides the executable and the report.
enum class Document { Buffers, Draw, MemoryPlot, Page, PlanOut, Trace };
/// Returns the option that asks for it, without dashes, as "memory-plot".
const char *getOptionName(Document document);
/// Returns all documents.
std::vector<Document> allDocuments();

struct CompileRequest {
  Options options;
  Phase from = Phase::input;    // the phase of the input text
  Phase to = Phase::executable; // where to stop
  std::string output;           // a file, or "-" for standard output
  std::string report;           // JSON file, or ""
  std::string plan;             // file of a plan to follow, or ""
  bool planActions = false;     // planOut includes the action table
  // Files to write. In memory, the documents that are wanted, by any text.
  std::map<Document, std::string> documents;
  std::vector<std::string> explain; // names of values, or "plan"
  std::string dumpFolder;           // gets the text of every phase, or ""
  bool quiet = false;           // no table on standard output
  unsigned threads = 0;         // threads of the compilation; 0: all cores
};

// Returns the exit status: 0 for success, 2 for bad usage or input. Errors are
// printed to standard error, and no file is half-written.
int compile(CompileRequest request);

/// A text that is compiled in memory.
struct TextRequest {
  Options options;    // `input` names the text in messages
  std::string text;   // of phase `input`
  bool plans = false; // stop at phase `planned`: there is no executable
  std::vector<std::string> explain; // names of values, or "plan"
  unsigned threads = 0;             // of the compilation; 0: all cores
  std::set<Document> documents;     // that are wanted besides the report
};

/// The result of compiling a text in memory.
struct CompiledText {
  std::string executable;  // the bytes of its file; "" if it was only planned
  std::string report;      // JSON, as --report writes it
  std::string table;       // the same for people
  std::string explanation; // of TextRequest.explain
  /// Those of TextRequest.documents that the program has: one of a single stage
  /// has no picture of its schedule.
  std::map<Document, std::string> documents;
  /// Errors, warnings and notes, as the command line prints them.
  std::string messages;
  /// FILE:LINE of the first error that is at a line of the user's code; or "".
  std::string place;
};

/// Compiles a text and writes nothing: no file, nothing to standard output or
/// standard error. Returns false if the text or an option is refused; then
/// `result` has only messages and a place. Several threads may compile at once.
bool compileText(const TextRequest &request, CompiledText &result);

} // namespace zcc

#endif
