"""One page that says what a model found and how far it can be trusted."""

from goodie.report.account import Account
from goodie.report.gather import account
from goodie.report.page import render, write
from goodie.report.stored import load, save

__all__ = ["Account", "account", "load", "render", "save", "write"]
