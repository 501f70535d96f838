# The two commands: "make run" opens the dashboard, "make test" runs everything that must hold.
# Both create .venv and install the versions pinned in requirements.lock and requirements-dev.lock when
# these have changed; otherwise they start at once and need no network.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# Of what is installed a quarter is ever imported; that is compiled where it is imported first, below.
PIP_INSTALL := $(BIN)/python -m pip install --disable-pip-version-check --require-hashes --quiet --no-compile
COMPILE := $(BIN)/python -m uv pip compile pyproject.toml --extra app --quiet --universal --python-version 3.11 --fork-strategy fewest \
	--generate-hashes --no-emit-index-url --no-emit-find-links --custom-compile-command "make lock"

export PIP_NO_INPUT := 1
# Empty, for an image that sets it: every process would compile every module anew.
export PYTHONDONTWRITEBYTECODE :=

# What has to hold with the lowest and the newest versions: readers, intervals, tables and saved reports.
LOWEST := tests/readers/test_files.py tests/readers/evidence/test_row_identity.py tests/report/test_saved_report.py \
	tests/metrics/test_calibration.py tests/evaluation/test_evaluate.py tests/inference

.PHONY: help run test ci check docs pictures rules mlflow lowest newest bench bundle lock clean
.DELETE_ON_ERROR:

help:
	@echo "make run     install what the dashboard needs and open it on the sample data at 127.0.0.1:8501"
	@echo "             (another port: make run PORT=8600)"
	@echo "make test    install what the tests need, a browser included, then run every check and every test"
	@echo "make ci      the same without what takes longest: tours of a browser, more cases of a kind"
	@echo "make check   style, types and layers only"
	@echo "make docs    write the pages of docs/ that are made from the declarations, and the site in dist/site"
	@echo "make pictures  draw the pictures of docs/ from the running dashboard"
	@echo "make rules   the rule of a document in R and Java, run over a million scores (both must be installed)"
	@echo "make bench   ours beside others on the same data: seconds, ratios, peak memory (minutes)"
	@echo "make bundle  wheels with hashes and a bill of materials in dist/bundle, for a machine without a network"
	@echo "make lowest  tests of the package with the lowest versions that pyproject.toml allows (minutes)"
	@echo "make newest  the same with the newest versions that there are for a Python: make newest PYTHON=python3.13"
	@echo "make mlflow  the tests of the MLflow evaluator, with MLflow in an environment of its own (minutes)"
	@echo "make lock    pin the newest versions that pyproject.toml allows"
	@echo "make clean   remove .venv and the caches"

run: $(VENV)/.installed
	@$(BIN)/python -m streamlit run app.py $(if $(PORT),--server.port=$(PORT))

# One more worker than processors: a test of the dashboard waits for a browser and a server in turn.
test: check $(VENV)/.browser
	$(BIN)/python -m pytest -n 3 --dist worksteal

# The same without what is marked as long, with fewer examples of a property: what fits into a quarter of an hour.
ci: check $(VENV)/.browser
	$(BIN)/python -m pytest -n 3 --dist worksteal -m "not long" --hypothesis-profile=few

check: $(VENV)/.installed-dev
	$(BIN)/python -m ruff check
	$(BIN)/python -m ruff format --check
	$(BIN)/python -m mypy
	$(BIN)/python $(BIN)/lint-imports --no-logo

# A link that leads nowhere stops it. Nothing is asked of a network.
docs: $(VENV)/.installed-dev $(VENV)/.installed-docs
	$(BIN)/python -m evalcore.documentation docs
	$(VENV)/docs/bin/zensical build --clean --strict

pictures: $(VENV)/.browser
	$(BIN)/python -m tests.browser.pictures docs/pictures

# Named by its path: what needs R and Java is no part of "make test".
rules: $(VENV)/.installed-dev
	$(BIN)/python -m pytest tests/operating_point/deploying/rules_in_r_and_java.py

bench: $(VENV)/.installed-bench
	$(VENV)/bench/bin/python -m benchmarks

# For the Python and the system that it is made on.
bundle: $(VENV)/.installed-dev $(VENV)/.installed-sbom
	rm -rf dist/bundle
	$(BIN)/python -m build --wheel --no-isolation --outdir dist/bundle
	$(BIN)/python -m pip download --disable-pip-version-check --quiet --require-hashes --only-binary :all: \
		--dest dist/bundle -r requirements.lock
	$(BIN)/python -m deploy.bundle dist/bundle
	$(VENV)/sbom/bin/cyclonedx-py requirements requirements.lock --pyproject pyproject.toml \
		--output-reproducible --output-format JSON --output-file dist/bundle/evalcore.cdx.json

# Beside the versions of the lock, which make test sees.
lowest: $(VENV)/.installed-dev
	$(BIN)/python -m venv --clear $(VENV)/lowest
	$(BIN)/python -m uv pip install --quiet --python $(VENV)/lowest/bin/python --resolution lowest-direct \
		-r pyproject.toml --group dev
	$(VENV)/lowest/bin/python -m pytest -p no:cacheprovider $(LOWEST)

# What an installation without the lock gets, on any Python: the lock is of the oldest.
newest: $(VENV)/.installed-dev
	$(PYTHON) -m venv --clear $(VENV)/newest
	$(BIN)/python -m uv pip install --quiet --python $(VENV)/newest/bin/python --upgrade -r pyproject.toml --group dev
	$(VENV)/newest/bin/python -m pytest -p no:cacheprovider $(LOWEST)

# MLflow warns of its own ways; ours stay errors in make test.
mlflow: $(VENV)/.installed-mlflow
	$(VENV)/mlflow/bin/python -c "import mlflow"
	$(VENV)/mlflow/bin/python -m pytest tests/mlflow -W default

lock: $(VENV)/.installed-dev
	$(COMPILE) --upgrade --output-file requirements.lock
	$(COMPILE) --upgrade --group dev --constraints requirements.lock --output-file requirements-dev.lock
	$(BIN)/python -m uv pip compile deploy/site/requirements.in --quiet --universal --python-version 3.11 --upgrade \
		--generate-hashes --no-emit-index-url --no-emit-find-links --custom-compile-command "make lock" \
		--output-file deploy/site/requirements.txt

clean:
	rm -rf $(VENV) .cache .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(VENV)/.created:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "Python 3.11 or newer is needed. Name one: make PYTHON=/path/to/python3" >&2; exit 1; }
	@$(BIN)/python -m pip --version >/dev/null 2>&1 \
		|| { echo "Creating $(VENV)"; rm -rf $(VENV); $(PYTHON) -m venv $(VENV); } \
		|| { rm -rf $(VENV); exit 1; }
	@touch $@

$(VENV)/.installed: requirements.lock | $(VENV)/.created
	@echo "Installing what the dashboard needs (once, a few minutes at most)"
	@$(PIP_INSTALL) -r requirements.lock
	@touch $@

$(VENV)/.installed-dev: requirements-dev.lock | $(VENV)/.created
	@echo "Installing what the tests need (once, a few minutes at most)"
	@$(PIP_INSTALL) -r requirements-dev.lock
	@touch $@

# confidenceinterval asks for a setuptools of 2023, which it does not use, and PyTorch for one of 2025.
$(VENV)/.installed-bench: requirements.lock benchmarks/requirements.txt | $(VENV)/.created
	@echo "Installing what we are measured beside (once, a few minutes at most)"
	@$(BIN)/python -m venv $(VENV)/bench
	@$(VENV)/bench/bin/python -m pip install --disable-pip-version-check --quiet --require-hashes -r requirements.lock
	@$(VENV)/bench/bin/python -m pip install --disable-pip-version-check --quiet -r benchmarks/requirements.txt
	@$(VENV)/bench/bin/python -m pip install --disable-pip-version-check --quiet --no-deps confidenceinterval==1.0.5
	@touch $@

$(VENV)/.installed-sbom: deploy/requirements.txt | $(VENV)/.created
	@echo "Installing what writes the bill of materials (once)"
	@$(BIN)/python -m venv $(VENV)/sbom
	@$(VENV)/sbom/bin/python -m pip install --disable-pip-version-check --quiet -r deploy/requirements.txt
	@touch $@

$(VENV)/.installed-docs: deploy/site/requirements.txt | $(VENV)/.created
	@echo "Installing what builds the documentation site (once)"
	@$(BIN)/python -m venv $(VENV)/docs
	@$(VENV)/docs/bin/python -m pip install --disable-pip-version-check --quiet --require-hashes -r deploy/site/requirements.txt
	@touch $@

$(VENV)/.installed-mlflow: tests/mlflow/requirements.txt | $(VENV)/.created
	@echo "Installing MLflow and what its tests need (once, a few minutes at most)"
	@$(BIN)/python -m venv $(VENV)/mlflow
	@$(VENV)/mlflow/bin/python -m pip install --disable-pip-version-check --quiet -r tests/mlflow/requirements.txt
	@$(VENV)/mlflow/bin/python -m pip install --disable-pip-version-check --quiet --no-deps --editable .
	@touch $@

$(VENV)/.browser: tests/browser/chromium.py $(VENV)/.installed-dev
	@$(BIN)/python -m tests.browser.chromium
	@touch $@
