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

// TestJoiningInTheMiddle, scenario 36: what a run's snapshot holds and the stream goes on with is whole, whether its
// next piece comes with the snapshot or after a pause.
func TestJoiningInTheMiddle(t *testing.T) {
	const snapshot = `{"type":"MESSAGES_SNAPSHOT","messages":[{"id":"m1","role":"assistant","content":"Hel"}]}`
	d, _ := Named("agno")
	for _, pause := range []bool{false, true} {
		p, l := joins(t, d, "")
		if _, ok := l.Next(1); !ok {
			t.Fatal("nothing is asked")
		}
		l.Take(2, []byte(sseLeg(begun, snapshot)), 0)
		if pause {
			l.Quiet()
		}
		l.Take(3, []byte(sseLeg(lo)), 0)
		l.Quiet()
		l.Take(4, []byte(sseLeg(closed, finished)), 0)
		l.Over(5, true, "", 0)
		if got := string(p.store.AppendMessages(nil)); got != `[{"id":"m1","role":"assistant","content":"Hello"}]` {
			t.Errorf("pause %t: %s", pause, got)
		}
	}
}
