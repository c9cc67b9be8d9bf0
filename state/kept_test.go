package state

import (
	"strconv"
	"testing"

	"aguiwasm/agui"
)

// TestSnapshotsShareTheirList: what the page adds between runs leaves the earlier messages what they are, so that the
// snapshots of the runs share one list.
func TestSnapshotsShareTheirList(t *testing.T) {
	s := New(nil, "null")
	var before Snapshot
	for i := range 40 {
		id := strconv.Itoa(i)
		list := s.ThreadMessages()
		list = append(list, checkedMessages(t, `[{"id":"u`+id+`","role":"user","content":"x"}]`)...)
		s.SetMessages(list, nil)
		for _, e := range []agui.Event{
			&agui.RunStarted{ThreadID: "t", RunID: id}, &agui.TextMessageStart{MessageID: id, Role: agui.RoleAssistant},
			&agui.TextMessageContent{MessageID: id, Delta: `"y"`}, &agui.TextMessageEnd{MessageID: id},
			&agui.RunFinished{ThreadID: "t", RunID: id},
		} {
			s.Apply(e, nil, nil)
		}
		now := s.Snapshot()
		for j, m := range before.messages {
			if now.messages[j] != m {
				t.Fatalf("turn %d: message %d is another one", i, j)
			}
		}
		before = now
	}
}
