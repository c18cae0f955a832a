# make test   all tests, nothing else to install
# make check  also race, vet, staticcheck, fuzz seeds
# make fuzz   every fuzz target for FUZZTIME; FUZZ=named: those of each change
# make bench  the figures of single parts, then of whole calls: it writes docs/performance.md
# make microbench  what single functions cost
# make matrix what works between which eras
# make attacks hostile inputs and known faults through a whole gateway, and the score
# make proof  what is too long for each run: kills
# make failclosed  what happens when a part breaks, proven
# make console the console in a headless Chromium
# make audit-scale  the index of the record with one and with ten million events
# make soak   10,000 rough calls, and what is left behind

GO       ?= go
FUZZTIME ?= 30s
FUZZ     ?= all
TOOLS     = $(GO) tool -modfile=tools/go.mod

.PHONY: audit-scale isolation console secrets test check vet staticcheck race fuzz bench microbench pins proof failclosed soak clients conformance matrix fmt attacks

test:
	$(GO) test $(TESTFLAGS) ./...

check: fmt vet staticcheck race

fmt:
	@unformatted=$$(gofmt -l $$(git ls-files '*.go')); test -z "$$unformatted" || { echo "not gofmt'd: $$unformatted"; exit 1; }

vet:
	$(GO) vet ./...

staticcheck:
	$(TOOLS) staticcheck ./...

# The race run includes the seeds of every fuzz target. It leaves out tests that go
# through many cases one after the other, read sources, or run a binary of their own:
# what could race in them does so in e2e, hosts, methods, soak.
race:
	$(GO) test -race $(TESTFLAGS) $$($(GO) list ./... | grep -vE '/(test/(house|corpus|pins|fidelity|cases|failclosed|guides|auditor|matrix|scale)|cmd/mcp-gateway)$$')

fuzz:
	@test/fuzz.sh "$(GO)" "$(FUZZTIME)" "$(FUZZ)"

# In less than ten minutes where nothing else runs. The verdict is the last table.
bench:
	$(GO) test -run '^$$' -benchtime 0.3s -bench '^Benchmark(Ratios|Memo|Redaction|Cleaner|Check|Library|Append|Disk|Build)$$' ./rego ./test/isolation ./redact/hidden ./schema ./audit/journal ./audit/index
	$(GO) run ./test/bench -rounds 3 -page docs/performance.md

microbench:
	$(GO) test -run '^$$' -bench . -benchmem ./...

pins:
	$(GO) test -count=1 -run Pins -v ./test/pins -pins

# What a healthy upstream pays for a hostile one beside it.
isolation:
	@$(GO) test -count=1 -timeout 20m -v ./test/isolation -isolation | grep isolation:

# What an event costs the index, and how long questions take as it grows. Minutes, and
# 10 GB under SCALE, a directory; a temporary one where it is not given.
audit-scale:
	@$(GO) test -count=1 -timeout 90m -v ./test/scale -scale $(if $(SCALE),-dir $(abspath $(SCALE))) | grep -E 'scale:|^(ok|FAIL|---)'

proof:
	$(GO) test -count=1 -timeout 30m -run Proof -v ./test/proof -proof

failclosed:
	@$(GO) test -count=1 -v ./test/failclosed >.failclosed.log; s=$$?; grep -E '^ *--- FAIL|failclosed:' .failclosed.log; rm -f .failclosed.log; exit $$s

# The figure is the last line.
soak:
	@$(GO) test -count=1 -timeout 30m -run 'TestSoak$$' -v ./test/soak -soak >.soak.log; s=$$?; cat .soak.log; grep -o 'soak: .*' .soak.log; rm -f .soak.log; exit $$s

clients:
	test/clients/run.sh

# What a host of each revision can do with an upstream of each kind, cell by cell.
matrix:
	$(GO) test -count=1 -v -run TestMatrix ./test/matrix

# The official suite, directly and through a gateway, and its client tests.
conformance:
	@test/conformance/run.sh

# The score is the last line.
attacks:
	@GO="$(GO)" test/cases/run.sh

# In a real browser, which must be there. A module of its own. SHOTS=DIR writes pictures.
console:
	test/console/run.sh "$(GO)" $(if $(SHOTS),-shots $(abspath $(SHOTS)))

# The rules for secrets against another project's own examples, and against its
# speed. A module of its own: it fetches what it needs.
secrets:
	test/secrets/run.sh "$(GO)"
