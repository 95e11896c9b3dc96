"""Sparse products: how entries are cut, the product itself, and its bits on a GPU."""

from importlib.util import find_spec

import pytest
import torch
from torch import Tensor

from goodie.spmm import chunked, multiplier

needs_gpu = pytest.mark.skipif(
    not torch.cuda.is_available() or find_spec("triton") is None,
    reason="torch finds no GPU here, or there is no Triton",
)


def sparse(rows: int, columns: int, *, share: float = 0.3, dtype=torch.float64) -> Tensor:
    """Random, with an empty row, a full one, and others of all lengths."""
    generator = torch.Generator().manual_seed(rows + columns)
    entries = torch.rand(rows, columns, generator=generator, dtype=dtype) - 0.5
    lengths = torch.linspace(0, 2 * share, rows)[:, None]
    keep = torch.rand(rows, columns, generator=generator) < lengths
    keep[-1] = True
    return (entries * keep).to_sparse_csr()


@pytest.mark.parametrize("size", [1, 2, 7, 1000])
def test_every_entry_is_in_one_piece_of_its_row(size: int) -> None:
    matrix = sparse(30, 40)
    crow = matrix.crow_indices()
    chunks = chunked(matrix, size)
    assert (chunks.end - chunks.begin <= size).all()
    covered = torch.zeros(matrix.values().numel(), dtype=torch.long)
    pieces_of = {row: [] for row in range(30)}
    long_rows = chunks.long_rows.tolist()
    for begin, end, slot in zip(
        chunks.begin.tolist(), chunks.end.tolist(), chunks.slot.tolist(), strict=True
    ):
        covered[begin:end] += 1
        if slot >= 0:
            pieces_of[slot].append((begin, end))
            assert slot not in long_rows
        else:
            number = int(torch.searchsorted(chunks.first_part, -1 - slot, right=True)) - 1
            pieces_of[long_rows[number]].append((begin, end))
    assert (covered == 1).all()
    for row, pieces in pieces_of.items():
        assert pieces[0][0] == crow[row]
        assert pieces[-1][1] == crow[row + 1]


@pytest.mark.parametrize("layout", ["dense", "csr"])
def test_on_the_cpu_it_is_torchs_product(layout: str) -> None:
    matrix = sparse(20, 30)
    matrix = matrix.to_dense() if layout == "dense" else matrix
    x = torch.rand(30, 4, dtype=torch.float64)
    factor = multiplier(matrix)
    assert factor.chunks is None
    torch.testing.assert_close(factor @ x, matrix.to_dense() @ x)
    out = torch.full((20, 4), torch.nan, dtype=torch.float64)
    assert factor.into(out, x) is out
    torch.testing.assert_close(out, matrix.to_dense() @ x)


@pytest.mark.gpu
@needs_gpu
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("width", [1, 3, 7, 64, 65, 200])
@pytest.mark.parametrize(("rows", "columns"), [(1, 1), (5, 3), (100, 1000), (700, 400)])
def test_on_a_gpu(rows: int, columns: int, width: int, dtype) -> None:
    matrix = sparse(rows, columns, dtype=dtype)
    x = torch.rand(columns, width, dtype=dtype)
    factor = multiplier(matrix.cuda())
    assert factor.chunks is not None
    out = torch.full((rows, width), torch.nan, dtype=dtype, device="cuda")
    right = (matrix.to_dense().double() @ x.double()).to(dtype)
    tolerance = 1e-5 if dtype == torch.float32 else 1e-12
    torch.testing.assert_close(factor.into(out, x.cuda()).cpu(), right, rtol=0, atol=tolerance)
    torch.testing.assert_close(factor @ x.cuda(), out, rtol=0, atol=0)


@pytest.mark.gpu
@needs_gpu
def test_same_bits_each_time() -> None:
    matrix = sparse(50, 20_000, dtype=torch.float32).cuda()
    x = torch.rand(20_000, 40, device="cuda")
    factor = multiplier(matrix)
    first = factor @ x
    assert all((factor @ x).equal(first) for _ in range(20))


@pytest.mark.gpu
@needs_gpu
def test_into_a_slice_of_wider_rows() -> None:
    matrix = sparse(40, 30, dtype=torch.float32).cuda()
    x, out = torch.rand(30, 4, device="cuda"), torch.zeros(40, 10, device="cuda")
    multiplier(matrix).into(out[:, 3:7], x)
    torch.testing.assert_close(out[:, 3:7], matrix @ x)
    assert not out[:, :3].any()
    assert not out[:, 7:].any()
