"""The paper's numbers, from the command line."""

import json

import pytest

from goodie import paper
from helpers import Cli, Real

DATASETS = ("Cora", "CiteSeer", "PubMed", "CS", "Physics", "Arxiv")


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:node-feat.csv.gz is not in:UserWarning")
@pytest.mark.parametrize("dataset", DATASETS)
def test_label_propagation_is_the_papers_to_both_decimals(
    dataset: str, cli: Cli, real: Real
) -> None:
    real.need(dataset)
    ran = cli("run", "--dataset", dataset, "--method", "lp", "--seeds", "10", "--json")
    assert ran.code == 0, ran.err
    row = json.loads(ran.out)
    assert row["seeds"] == list(range(10))
    got = [round(row["test_mean"], 2), round(row["test_std"], 2)]
    assert got == paper.numbers()["accuracy_at_9999"]["lp"][dataset]
