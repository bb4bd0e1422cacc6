# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ops by which a graph says where gradients pass. They are in torch.ops.zcc, and lowered as all other ops."""
import torch

_LIBRARY = torch.library.Library("zcc", "DEF")
_LIBRARY.define("stop_gradient(Tensor x) -> Tensor")
_LIBRARY.define("with_gradient(Tensor value, Tensor x) -> Tensor")  # value, with the derivative of x
_LIBRARY.define("gradient_at(Tensor x, SymInt[] size, SymInt[] stride, SymInt offset) -> Tensor")  # x, with a gradient at these places alone
_LIBRARY.define("custom_derivative(Tensor[] ys, Tensor[] xs, int rule) -> Tensor[]")
_LIBRARY.impl("stop_gradient", lambda x: x.clone(), "CompositeExplicitAutograd")
_LIBRARY.impl("with_gradient", lambda value, x: value.clone(), "CompositeExplicitAutograd")
_LIBRARY.impl("gradient_at", lambda x, size, stride, offset: x.clone(), "CompositeExplicitAutograd")
_LIBRARY.impl("custom_derivative", lambda ys, xs, rule: [y.clone() for y in ys], "CompositeExplicitAutograd")
torch.library.register_fake("zcc::stop_gradient")(torch.empty_like)
torch.library.register_fake("zcc::with_gradient")(lambda value, x: torch.empty_like(value))
torch.library.register_fake("zcc::gradient_at")(lambda x, size, stride, offset: torch.empty_like(x))
torch.library.register_fake("zcc::custom_derivative")(lambda ys, xs, rule: [torch.empty_like(y) for y in ys])

stop_gradient = torch.ops.zcc.stop_gradient.default
with_gradient = torch.ops.zcc.with_gradient.default
gradient_at = torch.ops.zcc.gradient_at.default
custom_derivative = torch.ops.zcc.custom_derivative.default
