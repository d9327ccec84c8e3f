// Package plugin makes arenavet's analyzers available to golangci-lint, as a
// module plugin with the name arenavet. In .custom-gcl.yml:
//
//	version: v2.5.0
//	plugins:
//	  - module: github.com/harena-go/arena/arenavet
//	    import: github.com/harena-go/arena/arenavet/plugin
//	    version: latest
//
// and in .golangci.yml:
//
//	version: "2"
//	linters:
//	  enable:
//	    - arenavet
//	  settings:
//	    custom:
//	      arenavet:
//	        type: module
//	        description: finds misuse of memory arenas
//	        settings:
//	          reuse: never # or always, as the command's flag
package plugin

import (
	"github.com/golangci/plugin-module-register/register"
	"golang.org/x/tools/go/analysis"

	"github.com/harena-go/arena/arenavet"
	"github.com/harena-go/arena/arenavet/internal/engine/record"
)

func init() {
	register.Plugin("arenavet", func(settings any) (register.LinterPlugin, error) {
		m, _ := settings.(map[string]any)
		reuse, _ := m["reuse"].(string)
		return plugin{}, record.Assume(reuse)
	})
}

type plugin struct{}

func (plugin) BuildAnalyzers() ([]*analysis.Analyzer, error) { return arenavet.All, nil }

func (plugin) GetLoadMode() string { return register.LoadModeTypesInfo }
