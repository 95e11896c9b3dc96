# `make demo` and `make test` each do everything on a machine that has Python, pip and make.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
READY  := $(VENV)/.ready

# The datasets' raw files, where someone has laid them beside the checkout; never required.
export GOODIE_MIRROR ?= $(abspath $(wildcard ../shared/data))

.PHONY: demo test quick check format bench tables walk clean

demo: $(READY)
	$(BIN)/goodie demo

test: $(READY)
	$(BIN)/python -m pytest --durations=10

quick: $(READY)
	$(BIN)/python -m pytest -q -m "not slow"

check: $(READY)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

format: $(READY)
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

# All of them; or some, with options: make bench BENCH="large --memory-budget 256M"
bench: $(READY)
	$(BIN)/python -m benchmarks $(BENCH)

# The tables and figures in the docs, from the rows under experiments/.
tables: $(READY)
	$(BIN)/python -m goodie.study.tables docs/*.md docs/decisions/*.md
	$(BIN)/goodie paper page

# What the commands of docs/your-own-graph.md print, and what bad inputs get.
walk: $(READY)
	$(BIN)/python tests/own_graph_page.py

clean:
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis

$(READY): pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	PIP_CONSTRAINT=$(CURDIR)/constraints.txt $(BIN)/python -m pip install --quiet --disable-pip-version-check -e ".[dev]"
	touch $@
