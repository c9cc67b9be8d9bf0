package agui_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"aguiwasm/agui"
)

// TestConstantsNameTheirKind: a constant of a kind says so in its name, and what it is in its comment: agui.Tool is a
// type and agui.RoleTool a role.
func TestConstantsNameTheirKind(t *testing.T) {
	kinds := map[string]string{"Type": "Type", "Code": "Code", "WarningCode": "Warn", "Role": "Role"}
	// These say what they are by their value, which is the protocol's own word.
	words := map[string]bool{"Type": true, "Role": true}
	counts := map[string]int{}
	types := agui.Types()
	for _, folder := range []string{".", "../state/rejoin"} {
		files, err := filepath.Glob(folder + "/*.go")
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range files {
			p, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
			if err != nil {
				t.Fatal(err)
			}
			alone := "" // the comment of a constant without a group
			ast.Inspect(p, func(n ast.Node) bool {
				if group, ok := n.(*ast.GenDecl); ok && len(group.Specs) == 1 {
					alone = group.Doc.Text()
				}
				spec, ok := n.(*ast.ValueSpec)
				if !ok {
					return true
				}
				text := spec.Doc.Text() + alone
				alone = ""
				kind := ""
				switch typ := spec.Type.(type) {
				case *ast.Ident:
					kind = typ.Name
				case *ast.SelectorExpr:
					kind = typ.Sel.Name
				}
				prefix, known := kinds[kind]
				for _, name := range spec.Names {
					if !known || !name.IsExported() || len(spec.Values) == 0 {
						continue
					}
					counts[kind]++
					if value, ok := spec.Values[0].(*ast.BasicLit); ok && kind == "Type" {
						text, _ := strconv.Unquote(value.Value)
						if i := slices.Index(types, agui.Type(text)); i >= 0 {
							types = slices.Delete(types, i, i+1)
						} else {
							t.Errorf("Types does not give %s", text)
						}
					}
					if !strings.HasPrefix(name.Name, prefix) || name.Name == prefix {
						t.Errorf("%s is a %s: its name begins with %s", name.Name, kind, prefix)
					}
					if !words[kind] && !strings.HasPrefix(text, name.Name+":") &&
						!strings.HasPrefix(text, name.Name+" is ") {
						t.Errorf("%s has no comment that says what it is", name.Name)
					}
				}
				return true
			})
		}
	}
	if len(types) > 0 {
		t.Errorf("Types gives what is no constant, or twice: %q", types)
	}
	for kind, least := range map[string]int{"Type": 31, "Code": 16, "WarningCode": 9, "Role": 7} {
		if counts[kind] < least {
			t.Errorf("%d constants of the kind %s: the test looks at the wrong place", counts[kind], kind)
		}
	}
}
