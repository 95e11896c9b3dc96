"""Every method by name. A new one is a file beside this and a line below."""

from typing import Any

from goodie.errors import InputError
from goodie.methods.base import Method
from goodie.methods.fp import FeaturePropagationGCN
from goodie.methods.gcn import GCN
from goodie.methods.goodie import Goodie
from goodie.methods.lp import LabelPropagation
from goodie.methods.mlp import MLP

METHODS: dict[str, type[Method[Any]]] = {
    method.name: method
    for method in (
        LabelPropagation,
        MLP,
        GCN,
        FeaturePropagationGCN,
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
