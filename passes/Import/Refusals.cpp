// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Import/Refusals.h"
#include "dialects/StableHLO/SDY.h"
#include "dialects/StableHLO/StableHLO.h"
#include "dialects/Train/Place.h"

using namespace mlir;

namespace zcc {

static bool isComplex(Type type) {
  return isa<ComplexType>(getElementTypeOrSelf(type));
}
static bool isToken(Type type) { return isa<stablehlo::TokenType>(type); }

static bool hasType(Operation *op, bool (*is)(Type)) {
  return llvm::any_of(op->getOperandTypes(), is) ||
         llvm::any_of(op->getResultTypes(), is);
}

constexpr StringLiteral ofCallbacks =
    "it calls back into Python (jax.debug.print, jax.pure_callback, checks): "
    "remove the call, or compute its value outside and pass it as an input; "
    "equinox leaves its checks out if EQX_ON_ERROR=off is set where the text "
    "is made";
constexpr StringLiteral ofSolvers =
    "write the decomposition or solution with basic ops: a loop of jax.lax."
    "fori_loop with a constant number of steps, or an iteration such as "
    "conjugate gradients (products only); what no parameter is needed for can "
    "be computed outside and passed as an input";
constexpr StringLiteral ofComplex =
    "write the real and the imaginary part as two float arrays; a Fourier "
    "transform of fixed length is a product with matrices of cosines and sines";
constexpr StringLiteral ofOthers =
    "write it with other functions of jax.numpy, or, if it depends on no "
    "parameter, compute it outside and pass it as an input";

/// Returns what a routine of a linear algebra library computes, by the part of
/// its name that all libraries and types share; "" for other calls.
static StringRef getDecomposition(StringRef target) {
  static constexpr std::pair<StringLiteral, StringLiteral> routines[] = {
      {"potrf", "a Cholesky decomposition"},
      {"getrf", "an LU decomposition (det, slogdet, inv, solve)"},
      {"geqrf", "a QR decomposition"},
      {"orgqr", "a QR decomposition"},
      {"ungqr", "a QR decomposition"},
      {"syevd", "an eigendecomposition"},
      {"heevd", "an eigendecomposition"},
      {"geev", "an eigendecomposition"},
      {"gesdd", "a singular value decomposition"},
      {"gesvd", "a singular value decomposition"},
      {"trsm", "the solution of a triangular system"},
      {"gtsv", "the solution of a tridiagonal system"},
      {"gees", "a Schur decomposition"}};
  for (auto [part, name] : routines)
    if (target.contains(part))
      return name;
  return "";
}

std::string describeCall(stablehlo::CustomCallOp call) {
  StringRef target = call.getCallTargetName();
  std::string text = ("the custom call @" + target + " is not known").str();
  if (StringRef name = getDecomposition(target); !name.empty())
    text += (": " + name).str();
  return text;
}

static StringRef helpForCall(stablehlo::CustomCallOp call) {
  StringRef target = call.getCallTargetName();
  if (target.contains("callback") || call.getHasSideEffect())
    return ofCallbacks;
  if (!getDecomposition(target).empty())
    return ofSolvers;
  if (target == "ApproxTopK")
    return "use jax.lax.top_k, which is exact";
  return "kernels from outside have no derivative that is known here: use the "
         "implementation in plain jax.numpy, which most libraries have as an "
         "option (implementation='xla')";
}

static StringRef helpFor(Operation *op) {
  if (hasType(op, isComplex) || isa<stablehlo::FftOp>(op))
    return ofComplex;
  if (auto call = dyn_cast<stablehlo::CustomCallOp>(op))
    return helpForCall(call);
  if (isa<stablehlo::InfeedOp, stablehlo::OutfeedOp, stablehlo::SendOp,
          stablehlo::RecvOp>(op) ||
      hasType(op, isToken))
    return ofCallbacks;
  if (isa<stablehlo::CholeskyOp, stablehlo::TriangularSolveOp>(op))
    return ofSolvers;
  if (isa<stablehlo::ReduceOp, stablehlo::ReduceWindowOp>(op))
    return "reduce with jnp.sum, prod, max, min, argmax, any or all; running "
           "values of other functions are a jax.lax.associative_scan";
  if (isa<stablehlo::SortOp>(op))
    return "compute one key to sort by, and take the others in its order "
           "(jnp.argsort, jnp.take_along_axis)";
  return ofOthers;
}

LogicalResult refuse(Operation *op, const Twine &why, StringRef help) {
  InFlightDiagnostic error = op->emitError() << "'" << op->getName()
                                             << "' cannot be used in training";
  if (!why.isTriviallyEmpty())
    error << ": " << why.str();
  return withHelp(std::move(error), help.empty() ? helpFor(op) : help);
}

} // namespace zcc
