"""GOODIE's oracle against what can be worked out by hand, and against itself."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from oracles import goodie as oracle
from oracles import propagation

E = np.e
FUSIONS = ["attention", "sum", "mean", "concat", "random"]
WEIGHTS = ["pseudo", "strong", "weak", "manual"]

# two nodes of class 0 side by side, a third one at right angles
CORNER = np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]])


def random_problem(seed: int, N: int = 12, D: int = 4, C: int = 3):
    """Embeddings, labels (some −1, some of training nodes), raw confidence of every node."""
    r = np.random.RandomState(seed)
    Z = r.normal(size=(N, D)) * r.uniform(0.1, 5, size=(N, 1))
    label = r.randint(-1, C, size=N)
    train_mask = (r.uniform(size=N) < 0.4) & (label >= 0)
    return Z, label, train_mask, r.uniform(1 / C, 1, size=N)


# branch, classify, cross_entropy


def test_branch_by_hand():
    """S·inputs = [[1], [3]]; times [2, −1] is [[2, −1], [6, −3]]; plus [−3, 2]."""
    S = [[0.5, 0.0], [0.5, 1.0]]
    H = oracle.branch(S, [[2.0], [2.0]], [[2.0, -1.0]], [-3.0, 2.0])
    assert_array_equal(H, [[0, 1], [3, 0]])


def test_branch_gathers_from_the_columns_of_a_row():
    H = oracle.branch([[0, 1], [0, 0]], [[5.0], [7.0]], [[1.0]], [0.0])
    assert_array_equal(H, [[7], [0]])


def test_classify_by_hand_keeps_negative_logits_unless_asked():
    S, Z, weight, bias = [[0.0, 1.0], [1.0, 0.0]], [[1.0, 0.0], [0.0, 2.0]], np.eye(2), [-1, 1]
    assert_array_equal(oracle.classify(S, Z, weight, bias), [[-1, 3], [0, 1]])
    assert_array_equal(oracle.classify(S, Z, weight, bias, relu=True), [[0, 3], [0, 1]])


def test_cross_entropy_by_hand_is_a_mean_over_training_nodes():
    """−log 3/4 and −log 1/2; node 1 is no training node."""
    logits = np.log([[3.0, 1.0], [1.0, 9.0], [1.0, 1.0]])
    expected = (np.log(4 / 3) + np.log(2)) / 2
    assert_allclose(oracle.cross_entropy(logits, [0, 0, 1], [0, 2]), expected)
    assert_allclose(
        oracle.cross_entropy(logits, [0, -1, 1], np.array([True, False, True])), expected
    )
    assert_allclose(oracle.cross_entropy(logits + 1e3, [0, 0, 1], [2, 0]), expected)


def test_cross_entropy_of_huge_logits():
    assert oracle.cross_entropy([[1e4, -1e4]], [1], [0]) == 2e4
    assert oracle.cross_entropy([[1e4, -1e4]], [0], [0]) == 0


# attention, fuse


def test_attention_by_hand():
    """aᵀh: LP log 3, FP 0, so shares 3/4 and 1/4; then LP −log(2)/0.3 → −log 2, so 1/3 and 2/3."""
    a = [1.0, 0.0]
    H_lp = [[np.log(3), 4.0], [-np.log(2) / 0.3, 3.0]]
    H_fp = [[0.0, 8.0], [0.0, 6.0]]
    Z, share_lp = oracle.attention(H_lp, H_fp, a)
    assert_allclose(share_lp, [3 / 4, 1 / 3])
    assert_allclose(Z[:, 1], [3 + 2, 1 + 4])
    assert_allclose(Z[:, 0], [3 / 4 * np.log(3), -np.log(2) / 0.3 / 3])


def test_attention_shares_sum_to_one_and_z_lies_between():
    r = np.random.RandomState(0)
    H_lp, H_fp, a = r.normal(size=(9, 5)), r.normal(size=(9, 5)), r.normal(size=5)
    Z, share_lp = oracle.attention(H_lp, H_fp, a)
    swapped, share_fp = oracle.attention(H_fp, H_lp, a)
    assert_allclose(share_lp + share_fp, 1)
    assert_allclose(Z, swapped)
    assert_allclose(Z, share_lp[:, None] * H_lp + (1 - share_lp[:, None]) * H_fp)
    low, high = np.minimum(H_lp, H_fp), np.maximum(H_lp, H_fp)
    assert ((low < Z) & (high > Z)).all()
    assert np.ptp(share_lp) > 0.1  # shares are a node's own


def test_attention_without_preference_is_the_mean():
    H_lp, H_fp = np.random.RandomState(1).normal(size=(2, 6, 3))
    Z, share_lp = oracle.attention(H_lp, H_fp, np.zeros(3))
    assert_array_equal(share_lp, 0.5)
    assert_allclose(Z, oracle.fuse(H_lp, H_fp, "mean"))


def test_attention_of_huge_embeddings_takes_one_branch():
    Z, share_lp = oracle.attention([[1e4], [1.0]], [[1.0], [1e4]], [1.0])
    assert_array_equal(share_lp, [1, 0])
    assert_array_equal(Z, [[1e4], [1e4]])


def test_fuse_by_hand():
    H_lp, H_fp = [[1.0, 2.0], [3.0, 4.0]], [[5.0, 6.0], [7.0, 9.0]]
    assert_array_equal(oracle.fuse(H_lp, H_fp, "sum"), [[6, 8], [10, 13]])
    assert_array_equal(oracle.fuse(H_lp, H_fp, "mean"), [[3, 4], [5, 6.5]])
    assert_array_equal(oracle.fuse(H_lp, H_fp, "concat"), [[1, 2, 5, 6], [3, 4, 7, 9]])
    assert_array_equal(oracle.fuse(H_lp, H_fp, "random", lp_half=[True, False]), [[1, 2], [7, 9]])
    attended = oracle.attention(H_lp, H_fp, [0.3, -0.2])[0]
    assert_array_equal(oracle.fuse(H_lp, H_fp, "attention", a=[0.3, -0.2]), attended)


@pytest.mark.parametrize("how", [how for how in FUSIONS if how not in ("sum", "concat")])
def test_fusing_a_branch_with_itself_changes_nothing(how):
    H = np.random.RandomState(2).normal(size=(4, 3))
    fused = oracle.fuse(H, H, how, a=np.ones(3), lp_half=np.array([True, False, True, False]))
    assert_allclose(fused, H)


def test_fuse_refuses_what_it_does_not_know():
    with pytest.raises(ValueError, match="'max'"):
        oracle.fuse([[1.0]], [[1.0]], "max")


# raw_confidence, pseudo_labels


def test_raw_confidence_by_hand():
    """Softmax of [log 3, 0] is [3/4, 1/4]; halving τ squares the odds: 9/10."""
    scores = [[np.log(3), 0.0], [0.0, 0.0], [0.0, np.log(3)]]
    assert_allclose(oracle.raw_confidence(scores, 1.0), [3 / 4, 1 / 2, 3 / 4])
    assert_allclose(oracle.raw_confidence(scores, 0.5), [9 / 10, 1 / 2, 9 / 10])
    assert_array_equal(oracle.raw_confidence([[1e5, 0.0]], 0.01), [1])


def test_pseudo_labels_by_hand():
    """A training node LP contradicts, a free node, an unreached one, an unreached training node."""
    scores = np.log([[1.0, 1.0, 9.0], [1.0, 4.0, 2.0], [1.0, 1.0, 1.0], [1.0, 1.0, 1.0]])
    y = np.array([0, 0, 0, 2])  # that of nodes 1 and 2 is not to be seen
    label, confidence = oracle.pseudo_labels(scores, y, np.array([True, False, False, True]), 1.0)
    assert_array_equal(label, [0, 1, -1, 2])
    assert_allclose(confidence, [1, 4 / 7, 0, 1])
    assert label.dtype == np.int64


def test_pseudo_labels_do_not_read_the_labels_of_other_nodes():
    scores = np.random.RandomState(3).uniform(size=(8, 3))
    train_mask = np.arange(8) < 3
    y = np.array([0, 1, 2, 0, 1, 2, 0, 1])
    hidden = np.where(train_mask, y, -1)
    for seen, unseen in zip(
        oracle.pseudo_labels(scores, y, train_mask, 0.1),
        oracle.pseudo_labels(scores, hidden, train_mask, 0.1),
        strict=True,
    ):
        assert_array_equal(seen, unseen)


def test_pseudo_labels_without_training_nodes_are_those_of_the_propagation_oracle():
    scores = np.random.RandomState(4).uniform(0.01, 1, size=(20, 5))
    label, confidence = oracle.pseudo_labels(scores, np.full(20, -1), np.zeros(20, bool), 0.2)
    expected_label, expected_confidence = propagation.pseudo_labels(scores, 0.2)
    assert_array_equal(label, expected_label)
    assert_allclose(confidence, expected_confidence)
    assert_allclose(oracle.raw_confidence(scores, 0.2), expected_confidence)


def test_pseudo_labels_give_a_tie_to_the_lowest_class():
    label, confidence = oracle.pseudo_labels([[0.0, 2.0, 2.0]], [-1], [False], 0.001)
    assert_array_equal(label, [1])
    assert_allclose(confidence, [1 / 2])


# pair_weights


@pytest.mark.parametrize(
    ("how", "expected"),
    [
        (
            "pseudo",
            [[1, 1, 0.5, 0.8], [1, 1, 0.5, 0.8], [0.5, 0.5, 0.25, 0.4], [0.8, 0.8, 0.4, 0.64]],
        ),
        ("strong", np.ones((4, 4))),
        (
            "weak",
            [
                [0.36, 0.54, 0.30, 0.48],
                [0.54, 0.81, 0.45, 0.72],
                [0.30, 0.45, 0.25, 0.40],
                [0.48, 0.72, 0.40, 0.64],
            ],
        ),
        (
            "manual",
            [[1, 1, 0.5, 0.5], [1, 1, 0.5, 0.5], [0.5, 0.5, 0.25, 0.25], [0.5, 0.5, 0.25, 0.25]],
        ),
    ],
)
def test_pair_weights_by_hand(how, expected):
    W = oracle.pair_weights(np.array([True, True, False, False]), [0.6, 0.9, 0.5, 0.8], how)
    assert_allclose(W, expected)


@pytest.mark.parametrize("how", WEIGHTS)
def test_pair_weights_are_symmetric_and_factorise(how):
    """DESIGN §3.5: w_ip = u_i·u_p with u (1, ỹ), (1, 1), (ỹ, ỹ) and (1, 0.5)."""
    _, _, train_mask, confidence = random_problem(5)
    assert 0 < train_mask.sum() < len(train_mask)
    on_training, elsewhere = {
        "pseudo": (1.0, confidence),
        "strong": (1.0, 1.0),
        "weak": (confidence, confidence),
        "manual": (1.0, 0.5),
    }[how]
    u = np.where(train_mask, on_training, elsewhere)
    W = oracle.pair_weights(train_mask, confidence, how)
    assert_array_equal(W, W.T)
    assert_allclose(W, np.outer(u, u))


def test_pair_weights_keep_the_order_of_eq_11():
    """0 ≤ ỹ_i·ỹ_p < ỹ_i, ỹ_p ≤ 1, wherever ỹ is below 1 (Eq. 11, eqn:inequality)."""
    _, _, train_mask, confidence = random_problem(6)
    assert 0 < train_mask.sum() < len(train_mask)
    assert confidence.max() < 1
    W = oracle.pair_weights(train_mask, confidence, "pseudo")
    strong = W[np.ix_(train_mask, train_mask)]
    assert_array_equal(strong, 1)
    t = np.flatnonzero(train_mask)[0]
    for i in np.flatnonzero(~train_mask):
        for p in np.flatnonzero(~train_mask):
            assert 0 <= W[i, p] < min(W[i, t], W[t, p])
            assert max(W[i, t], W[t, p]) <= 1


def test_pair_weights_do_not_read_the_confidence_of_training_nodes_but_in_weak():
    _, _, train_mask, confidence = random_problem(7)
    other = np.where(train_mask, 0.123, confidence)
    for how in ("pseudo", "strong", "manual"):
        assert_array_equal(
            oracle.pair_weights(train_mask, confidence, how),
            oracle.pair_weights(train_mask, other, how),
        )
    weak = oracle.pair_weights(train_mask, other, "weak")
    assert_allclose(weak[np.ix_(train_mask, train_mask)], 0.123**2)


def test_pair_weights_refuse_what_they_do_not_know():
    with pytest.raises(ValueError, match="'ours'"):
        oracle.pair_weights(np.array([True]), [1.0], "ours")


# pairwise_logsumexp


def test_pairwise_logsumexp_of_two_nodes_is_their_product():
    """(3, −1)·(2, 4) = 2, over τ = 0.5 it is 4; the products of a node with itself are left out."""
    assert_allclose(oracle.pairwise_logsumexp([[3.0, -1.0], [2.0, 4.0]], 0.5), [4, 4])


def test_pairwise_logsumexp_of_three_nodes():
    assert_allclose(
        oracle.pairwise_logsumexp(2 * CORNER, 4.0),
        [np.log(E + 1), np.log(E + 1), np.log(2)],
    )


def test_pairwise_logsumexp_is_stable():
    values = oracle.pairwise_logsumexp([[100.0], [100.0], [-100.0]], 0.01)
    assert_allclose(values, [1e6, 1e6, -1e6 + np.log(2)], rtol=1e-14)


def test_pairwise_logsumexp_of_one_node():
    assert_array_equal(oracle.pairwise_logsumexp([[1.0, 2.0]], 0.1), [-np.inf])


# contrastive, supcon_on_training


def test_contrastive_by_hand():
    """Nodes 0 and 1 each: −log(e / (e + 1)); node 2 is alone in its class, adds 0 but counts."""
    each = np.log(1 + 1 / E)
    ones = np.ones((3, 3))
    assert_allclose(oracle.contrastive(CORNER, [0, 0, 1], ones, 1.0), 2 / 3 * each)
    assert_allclose(oracle.contrastive(CORNER, [0, 0, 1], 0.5 * ones, 1.0), 1 / 3 * each)
    # of no class: not in the mean, still in the denominator
    assert_allclose(oracle.contrastive(CORNER, [0, 0, -1], ones, 1.0), each)


def test_contrastive_with_weights_by_hand():
    """One class, τ = 1/2. With L = log(e² + 1): nodes 0 and 1 have ½[(L − 2) + 0.6 L], node 2 has
    ½·2·0.6 log 2."""
    W = oracle.pair_weights(np.array([True, True, False]), [0.9, 0.8, 0.6], "pseudo")
    L = np.log(E**2 + 1)
    expected = (2 * (L - 2 + 0.6 * L) / 2 + 0.6 * np.log(2)) / 3
    assert_allclose(oracle.contrastive(CORNER, [0, 0, 0], W, 0.5), expected)


def test_contrastive_reads_the_row_of_the_anchor():
    """A W that is not symmetric: only node 0's own row weighs."""
    W = np.array([[0.0, 1.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]])
    expected = np.log(1 + 1 / E) / 3
    assert_allclose(oracle.contrastive(CORNER, [0, 0, 1], W, 1.0), expected)


def test_contrastive_is_stable():
    """Node 0: positive at −1/τ, the stranger at 1/τ: loss 2/τ. Node 1: both at −1/τ: log 2."""
    Z = [[1.0, 0.0], [-1.0, 0.0], [1.0, 0.0]]
    loss = oracle.contrastive(Z, [0, 0, -1], np.ones((3, 3)), 0.001)
    assert_allclose(loss, (2000 + np.log(2)) / 2, rtol=1e-13)


def test_contrastive_normalises_rows_and_keeps_zero_rows():
    Z, label, train_mask, confidence = random_problem(8)
    W = oracle.pair_weights(train_mask, confidence, "pseudo")
    longer = Z * np.linspace(0.01, 100, len(Z))[:, None]
    assert_allclose(oracle.contrastive(longer, label, W, 0.1), oracle.contrastive(Z, label, W, 0.1))
    # a zero row has product 0 with every other: both nodes of class 0 see e⁰ among two e⁰
    Z = [[0.0, 0.0], [7.0, 0.0], [0.0, 9.0]]
    assert_allclose(oracle.contrastive(Z, [0, 0, -1], np.ones((3, 3)), 1.0), np.log(2))


@pytest.mark.parametrize("how", WEIGHTS)
def test_contrastive_factorises(how):
    """DESIGN §3.5: the positives need class sums only, the rest is pairwise_logsumexp."""
    tau = 0.3
    Z, label, train_mask, confidence = random_problem(9)
    W = oracle.pair_weights(train_mask, confidence, how)
    u = np.sqrt(np.diag(W))
    unit = Z / np.linalg.norm(Z, axis=1, keepdims=True)
    log_denominator = oracle.pairwise_logsumexp(unit, tau)
    total = 0.0
    for c in range(3):
        members = label == c
        count = members.sum() - 1
        assert count > 0
        z, v = unit[members], u[members]
        z_sum = (v[:, None] * z).sum(axis=0) - v[:, None] * z
        v_sum = v.sum() - v
        positive = v * ((z * z_sum).sum(axis=1) / tau - v_sum * log_denominator[members])
        total -= positive.sum() / count
    expected = total / (label >= 0).sum()
    assert_allclose(oracle.contrastive(Z, label, W, tau), expected, rtol=1e-12)


def test_contrastive_is_linear_in_the_weights():
    Z, label, train_mask, confidence = random_problem(10)
    A = oracle.pair_weights(train_mask, confidence, "pseudo")
    B = oracle.pair_weights(train_mask, confidence, "manual")
    together = oracle.contrastive(Z, label, 2 * A + 3 * B, 0.2)
    apart = 2 * oracle.contrastive(Z, label, A, 0.2) + 3 * oracle.contrastive(Z, label, B, 0.2)
    assert together > 0
    assert_allclose(together, apart)


def test_contrastive_does_not_know_the_order_of_nodes_or_the_names_of_classes():
    Z, label, train_mask, confidence = random_problem(11)
    W = oracle.pair_weights(train_mask, confidence, "pseudo")
    loss = oracle.contrastive(Z, label, W, 0.2)
    order = np.random.RandomState(0).permutation(len(Z))
    assert_allclose(oracle.contrastive(Z[order], label[order], W[np.ix_(order, order)], 0.2), loss)
    renamed = np.where(label >= 0, 7 - label, -1)
    assert_allclose(oracle.contrastive(Z, renamed, W, 0.2), loss)


def test_contrastive_of_nothing_is_zero():
    assert oracle.contrastive([[1.0, 2.0]], [0], [[1.0]], 0.1) == 0
    assert oracle.contrastive(CORNER, [-1, -1, -1], np.ones((3, 3)), 0.1) == 0
    assert oracle.contrastive(CORNER, [0, 1, 2], np.ones((3, 3)), 0.1) == 0
    assert oracle.contrastive(np.zeros((0, 2)), np.zeros(0, int), np.zeros((0, 0)), 0.1) == 0


def test_supcon_is_pseudocon_with_unit_weights():
    """Goal (1) of section 4.3: where every node is a training node, Eq. 9 is Eq. 8."""
    Z, label, _, confidence = random_problem(12)
    y = np.abs(label)
    everyone = np.ones(len(Z), dtype=bool)
    supcon = oracle.supcon_on_training(Z, y, np.arange(len(Z)), 0.2)
    assert supcon > 0
    for how in ("pseudo", "strong", "manual"):
        W = oracle.pair_weights(everyone, confidence, how)
        assert_allclose(oracle.contrastive(Z, y, W, 0.2), supcon)


def test_supcon_on_training_by_hand():
    """Nodes 0, 1 and 3 are trained on; node 2 is nowhere, not in a denominator either."""
    Z = [[2.0, 0.0], [1.0, 0.0], [1.0, 0.0], [0.0, 3.0]]
    y = [0, 0, 0, 1]
    expected = 2 / 3 * np.log(1 + 1 / E)
    assert_allclose(oracle.supcon_on_training(Z, y, [0, 1, 3], 1.0), expected)
    assert_allclose(oracle.supcon_on_training(Z, y, [3, 0, 1], 1.0), expected)
    mask = np.array([True, True, False, True])
    assert_allclose(oracle.supcon_on_training(Z, y, mask, 1.0), expected)
    # the same nodes in a loss over all of them: node 2 stands in their denominators
    over_all = oracle.contrastive(Z, [0, 0, -1, 1], np.ones((4, 4)), 1.0)
    assert_allclose(over_all, 2 / 3 * np.log(2 + 1 / E))


# prototypes, prototype_loss


def test_prototypes_by_hand():
    """Class 0: ½(1·(1, 0) + ¾·(0, 1)), along (4, 3). Class 2: (0, −1). Class 1 has no node."""
    Z = [[9.0, 0.0], [0.0, 0.2], [0.0, -3.0], [5.0, 5.0]]
    P, classes = oracle.prototypes(Z, [0, 0, 2, -1], [1.0, 0.75, 0.1, 1.0])
    assert_array_equal(classes, [0, 2])
    assert_allclose(P, [[4 / 5, 3 / 5], [0, -1]])


def test_prototypes_have_unit_length_or_none():
    Z, label, train_mask, confidence = random_problem(13)
    u = np.where(train_mask, 1.0, confidence)
    P, classes = oracle.prototypes(Z, label, u)
    assert_array_equal(classes, [0, 1, 2])
    assert_allclose(np.linalg.norm(P, axis=1), 1)
    zero, _ = oracle.prototypes([[0.0, 0.0], [3.0, 4.0]], [0, 1], [1.0, 1.0])
    assert_allclose(zero, [[0, 0], [3 / 5, 4 / 5]])


def test_prototypes_ignore_nodes_without_confidence():
    P, _ = oracle.prototypes([[3.0, 4.0], [-1.0, 0.0]], [0, 0], [1.0, 0.0])
    assert_allclose(P, [[3 / 5, 4 / 5]])


@pytest.mark.parametrize("tau", [0.05, 0.5, 2.0])
@pytest.mark.parametrize("K", [2, 3, 5])
def test_prototype_loss_of_orthogonal_prototypes(K, tau):
    """K log(1 + (K−1)e^{−1/τ}); as printed, K log(K−1)."""
    Z, label = np.repeat(3 * np.eye(K), 2, axis=0), np.repeat(np.arange(K), 2)
    u = np.linspace(0.2, 1, 2 * K)
    loss = oracle.prototype_loss(Z, label, u, tau)
    # an atol for what 1/τ + log(1 + …) − 1/τ loses of a loss as small as e^{−20}
    assert_allclose(loss, K * np.log1p((K - 1) * np.exp(-1 / tau)), rtol=1e-12, atol=1e-13)
    printed = oracle.prototype_loss(Z, label, u, tau, printed=True)
    assert_allclose(printed, K * np.log(K - 1), atol=1e-15)


def test_prototype_loss_of_opposite_and_equal_prototypes():
    """Opposite: 2 log(1 + e^{−2/τ}), printed −2/τ. Equal: 2 log 2, printed 2/τ."""
    opposite, equal, u = [[1.0], [-1.0]], [[1.0], [4.0]], [1.0, 1.0]
    assert_allclose(oracle.prototype_loss(opposite, [0, 1], u, 0.5), 2 * np.log1p(np.exp(-4)))
    assert_allclose(oracle.prototype_loss(opposite, [0, 1], u, 0.001, printed=True), -2000)
    assert_allclose(oracle.prototype_loss(equal, [0, 1], u, 0.001), 2 * np.log(2))
    assert_allclose(oracle.prototype_loss(equal, [0, 1], u, 0.001, printed=True), 2000)


def test_prototype_losses_differ_by_the_own_class():
    """Σ_b exp = exp(1/τ) + Σ_{b≠c} exp, so with two classes printed ↔ default is one formula."""
    Z, label, _, u = random_problem(14)
    two = np.where(label == 2, -1, label)
    P, _ = oracle.prototypes(Z, two, u)
    s = P[0] @ P[1] / 0.4
    assert_allclose(oracle.prototype_loss(Z, two, u, 0.4, printed=True), 2 * s)
    assert_allclose(oracle.prototype_loss(Z, two, u, 0.4), 2 * np.log1p(np.exp(s - 1 / 0.4)))


def test_prototype_loss_leaves_out_empty_classes_and_nodes_of_no_class():
    Z, label, _, u = random_problem(15)
    loss = oracle.prototype_loss(Z, label, u, 0.3)
    known = label >= 0
    assert not known.all()
    assert_allclose(oracle.prototype_loss(Z[known], 2 * label[known], u[known], 0.3), loss)


@pytest.mark.parametrize("printed", [False, True])
@pytest.mark.parametrize("label", [[3, 3, 3], [-1, 3, 3], [-1, -1, -1]])
def test_prototype_loss_with_fewer_than_two_classes_is_zero(printed, label):
    assert oracle.prototype_loss(CORNER, label, [1.0, 0.5, 0.5], 0.1, printed=printed) == 0


# all of them


def test_inputs_are_left_alone():
    Z, label, train_mask, confidence = random_problem(16)
    W = oracle.pair_weights(train_mask, confidence, "pseudo")
    scores = np.abs(Z)
    inputs = (Z, label, train_mask, confidence, W, scores)
    before = [array.copy() for array in inputs]
    oracle.pseudo_labels(scores, label, train_mask, 0.1)
    oracle.contrastive(Z, label, W, 0.1)
    oracle.supcon_on_training(Z, label, train_mask, 0.1)
    oracle.prototype_loss(Z, label, confidence, 0.1)
    oracle.attention(Z, Z[::-1], np.ones(4))
    for array, copy in zip(inputs, before, strict=True):
        assert_array_equal(array, copy)
