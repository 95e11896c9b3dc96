"""Embeddings: what they recover, and how they are kept."""

from dataclasses import replace
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score
from torch_geometric.data import Data

from goodie import synthetic
from goodie.data.validate import validate
from goodie.errors import InputError
from goodie.walks import embedding as module
from goodie.walks.embedding import Recipe, compute, embedding, graph_content

SMALL = Recipe(dimensions=8, walks_per_node=2, walk_length=10, window=3)


@pytest.fixture
def data() -> Data:
    return validate(synthetic(40, 2, num_features=3))


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> list[Recipe]:
    """The recipes that were computed."""
    seen: list[Recipe] = []

    def watched(data: Data, recipe: Recipe) -> torch.Tensor:
        seen.append(recipe)
        return compute(data, recipe)

    monkeypatch.setattr(module, "compute", watched)
    return seen


@pytest.mark.parametrize(
    "recipe", [Recipe(), Recipe(negative=0), Recipe(p=0.5, q=2.0), Recipe(p=4.0, q=0.5)]
)
def test_planted_communities_are_recovered(recipe: Recipe) -> None:
    data = synthetic(300, 4, homophily=0.95, average_degree=12.0, random_state=3)
    found = compute(validate(data), recipe).double().numpy()
    groups = KMeans(4, n_init=10, random_state=0).fit_predict(found)
    assert adjusted_rand_score(data.y, groups) > 0.9


def test_isolated_nodes_and_no_edges_are_finite() -> None:
    lonely = validate(Data(edge_index=torch.tensor([[0], [1]]), num_nodes=4))
    empty = validate(Data(edge_index=torch.empty(2, 0, dtype=torch.long), num_nodes=3))
    for recipe in (SMALL, replace(SMALL, negative=0), replace(SMALL, p=0.1)):
        assert compute(lonely, recipe).isfinite().all()
        assert compute(empty, recipe).isfinite().all()


@pytest.mark.parametrize("negative", [0, 5])
def test_same_seed_same_bits(data: Data, negative: int) -> None:
    recipe = replace(SMALL, negative=negative)
    torch.manual_seed(1)
    one = compute(data, recipe)
    torch.manual_seed(2)
    state = torch.get_rng_state()
    assert compute(data, recipe).equal(one)
    assert torch.get_rng_state().equal(state)
    assert not compute(data, replace(recipe, seed=1)).equal(one)


def test_it_is_computed_once(home: Path, data: Data, counted: list[Recipe]) -> None:
    first = embedding(data, SMALL)
    assert embedding(data, SMALL).equal(first)
    assert len(counted) == 1
    (file,) = (home / "walks").glob("*.safetensors")
    assert load_file(file)["embedding"].equal(first)
    assert not list((home / "walks").glob(".*.part"))


def test_what_it_depends_on(home: Path, data: Data, counted: list[Recipe]) -> None:
    embedding(data, SMALL)
    for change in (
        {"dimensions": 9},
        {"walks_per_node": 3},
        {"walk_length": 11},
        {"window": 2},
        {"p": 2.0},
        {"q": 2.0},
        {"negative": 0},
        {"epochs": 2},
        {"seed": 1},
    ):
        embedding(data, replace(SMALL, **change))
    assert len(counted) == 10


def test_the_graphs_content_counts_and_nothing_else(data: Data) -> None:
    here = graph_content(data)
    other = synthetic(40, 2, num_features=7, informativeness=0.0)
    one_way = data.edge_index[:, data.edge_index[0] < data.edge_index[1]]
    assert graph_content(validate(other)) == here
    assert graph_content(validate(Data(edge_index=one_way, num_nodes=40))) == here
    assert graph_content(validate(Data(edge_index=one_way, num_nodes=41))) != here
    assert graph_content(validate(Data(edge_index=one_way[:, 1:], num_nodes=40))) != here
    weight = torch.full((one_way.shape[1],), 2.0)
    heavy = Data(edge_index=one_way, edge_weight=weight, num_nodes=40)
    assert graph_content(validate(heavy)) != here


@pytest.mark.parametrize("damage", ["cut", "noise", "other name", "other shape", "nan"])
def test_a_damaged_file_is_replaced(
    home: Path, data: Data, counted: list[Recipe], damage: str
) -> None:
    first = embedding(data, SMALL)
    (file,) = (home / "walks").glob("*.safetensors")
    if damage == "cut":
        file.write_bytes(file.read_bytes()[:-10])
    elif damage == "noise":
        file.write_bytes(b"nothing of the kind")
    elif damage == "other name":
        save_file({"vectors": first}, file)
    elif damage == "other shape":
        save_file({"embedding": first[:-1].clone()}, file)
    else:
        save_file({"embedding": first.clone().fill_(torch.nan)}, file)
    assert embedding(data, SMALL).equal(first)
    assert len(counted) == 2
    assert embedding(data, SMALL).equal(first)
    assert len(counted) == 2


@pytest.mark.parametrize(
    "change", [{"dimensions": 0}, {"walk_length": 1}, {"window": 0}, {"negative": -1}]
)
def test_refusals(change: dict[str, int]) -> None:
    with pytest.raises(InputError, match="must be at least"):
        replace(SMALL, **change)
