"""Link prediction: what a method gets to see, and how it is judged."""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor
from torch_geometric.data import Data

from goodie.data import missing
from goodie.data.link_splits import LinkSplit
from goodie.data.splits import Split
from goodie.evaluate import Ranking, ranking
from goodie.nn.decoder import pair_logits

METRIC = "auc"


class Score(NamedTuple):
    """How well edges are told from other pairs."""

    val: Ranking
    test: Ranking


def with_holes(links: LinkSplit, nodes: Split, *, scenario: str, rate: float, seed: int) -> Data:
    """What a method is given: edges to learn from, features with holes, training labels."""
    problem = nodes.apply(missing.hide(links.data, scenario, rate, random_state=seed))
    problem.y = torch.where(nodes.train, problem.y, -1)
    return problem


def judge(z: Float[Tensor, "nodes width"], split: LinkSplit) -> Score:
    """Score embeddings by the pairs set aside."""
    return Score(
        *(
            ranking(pair_logits(z, part.edges), pair_logits(z, part.others))
            for part in (split.val, split.test)
        )
    )
