// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// --check: prints the needs of an executable.

#include "runtime/core/Error.h"
#include "runtime/data/Inputs.h"
#include "runtime/format/Arenas.h"
#include "runtime/format/Mesh.h"
#include "runtime/format/States.h"
#include "runtime/format/executable.pb.h"
#include "runtime/train/Backends.h"
#include "runtime/train/Outputs.h"
#include "runtime/train/Settings.h"
#include "tools/zrun/Session.h"

#include <cstdio>
#include <map>

namespace zcc::rt {

void describe(const format::Executable &executable, const Options &options) {
  Mesh mesh(executable);
  auto print = [](const char *what, const std::string &value) {
    std::printf("%-12s %s\n", what, value.c_str());
  };
  Backend::Facts facts = backendOf(executable, options)->describe(executable);
  print("executable", options.executable + ": valid");
  print("producer", executable.producer());
  print("ranks",
        text(mesh.ranks(), " (mesh ", mesh.describe(), ", ", mesh.stages(),
             mesh.stages() == 1 ? " stage)" : " stages)"));
  for (int i = 0; i < executable.stages_size(); ++i) {
    const format::Stage &stage = executable.stages(i);
    std::string away; // what lies in other spaces than the device's
    for (const MemorySpaceInfo &row : memorySpaces)
      if (uint64_t bytes = arenaBytes(stage, row.space);
          bytes != 0 && row.space != MemorySpace::Device)
        away += text(", and ", bytes, " of the ", row.name);
    if (uint64_t bytes = stage.caller_bytes())
      away += text(", and ", bytes, " of inputs in the caller's memory");
    print("memory", text(arenaBytes(stage), " bytes", away,
                         away.empty() ? "" : ",", " a rank of stage ", i));
  }
  print("target", executable.target());
  for (const auto &[what, value] : facts)
    print(what.c_str(), value);
  std::string settings;
  for (const UpdateSetting &own : updateSettings())
    for (const format::Setting &setting : executable.settings())
      if (setting.which() == own.which)
        settings += text(settings.empty() ? " (" : ", ", "--", own.name, " [",
                         setting.fallback(), "]");
  print("optimizer",
        text(executable.optimizer(), settings, settings.empty() ? "" : ")"));
  if (executable.has_ema())
    print("averages", text("ema ", executable.ema(), ", --save-ema"));
  print("precision", executable.precision());
  // By the kind of state: the number of tensors, and of their elements.
  std::map<StateKind, std::pair<int64_t, int64_t>> counts;
  for (const format::StateTensor &tensor : executable.states()) {
    auto &[tensors, elements] = counts[kindOf(tensor)];
    ++tensors;
    elements += volume({tensor.shape().begin(), tensor.shape().end()});
  }
  auto [parameters, elements] = counts[StateKind::Parameter];
  print("parameters", text(parameters, " (", elements, " elements, ",
                           executable.frozen_size(), " frozen)"));
  if (auto [variables, elements] = counts[StateKind::Variable]; variables)
    print("variables", text(variables, " (", elements, " elements)"));
  for (const InputSpec &spec : inputSpecs(executable))
    print("input", text(spec.name, " ", typeName(spec.type), " ", spec.shape,
                        spec.isKey ? ", a key: --key-seed" : ""));
  for (const OutputSpec &spec : outputSpecs(executable))
    print("output", text(spec.name, " ", typeName(spec.type), " ", spec.shape));
  print("init", executable.stages(0).has_init() ? "compiled in, --init-seed"
                                                : "none, --params is needed");
}

} // namespace zcc::rt
