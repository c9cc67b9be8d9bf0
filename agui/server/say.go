package server

import (
	"fmt"

	"aguiwasm/agui"
	"aguiwasm/agui/rawjson"
)

// Text sends a whole text message of the assistant.
func (r *Run) Text(text string) error {
	m := r.Message()
	if _, err := m.WriteString(text); err != nil {
		return err
	}
	return m.Close()
}

// Message begins a text message of the assistant; write to it as its words come, and close it. fields may name another
// role or a name.
func (r *Run) Message(fields ...agui.Field) *Message {
	m := &Message{run: r, id: r.ID()}
	m.err = r.Emit(agui.NewTextMessageStart(m.id, agui.RoleAssistant, fields...))
	return m
}

// Reasoning begins a span of reasoning with one message in it; write to it, and close it.
func (r *Run) Reasoning() *Message {
	m := &Message{run: r, id: r.ID(), span: r.ID()}
	if m.err = r.Emit(agui.NewReasoningStart(m.span)); m.err == nil {
		m.err = r.Emit(agui.NewReasoningMessageStart(m.id))
	}
	return m
}

// Message is an open message. It is an io.Writer, an io.StringWriter and an io.Closer.
type Message struct {
	run      *Run
	id, span string
	err      error
}

// ID gives the message's id.
func (m *Message) ID() string { return m.id }

// Write sends more of the message. A character may not be split over two writes.
func (m *Message) Write(p []byte) (int, error) { return m.WriteString(string(p)) }

// WriteString sends more of the message; "" sends nothing.
func (m *Message) WriteString(text string) (int, error) {
	if m.err == nil && text != "" {
		if m.span != "" {
			m.err = m.run.Emit(agui.NewReasoningMessageContent(m.id, text))
		} else {
			m.err = m.run.Emit(agui.NewTextMessageContent(m.id, text))
		}
	}
	if m.err != nil {
		return 0, m.err
	}
	return len(text), nil
}

// Close ends the message.
func (m *Message) Close() error {
	if m.err != nil {
		return m.err
	}
	if m.span == "" {
		return m.run.Emit(agui.NewTextMessageEnd(m.id))
	}
	if err := m.run.Emit(agui.NewReasoningMessageEnd(m.id)); err != nil {
		return err
	}
	return m.run.Emit(agui.NewReasoningEnd(m.span))
}

// Call is an open tool call, whose arguments come as a model writes them. It is an io.Writer, an io.StringWriter and an
// io.Closer.
type Call struct {
	run *Run
	id  string
	err error
}

// Call begins a tool call; write the JSON text of its arguments to it, and close it. See [Run.ToolCall] for who answers
// it.
func (r *Run) Call(name string, fields ...agui.Field) *Call {
	c := &Call{run: r, id: r.ID()}
	c.err = r.Emit(agui.NewToolCallStart(c.id, name, fields...))
	return c
}

// ID gives the call's id.
func (c *Call) ID() string { return c.id }

// Write sends more of the arguments. A character may not be split over two writes.
func (c *Call) Write(p []byte) (int, error) { return c.WriteString(string(p)) }

// WriteString sends more of the arguments; "" sends nothing.
func (c *Call) WriteString(text string) (int, error) {
	if c.err == nil && text != "" {
		c.err = c.run.Emit(agui.NewToolCallArgs(c.id, text))
	}
	if c.err != nil {
		return 0, c.err
	}
	return len(text), nil
}

// Close ends the call.
func (c *Call) Close() error {
	if c.err != nil {
		return c.err
	}
	return c.run.Emit(agui.NewToolCallEnd(c.id))
}

// ToolCall sends a whole tool call and gives its id. arguments are a value for JSON, an object by convention. Without a
// [Run.ToolResult] the call is the client's to answer: a tool of the input, whose result comes with the next run. The
// run's RUN_FINISHED names such calls as pending.
func (r *Run) ToolCall(name string, arguments any, fields ...agui.Field) (id string, err error) {
	text, err := encode(arguments)
	if err != nil {
		return "", err
	}
	c := r.Call(name, fields...)
	_, _ = c.WriteString(text)
	return c.id, c.Close()
}

// ToolResult sends a call's result: a string as it is, anything else as its JSON text. With("content", parts) among the
// fields sends an array of parts (section 3) in its place.
func (r *Run) ToolResult(toolCallID string, result any, fields ...agui.Field) error {
	text, ok := result.(string)
	if !ok {
		var err error
		if text, err = encode(result); err != nil {
			return err
		}
	}
	return r.Emit(agui.NewToolCallResult(r.ID(), toolCallID, text, fields...))
}

// Step sends STEP_STARTED, does the work, and sends STEP_FINISHED.
func (r *Run) Step(name string, work func() error) error {
	if err := r.Emit(agui.NewStepStarted(name)); err != nil {
		return err
	}
	if err := work(); err != nil {
		return err
	}
	return r.Emit(agui.NewStepFinished(name))
}

// Custom sends an event of the application's own.
func (r *Run) Custom(name string, value any) error {
	text, err := encode(value)
	if err != nil {
		return err
	}
	return r.Emit(agui.NewCustom(name, text))
}

// Subagent begins a subagent: what is sent with the Run it gives belongs to it. [Run.Done] or [Run.Failed] ends it.
func (r *Run) Subagent(name string, fields ...agui.Field) (*Run, error) {
	sub := &Run{core: r.core, tag: r.ID()}
	if r.tag != "" {
		fields = append(fields, agui.WithText("parentSubagentRunId", r.tag))
	}
	e, err := agui.NewSubagentStarted(sub.tag, name, fields...)
	if err != nil {
		return nil, err
	}
	return sub, r.push(string(e.Common().AppendJSON(nil)))
}

// Done ends a subagent with a result; nil is none.
func (r *Run) Done(result any) error {
	var fields []agui.Field
	if result != nil {
		text, err := encode(result)
		if err != nil {
			return err
		}
		fields = append(fields, agui.With("result", text))
	}
	return r.Emit(agui.NewSubagentFinished(r.tag, fields...))
}

// Failed ends a subagent with an error.
func (r *Run) Failed(message string, fields ...agui.Field) error {
	return r.Emit(agui.NewSubagentError(r.tag, message, fields...))
}

// Result sets what the run's RUN_FINISHED carries as its result.
func (r *Run) Result(value any) error { return r.ending("result", value) }

// Usage sets what the run's RUN_FINISHED carries as its usage: a list of TokenUsage (section 4).
func (r *Run) Usage(usage any) error { return r.ending("usage", usage) }

// Cancelled makes the run end with the outcome cancelled.
func (r *Run) Cancelled() error { return r.ending("outcome", map[string]string{"type": "cancelled"}) }

func (r *Run) ending(key string, value any) error {
	text, err := encode(value)
	if err != nil {
		return err
	}
	if _, err = agui.NewRunFinished(r.in.ThreadID, r.in.RunID, agui.With(key, text)); err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.finish = append(r.finish, agui.With(key, text))
	r.outcome = r.outcome || key == "outcome"
	return nil
}

// Interrupt is a question to a person.
type Interrupt struct {
	// ID names it; "" makes one.
	ID string `json:"id"`
	// Reason is tool_call, input_required, confirmation, or a word of the application's own; "" is input_required.
	Reason string `json:"reason"`
	// Message is the question.
	Message string `json:"message,omitempty"`
	// ToolCallID names the call that is to be approved.
	ToolCallID string `json:"toolCallId,omitempty"`
	// ResponseSchema is a JSON Schema of the answer.
	ResponseSchema any `json:"responseSchema,omitempty"`
	// ExpiresAt is an ISO 8601 time after which the answer can only be "cancelled".
	ExpiresAt string `json:"expiresAt,omitempty"`
	// Metadata is the application's own, an object in JSON.
	Metadata any `json:"metadata,omitempty"`
}

// Interrupt asks a person: the run ends with the outcome interrupt when the function returns. The answers come as the
// resume of the thread's next run ([Run.Input], Resume). It gives the question's id.
func (r *Run) Interrupt(question Interrupt) (id string, err error) {
	if question.ID == "" {
		question.ID = r.ID()
	}
	if question.Reason == "" {
		question.Reason = "input_required"
	}
	text, err := encode(question)
	if err != nil {
		return "", err
	}
	outcome := `{"type":"interrupt","interrupts":[` + text + `]}`
	if _, err = agui.NewRunFinished(r.in.ThreadID, r.in.RunID, agui.With("outcome", outcome)); err != nil {
		return "", err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.asked = append(r.asked, text)
	return question.ID, nil
}

// LastText gives the text of the last user message of an input; of parts the text ones, joined.
func LastText(in *agui.Input) string {
	for i := len(in.Messages) - 1; i >= 0; i-- {
		if in.Messages[i].Role != agui.RoleUser {
			continue
		}
		content, _ := rawjson.Get(in.Messages[i].Raw, "content")
		switch rawjson.KindOf(content) {
		case rawjson.Str:
			return rawjson.String(content).Decode()
		case rawjson.Array:
			text := ""
			for _, part := range rawjson.Elements(content) {
				if t, ok := rawjson.Get(part, "text"); ok && rawjson.KindOf(t) == rawjson.Str {
					text += rawjson.String(t).Decode()
				}
			}
			return text
		}
	}
	return ""
}

// panicError is an agent's panic.
type panicError struct{ value any }

func (e panicError) Error() string        { return "The agent panicked: " + fmt.Sprint(e.value) }
func (e panicError) ForClients() string   { return "The agent failed." }
func (e panicError) RunErrorCode() string { return "panic" }
