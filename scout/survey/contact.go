package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/harena-go/arena/scout/internal/report"
	"github.com/harena-go/arena/scout/internal/scout"
	"github.com/harena-go/arena/scout/internal/sites"
	"github.com/harena-go/arena/scout/internal/testrun"
	"github.com/harena-go/arena/scout/internal/trial"
)

// This file asks what a user asks first, of packages as they are: without any flag, with their own benchmarks. Which
// benchmark is chosen, and whether the answer is what a trial then shows, is what is surveyed, not the packages.

// strangers are packages that the scout wasn't made for.
var strangers = []subject{
	{"tengo", "script language", "github.com/d5/tengo/v2", "v2.17.0", "", ""},
	{"participle", "parser generator", "github.com/alecthomas/participle/v2", "v2.1.4", "", ""},
	{"opa", "policy language", "github.com/open-policy-agent/opa", "v1.22.3", "v1/ast", ""},
	{"tidb", "SQL parser", "github.com/pingcap/tidb/pkg/parser", "v0.0.0-20260418072757-ce92298d1124", "", ""},
	{"promql", "query language", "github.com/prometheus/prometheus", "v0.316.0", "promql/parser", ""},
	{"protocompile", "protobuf compiler", "github.com/bufbuild/protocompile", "v0.14.1", "parser", ""},
	{"goja", "JavaScript", "github.com/dop251/goja", "v0.0.0-20260917113740-793a2a65c13b", "", ""},
	{"graphql", "GraphQL", "github.com/graphql-go/graphql", "v0.8.1", "", ""},
	{"toml", "TOML", "github.com/pelletier/go-toml/v2", "v2.4.3", "", ""},
	{"hcl", "configuration language", "github.com/hashicorp/hcl/v2", "v2.25.0", "hclsyntax", ""},
	{"dns", "DNS messages", "github.com/miekg/dns", "v1.1.73", "", ""},
	{"btree", "B-tree", "github.com/google/btree", "v1.1.3", "", ""},
	{"apd", "decimal numbers", "github.com/cockroachdb/apd/v3", "v3.2.3", "", ""},
	{"gjson", "JSON paths", "github.com/tidwall/gjson", "v1.20.2", "", ""},
	{"cel", "expression language", "github.com/google/cel-go", "v0.32.0", "parser", ""},
}

const contactTitle = "| what | package | benchmark, unit | answer | time of the answer | by -try | " +
	"by the patch of -fix |\n|---|---|---|---|---|---|---|\n"

// contacts asks the strangers whose names match, prints their rows, and writes the table if it is told where.
func contacts(match *regexp.Regexp, update string) error {
	var rows []string
	for _, s := range strangers {
		if !match.MatchString(s.name) {
			continue
		}
		row := fmt.Sprintf("| %s | %s | %s |", s.what, s.title(), s.contact())
		fmt.Println(row)
		rows = append(rows, row)
	}
	if update == "" {
		return nil
	}
	return write(update, "contact", contactTitle, rows)
}

// contact asks for a package, tries what it was told, and has the patch written. What fails is said in its column.
func (s subject) contact() string {
	cell := strings.NewReplacer("|", "/", "\n", " ").Replace
	dir, remove, err := testrun.Scratch()
	if err != nil {
		return cell(err.Error()) + " | | | |"
	}
	defer remove()
	if err := s.download(dir); err != nil {
		return cell(err.Error()) + " | | | |"
	}
	began := time.Now()
	o := scout.Options{Pattern: filepath.Join(dir, s.dir), Progress: os.Stderr}
	look, err := scout.Run(o)
	took := func() string { return fmt.Sprintf("%.0f s", time.Since(began).Seconds()) }
	var no *scout.No
	switch {
	case errors.As(err, &no):
		return fmt.Sprintf("| no: %s | %s | |", cell(no.Why), took())
	case err != nil:
		return fmt.Sprintf("| %s | %s | |", cell(err.Error()), took())
	}
	trial.Replay(look, o.Say)
	row := fmt.Sprintf("%s, %s | %s | %s | ", cell(look.Benchmark), cell(sites.Bare(look.Unit.Function)),
		cell(report.Answered(look)), took())
	report.Text(os.Stderr, look, false)
	r, err := trial.Run(look, o.Say)
	if err != nil {
		return row + cell(err.Error()) + " |"
	}
	report.Trial(os.Stderr, look, r)
	row += tried(r) + " | "
	if r.Moved == 0 && (r.Later == nil || r.Later.Moved == 0) {
		return row
	}
	return row + cell(patched(look, r, o.Say, dir, ""))
}

// tried says what a trial has shown, and with two arenas in turn.
func tried(r *trial.Result) string {
	text := "nothing to move"
	if r.Moved > 0 {
		low, high := r.Range()
		text = fmt.Sprintf("%d of %d, %.2fx (%.2f-%.2f)", r.Moved, r.Movable, r.Times(), low, high)
	}
	if r.Later != nil {
		text += "; in turn " + tried(r.Later)
	}
	return text
}
