// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parts that kernels with reductions along rows and along columns share.
#ifndef ZCC_COMPILER_CUDA_REDUCESTEPS_H
#define ZCC_COMPILER_CUDA_REDUCESTEPS_H

#include "compiler/codegen/ReducePlan.h"
#include "compiler/codegen/Reduction.h"

namespace zcc::cuda {

/// Returns output `i`, of the full shape, at the bound element.
llvm::Value *emitOutput(ElementEmitter &emitter, ReducePlan &plan, unsigned i);

/// Adds `steps` elements of a pass to `sums`, of which `bind` binds the k-th.
/// All elements are loaded before the first one of the outputs is stored, since
/// an output may reuse an argument's memory, and a load would wait for it.
void emitReduceSteps(ElementEmitter &emitter, ReducePlan &plan,
                     const ReducePlan::Pass &pass,
                     llvm::MutableArrayRef<Accumulator> sums, int64_t steps,
                     llvm::function_ref<void(int64_t k)> bind);

/// Adds the rows [from, to) of the bound columns to `sums`, `ahead` of them at
/// a time: their loads do not wait for each other. `from` is a multiple of
/// `ahead` unless there are no such rows, and `to` is one, too, or the number
/// of all rows.
void emitReduceRows(ElementEmitter &emitter, ReducePlan &plan,
                    const ReducePlan::Pass &pass,
                    llvm::MutableArrayRef<Accumulator> sums, llvm::Value *from,
                    llvm::Value *to, int64_t ahead);

/// Makes the reductions of a pass have the results of `sums`.
void provideSums(ElementEmitter &emitter, const ReducePlan::Pass &pass,
                 llvm::MutableArrayRef<Accumulator> sums);

/// Stores the results of the reduced shape at the bound element.
void storeKeptOutputs(ElementEmitter &emitter, ReducePlan &plan);

} // namespace zcc::cuda

#endif
