package thread_test

import (
	"fmt"

	"aguiwasm/agui"
	"aguiwasm/state"
	"aguiwasm/state/thread"
)

// A thread says what a run sends, takes its events, and says after it which calls are the page's to answer.
func Example() {
	messages, err := agui.ParseMessages(`[{"id":"u1","role":"user","content":"What time is it?"}]`, "messages",
		agui.InputOptions{})
	if err != nil {
		panic(err)
	}
	t := thread.New("t1", state.New(messages, ""))
	in, err := agui.ParseInput(`{"runId":"r1","tools":[{"name":"now","description":"The time"}]}`, agui.InputOptions{})
	if err != nil {
		panic(err)
	}
	prepared, err := t.Begin(thread.Params{Input: in})
	if err != nil {
		panic(err)
	}
	fmt.Println("thread", prepared.Input.ThreadID, "sends", t.Store().Len(), "message")

	pipeline := agui.NewPipeline(agui.Options{Known: t.Store(), Emit: func(e agui.Event) bool {
		t.Store().Apply(e, nil, nil)
		t.Observe(e, nil)
		return true
	}})
	for _, data := range []string{
		`{"type":"RUN_STARTED","threadId":"t1","runId":"r1"}`,
		`{"type":"TOOL_CALL_START","toolCallId":"c1","toolCallName":"now"}`,
		`{"type":"TOOL_CALL_END","toolCallId":"c1"}`,
		`{"type":"RUN_FINISHED","threadId":"t1","runId":"r1"}`,
	} {
		if err := pipeline.Push(data); err != nil {
			panic(err)
		}
	}
	calls, err :=
		t.Finish(thread.Ending{Handled: func(name string) bool { return name == "now" }, Limit: thread.MaxToolRounds})
	if err != nil {
		panic(err)
	}
	for _, call := range calls {
		fmt.Println("to answer:", call.ID, call.Name)
	}
	// Output:
	// thread t1 sends 1 message
	// to answer: c1 now
}
