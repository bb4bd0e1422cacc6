# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products of rows in groups, each with its own matrix."""
from . import lower

_DIMS = ("#chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], "
         "rhs_group_dimensions = [0]>")


@lower("aten._grouped_mm.default", "transformers.grouped_mm_fallback.default")
def _(b, x, y, offs=None, bias=None, out_dtype=None):
    """x [rows, k], y [groups, k, n]; offs [groups] has the end of each group. Rows beyond the last group give 0."""
    if x.rank == 3 and y.rank == 3 and offs is None:
        from .products import matmul

        return b.convert(matmul(b, x, y), b.out.element)
    if x.rank != 2 or y.rank != 3 or offs is None or bias is not None:
        raise NotImplementedError("groups that are no runs of rows of the first operand")
    start = b.concatenate([b.constant(0, (1,), offs.element), b.slice_dim(offs, 0, 0, offs.shape[0] - 1)], 0)
    sizes = b.subtract(offs, start)
    found = b.op("chlo.ragged_dot", [x, y, sizes], (x.shape[0], y.shape[2]), x.element, {"ragged_dot_dimension_numbers": _DIMS})
    return b.convert(found, b.out.element)
