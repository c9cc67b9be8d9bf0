package client

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"iter"
	"slices"
	"sync"
	"time"

	"aguiwasm/agui"
	"aguiwasm/agui/rawjson"
	"aguiwasm/state"
	"aguiwasm/state/rejoin"
	"aguiwasm/state/thread"
)

// Tool is a function of the program that the agent may call.
type Tool struct {
	Name, Description string
	// Parameters is the JSON Schema of the arguments as JSON text; "" is {"type":"object"}.
	Parameters agui.JSON
	// Call answers one call. arguments is a JSON object. The result is sent as text; an error is sent as the tool's
	// failure, which the model may mend. A panic is an error as well.
	Call func(ctx context.Context, arguments json.RawMessage) (string, error)
}

// Options configure a [Conversation]. The zero value is ready to use.
type Options struct {
	// ThreadID is the thread's id; "" makes one.
	ThreadID string
	// System is a system message that the conversation begins with; "" is none.
	System string
	// Messages and State are what the conversation begins with, as JSON text (an array; any value); "" is nothing and
	// {}.
	Messages, State agui.JSON
	// History says what each run sends: [thread.HistoryFull] (the default) all messages, [thread.HistoryNew] those that
	// the agent's thread has not had; a system message goes out once then.
	History thread.History
	// Tools are offered to the agent; their results go out in follow-up runs.
	Tools []Tool
	// MaxToolRounds bounds the follow-up runs after one another; 0 means [thread.MaxToolRounds], below 0 there are
	// none.
	MaxToolRounds int
	// Context is sent with each run: a JSON array of {description, value}; "" is [].
	Context agui.JSON
	// ForwardedProps is sent with each run as JSON text; "" is {}.
	ForwardedProps agui.JSON
	// Reconnect names how the agent's server lets a client come back to a run whose connection broke: "sse-id",
	// "tanstack", "agno", "copilotkit" or "hydrate" (which can only [Conversation.Join]). "" does not come back.
	Reconnect string
	// AgentID names the agent on the server, for the dialects that need it: "agno" to stop a run, "copilotkit" where
	// all goes to one URL. "" is what the URL says.
	AgentID string
	// OnInterrupt answers the questions that a run ended with; the run goes on with the answers at once. nil, or nil
	// entries, leaves them open: see [Conversation.Interrupts] and [Conversation.Resume].
	OnInterrupt func(ctx context.Context, open []agui.Interrupt) ([]agui.ResumeEntry, error)
}

// Conversation is a thread with an agent. Its methods may be called from several goroutines; a second run while one is
// under way is refused with code bad_input. What it gives to read is of the moment of the call and does not change.
type Conversation struct {
	client *Client
	o      Options

	mu      sync.Mutex
	thread  *thread.Thread
	running bool
	legs    *legs // of the run that is under way, where it can be read again
}

// NewConversation begins a conversation. The error has code bad_input: Messages, State or a tool is malformed.
func NewConversation(c *Client, o Options) (*Conversation, error) {
	if o.ThreadID == "" {
		o.ThreadID = rand.Text()
	}
	var messages []agui.Message
	if o.System != "" {
		messages = append(messages, made(`{"role":"system","content":`+string(rawjson.Quote(o.System))+`}`)...)
	}
	if o.Messages != "" {
		list, err := agui.ParseMessages(o.Messages, "Messages", agui.InputOptions{NewID: rand.Text})
		if err != nil {
			return nil, err
		}
		messages = append(messages, list...)
	}
	if o.State != "" {
		if err := rawjson.Check(o.State, rawjson.MaxDepth-1); err != nil {
			return nil, &agui.Error{Code: agui.CodeBadInput, Message: "State must be JSON: " + err.Error()}
		}
	}
	if _, ok := rejoin.Named(o.Reconnect); !ok && o.Reconnect != "" {
		return nil, &agui.Error{Code: agui.CodeBadInput, Message: "Reconnect names no dialect: " + o.Reconnect}
	}
	conversation := &Conversation{client: c, o: o, thread: thread.New(o.ThreadID, state.New(messages, o.State))}
	conversation.thread.History = o.History
	if _, err := conversation.input(nil); err != nil {
		return nil, err
	}
	return conversation, nil
}

// made parses a message that is well-formed by construction.
func made(message string) []agui.Message {
	list, err := agui.ParseMessages("["+message+"]", "messages", agui.InputOptions{NewID: rand.Text})
	if err != nil {
		panic(err) // broken invariant
	}
	return list
}

// input makes what a run says besides messages and state.
func (c *Conversation) input(resume []agui.ResumeEntry) (*agui.Input, error) {
	b := []byte(`{"runId":`)
	b = rawjson.AppendQuote(b, rand.Text())
	b = append(b, `,"tools":[`...)
	for i, t := range c.o.Tools {
		if i > 0 {
			b = append(b, ',')
		}
		b = rawjson.AppendQuote(append(b, `{"name":`...), t.Name)
		b = rawjson.AppendQuote(append(b, `,"description":`...), t.Description)
		parameters := t.Parameters
		if parameters == "" {
			parameters = `{"type":"object"}`
		}
		b = append(append(append(b, `,"parameters":`...), parameters...), '}')
	}
	b = append(b, ']')
	if c.o.Context != "" {
		b = append(append(b, `,"context":`...), c.o.Context...)
	}
	if c.o.ForwardedProps != "" {
		b = append(append(b, `,"forwardedProps":`...), c.o.ForwardedProps...)
	}
	in, err := agui.ParseInput(string(append(b, '}')), agui.InputOptions{NewID: rand.Text})
	if err == nil {
		in.Resume = resume
	}
	return in, err
}

// Send adds a user message and runs the agent, with the follow-up runs that answers of tools start. The message stays
// in the conversation where the run fails, so that [Conversation.Run] tries again.
func (c *Conversation) Send(ctx context.Context, text string) iter.Seq2[agui.Event, error] {
	return c.runs(ctx, nil, made(`{"role":"user","content":`+string(rawjson.Quote(text))+`}`))
}

// SendParts is [Conversation.Send] with a content of parts (section 3), a JSON array.
func (c *Conversation) SendParts(ctx context.Context, parts agui.JSON) iter.Seq2[agui.Event, error] {
	messages, err := agui.ParseMessages(`[{"role":"user","content":`+orNull(parts)+`}]`, "messages",
		agui.InputOptions{NewID: rand.Text})
	if err != nil {
		return func(yield func(agui.Event, error) bool) { yield(nil, err) }
	}
	return c.runs(ctx, nil, messages)
}

func orNull(text agui.JSON) agui.JSON {
	if rawjson.Check(text, rawjson.MaxDepth) != nil {
		return "null"
	}
	return text
}

// Run runs the agent with the conversation as it is. Its errors are those of [Client.Run], and bad_input as well where
// a run is under way, where questions are open (see [Conversation.Resume]), where Options hold what cannot be sent, or
// where tools called for more follow-up runs than MaxToolRounds. With [Options].Reconnect they are also those of a run
// that could not be read to its end: see the package's text.
func (c *Conversation) Run(ctx context.Context) iter.Seq2[agui.Event, error] {
	return c.runs(ctx, nil, nil)
}

// Resume answers the open interrupts, all of them, and runs the agent. Besides those of [Conversation.Run] there is the
// error bad_input where an answer is missing, comes twice, names none of the open interrupts, or resolves one that has
// expired (which may only be cancelled); nothing was sent then, and the interrupts stay open. Where none is open here
// any answers go out: the agent may know of interrupts that this conversation never saw.
func (c *Conversation) Resume(ctx context.Context, answers ...agui.ResumeEntry) iter.Seq2[agui.Event, error] {
	return c.runs(ctx, answers, nil)
}

// Resolve makes the answer to an interrupt. payload is what is answered, a value for JSON; nil is no payload.
func Resolve(interruptID string, payload any) (agui.ResumeEntry, error) {
	raw := `{"interruptId":` + string(rawjson.Quote(interruptID)) + `,"status":"resolved"`
	if payload != nil {
		text, err := json.Marshal(payload)
		if err != nil {
			return agui.ResumeEntry{}, &agui.Error{Code: agui.CodeBadInput,
				Message: "The payload cannot be written as JSON: " + err.Error(), Cause: err}
		}
		raw += `,"payload":` + string(text)
	}
	return agui.ResumeEntry{InterruptID: interruptID, Status: "resolved", Raw: raw + "}"}, nil
}

// Cancel makes the answer that leaves an interrupt without one.
func Cancel(interruptID string) agui.ResumeEntry {
	return agui.ResumeEntry{
		InterruptID: interruptID, Status: "cancelled",
		Raw: `{"interruptId":` + string(rawjson.Quote(interruptID)) + `,"status":"cancelled"}`,
	}
}

func (c *Conversation) runs(ctx context.Context, resume []agui.ResumeEntry,
	messages []agui.Message) iter.Seq2[agui.Event, error] {
	return func(yield func(agui.Event, error) bool) {
		if err := c.begin(messages); err != nil {
			yield(nil, err)
			return
		}
		defer c.done()
		limit := c.o.MaxToolRounds
		switch {
		case limit == 0:
			limit = thread.MaxToolRounds
		case limit < 0:
			limit = 0
		}
		for round := 0; ; round++ {
			going, err := c.run(ctx, resume, yield)
			c.mu.Lock()
			calls, over := c.thread.Finish(thread.Ending{Failed: err != nil || !going, Handled: c.handles, Round: round,
				Limit: limit})
			open := c.thread.Store().Interrupts()
			c.mu.Unlock()
			if err == nil {
				err = over
			}
			if err != nil && going {
				yield(nil, err)
			}
			if err != nil || !going {
				return
			}
			resume = c.answer(ctx, calls)
			open = slices.DeleteFunc(slices.Clone(open), func(i agui.Interrupt) bool {
				return slices.ContainsFunc(resume, func(e agui.ResumeEntry) bool { return e.InterruptID == i.ID })
			})
			if len(open) > 0 {
				if c.o.OnInterrupt == nil {
					return
				}
				answers, err := c.o.OnInterrupt(ctx, open)
				if err != nil {
					yield(nil, err)
				}
				if err != nil || len(answers) == 0 {
					return
				}
				resume = append(resume, answers...)
			}
			if len(calls) == 0 && len(resume) == 0 {
				return
			}
		}
	}
}

func (c *Conversation) begin(messages []agui.Message) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.running {
		return &agui.Error{Code: agui.CodeBadInput, Message: "A run is under way in this conversation."}
	}
	c.running = true
	for _, m := range messages {
		c.thread.Store().AddMessage(m, nil)
	}
	return nil
}

func (c *Conversation) done() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.running, c.legs = false, nil
}

// run makes one request; going is false where the loop was left.
func (c *Conversation) run(ctx context.Context, resume []agui.ResumeEntry,
	yield func(agui.Event, error) bool) (going bool, err error) {
	c.mu.Lock()
	in, err := c.input(resume)
	var body []byte
	if err == nil {
		var prepared thread.Prepared
		if prepared, err = c.thread.Begin(thread.Params{Input: in, Now: time.Now().UnixMilli(),
			NewID: rand.Text}); err == nil {
			in = prepared.Input
			for i, m := range c.thread.Store().ThreadMessages() {
				if prepared.Send == nil || prepared.Send[i] {
					in.Messages = append(in.Messages, m)
				}
			}
			body = in.AppendBody(nil, "", string(c.thread.Store().AppendState(nil)))
		}
	}
	c.mu.Unlock()
	if err != nil {
		return true, err
	}
	if dialect, ok := rejoin.Named(c.o.Reconnect); ok && dialect.Attach != nil {
		return newLegs(c, dialect, in, body).follow(ctx, yield)
	}
	for e, err := range c.client.post(ctx, in, body, known{c}) {
		if err != nil {
			return true, err
		}
		var warnings []agui.Warning
		c.mu.Lock()
		c.apply(e, func(w agui.Warning) { warnings = append(warnings, w) })
		c.mu.Unlock()
		c.client.warn(warnings)
		if !yield(e, nil) {
			return false, nil
		}
	}
	return true, nil
}

// apply brings an event into the conversation, under its lock.
func (c *Conversation) apply(e agui.Event, warn func(agui.Warning)) {
	c.thread.Store().Apply(e, nil, warn)
	c.thread.Observe(e, nil)
}

func (c *Conversation) handles(name string) bool { return c.tool(name) != nil }

func (c *Conversation) tool(name string) *Tool {
	for i := range c.o.Tools {
		if c.o.Tools[i].Name == name && c.o.Tools[i].Call != nil {
			return &c.o.Tools[i]
		}
	}
	return nil
}

// answer runs the tools side by side and puts their results behind their calls, in the order of the calls. The results
// that interrupts want it gives back as their answers.
func (c *Conversation) answer(ctx context.Context, calls []thread.Call) (resume []agui.ResumeEntry) {
	answers := make([]string, len(calls))
	var all sync.WaitGroup
	for i, call := range calls {
		all.Go(func() { answers[i] = c.call(ctx, call) })
	}
	all.Wait()
	c.mu.Lock()
	defer c.mu.Unlock()
	for i, text := range answers {
		if id := calls[i].Interrupt; id != "" {
			raw := `{"interruptId":` + string(rawjson.Quote(id)) + `,"status":"resolved","payload":` + text + "}"
			resume = append(resume, agui.ResumeEntry{InterruptID: id, Status: "resolved", Raw: raw})
			continue
		}
		for _, m := range made(text) {
			c.thread.Store().AddToolResult(m, nil)
		}
	}
	return resume
}

// call gives the tool message for one call, or the payload that answers its interrupt.
func (c *Conversation) call(ctx context.Context, call thread.Call) (message string) {
	write := func(content string, failure string) string {
		if call.Interrupt != "" && failure != "" {
			return string(append(rawjson.AppendQuote([]byte(`{"error":`), failure), '}'))
		}
		if call.Interrupt != "" {
			if rawjson.Check(content, rawjson.MaxDepth) == nil {
				return content
			}
			return string(rawjson.Quote(content))
		}
		b := rawjson.AppendQuote([]byte(`{"role":"tool","toolCallId":`), call.ID)
		b = rawjson.AppendQuote(append(b, `,"content":`...), content)
		if failure != "" {
			b = rawjson.AppendQuote(append(b, `,"error":`...), failure)
		}
		return string(append(b, '}'))
	}
	defer func() {
		if p := recover(); p != nil {
			message = write("The tool failed.", "the tool panicked")
		}
	}()
	if call.Error != "" {
		return write(call.Error, call.Error)
	}
	result, err := c.tool(call.Name).Call(ctx, json.RawMessage(call.Arguments))
	if err != nil {
		return write(err.Error(), err.Error())
	}
	return write(result, "")
}

// known lets a pipeline ask the conversation, which others may read meanwhile.
type known struct{ c *Conversation }

func (k known) MessageRole(kind, id string) (agui.Role, bool) {
	k.c.mu.Lock()
	defer k.c.mu.Unlock()
	return k.c.thread.Store().MessageRole(kind, id)
}

func (k known) HasToolCall(id string) bool {
	k.c.mu.Lock()
	defer k.c.mu.Unlock()
	return k.c.thread.Store().HasToolCall(id)
}
