package threadapi

import (
	"encoding/json"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"aguiwasm/agui"
)

// TestLongConversation: a page adds a question a turn and names what it has already. Each turn's runs, which can be
// branched from, cost what their own messages cost: not the whole conversation again for each of them.
func TestLongConversation(t *testing.T) {
	n := 0
	r := New(func() string { n++; return "id" + strconv.Itoa(n) }, func() int64 { return 0 })
	if answer := r.Do("new", 0, `{"messages":[],"state":{}}`); !strings.Contains(answer, `"handle":1`) {
		t.Fatal(answer)
	}
	e := r.Get(1)
	words := strings.Repeat("some words ", 20)
	turns := func(from, to int) {
		for i := from; i < to; i++ {
			id := strconv.Itoa(i)
			var list []string
			for j := range e.Store().Len() {
				list = append(list, strconv.Quote(e.Store().Message(j).ID()))
			}
			question, _ := json.Marshal(map[string]string{"id": "u" + id, "role": "user", "content": words})
			list = append(list, string(question))
			if answer := r.Do("set", 1, `{"messages":[`+strings.Join(list, ",")+`]}`); strings.Contains(answer,
				`"error"`) {
				t.Fatal(answer)
			}
			if _, _, err := r.Begin(e, `{"threadId":"t","runId":"r`+id+`"}`); err != nil {
				t.Fatal(err)
			}
			for _, ev := range []agui.Event{
				&agui.RunStarted{ThreadID: "t", RunID: "r" + id},
				&agui.TextMessageStart{MessageID: "m" + id, Role: agui.RoleAssistant},
				&agui.TextMessageContent{MessageID: "m" + id, Delta: agui.Text(strconv.Quote(words))},
				&agui.TextMessageEnd{MessageID: "m" + id},
				&agui.RunFinished{ThreadID: "t", RunID: "r" + id},
			} {
				e.Store().Apply(ev, nil, nil)
				e.Observe(ev, nil)
			}
			r.Do("finish", 1, `{"handled":[],"round":0,"limit":10}`)
		}
	}
	live := func() int {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int(m.HeapAlloc)
	}
	begin := live()
	turns(0, 250)
	all := live() - begin
	t.Logf("250 turns: %d KB", all>>10)
	// About 3 KB each; with the conversation kept again for each turn it would be 70.
	if all > 250*8<<10 {
		t.Errorf("250 turns take %d KB", all>>10)
	}
	if e.Store().Len() != 500 {
		t.Errorf("%d messages", e.Store().Len())
	}
	runtime.KeepAlive(r)
}
