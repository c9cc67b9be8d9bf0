package agui

import (
	"os"
	"strings"
	"testing"
)

// The page web/docs/protocol.md tells each rule as the code has it: the same names, words and order.
func TestProtocolPage(t *testing.T) {
	page, err := os.ReadFile("../web/docs/protocol.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(page), "| rule | strict")
	_, table, _ = strings.Cut(table, "|---|---|---|\n")
	table, _, _ = strings.Cut(table, "\n\n")
	var want []string
	for _, r := range Rules() {
		want = append(want, "| `"+r.Name+"` | "+r.Says+" | "+r.Repair+" |")
	}
	got := strings.Split(table, "\n")
	for i := range max(len(got), len(want)) {
		var g, w string
		if i < len(got) {
			g = got[i]
		}
		if i < len(want) {
			w = want[i]
		}
		if g != w {
			t.Errorf("row %d: the page has\n%s\nthe code\n%s", i+1, g, w)
		}
	}
}
