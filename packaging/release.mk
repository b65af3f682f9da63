# What releases are made of. Everything lands in target/dist.

DIST := target/dist
# What builds packages and looks at them goes here and nowhere else.
PACKAGING := target/packaging-venv
TOOLS := $(PACKAGING)/$(if $(filter Windows_NT,$(OS)),Scripts,bin)
VERSION := $(shell sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)
SYSTEM := $(shell uname -s)

# For whom the command and the wheel are built. The command for Linux needs no library of the system.
HOST := $(shell rustc -vV | sed -n 's/^host: //p')
TARGET ?= $(HOST)
COMMAND_TARGET := $(TARGET:linux-gnu=linux-musl)
EXE := $(if $(findstring windows,$(TARGET)),.exe)
comma := ,
# Of another processor zig links for Linux.
processor = $(firstword $(subst -, ,$(1)))
WITH_ZIG := PATH="$(CURDIR)/$(TOOLS):$$PATH"
CROSS := $(if $(findstring linux,$(TARGET)),$(if $(filter $(call processor,$(HOST)),$(call processor,$(TARGET))),,zig))
COMMAND := target/$(COMMAND_TARGET)/release/fairwire$(EXE)
ARCHIVE := fairwire-$(VERSION)-$(COMMAND_TARGET)

# Where `make install` puts things.
PREFIX ?= $(HOME)/.local
DESTDIR ?=

.PHONY: install
install: build ## Install the command, its manual pages and completions under PREFIX (~/.local)
	$(call lay,target/release/fairwire,target/release/fairwire,$(DESTDIR)$(PREFIX))

# $(1) the command, $(2) one that runs here and writes the pages, $(3) the folder under which bin and share are.
define lay
	mkdir -p $(addprefix $(3)/,bin share/man/man1 share/bash-completion/completions share/zsh/site-functions share/fish/vendor_completions.d)
	install -m 755 $(1) $(3)/bin/
	$(2) man --quiet $(3)/share/man/man1
	$(2) completions bash > $(3)/share/bash-completion/completions/fairwire
	$(2) completions zsh > $(3)/share/zsh/site-functions/_fairwire
	$(2) completions fish > $(3)/share/fish/vendor_completions.d/fairwire.fish
endef

# GNU's linker can write relocations down in a twentieth of the bytes.
PACK_RELOCATIONS := $(if $(CROSS),,$(if $(findstring linux,$(TARGET)),-C link-arg=-Wl$(comma)-z$(comma)pack-relative-relocs))

.PHONY: command
command: $(if $(CROSS),$(PACKAGING)/made) ## Build the command for others: without libraries of the system on Linux (TARGET=aarch64-apple-darwin ...)
	@rustup target list --installed | grep -qx $(COMMAND_TARGET) || rustup target add $(COMMAND_TARGET)
	$(if $(CROSS),$(WITH_ZIG) cargo-zigbuild,$(CARGO)) rustc --release $(LOCKED) --target $(COMMAND_TARGET) -p fairwire-cli --bin fairwire \
		-- -C strip=symbols $(PACK_RELOCATIONS)

.PHONY: archive
archive: command build ## Pack the command, its manual pages, completions and licences into target/dist
	rm -rf $(DIST)/$(ARCHIVE)
	$(call lay,$(COMMAND),target/release/fairwire,$(DIST)/$(ARCHIVE))
	install -m 644 LICENSE-MIT LICENSE-APACHE README.md CHANGELOG.md CITATION.cff $(DIST)/$(ARCHIVE)
	tar -C $(DIST) $(TAR_AS_EVER) -cJf $(DIST)/$(ARCHIVE).tar.xz $(ARCHIVE)
	rm -rf $(DIST)/$(ARCHIVE)

# The same bytes whenever and by whomever it is packed, where tar knows how.
TAR_AS_EVER := $(if $(filter Linux,$(SYSTEM)),--sort=name --owner=0 --group=0 --numeric-owner --mtime=@$$(git log -1 --format=%ct))

$(PACKAGING)/made: packaging/requirements.txt
	$(PYTHON) -m venv $(PACKAGING)
	$(TOOLS)/pip install --quiet --disable-pip-version-check -r $<
	touch $@

.PHONY: source-package
source-package: $(PACKAGING)/made ## Pack the source package for Python into target/dist
	$(TOOLS)/maturin sdist --out $(DIST)

# The oldest glibc is 2.17, whose symbols zig's linker knows.
COMPATIBILITY := $(if $(findstring musl,$(TARGET)),musllinux_1_2,manylinux2014)
.PHONY: wheel
wheel: $(PACKAGING)/made ## Build a wheel that runs on Linux from glibc 2.17 or musl 1.2 on into target/dist (TARGET=)
	@rustup target list --installed | grep -qx $(TARGET) || rustup target add $(TARGET)
	$(if $(findstring linux,$(TARGET)),$(WITH_ZIG)) $(TOOLS)/maturin build --release $(LOCKED) --strip --target $(TARGET) \
		$(if $(findstring linux,$(TARGET)),--zig --compatibility $(COMPATIBILITY)) --compression-level 9 --out $(DIST)

# All of Linux from any Linux, for zig links; elsewhere what the machine itself is.
LINUX := x86_64-unknown-linux-gnu x86_64-unknown-linux-musl aarch64-unknown-linux-gnu aarch64-unknown-linux-musl
TARGETS ?= $(if $(filter Linux,$(SYSTEM)),$(LINUX),$(HOST))
.PHONY: packages
packages: ## Build wheels and archives for all TARGETS that this machine can build for
	@for target in $(TARGETS); do $(MAKE) wheel TARGET=$$target || exit 1; done
	@for target in $(sort $(TARGETS:linux-gnu=linux-musl)); do $(MAKE) archive TARGET=$$target || exit 1; done

# In a new folder each time: Cargo keeps what it unpacked of a version by the folder from which it came.
.PHONY: crates
crates: ## Pack and build what is published for others to build on, but publish nothing
	@mkdir -p target
	@place=$$(mktemp -d "$(CURDIR)/target/crates.XXXXXX"); trap 'rm -rf "$$place"' EXIT; \
	CARGO_TARGET_DIR=$$place $(CARGO) publish --dry-run --workspace $(LOCKED) $(if $(DIRTY),--allow-dirty)

.PHONY: page
page: web ## Put the page for browsers into target/dist
	mkdir -p $(DIST)
	install -m 644 $(PAGE) $(DIST)/fairwire-$(VERSION).html

.PHONY: bill
bill: ## Write what the command is made of into target/dist, as CycloneDX
	@$(CARGO) cyclonedx --version >/dev/null 2>&1 || $(CARGO) install cargo-cyclonedx --locked
	$(CARGO) cyclonedx --manifest-path crates/fairwire-cli/Cargo.toml --format json --override-filename fairwire.cdx
	mkdir -p $(DIST)
	mv crates/fairwire-cli/fairwire.cdx.json $(DIST)/fairwire-$(VERSION).cdx.json
	rm -f crates/*/fairwire.cdx.json

.PHONY: checksums
checksums: ## Write the SHA-256 of all that is in target/dist
	cd $(DIST) && rm -f SHA256SUMS && sha256sum * > ../SHA256SUMS && mv ../SHA256SUMS .

.PHONY: draft
draft: ## Put all of target/dist into a draft of a release at GitHub
	gh release create v$(VERSION) --draft --title "fairwire $(VERSION)" --notes-file CHANGELOG.md $(DIST)/*

# An image of nothing but the command; BUILDER=docker takes that one.
BUILDER ?= podman
.PHONY: image
image: command ## Build a container image of nothing but the command
	$(BUILDER) build --file packaging/Containerfile --build-arg COMMAND=$(COMMAND) --tag fairwire:$(VERSION) .

# Where the oldest glibc that is promised, 2.17, is at home.
OLDEST_GLIBC := quay.io/pypa/manylinux2014_x86_64
.PHONY: try-oldest
try-oldest: wheel ## Try the wheel in a container with the oldest glibc and Python that are promised
	$(BUILDER) run --rm --volume "$(CURDIR):/checkout:ro" --workdir /tmp $(OLDEST_GLIBC) bash -euc ' \
		/opt/python/cp311-cp311/bin/python -m venv venv; \
		venv/bin/pip install --quiet /checkout/$(DIST)/fairwire-$(VERSION)-*manylinux*x86_64.whl; \
		venv/bin/fairwire scenario new parking-lot > try.toml; \
		venv/bin/fairwire compare try.toml --law dvsr --law fifo --no-folder'

# The names of systems beside this one on which the command has to compile.
OTHERS := aarch64-unknown-linux-musl x86_64-unknown-linux-musl aarch64-apple-darwin x86_64-apple-darwin x86_64-pc-windows-msvc
.PHONY: lint-others
lint-others: ## Check the command and the Python package for other systems
	@for target in $(OTHERS); do \
		rustup target list --installed | grep -qx $$target || rustup target add $$target || \
			{ echo "left out: $$target, which rustup cannot get here"; continue; }; \
		$(CARGO) clippy --release $(LOCKED) --quiet --target $$target -p fairwire-cli -p fairwire-py -- -D warnings || exit 1; \
	done

.PHONY: lint-workflows
lint-workflows: $(PACKAGING)/made ## Hold workflow files and the citation against their schemas and against zizmor
	$(TOOLS)/check-jsonschema --quiet --builtin-schema vendor.github-workflows .github/workflows/*.yml
	$(TOOLS)/zizmor --quiet --offline .github/workflows
	@grep -qx 'version: $(VERSION)' CITATION.cff || { echo 'CITATION.cff names another version than Cargo.toml' >&2; exit 1; }
	@! grep -n 'fairwire-.*path = .*version' Cargo.toml | grep -v '"$(VERSION)"' || { echo 'a crate of Cargo.toml names another version' >&2; exit 1; }
	@grep -q '^## \[\(Unreleased\|$(VERSION)\)\]' CHANGELOG.md || { echo 'CHANGELOG.md says nothing of $(VERSION)' >&2; exit 1; }

# PYTHONS="python3.11 python3.14" tries several, TARGETS=x86_64-unknown-linux-gnu builds for fewer.
PYTHONS ?= $(PYTHON)
.PHONY: release-check
release-check: packages source-package crates bill checksums lint-workflows ## Build all of a release that this machine can build, install it afresh and try it
	PATH="$(CURDIR)/$(TOOLS):$$PATH" packaging/try-release $(DIST) $(VERSION) $(PYTHONS)
