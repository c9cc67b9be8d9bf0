package state

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"aguiwasm/agui"
	"aguiwasm/agui/rawjson"
)

var randomKeys = []string{"a", "b", "", "~", "/", "0", "-", "é", "__proto__"}

// randomValue makes a value as text.
func randomValue(r *rand.Rand, depth int) string {
	switch n := r.IntN(9); {
	case n < 2 && depth > 0:
		var parts []string
		for range r.IntN(4) {
			parts = append(parts, randomValue(r, depth-1))
		}
		return "[" + strings.Join(parts, ",") + "]"
	case n < 5 && depth > 0:
		var parts []string
		for _, k := range r.Perm(len(randomKeys))[:r.IntN(5)] {
			parts = append(parts, string(rawjson.Quote(randomKeys[k]))+":"+randomValue(r, depth-1))
		}
		return "{" + strings.Join(parts, ",") + "}"
	case n == 5:
		return "null"
	case n == 6:
		return `"s` + fmt.Sprint(r.IntN(3)) + `"`
	}
	return fmt.Sprint(r.IntN(4))
}

// randomPointer makes a pointer that mostly leads somewhere.
func randomPointer(r *rand.Rand, v any) string {
	p := ""
	for r.IntN(5) > 0 {
		t := randomKeys[r.IntN(len(randomKeys))]
		switch d := v.(type) {
		case obj:
			if len(d) > 0 && r.IntN(8) > 0 {
				n := r.IntN(len(d))
				for k := range d {
					if n--; n < 0 {
						t = k
					}
				}
			}
			v = d[t]
		case *arr:
			if i := r.IntN(len(d.v) + 1); r.IntN(8) > 0 {
				t = fmt.Sprint(i)
				if v = nil; i < len(d.v) {
					v = d.v[i]
				}
			}
		default:
			if r.IntN(4) > 0 {
				return p
			}
		}
		p += "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(t)
	}
	return p
}

func randomPatch(r *rand.Rand, doc string) string {
	tree := parseTree(doc)
	var ops []string
	for range 1 + r.IntN(4) {
		path := string(rawjson.Quote(randomPointer(r, tree)))
		from := string(rawjson.Quote(randomPointer(r, tree)))
		switch r.IntN(8) {
		case 0, 1, 2:
			ops = append(ops, `{"op":"add","path":`+path+`,"value":`+randomValue(r, 2)+`}`)
		case 3:
			ops = append(ops, `{"op":"remove","path":`+path+`}`)
		case 4:
			ops = append(ops, `{"op":"replace","path":`+path+`,"value":`+randomValue(r, 2)+`}`)
		case 5:
			ops = append(ops, `{"op":"move","path":`+path+`,"from":`+from+`}`)
		case 6:
			ops = append(ops, `{"op":"copy","path":`+path+`,"from":`+from+`}`)
		default:
			if d, err := ParseDocument(doc); err == nil {
				if v, ok := d.Get(rawjson.String(path).Decode()); ok {
					ops = append(ops, `{"op":"test","path":`+path+`,"value":`+v+`}`)
				}
			}
		}
	}
	return "[" + strings.Join(ops, ",") + "]"
}

// TestPatchAgainstModel applies random patches one after the other, beside the model, with views taken and gone back
// to.
func TestPatchAgainstModel(t *testing.T) {
	applied, refused := 0, 0
	for seed := range uint64(1000) {
		r := rand.New(rand.NewPCG(seed, 1))
		text := randomValue(r, 4)
		d := doc(t, text)
		var views []View
		var texts []string
		for range 12 {
			before := d.String()
			if r.IntN(3) == 0 {
				views, texts = append(views, d.Snapshot()), append(texts, before)
			}
			if len(views) > 0 && r.IntN(10) == 0 {
				i := r.IntN(len(views))
				d.Restore(views[i])
				before = texts[i]
			}
			patch := randomPatch(r, before)
			var ch Changes
			m := &mirror{root: obj{"state": parseTree(before)}}
			perr := d.patch(patch, len(patch), &ch, stateBase, nil)
			after := d.String()
			m.apply(&ch, "")
			if show(m.root["state"]) != show(parseTree(after)) {
				t.Fatalf("seed %d: %s on %s\nthe mirror has %s\nthe document   %s", seed, patch, before,
					show(m.root["state"]), after)
			}
			dv, _ := plain(before)
			pv, _ := plain(patch)
			want, ok := model(dv, pv.([]any))
			if ok != (perr == nil) {
				t.Fatalf("seed %d: %s on %s: the model says %v, we say %v", seed, patch, before, ok, perr)
			}
			if ok {
				applied++
				if !modelEqual(want, mustPlain(t, after)) {
					t.Fatalf("seed %d: %s on %s\n got %s\nwant %v", seed, patch, before, after, want)
				}
			} else if refused++; before != after {
				t.Fatalf("seed %d: the refused %s left %s of %s", seed, patch, after, before)
			}
			for i, v := range views {
				if v.String() != texts[i] {
					t.Fatalf("seed %d: after %s a view is %s, was %s", seed, patch, v, texts[i])
				}
			}
		}
	}
	if applied < 2000 || refused < 2000 {
		t.Errorf("%d applied, %d refused: the generator lost its sense", applied, refused)
	}
}

// randomEvent makes an event that mostly makes sense, about few ids, so that replays and collisions come often.
func randomEvent(r *rand.Rand, s *Store) string {
	id := func() string { return string(rawjson.Quote([]string{"m1", "m2", "c1", "r1"}[r.IntN(4)])) }
	call := func() string { return string(rawjson.Quote([]string{"c1", "c2", "m1"}[r.IntN(3)])) }
	extra := ""
	if r.IntN(4) == 0 {
		extra += `,"metadata":` + []string{`{"a":1}`, `{"a":2,"b":{"c":[1]}}`, `{}`, `{"__proto__":3}`}[r.IntN(4)]
	}
	if r.IntN(6) == 0 {
		extra += `,"subagentRunId":"s1"`
	}
	delta := `"` + []string{"", "x", "\\ud83d", "\\ude80", "\\n", "é"}[r.IntN(6)] + `"`
	content := []string{`"text"`, `""`, `[{"type":"text","text":"a","id":null}]`,
		`"` + strings.Repeat("long ", 60) + `"`}[r.IntN(4)]
	object := []string{`{"a":[1]}`, `{}`, `{"a":[1],"t":"` + strings.Repeat("long ", 60) + `"}`}[r.IntN(3)]
	switch r.IntN(26) {
	case 0:
		return `{"type":"RUN_STARTED","threadId":"t","runId":"r","input":{"threadId":"t","runId":"r","messages":` +
			randomMessages(r) + `,"tools":[],"context":[]}}`
	case 1:
		outcome := []string{`null`, `{"type":"success"}`, `{"type":"success","pendingToolCallIds":["c1"]}`,
			`{"type":"cancelled","x":null}`,
			`{"type":"interrupt","interrupts":[{"id":"i","reason":"x","message":null}]}`, `"odd"`,
			`{"type":"new"}`}[r.IntN(7)]
		return `{"type":"RUN_FINISHED","threadId":"t","runId":"r","outcome":` + outcome + `,"result":` +
			randomValue(r, 2) + `,"usage":[{"inputTokens":1}]}`
	case 2:
		return `{"type":"RUN_ERROR","message":"no"}`
	case 3, 4:
		return `{"type":"TEXT_MESSAGE_START","messageId":` + id() +
			[]string{"", `,"role":"user"`, `,"name":"n"`}[r.IntN(3)] + extra + `}`
	case 5, 6, 7:
		return `{"type":"TEXT_MESSAGE_CONTENT","messageId":` + id() + `,"delta":` + delta + extra + `}`
	case 8:
		return `{"type":"TEXT_MESSAGE_END","messageId":` + id() + extra + `}`
	case 9:
		return `{"type":"REASONING_MESSAGE_START","messageId":` + id() + `,"role":"reasoning"` + extra + `}`
	case 10:
		return `{"type":"REASONING_MESSAGE_CONTENT","messageId":` + id() + `,"delta":` + delta + extra + `}`
	case 11:
		return `{"type":"REASONING_MESSAGE_END","messageId":` + id() + extra + `}`
	case 12, 13:
		parent := ""
		if r.IntN(2) == 0 {
			parent = `,"parentMessageId":` + id()
		}
		return `{"type":"TOOL_CALL_START","toolCallId":` + call() + `,"toolCallName":"` +
			[]string{"f", "g"}[r.IntN(2)] + `"` + parent + extra + `}`
	case 14, 15:
		return `{"type":"TOOL_CALL_ARGS","toolCallId":` + call() + `,"delta":` + delta + extra + `}`
	case 16:
		return `{"type":"TOOL_CALL_END","toolCallId":` + call() + extra + `}`
	case 17, 18:
		return `{"type":"TOOL_CALL_RESULT","messageId":` + id() + `,"toolCallId":` + call() + `,"content":` + content +
			extra + `}`
	case 19:
		return `{"type":"STATE_SNAPSHOT","snapshot":` + randomValue(r, 3) + extra + `}`
	case 20, 21:
		return `{"type":"STATE_DELTA","delta":` + randomPatch(r, string(s.AppendState(nil))) + `}`
	case 22:
		if r.IntN(2) == 0 { // what the page holds, as an agent that keeps the thread sends it back
			return `{"type":"MESSAGES_SNAPSHOT","messages":` + string(s.AppendMessagesForAgent(nil)) + `}`
		}
		return `{"type":"MESSAGES_SNAPSHOT","messages":` + randomMessages(r) + `}`
	case 23:
		return `{"type":"ACTIVITY_SNAPSHOT","messageId":` + id() + `,"activityType":"` + []string{"p", "q"}[r.IntN(2)] +
			`","content":` + object +
			[]string{"", `,"replace":false`}[r.IntN(2)] + extra + `}`
	case 24:
		return `{"type":"ACTIVITY_DELTA","messageId":` + id() + `,"activityType":"p","patch":` +
			randomPatch(r, object) + extra + `}`
	}
	return `{"type":"REASONING_ENCRYPTED_VALUE","subtype":"` + []string{"message", "tool-call"}[r.IntN(2)] +
		`","entityId":` + id() + `,"encryptedValue":"` + fmt.Sprint(r.IntN(3)) + `"}`
}

func randomMessages(r *rand.Rand) string {
	all := []string{
		`{"id":"m1","role":"assistant","content":"x"}`,
		`{"id":"m1","role":"reasoning","content":"think"}`,
		`{"id":"m2","role":"user","content":[{"type":"text","text":"a"}],"name":null}`,
		`{"content":"t", "id":"m2", "role":"assistant","toolCalls":[{"id":"c1","type":"function","function":{"name":"f","arguments":"{}"}}],"metadata":{"a":1}}`,
		`{"id":"c1","role":"assistant","toolCalls":[{"id":"c1","type":"function","function":{"name":"f","arguments":""},"metadata":{"z":1}},{"id":"c2","type":"function","function":{"name":"g","arguments":"1"}}]}`,
		`{"id":"r1","role":"tool","toolCallId":"c1","content":"ok"}`,
		`{"id":"r1","role":"tool","toolCallId":"c2","content":"ok"}`,
		`{"id":"m1","role":"activity","activityType":"p","content":{"a":[1]}}`,
		`{"id":"bad","role":"robot"}`,
		`{"id":"u","role":"user","content":"\ud83d"}`,
	}
	var list []string
	for _, i := range r.Perm(len(all))[:r.IntN(6)] {
		list = append(list, all[i])
	}
	return "[" + strings.Join(list, ",") + "]"
}

// TestStoreAgainstMirror sends random events, straight and through the pipeline, and carries the changes out beside:
// the tree is the store's after every event. Snapshots taken on the way stay what they were.
func TestStoreAgainstMirror(t *testing.T) {
	seeds := uint64(600)
	if testing.Short() {
		seeds = 60
	}
	for seed := range seeds {
		r := rand.New(rand.NewPCG(seed, 2))
		start, err := agui.ParseMessages(strings.ReplaceAll(randomMessages(r), `,{"id":"bad","role":"robot"}`, ""),
			"messages", agui.InputOptions{})
		if err != nil {
			start = nil
		}
		s := New(start, randomValue(r, 3))
		m := newMirror(s)
		var ch Changes
		var snapshots []Snapshot
		var texts []string
		var events []string
		apply := func(ev agui.Event) bool {
			ch.Reset()
			s.Apply(ev, &ch, nil)
			func() {
				defer func() {
					if p := recover(); p != nil {
						t.Fatalf("seed %d: %v\n%s", seed, p, strings.Join(events, "\n"))
					}
				}()
				m.apply(&ch, ev.Common().Raw)
			}()
			m.check(t, s, fmt.Sprint("seed ", seed, "\n", strings.Join(events, "\n")))
			checkStore(t, s)
			return true
		}
		p := agui.NewPipeline(agui.Options{Known: s, Emit: apply})
		for range 40 {
			e := randomEvent(r, s)
			events = append(events, e)
			if seed%2 == 0 {
				if ev, err := agui.Decode(e, agui.DecodeOptions{}); err == nil {
					apply(ev)
				}
			} else if err := p.Push(e); err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			if r.IntN(6) == 0 {
				snapshots, texts = append(snapshots, s.Snapshot()), append(texts, betweenRuns(s))
			}
			if len(snapshots) > 0 && r.IntN(15) == 0 {
				i := r.IntN(len(snapshots))
				events = append(events, fmt.Sprint("restore ", i))
				ch.Reset()
				s.Restore(snapshots[i], &ch)
				m.apply(&ch, "")
				m.check(t, s, "restore")
				if got := betweenRuns(s); got != texts[i] {
					t.Fatalf("seed %d: snapshot %d gave %s, was %s\n%s", seed, i, got, texts[i],
						strings.Join(events, "\n"))
				}
			}
		}
		for i := range snapshots {
			f := New(nil, "")
			f.Restore(snapshots[i], nil)
			if got := betweenRuns(f); got != texts[i] {
				t.Fatalf("seed %d: snapshot %d is %s, was %s", seed, i, got, texts[i])
			}
		}
	}
}

// checkStore checks what must hold of any store.
func checkStore(t *testing.T, s *Store) {
	t.Helper()
	ids := map[string]bool{}
	for i, e := range s.list {
		if e.index != i || s.byID[e.m.id] != e || ids[e.m.id] {
			t.Fatalf("message %d (%s) is out of place in %s", i, e.m.id, s.AppendMessages(nil))
		}
		ids[e.m.id] = true
		if s.lookup(e.m.kind, e.m.wire) == nil {
			t.Fatalf("%s cannot be found under its wire's id %s", e.m.id, e.m.wire)
		}
		for _, c := range e.m.calls {
			if at, ok := s.calls[c.id]; !ok || at.e.m.calls[at.i].id != c.id {
				t.Fatalf("call %s cannot be found in %s", c.id, s.AppendMessages(nil))
			}
		}
	}
	if len(s.byID) != len(s.list) {
		t.Fatalf("%d ids for %d messages", len(s.byID), len(s.list))
	}
}

// betweenRuns gives the tree as a snapshot keeps it: what ids mean to a run that replays the past is that run's alone.
func betweenRuns(s *Store) string {
	return regexp.MustCompile(`,"aliases":\{[^}]*\}`).ReplaceAllString(string(s.AppendTree(nil)), "")
}
