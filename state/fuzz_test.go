package state

import (
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"aguiwasm/agui"
	"aguiwasm/agui/rawjson"
)

// FuzzStore sends any lines as events through the pipeline into a store, in both modes: nothing panics, the tree stays
// valid JSON, the mirror stays its equal, every snapshot can be sent back and changes nothing but its spelling, and
// lenient never ends in a protocol error.
func FuzzStore(f *testing.F) {
	if text, err := os.ReadFile("../wasm/session/testdata/conformance/cases.json"); err == nil {
		for i, c := range rawjson.Elements(strings.TrimSpace(string(text))) {
			response, _ := rawjson.Get(c, "response")
			body, _ := rawjson.Get(response, "body")
			if i%4 == 0 && rawjson.KindOf(body) == rawjson.Str && len(body) < 3000 {
				f.Add(strings.ReplaceAll(strings.ReplaceAll(rawjson.String(body).Decode(), "data: ", ""), "\n\n", "\n"),
					i%8 == 0)
			}
		}
	}
	for seed := range uint64(10) {
		r := rand.New(rand.NewPCG(seed, 4))
		s := New(nil, "")
		var lines []string
		for range 15 {
			lines = append(lines, randomEvent(r, s))
		}
		f.Add(strings.Join(lines, "\n"), false)
	}
	f.Fuzz(func(t *testing.T, lines string, strict bool) {
		if len(lines) > 8000 {
			return
		}
		lines = strings.ToValidUTF8(lines, "\uFFFD") // what comes from the wire is UTF-8 by then
		s := New(nil, "")
		_, err := runStream(t, s, strict, strings.Split(lines, "\n"))
		if !strict && agui.CodeOf(err) == agui.CodeProtocol {
			t.Fatalf("lenient ended in %v", err)
		}
		checkStore(t, s)
		for _, text := range []string{string(s.AppendMessages(nil)), string(s.AppendMessagesForAgent(nil)),
			string(s.AppendState(nil))} {
			if err := rawjson.Check(text, 0); err != nil {
				t.Fatalf("no JSON: %v: %s", err, text)
			}
		}
		for i := range s.Len() {
			if m := s.Message(i); m.Role() == agui.RoleActivity &&
				rawjson.KindOf(m.Field("content")) != rawjson.Object {
				return // a patch may make it anything, but as a message's content nobody takes that
			}
		}
		// What the page holds can be taken back from its own text.
		before := string(s.AppendMessages(nil))
		list, perr := agui.ParseMessages(before, "messages", agui.InputOptions{})
		if perr != nil {
			t.Fatalf("its own messages are refused: %v: %s", perr, before)
		}
		s.SetMessages(list, nil)
		if after := string(s.AppendMessages(nil)); !rawjson.Equal(before, after) {
			t.Fatalf("taken back, %s became %s", before, after)
		}
	})
}
