"""Tables inside pages of the docs, made from rows (`make tables`)."""

from goodie.study.tables.pages import rendered

__all__ = ["rendered"]
