package server

import (
	"slices"

	"aguiwasm/agui"
)

// opened is something that has begun and not ended.
type opened struct {
	kind kind
	id   string
	tag  string
}

type kind int

const (
	textMessage kind = iota
	toolCall
	reasoningMessage
	reasoningSpan
	step
	subagent
)

// note keeps what is open. What a chunk opened is not: it closes itself.
func (c *core) note(e agui.Event) {
	made := e.Common().Raw != c.raw && !c.retired
	switch e := e.(type) {
	case *agui.ToolCallStart:
		if !slices.Contains(c.calls, e.ToolCallID) {
			c.calls = append(c.calls, e.ToolCallID)
		}
	case *agui.ToolCallResult:
		c.calls = slices.DeleteFunc(c.calls, func(id string) bool { return id == e.ToolCallID })
	}
	if made {
		return
	}
	tag := ""
	if p := e.Common().SubagentRunID; p != nil {
		tag = *p
	}
	switch e := e.(type) {
	case *agui.TextMessageStart:
		c.opens(textMessage, e.MessageID, tag)
	case *agui.TextMessageEnd:
		c.closes(textMessage, e.MessageID)
	case *agui.ToolCallStart:
		c.opens(toolCall, e.ToolCallID, tag)
	case *agui.ToolCallEnd:
		c.closes(toolCall, e.ToolCallID)
	case *agui.ReasoningMessageStart:
		c.opens(reasoningMessage, e.MessageID, tag)
	case *agui.ReasoningMessageEnd:
		c.closes(reasoningMessage, e.MessageID)
	case *agui.ReasoningStart:
		c.opens(reasoningSpan, e.MessageID, tag)
	case *agui.ReasoningEnd:
		c.closes(reasoningSpan, e.MessageID)
	case *agui.StepStarted:
		c.opens(step, e.StepName, tag)
	case *agui.StepFinished:
		c.closesOf(step, e.StepName, tag)
	case *agui.SubagentStarted:
		c.opens(subagent, e.ID, "")
	case *agui.SubagentFinished:
		c.closes(subagent, e.ID)
	case *agui.SubagentError:
		c.closes(subagent, e.ID)
	}
}

func (c *core) opens(k kind, id, tag string) { c.open = append(c.open, opened{k, id, tag}) }

func (c *core) closes(k kind, id string) {
	for i, o := range c.open {
		if o.kind == k && o.id == id {
			c.open = append(c.open[:i], c.open[i+1:]...)
			return
		}
	}
}

func (c *core) closesOf(k kind, id, tag string) {
	for i, o := range c.open {
		if o.kind == k && o.id == id && o.tag == tag {
			c.open = append(c.open[:i], c.open[i+1:]...)
			return
		}
	}
}

// closeAll ends what is open: messages and calls first, what holds others after what it holds.
func (c *core) closeAll() error {
	for k := textMessage; k <= subagent; k++ {
		for i := 0; i < len(c.open); {
			o := c.open[i]
			if o.kind != k {
				i++
				continue
			}
			if k == subagent { // the inner ones began later
				for _, other := range c.open[i+1:] {
					if other.kind == subagent {
						o = other
					}
				}
			}
			if err := c.pushLocked(endOf(o)); err != nil {
				return err
			}
		}
	}
	return nil
}

func endOf(o opened) string {
	var more []agui.Field
	if o.tag != "" {
		more = append(more, agui.WithSubagent(o.tag))
	}
	var e agui.Event
	switch o.kind {
	case textMessage:
		e, _ = agui.NewTextMessageEnd(o.id, more...)
	case toolCall:
		e, _ = agui.NewToolCallEnd(o.id, more...)
	case reasoningMessage:
		e, _ = agui.NewReasoningMessageEnd(o.id, more...)
	case reasoningSpan:
		e, _ = agui.NewReasoningEnd(o.id, more...)
	case step:
		e, _ = agui.NewStepFinished(o.id, more...)
	default:
		e, _ = agui.NewSubagentFinished(o.id)
	}
	return string(e.Common().AppendJSON(nil))
}
