# What releases are made of. Everything lands in target/dist.

DIST := target/dist
# What builds and checks packages goes here and nowhere else.
PACKAGING := target/packaging-venv
VERSION := $(shell sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)

# The command for Linux needs no library of the system: it runs on every distribution.
STATIC := $(shell uname -m)-unknown-linux-musl
STATIC_COMMAND := target/$(STATIC)/release/fairwire
ARCHIVE := fairwire-$(VERSION)-$(STATIC)

# The oldest glibc that wheels for Linux run on is 2.17; zig's linker knows its symbols.
OLDEST := manylinux2014

# Where `make install` puts things.
PREFIX ?= $(HOME)/.local
DESTDIR ?=

.PHONY: install
install: build ## Install the command, its manual pages and completions under PREFIX (~/.local)
	$(call lay,target/release/fairwire,$(DESTDIR)$(PREFIX))

# $(1) the command, $(2) the folder under which bin and share are.
define lay
install -D -m 755 $(1) $(2)/bin/fairwire
$(1) man --quiet $(2)/share/man/man1
install -d $(2)/share/bash-completion/completions $(2)/share/zsh/site-functions $(2)/share/fish/vendor_completions.d
$(1) completions bash > $(2)/share/bash-completion/completions/fairwire
$(1) completions zsh > $(2)/share/zsh/site-functions/_fairwire
$(1) completions fish > $(2)/share/fish/vendor_completions.d/fairwire.fish
endef

.PHONY: static
static: ## Build the command for Linux without libraries of the system
	@rustup target list --installed | grep -qx $(STATIC) || rustup target add $(STATIC)
	$(CARGO) build --release $(LOCKED) --target $(STATIC) -p fairwire-cli

.PHONY: archive
archive: static ## Pack the static command, manual pages, completions and licences into target/dist
	rm -rf $(DIST)/$(ARCHIVE)
	$(call lay,$(STATIC_COMMAND),$(DIST)/$(ARCHIVE))
	strip $(DIST)/$(ARCHIVE)/bin/fairwire
	install -m 644 LICENSE-MIT LICENSE-APACHE README.md CHANGELOG.md $(DIST)/$(ARCHIVE)
	tar --sort=name --owner=0 --group=0 --numeric-owner --mtime=@$$(git log -1 --format=%ct) \
		-C $(DIST) -cJf $(DIST)/$(ARCHIVE).tar.xz $(ARCHIVE)
	rm -rf $(DIST)/$(ARCHIVE)

$(PACKAGING)/made: packaging/requirements.txt
	$(PYTHON) -m venv $(PACKAGING)
	$(PACKAGING)/bin/pip install --quiet --disable-pip-version-check -r $<
	touch $@

.PHONY: source-package
source-package: $(PACKAGING)/made ## Pack the source package for Python into target/dist
	$(PACKAGING)/bin/python -m build --no-isolation --sdist --outdir $(DIST) .

.PHONY: wheel
wheel: $(PACKAGING)/made ## Build a wheel that runs on Linux from glibc 2.17 on into target/dist
	PATH="$(CURDIR)/$(PACKAGING)/bin:$$PATH" $(PACKAGING)/bin/maturin build --release $(LOCKED) --strip --zig \
		--compatibility $(OLDEST) --compression-level 9 --out $(DIST)
