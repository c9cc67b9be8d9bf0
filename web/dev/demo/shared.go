package demo

import (
	"encoding/json"
	"fmt"
	"sort"
	"strconv"
)

// share puts a member into the shared state: by a delta if the page's state is an object, else by a snapshot.
func (t *talk) share(name string, value any) {
	var m map[string]json.RawMessage
	if json.Unmarshal(t.in.state, &m) == nil && m != nil {
		t.send("STATE_DELTA", "delta", patch{{Op: "add", Path: "/" + name, Value: value}})
		return
	}
	t.send("STATE_SNAPSHOT", "snapshot", obj{name: value})
}

func plan(t *talk) end {
	t.text("I make a plan. Watch the shared state.")
	t.share("plan", obj{"title": "A week in Lisbon", "done": 0, "steps": []any{}})
	names := []string{"Find a flight", "Book a room", "Mark three museums", "Reserve a table", "Pack"}
	for _, name := range names {
		t.pause(220)
		t.send("STATE_DELTA", "delta", patch{{Op: "add", Path: "/plan/steps/-", Value: obj{"text": name, "status": "pending"}}})
	}
	for i := range names {
		at := "/plan/steps/" + strconv.Itoa(i) + "/status"
		t.pause(250)
		t.send("STATE_DELTA", "delta", patch{{Op: "replace", Path: at, Value: "running"}})
		t.pause(350)
		t.send("STATE_DELTA", "delta", patch{
			{Op: "test", Path: at, Value: "running"},
			{Op: "replace", Path: at, Value: "done"},
			{Op: "replace", Path: "/plan/done", Value: i + 1},
		})
	}
	t.text("The plan is done.")
	return end{}
}

func table(t *talk) end {
	t.text("A table of 200 rows, then 120 changes.")
	rows := make([]any, 200)
	price := make([]int, 200)
	for i := range rows {
		price[i] = 1000 + t.rand.IntN(9000)
		rows[i] = obj{"id": fmt.Sprintf("S%03d", i), "price": price[i], "change": 0, "volume": t.rand.IntN(100000)}
	}
	t.share("table", obj{"tick": 0, "rows": rows})
	for tick := 1; tick <= 120; tick++ {
		t.pause(60)
		var p patch
		for range 1 + t.rand.IntN(3) {
			i, change := t.rand.IntN(200), t.rand.IntN(101)-50
			price[i] += change
			row := "/table/rows/" + strconv.Itoa(i)
			p = append(p, operation{Op: "replace", Path: row + "/price", Value: price[i]}, operation{Op: "replace", Path: row + "/change", Value: change})
		}
		t.send("STATE_DELTA", "delta", append(p, operation{Op: "replace", Path: "/table/tick", Value: tick}))
	}
	t.text("Those were 120 changes.")
	return end{}
}

func activity(t *talk) end {
	id := t.id("a")
	t.send("ACTIVITY_SNAPSHOT", "messageId", id, "activityType", "search", "content", obj{"query": "museums in Lisbon", "progress": 0, "found": []any{}})
	for i, name := range []string{"Gulbenkian", "MAAT", "Azulejo", "Berardo", "Carmo"} {
		t.pause(350)
		t.send("ACTIVITY_DELTA", "messageId", id, "activityType", "search", "patch", patch{
			{Op: "add", Path: "/found/-", Value: obj{"title": name, "score": 99 - 7*i - t.rand.IntN(5)}},
			{Op: "replace", Path: "/progress", Value: 20 * (i + 1)},
		})
	}
	t.text("I found five museums.")
	return end{}
}

// subagents lets two helpers work at the same time, their events mixed.
func subagents(t *talk) end {
	t.text("I give the work to two helpers.")
	parent := t.id("m")
	c := t.id("c")
	t.callAs(c, parent, "delegate", obj{"to": []string{"researcher", "writer"}})
	type helper struct {
		id, name, message string
		pieces            []string
	}
	helpers := []*helper{
		{id: t.id("sub"), name: "researcher", message: t.id("m"), pieces: t.fragments("I read four reports on tides and list the two that agree.")},
		{id: t.id("sub"), name: "writer", message: t.id("m"), pieces: t.fragments("I outline the article: an opening, the data, a chart, and what remains open.")},
	}
	for _, h := range helpers {
		t.send("SUBAGENT_STARTED", "subagentRunId", h.id, "name", h.name, "description", "The "+h.name, "parentToolCallId", c, "parentMessageId", parent)
		t.send("TEXT_MESSAGE_START", "messageId", h.message, "role", "assistant", "subagentRunId", h.id)
	}
	for len(helpers[0].pieces)+len(helpers[1].pieces) > 0 {
		h := helpers[t.rand.IntN(2)]
		if len(h.pieces) == 0 {
			continue
		}
		t.pause(40)
		t.send("TEXT_MESSAGE_CONTENT", "messageId", h.message, "delta", h.pieces[0], "subagentRunId", h.id)
		h.pieces = h.pieces[1:]
	}
	for _, h := range helpers {
		t.send("TEXT_MESSAGE_END", "messageId", h.message, "subagentRunId", h.id)
	}
	search := t.call("read_reports", obj{"topic": "tides", "limit": 4}, "subagentRunId", helpers[0].id)
	t.pause(400)
	t.answer(search, `["tides-2", "tides-4"]`, "subagentRunId", helpers[0].id)
	t.send("SUBAGENT_FINISHED", "subagentRunId", helpers[0].id, "result", obj{"reports": 2}, "outcome", obj{"type": "success"})
	checker := t.id("sub")
	t.send("SUBAGENT_STARTED", "subagentRunId", checker, "name", "checker", "parentSubagentRunId", helpers[1].id)
	t.pause(300)
	t.send("SUBAGENT_ERROR", "subagentRunId", checker, "message", "the dictionary is not at hand", "code", "no_dictionary")
	t.send("SUBAGENT_FINISHED", "subagentRunId", helpers[1].id, "result", obj{"sections": 4})
	t.answer(c, "Both helpers are done.")
	t.text("Two reports agree, and the article has its outline. (The spelling was not checked: that helper failed.)")
	return end{}
}

func sortedKeys(m map[string]json.RawMessage) []string {
	keys := make([]string, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	sort.Strings(keys)
	return keys
}
