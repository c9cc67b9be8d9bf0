package client

import (
	"aguiwasm/agui"
	"aguiwasm/agui/rawjson"
	"aguiwasm/state"
)

// ThreadID gives the thread's id.
func (c *Conversation) ThreadID() string { return c.thread.ID }

// Running reports whether a run is under way.
func (c *Conversation) Running() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.running
}

// Messages gives the messages as a JSON array, activities included.
func (c *Conversation) Messages() agui.JSON { return c.read((*state.Store).AppendMessages) }

// State gives the state that is shared with the agent.
func (c *Conversation) State() agui.JSON { return c.read((*state.Store).AppendState) }

func (c *Conversation) read(f func(*state.Store, []byte) []byte) agui.JSON {
	c.mu.Lock()
	defer c.mu.Unlock()
	return string(f(c.thread.Store(), nil))
}

// Result gives the result that the last run's RUN_FINISHED carried, any JSON value as text; "" where it had none, and
// while a run is under way.
func (c *Conversation) Result() agui.JSON { return c.get((*state.Store).Result) }

// Outcome gives how the last run that finished ended, as a JSON object: {"type":"success"} (also where the server named
// none), {"type":"cancelled"}, or {"type":"interrupt","interrupts":[...]}, whose questions [Conversation.Interrupts]
// has. It is "" before the first one, while a run is under way, and after one that failed.
func (c *Conversation) Outcome() agui.JSON { return c.get((*state.Store).Outcome) }

// Usage gives the token usage that the last run's RUN_FINISHED or RUN_ERROR carried, as a JSON array of TokenUsage
// (section 4: provider, model, inputTokens, ...); "" where it had none, and while a run is under way.
func (c *Conversation) Usage() agui.JSON { return c.get((*state.Store).Usage) }

func (c *Conversation) get(f func(*state.Store) string) agui.JSON {
	c.mu.Lock()
	defer c.mu.Unlock()
	return f(c.thread.Store())
}

// Interrupts gives the questions that wait for an answer. The next run must answer all of them: see
// [Conversation.Resume].
func (c *Conversation) Interrupts() []agui.Interrupt {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]agui.Interrupt(nil), c.thread.Store().Interrupts()...)
}

// SetState replaces the state; it goes out with the next run. The error has code bad_input.
func (c *Conversation) SetState(value agui.JSON) error {
	if err := rawjson.Check(value, rawjson.MaxDepth-1); err != nil {
		return &agui.Error{Code: agui.CodeBadInput, Message: "The state must be JSON: " + err.Error()}
	}
	return c.change(func(s *state.Store) error { s.SetState(rawjson.Compact(value), nil); return nil })
}

// PatchState changes the state by an RFC 6902 patch, all or nothing. The error has code bad_input and wraps a
// [*state.PatchError].
func (c *Conversation) PatchState(patch agui.JSON) error {
	if err := rawjson.Check(patch, rawjson.MaxDepth-1); err != nil {
		return &agui.Error{Code: agui.CodeBadInput, Message: "The patch must be JSON: " + err.Error()}
	}
	return c.change(func(s *state.Store) error {
		if err := s.PatchState(rawjson.Compact(patch), nil); err != nil {
			return &agui.Error{Code: agui.CodeBadInput, Message: "The state was not changed: " + err.Error(),
				Cause: err}
		}
		return nil
	})
}

func (c *Conversation) change(f func(*state.Store) error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return f(c.thread.Store())
}

// Branch makes a conversation that begins as this one was when the run ended; its next run carries parentRunId. The
// error has code bad_input: no such run has ended here.
func (c *Conversation) Branch(runID string) (*Conversation, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	t, err := c.thread.Branch(runID)
	if err != nil {
		return nil, err
	}
	return &Conversation{client: c.client, o: c.o, thread: t}, nil
}
