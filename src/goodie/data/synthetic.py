"""A graph with known answers: how homophilous, how skewed and how informative is for you to say."""

import numpy as np
import scipy.sparse as sp
import torch
from jaxtyping import Float, Int
from numpy.random import Generator
from torch import Tensor
from torch_geometric.data import Data

from goodie.errors import InputError
from goodie.sparse import csr_to_torch

_ROUNDS = 64
_TICKETS = 2**16  # an edge's ends are drawn as in a lottery; this many are held where θ is 1


def synthetic(
    num_nodes: int = 1000,
    num_classes: int = 5,
    *,
    average_degree: float = 10.0,
    homophily: float = 0.8,
    degree_exponent: float = 2.5,
    num_features: int = 200,
    informativeness: float = 0.5,
    words_per_node: int = 20,
    sparse: bool = False,
    random_state: int | Generator = 0,
) -> Data:
    """A degree-corrected stochastic block model whose nodes carry bags of words.

    A node's propensity θ has a Pareto tail, capped at √N times its mean so that no hub reaches
    most of the graph. One end of an edge is drawn ∝ θ from all nodes, the other ∝ θ from the same
    class or from the other classes. Loops and repeated edges are drawn again with the same kind
    of end, so the share of edges inside classes is `homophily` up to rounding, by construction.
    Only where nearly every pair of a kind is joined may a few edges be lacking.

    A word comes from the topic of the node's class or from a background that all classes share.
    Both follow Zipf's law, each over its own order of the vocabulary. The graph depends on the
    seed and the graph's own arguments, not on those of the features.

    Args:
        num_nodes: N.
        num_classes: Their sizes differ by at most one.
        average_degree: There are N · average_degree / 2 undirected edges.
        homophily: The share of edges inside classes; without effect for a single class.
        degree_exponent: Of the degrees' power law, above 2; `math.inf` makes all θ equal.
        num_features: F, the size of the vocabulary.
        informativeness: The chance that a word is from the topic: 0 says nothing of the class.
        words_per_node: Drawn with repetition; x tells only which words occur.
        sparse: Whether x is a torch CSR tensor.
        random_state: A seed, or a generator to go on with.

    Returns:
        x float32 [N, F] of zeros and ones, edge_index int64 [2, 2E] sorted, with both
        directions of each edge, and y int64 [N].

    Example:
        >>> synthetic(num_nodes=100, num_features=20, average_degree=4.0)
        Data(x=[100, 20], edge_index=[2, 400], y=[100])
    """
    for name, value, low, high in (
        ("num_nodes", num_nodes, 1, np.inf),
        ("num_classes", num_classes, 1, num_nodes),
        ("average_degree", average_degree, 0, num_nodes - 1),
        ("homophily", homophily, 0, 1),
        ("num_features", num_features, 0, np.inf),
        ("informativeness", informativeness, 0, 1),
        ("words_per_node", words_per_node, 0, np.inf),
    ):
        if not low <= value <= high:
            raise InputError(f"{name} is {value}, expected {low} to {high}")
    if not degree_exponent > 2:
        raise InputError(f"degree_exponent is {degree_exponent}, expected more than 2")

    rng = np.random.default_rng(random_state)
    y = rng.permutation(np.arange(num_nodes) % num_classes)
    propensity = np.exp(rng.standard_exponential(num_nodes) / (degree_exponent - 1))
    propensity = np.minimum(propensity, propensity.mean() * num_nodes**0.5)
    tickets = (_TICKETS * propensity).astype(np.int64)

    num_edges = round(num_nodes * average_degree / 2)
    num_inside = round(num_edges * homophily) if num_classes > 1 else num_edges
    inside = _edges(rng, num_inside, y, tickets, inside=True)
    across = _edges(rng, num_edges - num_inside, y, tickets, inside=False)
    words = _words(rng, y, num_features, words_per_node if num_features else 0, informativeness)
    return Data(
        x=_bags(words, num_features, sparse=sparse),
        edge_index=_both_directions(np.concatenate([inside, across]), num_nodes),
        y=torch.from_numpy(y),
    )


def _edges(
    rng: Generator,
    count: int,
    y: Int[np.ndarray, " nodes"],
    tickets: Int[np.ndarray, " nodes"],
    *,
    inside: bool,
) -> Int[np.ndarray, " edges"]:
    """Distinct edges {a < b}, all inside or all across classes, as sorted numbers a·N + b."""
    sizes = np.bincount(y)
    pairs_inside = int((sizes * (sizes - 1) // 2).sum())
    pairs = pairs_inside if inside else len(y) * (len(y) - 1) // 2 - pairs_inside
    if count > pairs:
        where = "inside" if inside else "across"
        raise InputError(f"{count} edges asked for {where} classes, where there are {pairs} pairs")

    by_class = np.argsort(y, kind="stable")
    node_ends = np.cumsum(tickets[by_class])
    class_ends = node_ends[np.cumsum(sizes) - 1]
    edges = np.empty(0, dtype=np.int64)
    for _ in range(_ROUNDS):
        if len(edges) == count:
            break
        drawn = _draw(rng, count - len(edges), class_ends, inside=inside)
        a, b = (by_class[np.searchsorted(node_ends, end, side="right")] for end in drawn)
        numbers = np.minimum(a, b) * len(y) + np.maximum(a, b)
        edges = np.concatenate([edges, np.sort(numbers[a != b])])
        edges.sort(kind="stable")  # merges the two; np.unique would take ten times as long
        edges = edges[np.diff(edges, prepend=-1) > 0]
    return edges


def _draw(
    rng: Generator, count: int, class_ends: Int[np.ndarray, " classes"], *, inside: bool
) -> tuple[Int[np.ndarray, " count"], Int[np.ndarray, " count"]]:
    """Winning tickets for both ends; whole numbers, so that no draw slips into another class."""
    held = np.diff(class_ends, prepend=0)
    one = np.sort(rng.integers(class_ends[-1], size=count))  # sorted is looked up faster
    own = np.searchsorted(class_ends, one, side="right")
    start, size = (class_ends - held)[own], held[own]
    if inside:
        return one, start + rng.integers(size)
    other = rng.integers(class_ends[-1] - size)
    return one, other + np.where(other >= start, size, 0)  # step over the own class


def _both_directions(edges: Int[np.ndarray, " edges"], num_nodes: int) -> Int[Tensor, "2 entries"]:
    a, b = np.divmod(edges, num_nodes)
    entries = np.concatenate([edges, b * num_nodes + a])
    entries.sort()
    edge_index = np.empty((2, len(entries)), dtype=np.int64)
    np.divmod(entries, num_nodes, out=(edge_index[0], edge_index[1]))
    return torch.from_numpy(edge_index)


def _words(
    rng: Generator,
    y: Int[np.ndarray, " nodes"],
    num_features: int,
    words_per_node: int,
    informativeness: float,
) -> Int[np.ndarray, "nodes words"]:
    """Each node's words; the rank of a word is Zipf's, what stands at that rank is the topic's."""
    num_classes = int(y.max()) + 1
    vocabulary = np.tile(np.arange(num_features), (num_classes + 1, 1))
    topics = rng.permuted(vocabulary, axis=1)  # the last is the background
    chance = np.cumsum(1 / np.arange(1, num_features + 1))
    chance /= chance[-1:]
    shape = len(y), words_per_node
    rank = np.searchsorted(chance, rng.random(shape), side="right")
    return topics[np.where(rng.random(shape) < informativeness, y[:, None], num_classes), rank]


def _bags(
    words: Int[np.ndarray, "nodes words"], num_features: int, *, sparse: bool
) -> Float[Tensor, "nodes features"]:
    if not sparse:
        x = torch.zeros(len(words), num_features, dtype=torch.float32)
        return x.scatter_(1, torch.from_numpy(words), 1.0)
    words = np.sort(words, axis=1)
    first = np.diff(words, axis=1, prepend=-1) > 0  # not a repetition of the word before
    ends = np.concatenate([[0], np.cumsum(first.sum(axis=1))])
    bags = (np.ones(ends[-1], dtype=np.float32), words[first], ends)
    return csr_to_torch(sp.csr_array(bags, shape=(len(words), num_features)))
