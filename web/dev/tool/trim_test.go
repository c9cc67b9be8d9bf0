package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestLeanPatches asks the real evanphx/json-patch and the build's copy, which has other JSON and fmt packages in it,
// about the same patches: they must accept and refuse the same, with the same values and the same kinds of errors.
func TestLeanPatches(t *testing.T) {
	t.Chdir("../../..")
	if err := os.MkdirAll(buildDir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := trimModules(); err != nil {
		t.Fatal(err)
	}
	cases, seed := 30000, uint64(1)
	if text := os.Getenv("AGUI_LEAN"); text != "" { // more cases, from another seed
		if _, err := fmt.Sscan(text, &cases, &seed); err != nil {
			t.Fatal(err)
		}
	}
	random := rand.New(rand.NewPCG(seed, 2))
	var in bytes.Buffer
	texts := make([]string, cases)
	for i := range cases {
		patch, doc := randomPatch(random), mutated(random, randomValue(random, 3))
		texts[i] = fmt.Sprintf("%q on %q", patch, doc)
		line, _ := json.Marshal(map[string][]byte{"patch": []byte(patch), "doc": []byte(doc)})
		in.Write(append(line, '\n'))
	}
	ask := func(flags ...string) []string {
		args := append([]string{"run"}, append(flags, "./"+leanDir+"/probe")...)
		cmd := exec.Command("go", args...)
		cmd.Stdin, cmd.Stderr = bytes.NewReader(in.Bytes()), os.Stderr
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		return strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
	}
	theirs, ours := ask(), ask("-modfile="+wasmMod)
	if len(theirs) != cases || len(ours) != cases {
		t.Fatalf("%d and %d answers for %d cases", len(theirs), len(ours), cases)
	}
	refused, applied, faults := 0, 0, 0
	for i := range theirs {
		switch {
		case strings.HasPrefix(theirs[i], "refused"):
			refused++
		case !strings.Contains(theirs[i], "failed"):
			applied++
		}
		if theirs[i] != ours[i] {
			if faults++; faults < 10 {
				t.Errorf("%s:\nthe module: %s\nthe copy:   %s", texts[i], theirs[i], ours[i])
			}
		}
	}
	// Cases of each kind, or the comparison says little.
	if refused < cases/20 || applied < cases/20 {
		t.Errorf("%d refused and %d applied of %d", refused, applied, cases)
	}
	t.Logf("%d refused, %d applied, %d of %d differ", refused, applied, faults, cases)
}

var leanStrings = []string{
	`"a"`, `"b"`, `""`, `"~0"`, `"/"`, `"\u0041"`, `"\ud83d\ude00"`, `"\ud83d"`, `"\ude00x"`, `"\ud83d\u0041"`,
	`"\b\f\n\r\t\/\\\""`,
	`"<&>"`, "\"\u2028\"", `"\u2028"`, "\"\xff\"", "\"\xed\xa0\x80\"", `"\u0000"`, `"\ufffd"`, `"é"`,
}

func randomValue(r *rand.Rand, depth int) string {
	space := []string{"", "", "", " ", "\n\t"}[r.IntN(5)]
	switch n := r.IntN(10); {
	case n < 3 && depth > 0:
		var items []string
		for range r.IntN(4) {
			items = append(items, randomKey(r)+space+":"+randomValue(r, depth-1))
		}
		return "{" + space + strings.Join(items, ","+space) + "}"
	case n < 5 && depth > 0:
		var items []string
		for range r.IntN(4) {
			items = append(items, randomValue(r, depth-1))
		}
		return "[" + strings.Join(items, space+",") + space + "]"
	case n < 7:
		return leanStrings[r.IntN(len(leanStrings))]
	default:
		return []string{"null", "true", "false", "0", "-1", "1.50", "1e3", "12345678901234567890"}[r.IntN(8)]
	}
}

func randomKey(r *rand.Rand) string {
	if r.IntN(3) > 0 {
		return []string{`"a"`, `"b"`, `"0"`}[r.IntN(3)]
	}
	return leanStrings[r.IntN(len(leanStrings))]
}

func randomPointer(r *rand.Rand) string {
	pointer := ""
	for range r.IntN(4) {
		pointer += "/" + []string{"a", "b", "0", "1", "-", "-1", "~0", "~1", "A", "😀", "x", "\\u0061"}[r.IntN(12)]
	}
	return `"` + pointer + `"`
}

func randomPatch(r *rand.Rand) string {
	var ops []string
	for range r.IntN(4) {
		var members []string
		add := func(key, value string) {
			if r.IntN(40) == 0 {
				return
			}
			if r.IntN(40) == 0 {
				value = randomValue(r, 1)
			}
			members = append(members, `"`+key+`":`+value)
		}
		add("op", `"`+[]string{"add", "remove", "replace", "move", "copy", "test", "none"}[min(6, r.IntN(30)%7)]+`"`)
		add("path", randomPointer(r))
		add("value", randomValue(r, 2))
		if r.IntN(2) == 0 {
			add("from", randomPointer(r))
		}
		if r.IntN(20) == 0 {
			add("path", randomPointer(r)) // twice: the last one counts
		}
		op := "{" + strings.Join(members, ",") + "}"
		if r.IntN(40) == 0 {
			op = randomValue(r, 1)
		}
		ops = append(ops, op)
	}
	return mutated(r, "["+strings.Join(ops, ",")+"]")
}

// mutated damages one text in ten.
func mutated(r *rand.Rand, text string) string {
	if r.IntN(10) > 0 || text == "" {
		return text
	}
	b, at := []byte(text), r.IntN(len(text))
	switch r.IntN(3) {
	case 0:
		b[at] = byte(r.IntN(256))
	case 1:
		b = append(b[:at], b[at+1:]...)
	case 2:
		b = b[:at]
	}
	return string(b)
}
