package arena

import "testing"

// TestNumbersInWords: of large numbers of bytes only what matters is said.
func TestNumbersInWords(t *testing.T) {
	for n, want := range map[int]string{0: "0 B", 10<<10 - 1: "10239 B", 10 << 10: "10.0 KiB", 1<<20 + 1<<19: "1536.0 KiB",
		10<<20 - 1: "10240.0 KiB", 10 << 20: "10.0 MiB", 1<<30 - 1: "1024.0 MiB"} {
		if got := size(n); got != want {
			t.Errorf("%d is %s, want %s", n, got, want)
		}
	}
	if one, two := count(1, "get"), count(2, "get"); one != "1 get" || two != "2 gets" {
		t.Errorf("%s, %s", one, two)
	}
}
