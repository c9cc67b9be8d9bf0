package state

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"aguiwasm/agui/rawjson"
)

// The public RFC 6902 suite. AGUI_TEST_DATA names the folder that holds json-patch-tests/.
func TestPublicSuite(t *testing.T) {
	dir := os.Getenv("AGUI_TEST_DATA")
	if dir == "" {
		t.Skip("AGUI_TEST_DATA is not set: the public RFC 6902 suite is not run")
	}
	ran := 0
	for _, name := range []string{"tests.json", "spec_tests.json"} {
		text, err := os.ReadFile(filepath.Join(dir, "json-patch-tests", name))
		if err != nil {
			t.Fatal(err)
		}
		for i, c := range rawjson.Elements(strings.TrimSpace(string(text))) {
			if _, ok := rawjson.Get(c, "disabled"); ok {
				continue
			}
			doc, ok := rawjson.Get(c, "doc")
			patch, ok2 := rawjson.Get(c, "patch")
			if !ok || !ok2 {
				continue // a comment
			}
			comment, _ := rawjson.Get(c, "comment")
			want, hasWant := rawjson.Get(c, "expected")
			_, fails := rawjson.Get(c, "error")
			d, err := ParseDocument(doc)
			if err != nil {
				t.Fatal(err)
			}
			ran++
			err = d.Patch(patch)
			switch {
			case fails && err == nil:
				t.Errorf("%s %d %s: %s on %s gave %s, want a failure", name, i, comment, patch, doc, d)
			case fails && !rawjson.Equal(d.String(), doc):
				t.Errorf("%s %d %s: the failed patch left %s of %s", name, i, comment, d, doc)
			case !fails && err != nil:
				t.Errorf("%s %d %s: %v", name, i, comment, err)
			case hasWant && !rawjson.Equal(d.String(), want):
				t.Errorf("%s %d %s: %s on %s gave %s, want %s", name, i, comment, patch, doc, d, want)
			}
		}
	}
	if ran < 80 {
		t.Errorf("only %d cases ran", ran)
	}
}
