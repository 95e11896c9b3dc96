"""Labels withheld in turns, against propagation without them."""

import pytest
import torch

from goodie import operator, propagate_labels, synthetic
from goodie.propagate.withheld import deal, propagate_withheld


def generator() -> torch.Generator:
    return torch.Generator().manual_seed(0)


@pytest.mark.parametrize(("parts", "made"), [(0, 1), (1, 1), (2, 2), (7, 7), (500, 40)])
def test_each_part_is_propagation_without_it(parts: int, made: int) -> None:
    data = synthetic(120, 4, num_features=0)
    seeds = torch.zeros(120, dtype=torch.bool)
    seeds[:40] = True
    S = operator(data)
    options = {"alpha": 0.9, "steps": 20, "num_classes": 4}
    done = propagate_withheld(data.y, seeds, S, parts=parts, generator=generator(), **options)
    assert done.scores.shape == (made, 120, 4)
    torch.testing.assert_close(done.share.sum(dim=1), torch.ones(made))
    for scores, share in zip(done.scores, done.share, strict=True):
        told = share > 0
        assert share[told].unique().numel() == 1
        kept = seeds.clone()
        if parts > 1:
            kept[seeds.nonzero()[:, 0][told]] = False
        assert scores.equal(propagate_labels(data.y, kept, S, **options).values)
    if parts > 1:
        assert ((done.share > 0).sum(dim=0) == 1).all(), "each seed is told once a round"


def test_dealing_spreads_every_class_and_never_silences_one() -> None:
    labels = torch.tensor([0] * 20 + [1] * 7 + [2] * 2 + [3])
    part = deal(labels, 5, generator())
    assert part[-1] == -1
    assert (part[:-1] >= 0).all()
    for label, least, most in ((0, 4, 4), (1, 1, 2), (2, 0, 1)):
        size = torch.bincount(part[labels == label], minlength=5)
        assert size.min() >= least
        assert size.max() <= most
    sizes = torch.bincount(part[:-1], minlength=5)
    assert sizes.max() - sizes.min() <= 1
    assert part.equal(deal(labels, 5, generator()))


def test_lone_labels_are_told_in_every_turn() -> None:
    labels = torch.tensor([0, 0, 1])
    data = synthetic(3, 1, num_features=0, average_degree=2.0)
    done = propagate_withheld(
        labels,
        torch.ones(3, dtype=torch.bool),
        operator(data),
        parts=9,
        alpha=0.9,
        steps=3,
        num_classes=2,
        generator=generator(),
    )
    assert done.share.sort(dim=0).values.tolist() == [[0.0, 0.0, 0.5], [0.5, 0.5, 0.5]]


def test_where_every_class_has_one_label_none_is_withheld() -> None:
    done = propagate_withheld(
        torch.tensor([0, 1, -1]),
        torch.tensor([True, True, False]),
        operator(synthetic(3, 1, num_features=0, average_degree=2.0)),
        parts=9,
        alpha=0.9,
        steps=3,
        num_classes=2,
        generator=generator(),
    )
    assert done.share.tolist() == [[0.5, 0.5]]
