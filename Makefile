# Every target sets up what it needs. `make help` lists them.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

.DEFAULT_GOAL := help
.PHONY: help setup run test check format bench lock clean

help: ## List the targets
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

setup: $(STAMP) ## Install everything into .venv, from the hashed lock

$(STAMP): requirements.lock pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@$(BIN)/python -m compileall -q bot # as pip does with all it installs but an editable package; a fifth of a cold start
	@touch $@

run: $(STAMP) ## Start the bot: Slack with tokens set, else a local Slack, else a chat in the terminal
	@sh deploy/run.sh

test: check ## Check, then run all tests
	$(BIN)/pytest -q

check: $(STAMP) ## Format, lint, types, imports, knowledge (no tests)
	$(BIN)/ruff format --check --quiet bot tests
	$(BIN)/ruff check --quiet bot tests
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo
	$(BIN)/suanli knowledge check

format: $(STAMP) ## Format and fix what can be fixed
	$(BIN)/ruff format bot tests
	$(BIN)/ruff check --fix bot tests

bench: $(STAMP) ## Measure speed: parsing, answers, estimates, cold start
	$(BIN)/pytest -q -s tests/bench --override-ini addopts=""

lock: ## Renew requirements.lock (needs uv)
	uv lock --quiet
	uv export --quiet --format requirements-txt --all-groups --no-emit-project --no-header --no-annotate -o requirements.lock

clean: ## Remove what the other targets made
	rm -rf $(VENV) .mypy_cache .pytest_cache .ruff_cache .hypothesis dist shots
