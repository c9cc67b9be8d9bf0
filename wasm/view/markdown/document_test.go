package markdown

import (
	_ "embed"
	"strings"
	"testing"
	"time"
)

//go:embed testdata/commonmark.txt
var commonmark string

//go:embed testdata/github.txt
var github string

// answers are what answers of models hold beyond these.
//
//go:embed testdata/answers.txt
var answers string

func all() []example {
	return append(append(examples(commonmark), examples(github)...), examples(answers)...)
}

func TestExamples(t *testing.T) {
	list := all()
	if len(list) < 480 {
		t.Fatalf("only %d examples", len(list))
	}
	for _, e := range list {
		if got := tree(Parse(e.in)); got != e.want {
			t.Errorf("%s\n%sgot\n%swant\n%s", e.name, e.in, got, e.want)
		}
	}
}

// TestStream feeds every example in pieces: finished blocks never change, and in the end nothing tells how it came.
func TestStream(t *testing.T) {
	for _, e := range all() {
		for _, size := range []int{1, 3, 7} {
			var d Doc
			var kept []*Node
			var keptTree []string
			for i := 0; i < len(e.in); i += size {
				d.Append(e.in[i:min(i+size, len(e.in))])
				blocks, n := d.Blocks()
				if n < len(kept) {
					t.Fatalf("%s: finished blocks went from %d to %d", e.name, len(kept), n)
				}
				for j, b := range kept {
					if blocks[j] != b || tree(blocks[j:j+1]) != keptTree[j] {
						t.Fatalf("%s: finished block %d changed after %q", e.name, j, e.in[:i+size])
					}
				}
				for j := len(kept); j < n; j++ {
					kept = append(kept, blocks[j])
					keptTree = append(keptTree, tree(blocks[j:j+1]))
				}
			}
			d.Close(true)
			blocks, _ := d.Blocks()
			if got := tree(blocks); got != e.want {
				t.Errorf("%s in pieces of %d\n%sgot\n%swant\n%s", e.name, size, e.in, got, e.want)
			}
		}
	}
}

// TestOpen shows what an open text looks like at each stage.
func TestOpen(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"some **bold", `(p "some " (strong "bold"))`},
		{"some **bold te*", `(p "some " (strong "bold te"))`},
		{"some **bold** **", `(p "some " (strong "bold") " ")`},
		{"a *b **c", `(p "a " (em "b " (strong "c")))`},
		{"***both", `(p (em (strong "both")))`},
		{"~~gone", `(p (strike "gone"))`},
		{"run `go bui", `(p "run " (code "go bui"))`},
		{"run `", "(p \"run `\")"},
		{"2 * 3", `(p "2 * 3")`},
		{"see [the do", `(p "see the do")`},
		{"see [the docs]", `(p "see " (link to="" "the docs"))`},
		{"see [the docs](https://exa", `(p "see " (link to="" "the docs"))`},
		{"see [the docs](https://example.com \"ti", `(p "see " (link to="" "the docs"))`},
		{"see [1] and", `(p "see [1] and")`},
		{`so \(a*b`, `(p "so \\(a*b")`},
		{"$$\n- x", `(p "$$\n- x")`},
		{"H<sub>2", `(p "H" (sub "2"))`},
		{"H<sub>2</su", `(p "H" (sub "2"))`},
		{"H<su", `(p "H")`},
		{"<details>\n<summary>Why</summary>\nso", `(details (summary "Why") (p "so"))`},
		{"see ![alt](https://exa", `(p "see " (image to="" "alt"))`},
		{"# Tit", `(h 1 "Tit")`},
		{"##", ``},
		{"text\n-", `(p "text")`},
		{"text\n- a", `(p "text")` + "\n" + `(list (item (p "a")))`},
		{"text\n``", `(p "text")`},
		{"```go\nfunc", `(code-block info="go" "func\n")`},
		{"```go\nfunc()\n``", `(code-block info="go" "func()\n")`},
		{"| a | b", `(table (row (cell header "a") (cell header "b")))`},
		{"| a | b |\n|--", `(table (row (cell header "a") (cell header "b")))`},
		{"| a | b |\n|---|---|\n| **1", `(table (row (cell header "a") (cell header "b")) (row (cell (strong "1"))))`},
		{"- [x", ``},
		{"- [x] **don", `(list (item done (p (strong "don"))))`},
		{"a\\", `(p "a")`},
		{"**a\n\nb", `(p "**a")` + "\n" + `(p "b")`},
	} {
		var d Doc
		d.Append(c.in)
		blocks, _ := d.Blocks()
		if got := strings.TrimSuffix(tree(blocks), "\n"); got != c.want {
			t.Errorf("%q\ngot  %s\nwant %s", c.in, got, c.want)
		}
	}
}

func TestSet(t *testing.T) {
	var d Doc
	d.Set("one\n\ntwo\n\nthree\nfo")
	before, n := d.Blocks()
	if n != 2 {
		t.Fatalf("finished %d, want 2", n)
	}
	d.Set("one\n\ntwo\n\nthree\nfour")
	after, _ := d.Blocks()
	if before[0] != after[0] || before[1] != after[1] || before[2] == after[2] {
		t.Error("continuing must keep finished blocks, and only them")
	}
	d.Set("other\n\ntext")
	if blocks, _ := d.Blocks(); tree(blocks) != "(p \"other\")\n(p \"text\")\n" {
		t.Error("another text must replace everything: " + tree(blocks))
	}
}

// TestHostile reads inputs that make careless parsers slow or deep.
func TestHostile(t *testing.T) {
	const n = 60_000
	rep := strings.Repeat
	for name, in := range map[string]string{
		"open brackets":        rep("[", n),
		"images":               rep("![", n/2),
		"brackets":             rep("[", n/2) + rep("]", n/2),
		"nested images":        rep("![", n/8) + "x" + rep("](a)", n/8),
		"nested links":         rep("[", n/8) + "x" + rep("](a)", n/8),
		"links after brackets": rep("[", n/3) + rep("[a](b)", n/9),
		"links after images":   rep("![", n/3) + rep("[a](b)", n/9),
		"half links":           rep("[a](", n/4),
		"half links, titles":   rep("[a](b \"", n/7),
		"half links, pointed":  rep("[a](<b", n/6),
		"half links, spread":   rep("[a](b[a]c", n/9),
		"stars":                rep("*", n),
		"stars and letters":    rep("*a", n/2),
		"openers":              rep(" *a", n/3),
		"closers":              rep("a* ", n/3),
		"nested emphasis":      rep("*a ", n/6) + rep("b* ", n/6),
		"nested strong":        rep("**a ", n/8) + rep("b** ", n/8),
		"mixed emphasis":       rep("*a **a _a ", n/10),
		"mixed closers":        rep("a_ b* c~ ", n/9) + rep("a**b", n/4),
		"open then closers":    "a**b" + rep("c* ", n/3),
		"tildes":               rep("~a~~b", n/5),
		"backticks":            ticks(300),
		"backtick runs":        rep("`a``b", n/5),
		"angles":               rep("<", n),
		"angle addresses":      rep("<http://a", n/9),
		"addresses":            rep("http://", n/7),
		"host marks":           rep("(www.", n/5),
		"host marks, struck":   rep("~~www.", n/6),
		"hosts and sentences":  rep("*www.a:::", n/9),
		"schemes and brackets": rep("[http://", n/8),
		"hosts in cells":       "|a|\n|-|\n" + rep("|www.", n/5),
		"address parens":       "http://a.b/" + rep("(", n) + rep(")", n),
		"address dots":         "http://a.b/" + rep(".", n),
		"entities":             rep("&", n),
		"quotes":               rep(">", n),
		"quote lines":          rep("> > > > > > > > > > a\n", n/22),
		"nested lists":         rep("- ", n/2),
		"deep lists":           deep(300),
		"numbers":              rep("1) ", n/3),
		"rules":                rep("* ", n/2) + "a",
		"table":                rep("|a", n/4) + "\n" + rep("|-", n/4) + "\n" + rep("b\n", n/4),
		"delimiter rows":       rep("-|-\n", n/4),
		"blank lines":          "- a\n" + rep("\n", n) + "- b",
		"tabs":                 rep("\t", n) + "a",
		"backslashes":          rep("\\", n),
		"setext":               rep("a\n=\n", n/4),
		"NULs":                 rep("\x00", n),
		"invalid UTF-8":        rep("\xff*\xfe", n/3),
		"returns":              rep("a\r", n/2),
		"formulas":             rep(`\(a`, n/3),
		"formulas, inside":     rep(`\(`, n/2) + `a\)`,
		"empty formulas":       rep(`\(\)`, n/4),
		"formula lines":        rep("\\[a\n", n/4),
		"formula lines, ended": rep("\\[a\n", n/4) + `\]`,
		"dollar lines":         rep("$$a\n\n", n/5),
		"dollars":              rep("$$ ", n/3),
		"small tags":           rep("<sub>", n/5),
		"small tags, ended":    rep("<sub>", n/11) + rep("</sub>", n/11),
		"small ends":           "<sub>" + rep("</sup>", n/6),
		"notes":                rep("[^1]", n/4),
		"note lines":           rep("[^1]: ", n/6),
		"details":              rep("<details>\n", n/10),
		"details, ended":       rep("<details>\n", n/21) + rep("</details>\n", n/21),
		"details in a line":    rep("<details>", n/9),
	} {
		for _, open := range []bool{false, true} {
			start := time.Now()
			var d Doc
			d.Set(in)
			d.Close(!open)
			blocks, _ := d.Blocks()
			if took := time.Since(start); took > time.Second {
				t.Errorf("%s: %v for %d bytes", name, took, len(in))
			}
			if got := depth(blocks); got > maxContainers+2*maxInline {
				t.Errorf("%s: depth %d", name, got)
			}
		}
	}
}

func ticks(n int) string {
	var b strings.Builder
	for i := 1; i < n; i++ {
		b.WriteString("a" + strings.Repeat("`", i))
	}
	return b.String()
}

func deep(n int) string {
	var b strings.Builder
	for i := 0; i < n; i++ {
		b.WriteString(strings.Repeat("  ", i) + "- a\n")
	}
	return b.String()
}

func TestSafeURL(t *testing.T) {
	for _, c := range []struct {
		in, want string
		ok       bool
	}{
		{"https://a.example/b?c#d", "https://a.example/b?c#d", true},
		{"HTTP://A", "HTTP://A", true},
		{"mailto:a@b.example", "mailto:a@b.example", true},
		{"tel:+123", "tel:+123", true},
		{"/a", "/a", true},
		{"a/b:c", "a/b:c", true},
		{"?x=javascript:1", "?x=javascript:1", true},
		{"#a", "#a", true},
		{"//host/a", "//host/a", true},
		{" https://a ", "https://a", true},
		{"", "", false},
		{"javascript:alert(1)", "", false},
		{"JaVaScRiPt:alert(1)", "", false},
		{"java\nscript:alert(1)", "", false},
		{"java\tscript\r\n:alert(1)", "", false},
		{"\x01\x02 javascript:alert(1)", "", false},
		{"data:text/html,x", "", false},
		{"vbscript:x", "", false},
		{"blob:https://a/b", "", false},
		{"file:///etc/passwd", "", false},
		{"view-source:https://a", "", false},
		{"intent://x", "", false},
		{"javascript\x00:alert(1)", "javascript\x00:alert(1)", true}, // no scheme: browsers read a relative path
	} {
		if got, ok := SafeURL(c.in); got != c.want || ok != c.ok {
			t.Errorf("%q: got %q %v, want %q %v", c.in, got, ok, c.want, c.ok)
		}
	}
	if _, ok := SafeSource("mailto:a@b.example"); ok {
		t.Error("a mail address is no source")
	}
}

func FuzzDoc(f *testing.F) {
	for _, e := range all() {
		f.Add(e.in, 3)
	}
	f.Fuzz(func(t *testing.T, in string, size int) {
		if len(in) > 2000 {
			return
		}
		want := Parse(in)
		if got := depth(want); got > maxContainers+2*maxInline {
			t.Fatalf("depth %d", got)
		}
		var d Doc
		size = max(size&15, 1)
		for i := 0; i < len(in); i += size {
			d.Append(in[i:min(i+size, len(in))])
			d.Blocks()
		}
		d.Close(true)
		got, _ := d.Blocks()
		if tree(got) != tree(want) {
			t.Fatalf("in pieces\n%sat once\n%s", tree(got), tree(want))
		}
	})
}

// TestLimit grows a text under a limit that is raised: what is there is what an unlimited reader has, up to where it
// was cut.
func TestLimit(t *testing.T) {
	for _, e := range all() {
		want := tree(Parse(e.in + "\n\nend"))
		for _, size := range []int{2, 1000} {
			var d Doc
			d.Limit(1)
			for i := 0; i < len(e.in); i += size {
				d.Append(e.in[i:min(i+size, len(e.in))])
				d.Blocks()
			}
			d.Append("\n\nend")
			d.Close(true)
			for n := 2; ; n++ {
				blocks, _ := d.Blocks()
				if !d.Cut() {
					if got := tree(blocks); got != want {
						t.Errorf("%s\n%sgot\n%swant\n%s", e.name, e.in, got, want)
					}
					break
				}
				if n > 500 {
					t.Fatalf("%s: cut for ever", e.name)
				}
				d.Limit(n)
			}
		}
	}
}
