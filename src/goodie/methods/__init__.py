"""Every method by name. A new one is a file beside this and a line below."""

from typing import Any

from goodie.errors import InputError
from goodie.methods.base import Method
from goodie.methods.cs import CorrectAndSmooth
from goodie.methods.deepwalk import DeepWalk
from goodie.methods.fp import FeaturePropagationGCN
from goodie.methods.gcn import GCN
from goodie.methods.gcn_lpa import GCNLPA
from goodie.methods.gcn_nm import NeighbourMeanGCN
from goodie.methods.gcnmf import GCNMF
from goodie.methods.goodie import Goodie
from goodie.methods.lp import LabelPropagation
from goodie.methods.mlp import MLP
from goodie.methods.node2vec import Node2Vec
from goodie.methods.node2vec_feats import Node2VecFeats
from goodie.methods.node2vec_gnn import Node2VecGNN
from goodie.methods.pagnn import PaGNN
from goodie.methods.pcfi import PCFI

METHODS: dict[str, type[Method[Any]]] = {
    method.name: method
    for method in (
        LabelPropagation,
        MLP,
        DeepWalk,
        Node2Vec,
        Node2VecFeats,
        GCN,
        NeighbourMeanGCN,
        GCNMF,
        PaGNN,
        FeaturePropagationGCN,
        PCFI,
        Node2VecGNN,
        GCNLPA,
        CorrectAndSmooth,
        Goodie,
    )
}


def get(name: str) -> type[Method[Any]]:
    """The method of that name.

    Example:
        >>> get("lp")().settings
        Settings(alpha=0.9, steps=50, form='residual')
    """
    if name not in METHODS:
        raise InputError(f"unknown method {name!r}; there are {', '.join(METHODS)}")
    return METHODS[name]
