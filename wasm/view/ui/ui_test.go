package ui

import (
	"fmt"
	"strings"
	"testing"

	"aguiwasm/agui/rawjson"
	"aguiwasm/wasm/view/markdown"
	"aguiwasm/wasm/view/model"
	"aguiwasm/wasm/view/vnode"
)

// screen is a UI over a conversation.
func screen(t *testing.T, news string) *UI {
	t.Helper()
	chat := &model.Conversation{}
	if !chat.Apply(news) {
		t.Fatalf("not applied: %.300s", news)
	}
	return &UI{
		Labels: model.English, Chat: chat,
		Blob:    func(mime, base64 string) string { return "blob:page/" + mime },
		Remote:  func(string) bool { return false },
		Custom:  func(string, string, string, model.Status) bool { return false },
		Expired: func(at string) bool { return at == "past" },
		When:    func(at string) string { return at },
	}
}

func (u *UI) root() *vnode.Node {
	return u.Root(&Frame{Entries: u.Chat.Timeline(), Limit: 1000, Attach: true,
		Files: []Attachment{{ID: "f", Name: "n", Preview: "blob:page/x"}}})
}

// walk calls f for every node.
func walk(n *vnode.Node, f func(*vnode.Node)) {
	f(n)
	for _, k := range n.Kids {
		walk(k, f)
	}
}

// words gives all text under n.
func words(n *vnode.Node) string {
	var b strings.Builder
	walk(n, func(n *vnode.Node) {
		if n.Tag == "" {
			b.WriteString(n.Text + " ")
		}
	})
	return strings.Join(strings.Fields(b.String()), " ")
}

// find gives the first node with a class.
func find(n *vnode.Node, class string) *vnode.Node {
	var found *vnode.Node
	walk(n, func(k *vnode.Node) {
		if found == nil && (" "+k.Class+" ") != strings.ReplaceAll(" "+k.Class+" ", " "+class+" ", "") {
			found = k
		}
	})
	return found
}

var tags = map[string]bool{}
var attrs = map[string]bool{}

func init() {
	for _, t := range strings.Fields(
		"a article audio blockquote br button code dd del details div dl dt em figcaption figure form h3 h4 h5 h6 header hr i img input label li ol option p pre section select slot span strong summary table tbody td textarea th thead tr ul video") {
		tags[t] = true
	}
	for _, a := range strings.Fields(`alt aria-atomic aria-describedby aria-hidden aria-invalid aria-label aria-labelledby aria-live aria-required checked
		controls data-do data-edit data-field data-id decoding dir disabled download enterkeyhint for hidden href id inputmode lang multiple name novalidate
		open part placeholder playsinline preload referrerpolicy rel role rows scope selected spellcheck src start tabindex target title type value`) {
		attrs[a] = true
	}
}

// attacks are what people try.
var attacks = []string{
	`<script>alert(1)</script>`, `<img src=x onerror=alert(1)>`, `"><svg onload=alert(1)>`, `javascript:alert(1)`,
	`JaVa` + "\t" + `Script:alert(1)`,
	`[x](javascript:alert(1))`, `![x](javascript:alert(1))`, `[x](data:text/html,<script>alert(1)</script>)`,
	`![x](https://evil.example/pixel)`,
	`<a href="javascript:alert(1)">x</a>`, `[x]( java` + "\n" + `script:alert(1))`, `<javascript:alert(1)>`,
	`[x](vbscript:a)`, `[x](\javascript:alert(1))`,
	`[x](&#106;avascript:alert(1))`, `[x](//evil.example)`, `https://evil.example/" onmouseover="alert(1)`,
	`</textarea><script>alert(1)</script>`,
	`{{constructor.constructor('alert(1)')()}}`, `__proto__`, "\x00\u202e\ud7ff", `" style="position:fixed`,
	`![<img src=x>](x)`, `data:text/html;base64,PHNjcmlwdD4=`,
}

// everywhere is a conversation that holds s in every field.
func everywhere(s string) string {
	q := string(rawjson.Quote(s))
	text := `{"set":[
		{"id":%q,"role":"user","name":%q,"content":%q,"metadata":{"a":%q}},
		{"id":"u2","role":"user","content":[{"type":"text","text":%q},{"type":"image","source":{"type":"url","value":%q}},{"type":"audio","source":{"type":"url","value":%q,"mimeType":%q}},
			{"type":"video","source":{"type":"url","value":%q}},{"type":"document","source":{"type":"url","value":%q},"metadata":{"filename":%q}},{"type":"document","source":{"type":"url","value":%q}},
			{"type":"image","source":{"type":"data","value":%q,"mimeType":%q},"metadata":{"filename":%q}},{"type":"image","source":{"type":"data","value":"QQ==","mimeType":"image/svg+xml"},"metadata":{"filename":%q}},
			{"type":"document","source":{"type":"data","value":"QQ==","mimeType":"text/html"},"metadata":{"filename":%q}},{"type":"document","source":{"type":"file","value":%q,"provider":%q}},{"type":%q}]},
		{"id":"a","role":"assistant","name":%q,"content":%q,"toolCalls":[{"id":%q,"type":"function","function":{"name":%q,"arguments":%q}},{"id":"c2","function":{"name":"n","arguments":{"x":1}}},
			{"id":"c3","function":{"name":%q,"arguments":%j}}]},
		{"id":"t1","role":"tool","toolCallId":%q,"content":%q,"error":%q},
		{"id":"t3","role":"tool","toolCallId":"c3","content":%j},
		{"id":"t4","role":"tool","toolCallId":"none","content":[{"type":"image","source":{"type":"url","value":%q}}]},
		{"id":"r","role":"reasoning","content":%q},
		{"id":"act","role":"activity","activityType":%q,"content":{%q:%q,"list":[%q,{%q:%q}],"table":[{"a":%q,"b":1},{"a":%q,"b":2}],"deep":[[[[[[[[%q]]]]]]]]}},
		{"id":"sub","role":"assistant","subagentRunId":%q,"content":%q}],
		"ids":[%q,"u2","a","t1","t3","t4","r","act","sub"],
		"events":[{"type":"SUBAGENT_STARTED","subagentRunId":%q,"name":%q,"description":%q},{"type":"SUBAGENT_ERROR","subagentRunId":%q,"message":%q}],
		"error":{"code":%q,"message":%q},
		"interrupts":[{"id":%q,"reason":"confirmation","message":%q},{"id":"i2","reason":"tool_call","toolCallId":%q,"expiresAt":%q},
			{"id":"i3","reason":%q,"message":%q,"responseSchema":{"type":"object","title":%q,"properties":{%q:{"type":"string","title":%q,"description":%q,"default":%q},
				"e":{"enum":[%q,{"x":%q}]},"j":{"type":"array","default":[%q]},"o":{"oneOf":[{"const":%q,"title":%q}]},"n":{"type":"number","default":%q}}}}]}`
	text = strings.ReplaceAll(text, "%j", string(rawjson.Quote(`{"k":`+q+`,"l":[`+q+`]}`)))
	return strings.ReplaceAll(text, "%q", q)
}

// TestAttacks puts attack strings everywhere: whatever they are, only elements and attributes of our own come out, and
// addresses that run or fetch nothing.
func TestAttacks(t *testing.T) {
	for _, s := range attacks {
		u := screen(t, everywhere(s))
		for _, remote := range []bool{false, true} {
			u.Remote = func(string) bool { return remote }
			for _, m := range u.Chat.Messages() {
				m.Row = nil
			}
			seen := 0
			walk(u.root(), func(n *vnode.Node) {
				if n.Tag == "" {
					seen++
					return
				}
				if !tags[n.Tag] {
					t.Errorf("%q: element %s", s, n.Tag)
				}
				for _, a := range n.Attrs {
					if !attrs[a.Name] {
						t.Errorf("%q: attribute %s", s, a.Name)
					}
					switch a.Name {
					case "href":
						_, safe := markdown.SafeURL(a.Value)
						if _, download := n.Attr("download"); !safe &&
							!(download && strings.HasPrefix(a.Value, "blob:page/application/octet-stream")) {
							t.Errorf("%q: link to %q", s, a.Value)
						}
					case "src":
						_, safe := markdown.SafeSource(a.Value)
						if !strings.HasPrefix(a.Value, "blob:page/") && !(remote && safe) {
							t.Errorf("%q: %s fetches %q", s, n.Tag, a.Value)
						}
					}
				}
			})
			if seen < 60 {
				t.Fatalf("%q: only %d texts are shown", s, seen)
			}
		}
	}
}

func TestToolCall(t *testing.T) {
	const call = `"set":[{"id":"a","role":"assistant","toolCalls":[{"id":"c","function":{"name":"get_weather","arguments":"{\"city\":\"Rome\"}"}}]}%s],"ids":["a"%s]`
	for _, c := range []struct{ name, more, want, class string }{
		{"arguments come", `"running":true,"events":[{"type":"TOOL_CALL_START","toolCallId":"c"}]`, `get_weather {"city":"Rome"} Preparing Arguments {"city":"Rome"}`, "busy"},
		{"runs", `"running":true`, `get_weather {"city":"Rome"} Running Arguments City Rome`, "busy"},
		{"stopped", `"running":false`, `get_weather {"city":"Rome"} Stopped Arguments City Rome`, "stopped"},
		{"done", `"x":1|,{"id":"r","role":"tool","toolCallId":"c","content":"{\"degrees\":21}"}|,"r"`, `get_weather {"city":"Rome"} Done Arguments City Rome Result Degrees 21`, "done"},
		{"text result", `"x":1|,{"id":"r","role":"tool","toolCallId":"c","content":"sunny"}|,"r"`, `get_weather {"city":"Rome"} Done Arguments City Rome Result sunny`, "done"},
		{"failed", `"x":1|,{"id":"r","role":"tool","toolCallId":"c","content":"no net","error":"no net"}|,"r"`, `get_weather {"city":"Rome"} Failed Arguments City Rome Error no net`, "failed"},
		{"waits", `"interrupts":[{"id":"i","reason":"tool_call","toolCallId":"c"}]`, `get_weather {"city":"Rome"} Waiting for you Arguments City Rome`, "waiting"},
	} {
		parts := append(strings.Split(c.more, "|"), "", "")
		u := screen(t, "{"+fmt.Sprintf(call, parts[1], parts[2])+","+parts[0]+"}")
		tool := find(u.root(), "tool")
		if got := words(tool); got != c.want || !strings.Contains(tool.Class, c.class) {
			t.Errorf("%s: got %q (%s), want %q (%s)", c.name, got, tool.Class, c.want, c.class)
		}
	}
}

func TestCards(t *testing.T) {
	for _, c := range []struct{ name, interrupt, want string }{
		{"confirmation", `{"id":"i","reason":"confirmation","message":"Sure?"}`, "Sure? Yes No Dismiss"},
		{"input", `{"id":"i","reason":"input_required","message":"Who?"}`, "Who? Answer * Submit Cancel Dismiss"},
		{"form", `{"id":"i","reason":"input_required","responseSchema":{"properties":{"first_name":{"type":"string","description":"as in the passport"},"ok":{"type":"boolean"},"c":{"enum":["x"]}}}}`,
			"The agent asks First name as in the passport Ok C Choose x Submit Cancel Dismiss"},
		{"approval", `{"id":"i","reason":"tool_call","toolCallId":"c"}`, "Approval needed rm Path / Approve Edit Reject Dismiss"},
		{"approval of nothing known", `{"id":"i","reason":"tool_call","toolCallId":"x"}`, "Approval needed Approve Reject Dismiss"},
		{"approval with a note", `{"id":"i","reason":"tool_call","toolCallId":"c","responseSchema":{"properties":{"approved":{"type":"boolean"},"note":{"type":"string"},"editedArgs":{"type":"object"}}}}`,
			"Approval needed rm Path / Note Approve Edit Reject Dismiss"},
		{"unknown reason, schema", `{"id":"i","reason":"captcha","responseSchema":{"type":"string"}}`, "The agent asks Answer * Submit Cancel Dismiss"},
		{"unknown reason", `{"id":"i","reason":"captcha"}`, "The agent asks Yes No Dismiss"},
		{"expires", `{"id":"i","reason":"confirmation","expiresAt":"soon"}`, "The agent asks Until soon Yes No Dismiss"},
		{"expired", `{"id":"i","reason":"confirmation","expiresAt":"past"}`, "The agent asks This question has expired. Dismiss"},
	} {
		u := screen(t, `{"set":[{"id":"a","role":"assistant","toolCalls":[{"id":"c","function":{"name":"rm","arguments":"{\"path\":\"/\"}"}}]}],"ids":["a"],"interrupts":[`+c.interrupt+`]}`)
		if got := words(find(u.root(), "card")); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
		if _, off := find(u.root(), "input").Attr("disabled"); !off {
			t.Errorf("%s: the composer must be disabled", c.name)
		}
	}
}

func TestDecide(t *testing.T) {
	for _, c := range []struct {
		name, schema string
		yes          bool
		edited, form string
		want         string
	}{
		{"no schema", "", true, "", "", `{"approved":true}`},
		{"edited", "", true, `{"a":1}`, "", `{"approved":true,"editedArgs":{"a":1}}`},
		{"boolean", `{"type":"boolean"}`, false, "", "", `false`},
		{"own name", `{"properties":{"note":{"type":"string"},"confirmed":{"type":"boolean"}}}`, true, "", `{"note":"x"}`, `{"confirmed":true,"note":"x"}`},
		{"any boolean", `{"properties":{"go_on":{"type":"boolean"}}}`, true, "", "", `{"go_on":true}`},
		{"own name of the arguments", `{"properties":{"approved":{"type":"boolean"},"tool_args":{"type":"object"}}}`, true, `[]`, "", `{"approved":true,"tool_args":[]}`},
	} {
		in := &model.Interrupt{Reason: "tool_call", Schema: c.schema}
		if got := Decide(in, c.yes, c.edited, c.form); got != c.want {
			t.Errorf("%s: got %s, want %s", c.name, got, c.want)
		}
	}
}

func TestAnswers(t *testing.T) {
	u := screen(t, `{"interrupts":[{"id":"a\"b","reason":"confirmation"},{"id":"c","reason":"input_required"}]}`)
	*u.Draft(`a"b`) = Draft{Done: true, Status: "resolved", Payload: "true"}
	if got := u.Answers(); got != "" {
		t.Errorf("not all are answered, got %s", got)
	}
	*u.Draft("c") = Draft{Done: true, Status: "cancelled"}
	want := `[{"interruptId":"a\"b","status":"resolved","payload":true},{"interruptId":"c","status":"cancelled"}]`
	if got := u.Answers(); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestDeclined(t *testing.T) {
	const schema = `,"responseSchema":{"type":"object","properties":{"note":{"type":"string"},"allow":{"type":"boolean"}}}`
	for _, c := range []struct {
		reason, schema string
		draft          Draft
		error, want    string
	}{
		{"tool_call", schema, Draft{Done: true, Status: "resolved", Payload: `{"allow":false}`}, "", "Rejected"},
		{"tool_call", schema, Draft{Done: true, Status: "resolved", Payload: `{"allow":true,"note":"false"}`}, "", "Done"},
		{"tool_call", `,"responseSchema":{"type":"boolean"}`, Draft{Done: true, Status: "resolved", Payload: "false"}, "", "Rejected"},
		{"tool_call", "", Draft{Done: true, Status: "cancelled"}, "", "Rejected"},
		{"tool_call", "", Draft{Done: true, Status: "cancelled"}, `,"error":"refused"`, "Failed"},
		{"input_required", "", Draft{Done: true, Status: "cancelled"}, "", "Done"},
	} {
		u := screen(t, `{"set":[{"id":"a","role":"assistant","toolCalls":[{"id":"c","function":{"name":"f","arguments":"{}"}}]}],"ids":["a"],
			"interrupts":[{"id":"i","reason":"`+c.reason+`","toolCallId":"c"`+c.schema+`}]}`)
		*u.Draft("i") = c.draft
		u.Sent()
		if got := words(find(u.root(), "state")); got != "Waiting for you" {
			t.Errorf("%+v: before the result, got %q", c, got)
		}
		u.Chat.Apply(`{"interrupts":[],"set":[{"id":"r","role":"tool","toolCallId":"c","content":"x"` + c.error + `}],"ids":["a","r"]}`)
		if got := words(find(u.root(), "state")); got != c.want {
			t.Errorf("%+v: got %q, want %q", c, got, c.want)
		}
	}
}

func TestData(t *testing.T) {
	u := screen(t, `{}`)
	for _, c := range []struct{ in, want string }{
		{`"text"`, "text"}, {`12345678901234567890`, "12345678901234567890"}, {`true`, "yes"}, {`null`, "none"}, {`""`, "empty"}, {`[]`, "empty"}, {`{}`, "empty"},
		{`{"flight_number":"LH1","gateName":null}`, "Flight number LH1 Gate name none"},
		{`["a",2]`, "a 2"},
		{`[{"a":1,"b":"x"},{"a":2,"b":"y"}]`, "A B 1 x 2 y"},
		{`[{"a":1},{"b":2}]`, "A 1 B 2"},
		{`[[[[[[[1]]]]]]]`, "[1]"},
		{`[` + strings.TrimSuffix(strings.Repeat("1,", 103), ",") + `]`, strings.Repeat("1 ", 100) + "3 more"},
	} {
		if got := words(u.data(c.in)); got != c.want {
			t.Errorf("%.40s: got %.60q, want %q", c.in, got, c.want)
		}
	}
	// However large a value is, what is shown of it is not.
	row := `[` + strings.TrimSuffix(strings.Repeat("1,", 100), ",") + `]`
	wide := `[` + strings.TrimSuffix(strings.Repeat(row+`,`, 100), ",") + `]`
	n := 0
	walk(u.data(wide), func(*vnode.Node) { n++ })
	if n > 3*maxTotal {
		t.Errorf("%d nodes", n)
	}
}

// TestSame: what did not change is the same node again, and a streamed message keeps its finished blocks.
func TestSame(t *testing.T) {
	u := screen(t, `{"set":[{"id":"u","role":"user","content":"hi"},{"id":"a","role":"assistant","content":"one\n\ntwo\n\nthr"}],"ids":["u","a"],"running":true,"events":[{"type":"TEXT_MESSAGE_START","messageId":"a"}]}`)
	rows := func() []*vnode.Node { return u.List(u.Chat.Timeline(), 100).Kids }
	before := rows()
	if again := rows(); again[0] != before[0] || again[1] != before[1] {
		t.Fatal("nothing changed, but nodes did")
	}
	u.Chat.Apply(`{"append":[["a","ee"]]}`)
	after := rows()
	if after[0] != before[0] || after[1] == before[1] {
		t.Error("only the message that changed must change")
	}
	was, is := find(before[1], "md").Kids, find(after[1], "md").Kids
	if was[0] != is[0] || was[1] == is[1] || len(is) != 3 || !is[0].Sealed {
		t.Error("finished blocks must be the same and sealed")
	}
	u.Chat.Apply(`{"events":[{"type":"TEXT_MESSAGE_END","messageId":"a"}]}`)
	if words(rows()[1]) != "one two three" {
		t.Errorf("at its end: %q", words(rows()[1]))
	}
}

// TestLong: early messages hold nothing but themselves.
func TestLong(t *testing.T) {
	var set, ids []string
	for i := range 100 {
		set = append(set, fmt.Sprintf(`{"id":"m%d","role":"assistant","content":"# text %d"}`, i, i))
		ids = append(ids, fmt.Sprintf(`"m%d"`, i))
	}
	u := screen(t, `{"set":[`+strings.Join(set, ",")+`],"ids":[`+strings.Join(ids, ",")+`]}`)
	show := func() []*vnode.Node { return u.List(u.Chat.Timeline(), 1000).Kids }
	list := show()
	if words(list[0]) != "text 0" || words(list[99]) != "text 99" {
		t.Fatal("what is shown for the first time must be whole")
	}
	if again := show(); again[0] != list[0] || !list[0].Sealed || list[0].Kids != nil || list[99].Sealed {
		t.Error("early messages must be sealed once they are shown, late ones not")
	}
	u.Chat.Apply(`{"append":[["m0","!"]]}`)
	if got := show()[0]; got == list[0] || words(got) != "text 0!" {
		t.Error("a sealed message that changes must be made anew, whole")
	}
	if got := len(u.List(u.Chat.Timeline(), 10).Kids); got != 10 {
		t.Errorf("%d entries, want the last 10", got)
	}
}

func TestMedia(t *testing.T) {
	part := func(s string) *vnode.Node {
		u := screen(t, `{"set":[{"id":"u","role":"user","content":[{"type":"text","text":"x"},`+s+`]}],"ids":["u"]}`)
		return find(u.root(), "bubble").Kids[1]
	}
	n := part(`{"type":"image","source":{"type":"url","value":"https://user@host.example:8/p.png"},"metadata":{"filename":"cat.png"}}`)
	if do, _ := n.Attr("data-do"); do != "load" || words(n) != "Load cat.png from host.example:8" {
		t.Errorf("a remote image waits for a click: %q", words(n))
	}
	n = part(`{"type":"image","source":{"type":"data","value":"QQ==","mimeType":"image/png"}}`)
	if src, _ := n.Attr("src"); n.Tag != "img" || src != "blob:page/image/png" {
		t.Errorf("data is shown: %s %s", n.Tag, src)
	}
	n = part(`{"type":"image","source":{"type":"data","value":"QQ==","mimeType":"text/html"}}`)
	if find(n, "doc") == nil {
		t.Errorf("an image that is none is a file: %+v", n)
	}
	n = part(`{"type":"document","source":{"type":"data","value":"QQ==","mimeType":"text/html"},"metadata":{"filename":"../a\u202etxt.exe"}}`)
	a := n.Kids[0]
	if href, _ := a.Attr("href"); href != "blob:page/application/octet-stream" {
		t.Errorf("a document's type is not told: %s", href)
	}
	if name, _ := a.Attr("download"); name != ".._a_txt.exe" {
		t.Errorf("its name holds no path: %q", name)
	}
	if n = part(`{"type":"audio","source":{"type":"data","value":"QQ==","mimeType":"audio/wav"}}`); n.Tag != "audio" {
		t.Errorf("audio: %+v", n)
	}
	if n = part(`{"type":"image","source":{"type":"url","value":"data:image/png;base64,QQ=="}}`); !strings.Contains(n.Class, "dead") {
		t.Errorf("a data address as an address is dead: %+v", n)
	}
}
