package server_test

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"aguiwasm/agui"
	"aguiwasm/agui/client"
	"aguiwasm/agui/server"
)

// script is an agent that does what the bytes say, in any order, and leaves open what it likes.
func script(steps []byte) server.Agent {
	return func(_ context.Context, _ *agui.Input, run *server.Run) error {
		runs, messages := []*server.Run{run}, []*server.Message{}
		value := map[string]any{}
		for _, b := range steps {
			n := int(b >> 4)
			r := runs[n%len(runs)]
			switch b & 15 {
			case 0, 1:
				messages = append(messages, r.Message())
			case 2:
				messages = append(messages, r.Reasoning())
			case 3, 4, 5:
				if len(messages) > 0 {
					messages[n%len(messages)].WriteString(string(rune('a'+n)) + "\xff\"\n")
				}
			case 6:
				if len(messages) > 0 {
					i := n % len(messages)
					_ = messages[i].Close()
					messages = append(messages[:i], messages[i+1:]...)
				}
			case 7:
				id, _ := r.ToolCall("f", map[string]int{"n": n})
				if n%2 == 0 {
					_ = r.ToolResult(id, value)
				}
			case 8, 9:
				value[string(rune('a'+n))] = []int{n, len(steps)}
				_ = r.SetState(value)
			case 10:
				_, _ = r.Activity("act", "search", value)
			case 11:
				_ = r.Step(string(rune('a'+len(messages)))+"-"+r.ID(), func() error { return r.Custom("c", value) })
			case 12:
				if sub, err := r.Subagent("helper"); err == nil && len(runs) < 4 {
					runs = append(runs, sub)
				}
			case 13:
				_ = run.Result(value)
			case 14:
				if n == 3 {
					_, _ = run.Interrupt(server.Interrupt{Message: "?"})
				}
			case 15:
				if n == 15 {
					panic("enough")
				}
			}
		}
		return nil
	}
}

// checkScript runs a script and reads it strictly: the stream must keep every rule and end with its terminal event.
func checkScript(t *testing.T, steps []byte) {
	t.Helper()
	recorder := httptest.NewRecorder()
	body := `{"threadId":"t","runId":"r","messages":[],"tools":[],"context":[],"state":{}}`
	request := httptest.NewRequest("POST", "/", strings.NewReader(body))
	request.Header.Set("Content-Type", "application/json")
	server.Handler(script(steps), server.Options{KeepAlive: -1}).ServeHTTP(recorder, request)
	var last agui.Event
	for e, err := range agui.Read(recorder.Body,
		agui.Options{Strict: true, Warn: func(w agui.Warning) { t.Errorf("%v: %v", w.Code, w.Message) }}) {
		if err != nil && agui.CodeOf(err) != agui.CodeRunError {
			t.Fatalf("%v: %v", steps, err)
		}
		if err == nil {
			last = e
		}
	}
	if last == nil || last.EventType() != agui.TypeRunFinished && last.EventType() != agui.TypeRunError {
		t.Fatalf("%v: the last event is %v", steps, last)
	}
}

func TestRandomAgentsKeepTheRules(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for range 3000 {
		steps := make([]byte, random.IntN(40))
		for i := range steps {
			steps[i] = byte(random.IntN(256))
		}
		checkScript(t, steps)
	}
}

func FuzzAgent(f *testing.F) {
	f.Add([]byte{0, 3, 6, 7, 8, 12, 0x10, 0x13})
	f.Fuzz(func(t *testing.T, steps []byte) {
		if len(steps) < 1000 {
			checkScript(t, steps)
		}
	})
}

func TestConversationsReadBesideARun(t *testing.T) {
	c := serve(t, func(_ context.Context, _ *agui.Input, run *server.Run) error {
		m := run.Message()
		for i := range 200 {
			if _, err := m.WriteString("word "); err != nil {
				return err
			}
			if err := run.SetState(map[string]int{"n": i, "more": i * i}); err != nil {
				return err
			}
		}
		return m.Close()
	}, server.Options{})
	conversation := talk(t, c, client.Options{})
	var readers sync.WaitGroup
	stop := make(chan struct{})
	for range 3 {
		readers.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
					if text := conversation.Messages() + conversation.State(); text == "" {
						t.Error("nothing to read")
					}
				}
			}
		})
	}
	_, err := all(conversation.Send(t.Context(), "x"))
	close(stop)
	readers.Wait()
	if err != nil {
		t.Error(err)
	}
	var s struct{ N int }
	if json.Unmarshal([]byte(conversation.State()), &s); s.N != 199 {
		t.Error(conversation.State())
	}
}
