# What each target is for: `make help`.

VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check
# Stamps: what is installed into the virtual environment, so that a rerun does nothing.
RUNTIME := $(VENV)/.installed
TOOLS := $(VENV)/.installed-dev
RESOLVE := $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
	--no-header --no-emit-index-url --no-emit-find-links
COMPILE := $(RESOLVE) pyproject.toml requirements/build.in

.DEFAULT_GOAL := help
.PHONY: help setup run test lint types unit browser e2e bench work fuzz contract docs manifests catalogue lock certs image sbom deploy clean

help:  ## List the targets
	@sed -n 's/^\([a-z0-9-]*\):.*  ## /\1\t/p' $(MAKEFILE_LIST) | awk -F '\t' '{ printf "  %-10s %s\n", $$1, $$2 }'

setup: $(RUNTIME)  ## Make .venv with everything it takes to run (.venv/bin/fastload)

$(RUNTIME): requirements/demo.lock pyproject.toml
	@for python in "$(PYTHON)" python3 python3.14 python3.13 python3.12 python3.11; do \
		if "$$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then \
			echo "Installing into $(VENV) with $$("$$python" --version) ..."; \
			exec "$$python" -m venv $(VENV); \
		fi; \
	done; \
	echo "fastload needs Python 3.11 or later; name one with: make setup PYTHON=/path/to/python3" >&2; exit 1
	@$(PIP) --require-hashes -r requirements/demo.lock
	@$(PIP) --no-deps --no-build-isolation -e .
	@touch $@

$(TOOLS): requirements/dev.lock $(RUNTIME)
	@$(PIP) --require-hashes -r requirements/dev.lock
	@touch $@

run: $(RUNTIME)  ## See fastload work on this machine: an S3, the webhook and two reviews (Ctrl-C ends it)
	@$(BIN)/python -m demo $(ARGS)

test: lint types unit browser e2e  ## Everything that has to hold: lint, types, unit tests, a real browser and control plane

lint: $(TOOLS)  ## Ruff and the layers between the rooms
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/lint-imports

types: $(TOOLS)  ## mypy, strict
	$(BIN)/mypy

unit: $(TOOLS)  ## The tests that need no cluster (the first run builds helm and promtool: about 4 minutes)
	$(BIN)/python -m tests.cluster.binaries helm
	$(BIN)/python -m tests.cluster.binaries promtool
	$(BIN)/python -m pytest --numprocesses 2 --ignore tests/e2e --ignore tests/browser $(ARGS)

browser: $(TOOLS)  ## The tests of the page in a real Chromium, which they bring where there is none
	$(BIN)/python -m tests.browser.chromium
	$(BIN)/python -m pytest tests/browser --numprocesses 2 $(ARGS)

# A control plane for each process, and for some files one of their own. In the files' order: those of the most tests,
# with which pytest-xdist would begin, are not those that take the longest.
e2e: $(TOOLS)  ## The tests against a real API server (the first run builds it and helm: about 9 minutes)
	$(BIN)/python -m tests.cluster.binaries helm
	$(BIN)/python -m tests.cluster.binaries
	$(BIN)/python -m pytest tests/e2e --numprocesses 2 --dist loadfile --no-loadscope-reorder $(ARGS)

bench: $(TOOLS)  ## Measure reviews, starts, bursts, memory, growth, also through a real API server (10 minutes); build/bench.json keeps it
	$(BIN)/python -m benchmarks.steps
	$(BIN)/python -m benchmarks.tls
	$(BIN)/python -m benchmarks.start
	$(BIN)/python -m benchmarks.burst
	$(BIN)/python -m benchmarks.memory
	$(BIN)/python -m benchmarks.listing
	$(BIN)/python -m benchmarks.cluster
	$(BIN)/python -m benchmarks.replicas
	$(BIN)/python -m benchmarks.api_server

work: $(TOOLS)  ## Count a review's work anew, where it has rightly become more: tests/work/work.json, which a test compares
	$(BIN)/python -m tests.work.kept

lab: $(TOOLS)  ## Show with real streamers and torch.compile that the settings help, and write docs/tuning.md's tables (under 40 minutes on two cores, goes on where it stopped)
	$(BIN)/python -m benchmarks.lab

lab-quick: $(TOOLS)  ## The same for a few cases, with the newest streamer (3 minutes; the first time torch comes, 5 GB)
	$(BIN)/python -m benchmarks.lab --quick

contract: $(TOOLS)  ## Check the names and flags that fastload knows against the engines' newest releases, and write docs/contract.md (1 GB, once)
	$(BIN)/python -m benchmarks.contract

fuzz: $(TOOLS)  ## Fuzz what reads strangers' bytes, each target for SECONDS=60 (on Linux; ARGS names targets)
	@$(PIP) --require-hashes --only-binary :all: -r requirements/fuzz.lock
	$(BIN)/python -m fuzz --seconds $(or $(SECONDS),60) $(ARGS)

docs: $(TOOLS)  ## Write the docs' tables from the code
	$(BIN)/python -m tests.docs.tables
	$(BIN)/python -m tests.deploy.values_table

manifests: $(TOOLS)  ## Write deploy/install.yaml from the chart, and the chart's schema of settings from the code
	$(BIN)/python -m tests.deploy.settings_schema
	$(BIN)/python -m tests.deploy.rendering

catalogue: $(TOOLS)  ## Write the catalogue of EC2 instance types (ARGS='--aws us-west-2' asks EC2 itself)
	$(BIN)/python -m webhook.lookup.catalogue_build $(ARGS)

lock: $(TOOLS)  ## Resolve the requirements anew
	$(COMPILE) -o requirements/run.lock
	$(COMPILE) --extra demo -c requirements/run.lock -o requirements/demo.lock
	$(COMPILE) --extra demo --group dev -c requirements/demo.lock -o requirements/dev.lock
	$(RESOLVE) --group fuzz -o requirements/fuzz.lock

certs: $(RUNTIME)  ## Issue a development certificate into certs/
	$(BIN)/fastload certs dev --out certs

image:  ## Build the image named by IMAGE for both architectures and push it (see deploy/image/build.sh)
	deploy/image/build.sh

sbom: $(RUNTIME)  ## Write what the image is made of to build/sbom.cdx.json, and the image as a folder to build/image
	rm -rf build/image
	$(BIN)/python -m deploy.image build/image
	cp build/image/usr/share/fastload/sbom.cdx.json build/sbom.cdx.json

deploy:  ## Install deploy/install.yaml with the image named by IMAGE into the cluster that kubectl points to
	@: "$${IMAGE:?name the image that you built and pushed, e.g. IMAGE=registry.example/fastload:0.1.0}"
	sed "s|image: registry.example/fastload:.*|image: $$IMAGE|" deploy/install.yaml | kubectl apply -f -
	kubectl rollout status deployment/fastload --namespace fastload --timeout 180s

clean:  ## Remove what the other targets made here (not what they keep in ~/.cache/fastload, up to 6 GB)
	rm -rf $(VENV) build dist certs/*.pem .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
