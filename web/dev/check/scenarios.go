package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"aguiwasm/agui"
	"aguiwasm/agui/rawjson"
	"aguiwasm/state/rejoin"
)

// checker asks one agent.
type checker struct {
	url    string
	http   *http.Client
	header http.Header
	// wait is how long one answer may take.
	wait time.Duration
	// dialect is how the server lets a client come back; "" looks for itself. agentID is what the dialect may need.
	dialect, agentID string
	mu               sync.Mutex
	n                int
}

// Scenario is what was asked and what was found.
type Scenario struct {
	Name     string    `json:"name"`
	Asks     string    `json:"asks"`
	Outcome  string    `json:"outcome"`
	Note     string    `json:"note,omitempty"`
	Findings []Finding `json:"findings"`
}

// take moves what was found in an answer into the scenario.
func (s *Scenario) take(a *answer) *answer {
	s.Findings = append(s.Findings, a.findings...)
	if a.failure != nil {
		s.Outcome = string(a.failure.Code)
	} else if s.Outcome == "" {
		s.Outcome = "complete"
	}
	return a
}

func (s *Scenario) fault(level, rule, section, message string) {
	s.Findings = append(s.Findings, Finding{Level: level, Rule: rule, Section: section, Message: message, Times: 1})
}

// scenarios are the ten of the checklist, in order.
var scenarios = []struct {
	name, asks string
	run        func(*checker, context.Context, *Scenario)
}{
	{"text", "a plain question gets a whole run", (*checker).plain},
	{"page", "a page of another origin may ask (CORS)", (*checker).page},
	{"history", "a conversation with tool calls and their results is taken", (*checker).history},
	{"content", "every script, an emoji and a part with an image are taken", (*checker).content},
	{"state", "a state with large numbers is taken, and its deltas apply", (*checker).state},
	{"tool", "a tool of the page is called, and its result goes on", (*checker).tool},
	{"interrupt", "a question to a person can be answered", (*checker).interrupt},
	{"malformed", "a malformed input is refused with a 4xx", (*checker).malformed},
	{"side-by-side", "two threads at once do not meet", (*checker).sideBySide},
	{"resume", "a cut run can be come back to", (*checker).resume},
}

func (c *checker) id(kind string) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n++
	return fmt.Sprintf("check-%s-%d-%d", kind, time.Now().UnixNano(), c.n)
}

// input makes a RunAgentInput of JSON members; ids are made.
func (c *checker) input(members string) *agui.Input {
	text := `{"threadId":"` + c.id("thread") + `","runId":"` + c.id("run") + `"` + members + "}"
	in, err := agui.ParseInput(text, agui.InputOptions{})
	if err != nil {
		panic(err) // broken invariant
	}
	return in
}

func user(text string) string {
	return `{"id":"u-` + fmt.Sprint(len(text)) + `","role":"user","content":` + string(rawjson.Quote(text)) + `}`
}

func (c *checker) request(ctx context.Context, q rejoin.Request) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, q.Method, q.URL, strings.NewReader(q.Body))
	if err != nil {
		return nil, err
	}
	for name, values := range c.header {
		r.Header[name] = values
	}
	for _, h := range q.Headers {
		r.Header.Set(h[0], h[1])
	}
	r.Header.Set("Accept", "text/event-stream")
	if q.Method == http.MethodPost {
		r.Header.Set("Content-Type", "application/json")
	}
	return c.http.Do(r)
}

// ask posts an input and judges the answer.
func (c *checker) ask(ctx context.Context, in *agui.Input) *answer {
	a := c.post(ctx, string(in.AppendBody(nil, "", "")))
	if a.status != 0 {
		a.judge(in)
	}
	return a
}

const maxAnswer = 64 << 20

func (c *checker) post(ctx context.Context, body string) *answer {
	ctx, cancel := context.WithTimeout(ctx, c.wait)
	defer cancel()
	a := &answer{}
	response, err := c.request(ctx, rejoin.Request{Method: http.MethodPost, URL: c.url, Body: body})
	if err != nil {
		a.failure = &agui.Error{Code: agui.CodeNetwork}
		a.add("error", string(agui.CodeNetwork), "The agent could not be asked: "+err.Error(), "")
		return a
	}
	defer response.Body.Close()
	a.status, a.contentType = response.StatusCode, response.Header.Get("Content-Type")
	a.body, err = io.ReadAll(io.LimitReader(response.Body, maxAnswer))
	a.cut = err != nil
	return a
}

func (c *checker) plain(ctx context.Context, s *Scenario) {
	a := s.take(c.ask(ctx, c.input(`,"messages":[`+user("Say hello in one short sentence.")+`]`)))
	if a.failure == nil && a.text() == "" {
		s.Note = "The run said nothing as text."
	}
	if started, ok := of[*agui.RunStarted](a); ok && started.ThreadID != "" &&
		!strings.HasPrefix(started.ThreadID, "check-") {
		s.Note = "The server answers under a thread id of its own; clients that send ids expect theirs."
	}
}

func (c *checker) page(ctx context.Context, s *Scenario) {
	s.Outcome = "complete"
	r, err := http.NewRequestWithContext(ctx, http.MethodOptions, c.url, nil)
	if err != nil {
		return
	}
	const origin = "https://page.example"
	r.Header.Set("Origin", origin)
	r.Header.Set("Access-Control-Request-Method", "POST")
	r.Header.Set("Access-Control-Request-Headers", "content-type")
	response, err := c.http.Do(r)
	if err != nil {
		s.fault("error", "network", "1", "The preflight failed: "+err.Error())
		return
	}
	response.Body.Close()
	allowed := response.Header.Get("Access-Control-Allow-Origin")
	headers := strings.ToLower(response.Header.Get("Access-Control-Allow-Headers"))
	switch {
	case response.StatusCode > 299 || allowed != "*" && allowed != origin:
		s.Note = "Pages of other origins cannot ask: that is right where the page has the agent's origin. " +
			"Else answer OPTIONS with Access-Control-Allow-Origin and Access-Control-Allow-Headers: content-type."
	case !strings.Contains(headers, "content-type") && headers != "*":
		s.fault("error", "cors", "1", "The preflight does not allow the header content-type, which every run has.")
	}
}

func (c *checker) history(ctx context.Context, s *Scenario) {
	s.take(c.ask(ctx, c.input(`,"messages":[
		{"id":"s1","role":"system","content":"Be brief."},`+user("What is the weather in Lisbon?")+`,
		{"id":"a1","role":"assistant","toolCalls":[{"id":"c1","type":"function","function":{"name":"weather","arguments":"{\"city\":\"Lisbon\"}"}}]},
		{"id":"t1","role":"tool","toolCallId":"c1","content":"sunny"},
		{"id":"a2","role":"assistant","content":"It is sunny."},`+user("Thank you. And now?")+`]`)))
}

func (c *checker) content(ctx context.Context, s *Scenario) {
	s.take(c.ask(ctx, c.input(`,"messages":[`+user("Repeat: ä 漢字 עברית 👩‍🚀 \u2028 \"quoted\" \\")+`]`)))
	a := c.ask(ctx, c.input(`,"messages":[{"id":"u1","role":"user","content":[{"type":"text","text":"What is on this image?"},
		{"type":"image","source":{"type":"data","mimeType":"image/png",
		"value":"iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGP4z8DwHwAFAAH/iZk9HQAAAABJRU5ErkJggg=="}}]}]`))
	if a.status >= 400 && a.status < 500 {
		s.Note = fmt.Sprintf("Parts with an image are refused (status %d): say so in your capabilities.", a.status)
		return
	}
	s.take(a)
}

func (c *checker) state(ctx context.Context, s *Scenario) {
	s.take(c.ask(ctx, c.input(`,"state":{"big":12345678901234567890,"list":[1,2,3],"text":"é"},"messages":[`+
		user("Make a plan in the shared state.")+`]`)))
}

const toolOfThePage = `,"tools":[{"name":"show_map","description":"Shows a map of a city to the person. Always call it when a map is asked for.",
	"parameters":{"type":"object","properties":{"city":{"type":"string"}},"required":["city"]}}]`

func (c *checker) tool(ctx context.Context, s *Scenario) {
	in := c.input(toolOfThePage + `,"messages":[` + user("Use the page tools: show me a map of Lisbon.") + `]`)
	a := s.take(c.ask(ctx, in))
	if a.store == nil || a.failure != nil {
		return
	}
	pending := a.store.PendingToolCallIDs()
	if len(pending) == 0 {
		s.Note = "The agent did not call the page's tool; what follows a call was not tried."
		return
	}
	messages := a.store.ThreadMessages()
	for i, id := range pending {
		result, err := agui.ParseMessages(
			fmt.Sprintf(`[{"id":"check-result-%d","role":"tool","toolCallId":%s,"content":"shown"}]`,
				i, rawjson.Quote(id)), "messages", agui.InputOptions{})
		if err == nil {
			messages = append(messages, result...)
		}
	}
	next := c.input(toolOfThePage)
	next.ThreadID, next.Messages, next.State = in.ThreadID, messages, string(a.store.AppendState(nil))
	s.take(c.ask(ctx, next))
}

func (c *checker) interrupt(ctx context.Context, s *Scenario) {
	in := c.input(`,"messages":[` + user("Delete the old logs, but ask for my approval first.") + `]`)
	a := s.take(c.ask(ctx, in))
	if a.store == nil || a.failure != nil {
		return
	}
	open := a.store.Interrupts()
	if len(open) == 0 {
		s.Note = "The agent asked no question (outcome interrupt); answers were not tried."
		return
	}
	next := c.input("")
	next.ThreadID, next.Messages, next.State = in.ThreadID, a.store.ThreadMessages(), string(a.store.AppendState(nil))
	next.ParentRunID = rawjson.Quote(in.RunID)
	next.Resume = []agui.ResumeEntry{}
	for _, i := range open {
		next.Resume = append(next.Resume, agui.ResumeEntry{
			InterruptID: i.ID, Status: "resolved",
			Raw: `{"interruptId":` + string(rawjson.Quote(i.ID)) + `,"status":"resolved","payload":{"approved":true}}`,
		})
	}
	s.take(c.ask(ctx, next))
}

func (c *checker) malformed(ctx context.Context, s *Scenario) {
	s.Outcome = "complete"
	for _, tt := range []struct{ what, body string }{
		{"no JSON", `{"threadId":`},
		{"no threadId", `{"runId":"r","messages":[],"tools":[],"context":[]}`},
		{"a message whose content is a number",
			`{"threadId":"t","runId":"r","messages":[{"id":"1","role":"user","content":5}],"tools":[],"context":[]}`},
	} {
		a := c.post(ctx, tt.body)
		if a.status < 400 || a.status > 499 {
			s.fault("repair", "input", "2",
				fmt.Sprintf(
					"An input with %s is answered with status %d; a 4xx that names the field helps who builds the client.", tt.what, a.status))
		}
	}
}

func (c *checker) sideBySide(ctx context.Context, s *Scenario) {
	inputs := [2]*agui.Input{
		c.input(`,"messages":[` + user("Count from one to ten.") + `]`),
		c.input(`,"messages":[` + user("Name ten colours.") + `]`),
	}
	var answers [2]*answer
	var both sync.WaitGroup
	for i := range inputs {
		both.Go(func() { answers[i] = c.ask(ctx, inputs[i]) })
	}
	both.Wait()
	seen := map[string]bool{}
	for i, a := range answers {
		s.take(a)
		for _, e := range a.events {
			switch e := e.(type) {
			case *agui.RunStarted:
				if e.RunID == inputs[1-i].RunID || e.ThreadID == inputs[1-i].ThreadID {
					s.fault("error", "threads", "1", "A run's events came in the answer to another thread's request.")
				}
			case *agui.TextMessageStart:
				if i == 1 && seen[e.MessageID] {
					s.fault("repair", "ids", "7", "Two threads' messages have one id ("+excerpt(e.MessageID)+
						"); a page that keeps both by id mixes them.")
				}
				seen[e.MessageID] = true
			}
		}
	}
}

// resume cuts a run after its first events and asks for the rest by the dialect that the program was told, or by those
// that the answer and the URL speak for. None of these requests starts a run where its dialect is spoken: without being
// told, the same POST is sent again only where agno's marker stood on an event.
func (c *checker) resume(ctx context.Context, s *Scenario) {
	in := c.input(`,"messages":[` + user("Tell me a story in ten sentences.") + `]`)
	ctx, cancel := context.WithTimeout(ctx, c.wait)
	defer cancel()
	told, _ := rejoin.Named(c.dialect)
	first := told
	if first == nil {
		first, _ = rejoin.Named("tanstack") // it adds a header alone
	}
	with := rejoin.Context{
		URL: c.url, ThreadID: in.ThreadID, RunID: in.RunID, AgentID: c.agentID,
		Body: string(in.AppendBody(nil, "", "")),
	}
	start := rejoin.Request{Method: http.MethodPost, URL: c.url, Body: with.Body}
	if first.First != nil {
		start.Body, start.Headers = first.First(with)
	}
	cutting, cut := context.WithCancel(ctx)
	defer cut()
	response, err := c.request(cutting, start)
	if err != nil {
		s.take(&answer{failure: &agui.Error{Code: agui.CodeNetwork}})
		return
	}
	lines := bufio.NewScanner(response.Body)
	lines.Buffer(nil, maxAnswer)
	id, data := "", []string{}
	for len(data) < 4 && lines.Scan() {
		if rest, ok := strings.CutPrefix(lines.Text(), "id:"); ok {
			id = strings.TrimPrefix(rest, " ")
		}
		if rest, ok := strings.CutPrefix(lines.Text(), "data:"); ok {
			data = append(data, strings.TrimSpace(rest))
		}
	}
	cut()
	response.Body.Close()
	s.Outcome = "not resumable"
	if len(data) == 0 {
		s.Note = "The answer had no events: there was nothing to come back to."
		return
	}
	_, _, addressed := strings.Cut(strings.TrimSuffix(c.url, "/run"), "/agent/")
	candidates := []struct {
		name  string
		tried bool
	}{
		{"agno", rejoin.Marked(data[len(data)-1])},
		{"tanstack", id != ""},
		{"copilotkit", strings.HasSuffix(c.url, "/run") && addressed},
	}
	var refusals []string
	for _, each := range candidates {
		dialect, _ := rejoin.Named(each.name)
		if told != nil {
			dialect = told
		} else if !each.tried {
			continue
		}
		if dialect.Cursor != nil {
			with.Cursor, _ = dialect.Cursor(data[len(data)-1], id)
		}
		refusal := "a server of this dialect cannot be come back to"
		if dialect.Attach != nil {
			refusal = c.comeBack(ctx, s, dialect, with)
		}
		if refusal == "" {
			s.Outcome = "resumable"
			s.Note = "By the dialect " + dialect.Name + ": give clients reconnect: \"" + dialect.Name + "\"."
			return
		}
		refusals = append(refusals, dialect.Name+": "+refusal)
		if told != nil {
			break
		}
	}
	switch {
	case len(refusals) > 0:
		s.Note = strings.Join(refusals, "; ") + "."
	default:
		s.Note =
			"Events carry no id: a connection that breaks ends the run for its client. Give each event an id, and " +
				"answer GET ?runId=&offset= with what came after it."
	}
	if id != "" && told == nil {
		s.Note += " The same POST with Last-Event-ID was not tried, for elsewhere it starts a second run: " +
			"-resume sse-id tries it."
	}
}

// comeBack asks for the rest of a run. It gives "" where it came, or what came in its place.
func (c *checker) comeBack(ctx context.Context, s *Scenario, dialect *rejoin.Dialect, with rejoin.Context) string {
	q, ok := dialect.Attach(with)
	if !ok {
		return "nothing that came says how to ask for the rest"
	}
	again, err := c.request(ctx, q)
	if err != nil {
		return "the request for the rest failed: " + err.Error()
	}
	defer again.Body.Close()
	body, _ := io.ReadAll(io.LimitReader(again.Body, maxAnswer))
	if again.StatusCode != http.StatusOK || !bytes.Contains(body, []byte("data:")) {
		return fmt.Sprintf("%s is answered with status %d: %s", q.Method, again.StatusCode, excerpt(string(body)))
	}
	if dialect.Shape == rejoin.ByCursor && with.Cursor != "" && bytes.Contains(body, []byte(`"RUN_STARTED"`)) {
		s.fault("error", "resume", "connections",
			"What came after the cursor begins with RUN_STARTED: the run was started again.")
		return "the server begins anew"
	}
	if !bytes.Contains(body, []byte(`"RUN_FINISHED"`)) && !bytes.Contains(body, []byte(`"RUN_ERROR"`)) {
		return "the rest has no end"
	}
	return ""
}
