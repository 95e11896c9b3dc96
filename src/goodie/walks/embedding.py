"""A graph's walk embedding, computed once and kept on disk."""

import hashlib
import json
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import torch
from filelock import FileLock
from jaxtyping import Float
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import Tensor
from torch_geometric.data import Data

from goodie.appearing import appearing
from goodie.data.files import cache_folder
from goodie.data.fingerprint import fingerprint
from goodie.errors import InputError
from goodie.graph import adjacency
from goodie.sparse import csr_to_torch
from goodie.walks.objectives import HierarchicalSoftmax, NegativeSampling, Objective
from goodie.walks.skipgram import skip_gram
from goodie.walks.walker import random_walks

# Raised when a change alters the embeddings, so that kept ones are not taken for them.
VERSION = 1


@dataclass(frozen=True)
class Recipe:
    """How an embedding is made.

    Attributes:
        dimensions: of a node's vector.
        walks_per_node: walks that start at each node.
        walk_length: nodes in a walk.
        window: how far apart in a walk two nodes still count as met.
        p: return parameter of the walks.
        q: in-out parameter.
        negative: nodes drawn for each met; 0: a hierarchical softmax instead.
        epochs: passes over the walks.
        seed: of walks, initial vectors and draws.
    """

    dimensions: int = 128
    walks_per_node: int = 10
    walk_length: int = 80
    window: int = 10
    p: float = 1.0
    q: float = 1.0
    negative: int = 5
    epochs: int = 1
    seed: int = 0

    def __post_init__(self) -> None:
        for name, least in (
            ("dimensions", 1),
            ("walks_per_node", 1),
            ("walk_length", 2),
            ("window", 1),
            ("negative", 0),
            ("epochs", 1),
        ):
            if getattr(self, name) < least:
                raise InputError(f"{name}={getattr(self, name)}; it must be at least {least}")


def embedding(data: Data, recipe: Recipe) -> Float[Tensor, "nodes dimensions"]:
    """The embedding of a graph, read from the cache or else computed and put there.

    It lies in `cache_folder()/walks` under the content of the graph and the recipe, so that all
    methods and seeds that ask for the same one share it. A file that cannot be read is replaced.

    Args:
        data: validated.
        recipe: how.
    """
    path = cache_folder() / "walks" / f"{_key(data, recipe)}.safetensors"
    shape = int(data.num_nodes), recipe.dimensions
    path.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(path.with_suffix(".lock")):  # of processes that want the same, one computes
        kept = _read(path, shape)
        if kept is not None:
            return kept
        made = compute(data, recipe)
        with appearing(path) as temporary:
            save_file({"embedding": made}, temporary)
    return made


def compute(data: Data, recipe: Recipe) -> Float[Tensor, "nodes dimensions"]:
    """Walk, and train a skip-gram on the walks.

    Example:
        >>> pair = Data(edge_index=torch.tensor([[0], [1]]), num_nodes=2)
        >>> compute(pair, Recipe(dimensions=4, walk_length=5)).shape
        torch.Size([2, 4])
    """
    A = adjacency(data, self_loops=False, undirected=True)
    n = int(data.num_nodes)
    walks = torch.from_numpy(
        random_walks(
            A,
            walks_per_node=recipe.walks_per_node,
            length=recipe.walk_length,
            p=recipe.p,
            q=recipe.q,
            generator=np.random.default_rng(recipe.seed),
        )
    )
    generator = torch.Generator().manual_seed(recipe.seed)
    span = {"length": recipe.walk_length, "window": recipe.window}
    objective: Objective
    if recipe.negative:
        met = torch.bincount(walks.flatten(), minlength=n)
        objective = NegativeSampling(met, negative=recipe.negative, **span)
    else:
        objective = HierarchicalSoftmax(n, generator=generator, **span)
    return skip_gram(
        walks,
        n,
        objective,
        dimensions=recipe.dimensions,
        epochs=recipe.epochs,
        generator=generator,
    )


def graph_content(data: Data) -> str:
    """What of a graph an embedding depends on, as one short string: its weighted adjacency."""
    A = adjacency(data, self_loops=False, undirected=True)
    return fingerprint(Data(x=csr_to_torch(A)))


def _key(data: Data, recipe: Recipe) -> str:
    page = {"version": VERSION, "graph": graph_content(data), "recipe": asdict(recipe)}
    return hashlib.sha256(json.dumps(page, sort_keys=True).encode()).hexdigest()[:32]


def _read(path: Path, shape: tuple[int, int]) -> Tensor | None:
    """What a file holds, if it is there and is what it should be."""
    try:
        kept = load_file(path)["embedding"]
    except (OSError, KeyError, SafetensorError):
        return None
    sound = kept.shape == shape and kept.dtype == torch.float32 and bool(kept.isfinite().all())
    return kept if sound else None
