# The two commands a newcomer needs are `make run` and `make test`; each sets up what it needs.
PYTHON ?= python3
WORKERS ?= 3  # of the tests: half of their time they wait for a page or a process
BIN := .venv/bin
export PYTHONDONTWRITEBYTECODE :=  # each of the many processes would compile our modules anew

.PHONY: run test test-agents soak lint bench demo
run: .venv/.runtime
	$(BIN)/streamlit run app.py -- --open

test: .venv/.dev
	@sh .ci/chromium
	$(BIN)/pytest -q -n $(WORKERS) --dist worksteal
	@sh .ci/agents run

soak: .venv/.dev
	$(BIN)/pytest -q -m soak --timeout 1800

test-agents: .venv/.dev
	@sh .ci/agents install run

lint: .venv/.dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

bench: .venv/.dev
	@for script in bench/*.py; do echo "== $$script"; $(BIN)/python -m "bench.$$(basename $$script .py)" || exit 1; done

demo: .venv/.runtime
	$(BIN)/python -m demo.simulate

.venv/.runtime: requirements.txt
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --disable-pip-version-check -r requirements.txt
	touch $@

.venv/.dev: requirements-dev.txt .venv/.runtime
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements-dev.txt
	touch $@
