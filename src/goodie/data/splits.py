"""Who trains, who selects, who is judged: splits of the nodes."""

from copy import copy
from typing import NamedTuple

import numpy as np
import torch
from jaxtyping import Bool, Int
from torch import Tensor
from torch_geometric.data import Data

from goodie.errors import InputError

# The protocol draws every development set with this one seed (the one of the FP paper's code), so
# that the test set is the same whatever the seed of the run.
DEVELOPMENT_SEED = 1684992425


class Split(NamedTuple):
    """Three disjoint sets of nodes, as masks."""

    train: Bool[Tensor, " nodes"]
    val: Bool[Tensor, " nodes"]
    test: Bool[Tensor, " nodes"]

    def apply(self, data: Data) -> Data:
        """A copy of data that carries this split as `train_mask`, `val_mask` and `test_mask`."""
        out = copy(data)
        out.train_mask, out.val_mask, out.test_mask = self
        return out


def paper(
    y: Int[Tensor, " nodes"],
    *,
    seed: int,
    num_development: int = 1500,
    per_class: int = 20,
    development_seed: int = DEVELOPMENT_SEED,
) -> Split:
    """The paper's protocol: a fixed development set, in it `per_class` training nodes a class.

    The rest of the development set is for validation and every other node for the test, so the
    test set depends on `development_seed` alone. numpy's legacy generator, one for all classes in
    ascending order, and the drawn order of the development set are part of the protocol: with any
    of them changed the published numbers are missed.
    """
    labels = y.numpy()
    if num_development >= len(labels):
        raise InputError(
            f"a development set of {num_development} nodes leaves none of {len(labels)} to test on"
        )
    development = np.random.RandomState(development_seed).choice(
        len(labels), num_development, replace=False
    )
    development = development[labels[development] >= 0]
    rng = np.random.RandomState(seed)
    train = []
    for label in np.unique(labels[labels >= 0]):
        candidates = development[labels[development] == label]
        if len(candidates) < per_class:
            raise InputError(
                f"class {label} has {len(candidates)} nodes in a development set of "
                f"{num_development}, fewer than the {per_class} asked for"
            )
        train.append(rng.choice(candidates, per_class, replace=False))
    return _from_indices(labels, np.concatenate(train), development)


def stratified(
    y: Int[Tensor, " nodes"], *, train: float = 0.1, val: float = 0.1, random_state: int = 0
) -> Split:
    """Shares of each class's labelled nodes to train and validate on; the other labelled ones test.

    Every class gets at least one training node; a class of one node trains and is never judged.
    """
    check_shares(train, val)
    labels = y.numpy()
    rng = np.random.default_rng(random_state)
    to_train, to_develop = [], []
    for label in np.unique(labels[labels >= 0]):
        members = rng.permutation(np.flatnonzero(labels == label))
        num_train = max(1, round(train * len(members)))
        to_train.append(members[:num_train])
        to_develop.append(members[: num_train + round(val * len(members))])
    if not to_train:
        raise InputError("no node is labelled, so there is nothing to split")
    return _from_indices(labels, np.concatenate(to_train), np.concatenate(to_develop))


def check_shares(train: float = 0.1, val: float = 0.1) -> None:
    """Refuse shares that no split could have."""
    if not (train > 0 and val >= 0 and train + val <= 1):
        raise InputError(f"train={train} and val={val} must be shares that add up to at most 1")


def development(split: Split, *, seed: int) -> Split:
    """A split for making choices by: half of the validation nodes select, the others are judged.

    The test nodes of `split` are in no part, so that what is chosen owes them nothing.
    """
    nodes = split.val.nonzero()[:, 0].numpy()
    drawn = np.random.default_rng(seed).permutation(nodes)
    val, judged = torch.zeros((2, len(split.val)), dtype=torch.bool)
    val[drawn[: len(drawn) // 2]] = True
    judged[drawn[len(drawn) // 2 :]] = True
    return Split(split.train, val, judged)


def set_aside(
    y: Int[Tensor, " nodes"], among: Bool[Tensor, " nodes"], share: float, *, random_state: int
) -> Bool[Tensor, " nodes"]:
    """A share of some nodes, to which each class gives its own share as nearly as it can.

    Every node is as likely as any other to be drawn, and their number is `share` of them rounded up
    or down: the nodes are taken in the order of their classes, at even steps from a random start.
    One at least is left.

    Example:
        >>> y = torch.tensor([0, 1] * 10)
        >>> drawn = set_aside(y, y >= 0, 0.5, random_state=0)
        >>> int(drawn.sum()), int(y[drawn].sum())
        (10, 5)
    """
    if not 0.0 <= share < 1.0:
        raise InputError(f"share is {share}; it must be at least 0 and less than 1")
    rng = np.random.default_rng(random_state)
    nodes = rng.permutation(among.nonzero()[:, 0].numpy())
    nodes = nodes[np.argsort(y.numpy()[nodes], kind="stable")]
    steps = np.floor(np.arange(len(nodes) + 1) * share + rng.random())
    drawn = nodes[np.diff(steps) > 0]
    out = torch.zeros_like(among)
    out[torch.from_numpy(drawn[: max(0, len(nodes) - 1)])] = True
    return out


def official(data: Data, *, seed: int = 0) -> Split:
    """The split that the dataset was published with.

    Where it was published with several (WikiCS has 20), column `seed` modulo their number.
    """
    masks = []
    for name in ("train_mask", "val_mask", "test_mask"):
        if name not in data:
            raise InputError(f"this graph carries no {name}, so it has no official split")
        mask = data[name]
        masks.append(mask if mask.dim() == 1 else mask[:, seed % mask.shape[1]])
    return Split(*masks)


def _from_indices(
    labels: Int[np.ndarray, " nodes"],
    train: Int[np.ndarray, " train"],
    development: Int[np.ndarray, " development"],
) -> Split:
    """The split whose validation set is what development has beside train."""
    is_train, is_development = np.zeros((2, len(labels)), dtype=bool)
    is_train[train] = True
    is_development[development] = True
    return Split(
        torch.from_numpy(is_train),
        torch.from_numpy(is_development & ~is_train),
        torch.from_numpy(~is_development & (labels >= 0)),
    )
