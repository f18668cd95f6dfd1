# make play    set everything up and open a game
# make test    set everything up and pass all tests
# make check   format, lint and types
# make bench   speed against peers, measured in the same run
# make verify  the long proofs

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
export TERRARIUM_NATIVE ?= 1
KERNELS := $(shell find src -name '*.pyx' -o -name '*.pxd')

.PHONY: setup kernel play test check bench verify

setup: $(VENV)/.installed kernel

$(BIN)/python:
	$(PYTHON) -c 'import sys; assert sys.version_info >= (3, 11), "Terrarium needs Python 3.11 or newer"'
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: pyproject.toml setup.py | $(BIN)/python
	$(BIN)/python -m pip install --quiet --upgrade pip "setuptools>=77" "Cython>=3.1"
	$(BIN)/python -m pip install --quiet --no-build-isolation --editable ".[dev]"
	touch $@ $(VENV)/.kernel

kernel: $(VENV)/.kernel

$(VENV)/.kernel: $(KERNELS) setup.py | $(BIN)/python
	$(BIN)/python setup.py --quiet build_ext --inplace
	touch $@

play: setup
	$(BIN)/terrarium play nova

test: setup
	$(BIN)/python -m pytest -q

check: setup
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

bench: setup
	$(BIN)/python -m bench

verify: setup
	$(BIN)/python -m pytest -q tests/verify
