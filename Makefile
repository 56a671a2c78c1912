# The short way to everything; meson and ninja do the work.
#
#   make            build/sonde (release, LTO)        make deps       packages to build it
#   make run        build it, record, report, serve   make deps-test  packages to test it
#   make test       what every change needs (T=NAME:  make bench      figures against trace-cmd
#                   those tests instead)              make format     clang-format over the tree
#   make test-all   every test                        make clean      remove all build directories
#   make fuzz       the fuzz targets (SECONDS each)   make install    PREFIX=/usr/local DESTDIR=
#   make bench BASE=REV   the speed of that commit's build and of this one, in turns, with the ratios
#                   (FIGURES="NAME…" or FIGURES=--quick: see tests/bench/run --help)
#
# `make run` and the tests install what is missing first (Debian, as root or with sudo).

BUILD   = build
PREFIX  = /usr/local
DESTDIR =
SERVE   = 1
T       =
UNSTEADY = 0
SECONDS = 60
BASE    =
FIGURES =

all: $(BUILD)/build.ninja
	@ninja -C $(BUILD)

$(BUILD)/build.ninja:
	@command -v meson >/dev/null && command -v ninja >/dev/null || \
		{ echo "meson or ninja is missing: 'make deps' installs what a build needs."; exit 1; }
	meson setup --prefix=$(PREFIX) $(BUILD)

# SERVE=0 stops after the report; else the trace is served to a browser until Ctrl-C.
run: deps
	@$(MAKE) --no-print-directory all >&2
	@SERVE=$(SERVE) tools/demo $(BUILD)/sonde

test: deps-test
	@tests/run $(or $(T),--quick) --unsteady $(UNSTEADY)

test-all: deps-test
	@tests/run

bench: deps-test all
	@tests/bench/run $(if $(BASE),--base $(BASE)) $(FIGURES)

fuzz: deps-test
	@tests/fuzz/run $(SECONDS)

install: all
	meson configure --prefix=$(PREFIX) $(BUILD)
	DESTDIR=$(DESTDIR) meson install -C $(BUILD)

deps:
	@tools/deps build

deps-test:
	@tools/deps build test

format:
	clang-format -i $$(git ls-files '*.c' '*.h')

clean:
	rm -rf build build-*

.PHONY: all run test test-all bench fuzz install deps deps-test format clean
