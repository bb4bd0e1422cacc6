// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "capi/Program.h"

#include "capi/CompileOptions.h"
#include "capi/Error.h"
#include "runtime/data/Inputs.h"
#include "runtime/format/ExecutableFile.h"
#include "runtime/format/States.h"
#include "runtime/format/Validate.h"
#include "runtime/train/Outputs.h"
#include "runtime/train/Results.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <set>

using namespace zcc;
using namespace zcc::capi;

void zcc_program::take(std::string given) {
  auto made = std::make_shared<rt::format::Executable>();
  std::string error = rt::parseExecutable(given, *made);
  if (error.empty())
    error = rt::validate(*made);
  if (!error.empty())
    rt::badInput(error);
  bytes = std::move(given);
  for (const rt::InputSpec &input : rt::inputSpecs(*made))
    if (!input.isKey) // trainers make keys
      inputs.add(input.name, input.type, input.shape);
  const std::set<std::string> averaged = rt::averagedParameters(*made);
  for (const rt::format::Tensor &tensor : made->parameters())
    for (Descriptions *kind : {&parameters, &averages})
      if (kind == &parameters || averaged.count(tensor.name()))
        kind->add(tensor.name(), static_cast<rt::ElementType>(tensor.type()),
                  {tensor.shape().begin(), tensor.shape().end()});
  for (const rt::OutputSpec &output : rt::outputSpecs(*made))
    outputs.add(output.name, output.type, output.shape);
  resultNames = rt::resultNames(*made);
  for (const std::string &name : resultNames)
    results.push_back(name.c_str());
  executable = std::move(made);
}

const rt::format::Executable &zcc_program::needExecutable() const {
  if (!executable)
    rt::badInput("the program is only planned: compile it without plan-only");
  return *executable;
}

zcc_status zcc_compile(const char *text, size_t length, const char *name,
                       const char *const *options, size_t option_count,
                       zcc_program **program) {
  CompiledText compiled;
  bool done = false;
  zcc_status status = guarded([&] {
    need(program, "program");
    *program = nullptr;
    need(text, length, "text");
    need(name, "name");
    TextRequest request = readCompileOptions(options, option_count);
    request.options.input = name;
    request.text.assign(text ? text : "", length);
    done = compileText(request, compiled);
    if (!done)
      return;
    auto made = std::make_unique<zcc_program>();
    if (!request.plans)
      made->take(std::move(compiled.executable));
    made->report = std::move(compiled.report);
    made->table = std::move(compiled.table);
    made->explanation = std::move(compiled.explanation);
    made->messages = std::move(compiled.messages);
    for (auto &[document, text] : compiled.documents)
      made->documents[getOptionName(document)] = std::move(text);
    *program = made.release();
  });
  if (status == ZCC_OK && !done)
    return setError(ZCC_BAD_INPUT, std::move(compiled.messages),
                    std::move(compiled.place));
  return status;
}

zcc_status zcc_program_open(const void *bytes, size_t length,
                            zcc_program **program) {
  return guarded([&] {
    need(program, "program");
    *program = nullptr;
    need(bytes, length, "bytes");
    auto made = std::make_unique<zcc_program>();
    made->take(std::string(static_cast<const char *>(bytes), length));
    *program = made.release();
  });
}

/// Throws bad input if the file cannot be read.
static std::string readFile(const char *path) {
  std::string bytes;
  char block[1 << 16];
  std::unique_ptr<FILE, int (*)(FILE *)> file(std::fopen(path, "rb"),
                                              std::fclose);
  size_t got = 0;
  while (file && (got = std::fread(block, 1, sizeof(block), file.get())) != 0)
    bytes.append(block, got);
  if (!file || std::ferror(file.get()))
    rt::badInput(path, ": cannot read: ", std::strerror(errno));
  return bytes;
}

zcc_status zcc_program_open_file(const char *path, zcc_program **program) {
  return guarded([&] {
    need(program, "program");
    *program = nullptr;
    need(path, "path");
    std::string bytes = readFile(path);
    auto made = std::make_unique<zcc_program>();
    try {
      made->take(std::move(bytes));
    } catch (const rt::Error &error) {
      rt::badInput(path, ": ", error.what());
    }
    *program = made.release();
  });
}

void zcc_program_close(zcc_program *program) {
  clearError();
  delete program;
}

zcc_status zcc_program_executable(const zcc_program *program,
                                  const void **bytes, size_t *length) {
  return guarded([&] {
    need(program, "program");
    need(bytes, "bytes");
    need(length, "length");
    (void)program->needExecutable();
    *bytes = program->bytes.data();
    *length = program->bytes.size();
  });
}

/// Returns one of the texts of a program.
static const char *textOf(const zcc_program *program,
                          std::string zcc_program::*text) {
  zcc_status status = guarded([&] { need(program, "program"); });
  return status == ZCC_OK ? (program->*text).c_str() : nullptr;
}

const char *zcc_program_report(const zcc_program *program) {
  return textOf(program, &zcc_program::report);
}
const char *zcc_program_table(const zcc_program *program) {
  return textOf(program, &zcc_program::table);
}
const char *zcc_program_explanation(const zcc_program *program) {
  return textOf(program, &zcc_program::explanation);
}
const char *zcc_program_messages(const zcc_program *program) {
  return textOf(program, &zcc_program::messages);
}

const char *zcc_program_document(const zcc_program *program, const char *name) {
  const char *found = nullptr;
  guarded([&] {
    need(program, "program");
    need(name, "name");
    std::vector<std::string> known;
    for (Document document : allDocuments())
      known.push_back(getOptionName(document));
    if (std::find(known.begin(), known.end(), name) == known.end())
      rt::badInput("no document is called ", rt::jsonText(name),
                   rt::didYouMean(rt::similarName(name, known)));
    auto at = program->documents.find(name);
    found = at == program->documents.end() ? "" : at->second.c_str();
  });
  return found;
}

static zcc_status describe(const zcc_program *program,
                           Descriptions zcc_program::*kind,
                           const zcc_array **arrays, size_t *count) {
  return guarded([&] {
    need(program, "program");
    need(arrays, "arrays");
    need(count, "count");
    (void)program->needExecutable();
    *arrays = (program->*kind).arrays().data();
    *count = (program->*kind).arrays().size();
  });
}

zcc_status zcc_program_inputs(const zcc_program *program,
                              const zcc_array **arrays, size_t *count) {
  return describe(program, &zcc_program::inputs, arrays, count);
}
zcc_status zcc_program_parameters(const zcc_program *program,
                                  const zcc_array **arrays, size_t *count) {
  return describe(program, &zcc_program::parameters, arrays, count);
}
zcc_status zcc_program_averages(const zcc_program *program,
                                const zcc_array **arrays, size_t *count) {
  return describe(program, &zcc_program::averages, arrays, count);
}
zcc_status zcc_program_outputs(const zcc_program *program,
                               const zcc_array **arrays, size_t *count) {
  return describe(program, &zcc_program::outputs, arrays, count);
}

zcc_status zcc_program_results(const zcc_program *program,
                               const char *const **names, size_t *count) {
  return guarded([&] {
    need(program, "program");
    need(names, "names");
    need(count, "count");
    (void)program->needExecutable();
    *names = program->results.data();
    *count = program->results.size();
  });
}
