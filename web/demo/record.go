package demo

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/tmaxmax/go-sse"
)

// Recording is a run told at once, for a page that has no agent behind it.
type Recording struct {
	Name     string           `json:"name"`
	Title    string           `json:"title"`
	Prompt   string           `json:"prompt"`
	Response recordedResponse `json:"response"`
	// Times are the milliseconds, from the start, at which each frame of the body would come.
	Times []int64 `json:"times"`
}

type recordedResponse struct {
	Status      int    `json:"status"`
	ContentType string `json:"contentType"`
	Body        string `json:"body"`
}

// The ids of a recorded run; whoever replays it puts its own in their place.
const (
	RecordedThread  = "THREAD"
	RecordedRun     = "RUN"
	RecordedMessage = "MESSAGE"
)

// Record tells the scenario of that name into memory. A scenario that breaks the connection ends where it breaks.
func Record(name string) (*Recording, error) {
	for _, s := range scenarios {
		if s.Name != name {
			continue
		}
		body, err := json.Marshal(obj{
			"threadId": RecordedThread, "runId": RecordedRun, "state": obj{}, "context": []any{}, "forwardedProps": obj{},
			"messages": []any{obj{"id": RecordedMessage, "role": "user", "content": s.Prompt}},
			"tools":    []any{},
		})
		if err != nil {
			return nil, err
		}
		in, faults := parseInput(body)
		if len(faults) > 0 {
			return nil, fmt.Errorf("record %s: %v", name, faults)
		}
		into := &recorder{}
		t := newTalk(context.Background(), into, in, s, -1)
		into.talk = t
		if err := t.play(); err != nil && err != errCut {
			return nil, err
		}
		return &Recording{
			Name: s.Name, Title: s.Title, Prompt: s.Prompt, Times: into.times,
			Response: recordedResponse{200, "text/event-stream", into.body.String()},
		}, nil
	}
	return nil, fmt.Errorf("record: no scenario %q", name)
}

// recorder is an sse.MessageWriter into memory.
type recorder struct {
	talk  *talk
	body  strings.Builder
	times []int64
}

func (r *recorder) Send(m *sse.Message) error {
	r.times = append(r.times, r.talk.elapsed.Milliseconds())
	_, err := m.WriteTo(&r.body)
	return err
}

func (r *recorder) Flush() error { return nil }
