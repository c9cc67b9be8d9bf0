package rawjson

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"
)

func TestCheck(t *testing.T) {
	tests := []struct {
		name, in, want string
	}{
		{"an object", ` {"a" : [1, -2.5e+10, true, false, null, "x"] , "b":{}} `, ""},
		{"a scalar", `0`, ""},
		{"escapes", `"\"\\\/\b\f\n\r\t\u00Ae\ud800"`, ""},
		{"bytes that are no UTF-8", "\"\xff\"", ""},
		{"nothing", ``, "expected a value, got the end of the text at byte 0"},
		{"two values", `1 2`, "expected the end of the text, got '2' at byte 2"},
		{"a leading zero", `01`, "expected the end of the text, got '1' at byte 1"},
		{"a bare minus", `-`, "expected a value, got the end of the text at byte 1"},
		{"no fraction", `1.`, "expected a digit, got the end of the text at byte 2"},
		{"no exponent", `1e+`, "expected a digit, got the end of the text at byte 3"},
		{"a control character", "\"a\x01\"", `expected no control character in a string, got '\x01' at byte 2`},
		{"an unknown escape", `"\x"`, "expected an escape that JSON knows, got 'x' at byte 2"},
		{"a short escape", `"\u12g4"`, "expected four hexadecimal digits, got 'g' at byte 5"},
		{"an open string", `"a`, "expected a closing quote, got the end of the text at byte 2"},
		{"a trailing comma", `{"a":1,}`, "expected a quoted key, got '}' at byte 7"},
		{"a trailing comma in an array", `[1,]`, "expected a value, got ']' at byte 3"},
		{"no colon", `{"a" 1}`, "expected a colon, got '1' at byte 5"},
		{"the wrong bracket", `{"a":[1}`, "expected a comma or a closing bracket, got '}' at byte 7"},
		{"the wrong brace", `[{"a":1]`, "expected a comma or a closing brace, got ']' at byte 7"},
		{"half a word", `[tru]`, "expected true, got ']' at byte 4"},
		{"a byte beyond ASCII", "[\xc3\xa9]", "expected a value, got byte 0xc3 at byte 1"},
		{"the deepest", strings.Repeat("[", 1000) + strings.Repeat("]", 1000), ""},
		{"too deep", strings.Repeat("[", 1001), "nested deeper than 1000 levels at byte 1000"},
		{"too deep in objects", strings.Repeat(`{"a":`, 5000), "nested deeper than 1000 levels at byte 5000"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var ix Index
			_, err := ix.Parse(tt.in, 0)
			for _, err := range []error{Check(tt.in, 0), err} {
				got := ""
				if err != nil {
					got = err.Error()
				}
				if got != tt.want {
					t.Errorf("got %q, want %q", got, tt.want)
				}
				var se *SyntaxError
				if errors.As(err, &se) && se.TooDeep != strings.Contains(tt.want, "deeper") {
					t.Errorf("TooDeep is %v", se.TooDeep)
				}
			}
		})
	}
}

func TestCheckDepth(t *testing.T) {
	if err := Check(`[[1]]`, 2); err != nil {
		t.Error(err)
	}
	if err := Check(`[[[1]]]`, 2); err == nil {
		t.Error("depth 3 passed a limit of 2")
	}
	var ix Index
	if _, err := ix.Parse(`{"a":{"b":1}}`, 2); err != nil {
		t.Error(err)
	}
	if _, err := ix.Parse(`{"a":{"b":[]}}`, 2); err == nil {
		t.Error("depth 3 passed a limit of 2")
	}
}

func TestIndex(t *testing.T) {
	var ix Index
	kind, err := ix.Parse(` { "a" : 1 , "b":[ {"a":2} ],"a":"x\"}" , "c\u0041":null } `, 0)
	if err != nil || kind != Object {
		t.Fatal(kind, err)
	}
	want := []Member{{`"a"`, `1`}, {`"b"`, `[ {"a":2} ]`}, {`"a"`, `"x\"}"`}, {`"c\u0041"`, `null`}}
	if !slices.Equal(ix.Members, want) {
		t.Errorf("got %q", ix.Members)
	}
	if v, ok := ix.Get("a"); v != `"x\"}"` || !ok {
		t.Errorf("Get(a) = %q, %v", v, ok)
	}
	if v, ok := ix.Get("cA"); v != `null` || !ok {
		t.Errorf("Get(cA) = %q, %v", v, ok)
	}
	if _, ok := ix.Get("A"); ok {
		t.Error("keys are matched without regard to case")
	}
	ix.Read(`{ }`)
	if len(ix.Members) != 0 {
		t.Error("an empty object has members")
	}
	if kind, err := ix.Parse(`[{}]`, 0); kind != Array || err != nil || len(ix.Members) != 0 {
		t.Error(kind, err, ix.Members)
	}
}

func TestMembersAndElements(t *testing.T) {
	obj := ` { "a" : 1 , "b":[ ],"a":"x" } `
	var got []string
	for k, v := range Members(strings.TrimSpace(obj)) {
		got = append(got, string(k), v)
	}
	if want := []string{`"a"`, `1`, `"b"`, `[ ]`, `"a"`, `"x"`}; !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
	got = nil
	for i, v := range Elements(`[ 1, [2,{"a":"]"}] ,"," ]`) {
		got = append(got, fmt.Sprint(i), v)
	}
	if want := []string{"0", "1", "1", `[2,{"a":"]"}]`, "2", `","`}; !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
	for range Members(`[1]`) {
		t.Error("an array has members")
	}
	for range Elements(`{"a":1}`) {
		t.Error("an object has elements")
	}
	if v, ok := Get(`{"a":1,"\u0061":2}`, "a"); v != "2" || !ok {
		t.Errorf("Get = %q, %v", v, ok)
	}
}

func TestString(t *testing.T) {
	tests := []struct{ in, want string }{
		{`""`, ""},
		{`"plain é"`, "plain é"},
		{`"\"\\\/\b\f\n\r\tA\u0041"`, "\"\\/\b\f\n\r\tAA"},
		{`"\ud83d\ude80"`, "🚀"},
		{`"a\ud83d"`, "a\xed\xa0\xbd"},
		{`"\ude80\ud83d"`, "\xed\xba\x80\xed\xa0\xbd"},
		{`"\ud83d\u0041"`, "\xed\xa0\xbdA"},
	}
	for _, tt := range tests {
		if got := String(tt.in).Decode(); got != tt.want {
			t.Errorf("Decode(%s) = %q, want %q", tt.in, got, tt.want)
		}
		if !String(tt.in).Is(tt.want) || String(tt.in).Is(tt.want+"x") {
			t.Errorf("Is(%s) is wrong", tt.in)
		}
		if back := Quote(tt.want).Decode(); back != tt.want {
			t.Errorf("Quote(%q) comes back as %q", tt.want, back)
		}
	}
	if got, want := Quote("a\"\\\x01\n\u2028\xed\xa0\xbd\xff"),
		String(`"a\"\\\u0001\n`+"\u2028"+`\ud83d`+"\ufffd\""); got != want {
		t.Errorf("Quote = %s, want %s", got, want)
	}
	if s := String(`"abc"`); s.Body() != "abc" || String("").Body() != "" {
		t.Error("Body")
	}
}

func TestEqual(t *testing.T) {
	tests := []struct {
		a, b string
		want bool
	}{
		{`1`, `1.0`, true},
		{`10`, `1e1`, true},
		{`0.001`, `1E-3`, true},
		{`-0`, `0e99999999999999999999`, true},
		{`9007199254740993`, `9007199254740992`, false},
		{`1e400`, `1e401`, false},
		{`1e400`, `10e399`, true},
		{`1`, `-1`, false},
		{`1e12345678901234567890`, `1e12345678901234567890`, true},
		{`1e12345678901234567890`, `1e-12345678901234567890`, false},
		{`"a"`, `"\u0061"`, true},
		{`"\ud83d"`, `"\ufffd"`, false},
		{`"1"`, `1`, false},
		{`[1,2]`, `[ 1.0, 2 ]`, true},
		{`[1,2]`, `[2,1]`, false},
		{`[1]`, `[1,1]`, false},
		{`{"a":1,"b":[{}]}`, `{"b":[{ }],"a":1.0}`, true},
		{`{"a":1,"a":2}`, `{"a":2}`, true},
		{`{"a":1}`, `{"a":1,"b":null}`, false},
		{`{"a":null}`, `{"b":null}`, false},
		{`null`, `false`, false},
		{`true`, `true`, true},
	}
	for _, tt := range tests {
		if got := Equal(tt.a, tt.b); got != tt.want {
			t.Errorf("Equal(%s, %s) = %v", tt.a, tt.b, got)
		}
		if got := Equal(tt.b, tt.a); got != tt.want {
			t.Errorf("Equal(%s, %s) = %v", tt.b, tt.a, got)
		}
	}
}

func TestCompactEditSet(t *testing.T) {
	if got := Compact(" { \"a b\" : [ 1 ,\n2 ] } "); got != `{"a b":[1,2]}` {
		t.Errorf("Compact = %s", got)
	}
	drop := func(k String, v string) (string, bool) { return v, v != "null" }
	tests := []struct{ in, want string }{
		{`{ "a" : 1 }`, `{ "a" : 1 }`},
		{`{"a":null,"b":1}`, `{"b":1}`},
		{`{"a":1,"b":2,"\u0061":null}`, `{"b":2}`},
		{`{"a":null,"b":2,"a":1}`, `{"a":null,"b":2,"a":1}`},
		{`{"a":null}`, `{}`},
	}
	for _, tt := range tests {
		if got := Edit(tt.in, drop); got != tt.want {
			t.Errorf("Edit(%s) = %s, want %s", tt.in, got, tt.want)
		}
	}
	for _, tt := range []struct{ obj, key, want string }{
		{`{}`, "a", `{"a":9}`},
		{`{"b":1}`, "a", `{"b":1,"a":9}`},
		{`{"a":1,"b":2}`, "a", `{"a":9,"b":2}`},
		{`{"a":9}`, "a", `{"a":9}`},
	} {
		if got := Set(tt.obj, tt.key, "9"); got != tt.want {
			t.Errorf("Set(%s, %s) = %s", tt.obj, tt.key, got)
		}
	}
	many := "{"
	for i := range 40 {
		many += fmt.Sprintf(`"k%d":%d,`, i%20, i)
	}
	many += `"z":null}`
	if got := Edit(many, drop); strings.Count(got, ":") != 20 || !strings.Contains(got, `"k0":20`) {
		t.Errorf("Edit over many members = %s", got)
	}
}

func TestKind(t *testing.T) {
	for in, want := range map[string]string{`{}`: "an object", `[]`: "an array", `"`: "a string", `-1`: "a number",
		`true`: "a boolean", `false`: "a boolean", `null`: "null", ``: "nothing"} {
		if got := KindOf(in).String(); got != want {
			t.Errorf("KindOf(%s) = %s", in, got)
		}
	}
}

func FuzzCheck(f *testing.F) {
	for _, s := range []string{`{"a":[1,-2.5e+1,true,null,"\u00e9\ud83d"]}`, `{"a":1,"a":2}`, `[[],{}]`, ` 1 `, `{"a":`,
		"\"\x00\"", `-0.0E-0`, `{"\u0061":{}}`, `[1,]`, "\xef\xbb\xbf1"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		valid := json.Valid([]byte(s))
		err := Check(s, 9000)
		if (err == nil) != valid {
			t.Fatalf("Check says %v, encoding/json says %v", err, valid)
		}
		var ix Index
		kind, ixErr := ix.Parse(s, 9000)
		if fmt.Sprint(ixErr) != fmt.Sprint(err) {
			t.Fatalf("Parse says %v, Check says %v", ixErr, err)
		}
		// Readers of checked text must hold on any text.
		obj := strings.TrimSpace(s)
		var members []Member
		for k, v := range Members(obj) {
			members = append(members, Member{k, v})
		}
		for range Elements(obj) {
		}
		Compact(s)
		Equal(obj, obj+" ")
		Edit(obj, func(String, string) (string, bool) { return "", false })
		Set(obj, "k", "1")
		if valid && kind == Object {
			if !slices.Equal(members, ix.Members) {
				t.Fatalf("Members %q, Index %q", members, ix.Members)
			}
			var want map[string]json.RawMessage
			if json.Unmarshal([]byte(s), &want) == nil {
				for k, v := range want {
					if strings.Contains(k, "\ufffd") {
						continue // it took half a pair or a bad byte for U+FFFD
					}
					if got, ok := Get(obj, k); !ok || got != string(v) {
						t.Fatalf("Get(%q) = %q, want %q", k, got, v)
					}
				}
			}
			if c := Compact(obj); Check(c, 9000) != nil || !Equal(obj, c) {
				t.Fatalf("Compact gives %s", c)
			}
		}
	})
}

func FuzzString(f *testing.F) {
	for _, s := range []string{`"a"`, `"\ud83d\ude80"`, `"\ud83d"`, `"\\\"\u0000"`, `"é"`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		s = strings.TrimSpace(s)
		got := String(s).Decode()
		if Check(s, 0) != nil || KindOf(s) != Str {
			return
		}
		// The oracle sees halves as U+FFFD; so do we when each half is replaced.
		var want string
		if json.Unmarshal([]byte(s), &want) != nil {
			t.Fatal("the oracle refuses what Check takes")
		}
		if strings.ToValidUTF8(s, "\ufffd") == s {
			if halved := replaceHalves(got); halved != want {
				t.Fatalf("Decode = %q, want %q", halved, want)
			}
			if back := Quote(got).Decode(); back != got {
				t.Fatalf("Quote(%q) comes back as %q", got, back)
			}
		}
		if q := string(Quote(s)); Check(q, 0) != nil {
			t.Fatalf("Quote gives %q", q)
		}
	})
}

// replaceHalves puts U+FFFD for each half of a surrogate pair.
func replaceHalves(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); {
		if r := surrogateAt(s, i); r != 0 && utf16.IsSurrogate(r) {
			b.WriteString("\ufffd")
			i += 3
			continue
		}
		b.WriteByte(s[i])
		i++
	}
	return b.String()
}

func BenchmarkIndex(b *testing.B) {
	small := `{"type":"TEXT_MESSAGE_CONTENT","messageId":"msg_0123456789abcdef","delta":"a few words of text, "}`
	large := `{"type":"STATE_SNAPSHOT","snapshot":[` +
		strings.Repeat(`{"id":12345,"name":"some name here","tags":["a","b","c"],"on":true},`, 3000) + `null]}`
	text := `{"type":"TEXT_MESSAGE_CONTENT","delta":"` + strings.Repeat("some words and ", 20000) + `"}`
	for _, bb := range []struct{ name, in string }{{"small", small}, {"large", large}, {"text", text}} {
		b.Run(bb.name, func(b *testing.B) {
			var ix Index
			b.SetBytes(int64(len(bb.in)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := ix.Parse(bb.in, 0); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// Check keeps apart what is open at every depth: arrays and objects in random order, closed in random places, right and
// wrong.
func TestCheckKeepsApartWhatIsOpen(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 3000 {
		var text, open []byte
		value := false // a value has just ended
		for n := r.IntN(900); n > 0; n-- {
			switch {
			case len(open) > 0 && r.IntN(3) == 0 && len(open) > r.IntN(300):
				text = append(text, open[len(open)-1])
				if r.IntN(2000) == 0 {
					text[len(text)-1] ^= '}' ^ ']'
				}
				open, value = open[:len(open)-1], true
			case len(open) == 0 && len(text) > 0:
				n = 1
			default:
				if value {
					text = append(text, ',')
				}
				if len(open) > 0 && open[len(open)-1] == '}' {
					text = append(text, `"k`+strings.Repeat("x", r.IntN(12))+`":`...)
				}
				if r.IntN(2) == 0 {
					text, open = append(text, '{'), append(open, '}')
				} else {
					text, open = append(text, '['), append(open, ']')
				}
				value = false
			}
		}
		for i := len(open) - 1; i >= 0; i-- {
			text = append(text, open[i])
		}
		if got, want := Check(string(text), 0) == nil, json.Valid(text); got != want {
			t.Fatalf("%s: %v, want %v", text, got, want)
		}
	}
}

// Check reads words of eight bytes: each fault at each distance from the word's and the text's end, beside
// encoding/json.
func TestCheckAtEveryPlace(t *testing.T) {
	parts := []string{`"`, `\`, `\"`, `\u12a`, `\u12aB`, "\x1f", "\x00", "#", "!", "\x7f", "é", "\u2028", ":", ",", "{",
		"}", "]", " ", "\n", "0", "00", "-", "-0", "1.5", "1.", "1e", "1E5", "12345678", "true", "tru", "null", "false",
		`""`, "é"}
	for _, part := range parts {
		for before := range 18 {
			for after := range 10 {
				pad := func(n int) string { return strings.Repeat("7", n) }
				for _, text := range []string{
					`{"` + pad(before) + part + pad(after) + `":1}`, `["` + pad(before) + part + pad(after) + `"]`,
					`[` + pad(before) + part + pad(after) + `]`,
					`{"a":` + pad(before) + part + pad(after) + `,"b":2}`,
					`{"a"` + pad(before%3) + part + pad(after%3) + `:1,"b":"c"}`,
					`[1` + part + `,"` + pad(before) + `"` + part + `]` + pad(after%2),
				} {
					if got, want := Check(text, 0) == nil, json.Valid([]byte(text)); got != want {
						t.Fatalf("%q: %v, want %v", text, got, want)
					}
				}
			}
		}
	}
}
