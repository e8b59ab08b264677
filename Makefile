# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The two commands for a newcomer are `make demo` and `make check`. All others are below; CMake and
# Ninja do the work.

BUILD ?= build
JOBS ?= $(shell nproc)
CMAKE_FLAGS ?=
LLVM = $(shell scripts/mlir-major.sh)

# What scripts of this tree look for: its packages, and the build (testing/places.py).
export PYTHONPATH = $(CURDIR)
export STOWAGE_BUILD = $(BUILD)

.PHONY: help setup build demo check sanitize test embedded bench models rivals soak format lint tidy install clean

help: ## list the targets
	@sed -n 's/^\([a-z]*\):.*## /\1	/p' $(MAKEFILE_LIST) | expand -t 10

setup: ## install the Debian packages that are missing
	@scripts/setup.sh build

build: setup ## build/bin/stowage, build/bin/stowage-opt, build/lib/StowagePlugin.so
	@cmake -G Ninja -S . -B "$(BUILD)" -DCMAKE_BUILD_TYPE=Release $(CMAKE_FLAGS) > "$(BUILD).log" || (cat "$(BUILD).log"; exit 1)
	@rm -f "$(BUILD).log"
	@ninja -C "$(BUILD)" -j $(JOBS)

demo: build ## plan, rewrite and run a real network, before and after
	@scripts/demo.sh

check: checksetup lint build sanitize test ## everything that must hold

checksetup:
	@scripts/setup.sh check

sanitize: ## build all with asserts, ASan and UBSan, and test it
	@cmake -G Ninja -S . -B "$(BUILD)/sanitize" -DCMAKE_BUILD_TYPE=Debug -DSTOWAGE_SANITIZE=ON \
	  -DSTOWAGE_FUZZ_RUNS=500000 $(CMAKE_FLAGS) > /dev/null
	@ninja -C "$(BUILD)/sanitize" -j $(JOBS)
	@STOWAGE_SANITIZED=1 ctest --test-dir "$(BUILD)/sanitize" -j $(JOBS) --output-on-failure

test: build ## every test of the build
	@ctest --test-dir "$(BUILD)" -j $(JOBS) --output-on-failure

embedded: build ## networks without malloc, on this computer and on emulated microcontrollers
	@scripts/setup.sh embedded
	@python3 examples/embedded/run.py

bench: build ## measure all, write the tables under bench/
	@ninja -C "$(BUILD)" planner_bench budget_bench pass_clock
	@python3 -m bench.plan.planner --output bench/planner.md
	@python3 -m bench.arena.models --output bench/results.md
	@python3 -m bench.arena.merge_alloc --output bench/merge-alloc.md
	@python3 -m bench.arena.pass_time --output bench/pass-time.md
	@python3 -m bench.arena.networks --with elide-copies,merge-alloc --with order-for-memory,merge-alloc --with stream-rows,merge-alloc --with elide-copies,stream-rows,merge-alloc --with reduce-peak,merge-alloc --time --output bench/networks.md
	@python3 -m bench.arena.budget --output bench/budget.md
	@python3 -m bench.arena.memories --output bench/memories.md
	@python3 -m bench.arena.streams --output bench/streams.md
	@python3 -m bench.rows.growth --output bench/rows-growth.md
	@python3 -m bench.frames.growth --output bench/frames-growth.md
	@python3 -m bench.arena.planted --output bench/planted.md
	@python3 -m bench.arena.dynamic --output bench/dynamic.md
	@python3 -m bench.arena.dynamic_times --output bench/dynamic-times.md
	@python3 -m bench.arena.order --output bench/order.md
	@python3 -m bench.arena.kernels --output bench/kernels.md
	@python3 -m bench.arena.heap --programs 100 --output bench/heap.md
	@python3 -m bench.dealloc.run --output bench/deallocation.md
	@python3 -m bench.dealloc.growth --output bench/deallocation-growth.md
	@python3 -m bench.lifetime.stack_frames --output bench/stack.md
	@python3 -m bench.taskflow.networks --output bench/taskflow.md
	@python3 -m bench.taskflow.windows --output bench/windows.md
	@python3 -m bench.taskflow.growth --output bench/taskflow-growth.md

models: MODELS = $(abspath $(BUILD))/models
models: ## build the wheel, run real models through it in a fresh environment; ARGS=--help
	@scripts/setup.sh wheel
	@rm -rf "$(MODELS)/wheel" "$(MODELS)/env" "$(MODELS)/packages"
	@python3 -m venv "$(MODELS)/env"
	@"$(MODELS)/env/bin/pip" wheel -q --no-deps ./python -w "$(MODELS)/wheel"
	@"$(MODELS)/env/bin/pip" install -q -r bench/python/requirements.txt "$(MODELS)"/wheel/stowage-*.whl
	@"$(MODELS)/env/bin/pip" install -q --no-deps --only-binary=:all: --python-version 3.11 --target "$(MODELS)/packages" \
	  -r bench/python/packages.txt
	@PYTHONPATH="$(CURDIR):$(MODELS)/packages" scripts/without-llvm.sh "$(MODELS)/env/bin/python" test/python/roads_test.py
	@PYTHONPATH="$(CURDIR):$(MODELS)/packages" scripts/without-llvm.sh "$(MODELS)/env/bin/python" -m bench.python.models \
	  --results "$(MODELS)/results" --output bench/models.md $(ARGS)

rivals: RIVALS = $(abspath $(BUILD))/rivals
rivals: build ## bytes and times beside ONNX Runtime, LiteRT, IREE, XLA and others; ARGS=--help
	@scripts/setup.sh wheel
	@[ -d "$(RIVALS)/env" ] || python3 -m venv "$(RIVALS)/env"
	@"$(RIVALS)/env/bin/pip" install -q -r bench/rivals/requirements.txt
	@"$(RIVALS)/env/bin/python" -m bench.rivals.page --output bench/rivals.md $(ARGS)

soak: build ## random programs, many
	@python3 -m fuzz.memref_gen.run --programs 5000 --seed 7100000000 --jobs $(JOBS) --known --config all --shrink
	@python3 -m fuzz.affine_gen.run --programs 3000 --seed 20000 --config all --shrink
	@python3 -m fuzz.net_gen.run --programs 2000 --seed 7100000000 --jobs $(JOBS) --config all --shrink || [ $$? = 77 ]
	@STOWAGE_SOAK=1 ctest --test-dir "$(BUILD)" -R '^unit\.' --output-on-failure
	@python3 -m fuzz.lifetimes.run --programs 1000 --mutants 500
	@python3 -m fuzz.kernels.run --programs 2000 --seed 100000
	@python3 -m fuzz.transfers.run --programs 500 --seed 100000
	@python3 test/check/random_mutations.py --programs 300 --each 3
	@python3 -m fuzz.paths.run --programs 2000 --seed 100000
	@python3 -m fuzz.upstream.lit_inputs --jobs $(JOBS) || [ $$? = 77 ]

SOURCES = scripts/sources.sh '*.c' '*.h' '*.cpp'

format: ## clang-format every source file
	@$(SOURCES) | xargs clang-format-$(LLVM) -i

lint: checksetup ## formatting, layers, licence headers
	@$(SOURCES) | xargs clang-format-$(LLVM) --dry-run --Werror
	@scripts/lint.sh

tidy: build ## clang-tidy over the C files
	@scripts/setup.sh tidy
	@scripts/sources.sh 'src/*.c' 'tools/*.c' | xargs -P $(JOBS) -n 8 clang-tidy-$(LLVM) -p "$(BUILD)" --quiet

install: build ## into PREFIX (default: CMake's)
	@cmake --install "$(BUILD)" $(if $(PREFIX),--prefix "$(PREFIX)")

clean: ## remove the build folder
	@rm -rf "$(BUILD)"
