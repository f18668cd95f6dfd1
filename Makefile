# make play    set everything up and open a game
# make test    set everything up and run the tests, except the slowest
# make coverage  the code that the tests cover, in Python and in the page
# make check   format, lint, types and wording
# make bench   speed compared with other libraries, measured in the same run
# make slow    the slower tests, which make test leaves out
# make long    all slow tests, and in full the tests of which make test runs a sample
# make verify  make long and tests/verify
# make openapi  docs/openapi.json and the page's types, after a change of the HTTP interface
# make docs    the documentation site, into build/docs
# make site    the page without a server, into build/page
# make screenshots  pictures of every screen, into build/screenshots

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
export TERRARIUM_NATIVE ?= 1
# without byte code on disk, every test process would compile every module again
unexport PYTHONDONTWRITEBYTECODE
PAGE := src/terrarium/server/static/index.html
PAGE_SOURCES := $(shell find web/src web/public -type f) $(wildcard web/*.json web/*.js web/*.ts web/*.html)
# two processes for each processor, because many tests wait
PARALLEL = --numprocesses=$(shell expr $$(getconf _NPROCESSORS_ONLN) \* 2) --dist=worksteal
LONG = -m 'long or only_long or slow' tests
KERNELS := $(shell find src -name '*.pyx' -o -name '*.pxd' -o -name '*.pxi')

# lists the packages of all extras: installing the extras themselves would build the kernels again
EXTRAS := "import tomllib; extras = tomllib.load(open('pyproject.toml', 'rb'))['project']['optional-dependencies']; \
	print(*(name for extra, group in extras.items() if extra != 'rl' for name in group if 'terrarium-games' not in name), sep='\n')"

WASM := "from pathlib import Path; from terrarium.site.kernels import compiled; \
	cache = Path('build/site'); cache.mkdir(parents=True, exist_ok=True); compiled(cache)"

.PHONY: setup tools kernel page wasm browser play test slow coverage check bench long verify screenshots site docs openapi

setup: $(VENV)/.installed kernel page

$(BIN)/python:
	$(PYTHON) -c 'import sys; assert sys.version_info >= (3, 11), "Terrarium needs Python 3.11 or newer"'
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: pyproject.toml setup.py | $(BIN)/python
	$(BIN)/python -m pip install --quiet --upgrade pip "setuptools>=77" "Cython>=3.1"
	$(BIN)/python -m pip install --quiet --no-build-isolation --editable ".[server]"
	touch $@ $(VENV)/.kernel

# the packages for tests, checks and benchmarks
tools: setup $(VENV)/.tools

$(VENV)/.tools: pyproject.toml | $(VENV)/.installed
	$(BIN)/python -c $(EXTRAS) > $(VENV)/extras.txt
	$(BIN)/python -m pip install --quiet --requirement $(VENV)/extras.txt
	touch $@

kernel: $(VENV)/.kernel

$(VENV)/.kernel: $(KERNELS) setup.py | $(BIN)/python
	$(BIN)/python setup.py --quiet build_ext --inplace
	touch $@

page: $(PAGE)

$(PAGE): $(PAGE_SOURCES) | $(VENV)/.installed
	$(BIN)/python web/page.py build

play: setup
	$(BIN)/terrarium serve

browser: setup
	@$(BIN)/python tests/browser.py

# the kernels for the page without a server; if they can't be built, their tests are skipped
wasm: tools
	-@$(BIN)/python -c $(WASM)

test: tools browser wasm
	$(BIN)/python web/page.py test
	$(BIN)/python -m pytest -q $(PARALLEL)

slow: tools browser wasm
	$(BIN)/python -m pytest -q $(PARALLEL) -m 'slow and not only_long' tests

coverage: tools browser wasm
	$(BIN)/python web/page.py coverage
	$(BIN)/python -m pytest -q $(PARALLEL) -m 'not only_long' --cov --cov-report=term:skip-covered

check: tools
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/python web/page.py check
	$(BIN)/python -m tests.plain

bench: tools
	$(BIN)/python -m bench

# all slow tests, and in full the tests of which `make test` runs a sample
long: tools browser wasm
	@$(BIN)/python tests/browser.py firefox-esr
	TERRARIUM_LONG=1 $(BIN)/python -m pytest -q $(PARALLEL) $(LONG)

verify: long
	$(BIN)/python -m pytest -q tests/verify

screenshots: tools browser
	$(BIN)/python -m tests.web.screenshots

site: tools
	$(BIN)/terrarium site build/page

docs: tools
	$(BIN)/python -m sphinx --quiet --fail-on-warning --keep-going -b html docs build/docs
	@echo "build/docs/index.html"

# the description of the HTTP interface, and the page's types generated from it
openapi: tools
	$(BIN)/python -m terrarium.server.operation.openapi > docs/openapi.json.new
	mv docs/openapi.json.new docs/openapi.json
	$(BIN)/python web/page.py types
