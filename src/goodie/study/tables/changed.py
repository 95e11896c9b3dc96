"""Settings that are not the usual ones, in words."""

from collections.abc import Mapping
from typing import Any


def changed(settings: Mapping[str, Any], usual: Mapping[str, Any]) -> str:
    """The settings that are not the usual ones.

    Example:
        >>> changed({"alpha": 0.5, "steps": 50}, {"alpha": 0.9, "steps": 50})
        '`alpha = 0.5`'
    """
    unusual = ((name, value) for name, value in settings.items() if value != usual[name])
    return ", ".join(f"`{name} = {value}`" for name, value in unusual)
