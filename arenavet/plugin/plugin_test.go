package plugin_test

import (
	"testing"

	"github.com/golangci/plugin-module-register/register"

	"github.com/harena-go/arena/arenavet"
	_ "github.com/harena-go/arena/arenavet/plugin"
)

// TestPlugin uses the module plugin like golangci-lint.
func TestPlugin(t *testing.T) {
	create, err := register.GetPlugin("arenavet")
	if err != nil {
		t.Fatal(err)
	}
	p, err := create(nil)
	if err != nil {
		t.Fatal(err)
	}
	analyzers, err := p.BuildAnalyzers()
	if err != nil || len(analyzers) != len(arenavet.All) {
		t.Errorf("%d analyzers, %v, want %d", len(analyzers), err, len(arenavet.All))
	}
	if mode := p.GetLoadMode(); mode != register.LoadModeTypesInfo {
		t.Errorf("load mode %q: the analyzers need types", mode)
	}
}
