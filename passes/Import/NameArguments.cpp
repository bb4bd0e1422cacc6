// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names the arguments and results of @main: by attributes, else by the
// locations that JAX gives its arguments, else by number.
#include "dialects/Train/Place.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/Import/ArgumentPath.h"
#include "passes/Import/Entry.h"
#include "passes/Import/Import.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;

namespace zcc {
#define GEN_PASS_DEF_NAMEARGUMENTS
#include "passes/Import/Passes.h.inc"

namespace {
/// An input of this name and a key's type is a key of random numbers.
constexpr llvm::StringLiteral keyInputName = "key";

/// Returns the string of a location that is a name; empty if it has none.
StringRef getLocationName(Location loc) {
  if (auto name = dyn_cast<NameLoc>(loc))
    return name.getName().getValue();
  if (auto fused = dyn_cast<FusedLoc>(loc))
    for (Location part : fused.getLocations())
      if (StringRef name = getLocationName(part); !name.empty())
        return name;
  return {};
}

struct NameArguments : impl::NameArgumentsBase<NameArguments> {
  using NameArgumentsBase::NameArgumentsBase;

  void runOnOperation() override {
    if (failed(checkOps()))
      return signalPassFailure();
    func::FuncOp entry = findEntry(getOperation());
    if (!entry) {
      (void)withHelp(
          getOperation().emitError("expected a function @main, the loss"),
          "write the text with jax.jit(loss).lower(params, batch)."
          "as_text(debug_info=True), or rename the function that computes the "
          "loss to @main");
      return signalPassFailure();
    }
    if (failed(role == initFunctionName ? nameInit(entry) : nameLoss(entry)))
      signalPassFailure();
  }

  /// Checks that all ops are registered; attributes need not be known.
  LogicalResult checkOps() {
    WalkResult walk = getOperation()->walk([&](Operation *op) {
      if (op->isRegistered())
        return WalkResult::advance();
      (void)withHelp(
          op->emitError() << "unknown operation '" << op->getName()
                          << "': expected stablehlo, chlo, func or train",
          "of JAX, print the StableHLO text: lower(...).as_text() without a "
          "dialect of another");
      return WalkResult::interrupt();
    });
    return failure(walk.wasInterrupted());
  }

  LogicalResult checkType(Location loc, Type type, const Twine &what) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (tensor && tensor.hasStaticShape())
      return success();
    return withHelp(emitError(loc) << "expected " << what
                                   << " of static shape, got " << type,
                    "lower the loss for arrays of the shapes that it is "
                    "trained with, without symbolic dims (jax.export) or "
                    "dynamic ones; pad what varies and mask it");
  }

  LogicalResult nameLoss(func::FuncOp entry) {
    if (entry.isDeclaration())
      return entry.emitError("expected @")
             << entry.getName() << " to have a body";
    if (failed(nameArguments(entry)) || failed(nameMetrics(entry)))
      return failure();
    return success();
  }

  LogicalResult nameArguments(func::FuncOp entry) {
    if (parameters > entry.getNumArguments())
      return withHelp(
          entry.emitError()
              << "expected at least " << parameters.getValue()
              << " arguments, as many as were said to be parameters, got "
              << entry.getNumArguments(),
          "--parameters is the number of arguments that are parameters; jit "
          "drops those that the loss does not read");
    Builder b(&getContext());
    std::string firstRoot;
    llvm::StringMap<BlockArgument> names[2];
    bool anyParameter = false;
    for (BlockArgument arg : entry.getArguments()) {
      unsigned i = arg.getArgNumber();
      if (failed(
              checkType(arg.getLoc(), arg.getType(), "argument " + Twine(i))))
        return failure();
      auto parameter = entry.getArgAttrOfType<StringAttr>(i, parameterAttrName);
      auto input = entry.getArgAttrOfType<StringAttr>(i, inputAttrName);
      if (parameter && input)
        return withHelp(emitError(arg.getLoc())
                            << "argument " << i
                            << " is both a parameter and an input",
                        "leave out zcc.parameter or zcc.input");
      auto variable = entry.getArgAttrOfType<StringAttr>(i, variableAttrName);
      if (variable && (parameter || input))
        return withHelp(emitError(arg.getLoc())
                            << "argument " << i << " is both a variable and "
                            << (parameter ? "a parameter" : "an input"),
                        "leave out zcc.state or the other attribute");
      const bool isKey = entry.getArgAttr(i, randomKeyAttrName) != nullptr;
      if (isKey && (parameter || variable))
        return withHelp(emitError(arg.getLoc())
                            << "argument " << i << " is both a key and "
                            << (parameter ? "a parameter" : "a variable"),
                        "leave out zcc.key or the other attribute");
      if (!parameter && !input && !variable) {
        StringRef text = getLocationName(arg.getLoc());
        if (text.empty() && isKey)
          text = keyInputName;
        if (text.empty() && parameters == 0)
          return withHelp(emitError(arg.getLoc())
                              << "argument " << i
                              << " has no name: expected a location such as "
                                 "loc(\"params['w']\"), or the attribute "
                                 "zcc.parameter or zcc.input",
                          "print the text with as_text(debug_info=True), or "
                          "say by --parameters=N how many arguments are "
                          "parameters");
        ArgumentPath path = text.empty()
                                ? ArgumentPath{"arg" + std::to_string(i), {}}
                                : parseArgumentPath(text);
        if (firstRoot.empty() && !isKey)
          firstRoot = path.root;
        bool isParameter =
            !isKey && (parameters ? i < parameters : path.root == firstRoot);
        auto name = b.getStringAttr(path.getName());
        entry.setArgAttr(i, isParameter ? parameterAttrName : inputAttrName,
                         name);
        (isParameter ? parameter : input) = name;
      }
      if (input && failed(markKey(entry, arg, input.getValue())))
        return failure();
      anyParameter |= static_cast<bool>(parameter);
      StringAttr name = variable ? variable : parameter ? parameter : input;
      if (name.getValue().empty())
        return withHelp(emitError(arg.getLoc())
                            << "argument " << i << " has an empty name",
                        "give it one by zcc.parameter or zcc.input");
      // Files have variables beside parameters.
      auto [other, fresh] =
          names[input ? 1 : 0].try_emplace(name.getValue(), arg);
      // Parts of one parameter share its name.
      if (!fresh &&
          !(entry.getArgAttr(i, partAttrName) &&
            entry.getArgAttr(other->second.getArgNumber(), partAttrName))) {
        InFlightDiagnostic error = emitError(arg.getLoc())
                                   << "two "
                                   << (input      ? "inputs"
                                       : variable ? "parameters or variables"
                                                  : "parameters")
                                   << " are named '" << name.getValue() << "'";
        error.attachNote(other->second.getLoc())
            << "argument " << other->second.getArgNumber() << " is the other";
        error.attachNote() << "rename one in the loss's arguments, or by "
                              "zcc.parameter or zcc.input in the text";
        return error;
      }
    }
    if (!anyParameter)
      return withHelp(
          entry.emitError(
              "expected at least one parameter among the arguments, got none"),
          "the loss's first argument holds the parameters: loss(params, "
          "batch); jit drops those that it does not read");
    return success();
  }

  static bool isThreefryKey(Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && tensor.getShape() == ArrayRef<int64_t>{2} &&
           tensor.getElementType().isUnsignedInteger(32);
  }

  /// Marks an input that is a key of random numbers by its name. Checks one
  /// that the text marks.
  LogicalResult markKey(func::FuncOp entry, BlockArgument arg, StringRef name) {
    unsigned i = arg.getArgNumber();
    const bool fits = isThreefryKey(arg.getType());
    if (entry.getArgAttr(i, randomKeyAttrName) && !fits)
      return withHelp(emitError(arg.getLoc())
                          << "expected argument " << i
                          << ", which has zcc.key, to be of type "
                             "tensor<2xui32>, got "
                          << arg.getType(),
                      "pass a key of jax.random.key(seed, "
                      "impl='threefry2x32')");
    if (fits && name == keyInputName)
      entry.setArgAttr(i, randomKeyAttrName, UnitAttr::get(&getContext()));
    return success();
  }

  /// Returns the location where result `i` is computed, else where it is
  /// returned.
  Location getPlace(func::FuncOp entry, unsigned i) {
    Operation *last = entry.getBody().front().getTerminator();
    if (i >= last->getNumOperands())
      return entry.getLoc();
    Location at = last->getOperand(i).getLoc();
    return findPlace(at) ? at : last->getLoc();
  }

  /// Checks that result `i` is the new value of a variable.
  LogicalResult checkVariable(func::FuncOp entry, unsigned i, StringAttr name) {
    if (i == 0)
      return withHelp(emitError(getPlace(entry, i))
                          << "expected the loss, a float scalar, as the first "
                             "result, got the variable '"
                          << name.getValue() << "'",
                      "return (loss, new values of variables)");
    for (BlockArgument argument : entry.getArguments()) {
      if (entry.getArgAttr(argument.getArgNumber(), variableAttrName) != name)
        continue;
      if (entry.getResultTypes()[i] == argument.getType())
        return success();
      return withHelp(emitError(getPlace(entry, i))
                          << "the variable '" << name.getValue()
                          << "' goes in as " << argument.getType()
                          << " and comes out as " << entry.getResultTypes()[i],
                      "return a new value of the same type");
    }
    return withHelp(emitError(getPlace(entry, i))
                        << "result " << i << " is the variable '"
                        << name.getValue() << "', which is no argument",
                    "mark the argument with the old value by the same "
                    "zcc.state");
  }

  LogicalResult nameMetrics(func::FuncOp entry) {
    Builder b(&getContext());
    if (entry.getNumResults() == 0)
      return withHelp(
          entry.emitError("expected the loss, a float scalar, as the first "
                          "result, got no result"),
          "let the function return the loss, or (loss, metrics)");
    llvm::StringMap<unsigned> names, variables;
    for (auto [i, type] : llvm::enumerate(entry.getResultTypes())) {
      Location at = getPlace(entry, i);
      if (failed(checkType(at, type, "result " + Twine(i))))
        return failure();
      if (auto name =
              entry.getResultAttrOfType<StringAttr>(i, variableAttrName)) {
        if (failed(checkVariable(entry, i, name)))
          return failure();
        if (!variables.try_emplace(name.getValue(), i).second)
          return withHelp(emitError(at)
                              << "results " << variables[name] << " and " << i
                              << " are both the variable '" << name.getValue()
                              << "'",
                          "return its new value once");
        continue;
      }
      auto tensor = cast<RankedTensorType>(type);
      bool isFloat = isa<FloatType>(tensor.getElementType());
      if (forward && (tensor.getRank() != 0 || (i == 0 && !isFloat))) {
        if (failed(nameOutput(entry, i, at, names)))
          return failure();
        continue;
      }
      if (i == 0 && (tensor.getRank() != 0 || !isFloat))
        return withHelp(
            emitError(at) << "expected the loss, a float scalar, as the first "
                             "result, got "
                          << type,
            tensor.getRank() != 0
                ? "return one number for the whole batch, such as "
                  "jnp.mean(...) of the losses of its rows, and other results "
                  "after it"
                : "return a float that depends on the parameters smoothly: "
                  "counts have no derivative");
      auto given = entry.getResultAttrOfType<StringAttr>(i, resultAttrName);
      std::string name = given    ? given.getValue().str()
                         : i == 0 ? "loss"
                                  : getResultName(entry, i, "metric");
      if (tensor.getRank() != 0)
        return withHelp(
            emitError(at) << "expected a scalar metric as result " << i << ", '"
                          << name << "', got " << type,
            "return a number of it, such as jnp.mean(...), leave it out, or "
            "compile with --optimizer=forward, which returns arrays");
      if (!names.try_emplace(name, i).second)
        return withHelp(emitError(at)
                            << "results " << names[name] << " and " << i
                            << " are both named '" << name << "'",
                        "return the metrics as a dictionary of other keys");
      entry.setResultAttr(i, resultAttrName, b.getStringAttr(name));
    }
    return success();
  }

  /// Names result `i`, which is no scalar, and marks it as an output. A name
  /// that another result has becomes the whole path: `result[1]['x']` is 1.x if
  /// `result[0]['x']` is x.
  LogicalResult nameOutput(func::FuncOp entry, unsigned i, Location at,
                           llvm::StringMap<unsigned> &names) {
    auto given = entry.getResultAttrOfType<StringAttr>(i, resultAttrName);
    auto info = entry.getResultAttrOfType<StringAttr>(i, "jax.result_info");
    std::string name =
        given ? given.getValue().str() : getResultName(entry, i, "output");
    if (!given && info && names.contains(name))
      name = parseArgumentPath(info.getValue()).getName();
    if (name.empty() || !names.try_emplace(name, i).second)
      return withHelp(
          emitError(at) << "results " << names.lookup(name) << " and " << i
                        << " are both named '" << name << "'",
          "return a dictionary of other keys, or give other names by "
          "zcc.result");
    Builder b(&getContext());
    entry.setResultAttr(i, resultAttrName, b.getStringAttr(name));
    entry.setResultAttr(i, arrayAttrName, b.getUnitAttr());
    return success();
  }

  /// Returns the name of a result: `result[1]['accuracy']` is accuracy, and the
  /// second of two results without a key is metric1, if `kind` is "metric".
  std::string getResultName(func::FuncOp entry, unsigned i, StringRef kind) {
    if (auto info =
            entry.getResultAttrOfType<StringAttr>(i, "jax.result_info")) {
      ArgumentPath path = parseArgumentPath(info.getValue());
      // The function returns (loss, metrics), so the first key is 1.
      if (path.keys.size() > 1)
        path.keys.erase(path.keys.begin());
      std::string name = path.keys.empty() ? "" : path.getName();
      if (name.find_first_not_of("0123456789.") != std::string::npos)
        return name;
    }
    return (kind + Twine(i)).str();
  }

  LogicalResult nameInit(func::FuncOp entry) {
    Builder b(&getContext());
    if (entry.isDeclaration() || entry.getNumArguments() != 1)
      return entry.emitError() << "expected one argument, the key, got "
                               << entry.getNumArguments();
    BlockArgument key = entry.getArgument(0);
    auto type = dyn_cast<RankedTensorType>(key.getType());
    bool threefry = isThreefryKey(key.getType());
    bool integer =
        type && type.getRank() == 0 && isa<IntegerType>(type.getElementType());
    if (!threefry && !integer)
      return emitError(key.getLoc())
             << "expected a key, tensor<2xui32> or an integer, got "
             << key.getType();
    entry.setArgAttr(0, inputAttrName, b.getStringAttr(keyInputName));
    llvm::StringMap<unsigned> names;
    for (auto [i, type] : llvm::enumerate(entry.getResultTypes())) {
      if (failed(checkType(entry.getLoc(), type, "result " + Twine(i))))
        return failure();
      auto given = entry.getResultAttrOfType<StringAttr>(i, parameterAttrName);
      if (!given) {
        auto info = entry.getResultAttrOfType<StringAttr>(i, "jax.result_info");
        if (!info)
          return entry.emitError() << "result " << i
                                   << " has no name: expected the attribute "
                                      "jax.result_info or zcc.parameter";
        ArgumentPath path = parseArgumentPath(info.getValue());
        // A single array has no path: it is the only parameter, so its name
        // does not matter.
        given = b.getStringAttr(path.keys.empty() ? "" : path.getName());
        entry.setResultAttr(i, parameterAttrName, given);
      }
      if (!names.try_emplace(given.getValue(), i).second)
        return entry.emitError()
               << "results " << names[given.getValue()] << " and " << i
               << " are both named '" << given.getValue() << "'";
    }
    return success();
  }
};
} // namespace
} // namespace zcc
