package micro

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/harena-go/arena/bench/suite"
)

// If this variable is set the test binary replaces the program in Rust, and prints its value.
const playRust = "BENCH_TEST_PRINTS"

func TestMain(m *testing.M) {
	if text, ok := os.LookupEnv(playRust); ok {
		fmt.Println(strings.ReplaceAll(text, "ARGS", strings.Join(os.Args[1:], " ")))
		if strings.Contains(text, "fail") {
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

func TestProgramInRust(t *testing.T) {
	me, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := suite.Config{Program: me, Quick: true, Rows: "new"}

	t.Setenv(playRust, `{"row":"new-64","value":1e-9}`+"\n"+`{"row":"new-8","value":1e-9}`)
	out, err := Suite().Run(suite.Bumpalo, c)
	if err != nil {
		t.Fatal(err)
	}
	if len(out.Results) != 2 {
		t.Fatalf("%d results, want 2", len(out.Results))
	}
	r := out.Results[0]
	if r.Row != "new-64" || r.Peer != suite.Bumpalo || r.Suite != "micro" || r.Unit != suite.Seconds ||
		r.Group != "fixed" || r.Title == "" || len(r.Values) != 1 || r.Values[0] != 1e-9 {
		t.Errorf("described as %+v", r)
	}

	for text, want := range map[string]string{
		`{"row":"ARGS","value":1}`: `"micro -quick -rows new", which is no row`, // shows the arguments
		`fail`:                     "failed: exit status 1",
		`not JSON`:                 "something else than lines of JSON",
	} {
		t.Setenv(playRust, text)
		if _, err := Suite().Run(suite.Bumpalo, c); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("a program that prints %s: error %v, want one with %q", text, err, want)
		}
	}
	if _, err := Suite().Run(suite.Bumpalo, suite.Config{}); err == nil {
		t.Error("no error without the program")
	}
}
