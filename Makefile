# A thin front: Meson builds, tools/ and tests/ do the work. `make help` says what there is.
BUILD ?= build
PREFIX ?= /usr/local
PYTHON = /usr/bin/python3
NINJA = ninja -C $(BUILD)

.DEFAULT_GOAL := all
.PHONY: all quick test bench plans-full sample-report dist lint clean install install-fio uninstall help

all: $(BUILD)/build.ninja ## build the program: build/assay, and build/fio, its fio face
	@$(NINJA) --quiet program

$(BUILD)/build.ninja:
	@tools/install-deps build
	@meson setup $(BUILD) >$(BUILD).log 2>&1 || { cat $(BUILD).log; rm $(BUILD).log; exit 1; }
	@rm $(BUILD).log

quick: all ## build, and measure a file in the build folder, in two minutes at most
	@cd $(BUILD) && ./assay quick --time=1

test: all ## build and run every test
	@tools/install-deps test
	@tools/run-tests $(BUILD)

bench: all ## compare with Debian's fio on this machine, and print doc/speed.md's tables
	@tools/install-deps bench
	@$(PYTHON) bench/compare.py
	@$(PYTHON) bench/logs.py
	@$(PYTHON) bench/log_cost.py
	@$(NINJA) --quiet bench/store_fill && $(PYTHON) bench/store.py
	@$(NINJA) --quiet bench/report_day bench/meter && $(PYTHON) bench/report.py
	@$(NINJA) --quiet bench/sim_writes && $(BUILD)/bench/sim_writes
	@$(NINJA) --quiet bench/equal_runs && $(BUILD)/bench/equal_runs

plans-full: all ## each shipped plan at full length on a simulated drive: hours of CPU
	@$(PYTHON) bench/plans.py

sample-report: all ## build/sample-report.html: a plan on a simulated drive, and its report
	@rm -f $(BUILD)/sample.db
	@$(BUILD)/assay plan run quick-check sim:nvme-enterprise,scale=1000 --store=$(BUILD)/sample.db --no-report >/dev/null
	@$(BUILD)/assay report @plan --store=$(BUILD)/sample.db -o $(BUILD)/sample-report.html
	@echo $(BUILD)/sample-report.html

dist: all ## build/assay-VERSION.tar.gz: the release archive, with uPlot for builds without npm
	@tools/dist $(BUILD)

lint: all ## format, layers, style, headers, clang-tidy
	@tools/install-deps lint
	@tools/lint

clean: ## remove what was built
	rm -rf $(BUILD) build-*

install: all ## install assay and its man page below PREFIX (/usr/local)
	@PREFIX='$(PREFIX)' DESTDIR='$(DESTDIR)' tools/install-program $(BUILD) assay

install-fio: install ## and the name fio, where no other fio has it
	@PREFIX='$(PREFIX)' DESTDIR='$(DESTDIR)' tools/install-program $(BUILD) fio

uninstall: ## remove what install and install-fio put there
	@PREFIX='$(PREFIX)' DESTDIR='$(DESTDIR)' tools/install-program $(BUILD) remove

help: ## this list
	@sed -n 's/^\([a-z-]*\):[^#]*## /\1 /p' Makefile | awk '{n = $$1; $$1 = ""; printf "make %-12s%s\n", n, $$0}'
