// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Turns @loss with gradients into @step, which takes and returns the state, and
// has the norm of the gradients and the update of each parameter.
//
// Mixed precision keeps two copies of a weight (Micikevicius et al., Mixed
// Precision Training): the parameter is the narrow copy that products read, and
// the master is the f32 copy that the optimizer updates. A parameter gets both
// if every read of it in the graph converts it to the narrow type. Then the
// argument replaces the conversions.
//
// The optimizer says which tensors it keeps beside a parameter (its slots), and
// how it updates. The update is one train.update if it is elementwise, else the
// ops of its formula, each of which names the parameter.
#include "dialects/Dist/Dist.h"
#include "dialects/Train/Optimizers/Optimizer.h"
#include "dialects/Train/Place.h"
#include "dialects/Train/Train.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "passes/Train/Globs.h"
#include "passes/Train/PrecisionRules.h"
#include "passes/Train/StateNames.h"
#include "passes/Train/Train.h"
#include "planning/StepExtent.h"
#include <limits>

namespace zcc {
#define GEN_PASS_DEF_ATTACHOPTIMIZER
#include "passes/Train/Passes.h.inc"

using namespace mlir;
using namespace zcc::train;

namespace {

// A tensor that the optimizer keeps beside a parameter.
struct SlotState {
  Slot slot;
  DictionaryAttr attributes;
  Value value, newValue;
};

// A parameter of the step, its state and its gradient. Members are null if the
// parameter lacks them.
struct Parameter {
  unsigned index = 0; // number of the argument of @loss
  DictionaryAttr attributes;
  std::string name;
  Type fullType; // of the master weight; slots have its element type
  Location loc;
  Value gradient;
  Value value = {}, master = {}, average = {};
  SmallVector<SlotState, 0> slots = {};
  Value newValue = {}, newMaster = {}, newAverage = {};

  // Returns the value that the optimizer updates.
  Value updated() const { return master ? master : value; }
};

// A value of the loss that the step changes.
struct Variable {
  unsigned index = 0; // number of the argument of @loss
  DictionaryAttr attributes;
  StringAttr name;
  Value newValue = {}; // null if it does not change
};

class StepBuilder {
public:
  // `optimizer`: null if nothing is updated. `ema`: the decay of averages.
  StepBuilder(func::FuncOp loss, Type narrow, const Optimizer *optimizer,
              std::optional<double> ema, bool forward, bool wideGradients,
              Globs &noDecay)
      : loss(loss), context(loss.getContext()), builder(context),
        narrow(narrow), optimizer(optimizer), ema(ema), forward(forward),
        wideGradients(wideGradients), noDecay(noDecay) {}

  void run() {
    collect();
    bool training = !gradientResults.empty() && !forward;
    makeArguments(training);
    loss.getBody().front().getTerminator()->erase();
    builder.setInsertionPointToEnd(block);
    if (training) {
      finishGradients();
      measure();
      if (optimizer)
        update();
    }
    finish(training);
  }

private:
  NamedAttribute named(StringRef name, Attribute value) const {
    return NamedAttribute(StringAttr::get(context, name), value);
  }
  Attribute text(StringRef value) const {
    return StringAttr::get(context, value);
  }
  // Returns the `attributes` of an argument or result with what it is in the
  // step.
  DictionaryAttr withKind(DictionaryAttr attributes, StepValue what) const {
    NamedAttrList list(attributes);
    list.set(kindAttrName, text(what.name()));
    return list.getDictionary(context);
  }

  DictionaryAttr slotAttributes(const Parameter &parameter,
                                const Slot &slot) const;

  void collect();
  Type narrowType(BlockArgument argument) const;
  void makeArguments(bool training);
  Value addArgument(Type type, Location loc, DictionaryAttr attributes);
  void finishGradients();
  void measure();
  void update();
  void updateElements(Parameter &p);
  void updateByFormula(Parameter &p);
  void finish(bool training);

  // Gives the current tag to every op after `before`; null: to all ops of the
  // block.
  void tagFrom(Operation *before) {
    for (Operation *op = before ? before->getNextNode() : &block->front(); op;
         op = op->getNextNode())
      setTag(op, currentTag);
  }
  Operation *last() { return block->empty() ? nullptr : &block->back(); }
  bool decays(const Parameter &parameter);
  void addOutput(Value value, dist::OutputKind kind, StringRef name,
                 ArrayAttr names = {}) {
    NamedAttrList list(withKind({}, StepValue::Output));
    list.set(outputAttrName, text(dist::stringifyOutputKind(kind)));
    list.set(resultAttrName, text(name));
    if (names)
      list.set(namesAttrName, names);
    outputs.push_back({value, list.getDictionary(context)});
  }

  func::FuncOp loss;
  MLIRContext *context;
  OpBuilder builder;
  Type narrow; // null in f32
  const Optimizer *optimizer;
  std::optional<double> ema;
  bool forward, wideGradients;
  Globs &noDecay;

  Block *block = nullptr;
  SmallVector<DictionaryAttr> argumentAttributes;
  std::vector<Parameter> parameters;
  std::vector<Variable> variables;
  // By number of the argument of @loss.
  DenseMap<unsigned, Value> gradientResults;
  SmallVector<std::pair<Value, DictionaryAttr>> outputs;
  Value hyper, finite, scale;
  bool scaled = false; // gradients carry the loss scale
  Tag currentTag = Tag::Forward;
};

void StepBuilder::collect() {
  Operation *terminator = loss.getBody().front().getTerminator();
  for (auto [i, operand] : llvm::enumerate(terminator->getOperands())) {
    if (auto argument =
            loss.getResultAttrOfType<IntegerAttr>(i, gradientAttrName)) {
      gradientResults[argument.getInt()] = operand;
      continue;
    }
    if (loss.getResultAttr(i, variableAttrName))
      continue;
    auto name = loss.getResultAttrOfType<StringAttr>(i, resultAttrName);
    addOutput(operand,
              loss.getResultAttr(i, arrayAttrName) ? dist::OutputKind::Array
              : i == 0                             ? dist::OutputKind::Loss
                                                   : dist::OutputKind::Metric,
              name     ? name.getValue()
              : i == 0 ? "loss"
                       : "metric" + std::to_string(i));
  }
  for (BlockArgument argument : loss.getArguments()) {
    unsigned i = argument.getArgNumber();
    auto name = loss.getArgAttrOfType<StringAttr>(i, parameterAttrName);
    if (auto own = loss.getArgAttrOfType<StringAttr>(i, variableAttrName)) {
      NamedAttrList list(loss.getArgAttrDict(i));
      writeState(context, {StateKind::Variable, {}, own}, list);
      variables.push_back({i, list.getDictionary(context), own});
    }
    if (!name)
      continue;
    parameters.push_back({i, loss.getArgAttrDict(i), name.str(),
                          argument.getType(), argument.getLoc(),
                          gradientResults.lookup(i)});
  }
}

// Returns a slot's attributes, which include those of its parameter. A slot
// with fewer dims is a tensor of its own shape in files, too.
DictionaryAttr StepBuilder::slotAttributes(const Parameter &parameter,
                                           const Slot &slot) const {
  StateDescription state{
      StateKind::Slot, StringAttr::get(context, parameter.name),
      StringAttr::get(context, slot.name),
      FloatAttr::get(Float64Type::get(context), slot.initial)};
  NamedAttrList list(parameter.attributes);
  writeState(context, state, list);
  int64_t rank = cast<RankedTensorType>(parameter.fullType).getRank();
  if (static_cast<int64_t>(slot.dims.size()) == rank)
    return list.getDictionary(context);
  list.set(slotDimsAttrName, DenseI64ArrayAttr::get(context, slot.dims));
  for (StringRef name : {StringRef(partAttrName), StringRef(fileShapeAttrName)})
    if (auto whole = parameter.attributes.getAs<DenseI64ArrayAttr>(name)) {
      // The dims of a stack come first.
      int64_t lead = std::max<int64_t>(whole.size() - rank, 0);
      SmallVector<int64_t> own(whole.asArrayRef().take_front(lead));
      for (int64_t d : slot.dims)
        own.push_back(whole[lead + d]);
      list.set(name, DenseI64ArrayAttr::get(context, own));
    }
  return list.getDictionary(context);
}

// Returns the narrow type in which the parameter is read; null if it is f32.
Type StepBuilder::narrowType(BlockArgument argument) const {
  auto type = cast<RankedTensorType>(argument.getType());
  if (!isa<FloatType>(type.getElementType()))
    return {};
  if (type.getElementTypeBitWidth() < 32)
    return type; // the type in the input
  if (!narrow || argument.use_empty() || !type.getElementType().isF32())
    return {};
  for (Operation *user : argument.getUsers())
    if (auto convert = dyn_cast<ConvertOp>(user);
        !convert || tensorType(convert).getElementType() != narrow)
      return {};
  return type.clone(narrow);
}

Value StepBuilder::addArgument(Type type, Location loc,
                               DictionaryAttr attributes) {
  argumentAttributes.push_back(attributes);
  return block->addArgument(type, loc);
}

void StepBuilder::makeArguments(bool training) {
  block = new Block();
  Block &old = loss.getBody().front();
  SmallVector<Parameter *> trained;
  for (Parameter &parameter : parameters) {
    BlockArgument argument = old.getArgument(parameter.index);
    Type type = argument.getType();
    if (Type stored = narrowType(argument)) {
      parameter.fullType =
          RankedTensorType::get(shapeOf(argument), Float32Type::get(context));
      if (stored != type)
        for (Operation *user : llvm::make_early_inc_range(argument.getUsers()))
          user->getResult(0).replaceAllUsesWith(argument), user->erase();
      type = stored;
    }
    parameter.value =
        addArgument(type, parameter.loc,
                    withKind(parameter.attributes, StateKind::Parameter));
    argument.replaceAllUsesWith(parameter.value);
    if (optimizer && training && parameter.gradient)
      trained.push_back(&parameter);
  }
  for (Parameter *parameter : trained)
    if (parameter->value.getType() != parameter->fullType)
      parameter->master =
          addArgument(parameter->fullType, parameter->loc,
                      withKind(parameter->attributes, StateKind::Master));
  for (Parameter *parameter : trained) {
    auto full = cast<RankedTensorType>(parameter->fullType);
    for (const Slot &slot : optimizer->slots(full.getShape())) {
      SmallVector<int64_t> shape;
      for (int64_t d : slot.dims)
        shape.push_back(full.getDimSize(d));
      DictionaryAttr attributes = slotAttributes(*parameter, slot);
      parameter->slots.push_back(
          {slot,
           attributes,
           addArgument(full.clone(shape), parameter->loc, attributes),
           {}});
    }
  }
  for (const Variable &variable : variables) {
    BlockArgument argument = old.getArgument(variable.index);
    argument.replaceAllUsesWith(addArgument(
        argument.getType(), argument.getLoc(), variable.attributes));
  }
  for (Parameter *parameter : trained)
    if (ema)
      parameter->average =
          addArgument(parameter->fullType, parameter->loc,
                      withKind(parameter->attributes, StateKind::Average));
  for (BlockArgument argument : old.getArguments())
    if (loss.getArgAttr(argument.getArgNumber(), inputAttrName))
      argument.replaceAllUsesWith(
          addArgument(argument.getType(), argument.getLoc(),
                      withKind(loss.getArgAttrDict(argument.getArgNumber()),
                               StepValue::Input)));
  if (!forward) {
    auto type = RankedTensorType::get({hyperCount}, Float32Type::get(context));
    hyper = addArgument(type, loss.getLoc(), withKind({}, StepValue::Hyper));
    // Differentiate adds this argument if it scales the loss.
    unsigned last = old.getNumArguments() - 1;
    if (old.getNumArguments() && loss.getArgAttr(last, kindAttrName)) {
      scaled = true;
      old.getArgument(last).replaceAllUsesWith(hyper);
    }
  }
  // The terminator goes last. Values that it returned may have been arguments.
  Operation *terminator = old.getTerminator();
  unsigned nextOutput = 0;
  for (auto [i, operand] : llvm::enumerate(terminator->getOperands())) {
    if (auto argument =
            loss.getResultAttrOfType<IntegerAttr>(i, gradientAttrName)) {
      for (Parameter &parameter : parameters)
        if (parameter.index == static_cast<uint64_t>(argument.getInt()))
          parameter.gradient = operand;
    } else if (auto name =
                   loss.getResultAttrOfType<StringAttr>(i, variableAttrName)) {
      // Nothing changes in a step without an update.
      for (Variable &variable : variables)
        if (variable.name == name && optimizer && training)
          variable.newValue = operand;
    } else {
      outputs[nextOutput++].first = operand;
    }
  }
  block->getOperations().splice(block->end(), old.getOperations(), old.begin(),
                                Block::iterator(terminator));
}

// Converts gradients to the type in which they are accumulated.
void StepBuilder::finishGradients() {
  currentTag = Tag::Backward;
  Operation *before = last();
  for (Parameter &parameter : parameters) {
    if (!parameter.gradient)
      continue;
    Type element =
        wideGradients
            ? cast<RankedTensorType>(parameter.fullType).getElementType()
        : narrow ? narrow
                 : tensorType(parameter.value).getElementType();
    if (auto wide = parameter.gradient.getDefiningOp<ConvertOp>();
        wide && wideGradients &&
        tensorType(wide.getOperand()).getElementType() == element)
      parameter.gradient = wide.getOperand();
    else
      parameter.gradient =
          convert(builder, parameter.loc, parameter.gradient, element);
    if (auto narrowed = parameter.gradient.getDefiningOp<ConvertOp>();
        narrowed && !wideGradients)
      narrowed->setAttr(gradientTypeAttrName, builder.getUnitAttr());
  }
  tagFrom(before);
}

// Computes the gradients' norm, whether they are finite, and the factor that
// the update multiplies them with. Adds observations of the gradients.
void StepBuilder::measure() {
  currentTag = Tag::Update;
  Operation *before = last();
  Location loc = loss.getLoc();
  auto scalar = RankedTensorType::get({}, builder.getF32Type());
  auto entry = [&](Hyper which) {
    auto index = static_cast<int64_t>(which);
    return reshape(builder, loc,
                   slice(builder, loc, hyper, {index}, {index + 1}, {1}), {});
  };
  SmallVector<Value> gradients, squares;
  SmallVector<Attribute> states, names;
  Value inverseScale;
  if (scaled)
    inverseScale = DivOp::create(builder, loc, splat(builder, loc, scalar, 1),
                                 entry(Hyper::LossScale));
  for (Parameter &parameter : parameters) {
    if (!parameter.gradient)
      continue;
    gradients.push_back(parameter.gradient);
    auto part = parameter.attributes.getAs<DenseI64ArrayAttr>(partAttrName);
    states.push_back(FlatSymbolRefAttr::get(
        context, stateSymbol(parameter.name,
                             part ? part.asArrayRef() : ArrayRef<int64_t>())));
    names.push_back(text(parameter.name));
    Value square = SumOfSquaresOp::create(builder, parameter.loc, scalar,
                                          parameter.gradient);
    // Applied twice, since the square of the scale's inverse may underflow.
    if (scaled)
      square = MulOp::create(
          builder, parameter.loc,
          MulOp::create(builder, parameter.loc, square, inverseScale),
          inverseScale);
    squares.push_back(reshape(builder, parameter.loc, square, {1}));
  }
  dist::ObserveOp::create(builder, loc, gradients,
                          ArrayAttr::get(context, states),
                          builder.getBoolAttr(scaled));

  Value all = squares.front();
  if (squares.size() > 1)
    all = ConcatenateOp::create(
        builder, loc,
        RankedTensorType::get({static_cast<int64_t>(squares.size())},
                              builder.getF32Type()),
        squares, 0);
  Value sum = reduce(builder, loc, all, {0}, ReduceKind::add);
  Value norm = SqrtOp::create(builder, loc, sum);
  finite = IsFiniteOp::create(
      builder, loc, RankedTensorType::get({}, builder.getI1Type()), sum);
  if (optimizer) {
    Value guarded =
        AddOp::create(builder, loc, norm, splat(builder, loc, scalar, 1e-6));
    scale = MinOp::create(
        builder, loc, splat(builder, loc, scalar, 1),
        DivOp::create(builder, loc, entry(Hyper::ClipNorm), guarded));
    if (scaled)
      scale = MulOp::create(builder, loc, scale, inverseScale);
  }
  addOutput(norm, dist::OutputKind::GradientNorm, "gradient_norm");
  addOutput(finite, dist::OutputKind::Finite, "finite");
  addOutput(all, dist::OutputKind::GradientSquares, "gradient_squares",
            ArrayAttr::get(context, names));
  tagFrom(before);
}

bool StepBuilder::decays(const Parameter &parameter) {
  if (!noDecay.empty())
    return !noDecay.match(parameter.name);
  if (auto file =
          parameter.attributes.getAs<DenseI64ArrayAttr>(fileShapeAttrName))
    return file.size() >= 2;
  return tensorType(parameter.value).getRank() >= 2;
}

void StepBuilder::update() {
  Operation *before = last();
  for (Parameter &p : parameters) {
    if (!p.gradient)
      continue;
    ArrayRef<int64_t> shape = shapeOf(p.updated());
    if (isElementwise(optimizer->slots(shape), shape.size()))
      updateElements(p);
    else
      updateByFormula(p);
  }
  tagFrom(before);
}

void StepBuilder::updateElements(Parameter &p) {
  SmallVector<Value> slots;
  SmallVector<Type> types{p.updated().getType()};
  for (const SlotState &state : p.slots) {
    slots.push_back(state.value);
    types.push_back(state.value.getType());
  }
  if (p.average) {
    slots.push_back(p.average);
    types.push_back(p.average.getType());
  }
  if (p.master)
    types.push_back(p.value.getType());
  auto update =
      UpdateOp::create(builder, p.loc, types, p.updated(), slots, p.gradient,
                       hyper, scale, finite, optimizer->name(), decays(p),
                       ema ? builder.getF64FloatAttr(*ema) : FloatAttr());
  for (auto [i, state] : llvm::enumerate(p.slots))
    state.newValue = update.getNewSlots()[i];
  if (p.average)
    p.newAverage = update.getNewSlots().back();
  if (p.master)
    p.newMaster = update.getNewParameter();
  p.newValue = p.master ? update.getCopy().front() : update.getNewParameter();
}

void StepBuilder::updateByFormula(Parameter &p) {
  Operation *before = last();
  Update::Operands operands{p.updated(), {},     p.gradient, hyper,
                            scale,       finite, decays(p),  p.average};
  SmallVector<Slot> slots;
  for (const SlotState &state : p.slots) {
    operands.slots.push_back(state.value);
    slots.push_back(state.slot);
  }
  Update u(builder, p.loc, operands, slots, /*marks=*/true);
  u.run(*optimizer, ema);
  auto finished = [&](const Term &found, const Term &old, Value like) {
    return u.finish(found, old, tensorType(like).getElementType());
  };
  Value found = finished(u.newParameter, u.parameter, p.updated());
  if (p.master)
    p.newMaster = found;
  p.newValue =
      p.master ? finished(u.newParameter, u.parameter, p.value) : found;
  for (auto [state, found, old] : llvm::zip_equal(p.slots, u.newSlots, u.slots))
    state.newValue = finished(found, old, state.value);
  if (p.average)
    p.newAverage = finished(u.newAverage, u.average, p.average);
  auto part = p.attributes.getAs<DenseI64ArrayAttr>(partAttrName);
  Attribute symbol =
      text(stateSymbol(p.name, part ? part.asArrayRef() : ArrayRef<int64_t>()));
  for (Operation *op = before->getNextNode(); op; op = op->getNextNode())
    op->setAttr(updateOfAttrName, symbol);
}

void StepBuilder::finish(bool training) {
  SmallVector<Value> results;
  SmallVector<DictionaryAttr> attributes;
  auto add = [&](Value value, DictionaryAttr dictionary) {
    if (!value)
      return;
    results.push_back(value);
    attributes.push_back(dictionary);
  };
  for (Parameter &p : parameters)
    add(p.newValue, withKind(p.attributes, StateKind::Parameter));
  for (Parameter &p : parameters)
    add(p.newMaster, withKind(p.attributes, StateKind::Master));
  for (Parameter &p : parameters)
    for (const SlotState &state : p.slots)
      add(state.newValue, state.attributes);
  for (const Variable &variable : variables)
    add(variable.newValue, variable.attributes);
  for (Parameter &p : parameters)
    add(p.newAverage, withKind(p.attributes, StateKind::Average));
  for (auto &[value, dictionary] : outputs)
    add(value, dictionary);

  func::ReturnOp::create(builder, loss.getLoc(), results);
  builder.setInsertionPoint(loss);
  auto type = FunctionType::get(context, block->getArgumentTypes(),
                                ValueRange(results).getTypes());
  auto step =
      func::FuncOp::create(builder, loss.getLoc(), stepFunctionName, type);
  step->setDiscardableAttrs(loss->getDiscardableAttrDictionary());
  step.getBody().push_back(block);
  step.setAllArgAttrs(argumentAttributes);
  step.setAllResultAttrs(attributes);
  loss.getBody().front().erase();
  loss.erase();
}

struct AttachOptimizer : impl::AttachOptimizerBase<AttachOptimizer> {
  using AttachOptimizerBase::AttachOptimizerBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto loss = module.lookupSymbol<func::FuncOp>(lossFunctionName);
    if (!loss || !loss.getBody().hasOneBlock()) {
      module.emitError("expected a function @loss of one block");
      return signalPassFailure();
    }
    const Optimizer *found = nullptr;
    StepExtent extent = extentOf(optimizer);
    if (extent == StepExtent::Update) {
      auto *dialect = getContext().getOrLoadDialect<TrainDialect>();
      found = dialect->findOptimizer(optimizer);
      if (!found) {
        SmallVector<StringRef> known = dialect->optimizerNames();
        known.append({noOptimizer, forwardOptimizer});
        loss.emitError("--optimizer: ") << unknownOptimizer(optimizer, known);
        return signalPassFailure();
      }
    }
    Globs globs;
    if (!globs.parse(SmallVector<std::string>(noDecay.begin(), noDecay.end()),
                     [&] { return loss.emitError("--no-decay: "); }))
      return signalPassFailure();
    SmallVector<StringRef> names; // copied, because the loss is erased below
    for (unsigned i = 0; i < loss.getNumArguments(); ++i)
      if (auto name = loss.getArgAttrOfType<StringAttr>(i, parameterAttrName))
        names.push_back(name.getValue());
    StepBuilder(loss, getNarrowType(&getContext(), precision), found,
                ema < 0 ? std::nullopt : std::optional<double>(ema),
                extent == StepExtent::Forward, gradientType != "compute", globs)
        .run();
    if (const std::string *glob = globs.getUnmatched(); glob && found) {
      (void)withHelp(module.emitError("--no-decay: no parameter matches '")
                         << *glob << "'",
                     listNames(names));
      return signalPassFailure();
    }
  }
};

} // namespace
} // namespace zcc
