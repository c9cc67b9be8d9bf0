package sse

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"
)

// read gives the whole frames that chunks make, as one text; end says that the body ended well.
func read(t *testing.T, f *Frames, chunks []string, end bool) string {
	t.Helper()
	var out bytes.Buffer
	drain := func() {
		p := make([]byte, 7)
		for n := f.Read(p); n > 0; n = f.Read(p) {
			out.Write(p[:n])
		}
	}
	for _, c := range chunks {
		if !f.Write([]byte(c)) {
			drain()
			return out.String() + "!"
		}
		drain()
	}
	if end {
		f.End()
		drain()
	}
	return out.String()
}

var framings = []struct{ name, in, want string }{
	{"LF", "data: a\n\ndata: b\n\n", "data: a\n\ndata: b\n\n"},
	{"CRLF", "data: a\r\n\r\ndata: b\r\n\r\n", "data: a\n\ndata: b\n\n"},
	{"CR", "data: a\r\rdata: b\r\r", "data: a\n\ndata: b\n\n"},
	{"mixed", "data: a\r\n\ndata: b\n\r\n", "data: a\n\ndata: b\n\n"},
	{"blank lines before and between", "\n\r\n\rdata: a\n\n\n\r\ndata: b\n\n", "data: a\n\ndata: b\n\n"},
	{"comments", ": x\n: y\ndata: a\n: z\n\n: last\n\n", "data: a\n\n"},
	{"several lines", "event: m\ndata: a\ndata: b\n\n", "event: m\ndata: a\ndata: b\n\n"},
	{"nothing whole", "data: a\n", ""},
	{"UTF-8", "data: né 世界 🌍\n\n", "data: né 世界 🌍\n\n"},
	{"a lone continuation", "data: \x80\x81\n\n", "data: \uFFFD\uFFFD\n\n"},
	{"a cut sequence is one", "data: \xE4\xB8x\xF0\x9F\x8C\n\n", "data: \uFFFDx\uFFFD\n\n"},
	{"half a surrogate pair in UTF-8", "data: \xED\xA0\x80\n\n", "data: \uFFFD\uFFFD\uFFFD\n\n"},
	{"overlong", "data: \xC0\xAF\xE0\x80\x80\n\n", "data: \uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\n\n"},
	{"beyond Unicode", "data: \xF4\x90\x80\x80\xF5\n\n", "data: \uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\n\n"},
}

func TestFrames(t *testing.T) {
	for _, c := range framings {
		t.Run(c.name, func(t *testing.T) {
			if got := read(t, new(Frames), []string{c.in}, false); got != c.want {
				t.Errorf("whole: got %q, want %q", got, c.want)
			}
			if got := read(t, new(Frames), strings.Split(c.in, ""), false); got != c.want {
				t.Errorf("character by character: got %q, want %q", got, c.want)
			}
			bytewise := make([]string, len(c.in))
			for i := range bytewise {
				bytewise[i] = c.in[i : i+1]
			}
			if got := read(t, new(Frames), bytewise, false); got != c.want {
				t.Errorf("byte by byte: got %q, want %q", got, c.want)
			}
		})
	}
}

func TestFrameIsReadableWhenItsBlankLineCame(t *testing.T) {
	for _, in := range []string{"data: a\n\n", "data: a\r\n\r", "data: a\r\r"} {
		if got := read(t, new(Frames), []string{in}, false); got != "data: a\n\n" {
			t.Errorf("%q: got %q", in, got)
		}
	}
}

func TestFramesEnd(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"data: a", "data: a\n\n"},
		{"data: a\n", "data: a\n\n"},
		{"data: a\n\n", "data: a\n\n"},
		{"data: a\n\n: ping", "data: a\n\n"},
		{"", ""},
	} {
		if got := read(t, new(Frames), []string{c.in}, true); got != c.want {
			t.Errorf("%q: got %q, want %q", c.in, got, c.want)
		}
	}
}

func TestFramesMax(t *testing.T) {
	for _, c := range []struct {
		name   string
		chunks []string
		want   string
	}{
		{"a frame of the greatest size", []string{"data: 12345\n\n"}, "data: 12345\n\n"},
		{"one byte more, after a good one", []string{"data: 1\n\ndata: 1234567\n\n"}, "data: 1\n\n!"},
		{"in small pieces", []string{"data: ", "123", "456", "7"}, "!"},
		{"over several lines", []string{"data: 1\n", "data: 2\n\n"}, "!"},
		{"comments do not count", []string{": 123456789\n: 123456\ndata: 1\n\n"[0:0], ": 1234567\n", ": 1234567\n",
			"data: 1\n\n"}, "data: 1\n\n"},
		{"an endless comment does", []string{": 12345678", "9012345678"}, "!"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := read(t, &Frames{Max: 12}, c.chunks, false); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// TestFramesLinear counts how often bytes are moved for one large frame in small chunks: the buffer's growth is all
// there is.
func TestFramesLinear(t *testing.T) {
	f := new(Frames)
	chunk := bytes.Repeat([]byte("x"), 1000)
	f.Write([]byte("data: "))
	allocations := testing.AllocsPerRun(1, func() {
		for range 4000 {
			f.Write(chunk)
		}
	})
	if allocations > 80 {
		t.Errorf("a 4 MB frame in 1 KB chunks took %v allocations", allocations)
	}
}

func TestFramesForgetLargeBuffers(t *testing.T) {
	f := new(Frames)
	f.Write([]byte("data: " + strings.Repeat("x", 3<<20) + "\n\n"))
	for p := make([]byte, 64<<10); f.Read(p) > 0; {
	}
	f.Write([]byte("data: a\n"))
	if cap(f.buf) > keep {
		t.Errorf("%d bytes are kept for one small line", cap(f.buf))
	}
}

func FuzzFrames(f *testing.F) {
	for _, c := range framings {
		f.Add([]byte(c.in), uint64(1))
	}
	f.Fuzz(func(t *testing.T, in []byte, seed uint64) {
		want := read(t, new(Frames), []string{string(in)}, true)
		r := rand.New(rand.NewPCG(seed, seed))
		var chunks []string
		for rest := string(in); len(rest) > 0; {
			n := 1 + r.IntN(min(len(rest), 5))
			chunks = append(chunks, rest[:n])
			rest = rest[n:]
		}
		if got := read(t, new(Frames), chunks, true); got != want {
			t.Fatalf("cut %q: got %q, want %q", chunks, got, want)
		}
		if want != strings.ToValidUTF8(want, "") {
			t.Fatalf("not UTF-8: %q", want)
		}
	})
}

// source gives Events a body, in pieces.
type source struct {
	Frames
	body string
	size int
}

func (s *source) Wait() bool {
	for !s.Whole() {
		if s.body == "" {
			return s.End()
		}
		n := min(s.size, len(s.body))
		s.Write([]byte(s.body[:n]))
		s.body = s.body[n:]
	}
	return true
}

func TestEvents(t *testing.T) {
	x := strings.Repeat("x", 30000)
	for _, c := range []struct{ name, in, want string }{
		{"one", "data: a\n\n", "a|"},
		{"without a space", "data:a\n\ndata:  b\n\n", "a| b|"},
		{"data lines are joined", "data: a\ndata:\ndata: b\n\n", "a\n\nb|"},
		{"fields that say nothing here", "event: x\nretry: 3\nid: 7\ndata: a\n\ndata: b\n\n", "a|7 b|7 "},
		{"no data", "id: 1\n\nevent: x\n\n\ndata: a\n\n", "a|1 "},
		{"end marks and empty lines", "data: [DONE]\n\ndata:\n\ndata:  \n\ndata: a\n\n", "a|"},
		{"byte order mark", "\uFEFFdata: a\n\n", "a|"},
		{"a long line", "data: " + x + "\n\n", x + "|"},
		{"without a space, and with two", "data:" + x + "\n\ndata:  " + x + "\n\n", x + "| " + x + "|"},
		{"its line ends", "data: " + x + "\r\n\r\ndata: " + x + "\r\rdata: a\n\n", x + "|" + x + "|a|"},
		{"behind a byte order mark", "\uFEFFdata: " + x + "\n\n", x + "|"},
		{"among short ones", "data: a\n\ndata: " + x + "\n\n: c\n\ndata: b\n\ndata: " + x + "\n\ndata: " + x + "\n\n",
			"a|" + x + "|b|" + x + "|" + x + "|"},
		{"with the id of one before", "id: 7\n\ndata: " + x + "\n\nid: 8\ndata: a\n\ndata: " + x + "\n\n",
			x + "|7 a|8 " + x + "|8 "},
		{"with an id of its own", "id: 7\ndata: " + x + "\n\ndata: " + x + "\nid: 8\n\ndata: a\n\n",
			x + "|7 " + x + "|8 a|8 "},
		{"two long lines of one event", "data: " + x + "\ndata: " + x + "\n\n", x + "\n" + x + "|"},
		{"another field", "datas: " + x + "\n\ndata: a\n\n", "a|"},
		{"nothing but space", "data: " + strings.Repeat(" ", 30000) + "\n\ndata: a\n\n",
			strings.Repeat(" ", 30000) + "|a|"},
		{"without its blank line", "data: " + x, x + "|"},
	} {
		for _, size := range []int{1 << 20, 1000, 7, 1} {
			if size < 1000 && len(c.in) > 200000 {
				continue
			}
			var got strings.Builder
			source := &source{body: c.in, size: size}
			for e, err := range Events(source, &source.Frames) {
				if err != nil {
					t.Fatal(err)
				}
				got.WriteString(e.Data + "|" + e.LastEventID)
				if e.LastEventID != "" {
					got.WriteByte(' ')
				}
			}
			if got.String() != c.want {
				t.Errorf("%s, in pieces of %d: got %.100q, want %.100q", c.name, size, got.String(), c.want)
			}
		}
	}
}

// Whoever breaks off at an event gets no other one.
func TestEventsBrokenOff(t *testing.T) {
	long := "data: " + strings.Repeat("x", 20000) + "\n\n"
	for _, body := range []string{long + long, "data: a\n\n" + long, long + "data: a\n\n"} {
		source := &source{body: body, size: 1 << 20}
		n := 0
		for range Events(source, &source.Frames) {
			n++
			break
		}
		if n != 1 {
			t.Errorf("%d events", n)
		}
	}
}

func TestJudge(t *testing.T) {
	for _, c := range []struct {
		status      int
		contentType string
		want        Verdict
	}{
		{200, "text/event-stream", Stream}, {200, "Text/Event-Stream; charset=utf-8", Stream},
		{202, " text/event-stream", Stream},
		{200, "", Look}, {200, "text/plain; charset=utf-8", Look}, {200, "application/octet-stream", Look},
		{200, "text/html", BadType}, {200, "application/json", BadType},
		{200, "application/vnd.ag-ui.event+proto", Protobuf},
		{204, "", Empty}, {205, "text/event-stream", Empty},
		{404, "text/event-stream", BadStatus}, {500, "", BadStatus}, {302, "", BadStatus}, {0, "", BadStatus},
	} {
		if got := Judge(c.status, c.contentType); got != c.want {
			t.Errorf("%d %q: got %v, want %v", c.status, c.contentType, got, c.want)
		}
	}
}

func TestSniff(t *testing.T) {
	for _, c := range []struct {
		in   string
		want Beginning
	}{
		{"", Undecided}, {"\xEF\xBB", Undecided}, {"\xEF\xBB\xBF", Undecided}, {"\n\r\n", Undecided},
		{"dat", Undecided}, {"data", Undecided}, {"e", Undecided},
		{"data:", IsStream}, {"data\n", IsStream}, {"\uFEFF\n\nid: 1", IsStream}, {":", IsStream},
		{"event: x", IsStream}, {"retry:1", IsStream},
		{"{", NoStream}, {"<html>", NoStream}, {"datum", NoStream}, {"database: x", NoStream}, {" data: x", NoStream},
		{"idx", NoStream},
	} {
		if got := Sniff([]byte(c.in)); got != c.want {
			t.Errorf("%q: got %v, want %v", c.in, got, c.want)
		}
	}
}
