package agui

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestLawNamesFunctions: PROTOCOL.md names functions that exist, and a row for each rule.
func TestLawNamesFunctions(t *testing.T) {
	law, err := os.ReadFile("PROTOCOL.md")
	if err != nil {
		t.Fatal(err)
	}
	names := regexp.MustCompile("`((?:agui|state|thread)\\.[A-Za-z.]+)`").FindAllStringSubmatch(string(law), -1)
	if len(names) < 30 {
		t.Errorf("%d names", len(names))
	}
	have := map[string]bool{}
	for name, folder := range map[string]string{"agui": ".", "state": "../state", "thread": "../state/thread"} {
		functions(t, name, folder, have)
	}
	for _, n := range names {
		if !have[n[1]] {
			t.Errorf("there is no function %s", n[1])
		}
	}
	for _, r := range Rules() {
		if !strings.Contains(string(law), "\n| "+r.Name+" | `agui.") {
			t.Errorf("no row says where %s is judged", r.Name)
		}
	}
}

// functions notes the functions of a package as package.Name or package.Type.Name.
func functions(t *testing.T, name, folder string, have map[string]bool) {
	files, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%s: %d files (%v)", folder, len(files), err)
	}
	for _, path := range files {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			full := f.Name.Name
			if f.Recv != nil {
				of := f.Recv.List[0].Type
				if star, ok := of.(*ast.StarExpr); ok {
					of = star.X
				}
				if id, ok := of.(*ast.Ident); ok {
					full = id.Name + "." + full
				}
			}
			have[name+"."+full] = true
		}
	}
}

// TestCitedSectionsExist: where a comment of Go or JavaScript cites a section of the protocol, it is there. Sections of
// other texts (RFC 6902, WHATWG) have a dot in their number, or the text's name on the line.
func TestCitedSectionsExist(t *testing.T) {
	law, err := os.ReadFile("PROTOCOL.md")
	if err != nil {
		t.Fatal(err)
	}
	cited := regexp.MustCompile(`[Ss]ections? (\d+)(\.\d+)?(?:(?: to |, | and )(\d+))?`)
	count := 0
	for _, root := range []string{"../agui", "../state", "../wasm", "../web/js", "../web/dev"} {
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if ext := filepath.Ext(path); d.IsDir() || (ext != ".go" && ext != ".js") {
				return nil
			}
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			for _, line := range strings.Split(string(text), "\n") {
				for _, m := range cited.FindAllStringSubmatch(line, -1) {
					if m[2] != "" || strings.Contains(line, "RFC") || strings.Contains(line, "WHATWG") {
						continue
					}
					for _, n := range []string{m[1], m[3]} {
						if n == "" {
							continue
						}
						count++
						if !strings.Contains(string(law), "\n## "+n+". ") {
							t.Errorf("%s cites section %s: %s", path, n, strings.TrimSpace(line))
						}
					}
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if count < 40 {
		t.Errorf("%d citations", count)
	}
}
