# Worldwright Studio. `make demo` and `make test` set up a fresh machine on their own.
SHELL := /bin/sh
.DEFAULT_GOAL := help

PYTHON ?= $(shell for p in python3.11 python3.12 python3.13 python3; do \
  command -v $$p >/dev/null 2>&1 && $$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
VENV ?= .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
ARGS ?=
SUITE ?= all
BROWSER_TESTS ?= tests/browser
# What `make test` leaves to `make lengthy`; LEFT_OUT=at_length leaves out the longest alone, as CI does.
LEFT_OUT ?= at_length or slow
BROWSER_ARGS ?=

# Compiled modules and rewritten tests are stored, also where the environment forbids it: the two workers of a
# run and every process that a test starts would compile all of them again.
test lengthy interop: export PYTHONDONTWRITEBYTECODE =

.PHONY: help demo test interop lengthy check fix serve worker bench mutation docs screenshots lock clean

help: ## List the targets
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-12s %s\n", $$1, $$2}'

demo: $(VENV)/.studio ## Synthesise, prove, export and serve one environment (ARGS="--no-serve --json" stops after the bundle)
	@$(BIN)/python manage.py demo $(ARGS)

serve: $(VENV)/.studio ## Serve the studio with its worker on localhost
	@$(BIN)/python manage.py serve $(ARGS)

worker: $(VENV)/.studio ## Start another Celery worker (needs CELERY_BROKER_URL)
	@$(BIN)/python manage.py worker $(ARGS)

test: $(VENV)/.dev ## Run the tests, but those that take long (ARGS go to pytest, LEFT_OUT=at_length leaves out fewer)
	@# Apart, because a browser's event loop stays in its process and upsets others' loops.
	@$(BIN)/python -m pytest -n 2 --dist worksteal -m "not browser and not ($(LEFT_OUT))" $(ARGS)
	@test -z "$(BROWSER_TESTS)" || $(BIN)/python -m pytest -n 2 --dist worksteal -m "browser and not ($(LEFT_OUT))" $(BROWSER_ARGS) $(BROWSER_TESTS)
	@echo "Left out: tests that take long (every address, killed workers, whole benchmarks); make lengthy runs them."

interop: $(VENV)/.dev ## Try real clients, each installed into an environment of its own (network; ARGS="--within 600" bounds the seconds)
	@$(BIN)/python -m pytest -q -rs tests/interop $(ARGS)

lengthy: $(VENV)/.dev ## Run the tests that make test leaves out (ARGS go to pytest)
	@$(BIN)/python -m pytest -n 2 --dist worksteal -m "($(LEFT_OUT)) and not browser" $(ARGS)
	@test -z "$(BROWSER_TESTS)" || $(BIN)/python -m pytest -n 2 --dist worksteal -m "browser and ($(LEFT_OUT))" $(BROWSER_ARGS) $(BROWSER_TESTS)

check: $(VENV)/.dev ## Lint, types, import contracts, the house's own rules, templates, missing migrations
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/lint-imports --no-cache
	@$(BIN)/python -m pytest -q -p no:cacheprovider tests/test_architecture.py
	@$(BIN)/djlint templates --check --lint --quiet
	@$(BIN)/python manage.py makemigrations --check --dry-run
	@$(BIN)/python manage.py check --fail-level WARNING
	@$(BIN)/mypy

fix: $(VENV)/.dev ## Format and fix what can be fixed automatically
	@$(BIN)/ruff format .
	@$(BIN)/ruff check --fix .
	@$(BIN)/djlint templates --reformat --quiet || true

bench: $(VENV)/.dev ## Measure (SUITE=worlds|pages|synthesis|proof|procedural|derivation|rollouts|answers|prompts|hostile|interop|load|paired, ARGS="--json --quick")
	@$(BIN)/python -m benchmarks $(SUITE) $(ARGS)

mutation: $(VENV)/.mutation ## Change what decides and see whether tests notice (ARGS="verification --sample 60"); on demand
	@$(BIN)/python -m tests.mutation $(ARGS)

docs: $(VENV)/.dev ## Build the documentation as a site under var/site; a warning fails
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet
	@echo "Built: var/site/index.html"

screenshots: $(VENV)/.dev ## Take screenshots of every screen into docs/screenshots (needs chromium)
	@$(BIN)/python -m pytest -q tests/browser/screenshots.py --screenshots $(ARGS)

lock: ## Regenerate the lock files (needs uv)
	@requirements/compile.sh

clean: ## Remove what was installed and built here; the data under var/ stays
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .import_linter_cache staticfiles

$(BIN)/python:
	@test -n "$(PYTHON)" || { echo "Python 3.11 or newer is needed; none was found. Install it, or say where: make PYTHON=/path/to/python3.11" >&2; exit 1; }
	@echo "Making $(VENV) with $(PYTHON) ..."
	@$(PYTHON) -m venv $(VENV)

$(VENV)/.studio: requirements/studio.lock pyproject.toml | $(BIN)/python
	@echo "Installing the studio's packages (about a minute) ..."
	@$(PIP) install --require-hashes -r requirements/studio.lock
	@$(PIP) install --no-deps --no-build-isolation --editable .
	@touch $@

$(VENV)/.dev: requirements/dev.lock $(VENV)/.studio
	@echo "Installing the tests' packages ..."
	@$(PIP) install --require-hashes -r requirements/dev.lock
	@touch $@

$(VENV)/.mutation: requirements/mutation.lock $(VENV)/.dev
	@echo "Installing cosmic-ray ..."
	@$(PIP) install --require-hashes -r requirements/mutation.lock
	@touch $@
