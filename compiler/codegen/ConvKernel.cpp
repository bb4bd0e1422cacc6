// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels around one train.convolution, as an implicit matrix product: rows are
// (output batch, output place), columns output features, steps (kernel place,
// input feature), batches the groups. Patches of the input are never stored:
// packing reads them where they are. Any dim numbers, strides, padding,
// dilations, reversal and groups are index expressions, so the gradients of a
// convolution (themselves convolutions) need nothing of their own.
//
// A position in the padding, or in a hole of a dilated input, is a factor 0.
// Adding that product does not change the sum, as the op requires, if the
// kernel's element is finite (except for the sign of a sum of -0, which only
// underflowing products produce). If it is not finite, the sum is NaN, and is
// computed again without the product.
#include "compiler/codegen/Product.h"

using namespace mlir;
using zcc::train::ElementIndex;
using zcc::train::IndexCondition;
using zcc::train::IndexExpr;

namespace zcc {
namespace {

// Emits whether the conditions hold: the part that is the same in all lanes,
// and the rest; each is null if there are no such conditions.
std::pair<llvm::Value *, llvm::Value *>
emitConditions(ElementEmitter &emitter,
               llvm::ArrayRef<IndexCondition> conditions) {
  llvm::IRBuilder<> &ir = emitter.kernel.ir;
  llvm::Value *uniform = nullptr, *lanes = nullptr;
  for (const IndexCondition &c : conditions) {
    IndexExpr shifted = c.expr - IndexExpr(c.lower);
    bool scalar = emitter.isUniform(shifted);
    llvm::Value *v =
        scalar ? emitter.scalarIndex(shifted) : emitter.vectorIndex(shifted);
    v = ir.CreateICmpULT(
        v, llvm::ConstantInt::get(v->getType(), c.upper - c.lower));
    llvm::Value *&all = scalar ? uniform : lanes;
    all = all ? ir.CreateAnd(all, v) : v;
  }
  return {uniform, lanes};
}

// Emits the input's element if the conditions hold, else 0.
llvm::Value *emitInside(ElementEmitter &emitter,
                        llvm::ArrayRef<IndexCondition> conditions,
                        mlir::Value input, const ElementIndex &index) {
  KernelBuilder &kernel = emitter.kernel;
  llvm::IRBuilder<> &ir = kernel.ir;
  llvm::Value *uniform, *lanes;
  std::tie(uniform, lanes) = emitConditions(emitter, conditions);
  auto inside = [&]() -> llvm::Value * {
    if (!lanes)
      return emitter.emit(input, index);
    ElementEmitter::Scope scope(emitter);
    emitter.setMask(emitter.mask() ? ir.CreateAnd(emitter.mask(), lanes)
                                   : lanes);
    llvm::Value *v = kernel.toLanes(emitter.emit(input, index));
    return ir.CreateSelect(lanes, v,
                           llvm::Constant::getNullValue(v->getType()));
  };
  if (!uniform)
    return inside();
  llvm::BasicBlock *before = ir.GetInsertBlock(), *after = nullptr;
  llvm::Value *v;
  kernel.ifThenElse(uniform, [&] {
    ElementEmitter::Scope scope(emitter);
    v = inside();
    after = ir.GetInsertBlock();
  });
  llvm::PHINode *phi = ir.CreatePHI(v->getType(), 2);
  phi->addIncoming(v, after);
  phi->addIncoming(llvm::Constant::getNullValue(v->getType()), before);
  return phi;
}

} // namespace

LogicalResult emitConvolutionKernel(KernelBuilder &kernel,
                                    const codegen::KernelForm &form,
                                    ProductEmitter emitProduct) {
  auto conv = cast<train::ConvolutionOp>(form.root);
  train::IndexContext context;
  ElementEmitter emitter(kernel, context);
  llvm::ArrayRef<int64_t> inputShape = train::shapeOf(conv.getLhs()),
                          kernelShape = train::shapeOf(conv.getRhs()),
                          outputShape = train::shapeOf(conv.getResult());
  llvm::ArrayRef<int64_t> inputDims = conv.getInputDims(),
                          kernelDims = conv.getKernelDims(),
                          outputDims = conv.getOutputDims();
  size_t spatial = inputDims.size() - 2;
  int64_t featureGroups = conv.getFeatureGroups(),
          batchGroups = conv.getBatchGroups();
  int64_t groups = featureGroups * batchGroups;
  int64_t inputFeatures = kernelShape[kernelDims[0]];
  int64_t outputFeatures = kernelShape[kernelDims[1]] / groups;

  Product p;
  p.root = conv;
  p.batches = groups;
  p.batch = context.loopVar(groups);

  // Patches: every dim of the output but the features, in the output's order.
  llvm::SmallVector<int64_t> places, placeExtents;
  int64_t patches = 1, kernelPlaces = 1;
  for (int64_t dim = 0, rank = outputShape.size(); dim < rank; ++dim)
    if (dim != outputDims[1]) {
      places.push_back(dim);
      placeExtents.push_back(outputShape[dim]);
      patches *= outputShape[dim];
    }
  const train::IndexVar *patch = context.loopVar(patches),
                        *feature = context.loopVar(outputFeatures);
  p.resultIndex.resize(outputShape.size());
  for (auto [dim, part] :
       llvm::zip(places, context.delinearize(IndexExpr(patch), placeExtents)))
    p.resultIndex[dim] = part;
  p.resultIndex[outputDims[1]] =
      IndexExpr(p.batch, outputFeatures) + IndexExpr(feature);

  llvm::SmallVector<int64_t> stepExtents;
  for (size_t d = 0; d < spatial; ++d) {
    stepExtents.push_back(kernelShape[kernelDims[d + 2]]);
    kernelPlaces *= stepExtents.back();
  }
  stepExtents.push_back(inputFeatures);
  p.steps = kernelPlaces * inputFeatures;
  p.step = context.loopVar(p.steps);
  ElementIndex step = context.delinearize(IndexExpr(p.step), stepExtents);

  // The elements of both operands.
  ElementIndex inputIndex(inputShape.size()), kernelIndex(kernelShape.size());
  llvm::SmallVector<IndexCondition> conditions;
  auto require = [&](const IndexExpr &expr, int64_t upper) {
    auto [low, high] = expr.range();
    if (low < 0 || high >= upper)
      conditions.push_back({expr, 0, upper});
  };
  for (size_t d = 0; d < spatial; ++d) {
    IndexExpr offset = conv.getReversal()[d]
                           ? IndexExpr(stepExtents[d] - 1) - step[d]
                           : step[d];
    IndexExpr padded = p.resultIndex[outputDims[d + 2]] * conv.getStrides()[d] +
                       offset * conv.getRhsDilation()[d] -
                       IndexExpr(conv.getPadLow()[d]);
    int64_t dilation = conv.getLhsDilation()[d];
    IndexExpr place = context.quotient(padded, dilation);
    if (dilation > 1)
      require(padded - place * dilation, 1);
    require(place, inputShape[inputDims[d + 2]]);
    inputIndex[inputDims[d + 2]] = place;
    kernelIndex[kernelDims[d + 2]] = step[d];
  }
  inputIndex[inputDims[0]] = p.resultIndex[outputDims[0]];
  inputIndex[inputDims[1]] = step[spatial];
  if (featureGroups > 1)
    inputIndex[inputDims[1]] =
        inputIndex[inputDims[1]] + IndexExpr(p.batch, inputFeatures);
  if (batchGroups > 1)
    inputIndex[inputDims[0]] =
        inputIndex[inputDims[0]] +
        IndexExpr(p.batch, inputShape[inputDims[0]] / batchGroups);
  kernelIndex[kernelDims[0]] = step[spatial];
  kernelIndex[kernelDims[1]] = p.resultIndex[outputDims[1]];

  auto elementType = [](mlir::Value v) {
    return train::tensorType(v).getElementType();
  };
  p.type =
      accumulatorType(kernel, elementType(conv.getResult()),
                      elementType(conv.getLhs()), elementType(conv.getRhs()));
  auto outputs = productOutputs(kernel.func, context, conv, p.resultIndex);
  if (failed(outputs))
    return failure();
  int votes = 0;
  for (const ProductOutput &output : *outputs)
    votes += (output.offset.coefficientOf(feature) == 1) -
             (output.offset.coefficientOf(patch) == 1);
  bool featuresAreColumns = votes >= 0;

  ProductOperand &input = featuresAreColumns ? p.left : p.right,
                 &weights = featuresAreColumns ? p.right : p.left;
  input.free = patch;
  weights.free = feature;
  input.step = weights.step = p.step;
  input.elementType = elementType(conv.getLhs());
  weights.elementType = elementType(conv.getRhs());
  analyzeOperand(input, context, kernel, conv.getLhs(), inputIndex);
  if (!conditions.empty()) {
    input.buffer.reset();
    input.work += 2;
    p.inside = [&](ElementEmitter &e) {
      auto [uniform, lanes] = emitConditions(e, conditions);
      if (!uniform || !lanes)
        return uniform ? uniform : lanes;
      return kernel.ir.CreateAnd(kernel.toLanes(uniform), lanes);
    };
  }
  input.emit = [&, source = conv.getLhs()](ElementEmitter &e) {
    return emitInside(e, conditions, source, inputIndex);
  };
  analyzeOperand(weights, context, kernel, conv.getRhs(), kernelIndex);
  weights.emit = [&, source = conv.getRhs()](ElementEmitter &e) {
    return e.emit(source, kernelIndex);
  };
  p.row = p.left.free;
  p.column = p.right.free;
  p.rows = featuresAreColumns ? patches : outputFeatures;
  p.columns = featuresAreColumns ? outputFeatures : patches;
  return emitProduct(emitter, p);
}

} // namespace zcc
