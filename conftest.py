"""Checks every shape annotation of the package while it is tested."""

from jaxtyping import install_import_hook

install_import_hook("goodie", "beartype.beartype")
