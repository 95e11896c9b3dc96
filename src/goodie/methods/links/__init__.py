"""Every link predictor by name."""

from typing import Any

from goodie.errors import InputError
from goodie.methods.fp import FeaturePropagationGCN
from goodie.methods.gcn import GCN
from goodie.methods.gcn_nm import NeighbourMeanGCN
from goodie.methods.links.autoencoder import auto_encoder
from goodie.methods.links.base import LinkMethod
from goodie.methods.links.goodie import GoodieLinks
from goodie.methods.pcfi import PCFI

_KINDS: tuple[type[LinkMethod[Any]], ...] = (
    *(auto_encoder(kind) for kind in (GCN, NeighbourMeanGCN, FeaturePropagationGCN, PCFI)),
    GoodieLinks,
)
LINK_METHODS = {kind.name: kind for kind in _KINDS}


def get(name: str) -> type[LinkMethod[Any]]:
    """The link predictor of that name.

    Example:
        >>> get("fp")().settings.width
        16
    """
    if name not in LINK_METHODS:
        raise InputError(f"{name!r} does not predict links; there are {', '.join(LINK_METHODS)}")
    return LINK_METHODS[name]
