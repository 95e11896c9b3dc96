"""A user's own graph as a dataset of a study."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, get_type_hints

import torch
from torch_geometric.data import Data
from torch_geometric.data.data import DataEdgeAttr, DataTensorAttr
from torch_geometric.data.storage import GlobalStorage

from goodie.config import fit
from goodie.data import splits
from goodie.data.datasets import Dataset, find
from goodie.data.synthetic import synthetic
from goodie.data.validate import validate
from goodie.errors import InputError

# All that a saved graph is made of, beside tensors; loading anything else is refused.
_PARTS_OF_A_GRAPH = [Data, DataEdgeAttr, DataTensorAttr, GlobalStorage]

KEYS = ("file", "synthetic", "train", "val")


def dataset(name: str, source: Mapping[str, Any] | None) -> Dataset:
    """The dataset that a study calls `name`: one of ours, or what its `[data.name]` table says.

    Args:
        name: what it is called.
        source: None for a dataset of ours; else either `file`, a PyG `Data` saved with
            `torch.save`, or `synthetic`, the arguments of `goodie.synthetic`; and `train` and
            `val`, the shares of each class to train and validate on, where the file has no masks.
    """
    if source is None:
        return find(name)
    unknown = set(source) - set(KEYS)
    if unknown or ("file" in source) == ("synthetic" in source):
        raise InputError(
            f"[data.{name}] has {', '.join(source) or 'nothing'}; it takes either file or "
            "synthetic, and train and val"
        )
    shares = {
        key: fit(f"{key} of [data.{name}]", source[key], float)
        for key in ("train", "val")
        if key in source
    }
    splits.check_shares(**shares)

    def split(data: Data, seed: int) -> splits.Split:
        if "train_mask" in data:
            return splits.official(data, seed=seed)
        return splits.stratified(data.y, random_state=seed, **shares)

    if "file" in source:
        path = Path(fit(f"file of [data.{name}]", source["file"], str))
        return Dataset(name, lambda _: _read(path), str(path), own_split=split)
    arguments = fit(f"synthetic of [data.{name}]", source["synthetic"], dict)
    known = {key: kind for key, kind in get_type_hints(synthetic).items() if key != "return"}
    if wrong := set(arguments) - set(known):
        raise InputError(
            f"[data.{name}] gives synthetic {', '.join(sorted(wrong))}; it takes {', '.join(known)}"
        )
    arguments = {key: fit(key, value, known[key]) for key, value in arguments.items()}
    return Dataset(name, lambda _: synthetic(**arguments), "synthetic", own_split=split)


def _read(path: Path) -> Data:
    """A saved `Data`; nothing but tensors is read, so that no file can run code."""
    # Added for good: the context manager would, at its end, also forget what PyG has added itself.
    torch.serialization.add_safe_globals(_PARTS_OF_A_GRAPH)
    try:
        data = torch.load(path, weights_only=True)
    except FileNotFoundError:
        raise InputError(f"there is no file {path}") from None
    except Exception as error:  # torch raises whatever its unpickler meets
        raise InputError(f"{path} is not a graph saved with torch.save") from error
    if not isinstance(data, Data):
        raise InputError(f"{path} holds a {type(data).__name__}, expected a PyG Data")
    return validate(data)
