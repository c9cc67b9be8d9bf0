package session

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"aguiwasm/agui/sse"
	"aguiwasm/state"
)

// TestAStreamThatNeverRepeatsItself runs random streams twice: as they are, where most events repeat the one before but
// for the delta, and with a further member that differs in each event, so that each is decoded and delivered on its
// own. Both must give the same events, snapshots, warnings and end, in every mode, and the mirror must hold what the
// store holds.
func TestAStreamThatNeverRepeatsItself(t *testing.T) {
	alone, seeds := 0, uint64(800)
	if testing.Short() {
		seeds = 80
	}
	for seed := range seeds {
		r := rand.New(rand.NewPCG(seed, 3))
		events := randomStream(r)
		cfg := Config{Mode: Mode(r.IntN(3)), Strict: r.IntN(4) == 0}
		cut, skip := []uint64{0, 1, seed + 2}[r.IntN(3)], r.IntN(3) == 0
		want, wantTree, _ := runStream(t, cfg, events, cut, skip, true)
		got, gotTree, n := runStream(t, cfg, events, cut, skip, false)
		alone += n
		if has, holds := joined(show(got.root)), joined(show(parse(t, gotTree))); cfg.Mode != Raw && has != holds {
			t.Fatalf("seed %d, mode %d: the mirror has\n%s\nthe store\n%s\n%s", seed, cfg.Mode, has, holds,
				strings.Join(events, "\n"))
		}
		a, b := summary(got, gotTree), summary(want, wantTree)
		for i := range a {
			if !reflect.DeepEqual(a[i], b[i]) {
				t.Fatalf("seed %d, mode %d, strict %v: they differ in %d\n got %v\nwant %v\n%s", seed, cfg.Mode,
					cfg.Strict, i, a[i], b[i], strings.Join(events, "\n"))
			}
		}
	}
	if alone < int(seeds)*5/2 {
		t.Errorf("only %d events came alone: the generator lost its sense", alone)
	}
}

// placed is a cut of [runStream]: the events are placed, not pushed.
const placed = ^uint64(0)

// TestPlacedEvents: an event that is placed does what one does that is pushed.
func TestPlacedEvents(t *testing.T) {
	seeds := uint64(40)
	if testing.Short() {
		seeds = 10
	}
	for seed := range seeds {
		events := randomStream(rand.New(rand.NewPCG(seed, 11)))
		for _, cfg := range []Config{{}, {Strict: true}, {Mode: Stepped}, {Mode: Raw}} {
			for _, skip := range []bool{false, true} {
				want, tree, _ := runStream(t, cfg, events, 0, skip, false)
				got, placedTree, _ := runStream(t, cfg, events, placed, skip, false)
				if a, b := show(summary(got, placedTree)), show(summary(want, tree)); a != b {
					t.Fatalf("seed %d, %+v: got %s\nwant %s", seed, cfg, a, b)
				}
			}
		}
	}
}

// runStream runs a stream in a session with a mirror. apart gives each event a member of its own. It also tells how
// many events were delivered alone.
func runStream(t *testing.T, cfg Config, events []string, cut uint64, skip, apart bool) (m *mirror, tree string,
	alone int) {
	m = newMirror([]any{}, map[string]any{"a": []any{}})
	store := state.New(nil, `{"a":[]}`)
	if cfg.Mode != Raw {
		cfg.Store = store
	}
	cfg.ThreadID, cfg.RunID = "t1", "r1"
	cfg.Deliver = func(b []byte) {
		var entries []json.RawMessage
		if err := json.Unmarshal([]byte(marked(string(b))), &entries); err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			if e[0] == '{' {
				alone++
			}
		}
		if err := m.take(b); err != nil {
			t.Fatalf("%v\n%s", err, strings.Join(events, "\n"))
		}
	}
	s := New(cfg)
	defer s.Stop()
	steps := 0
	step := func() {
		for m.asked && !m.done && m.fail == nil {
			m.asked = false
			steps++
			s.Step(!skip || steps%5 != 0)
		}
	}
	var body strings.Builder
	for i, e := range events {
		if apart {
			e = strings.Replace(e, "{", fmt.Sprintf(`{"more":%d,`, i), 1)
		}
		body.WriteString("data: " + e + "\n\n")
	}
	if cut == placed {
		for rest := events; len(rest) > 0 && s.flags()&Over == 0; {
			n := min(len(rest), 1+len(rest)%3) // several at once, as where a connection's end makes some
			for _, e := range rest[:n] {
				s.Place(sse.Event{Data: e})
			}
			rest = rest[n:]
			s.Flush()
			step()
		}
	} else {
		for _, chunk := range cuts(body.String(), cut) {
			if s.flags()&Over != 0 {
				break
			}
			s.Push([]byte(chunk))
			step()
		}
	}
	s.End()
	step()
	return m, string(store.AppendTree(nil)), alone
}

// summary gives what a run came to, without what the further member alone is in.
func summary(m *mirror, tree string) []any {
	var events []any
	for _, raw := range m.raw {
		var e map[string]any
		_ = json.Unmarshal(raw, &e)
		delete(e, "more")
		events = append(events, e)
	}
	var warnings []string
	for _, w := range m.warn {
		text, _, _ := strings.Cut(w.Message, " (") // what follows may quote the event
		warnings = append(warnings, w.Code+" "+text)
	}
	return []any{m.code(), warnings, events, fmt.Sprint(m.types), joined(show(m.root)), tree}
}

// randomStream makes a stream of stretches: each repeats one event with other deltas, and few ids make them meet.
func randomStream(r *rand.Rand) []string {
	pick := func(list ...string) string { return list[r.IntN(len(list))] }
	id := func() string { return pick(`"m1"`, `"m2"`, `"m\u0031"`, `"r1"`) }
	call := func() string { return pick(`"c1"`, `"c2"`, `"m1"`) }
	delta := func() string {
		return `"` + pick("", "x", "hello ", `\ud83d`, `\ude80`, `\ud83d\ude80`, `\n`, `\"`, "é", `\u0000`,
			`{\"a\":[1,`, strings.Repeat("long ", 30)) + `"`
	}
	list := []string{`{"type":"RUN_STARTED","threadId":"t1","runId":"r1"}`}
	add := func(format string, args ...any) { list = append(list, fmt.Sprintf(format, args...)) }
	for range 2 + r.IntN(14) {
		extra := ""
		if r.IntN(4) == 0 {
			extra += `,"metadata":` + pick(`{"a":1}`, `{"a":2,"b":{"c":[1]}}`, `{}`, `{"__proto__":3}`, `{"delta":"x"}`,
				`7`)
		}
		if r.IntN(5) == 0 {
			extra += `,"subagentRunId":` + pick(`"s1"`, `"s2"`, "null")
		}
		if r.IntN(6) == 0 {
			extra += pick(`,"timestamp":12`, `,"timestamp":"odd"`, `,"rawEvent":{"delta":"y"}`, ` `, `,"delta2":"z"`)
		}
		first := pick("", "", "", ` `, `"delta":"lost",`, `"zz":[],`)
		m, c := id(), call()
		shape := ""
		switch r.IntN(13) {
		case 0, 1, 2:
			if r.IntN(4) > 0 {
				add(`{"type":"TEXT_MESSAGE_START","messageId":%s,"role":"%s"%s}`, m, pick("assistant", "user"), extra)
			}
			shape = `{` + first + `"type":"TEXT_MESSAGE_CONTENT","messageId":` + m + `,` +
				pick(`"delta"`, `"d\u0065lta"`) + `:%` + extra + `}`
		case 3, 4:
			if r.IntN(4) > 0 {
				add(`{"type":"TOOL_CALL_START","toolCallId":%s,"toolCallName":"f","parentMessageId":%s%s}`, c, m, extra)
			}
			shape = `{` + first + `"type":"TOOL_CALL_ARGS","toolCallId":` + c + `,"delta":%` + extra + `}`
		case 5:
			if r.IntN(4) > 0 {
				add(`{"type":"REASONING_MESSAGE_START","messageId":%s,"role":"reasoning"%s}`, m, extra)
			}
			shape = `{` + first + `"type":"REASONING_MESSAGE_CONTENT","messageId":` + m + `,"delta":%` + extra + `}`
		case 6:
			shape = `{` + first + `"type":"TEXT_MESSAGE_CHUNK",` + pick(`"messageId":`+m+`,`, ``, `"role":"user",`) +
				`"delta":%` + extra + `}`
		case 7:
			shape = `{` + first + `"type":"TOOL_CALL_CHUNK",` +
				pick(`"toolCallId":`+c+`,"toolCallName":"g",`, `"toolCallId":`+c+`,`, ``) + `"delta":%` + extra + `}`
		case 8:
			shape = `{` + first + `"type":"REASONING_MESSAGE_CHUNK",` + pick(`"messageId":`+m+`,`, ``) + `"delta":%` +
				extra + `}`
		case 9:
			add("%s", pick(`{"type":"THINKING_START"}`, `{"type":"THINKING_TEXT_MESSAGE_START"}`,
				`{"type":"THINKING_TEXT_MESSAGE_END"}`))
			shape = `{"type":"THINKING_TEXT_MESSAGE_CONTENT","delta":%` + extra + `}`
		case 10:
			add(`{"type":"MESSAGES_SNAPSHOT","messages":[%s]}`, pick(``, `{"id":"m2","role":"user","content":"u"}`,
				`{"id":"m2","role":"assistant","content":"v"},{"id":"m1","role":"assistant","content":"w","toolCalls":[{"id":"c1","type":"function","function":{"name":"f","arguments":"{"}}]}`,
				`{"id":"m1","role":"reasoning","content":"w"},{"id":"m1","role":"assistant"}`))
			add(`{"type":"TOOL_CALL_RESULT","messageId":%s,"toolCallId":%s,"content":%s}`, id(), call(), delta())
		case 11:
			add(
				`{"type":"STATE_DELTA","delta":[{"op":"add","path":"/a/-","value":%s},{"op":"%s","path":"/a/0","value":1}]}`, delta(), pick("add", "remove", "replace", "test"))
			add(`{"type":"ACTIVITY_SNAPSHOT","messageId":%s,"activityType":"p","content":{"content":%s}}`, id(),
				delta())
			add(
				`{"type":"ACTIVITY_DELTA","messageId":%s,"activityType":"p","patch":[{"op":"%s","path":"/content","value":"x"}]}`, id(), pick("add", "remove"))
		default:
			add("%s", pick(`{"type":"TEXT_MESSAGE_END","messageId":"m1"}`, `{"type":"TOOL_CALL_END","toolCallId":"c1"}`,
				`{"type":"REASONING_MESSAGE_END","messageId":"m1"}`,
				`{"type":"RUN_FINISHED","threadId":"t1","runId":"r1"}`,
				`{"type":"RUN_STARTED","threadId":"t1","runId":"r2"}`, `{"type":"CUSTOM","name":"n","value":1}`,
				`{"type":"SUBAGENT_STARTED","subagentRunId":"s1","name":"n"}`,
				`{"type":"SUBAGENT_FINISHED","subagentRunId":"s1"}`, `{"type":"NEW","delta":"x"}`,
				`{"type":"REASONING_ENCRYPTED_VALUE","subtype":"message","entityId":"m1","encryptedValue":"e"}`))
		}
		if shape != "" {
			last := len(list)
			for range 1 + r.IntN(8) {
				add("%s", strings.Replace(shape, "%", delta(), 1))
				if r.IntN(12) == 0 && last > 1 { // an event of before comes between
					list = append(list, list[r.IntN(last)])
				}
			}
		}
	}
	if r.IntN(3) > 0 {
		add(`{"type":"RUN_FINISHED","threadId":"t1","runId":"r1"}`)
	}
	return list
}
