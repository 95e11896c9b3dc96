"""`python -m goodie.study.tables PAGE…` makes the tables in Markdown pages anew."""

import sys

from goodie.study.tables.pages import main

main(sys.argv[1:])
