# Everything a fresh machine needs is made here: Python 3.11 or newer, make and a compiler are enough.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.stamp
UV := $(shell command -v uv 2>/dev/null)
export OMP_NUM_THREADS ?= 1

.PHONY: help demo test lint types imports unit test-slow test-browser test-engines test-oldest test-alone test-wheel oracles bench docs clean

help:
	@echo "make demo         audit and protect the demo table, check the certificates, show where the pages are"
	@echo "make test         the core suite: lint, types, import directions, tests, documentation"
	@echo "make test-slow    studies with many replicates"
	@echo "make test-browser every page in Debian's Chromium: looks, accessibility, print (installs it, as root)"
	@echo "make test-engines PostgreSQL and Spark as they are (installs them, as root)"
	@echo "make test-oldest  the core suite on the oldest allowed dependencies"
	@echo "make test-alone   the checker with nothing but the standard library"
	@echo "make test-wheel   the built wheel in an empty environment"
	@echo "make oracles      comparisons with peer libraries, each in its own environment"
	@echo "make bench        timings, each a ratio to a peer or a limit in the same run"
	@echo "make docs         write the generated pages of docs/"

$(STAMP): pyproject.toml
	@echo "== making $(VENV) (once; about 400 MB)"
ifneq ($(UV),)
	uv venv --quiet --allow-existing --python $(PYTHON) $(VENV)
	uv pip install --quiet --python $(BIN)/python -e . --group test --group lint
else
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade "pip>=25.1"
	$(BIN)/python -m pip install --quiet -e . --group test --group lint
endif
	@touch $@

demo: $(STAMP)
	@$(BIN)/liftgate demo --out demo-output --force

test: lint types imports unit

lint: $(STAMP)
	@echo "== ruff"
	@$(BIN)/ruff check src tests benchmarks scripts
	@$(BIN)/ruff format --check --quiet src tests benchmarks scripts

types: $(STAMP)
	@echo "== mypy --strict"
	@$(BIN)/mypy --no-error-summary

imports: $(STAMP)
	@echo "== import directions"
	@$(BIN)/lint-imports --no-cache

unit: $(STAMP)
	@echo "== tests"
	@$(BIN)/python -m pytest -n 2 --dist loadfile

test-slow: $(STAMP)
	$(BIN)/python -m pytest -n 2 --dist loadfile -m slow

test-browser: $(STAMP)
	@echo "== pages in Debian's Chromium"
ifneq ($(UV),)
	@uv pip install --quiet --python $(BIN)/python --group browser
else
	@$(BIN)/python -m pip install --quiet --group browser
endif
	@sh scripts/test_browser.sh $(BIN)/python

test-engines: $(STAMP)
	@echo "== PostgreSQL and Spark"
ifneq ($(UV),)
	@uv pip install --quiet --python $(BIN)/python -e ".[spark,postgres]"
else
	@$(BIN)/python -m pip install --quiet -e ".[spark,postgres]"
endif
	@sh scripts/test_engines.sh $(BIN)/python

test-oldest:
	@echo "== the core suite on the oldest allowed dependencies"
	$(PYTHON) -m venv .venv-oldest
	.venv-oldest/bin/python -m pip install --quiet --upgrade uv
	.venv-oldest/bin/uv pip install --quiet --python .venv-oldest/bin/python --resolution lowest-direct -e . --group test
	.venv-oldest/bin/python -m pytest -n 2 --dist loadfile

test-alone: $(STAMP)
	@echo "== the checker alone, with nothing but the standard library"
	@sh scripts/test_alone.sh $(BIN)/python $(PYTHON)

test-wheel:
	@echo "== the wheel in an empty environment"
	@sh scripts/test_wheel.sh $(PYTHON)

oracles: $(STAMP)
	@sh scripts/oracles.sh $(PYTHON)

bench: $(STAMP)
	$(BIN)/python -m benchmarks

docs: $(STAMP)
	$(BIN)/python scripts/write_docs.py

clean:
	rm -rf .venv .venv-* demo-output build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis
