package proto

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"math"
	"os"
	"reflect"
	"strings"
	"testing"

	"aguiwasm/agui/rawjson"
)

// sample is a message with what @ag-ui/proto 1.0.0 makes of it (web/dev/test/proto/samples.js).
type sample struct {
	Name    string          `json:"name"`
	Message string          `json:"message"`
	Event   json.RawMessage `json:"event"`
	Fails   string          `json:"fails"`
}

func samples(t testing.TB) []sample {
	text, err := os.ReadFile("testdata/samples.json")
	if err != nil {
		t.Fatal(err)
	}
	var list []sample
	if err := json.Unmarshal(text, &list); err != nil {
		t.Fatal(err)
	}
	return list
}

func (s sample) bytes(t testing.TB) []byte {
	b, err := base64.StdEncoding.DecodeString(s.Message)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestSamples: every message is what the oracle makes of it.
func TestSamples(t *testing.T) {
	for _, s := range samples(t) {
		t.Run(s.Name, func(t *testing.T) {
			got, _, fault := AppendEvent([]byte("before"), s.bytes(t))
			if fault != nil {
				if want := map[bool]string{true: "unknown", false: "invalid"}[fault.Unknown]; want != s.Fails ||
					string(got) != "before" {
					t.Fatalf("%v; the oracle: %q %s", fault, s.Fails, s.Event)
				}
				return
			}
			if s.Fails != "" {
				t.Fatalf("the oracle finds it %s; got %s", s.Fails, got)
			}
			if want := values(t, s.Event); !reflect.DeepEqual(values(t, got[len("before"):]), want) {
				t.Fatalf("got  %s\nwant %s", got, s.Event)
			}
		})
	}
}

// values reads JSON text with numbers as JavaScript has them.
func values(t testing.TB, text []byte) any {
	if err := rawjson.Check(string(text), rawjson.MaxDepth+10); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	var v any
	if err := json.Unmarshal(text, &v); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return v
}

// TestNumbers: doubles are written as JavaScript writes them; what JSON does not have is a fault.
func TestNumbers(t *testing.T) {
	for n, want := range map[float64]string{
		0: "0", 1: "1", -1: "-1", 0.1: "0.1", 1e15: "1000000000000000", 123456789012345680000: "123456789012345680000",
		1e21: "1e+21",
		1e-6: "0.000001", 1e-7: "1e-07", math.MaxFloat64: "1.7976931348623157e+308", math.Copysign(0, -1): "-0",
		math.Inf(1): "", math.Inf(-1): "",
	} {
		w := writer{}
		if w.number(n); string(w.dst) != want || (w.fault != nil) != (want == "") {
			t.Errorf("%v: got %q %v, want %q", n, w.dst, w.fault, want)
		}
	}
	w := writer{}
	if w.number(math.NaN()); w.fault == nil {
		t.Error("NaN is no fault")
	}
}

// TestDepth: a value as deep as JSON may be is taken, a deeper one is a fault, and one of a million levels costs no
// stack.
func TestDepth(t *testing.T) {
	for _, test := range []struct {
		depth   int
		tooDeep bool
	}{{rawjson.MaxDepth - 1, false}, {rawjson.MaxDepth + 1, true}, {100_000, true}} {
		value := []byte{1 << 3, 0}
		var nested []byte // from the inside out, written from the end
		nested = reverse(append(nested, value...))
		for range test.depth {
			n := len(nested)
			nested = append(nested, reverse(binary.AppendUvarint([]byte{1<<3 | bytes}, uint64(n)))...)
			n = len(nested)
			nested = append(nested, reverse(binary.AppendUvarint([]byte{listValue<<3 | bytes}, uint64(n)))...)
		}
		nested = reverse(nested)
		body := append([]byte{1<<3 | bytes, 2, 1 << 3, 6, 2<<3 | bytes},
			binary.AppendUvarint(nil, uint64(len(nested)))...)
		body = append(body, nested...)
		message := append(binary.AppendUvarint([]byte{7<<3 | bytes}, uint64(len(body))), body...)
		json, _, fault := AppendEvent(nil, message)
		if fault != nil && (!test.tooDeep || !fault.TooDeep || fault.Type != "STATE_SNAPSHOT") || fault == nil &&
			test.tooDeep {
			t.Errorf("%d levels: %v", test.depth, fault)
		}
		if want := `{"type":"STATE_SNAPSHOT","snapshot":` + strings.Repeat("[", test.depth) + "null" +
			strings.Repeat("]", test.depth) + "}"; fault == nil && string(json) != want {
			t.Errorf("%d levels: got %.100s", test.depth, json)
		}
	}
}

func reverse(b []byte) []byte {
	for i, j := 0, len(b)-1; i < j; i, j = i+1, j-1 {
		b[i], b[j] = b[j], b[i]
	}
	return b
}

// TestMergingIsLinear: nothing is copied level by level where each level comes in two pieces.
func TestMergingIsLinear(t *testing.T) {
	message := []byte{3<<3 | bytes, 1 << 0, 'x'}
	for range 900 {
		inner := append([]byte{1<<3 | bytes}, binary.AppendUvarint(nil, uint64(len(message)))...)
		inner = append(inner, message...)
		message = append([]byte{listValue<<3 | bytes, 0, listValue<<3 | bytes},
			binary.AppendUvarint(nil, uint64(len(inner)))...)
		message = append(message, inner...)
	}
	w := writer{}
	if !w.value(parts{first: message, set: true}) || w.fault != nil || len(w.dst) != 1803 {
		t.Errorf("got %.50s, %v", w.dst, w.fault)
	}
}

// TestDropped: a part of a kind that is not known is counted.
func TestDropped(t *testing.T) {
	for _, s := range samples(t) {
		want := 0
		if strings.HasPrefix(s.Name, "a part of a kind") || strings.HasPrefix(s.Name, "a part with a source that") {
			want = 1
		}
		if _, dropped, _ := AppendEvent(nil, s.bytes(t)); dropped != want {
			t.Errorf("%s: %d were dropped, want %d", s.Name, dropped, want)
		}
	}
}

// stream writes messages as a body.
func stream(messages ...[]byte) (body []byte) {
	for _, m := range messages {
		body = append(binary.BigEndian.AppendUint32(body, uint32(len(m))), m...)
	}
	return body
}

func TestFrames(t *testing.T) {
	messages := [][]byte{[]byte("one"), {}, []byte(strings.Repeat("two", 100_000)), []byte("three")}
	body := stream(messages...)
	for _, size := range []int{1, 2, 3, 5, 7, 4096, len(body)} {
		var f Frames
		var got []string
		for rest := body; len(rest) > 0; {
			n := min(size, len(rest))
			if !f.Write(rest[:n]) {
				t.Fatal("refused")
			}
			rest = rest[n:]
			for m, ok := f.Next(); ok; m, ok = f.Next() {
				got = append(got, string(m))
			}
		}
		if len(got) != len(messages) || f.Partial() {
			t.Fatalf("%d bytes at once: %d messages, partial %v", size, len(got), f.Partial())
		}
		for i := range got {
			if got[i] != string(messages[i]) {
				t.Errorf("%d bytes at once: message %d differs", size, i)
			}
		}
	}
}

func TestFramesLimit(t *testing.T) {
	body := stream([]byte("1234"), []byte("12345"))
	for _, size := range []int{1, 4, len(body)} {
		f := Frames{Max: 4}
		var got []string
		ok := true
		for rest := body; len(rest) > 0 && ok; {
			n := min(size, len(rest))
			ok = f.Write(rest[:n])
			rest = rest[n:]
			for m, ok := f.Next(); ok; m, ok = f.Next() {
				got = append(got, string(m))
			}
		}
		if ok || len(got) != 1 || got[0] != "1234" {
			t.Errorf("%d bytes at once: %v, %q", size, ok, got)
		}
	}
	f := Frames{Max: 16 << 20}
	if f.Write([]byte{0xff, 0xff, 0xff, 0xff}) {
		t.Error("a length of 4 GiB was taken")
	}
	f = Frames{}
	if !f.Write([]byte{0, 0, 0}) || !f.Partial() {
		t.Error("half a length is not partial")
	}
}

func FuzzAppendEvent(f *testing.F) {
	for _, s := range samples(f) {
		f.Add(s.bytes(f))
	}
	f.Fuzz(func(t *testing.T, message []byte) {
		json, _, fault := AppendEvent(nil, message)
		if fault != nil {
			if len(json) != 0 || fault.Reason == "" {
				t.Fatalf("%q, %+v", json, fault)
			}
			return
		}
		if err := rawjson.Check(string(json), rawjson.MaxDepth+10); err != nil {
			t.Fatalf("%v: %s", err, json)
		}
		if typ, _ := rawjson.Get(string(json), "type"); rawjson.KindOf(typ) != rawjson.Str {
			t.Fatalf("no type: %s", json)
		}
		if strings.ContainsAny(string(json), "\r\n") {
			t.Fatalf("more than one line: %s", json)
		}
	})
}

func FuzzFrames(f *testing.F) {
	f.Add(stream([]byte("one"), nil, []byte("two")), uint8(1))
	f.Add([]byte{0, 0, 1, 0, 5}, uint8(3))
	f.Fuzz(func(t *testing.T, body []byte, size uint8) {
		read := func(size int) (got []string, ok, partial bool) {
			f := Frames{Max: 64}
			ok = true
			for rest := body; len(rest) > 0 && ok; {
				n := min(size, len(rest))
				ok = f.Write(rest[:n])
				rest = rest[n:]
				for m, ok := f.Next(); ok; m, ok = f.Next() {
					got = append(got, string(m))
				}
			}
			return got, ok, f.Partial()
		}
		got, ok, partial := read(int(size)%16 + 1)
		want, wantOK, wantPartial := read(len(body) + 1)
		if ok != wantOK || ok && partial != wantPartial || !reflect.DeepEqual(got, want) {
			t.Fatalf("cut %q %v %v, whole %q %v %v", got, ok, partial, want, wantOK, wantPartial)
		}
	})
}

func BenchmarkContent(b *testing.B) {
	var message []byte
	for _, s := range samples(b) {
		if strings.HasPrefix(s.Name, `{"type":"TEXT_MESSAGE_CONTENT"`) && len(message) == 0 {
			message = s.bytes(b)
		}
	}
	b.ReportAllocs()
	var dst []byte
	for b.Loop() {
		dst, _, _ = AppendEvent(dst[:0], message)
	}
}
