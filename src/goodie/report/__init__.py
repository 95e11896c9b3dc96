"""One page that says what a model found and how far it can be trusted."""

from goodie.report.account import Account
from goodie.report.gather import account, judge
from goodie.report.page import render, write
from goodie.report.stored import dumps, load, save

__all__ = ["Account", "account", "dumps", "judge", "load", "render", "save", "write"]
