"""GCNMF: a graph convolutional network over a mixture of Gaussians in the holes."""

import warnings
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
import torch
from jaxtyping import Bool, Float
from sklearn.exceptions import ConvergenceWarning
from sklearn.mixture import GaussianMixture
from torch import Tensor
from torch.nn import functional as F
from torch_geometric.data import Data

from goodie.data.observed import observed, to_sparse
from goodie.data.validate import validate
from goodie.graph import Operator, operator
from goodie.methods import neural
from goodie.methods.base import Learnt, check_width
from goodie.methods.neural import NeuralMethod, to_train_on
from goodie.nn.gcnmf import Evidence, GCNMFNetwork, Inputs, Mixture, split_holes
from goodie.nn.product import Propagated, constant, propagated
from goodie.sparse import csr_to_scipy, csr_to_torch, is_sparse

# Entries that the first mixture is fitted to: of more, a sample of the nodes is taken.
FITTED_ENTRIES = 1 << 24

# The smallest variance of the first mixture: a share of the columns' mean one, or an absolute one.
SHARE, SMALLEST = 1e-2, 1e-6


@dataclass(frozen=True)
class Settings(neural.Settings):
    """Settings of GCNMF.

    Attributes:
        components: K, of the mixture.
    """

    components: int = 5


class Table(NamedTuple):
    """Features with holes.

    Attributes:
        x: CSR, zero in the holes.
        known: what is observed.
    """

    x: sp.csr_array
    known: Bool[np.ndarray, "nodes features"]


class GCNMF(NeuralMethod[Settings]):
    """Two graph convolutions, the first its expectation over what the holes may hold."""

    name = "gcnmf"
    family = "gnn"
    paper = (
        "Taguchi et al., Graph Convolutional Networks for Graphs Containing Missing Features, 2021"
    )
    uses = ("features", "structure", "labels")
    Settings = Settings
    model_: GCNMFNetwork

    def fit(self, data: Data, *, seed: int = 0, device: torch.device | str = "cpu") -> "GCNMF":
        """Train on `train_mask`, select on `val_mask`."""
        data = to_train_on(data)
        self.device_ = device
        self.num_classes_ = int(data.y[data.train_mask].max()) + 1
        table = read_table(data)
        mixture = fit_mixture(table, self.settings.components, seed=seed)
        self.model_ = model = self._network(mixture, torch.Generator().manual_seed(seed))
        inputs = prepare(table, operator(data, device=device))
        taught, selecting = (
            inputs.rows(mask.nonzero()[:, 0].to(device))
            for mask in (data.train_mask, data.val_mask)
        )
        y = data.y[data.train_mask].to(device)
        self.train(
            data,
            loss=lambda: F.cross_entropy(model(taught), y),
            judged=lambda: model(selecting),
        )
        with torch.no_grad():
            self.proba_ = model(inputs).softmax(dim=1).cpu()
        return self

    def predict_proba(self, data: Data) -> Float[Tensor, "nodes classes"]:
        """Softmax of the network on this graph."""
        data = validate(data)
        check_width(data, self.model_.means.shape[1])
        inputs = prepare(read_table(data), operator(data, device=self.device_))
        with torch.no_grad():
            logits: Tensor = self.model_(inputs)
        return logits.softmax(dim=1).cpu()

    def learnt(self) -> Learnt:
        """The weights and the mixture, and the widths to build a network for them."""
        facts = {"num_features": self.model_.means.shape[1], "num_classes": self.num_classes_}
        return Learnt(facts, self.model_.state_dict())

    def restore(self, learnt: Learnt, *, device: torch.device | str = "cpu") -> None:
        """See `Method.restore`."""
        self.device_ = device
        self.num_classes_ = int(learnt.facts["num_classes"])
        blank = torch.ones(self.settings.components, int(learnt.facts["num_features"]))
        mixture = Mixture(torch.ones(len(blank)), blank, blank)
        self.model_ = self._network(mixture, torch.Generator())
        self.model_.load_state_dict(learnt.tensors)
        self.model_.eval()

    def _network(self, mixture: Mixture, generator: torch.Generator) -> GCNMFNetwork:
        return GCNMFNetwork(
            mixture,
            self.settings.hidden,
            self.num_classes_,
            dropout=self.settings.dropout,
            generator=generator,
            device=self.device_,
        )


def read_table(data: Data) -> Table:
    """The observed features of a graph, on the CPU."""
    known = observed(data).cpu().numpy()
    entries = csr_to_scipy(to_sparse(data).x).tocoo()
    shown = known[entries.row, entries.col]
    kept = (entries.data[shown], (entries.row[shown], entries.col[shown]))
    return Table(sp.coo_array(kept, shape=entries.shape).tocsr(), known)


def prepare(table: Table, S: Operator) -> Inputs:
    """All of the first layer that training does not change."""
    squared = replace(S, matrix=_squared(S.matrix))
    h, E = split_holes(torch.from_numpy(table.known))
    h, E = h.to(S.device, S.dtype), E.to(S.device, S.dtype)
    x = csr_to_torch(table.x, dtype=S.dtype).to(S.device)
    wide = x.double()
    return Inputs(
        features=propagated(S, x),
        holes=_spread(S, E),
        holes_squared=_spread(squared, E),
        by_row=torch.cat(
            [S @ torch.stack([torch.ones_like(h), h], dim=1), squared @ h[:, None]], dim=1
        ),
        evidence=Evidence(
            x=constant(wide),
            squares=constant(_squared(wide)),
            corrections=constant(E.double()),
            shown=1.0 - h.double(),
        ),
        S=constant(S.matrix),
    )


def fit_mixture(table: Table, components: int, *, seed: int) -> Mixture:
    """A Gaussian mixture fitted to the features with their columns' means in the holes.

    Columns of one value throughout, as those with at most one observed entry are, tell no component
    from another, so that leaving them out of the fit changes nothing: there all components get that
    value, 0 where nothing is observed, and the smallest variance. Where the others hold too many
    entries, the fit is to a sample of the nodes. It starts from k-means++ and is no more than a
    start itself, so that it need not converge.

    Args:
        table: features with holes.
        components: K.
        seed: of the sample and of the fit.
    """
    x, known = table.x.astype(np.float64), table.known
    rng = np.random.default_rng(seed)
    mean, variance = _moments(x, known)
    varying = np.flatnonzero(variance > 1e-12 * mean**2)
    smallest = max(SMALLEST, SHARE * variance[varying].mean()) if len(varying) else SMALLEST
    weights = np.full(components, 1.0 / components)
    means = np.tile(mean, (components, 1))
    variances = np.full_like(means, smallest)
    if len(varying):
        taken = min(len(known), max(components, FITTED_ENTRIES // len(varying)))
        rows = np.sort(rng.choice(len(known), taken, replace=False))
        rows = np.resize(rows, max(components, taken))  # a mixture asks for that many
        shown = known[np.ix_(rows, varying)]
        filled = np.where(shown, x[rows][:, varying].toarray(), mean[varying])
        mixture = GaussianMixture(
            components,
            covariance_type="diag",
            reg_covar=smallest,
            init_params="k-means++",  # whose bits, unlike k-means', no number of threads changes
            random_state=int(rng.integers(2**31)),
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            mixture.fit(filled)
        weights = mixture.weights_
        means[:, varying], variances[:, varying] = mixture.means_, mixture.covariances_
    return Mixture(*(torch.from_numpy(part).float() for part in (weights, means, variances)))


def _moments(
    x: sp.csr_array, known: Bool[np.ndarray, "nodes features"]
) -> tuple[Float[np.ndarray, " features"], Float[np.ndarray, " features"]]:
    """Means of what is observed, 0 where nothing is; variances once the holes hold them."""
    entries, width = x.tocoo(), x.shape[1]
    count, stored = known.sum(axis=0), np.bincount(entries.col, minlength=width)
    total = np.bincount(entries.col, weights=entries.data, minlength=width)
    mean = total / np.maximum(count, 1)
    away = np.bincount(entries.col, (entries.data - mean[entries.col]) ** 2, minlength=width)
    return mean, (away + (count - stored) * mean**2) / len(known)


def _spread(S: Operator, E: Float[Tensor, "nodes features"]) -> Propagated:
    """`S E`, for which an E without entries need not be multiplied by S each time."""
    if is_sparse(E) and E.values().numel() == 0:
        return Propagated(constant(E), None)
    return propagated(S, E)


def _squared(matrix: Float[Tensor, "rows columns"]) -> Float[Tensor, "rows columns"]:
    """M ∘ M for a CSR matrix."""
    crow, column, values = matrix.crow_indices(), matrix.col_indices(), matrix.values()
    return torch.sparse_csr_tensor(
        crow, column, values.square(), matrix.shape, check_invariants=False
    )
