# How a program of this folder is built; its own Makefile sets what differs and includes this file.
#
#   make [NR_DPUS=4] [NR_TASKLETS=16] [BL=8] [a variant's settings]    bin/host_code and bin/dpu_code
#   make test                                                          builds and runs both
#   make variants                                                      one line per variant: its settings, with commas
#
# Set by the program's Makefile: DEFINES (flags that both halves see), DPU_DEFINES, HOST_DEFINES, VARIANTS, and HOST_CC with
# HOST_STD where the host half is not C.

BUILDDIR ?= bin
NR_DPUS ?= 1
NR_TASKLETS ?= 16
BL ?= 8

HOST_CC ?= $(CC)
HOST_STD ?= -std=c11
DPU_CC ?= dpu-upmem-dpurte-clang

HOST_TARGET := $(BUILDDIR)/host_code
DPU_TARGET := $(BUILDDIR)/dpu_code
HOST_SOURCES := $(wildcard host/*.c host/*.cpp)
DPU_SOURCES := $(wildcard dpu/*.c)
HEADERS := $(wildcard support/*.h ../support/*.h)

COMMON_FLAGS := -Wall -Wextra -g -Isupport -I../support -DBL=$(BL) $(DEFINES)
HOST_FLAGS := $(COMMON_FLAGS) $(HOST_STD) -O2 -ffp-contract=off -D_GNU_SOURCE -DNR_TASKLETS=$(NR_TASKLETS) \
              -DNR_DPUS=$(NR_DPUS) $(HOST_DEFINES)
DPU_FLAGS := $(COMMON_FLAGS) -O2 -DNR_TASKLETS=$(NR_TASKLETS) $(DPU_DEFINES)

.PHONY: all clean test variants

all: $(HOST_TARGET) $(DPU_TARGET)

# Remembers the settings, so that others cause a new build.
SETTINGS := $(BUILDDIR)/.NR_DPUS_$(NR_DPUS)_NR_TASKLETS_$(NR_TASKLETS)_BL_$(BL)$(subst $() ,,$(DEFINES)).conf

$(SETTINGS):
	mkdir -p $(BUILDDIR)
	rm -f $(BUILDDIR)/.NR_DPUS_*.conf
	touch '$@'

$(HOST_TARGET): $(HOST_SOURCES) $(HEADERS) $(SETTINGS)
	$(HOST_CC) -o $@ $(HOST_SOURCES) $(HOST_FLAGS) `dpu-pkg-config --cflags --libs dpu` -lm

$(DPU_TARGET): $(DPU_SOURCES) $(HEADERS) $(SETTINGS)
	$(DPU_CC) $(DPU_FLAGS) -o $@ $(DPU_SOURCES)

test: all
	./$(HOST_TARGET)

variants:
	@$(if $(VARIANTS),printf '%s\n' $(VARIANTS),:)

clean:
	$(RM) -r $(BUILDDIR)
