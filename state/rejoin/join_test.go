package rejoin

import (
	"testing"

	"aguiwasm/agui"
	"aguiwasm/state"
)

// joins makes the legs of a page that joins a thread.
func joins(t *testing.T, d *Dialect, kept string) (*page, *Legs) {
	t.Helper()
	in, err := agui.Decode(`{"type":"MESSAGES_SNAPSHOT","messages":[`+kept+`]}`, agui.DecodeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	p := newPage(d, true, state.New(in.(*agui.MessagesSnapshot).Messages, ""))
	l := NewLegs(Options{Dialect: d, ThreadID: "t1", RunID: "r1", Live: p.store, Join: true, Emit: func(o Out) {
		if err := p.pipe.Push(o.Data); err != nil {
			t.Error(err)
		}
	}}, Context{URL: "http://x/run", Body: `{"runId":"r1"}`})
	return p, l
}

func TestJoiningAThreadThatTheServerDoesNotKnow(t *testing.T) {
	d, _ := Named("tanstack")
	_, l := joins(t, d, "")
	if q, ok := l.Next(1); !ok || q.Method != "GET" {
		t.Fatalf("%+v", q)
	}
	if act := l.Refused(2, 404, -1, 0); act != End {
		t.Errorf("%v", act)
	}
	d, _ = Named("sse-id")
	_, l = joins(t, d, "")
	if q, ok := l.Next(1); ok || l.Line.Code != CodeNotResumable {
		t.Errorf("%+v %v", q, l.Line.Code)
	}
}
