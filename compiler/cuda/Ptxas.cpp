// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ptxas reads and writes files, so text and cubin pass through a folder of
// temporary files, which is removed at the end. Its messages are parsed:
//
//   ptxas info : Compiling entry function 'k' for 'sm_90'
//   ptxas info : Function properties for k
//       0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
//   ptxas info : Used 32 registers, used 0 barriers, ...
#include "compiler/cuda/Ptxas.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace zcc::cuda {

std::string findPtxas(StringRef choice, std::string &error) {
  if (choice == "none")
    return "";
  if (choice == "auto") {
    auto found = llvm::sys::findProgramByName("ptxas");
    if (!found)
      found = llvm::sys::findProgramByName("ptxas", {"/usr/local/cuda/bin"});
    return found ? *found : "";
  }
  if (llvm::sys::fs::can_execute(choice))
    return choice.str();
  error = "cannot run '" + choice.str() + "'";
  return "";
}

namespace {

// Returns the number in front of `unit` in the line; 0 if there is none.
uint64_t numberBefore(StringRef line, StringRef unit) {
  size_t at = line.find(unit);
  if (at == StringRef::npos)
    return 0;
  StringRef words = line.take_front(at).rtrim();
  uint64_t value = 0;
  words.rsplit(' ').second.getAsInteger(10, value);
  return value;
}

void parseUse(StringRef words, std::map<std::string, EntryUse> &entries) {
  EntryUse *current = nullptr;
  SmallVector<StringRef> lines;
  words.split(lines, '\n');
  for (StringRef line : lines) {
    if (line.contains("Compiling entry function")) {
      current = &entries[line.split('\'').second.split('\'').first.str()];
      continue;
    }
    if (!current)
      continue;
    if (line.contains("bytes stack frame"))
      current->stack += numberBefore(line, " bytes stack frame") +
                        numberBefore(line, " bytes spill stores") +
                        numberBefore(line, " bytes spill loads");
    if (line.contains(" registers"))
      current->registers = numberBefore(line, " registers");
  }
}

FailureOr<Cubin> assembleIn(const std::string &folder, const std::string &ptxas,
                            StringRef device, StringRef ptx,
                            std::string &error) {
  auto pathOf = [&](StringRef name) {
    SmallString<128> path(folder);
    llvm::sys::path::append(path, name);
    return path.str().str();
  };
  std::string input = pathOf("kernels.ptx"), output = pathOf("kernels.cubin"),
              words = pathOf("words");
  {
    std::error_code ec;
    llvm::raw_fd_ostream file(input, ec);
    if (!ec) {
      file << ptx;
      file.close();
      ec = file.error();
    }
    if (ec) {
      file.clear_error();
      error = "cannot write a temporary file: " + ec.message();
      return failure();
    }
  }
  std::string architecture = "-arch=" + device.str();
  StringRef arguments[] = {ptxas, "-v", "-O3", architecture,
                           input, "-o", output};
  std::optional<StringRef> redirects[] = {StringRef(), StringRef(words),
                                          StringRef(words)};
  std::string message;
  int status = llvm::sys::ExecuteAndWait(ptxas, arguments, std::nullopt,
                                         redirects, 0, 0, &message);
  auto said = llvm::MemoryBuffer::getFile(words);
  std::string text = said ? (*said)->getBuffer().str() : "";
  if (status != 0) {
    error = !message.empty() ? message
            : !text.empty()  ? text
                             : "exit status " + std::to_string(status);
    return failure();
  }
  Cubin cubin;
  parseUse(text, cubin.entries);
  auto buffer = llvm::MemoryBuffer::getFile(output, false, false);
  if (!buffer) {
    error = "cannot read the cubin: " + buffer.getError().message();
    return failure();
  }
  cubin.object = (*buffer)->getBuffer().str();
  return cubin;
}

} // namespace

FailureOr<Cubin> assemble(const std::string &ptxas, StringRef device,
                          StringRef ptx, std::string &error) {
  SmallString<128> folder;
  if (std::error_code ec =
          llvm::sys::fs::createUniqueDirectory("zcc-ptxas", folder)) {
    error = "cannot make a temporary folder: " + ec.message();
    return failure();
  }
  FailureOr<Cubin> cubin =
      assembleIn(folder.str().str(), ptxas, device, ptx, error);
  llvm::sys::fs::remove_directories(folder);
  return cubin;
}

} // namespace zcc::cuda
