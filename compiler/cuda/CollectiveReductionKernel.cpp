// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits the reductions of collectives on GPUs: any number of sources, as the
// words of the launch say (runtime/format/ReductionWords.h). A thread does 16
// bytes at a time if the words allow it, and the remainder element by element.
// The bits are those of runtime/comm/Reduce.cpp: sources in their order, 16-bit
// floats added in f32 and rounded once.
#include "compiler/cuda/Generators.h"
#include "runtime/format/ReductionWords.h"

using namespace mlir;

namespace zcc::cuda {

namespace {

constexpr llvm::StringRef reductionAttrName = "zcc.reduction",
                          elementAttrName = "zcc.element";
constexpr unsigned reductionBlockThreads = 256;

enum class Combination { Sum, Product, Max, Min, And, Or };

Combination combinationOf(train::ReduceKind kind) {
  switch (kind) {
  case train::ReduceKind::add:
    return Combination::Sum;
  case train::ReduceKind::multiply:
    return Combination::Product;
  case train::ReduceKind::maximum:
    return Combination::Max;
  case train::ReduceKind::minimum:
    return Combination::Min;
  case train::ReduceKind::logical_and:
    return Combination::And;
  case train::ReduceKind::logical_or:
    return Combination::Or;
  case train::ReduceKind::logical_xor:
  case train::ReduceKind::replace:
    break;
  }
  llvm_unreachable("no collective reduces so");
}

Combination combinationOf(func::FuncOp kernel, Type element) {
  auto name = kernel->getAttrOfType<StringAttr>(reductionAttrName).getValue();
  Combination given = combinationOf(
      train::symbolizeReduceKind(name).value_or(train::ReduceKind::add));
  if (!element.isInteger(1))
    return given;
  return given == Combination::Sum || given == Combination::Max ||
                 given == Combination::Or
             ? Combination::Or
             : Combination::And;
}

class CollectiveReductionKernel {
public:
  explicit CollectiveReductionKernel(CudaKernelBuilder &kernel)
      : kernel(kernel), ir(kernel.ir),
        element(
            kernel.func->getAttrOfType<TypeAttr>(elementAttrName).getValue()),
        combination(combinationOf(kernel.func, element)) {
    // Booleans are a byte each, which is 0 or 1.
    if (element.isInteger(1))
      element = IntegerType::get(element.getContext(), 8);
  }
  void emit();

private:
  llvm::Value *word(unsigned number) {
    return load(ir.CreateConstInBoundsGEP1_64(ir.getInt64Ty(),
                                              kernel.lastParameter(), number));
  }
  llvm::Value *load(llvm::Value *place) {
    return ir.CreateAlignedLoad(ir.getInt64Ty(), place, llvm::Align(8));
  }
  TensorBuffer buffer(llvm::Value *address) {
    return {kernel.pointerOf(address), element};
  }
  llvm::Value *sourceOffset(llvm::Value *offset);
  llvm::Value *combine(llvm::Value *a, llvm::Value *b);
  void emitElements(llvm::Value *offset);

  CudaKernelBuilder &kernel;
  llvm::IRBuilder<> &ir;
  Type element;
  const Combination combination;
  llvm::Value *target = nullptr, *count = nullptr, *row = nullptr,
              *pitch = nullptr, *sources = nullptr;
};

// Most reductions have one row, and then need no 64-bit divisions, which are
// slow.
llvm::Value *CollectiveReductionKernel::sourceOffset(llvm::Value *offset) {
  llvm::AllocaInst *place = kernel.variable(ir.getInt64Ty(), offset);
  kernel.ifThenElse(ir.CreateICmpNE(row, count), [&] {
    llvm::Value *number = ir.CreateUDiv(offset, row);
    llvm::Value *inRow = ir.CreateSub(offset, ir.CreateMul(number, row));
    kernel.set(place, ir.CreateAdd(ir.CreateMul(number, pitch), inRow));
  });
  return kernel.get(place);
}

llvm::Value *CollectiveReductionKernel::combine(llvm::Value *a,
                                                llvm::Value *b) {
  bool isFloat = llvm::isa<FloatType>(element);
  bool isUnsigned = element.isUnsignedInteger();
  switch (combination) {
  case Combination::Sum:
    return isFloat ? ir.CreateFAdd(a, b) : ir.CreateAdd(a, b);
  case Combination::Product:
    return isFloat ? ir.CreateFMul(a, b) : ir.CreateMul(a, b);
  case Combination::And:
    return ir.CreateAnd(a, b);
  case Combination::Or:
    return ir.CreateOr(a, b);
  case Combination::Max:
  case Combination::Min:
    break;
  }
  bool isMax = combination == Combination::Max;
  llvm::Value *keeps;
  if (isFloat) // a NaN on either side is the result
    keeps = ir.CreateOr(isMax ? ir.CreateFCmpOGT(a, b) : ir.CreateFCmpOLT(a, b),
                        ir.CreateFCmpUNO(a, a));
  else if (isUnsigned)
    keeps = isMax ? ir.CreateICmpUGT(a, b) : ir.CreateICmpULT(a, b);
  else
    keeps = isMax ? ir.CreateICmpSGT(a, b) : ir.CreateICmpSLT(a, b);
  return ir.CreateSelect(keeps, a, b);
}

void CollectiveReductionKernel::emitElements(llvm::Value *offset) {
  llvm::Value *from = sourceOffset(offset);
  auto read = [&](llvm::Value *number) {
    llvm::Value *place = ir.CreateInBoundsGEP(
        ir.getInt64Ty(), kernel.lastParameter(),
        ir.CreateAdd(number, kernel.index(zccReductionWords)));
    return kernel.loadVector(buffer(load(place)), from, nullptr,
                             /*whole=*/true);
  };
  llvm::Value *first = read(kernel.index(0));
  llvm::AllocaInst *sum = kernel.variable(first->getType(), first);
  kernel.loop(kernel.index(1), sources, 1, [&](llvm::Value *number) {
    kernel.set(sum, combine(kernel.get(sum), read(number)));
  });
  kernel.storeVector(kernel.roundTo(element, kernel.get(sum)), buffer(target),
                     offset, nullptr, /*whole=*/true);
}

void CollectiveReductionKernel::emit() {
  kernel.setBlocks(1, reductionBlockThreads);
  target = word(zccReductionTarget);
  count = word(zccReductionCount);
  row = word(zccReductionRow);
  pitch = word(zccReductionPitch);
  sources = word(zccReductionSources);
  llvm::Value *vectors = word(zccReductionVectors),
              *threads = word(zccReductionThreads);
  llvm::Value *own = ir.CreateAdd(
      ir.CreateMul(kernel.block(), kernel.index(reductionBlockThreads)),
      ir.CreateZExt(kernel.thread(), ir.getInt64Ty()));
  auto forEach = [&](llvm::Value *first, llvm::Value *end,
                     llvm::function_ref<void(llvm::Value *)> body) {
    llvm::AllocaInst *at =
        kernel.variable(ir.getInt64Ty(), ir.CreateAdd(first, own));
    llvm::LLVMContext &context = ir.getContext();
    auto *head = llvm::BasicBlock::Create(context, "", kernel.function),
         *inside = llvm::BasicBlock::Create(context, "", kernel.function),
         *after = llvm::BasicBlock::Create(context, "", kernel.function);
    ir.CreateBr(head);
    ir.SetInsertPoint(head);
    ir.CreateCondBr(ir.CreateICmpULT(kernel.get(at), end), inside, after);
    ir.SetInsertPoint(inside);
    body(kernel.get(at));
    kernel.set(at, ir.CreateAdd(kernel.get(at), threads));
    ir.CreateBr(head);
    ir.SetInsertPoint(after);
  };
  unsigned lanes =
      zccReductionVectorBytes / KernelBuilder::memoryBytes(element);
  kernel.withLanes(lanes, [&] {
    forEach(kernel.index(0), vectors, [&](llvm::Value *vector) {
      emitElements(ir.CreateMul(vector, kernel.index(lanes)));
    });
  });
  forEach(ir.CreateMul(vectors, kernel.index(lanes)), count,
          [&](llvm::Value *offset) { emitElements(offset); });
}

} // namespace

func::FuncOp declareReduction(OpBuilder &builder,
                              const CollectiveReduction &reduction) {
  std::string name = "collective_";
  name += reduction.reduction.empty() ? "add" : reduction.reduction;
  llvm::raw_string_ostream(name) << "_" << reduction.element;
  auto function =
      func::FuncOp::create(builder, builder.getUnknownLoc(), name,
                           builder.getFunctionType(TypeRange(), TypeRange()));
  function->setAttr(reductionAttrName,
                    builder.getStringAttr(reduction.reduction));
  function->setAttr(elementAttrName, TypeAttr::get(reduction.element));
  return function;
}

bool isReduction(func::FuncOp kernel) {
  return kernel->hasAttr(reductionAttrName);
}

void emitReductionKernel(CudaKernelBuilder &kernel) {
  CollectiveReductionKernel(kernel).emit();
}

} // namespace zcc::cuda
