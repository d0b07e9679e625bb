# The everyday commands. CMake and Ninja do the building; this file only says what to call.
#
#   make              build/bin/pimento, and the library for host programs of UPMEM
#   make demo         what it is for, in a minute (installs what it needs with apt)
#   make test         everything that must hold before a change goes in (likewise)
#   make help         the rest

.NOTPARALLEL:
.PHONY: build demo test test-long bench docs figures sanitize fuzz check-format check-layers format deps install deb clean help

# Seconds per fuzz target; where `make install` puts things.
SECONDS ?= 60
PREFIX ?= /usr/local

# Paths relative to the sources let ccache serve one build folder from another.
export CCACHE_BASEDIR := $(CURDIR)
export CCACHE_NOHASHDIR := 1

build: build/build.ninja
	cmake --build build --target pimento pimento_host

build/build.ninja:
	cmake -S . -B build -G Ninja

demo: deps build
	cmake --build build --target host_gemv
	scripts/demo.sh

test: deps
	scripts/test.sh

# What `make test` leaves out: all of the validation, long fuzzing, properties on thousands of cases, and all fast tests
# under sanitizers.
test-long: deps
	scripts/test.sh long sanitize-all no-llvm-all

# Needs an idle machine to mean anything.
bench: build
	python3 bench/speed.py
	python3 bench/explore.py
	python3 bench/profile_speed.py
	/usr/bin/python3 bench/python_calls.py --limits
	cmake --build build --target hbm_pim_bench near_bank_bench explore_bench bind_bench host_calls
	build/bin/host_calls
	build/bin/hbm_pim_bench
	build/bin/near_bank_bench
	build/bin/explore_bench
	build/bin/bind_bench

docs: build
	scripts/docs.sh

# Figures of a paper, ours beside theirs, in build/figures/PAPER. ONLY=upmem,hbm-pim: some of them.
figures: build
	python3 scripts/figures/figures.py '$(PAPER)' $(if $(ONLY),--only '$(ONLY)')

sanitize:
	scripts/test.sh sanitize

fuzz:
	scripts/fuzz.sh $(SECONDS)

check-format:
	scripts/test.sh format

check-layers:
	scripts/test.sh layers

format:
	scripts/check-format.sh --fix

deps:
	scripts/install-deps.sh

# The tool, libpimento.so with its headers, data, and what CMake and pkg-config need. DESTDIR is honoured.
install: build/build.ninja
	cmake --build build --target pimento pimento_shared pimento_host
	cmake --install build --prefix $(PREFIX)

# A Debian package in build/packages.
deb: build/build.ninja
	cmake --build build --target pimento pimento_shared pimento_host
	cd build && cpack

clean:
	rm -rf build build-sanitize build-no-llvm build-fuzz

help:
	@echo 'make              build/bin/pimento'
	@echo 'make demo         a matrix-vector product from MLIR to cycles, energy and a checked answer'
	@echo 'make test         format, layers, release build and tests, sanitizers, build without LLVM'
	@echo 'make test-long    the tests that make test leaves out'
	@echo 'make bench        speed of the tool against the limits the project sets itself, and step by step'
	@echo 'make docs         the site in build/site: docs/ and the generated reference; needs no network'
	@echo 'make figures PAPER=comonm        its figures, ours beside theirs, in build/figures/comonm'
	@echo 'make figures PAPER=dcc           (PAPER=dcc ONLY=fig12,fig15: up to an hour each)'
	@echo 'make figures PAPER=infinity-stream'
	@echo 'make figures PAPER=eva-cim'
	@echo 'make fuzz SECONDS=60'
	@echo 'make install PREFIX=/usr/local   tool, library, headers, data'
	@echo 'make deb          a Debian package in build/packages'
	@echo 'make sanitize     only the sanitizer build and its tests'
	@echo 'make check-format check-layers format deps clean'
