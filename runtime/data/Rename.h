// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds each parameter among tensors that have other names and layouts, by a
// file of lines
//
//   PARAMETER = EXPRESSION
//   ignore TENSOR
//
// where names may hold placeholders {i}, each of which stands for one part of a
// name (anything but dots), the same wherever it is repeated. An expression is
// a tensor's name or
//
//   transpose(E)             the last two dims exchanged
//   transpose(E, 2, 0, 1)    dim k of the result is dim P[k] of E
//   reshape(E, 768, 12, 64)  reshape(E) is a scalar
//   slice(E, DIM, BEGIN, END)
//   split(E, DIM, PARTS, K)  the K-th of equal parts, counted from 0
//   concat(DIM, E, E, ...)
//   stack(DIM, E)            E for each value 0, 1, ... of its placeholder that
//                            the parameter's name does not have
//
// Parameters without a line are found by their own name. Nothing is read or
// copied: the results are pieces of the file's tensors.

#ifndef ZCC_RUNTIME_DATA_RENAME_H
#define ZCC_RUNTIME_DATA_RENAME_H

#include "runtime/data/Weights.h"

namespace zcc::rt {

/// Applies the file to the tensors, for these parameters. Tensors that are used
/// by none and not ignored stay under their names. Throws bad input at
/// FILE:LINE.
WeightSet renameWeights(const std::string &path, const WeightSet &weights,
                        const std::vector<std::string> &parameters);

// The layouts that expressions are made of. They return an error about the
// arguments, or an empty text.
std::string transposeWeight(Weight &weight, const std::vector<int64_t> &order);
std::string sliceWeight(Weight &weight, int64_t dim, int64_t begin,
                        int64_t end);
std::string reshapeWeight(Weight &weight, const std::vector<int64_t> &shape);
std::string concatWeights(Weight &all, const Weight &next, int64_t dim);

} // namespace zcc::rt

#endif // ZCC_RUNTIME_DATA_RENAME_H
