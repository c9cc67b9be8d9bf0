// Command handler serves an agent of package server for handler.test.js: the last word that a person said names what it
// does. Beside it is the demo agent. It prints their URLs.
package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"

	"aguiwasm/agui"
	"aguiwasm/agui/server"
	"aguiwasm/web/dev/demo"
)

func main() {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Printf("http://%s/agent\nhttp://%s/demo\n", listener.Addr(), listener.Addr())
	mux := http.NewServeMux()
	kept := server.Handler(agent, server.Options{Origins: []string{"*"}, Store: &server.Store{}})
	mux.Handle("/agent", kept)
	mux.Handle("/agent/", kept)
	mux.Handle("/demo", demo.New(demo.Options{}))
	if err := http.Serve(listener, mux); err != nil {
		os.Exit(1)
	}
}

func agent(ctx context.Context, in *agui.Input, run *server.Run) error {
	if len(in.Resume) > 0 {
		return run.Text("answered " + in.Resume[0].Status)
	}
	if last := in.Messages[len(in.Messages)-1]; last.Role == agui.RoleTool {
		return run.Text("the page said so")
	}
	switch server.LastText(in) {
	case "reasoning":
		m := run.Reasoning()
		_, _ = m.WriteString("hm")
		return errors.Join(m.Close(), run.Text("thought"))
	case "tool":
		id, err := run.ToolCall("weather", map[string]string{"city": "Lisbon"})
		return errors.Join(err, run.ToolResult(id, map[string]int{"degrees": 21}), run.Text("21 degrees"))
	case "page-tool":
		_, err := run.ToolCall("where", struct{}{})
		return err
	case "state":
		return errors.Join(run.SetState(map[string]any{"plan": []string{}, "title": "a title that stays as it is"}),
			run.SetState(map[string]any{"plan": []string{"one"}, "title": "a title that stays as it is"}))
	case "activity":
		id, err := run.Activity("", "search",
			map[string]any{"found": []int{}, "query": "a question that stays as it is"})
		_, again := run.Activity(id, "search",
			map[string]any{"found": []int{1, 2}, "query": "a question that stays as it is"})
		return errors.Join(err, again)
	case "interrupt":
		_, err := run.Interrupt(server.Interrupt{ID: "i1", Reason: "confirmation", Message: "Sure?"})
		return err
	case "subagents":
		sub, err := run.Subagent("helper")
		if err != nil {
			return err
		}
		return errors.Join(sub.Text("from below"), sub.Done(1), run.Text("from above"))
	case "chunks":
		return errors.Join(
			run.Emit(agui.NewTextMessageChunk(agui.WithText("messageId", "m1"), agui.WithText("delta", "in "))),
			run.Emit(agui.NewTextMessageChunk(agui.WithText("delta", "pieces"))),
			run.Emit(agui.NewReasoningMessageChunk(agui.WithText("messageId", "m2"), agui.WithText("delta", "hm"))),
			run.Emit(agui.NewToolCallChunk(agui.WithText("toolCallId", "c1"), agui.WithText("toolCallName", "where"),
				agui.WithText("delta", `{"a":`))),
			run.Emit(agui.NewToolCallChunk(agui.WithText("delta", `1}`))),
			run.Text("whole"))
	case "cut":
		if _, err := run.Message().WriteString("half of it"); err != nil {
			return err
		}
		panic(http.ErrAbortHandler) // the connection breaks
	case "steps":
		return run.Step("one", func() error { return run.Custom("note", map[string]int{"n": 1}) })
	case "open":
		_, err := run.Message().WriteString("left open")
		return err
	case "result":
		return errors.Join(run.Result(map[string]int{"n": 1}), run.Text("done"))
	case "wait":
		if _, err := run.Message().WriteString("until you stop me"); err != nil {
			return err
		}
		<-ctx.Done()
		return ctx.Err()
	case "error":
		return errors.New("no model today")
	case "panic":
		panic("a secret of the server")
	}
	return run.Text("You said: " + server.LastText(in))
}
