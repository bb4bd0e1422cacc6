// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Distribute/StagePins.h"
#include "passes/Distribute/Sharding/ValueNames.h"

using namespace mlir;
using namespace zcc;
using namespace zcc::distribute;

LogicalResult StagePins::parse(func::FuncOp step, ArrayRef<std::string> texts) {
  pins.clear();
  for (const std::string &text : texts) {
    auto [glob, number] = StringRef(text).rsplit('=');
    Pin &pin = pins.emplace_back();
    pin.text = text;
    if (glob.empty() || number.getAsInteger(10, pin.stage) || pin.stage < 0)
      return step.emitError("--stage: expected GLOB=N, found '") << text << "'";
    if (!pin.globs.parse(glob.str(),
                         [&] { return step.emitError("--stage: "); }))
      return failure();
  }
  return success();
}

std::pair<std::string, int64_t> StagePins::getLast() const {
  std::pair<std::string, int64_t> last = {"", -1};
  for (const Pin &pin : pins)
    if (pin.stage > last.second)
      last = {pin.text, pin.stage};
  return last;
}

std::string StagePins::print() const {
  std::string out;
  for (const Pin &pin : pins)
    out += (out.empty() ? "--stage=" : " --stage=") + pin.text;
  return out;
}

FailureOr<int64_t> StagePins::find(Operation *op) {
  int64_t stage = -1;
  for (Pin &pin : pins) {
    bool matches = pin.globs.match(locationName(op->getLoc()));
    for (Value v : op->getOperands())
      if (BlockArgument argument = underlyingArgument(v))
        matches |= pin.globs.match(argumentName(argument));
    if (!matches)
      continue;
    if (stage >= 0 && stage != pin.stage)
      return op->emitError("--stage wants this on stage ")
             << stage << " and on stage " << pin.stage;
    stage = pin.stage;
  }
  return stage;
}

const std::string *StagePins::getUnmatched() const {
  for (const Pin &pin : pins)
    if (const std::string *glob = pin.globs.getUnmatched())
      return glob;
  return nullptr;
}
