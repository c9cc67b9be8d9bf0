package thread

import (
	"runtime"
	"strconv"
	"testing"

	"aguiwasm/agui"
	"aguiwasm/state"
)

// turns runs a thread n turns of three messages each.
func turns(t *testing.T, thread *Thread, from, n int) {
	t.Helper()
	for i := from; i < from+n; i++ {
		id := strconv.Itoa(i)
		if _, err := thread.Begin(Params{Input: &agui.Input{RunID: "r" + id}}); err != nil {
			t.Fatal(err)
		}
		events := []agui.Event{&agui.RunStarted{ThreadID: "t", RunID: "r" + id}}
		for _, k := range []string{"a", "b", "c"} {
			m := k + id
			events = append(events, &agui.TextMessageStart{MessageID: m, Role: agui.RoleAssistant},
				&agui.TextMessageContent{MessageID: m, Delta: `"some words"`}, &agui.TextMessageEnd{MessageID: m})
		}
		events = append(events, &agui.StateSnapshot{Snapshot: `{"turn":` + id + `}`},
			&agui.RunFinished{ThreadID: "t", RunID: "r" + id})
		for _, e := range events {
			thread.Store().Apply(e, nil, nil)
			thread.Observe(e, nil)
		}
		if _, err := thread.Finish(Ending{Limit: -1}); err != nil {
			t.Fatal(err)
		}
	}
}

func live() int {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

// TestLongLife: a thread of 1,000 turns keeps its branches, and costs as much a turn as one of 100.
func TestLongLife(t *testing.T) {
	thread := New("t", state.New(nil, "null"))
	begin := live()
	turns(t, thread, 0, 100)
	first := live() - begin
	turns(t, thread, 100, 900)
	all := live() - begin
	if all > 15*first {
		t.Errorf("100 turns take %d KB, 1,000 take %d KB", first>>10, all>>10)
	}
	for _, n := range []int{0, 1, 99, 500, 999} {
		b, err := thread.Branch("r" + strconv.Itoa(n))
		if err != nil {
			t.Fatal(err)
		}
		if got, want := b.Store().Len(), 3*(n+1); got != want {
			t.Errorf("branch %d: %d messages, not %d", n, got, want)
		}
		if got, want := string(b.Store().AppendState(nil)), `{"turn":`+strconv.Itoa(n)+`}`; got != want {
			t.Errorf("branch %d: state %s", n, got)
		}
		turns(t, b, 5000, 1) // it goes on, and the other does not notice
		if got := thread.Store().Len(); got != 3000 {
			t.Errorf("the thread has %d messages", got)
		}
	}
	t.Logf("100 turns: %d KB, 1,000: %d KB", first>>10, all>>10)
	runtime.KeepAlive(thread)
}

// TestForgetRuns: beyond the limit the oldest runs are forgotten, and the conversation stays.
func TestForgetRuns(t *testing.T) {
	thread := New("t", state.New(nil, "null"))
	limit := 3
	thread.KeepRuns = &limit
	turns(t, thread, 0, 5)
	clone := thread.Clone()
	for n, kept := range []bool{false, false, true, true, true} {
		if _, err := thread.Branch("r" + strconv.Itoa(n)); (err == nil) != kept {
			t.Errorf("run %d: %v", n, err)
		}
	}
	thread.ForgetRuns(0)
	if _, err := thread.Branch("r4"); err == nil {
		t.Error("run 4 was not forgotten")
	}
	if _, err := clone.Branch("r4"); err != nil {
		t.Errorf("the clone forgot: %v", err)
	}
	if thread.Store().Len() != 15 {
		t.Errorf("%d messages", thread.Store().Len())
	}
}
