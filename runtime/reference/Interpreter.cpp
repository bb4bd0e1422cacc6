// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/reference/Interpreter.h"

#include "runtime/format/Validate.h"
#include "runtime/format/executable.pb.h"

#include <cstring>
#include <map>
#include <memory>
#include <set>

namespace zcc::rt::reference {

static const std::map<std::string, Maker> &makers() {
  static const std::map<std::string, Maker> all = [] {
    std::map<std::string, Maker> map;
    for (const std::vector<NamedMaker> *part :
         {&unaryOps, &binaryOps, &choiceOps, &conversionOps, &movementOps,
          &reductionOps, &orderOps, &windowOps, &productOps, &indexedOps,
          &attentionOps})
      for (const NamedMaker &op : *part)
        map[op.name] = op.make;
    return map;
  }();
  return all;
}

// Returns true if the op accepts types that are only stored: it converts or
// moves them.
static bool takesStored(const std::string &name) {
  static const std::set<std::string> names = {
      "convert",   "bitcast_convert", "constant",      "broadcast_in_dim",
      "reshape",   "transpose",       "slice",         "reverse",
      "pad",       "concatenate",     "gather",        "dynamic_slice",
      "dynamic_update_slice"};
  return names.count(name) != 0;
}

Interpreter::Interpreter(const format::Program &program,
                         const std::string &where)
    : results(program.results().begin(), program.results().end()),
      arguments(program.arguments()) {
  if (std::string wrong = validateProgram(program); !wrong.empty())
    badInput(where, ": ", wrong);
  for (const format::ProgramValue &value : program.values())
    types.push_back({static_cast<ElementType>(value.type()),
                     {value.shape().begin(), value.shape().end()}});
  bufferTypes.assign(types.begin(), types.begin() + arguments);
  for (uint32_t value : results)
    bufferTypes.push_back(types[value]);

  std::vector<int> lastUse(types.size(), -1);
  int count = program.ops_size();
  for (int i = 0; i < count; ++i) {
    for (uint32_t value : program.ops(i).results())
      lastUse[value] = i; // where nothing reads it
    for (uint32_t value : program.ops(i).operands())
      lastUse[value] = i;
  }
  for (uint32_t value : results)
    lastUse[value] = count;
  for (int i = 0; i < count; ++i) {
    const format::ProgramOp &op = program.ops(i);
    std::string place = text(where, ", op ", i, " \"", op.name(), "\"");
    auto maker = makers().find(op.name());
    if (maker == makers().end())
      badInput(place, ": unknown op");
    for (const auto *values : {&op.operands(), &op.results()})
      for (uint32_t value : *values)
        if (isOnlyStored(types[value].type) && !takesStored(op.name()))
          badInput(place, ": arithmetic in ", typeName(types[value].type),
                   ", which is only converted and moved");
    Instruction instruction;
    instruction.operands.assign(op.operands().begin(), op.operands().end());
    instruction.results.assign(op.results().begin(), op.results().end());
    auto typesOf = [&](const std::vector<uint32_t> &values) {
      std::vector<const TensorType *> found;
      for (uint32_t value : values)
        found.push_back(&types[value]);
      return found;
    };
    instruction.run =
        maker->second(Operation(op, place, typesOf(instruction.operands),
                                typesOf(instruction.results)));
    for (const auto *values : {&op.operands(), &op.results()})
      for (uint32_t value : *values)
        if (lastUse[value] == i && value >= arguments) {
          instruction.last.push_back(value);
          lastUse[value] = -1; // once
        }
    instructions.push_back(std::move(instruction));
  }
}

void Interpreter::run(void *const *memory) const {
  std::vector<std::unique_ptr<char[]>> own(types.size());
  std::vector<void *> at(types.size(), nullptr);
  std::copy_n(memory, arguments, at.begin());
  std::vector<const void *> in;
  std::vector<void *> out;
  for (const Instruction &instruction : instructions) {
    in.clear();
    out.clear();
    for (uint32_t value : instruction.operands)
      in.push_back(at[value]);
    for (uint32_t value : instruction.results) {
      own[value].reset(new char[types[value].bytes()]);
      out.push_back(at[value] = own[value].get());
    }
    instruction.run({in.data(), out.data()});
    for (uint32_t value : instruction.last)
      own[value].reset();
  }
  // An argument that is returned may be another result's place.
  std::vector<std::unique_ptr<char[]>> returned(results.size());
  for (size_t i = 0; i < results.size(); ++i)
    if (results[i] < arguments) {
      size_t bytes = types[results[i]].bytes();
      returned[i].reset(new char[bytes]);
      if (bytes)
        std::memcpy(returned[i].get(), at[results[i]], bytes);
    }
  for (size_t i = 0; i < results.size(); ++i)
    if (size_t bytes = types[results[i]].bytes())
      std::memcpy(memory[arguments + i],
                  returned[i] ? returned[i].get() : at[results[i]], bytes);
}

} // namespace zcc::rt::reference
