"""The oracles against what can be worked out by hand, and against each other."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from oracles import propagation, protocol

NAN = np.nan
PATH = np.array([[0, 1], [1, 2]])  # 0 → 1 → 2


def random_graph(seed: int, num_nodes: int, num_edges: int) -> np.ndarray:
    """Symmetric operator with self-loops of a random weighted undirected graph."""
    r = np.random.RandomState(seed)
    A = propagation.adjacency(
        r.randint(num_nodes, size=(2, num_edges)),
        num_nodes,
        r.uniform(0.2, 2.0, size=num_edges),
        undirected=True,
        self_loops=True,
    )
    return propagation.normalise(A, "symmetric")


# adjacency


def test_adjacency_puts_source_to_target_in_the_targets_row():
    assert_array_equal(propagation.adjacency(PATH, 3), [[0, 0, 0], [1, 0, 0], [0, 1, 0]])


def test_adjacency_adds_duplicates():
    A = propagation.adjacency([[0, 0, 1], [1, 1, 0]], 2, [1.5, 2.0, 4.0])
    assert_array_equal(A, [[0, 4.0], [3.5, 0]])


def test_adjacency_undirected_is_the_maximum_of_both_directions():
    A = propagation.adjacency(
        [[0, 0, 1, 1], [1, 1, 0, 2]], 3, [1.5, 2.0, 4.0, 1.0], undirected=True
    )
    assert_array_equal(A, [[0, 4, 0], [4, 0, 1], [0, 1, 0]])


def test_adjacency_self_loops_leave_listed_loops_alone():
    A = propagation.adjacency([[0, 0, 2], [0, 1, 2]], 4, [5.0, 1.0, 0.0], self_loops=True)
    assert_array_equal(A, [[5, 0, 0, 0], [1, 1, 0, 0], [0, 0, 0, 0], [0, 0, 0, 1]])


def test_adjacency_without_edges():
    empty = np.zeros((2, 0), dtype=int)
    assert_array_equal(propagation.adjacency(empty, 2), np.zeros((2, 2)))
    assert_array_equal(propagation.adjacency(empty, 2, self_loops=True), np.eye(2))


# normalise


def test_normalise_by_hand():
    """Path 0 — 1 — 2 with loops: degrees 2, 3, 2."""
    A = propagation.adjacency(PATH, 3, undirected=True, self_loops=True)
    s = 1 / np.sqrt(6)
    assert_allclose(
        propagation.normalise(A, "symmetric"), [[1 / 2, s, 0], [s, 1 / 3, s], [0, s, 1 / 2]]
    )
    row = np.array([[1 / 2, 1 / 2, 0], [1 / 3, 1 / 3, 1 / 3], [0, 1 / 2, 1 / 2]])
    assert_allclose(propagation.normalise(A, "row"), row)
    assert_allclose(propagation.normalise(A, "column"), row.T)


def test_normalise_directed_by_hand():
    """0 → 1 (weight 4), 1 → 0 (weight 1), 0 → 2 (weight 9): row sums 1, 4, 9; column 13, 1, 0."""
    A = propagation.adjacency([[0, 1, 0], [1, 0, 2]], 3, [4.0, 1.0, 9.0])
    assert_array_equal(A, [[0, 1, 0], [4, 0, 0], [9, 0, 0]])
    assert_allclose(propagation.normalise(A, "symmetric"), [[0, 1 / 2, 0], [2, 0, 0], [3, 0, 0]])
    assert_allclose(propagation.normalise(A, "row"), [[0, 1, 0], [1, 0, 0], [1, 0, 0]])
    assert_allclose(propagation.normalise(A, "column"), [[0, 1, 0], [4 / 13, 0, 0], [9 / 13, 0, 0]])


@pytest.mark.parametrize("kind", ["symmetric", "row", "column"])
def test_normalise_gives_an_isolated_node_zeros(kind):
    A = propagation.adjacency([[0], [1]], 3, undirected=True)
    assert_array_equal(propagation.normalise(A, kind), [[0, 1, 0], [1, 0, 0], [0, 0, 0]])


def test_normalise_refuses_what_has_no_meaning():
    with pytest.raises(ValueError, match="unknown kind"):
        propagation.normalise(np.eye(2), "both")
    with pytest.raises(ValueError, match="negative degree"):
        propagation.normalise(-np.eye(2), "row")


# label propagation


def test_residual_form_by_hand():
    """S swaps two nodes, α = 1/2: (1, 0) → (1/2, 1/2) → (3/4, 1/4) → (5/8, 3/8) → … (2/3, 1/3)."""
    S = np.array([[0.0, 1.0], [1.0, 0.0]])
    Y0 = np.array([[1.0], [0.0]])
    expected = {0: [1, 0], 1: [1 / 2, 1 / 2], 2: [3 / 4, 1 / 4], 3: [5 / 8, 3 / 8]}
    for steps, y in expected.items():
        Y = propagation.label_propagation_residual(S, Y0, 0.5, steps)
        assert_allclose(Y[:, 0], y)
    assert_allclose(propagation.residual_limit(S, Y0, 0.5)[:, 0], [2 / 3, 1 / 3])


def test_residual_form_clips_at_every_step_and_not_only_the_last():
    """α = 1/2: y₀ ← ½·4·y₁ and y₁ ← ½·½·y₀ + ½, from (0, 1).

    Step 1: (2 → 1, 1/2). Step 2: (1, 1/4 + 1/2), where an unclipped 2 would have made y₁ = 1.
    """
    S = np.array([[0.0, 4.0], [0.5, 0.0]])
    Y0 = np.array([[0.0], [1.0]])
    for steps, y in {1: [1, 1 / 2], 2: [1, 3 / 4]}.items():
        Y = propagation.label_propagation_residual(S, Y0, 0.5, steps)
        assert_allclose(Y[:, 0], y)


def test_clipping_acts_below_zero_too():
    Y = propagation.label_propagation_residual(-np.eye(1), np.array([[1.0]]), 0.9, 1)
    assert_array_equal(Y, [[0.0]])  # −0.9 + 0.1


@pytest.mark.parametrize("alpha", [0.5, 0.8, 0.9, 0.99])
def test_residual_limit_is_where_many_steps_end(alpha):
    S = random_graph(0, 30, 60)
    # ‖S‖₂ ≤ 1, so a column of Y is never longer than that of Y₀, √30 · 0.1 < 1: no clipping
    Y0 = np.random.RandomState(1).uniform(0, 0.1, size=(30, 3))
    Y = propagation.label_propagation_residual(S, Y0, alpha, 4000)
    assert Y.min() > 0
    assert Y.max() < 1
    assert_allclose(Y, propagation.residual_limit(S, Y0, alpha), rtol=1e-10, atol=1e-14)


def test_reset_form_by_hand():
    """Path with loops, row-normalised, ends labelled 1 and 0: centre 0 → 1/3 → 4/9 → … → 1/2."""
    A = propagation.adjacency(PATH, 3, undirected=True, self_loops=True)
    S = propagation.normalise(A, "row")
    Y0 = np.array([[1.0, 0.0], [0.0, 0.0], [0.0, 1.0]])
    for steps, centre in {0: 0, 1: 1 / 3, 2: 4 / 9, 60: 1 / 2}.items():
        for labelled in ([0, 2], [True, False, True]):
            Y = propagation.label_propagation_reset(S, Y0, labelled, steps)
            assert_allclose(Y, [[1, 0], [centre, centre], [0, 1]], atol=1e-15)


def test_reset_label_propagation_is_feature_propagation_of_the_labels():
    S = random_graph(2, 20, 40)
    labelled = np.arange(20) % 3 == 0
    Y0 = np.where(labelled[:, None], np.eye(4)[np.arange(20) % 4], 0.0)
    X = np.where(labelled[:, None], Y0, NAN)
    assert_array_equal(
        propagation.label_propagation_reset(S, Y0, labelled, 7),
        propagation.feature_propagation(S, X, 7),
    )


# feature propagation


def test_feature_propagation_by_hand():
    """Path with loops, symmetric (degrees 2, 3, 2), 6 known at node 0.

    Step 1: x₁ = 6/√6 = √6, x₂ = 0. Step 2: x₁ = √6 + √6/3 = 4√6/3, x₂ = √6/√6 = 1.
    """
    A = propagation.adjacency(PATH, 3, undirected=True, self_loops=True)
    S = propagation.normalise(A, "symmetric")
    X = np.array([[6.0], [NAN], [NAN]])
    root = np.sqrt(6)
    expected = {0: [6, 0, 0], 1: [6, root, 0], 2: [6, 4 * root / 3, 1]}
    for steps, x in expected.items():
        assert_allclose(propagation.feature_propagation(S, X, steps)[:, 0], x)
    # the limit: x₂ = x₁/√6 + x₂/2 and x₁ = √6 + x₁/3 + x₂/√6 give x₂ = 2x₁/√6, x₁ = 3√6, x₂ = 6
    X_hat, reached = propagation.harmonic(S, X)
    assert_allclose(X_hat[:, 0], [6, 3 * root, 6])
    assert reached.all()


def test_feature_propagation_with_nothing_or_everything_missing():
    S = random_graph(3, 10, 20)
    X = np.random.RandomState(4).normal(size=(10, 2))
    assert_array_equal(propagation.feature_propagation(S, X, 5), X)
    nothing = np.full((10, 2), NAN)
    assert_array_equal(propagation.feature_propagation(S, nothing, 5), np.zeros((10, 2)))


# harmonic


def test_harmonic_interpolates_a_path():
    """Row-normalised, no loops: every unknown is the mean of its neighbours, a straight line."""
    A = propagation.adjacency([[0, 1, 2, 3], [1, 2, 3, 4]], 5, undirected=True)
    S = propagation.normalise(A, "row")
    X_hat, reached = propagation.harmonic(S, np.array([[0.0], [NAN], [NAN], [NAN], [8.0]]))
    assert_allclose(X_hat[:, 0], [0, 2, 4, 6, 8], atol=1e-14)
    assert reached.all()


def test_harmonic_leaves_unreached_components_at_zero_column_by_column():
    """Components {0, 1}, {2, 3} and the isolated 4, with loops."""
    A = propagation.adjacency([[0, 2], [1, 3]], 5, undirected=True, self_loops=True)
    S = propagation.normalise(A, "row")
    X = np.array(
        [[5.0, NAN, NAN], [NAN, NAN, NAN], [NAN, NAN, NAN], [NAN, 7.0, NAN], [NAN, 3, NAN]]
    )
    X_hat, reached = propagation.harmonic(S, X)
    assert_allclose(X_hat, [[5, 0, 0], [5, 0, 0], [0, 7, 0], [0, 7, 0], [0, 3, 0]])
    assert_array_equal(reached[:, 0], [True, True, False, False, False])
    assert_array_equal(reached[:, 1], [False, False, True, True, True])
    assert not reached[:, 2].any()


def test_harmonic_copes_with_an_isolated_node_without_a_loop():
    A = propagation.adjacency([[0], [1]], 3, undirected=True)
    S = propagation.normalise(A, "symmetric")
    X_hat, reached = propagation.harmonic(S, np.array([[2.0], [NAN], [NAN]]))
    assert_allclose(X_hat[:, 0], [2, 2, 0])
    assert_array_equal(reached[:, 0], [True, True, False])


def test_harmonic_is_where_many_steps_end():
    S = random_graph(5, 40, 45)  # sparse enough for several components
    r = np.random.RandomState(6)
    X = np.where(r.uniform(size=(40, 6)) < 0.9, NAN, r.normal(size=(40, 6)))
    X[:, 0] = NAN
    X_hat, reached = propagation.harmonic(S, X)
    assert not reached.all()
    assert reached[:, 1:].any()
    assert_allclose(propagation.feature_propagation(S, X, 20_000), X_hat, rtol=1e-9, atol=1e-12)
    assert_array_equal(X_hat[~reached], 0.0)


# neighbour mean


def test_neighbour_mean_by_hand():
    """Star with centre 0, leaves 1, 2, 3, and the isolated 4; weights and loops must not matter."""
    A = propagation.adjacency(
        [[0, 0, 0], [1, 2, 3]], 5, [1.0, 10.0, 100.0], undirected=True, self_loops=True
    )
    X = np.array([[NAN, 4.0], [1.0, NAN], [5.0, NAN], [NAN, 2.0], [NAN, NAN]])
    # (0, 0) sees 1 and 5; (3, 0) sees only the missing centre: its filled 3 does not count
    expected = [[3, 4], [1, 4], [5, 4], [0, 2], [0, 0]]
    assert_array_equal(propagation.neighbour_mean(A, X), expected)


def test_neighbour_mean_listens_along_the_edges():
    A = propagation.adjacency([[0], [1]], 2)
    assert_array_equal(propagation.neighbour_mean(A, np.array([[3.0], [NAN]])), [[3.0], [3.0]])
    assert_array_equal(propagation.neighbour_mean(A, np.array([[NAN], [3.0]])), [[0.0], [3.0]])


# pseudo-labels


def test_pseudo_labels_by_hand():
    Y_hat = np.array([[np.log(3.0), 0.0], [0.0, np.log(4.0)], [0.0, 0.0]])
    label, confidence = propagation.pseudo_labels(Y_hat, 1.0)
    assert_array_equal(label, [0, 1, 0])
    assert_allclose(confidence, [3 / 4, 4 / 5, 1 / 2])
    _, confidence = propagation.pseudo_labels(Y_hat, 0.5)  # odds squared
    assert_allclose(confidence, [9 / 10, 16 / 17, 1 / 2])


def test_pseudo_labels_do_not_overflow():
    _, confidence = propagation.pseudo_labels(np.array([[1e6, 0.0], [-1e6, -1e6]]), 0.01)
    assert_array_equal(confidence, [1.0, 0.5])


# nothing is written to


def test_inputs_are_left_alone():
    S = random_graph(7, 12, 20)
    X = np.where(np.arange(24).reshape(12, 2) % 3 == 0, 1.0, NAN)
    Y0 = np.eye(12)[:, :3].copy()
    kept = S.copy(), X.copy(), Y0.copy()
    propagation.normalise(S, "row")
    propagation.label_propagation_residual(S, Y0, 0.9, 2)
    propagation.label_propagation_residual(S, Y0, 0.9, 0)[:] = 9.0
    propagation.label_propagation_reset(S, Y0, [0, 1, 2], 2)
    propagation.label_propagation_reset(S, Y0, [0, 1, 2], 0)[:] = 9.0
    propagation.feature_propagation(S, X, 2)
    propagation.harmonic(S, X)
    propagation.neighbour_mean(S, X)
    propagation.pseudo_labels(Y0, 0.01)
    for now, before in zip((S, X, Y0), kept, strict=True):
        assert_array_equal(now, before)


# protocol


def test_paper_split_is_the_protocols_sentence_by_sentence():
    y = np.random.RandomState(8).randint(3, size=400)
    splits = [protocol.paper_split(y, seed, 150, 20) for seed in range(3)]
    development = np.random.RandomState(1684992425).choice(400, 150, replace=False)
    for train, val, test in splits:
        assert_array_equal(np.sort(np.concatenate([train, val, test])), np.arange(400))
        assert_array_equal(y[train], np.repeat([0, 1, 2], 20))
        assert set(train) | set(val) == set(development)
        assert_array_equal(val, development[np.isin(development, val)])
        assert_array_equal(test, splits[0][2])
    assert set(splits[0][0]) != set(splits[1][0])
    again = protocol.paper_split(y, 0, 150, 20)
    for one, other in zip(splits[0], again, strict=True):
        assert_array_equal(one, other)


def test_paper_split_draws_all_classes_from_one_generator_in_the_drawn_order():
    y = np.array([0, 1] * 50)
    train, _, _ = protocol.paper_split(y, 3, 60, 5)
    development = np.random.RandomState(1684992425).choice(100, 60, replace=False)
    r = np.random.RandomState(3)
    first = r.choice(development[development % 2 == 0], 5, replace=False)
    second = r.choice(development[development % 2 == 1], 5, replace=False)
    assert_array_equal(train, [*first, *second])


def test_paper_split_refuses_what_the_protocol_does_not_cover():
    with pytest.raises(ValueError, match="larger sample"):
        protocol.paper_split(np.zeros(100, dtype=int), 0, 10, 20)
    with pytest.raises(ValueError, match="unlabelled"):
        protocol.paper_split(np.array([0, -1, 1]), 0, 2, 1)


def test_population_std_by_hand():
    assert protocol.population_std([2, 4, 4, 4, 5, 5, 7, 9]) == 2.0
    assert protocol.population_std([7.5]) == 0.0
