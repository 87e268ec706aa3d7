# Every target works from a fresh checkout; `make` alone lists them.

PYTHON ?= python3
# More than the cores: many tests wait for a process or a page.
WORKERS ?= $(shell expr $$(nproc 2>/dev/null || echo 2) \* 3 / 2)
VENV := .venv
PY := $(VENV)/bin/python
PIP := $(PY) -m pip --quiet --disable-pip-version-check --no-input
STAMPS := $(VENV)/stamps

# The virtual environment stands alone, whatever the caller's shell has set.
unexport PYTHONPATH PYTHONHOME VIRTUAL_ENV PIP_USER PIP_TARGET PIP_PREFIX
export PYTHONNOUSERSITE := 1

KERNEL := CMakeLists.txt $(shell find cpp -name '*.[ch]pp' -not -path 'cpp/tests/*')
PACKAGE := pyproject.toml README.md $(wildcard docs/*.md) \
  $(shell find src -type f -not -path '*/__pycache__/*' -not -name '*.so')
CPP_TESTS := $(patsubst cpp/tests/%.cpp,build/cpp-tests/%,$(wildcard cpp/tests/test_*.cpp))
CPP_TEST_FLAGS := -std=c++20 -g -O1 -ffp-contract=off -fsanitize=address,undefined \
  -fno-sanitize-recover=all -Wall -Wextra -Wshadow -Werror -Icpp -pthread

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help setup extras torch demo check test lint guide cpp-test bench clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-9s %s\n", $$1, $$2 }' Makefile

setup: $(STAMPS)/installed ## make .venv, build the kernel, install the command .venv/bin/boxlens

extras: setup $(STAMPS)/extras ## what pictures, scenes and ONNX models need, into .venv

torch: setup extras $(STAMPS)/torch ## what fine-tuning of classifiers needs, into .venv; large

demo: setup ## evaluate and diagnose two detectors on the data the package carries
	@$(VENV)/bin/boxlens demo
	@echo "The command is $(VENV)/bin/boxlens; the guide is in docs/."

PYTEST := $(PY) -m pytest -q -n $(WORKERS) --dist worksteal --durations=10

check: lint ## the fast part: ruff, mypy, imports, all tests of numbers and files, the guide's links
	$(PYTEST) -m "not slow"

test: setup ## everything: check, C++ tests under sanitizers, pages, commands, pictures, peers
	@sh scripts/ensure_chromium.sh
	@$(MAKE) --no-print-directory --output-sync -j 2 lint cpp-test
	$(PYTEST)

lint: $(STAMPS)/installed $(STAMPS)/extras $(STAMPS)/tools
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .
	$(PY) -m mypy
	$(VENV)/bin/lint-imports --no-logo

guide: $(STAMPS)/tools ## the guide as a site that opens from disk: build/guide/index.html
	@NO_MKDOCS_2_WARNING=1 $(PY) -m mkdocs build --strict --quiet
	@echo "The guide is build/guide/index.html"

cpp-test: $(CPP_TESTS) ## the kernel's own tests under ASan and UBSan; needs no Python
	@for program in $(CPP_TESTS); do printf '%s: ' "$$(basename $$program)"; $$program || exit 1; done

bench: $(STAMPS)/installed $(STAMPS)/extras $(STAMPS)/bench ## against the peers, side by side
	$(PY) benchmarks/run.py
	$(PY) benchmarks/diagnose.py
	$(PY) benchmarks/compare.py
	$(PY) benchmarks/difficulty.py
	$(PY) benchmarks/proposing.py
	$(PY) benchmarks/changing_pictures.py
	$(PY) benchmarks/seeing.py

clean: ## remove everything that was made
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# A virtual environment knows its own path: one that was moved or copied is made anew.
ifneq ($(file <$(STAMPS)/venv),$(CURDIR))
.PHONY: $(STAMPS)/venv
endif

$(STAMPS)/venv: scripts/make_venv.sh
	@PYTHON="$(PYTHON)" CXX="$(CXX)" sh scripts/make_venv.sh $(VENV)
	@mkdir -p $(STAMPS) && echo "$(CURDIR)" >$@

$(STAMPS)/build-tools: $(STAMPS)/venv scripts/install_build_tools.py pyproject.toml
	@$(PY) scripts/install_build_tools.py
	@touch $@

# A plain install, as users have it: it starts faster than an editable one, and the tests see what
# is shipped. The build folder is kept, so only what changed is compiled again.
$(STAMPS)/installed: $(STAMPS)/build-tools $(KERNEL) $(PACKAGE)
	@echo "Building and installing boxlens into $(VENV) ..."
	@$(PIP) install --no-build-isolation .
	@touch $@

$(STAMPS)/tools: $(STAMPS)/venv pyproject.toml
	@echo "Installing the test tools ..."
	@$(PIP) install --group check --group test --group docs
	@$(PIP) install --no-deps --group parity
	@touch $@

$(STAMPS)/extras: $(STAMPS)/venv scripts/install_extras.py pyproject.toml
	@echo "Installing the packages of the extras ..."
	@$(PY) scripts/install_extras.py
	@touch $@

# Pinned: another version may be another build, with gigabytes of libraries for graphics cards.
$(STAMPS)/torch: $(STAMPS)/venv
	@echo "Installing torch ..."
	@$(PIP) install torch==2.13.0
	@touch $@

$(STAMPS)/bench: $(STAMPS)/venv pyproject.toml
	@echo "Installing the peers ..."
	@$(PIP) install --group bench
	@$(PIP) install --no-deps --group parity
	@touch $@

build/cpp-tests/%: cpp/tests/%.cpp Makefile
	@mkdir -p $(@D)
	$(CXX) $(CPP_TEST_FLAGS) -MMD -MP -MF $@.d $< -o $@

-include $(CPP_TESTS:=.d)
