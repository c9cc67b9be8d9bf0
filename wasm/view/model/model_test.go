package model

import (
	"fmt"
	"strings"
	"testing"

	"aguiwasm/agui/rawjson"
)

func TestForm(t *testing.T) {
	const object = `{"type":"object","required":["name","size"],"properties":{
		"name":{"type":"string","title":"Name","maxLength":5},"size":{"type":"integer","minimum":1,"maximum":9},
		"color":{"enum":["red","blue",3]},"rush":{"type":"boolean","default":true},"note":{"type":"string","format":"textarea"},
		"plan":{"oneOf":[{"const":"a","title":"Plan A"},{"const":"b"}]},"tags":{"type":"array"},"price":{"type":["number","null"]}}}`
	for _, c := range []struct {
		name, schema string
		values       []string
		want         string
		problems     string
	}{
		{"all", object, []string{"Ann", "3", "1", "true", "hi\nho", "0", `["x"]`, "1e3"},
			`{"name":"Ann","size":3,"color":"blue","rush":true,"note":"hi\nho","plan":"a","tags":["x"],"price":1e3}`,
			""},
		{"least", object, []string{"Ann", "3", "", "", "", "", "", ""}, `{"name":"Ann","size":3,"rush":false}`, ""},
		{"enum keeps its kind", object, []string{"A", "1", "2"}, `{"name":"A","size":1,"color":3,"rush":false}`, ""},
		{"missing", object, nil, "", "0 required,1 required"},
		{"too long", object, []string{"Annabel", "3"}, "", "0 invalid"},
		{"no number", object, []string{"Ann", "x"}, "", "1 invalidNumber"},
		{"no integer", object, []string{"Ann", "1.5"}, "", "1 invalidNumber"},
		{"out of range", object, []string{"Ann", "10"}, "", "1 invalidRange"},
		{"hex is no number", object, []string{"Ann", "0x3"}, "", "1 invalidNumber"},
		{"NaN is no number", object, []string{"Ann", "3", "", "", "", "", "", "NaN"}, "", "7 invalidNumber"},
		{"bad JSON", object, []string{"Ann", "3", "", "", "", "", "[1"}, "", "6 invalidJSON"},
		{"choice out of list", object, []string{"Ann", "3", "7"}, "", "2 required"},
		{"string", `{"type":"string"}`, []string{`say "hi"`}, `"say \"hi\""`, ""},
		{"string, empty", `{"type":"string"}`, []string{""}, "", "0 required"},
		{"number", `{"type":"number"}`, []string{" 12345678901234567890 "}, `12345678901234567890`, ""},
		{"boolean", `{"type":"boolean"}`, []string{""}, `false`, ""},
		{"enum", `{"enum":[null,"a"]}`, []string{"0"}, `null`, ""},
		{"const", `{"const":{"a":1}}`, []string{"0"}, `{"a":1}`, ""},
		{"array", `{"type":"array"}`, []string{`[1]`}, `[1]`, ""},
		{"object without properties", `{"type":"object"}`, []string{`{"a":1}`}, `{"a":1}`, ""},
		{"reference", `{"$ref":"#/x"}`, []string{`{"a":1}`}, `{"a":1}`, ""},
		{"true", `true`, []string{`1`}, `1`, ""},
		{"nested object", `{"properties":{"a":{"type":"object"}}}`, []string{`{"b":2}`}, `{"a":{"b":2}}`, ""},
		{"__proto__", `{"properties":{"__proto__":{"type":"string"}}}`, []string{`x`}, `{"__proto__":"x"}`, ""},
		{"key twice", `{"properties":{"a":{"type":"string"},"a":{"type":"number"}}}`, []string{`1`}, `{"a":1}`, ""},
	} {
		f := NewForm(c.schema)
		got, problems := f.Answer(c.values)
		var said []string
		for _, p := range problems {
			said = append(said, fmt.Sprint(p.Field, " ", p.Label))
		}
		if got != c.want || strings.Join(said, ",") != c.problems {
			t.Errorf("%s: got %s %v, want %s %s", c.name, got, said, c.want, c.problems)
		}
		if got != "" && rawjson.Check(got, 0) != nil {
			t.Errorf("%s: %s is no JSON", c.name, got)
		}
	}
	many := `{"properties":{` + strings.TrimSuffix(strings.Repeat(`"%":{"type":"string"},`, 80), ",") + `}}`
	for i := range 80 {
		many = strings.Replace(many, "%", fmt.Sprint("p", i), 1)
	}
	if f := NewForm(many); f.Object || f.Fields[0].Input != JSONInput {
		t.Error("a schema with too many properties must be answered as JSON")
	}
}

// shape writes a timeline as names in brackets.
func shape(list []*Entry) string {
	var b strings.Builder
	for i, e := range list {
		if i > 0 {
			b.WriteByte(' ')
		}
		if e.Message != nil {
			b.WriteString(e.Message.ID)
			continue
		}
		b.WriteString(e.Owner + "[" + shape(e.Kids) + "]")
	}
	return b.String()
}

func apply(t *testing.T, c *Conversation, text string) {
	t.Helper()
	if !c.Apply(text) {
		t.Fatalf("not applied: %s", text)
	}
}

func TestTimeline(t *testing.T) {
	sub := func(id, parent string) string {
		return fmt.Sprintf(`{"type":"SUBAGENT_STARTED","subagentRunId":%q,"name":%q,"parentSubagentRunId":%q}`, id, id,
			parent)
	}
	for _, c := range []struct{ name, messages, events, want string }{
		{"plain",
			`{"id":"s","role":"system"},{"id":"u","role":"user"},{"id":"a","role":"assistant"},{"id":"d","role":"developer"}`, "", "u a"},
		{"results stand with their calls",
			`{"id":"a","role":"assistant","toolCalls":[{"id":"c","function":{"name":"f"}}]},{"id":"r","role":"tool","toolCallId":"c"},{"id":"o","role":"tool","toolCallId":"x"}`, "", "a o"},
		{"side by side",
			`{"id":"1","role":"assistant","subagentRunId":"A"},{"id":"2","role":"assistant","subagentRunId":"B"},{"id":"3","role":"assistant","subagentRunId":"A"},{"id":"4","role":"assistant"}`, "", "A[1 3] B[2] 4"},
		{"nested",
			`{"id":"1","role":"assistant","subagentRunId":"A"},{"id":"2","role":"assistant","subagentRunId":"B"}`,
			sub("A", "") + "," + sub("B", "A"), "A[1 B[2]]"},
		{"nested, child first",
			`{"id":"2","role":"assistant","subagentRunId":"B"},{"id":"1","role":"assistant","subagentRunId":"A"}`,
			sub("A", "") + "," + sub("B", "A"), "A[B[2] 1]"},
		{"silent", `{"id":"u","role":"user"}`, sub("A", ""), "u A[]"},
		{"circle",
			`{"id":"1","role":"assistant","subagentRunId":"A"},{"id":"2","role":"assistant","subagentRunId":"B"}`,
			sub("A", "B") + "," + sub("B", "A"), "B[A[1] 2]"},
		{"own parent", `{"id":"1","role":"assistant","subagentRunId":"A"}`, sub("A", "A"), "A[1]"},
		{"deep", `{"id":"1","role":"assistant","subagentRunId":"I"}`,
			sub("A", "") + "," + sub("B", "A") + "," + sub("C", "B") + "," + sub("D", "C") + "," + sub("E", "D") + "," +
				sub("F", "E") + "," + sub("G", "F") + "," + sub("H", "G") + "," + sub("I", "H"),
			"A[B[C[D[E[F[G[]]]]]]] H[I[1]]"},
	} {
		var chat Conversation
		var ids []string
		for _, m := range rawjson.Elements("[" + c.messages + "]") {
			id, _ := rawjson.Get(m, "id")
			ids = append(ids, id)
		}
		apply(t, &chat, `{"set":[`+c.messages+`],"ids":[`+strings.Join(ids, ",")+`],"events":[`+c.events+`]}`)
		if got := shape(chat.Timeline()); got != c.want {
			t.Errorf("%s: got %s, want %s", c.name, got, c.want)
		}
	}
}

func TestConversation(t *testing.T) {
	var c Conversation
	apply(t, &c, `{"set":[{"id":"u","role":"user","content":"hi"},{"id":"a","role":"assistant","content":"one"}],"ids":["u","a"],"running":true,
		"events":[{"type":"RUN_STARTED"},{"type":"TEXT_MESSAGE_START","messageId":"a"},{"type":"STEP_STARTED","stepName":"plan"}]}`)
	a, u := c.Messages()[1], c.Messages()[0]
	if !a.Open || u.Open || !c.Run.Active || len(c.Run.Steps) != 1 {
		t.Fatalf("open %v, running %v, steps %v", a.Open, c.Run.Active, c.Run.Steps)
	}
	version, still, layout := a.Version, u.Version, c.Layout
	apply(t, &c, `{"append":[["a"," two"],["gone","x"]]}`)
	if a.Text != "one two" || a.Version == version || u.Version != still || c.Layout != layout {
		t.Errorf("append: %q, versions %d %d, layout %d", a.Text, a.Version, u.Version, c.Layout)
	}
	apply(t, &c, `{"set":[{"id":"a","role":"assistant","content":"one two","toolCalls":[{"id":"c1","function":{"name":"f","arguments":"{"}},{"id":"c2","function":{"name":"g"}}]}],
		"events":[{"type":"TOOL_CALL_START","toolCallId":"c1"}]}`)
	if s := c.CallStatus(&a.Calls[0]); s != Preparing {
		t.Errorf("an open call is preparing, not %d", s)
	}
	version = a.Version
	apply(t, &c, `{"events":[{"type":"TOOL_CALL_END","toolCallId":"c1"}]}`)
	if c.CallStatus(&a.Calls[0]) != Running || a.Version == version {
		t.Error("a closed call without a result runs, and its message changed")
	}
	version = a.Version
	apply(t, &c, `{"set":[{"id":"r","role":"tool","toolCallId":"c1","content":"ok"}],"ids":["u","a","r"]}`)
	if c.CallStatus(&a.Calls[0]) != Done || a.Version == version || c.Result("c1").Text != "ok" {
		t.Error("a result ends its call, and the call's message changed")
	}
	apply(t, &c, `{"set":[{"id":"r","role":"tool","toolCallId":"c1","content":"no","error":"no"}]}`)
	if c.CallStatus(&a.Calls[0]) != Failed {
		t.Error("an error fails the call")
	}
	version = a.Version
	apply(t, &c, `{"running":false,"events":[{"type":"RUN_ERROR"}],"error":{"code":"run_error","message":"boom"}}`)
	if c.Run.Active || a.Open || a.Version == version || len(c.Run.Steps) != 0 || c.Run.Error == nil ||
		c.CallStatus(&a.Calls[1]) != Stopped {
		t.Errorf("the end closes everything: %+v", c.Run)
	}
	apply(t, &c,
		`{"interrupts":[{"id":"i","reason":"tool_call","toolCallId":"c2","responseSchema":{"type":"object"}},7]}`)
	if len(c.Run.Interrupts) != 1 || c.CallStatus(&a.Calls[1]) != Waiting ||
		c.Run.Interrupts[0].Schema != `{"type":"object"}` {
		t.Errorf("interrupts: %+v", c.Run.Interrupts)
	}
	// A call that an earlier run left without an answer does not run again with the next one.
	version = a.Version
	apply(t, &c, `{"running":true,"interrupts":[],"events":[{"type":"RUN_STARTED"}]}`)
	if s := c.CallStatus(&a.Calls[1]); s != Stopped || a.Version == version {
		t.Errorf("an old call is %d; versions %d %d", s, version, a.Version)
	}
	// An agent goes on after a run's end while tools of the page answer.
	apply(t, &c,
		`{"events":[{"type":"TOOL_CALL_START","toolCallId":"c2"},{"type":"TOOL_CALL_END","toolCallId":"c2"},{"type":"RUN_FINISHED"}],"running":true}`)
	if !c.Run.Active || c.CallStatus(&a.Calls[1]) != Running {
		t.Error("while the page's tools answer, the run goes on")
	}
	apply(t, &c, `{"running":false}`)
	apply(t, &c, `{"ids":["a","a","unknown"],"interrupts":[],"error":null}`)
	if len(c.Messages()) != 1 || c.Result("c1") != nil || c.Run.Error != nil {
		t.Error("messages that are not named are gone")
	}
	for _, bad := range []string{"", "[]", "{", `{"a":` + strings.Repeat("[", 5000)} {
		if c.Apply(bad) {
			t.Errorf("applied %.20q", bad)
		}
	}
}

// A long history comes in pieces from its end, each in front of what is there; unknown and doubled ids name nothing.
func TestPiecesInFront(t *testing.T) {
	var c Conversation
	apply(t, &c, `{"set":[{"id":"c","role":"tool","toolCallId":"x","content":"late"},{"id":"d","role":"user"}],`+
		`"ids":["c","d"],"more":true}`)
	layout := c.Layout
	apply(t, &c, `{"set":[{"id":"a","role":"assistant","toolCalls":[{"id":"x"}]},`+
		`{"id":"b","role":"tool","toolCallId":"x","content":"early"}],"front":["a","b","a","none"]}`)
	var ids []string
	for _, m := range c.Messages() {
		ids = append(ids, m.ID)
	}
	if got := strings.Join(ids, ""); got != "abcd" || c.More || c.Layout == layout {
		t.Errorf("the order is %s, more %t", got, c.More)
	}
	if r := c.Result("x"); r == nil || r.Text != "late" {
		t.Errorf("the result is %+v, not the last one", r)
	}
	apply(t, &c, `{"ids":["a"],"front":["d"]}`)
	if len(c.Messages()) != 1 {
		t.Error("ids have the last word")
	}
}

func TestContent(t *testing.T) {
	text, parts := ReadContent(`[{"type":"text","text":"a"},{"type":"text","text":"b"}]`)
	if text != "a\n\nb" || parts != nil {
		t.Errorf("text parts alone make a text: %q %v", text, parts)
	}
	_,
		parts =
		ReadContent(
			`[{"type":"image","source":{"type":"data","value":"QQ==","mimeType":"image/png"},"metadata":{"filename":"f.png"}},3,{"type":"x"}]`)
	if len(parts) != 2 || parts[0] != (Part{Kind: "image", Source: "data", Value: "QQ==", MIME: "image/png",
		Filename: "f.png"}) {
		t.Errorf("parts: %+v", parts)
	}
}

func TestSpeech(t *testing.T) {
	var s Speech
	s.Known("old", "There before.")
	for _, c := range []struct {
		id, text string
		open     bool
		want     string
	}{
		{"old", "There before.", false, ""},
		{"m", "Hello", true, ""},
		{"m", "Hello **wor", true, ""},
		{"m", "Hello **world**. And", true, "Hello world."},
		{"m", "Hello **world**. And more! ", true, "And more!"},
		{"m", "Hello **world**. And more! 3.5 is", true, ""},
		{"m", "Hello **world**. And more! 3.5 is it", false, "3.5 is it"},
		{"m", "Hello **world**. And more! 3.5 is it", false, ""},
		{"zh", "你好。世", true, "你好。"},
		{"code", "Look:\n\n```js\nsecret()\n```\n", false, "Look:"},
	} {
		if got := s.Next(c.id, c.text, c.open); got != c.want {
			t.Errorf("%q: got %q, want %q", c.text, got, c.want)
		}
	}
	if got := s.Next("long", strings.Repeat("世", 2000), false); len(got) > maxSpoken+3 || !strings.HasSuffix(got, "…") {
		t.Errorf("a wall of text is cut, got %d bytes", len(got))
	}
}

func TestLabels(t *testing.T) {
	for name := range English {
		if Chinese[name] == "" {
			t.Errorf("no Chinese label %q", name)
		}
	}
	for name := range Chinese {
		if English[name] == "" {
			t.Errorf("no English label %q", name)
		}
	}
	for _, c := range []struct{ lang, want string }{{"zh-CN", "发送"}, {"zh", "发送"}, {"ZH-Hans-SG", "发送"},
		{"en-GB", "Send"}, {"fr", "Send"}, {"", "Send"}, {"zhx", "Send"}} {
		if got := LabelsFor(c.lang, nil).Get("send"); got != c.want {
			t.Errorf("%s: %s", c.lang, got)
		}
	}
	own := LabelsFor("zh", map[string]string{"send": "Go"})
	if own.Get("send") != "Go" || own.Get("stop") != "停止" || English["send"] != "Send" {
		t.Error("own labels replace single ones and nothing else")
	}
	for _, code := range []string{"bad_input", "load_failed", "network", "http_status", "bad_content_type", "bad_event",
		"event_too_large", "idle_timeout", "protocol", "incomplete_stream", "run_error", "internal", "other"} {
		if _, ok := English[ErrorWords(code)]; !ok {
			t.Errorf("no words for %s", code)
		}
	}
}

func FuzzApply(f *testing.F) {
	f.Add(
		`{"set":[{"id":"a","role":"assistant","content":"x","toolCalls":[{"id":"c"}]}],"ids":["a"],"append":[["a","y"]],"events":[{"type":"RUN_STARTED"},{"type":"SUBAGENT_STARTED","subagentRunId":"s"}],"interrupts":[{"id":"i"}],"running":true,"error":{}}`)
	f.Fuzz(func(t *testing.T, text string) {
		var c Conversation
		c.Apply(text)
		c.Timeline()
		for _, i := range c.Run.Interrupts {
			form := NewForm(i.Schema)
			form.Answer(make([]string, len(form.Fields)))
		}
	})
}

// A surrogate pair may be split over two deltas at any place; it is shown whole, and a lone half as such only when
// nothing more comes.
func TestSurrogatePairs(t *testing.T) {
	const start = `{"set":[{"id":"m","role":"assistant","content":%s}],"ids":["m"],"running":true,` +
		`"events":[{"type":"RUN_STARTED","threadId":"t","runId":"r"},{"type":"TEXT_MESSAGE_START","messageId":"m"}]}`
	const end = `{"events":[{"type":"TEXT_MESSAGE_END","messageId":"m"}]}`
	add := func(text string) string { return `{"append":[["m",` + text + `]]}` }
	for _, c := range []struct {
		name  string
		first string
		news  []string
		shown []string // after the start and after each piece of news
	}{
		{"two deltas", `"a"`, []string{add(`"b\ud83d"`), add(`"\ude80c"`), end}, []string{"a", "ab", "ab🚀c", "ab🚀c"}},
		{"in one piece of news", `"a"`, []string{`{"append":[["m","\ud83d"],["m","\ude80"]]}`, end},
			[]string{"a", "a🚀", "a🚀"}},
		{"the first half with the message", `"\uD83D"`, []string{add(`"\uDE80"`), end}, []string{"", "🚀", "🚀"}},
		{"two pairs", `""`, []string{add(`"\ud83d"`), add(`"\ude80\ud83d"`), add(`"\ude80"`)},
			[]string{"", "", "🚀", "🚀🚀"}},
		{"the second half alone", `"a"`, []string{add(`"\ude80"`), end},
			[]string{"a", "a\xed\xba\x80", "a\xed\xba\x80"}},
		{"the other half never comes", `"a"`, []string{add(`"\ud83d"`), end}, []string{"a", "a", "a\xed\xa0\xbd"}},
		{"something else comes", `"a"`, []string{add(`"\ud83d"`), add(`"b"`)}, []string{"a", "a", "a\xed\xa0\xbdb"}},
		{"an empty delta between", `"a"`, []string{add(`"\ud83d"`), add(`""`), add(`"\ude80"`)},
			[]string{"a", "a", "a", "a🚀"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var chat Conversation
			var s Speech
			s.Known("m", "")
			heard := ""
			for i, news := range append([]string{fmt.Sprintf(start, c.first)}, c.news...) {
				if !chat.Apply(news) {
					t.Fatalf("%s was refused", news)
				}
				m := chat.Messages()[0]
				heard += s.Next("m", m.Shown(), m.Open)
				if got := m.Shown(); got != c.shown[i] {
					t.Errorf("after %s: %q, want %q", news, got, c.shown[i])
				}
			}
			if want := c.shown[len(c.shown)-1]; c.news[len(c.news)-1] == end && heard != want {
				t.Errorf("heard %q, want %q", heard, want)
			}
		})
	}
}

// Events name messages and calls by the wire's ids. Where a later turn used one again, they are about what the page
// knows by another: that is at work, and the earlier one is not.
func TestIDsUsedAgain(t *testing.T) {
	var c Conversation
	messages := `{"id":"m","role":"assistant","content":"one","toolCalls":[{"id":"c","function":{"name":"f"}}]},` +
		`{"id":"u","role":"user","content":"q"},{"id":"m:2","role":"assistant","content":"two","toolCalls":[{"id":"c:2","function":{"name":"f"}}]}`
	apply(t, &c, `{"set":[`+messages+`],"ids":["m","u","m:2"],"running":true,"aliases":{"TEXT_MESSAGE:m":"m:2","TOOL_CALL:c":"c:2"},
		"events":[{"type":"RUN_STARTED"},{"type":"TEXT_MESSAGE_START","messageId":"m"},{"type":"TOOL_CALL_START","toolCallId":"c"}]}`)
	look := func(name string, open [2]bool, status [2]Status) {
		t.Helper()
		one, two := c.Messages()[0], c.Messages()[2]
		if got := [2]bool{one.Open, two.Open}; got != open {
			t.Errorf("%s: open %v, want %v", name, got, open)
		}
		if got := [2]Status{c.CallStatus(&one.Calls[0]), c.CallStatus(&two.Calls[0])}; got != status {
			t.Errorf("%s: status %v, want %v", name, got, status)
		}
	}
	look("under way", [2]bool{false, true}, [2]Status{Stopped, Preparing})
	version := c.Messages()[2].Version
	apply(t, &c, `{"events":[{"type":"TOOL_CALL_END","toolCallId":"c"}]}`)
	look("its call is whole", [2]bool{false, true}, [2]Status{Stopped, Running})
	if c.Messages()[2].Version == version {
		t.Error("the message is not drawn anew")
	}
	apply(t, &c, `{"aliases":[]}`) // a turn of the past is told again
	look("the earlier turn", [2]bool{true, false}, [2]Status{Running, Stopped})
	apply(t, &c, `{"aliases":{"TEXT_MESSAGE:m":"m:2","TOOL_CALL:c":"c:2"},"events":[{"type":"RUN_FINISHED"}]}`)
	look("over", [2]bool{false, false}, [2]Status{Stopped, Stopped})
}
