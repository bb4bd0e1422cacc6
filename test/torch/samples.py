# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls of torch's ops on samples, as modules: many calls make one module, so that one compilation tests them all."""
import re

import numpy as np
import torch
from torch.utils._pytree import tree_flatten, tree_unflatten

import zcc
from zcc._torch import lowering, trace
from zcc._torch.ops import complex_numbers

BATCH = {"batch": np.zeros(1)}
REACHED = set()  # the overloads of the table that were lowered


class Call(torch.nn.Module):
    """A call of a function. Tensors among the arguments that need a gradient become parameters, the others constants."""

    def __init__(self, name, function, *args, **kwargs):
        super().__init__()
        self.name, self.function = name, function
        self.leaves, self.tree = tree_flatten((args, kwargs))
        for i, x in enumerate(self.leaves):
            if isinstance(x, torch.Tensor):
                own = x.detach().clone(memory_format=torch.contiguous_format)
                if x.requires_grad:
                    self.register_parameter(f"x{i}", torch.nn.Parameter(own))
                else:
                    self.register_buffer(f"x{i}", own, persistent=False)
                self.leaves[i] = None

    def forward(self):
        """Returns the tensors that the function returns, with real and imaginary parts in a last dim."""
        leaves = [getattr(self, f"x{i}", x) for i, x in enumerate(self.leaves)]
        args, kwargs = tree_unflatten(leaves, self.tree)
        found = tree_flatten(self.function(*args, **kwargs))[0]
        return [torch.view_as_real(x.resolve_conj()) if x.is_complex() else x for x in found if isinstance(x, torch.Tensor)]

    def weight(self, i, y):
        """Returns numbers of about 1 by which the i-th result is multiplied, the same at each call."""
        made = np.random.default_rng(17 + i).uniform(0.5, 1.5, tuple(y.shape))
        return torch.tensor(made, dtype=torch.float64).to(y.dtype)


class Calls(torch.nn.Module):
    """Returns the results of several calls."""

    def __init__(self, calls):
        super().__init__()
        self.calls = torch.nn.ModuleList(calls)

    def forward(self, batch):
        return {f"{n}.{i}": y for n, call in enumerate(self.calls) for i, y in enumerate(call())}


class Loss(Calls):
    """Returns the sum of the products of the results of several calls with fixed numbers."""

    def __init__(self, calls):
        super().__init__(calls)
        self.weights = {}  # by the numbers of a call and of its result; filled by the first call, outside of a trace
        self.known = False

    def forward(self, batch):
        loss = batch.sum()
        for n, call in enumerate(self.calls):
            for i, y in enumerate(call()):
                if y.requires_grad and not self.known:
                    self.weights[n, i] = call.weight(i, y)
                if (n, i) in self.weights:
                    loss = loss + (y * self.weights[n, i]).sum()
        self.known = True
        return loss


def run_text(text, inputs):
    """Runs a text by XLA on one CPU: an interpreter of StableHLO that has nothing in common with zcc."""
    import jax
    from jax._src import compiler
    from jax._src.interpreters import mlir
    from jax._src.lib.mlir import ir
    from jaxlib import _jax

    jax.config.update("jax_enable_x64", True)
    text = re.sub(r'"stablehlo.custom_call"\((%[\w#]+)\) <\{call_target_name = "zcc.stop_gradient"\}>', r'"stablehlo.optimization_barrier"(\1)', text)
    # The forward pass of a custom derivative with one result is the first operand.
    text = re.sub(r'"stablehlo.custom_call"\((%[\w#]+), [^)]*\) <\{call_target_name = "zcc.custom_derivative"[^}]*\}> : \([^)]*\) -> (tensor<[^>]*>)',
                  r'"stablehlo.optimization_barrier"(\1) : (\2) -> \2', text)
    device = jax.devices("cpu")[0]
    with mlir.make_ir_context():
        module = ir.Module.parse(text)
        options = compiler.get_compile_options(num_replicas=1, num_partitions=1)
        loaded = device.client.compile_and_load(module, _jax.DeviceList((device,)), options)
    found = loaded.execute_sharded([jax.device_put(x, device) for x in inputs])
    return [np.asarray(x[0]) for x in found.disassemble_into_single_device_arrays()]


def difference(found, wanted):
    """Returns the largest difference of two arrays relative to the size of what is wanted, or a text if they are of other kinds."""
    wanted = wanted.detach().numpy() if isinstance(wanted, torch.Tensor) else wanted
    found = np.asarray(found)
    if found.shape != wanted.shape or found.dtype.kind != wanted.dtype.kind:
        return f"{found.dtype}{list(found.shape)}, expected {wanted.dtype}{list(wanted.shape)}"
    if wanted.size == 0:
        return 0.0
    if wanted.dtype.kind != "f":
        return float((found != wanted).sum())
    found, wanted = found.astype(np.float64), wanted.astype(np.float64)
    same = (found == wanted) | (np.isnan(found) & np.isnan(wanted))
    if (np.isfinite(found) != np.isfinite(wanted)).any():
        return "infinite or NaN where torch is not, or the other way round"
    away = np.abs(np.where(same, 0, found - np.where(same, 0, wanted)))
    away = np.where(same, 0, away)
    return float(away.max() / max(1.0, np.abs(np.where(np.isfinite(wanted), wanted, 0)).max()))


PROBLEMS = {}  # messages by the path of the call whose op could not be lowered


def _recording(lower_node):
    """Records which overloads are lowered. Zeros stand for the results of those that are refused."""
    def run(self, node, environment):
        REACHED.add(str(node.target))
        try:
            return lower_node(self, node, environment)
        except zcc.Error as error:
            path = lowering.module_of(node)
            if not path.startswith("calls."):
                raise
            PROBLEMS.setdefault(path, str(error))
            wanted = lowering.spec_of(node.meta.get("val"), "a result")
            def zeros(s):
                if isinstance(s, tuple):
                    return tuple(map(zeros, s))
                part = s and complex_numbers.part_of(s.element)
                return complex_numbers.pair(self, 0, s.shape, part) if part else s and self.constant(0, s.shape, s.element)
            return zeros(wanted)
    return run


lowering.Lowering.lower_node = _recording(lowering.Lowering.lower_node)


def _by_halves(check, calls):
    """Checks calls together; those that fail together, in halves. Returns [(call, message)]."""
    try:
        PROBLEMS.clear()
        return check(calls)
    except Exception as error:
        if len(calls) > 1:
            return _by_halves(check, calls[:len(calls) // 2]) + _by_halves(check, calls[len(calls) // 2:])
        return [(calls[0], f"{type(error).__name__}: {error}".strip())]


def _refused(calls):
    """Returns the problems of lowering, and the numbers of the calls that have them."""
    numbers = {int(path.split(".")[1]): message for path, message in PROBLEMS.items()}
    return [(calls[n], m) for n, m in numbers.items()], set(numbers)


def check_values(calls, bar=1e-12):
    """Compares the values of calls with torch's. Returns (call, message) of those that differ."""
    def check(calls):
        module = Calls(calls)
        traced = trace(module, BATCH, trains=False)
        problems, skipped = _refused(calls)
        state = traced.arguments.state.leaves if traced.arguments.state else []
        inputs = [p.detach().numpy().copy() for p in [*traced.arguments.params.leaves, *state]] + [BATCH["batch"]]
        inputs += [np.array([1, 2], np.uint32)] * traced.keyed
        wanted = module(None)
        names = re.findall(r'zcc.result = "([^"]*)"', traced.text)
        found = dict(zip(names, run_text(traced.text, inputs)))
        for name, y in wanted.items():
            n = int(name.split(".")[0])
            away = difference(found[name], y)
            if n not in skipped and (isinstance(away, str) or away > bar):
                problems.append((calls[n], f"values: {away}"))
        return problems
    return _by_halves(check, calls)


def check_gradients(calls, bar=1e-6):
    """Compares the gradients that zcc computes, whose last bits are those of float32, with torch's."""
    def check(calls):
        module = Loss(calls)
        module.zero_grad()
        module(torch.zeros(1, dtype=torch.float64)).backward()
        wanted = {n: p.grad.numpy(force=True) for n, p in module.named_parameters() if p.grad is not None}
        with zcc.compile(module, BATCH, optimizer=zcc.SGD(lr=0.0), quiet=True, cache=False) as step:
            found = step.gradients(BATCH)
        problems, skipped = _refused(calls)
        for name, g in wanted.items():
            n = int(name.split(".")[1])
            away = difference(found[name], g) if name in found else ("no gradient" if g.any() else 0.0)
            if n not in skipped and (isinstance(away, str) or away > bar):
                problems.append((calls[n], f"gradient of argument {name.split('.')[-1]}: {away}"))
        return problems
    calls = [c for c in calls if list(c.parameters()) and all(p.numel() for p in c.parameters())]
    return _by_halves(check, calls) if calls else []
