# What people type. Every target sets up what it needs.

.DEFAULT_GOAL := help
SHELL := bash
.SHELLFLAGS := -euo pipefail -c

# The lock file says which versions are built.
CARGO := cargo
LOCKED := --locked

# Where this is set, each of the many processes that tests start compiles anew what it imports.
unexport PYTHONDONTWRITEBYTECODE

# What the tests of the Python package need goes here and nowhere else.
PYTHON ?= $(if $(filter Windows_NT,$(OS)),python,python3)
VENV := target/python-venv

# Functions of their input: no clock, no thread, no socket, no hash order.
PURE := fairwire-core fairwire-alloc fairwire-analysis fairwire-laws fairwire-plan fairwire-sim fairwire-scenario
PURE_PACKAGES := $(addprefix -p ,$(PURE))
WASM := wasm32-unknown-unknown

# Seconds of fuzzing, shared by all targets.
FUZZ_SECONDS ?= 60

.PHONY: help
help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: build
build: ## Build the fairwire command
	$(CARGO) build --release $(LOCKED) -p fairwire-cli

.PHONY: run
run: build ## Build, then compare dvsr with no control at all, and write a report
	$(CARGO) run --release $(LOCKED) --quiet -p fairwire-cli -- compare scenarios/papers/parallel-parking-lot.toml --law dvsr --law fifo

# All targets of tests build the same.
TESTS := --release $(LOCKED) --workspace --exclude fairwire-py

# Tests are compiled without optimisation: sooner, and slower to run. Where RUSTC_WRAPPER is set already, and on Windows, they are
# compiled as all else, which takes longer.
ifeq ($(OS)$(RUSTC_WRAPPER),)
test test-rust claims: export RUSTC_WRAPPER := $(CURDIR)/.cargo/test-compiler
endif

# Tests in Rust leave a processor idle at times: the Python package is built, installed and tested beside them, in time that
# is left over where the system can tell, so that tests of real packets are not disturbed.
LEFT_OVER = $(shell chrt --idle 0 true 2>/dev/null && echo chrt --idle 0 || echo nice -n 19)

.PHONY: test
test: ## Run every test but those of `make claims`
	$(CARGO) test $(TESTS) --no-run
	@$(MAKE) --no-print-directory --keep-going --jobs=2 test-rust test-python-beside && failed=0 || failed=1; \
	$(MAKE) --no-print-directory --keep-going --jobs=2 --output-sync=target test-python-clocks test-pages || failed=1; exit $$failed

# Cargo is no part of the jobs that `make` counts, and no test has to build a command of another package.
.PHONY: test-rust
test-rust:
	@MAKEFLAGS= FAIRWIRE_IS_BUILT=1 $(CARGO) test $(TESTS) --no-fail-fast

# What joins the package to Python is compiled as tests are, without optimisation; what it calls stays as shipped. Laws in Python are
# slower then, by half.
UNOPTIMISED := --config profile.release.package.fairwire-py.opt-level=0

# Its output follows in one piece. Jobs of `make` that have nothing else to do run targets side by side: what needs the package is asked
# for once that is there.
BESIDE := target/test-python-beside.txt
.PHONY: test-python-beside
test-python-beside:
	@mkdir -p target; failed=0; { $(LEFT_OVER) env MATURIN_PEP517_ARGS='$(UNOPTIMISED)' $(MAKE) --no-print-directory install-python && { \
		$(LEFT_OVER) $(MAKE) --no-print-directory test-python-patient || failed=1; \
		$(MAKE) --no-print-directory test-python-documents || failed=1; } || failed=1; } >$(BESIDE) 2>&1; \
	cat $(BESIDE); exit $$failed

# PICTURES=FOLDER also keeps pictures of all pages, at three widths, in light and dark.
.PHONY: test-pages
test-pages: ## Have axe look at a page of every kind in a headless browser (PICTURES=), where there is one
	$(CARGO) build $(TESTS) --bins
	@lints/pages/run $(PICTURES)

# FAIRWIRE_BLESS=1 writes the page anew.
.PHONY: claims
claims: ## Measure every claim of the papers anew, and compare with docs/reproduction.md
	$(CARGO) test $(TESTS) --test docs -- --ignored --exact every_claim_has_its_verdict_measured_anew

# PYTHON=python3.12 takes another one; FAIRWIRE_INSTANCES=10000 more random instances.
.PHONY: test-python
test-python: lint-python ## Install the Python package beside the build, then check and test it
	$(VENV)/bin/pytest

# uv takes a third of pip's time. Where uv cannot install, pip does.
QUIETLY := install --quiet --no-compile --disable-pip-version-check
.PHONY: install-python
install-python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo 'Python 3.11 or newer is needed: install it, or name it with PYTHON=...' >&2; exit 3; }
	@test -x $(VENV)/bin/python || $(PYTHON) -m venv $(VENV)
	@test -x $(VENV)/bin/uv || $(VENV)/bin/pip $(QUIETLY) uv
	$(VENV)/bin/uv pip install --quiet --no-cache --python $(VENV)/bin/python --reinstall-package fairwire '.[test]' \
		|| $(VENV)/bin/pip $(QUIETLY) '.[test]'

# How soon Ctrl-C is heard is told in seconds: `make test` leaves this to the end. Notebooks wait for other processes, but not for ever.
CLOCKS := python/tests/test_interruptions.py
DOCUMENTS := python/tests/test_documents.py
.PHONY: test-python-patient test-python-clocks test-python-documents
test-python-patient:
	$(VENV)/bin/pytest --numprocesses=2 --ignore=$(CLOCKS) --ignore=$(DOCUMENTS)
test-python-documents:
	nice -n 10 $(VENV)/bin/pytest $(DOCUMENTS)
test-python-clocks:
	$(VENV)/bin/pytest --numprocesses=2 $(CLOCKS)

.PHONY: notebooks
notebooks: test-python ## Run the notebooks of docs/notebooks anew and keep what they show
	$(VENV)/bin/jupyter-execute --inplace --NotebookClient.record_timing=False docs/notebooks/*.ipynb

.PHONY: lint
lint: lint-format lint-features lint-workspace lint-pure lint-wasm lint-others lint-python ## Check format, clippy, ruff, mypy, that pure crates are pure and nothing is built twice

.PHONY: lint-format
lint-format:
	$(CARGO) fmt --all --check

.PHONY: lint-features
lint-features:
	@lints/features/run

.PHONY: lint-workspace
lint-workspace:
	$(CARGO) clippy --release $(LOCKED) --workspace --all-targets -- -D warnings

.PHONY: lint-pure
lint-pure:
	CLIPPY_CONF_DIR=lints/pure $(CARGO) clippy --release $(LOCKED) $(PURE_PACKAGES) --lib -- -D warnings

.PHONY: lint-wasm
lint-wasm:
	@rustup target list --installed | grep -qx $(WASM) || rustup target add $(WASM)
	$(CARGO) check --release $(LOCKED) $(PURE_PACKAGES) -p fairwire-web --lib --target $(WASM)

.PHONY: lint-python
lint-python: install-python
	$(VENV)/bin/ruff format --check python benches/python examples
	$(VENV)/bin/ruff check python benches/python examples
	$(VENV)/bin/mypy

# One file that opens from a disk, without a server.
PAGE := target/web/fairwire.html
MODULE := target/$(WASM)/web/fairwire_web.wasm
STACK_BYTES := 8388608

.PHONY: web
web: ## Build fairwire for browsers: one page that needs no server
	@rustup target list --installed | grep -qx $(WASM) || rustup target add $(WASM)
	$(CARGO) rustc --profile web $(LOCKED) -p fairwire-web --lib --crate-type cdylib --target $(WASM) -- -C link-arg=-zstack-size=$(STACK_BYTES)
	node web/build.mjs $(MODULE) $(PAGE)

.PHONY: test-web
test-web: web ## Ask the module what the library is asked, and use the page in a headless browser, where there is one
	$(CARGO) build --release $(LOCKED) -p fairwire-web --example answer
	node web/test.mjs $(MODULE) target/release/examples/answer $(PAGE)

.PHONY: bench
bench: build ## Measure speed and memory, next to ns-2 where it is installed
	$(CARGO) run --release $(LOCKED) --quiet -p fairwire-bench

# `make test` leaves a package in Python that is not as shipped.
.PHONY: solvers
solvers: ## Time the solvers next to SimGrid, HiGHS and Clarabel where these are installed
	@test ! -x $(VENV)/bin/python || $(MAKE) --no-print-directory install-python
	$(CARGO) run --release $(LOCKED) --quiet -p fairwire-bench -- solvers

# ns-2 is a package of Debian and Ubuntu; elsewhere it has to be there already.
.PHONY: validate
validate: ## Run the same networks here and in ns-2, and compare (installs Debian's ns2)
	@command -v ns >/dev/null || $(if $(filter 0,$(shell id -u)),,sudo) apt-get install --yes --no-install-recommends ns2
	$(CARGO) run --release $(LOCKED) --quiet -p fairwire-bench -- validate

# Papers are cited as [dvsr], which is no link.
.PHONY: docs
docs: ## Build the reference of all crates; warnings are errors
	RUSTDOCFLAGS="-D warnings -A rustdoc::broken-intra-doc-links" $(CARGO) doc $(LOCKED) --workspace --no-deps

.PHONY: fuzz
fuzz: ## Fuzz the parsers for a minute (needs a nightly compiler and cargo-fuzz)
	@.ci/fuzz $(FUZZ_SECONDS)

# A mutant is a build and a test run. FILES='crates/fairwire-laws/src/queue/vrr.rs' takes one law, SHARD=0/20 every
# twentieth mutant.
FILES ?= crates/fairwire-laws/src/{protection,queue,rate,ring,transport}/**
SHARD ?= 0/50
.PHONY: mutants
mutants: ## Break the laws here and there, and list what no test notices (FILES=, SHARD=; installs cargo-mutants)
	@$(CARGO) mutants --version >/dev/null 2>&1 || $(CARGO) install cargo-mutants --locked
	nice $(CARGO) mutants --package fairwire-laws --jobs 1 --sharding round-robin --output target --file '$(FILES)' --shard $(SHARD) --profile release -- $(LOCKED)

include packaging/release.mk

.PHONY: format
format: ## Format the code
	$(CARGO) fmt --all

.PHONY: clean
clean: ## Remove what was built (results in runs/ stay)
	$(CARGO) clean
