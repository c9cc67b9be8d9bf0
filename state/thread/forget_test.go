package thread

import (
	"testing"
)

// turn is one turn of a talk: the person's message and the agent's, named after n.
func (k *talk) turn(t *testing.T, n string) {
	t.Helper()
	k.add(t, `{"id":"u`+n+`","role":"user","content":"`+n+`"}`)
	k.begin(t, params("r"+n))
	k.apply(t, `{"type":"RUN_STARTED","threadId":"t","runId":"r`+n+`"}`, `{"type":"TEXT_MESSAGE_START","messageId":"a`+
		n+`"}`,
		`{"type":"TEXT_MESSAGE_CONTENT","messageId":"a`+n+`","delta":"x"}`, succeeded)
	k.finish(t)
}

// TestForgottenRunsOfEarlierThreads: where runs of the thread that the page had before are forgotten, those of the
// present one are still known, and none of the earlier one is taken for it.
func TestForgottenRunsOfEarlierThreads(t *testing.T) {
	for _, forget := range []int{5, 4, 3, 2} { // of three runs under the earlier id and two under the present one
		k := newTalk()
		k.History = HistoryNew
		for _, n := range []string{"1", "2", "3"} {
			k.turn(t, n)
		}
		k.Rename("t2")
		k.turn(t, "4")
		k.turn(t, "5")
		k.ForgetRuns(forget)
		// The page takes the last turn away: the latest run whose messages are all there is the fourth.
		list := k.s.ThreadMessages()
		k.s.SetMessages(list[:len(list)-2], nil)
		k.add(t, `{"id":"u6","role":"user","content":"6"}`)
		if p := k.begin(t, params("r6")); k.sends(p) != "u6" || p.Input.ParentRunID != `"r4"` {
			t.Errorf("with %d runs kept it sends %q under %s", forget, k.sends(p), p.Input.ParentRunID)
		}
		k.apply(t, started, succeeded)
		k.finish(t)
		// Then all turns of the present thread: the agent's thread of this id has had nothing that is left.
		k.s.SetMessages(k.s.ThreadMessages()[:6], nil)
		if p := k.begin(t, params("r7")); p.Send != nil || p.Input.ParentRunID != "" {
			t.Errorf("with %d runs kept it sends %q under %s", forget, k.sends(p), p.Input.ParentRunID)
		}
	}
}

// TestAFailureBehindTheTerminalEvent: a response that was aborted, or broke, after its RUN_FINISHED asks for no tools,
// and what it called is closed as a failed run's calls are.
func TestAFailureBehindTheTerminalEvent(t *testing.T) {
	for _, failed := range []bool{false, true} {
		k := newTalk()
		k.CloseUnanswered = true
		k.add(t, `{"id":"u1","role":"user","content":"a"}`)
		k.begin(t, params("r1"))
		k.apply(t, started)
		k.apply(t, calling("c1", "f", "{}")...)
		k.apply(t, succeeded)
		calls, err := k.Finish(Ending{Failed: failed, Handled: func(string) bool { return true }, Limit: -1})
		if err != nil || (len(calls) == 0) != failed {
			t.Errorf("failed %t: it asks for %v (%v)", failed, calls, err)
		}
	}
}
