# A newcomer needs only two commands: `make demo` and `make test`.
PYTHON ?= python3
BIN := .venv/bin
READY := .venv/.ready

.PHONY: help demo test soak setup run lint bench screenshots messages lock clean

help:            ## list the targets
	@grep -hE '^[a-z]+: .*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 16

demo: $(READY)   ## run the whole loop on the sample, with simulated workers
	@$(BIN)/python manage.py demo

test: $(READY)   ## run the everyday tests on PostgreSQL with Redis, and on SQLite where it differs
	@$(BIN)/python -m tests test

soak: $(READY)   ## run the long tests: a bad day, long journeys, everything again on SQLite
	@$(BIN)/python -m tests soak

setup: $(READY)  ## create the virtual environment and the database
	@$(BIN)/python manage.py setup

run: $(READY)    ## run everything needed to use the product, until Ctrl-C
	@$(BIN)/python manage.py run

lint: $(READY)   ## run ruff, mypy and import-linter
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy .
	$(BIN)/mypy --config-file marketplace/mypy.ini marketplace config/marketplace_settings.py
	$(BIN)/lint-imports --no-logo --no-cache
	$(BIN)/python manage.py makemigrations --check --dry-run
	$(BIN)/python -m marketplace makemigrations --check --dry-run

bench: $(READY)  ## compare speed with similar tools
	@for script in benchmarks/[a-z]*.py; do echo "== $$script"; $(BIN)/python $$script --check || missed="$$missed $$script"; done; \
	  [ -z "$$missed" ] || { echo "Limits missed:$$missed"; exit 1; }

screenshots: $(READY)  ## take a picture of every page, into ./screenshots
	@$(BIN)/python -m tests.screenshots

messages:        ## collect the texts of workers' pages in locale/ and compile their translations (needs gettext)
	$(BIN)/python manage.py makemessages --locale de --add-location file --no-wrap --ignore 'var/*' --ignore 'tests/*'
	$(BIN)/python manage.py compilemessages --ignore '.venv'

lock:            ## compile requirements*.in into requirements*.txt
	$(BIN)/pip install -q uv
	$(BIN)/uv pip compile -q --python-version 3.11 --universal --no-emit-index-url --generate-hashes --upgrade requirements.in -o requirements.txt
	$(BIN)/uv pip compile -q --python-version 3.11 --universal --no-emit-index-url --generate-hashes --upgrade requirements-dev.in -o requirements-dev.txt

clean:           ## remove the virtual environment (the data in ./var stays)
	rm -rf .venv

$(READY): requirements.txt requirements-dev.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "Preferee needs Python 3.11 or newer. Choose one with: make PYTHON=/path/to/python3.11"; exit 1; }
	@$(PYTHON) -c 'import venv, ensurepip' 2>/dev/null || { echo "Installing Debian's package python3-venv …"; \
	  { [ "$$(id -u)" = 0 ] && apt-get update -q >/dev/null && apt-get install -y -q python3-venv >/dev/null; } || \
	  { echo "Python's venv module is missing. Install it (on Debian: apt-get install python3-venv)."; exit 1; }; }
	@echo "Installing the requirements into .venv (once; a minute or two) …"
	@$(PYTHON) -m venv .venv
	@# Skip compiling, which doubles the time: most modules are never imported, and Python compiles the others on import.
	@$(BIN)/pip install -q --disable-pip-version-check --no-compile --require-hashes -r requirements.txt -r requirements-dev.txt
	@# The checkout is importable in its own environment, so that a bare .venv/bin/pytest works too.
	@$(BIN)/python -c 'import pathlib, sysconfig; pathlib.Path(sysconfig.get_path("purelib"), "preferee.pth").write_text(str(pathlib.Path.cwd()))'
	@touch $(READY)
