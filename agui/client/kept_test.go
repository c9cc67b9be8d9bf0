package client_test

import (
	"context"
	"errors"
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"

	"aguiwasm/agui"
	"aguiwasm/agui/client"
	"aguiwasm/agui/server"
)

// halfway is an agent that says the half of each kind of thing, tells that it did, and waits before the rest.
func halfway(at chan<- struct{}, release <-chan struct{}) server.Agent {
	return func(_ context.Context, in *agui.Input, run *server.Run) error {
		words := server.LastText(in)
		if words == "short" {
			return errors.Join(run.Text("a short answer"), run.SetStateKey("turns", 1))
		}
		r := run.Reasoning()
		_, _ = r.WriteString("Hm.")
		call, err := run.ToolCall("look", map[string]string{"for": words})
		err = errors.Join(err, r.Close(), run.ToolResult(call, "found"), run.SetStateKey("n", 1))
		m := run.Message()
		_, _ = m.WriteString("one ")
		open := run.Call("page_tool")
		_, _ = open.WriteString(`{"a":`)
		at <- struct{}{}
		<-release
		_, _ = m.WriteString("two")
		_, _ = open.WriteString(`1}`)
		return errors.Join(err, m.Close(), open.Close(), run.SetStateKey("n", 2), run.Text("three"))
	}
}

// TestJoinHalfway, scenarios 22, 36 and 57: who joins a thread in the middle of its second run has what the one has who
// asked, by each dialect that handler and client speak. What a dialect does not tell is left as it was.
func TestJoinHalfway(t *testing.T) {
	for _, tt := range []struct {
		dialect string
		// Of agno's run the messages alone: what was before is the joining client's own.
		partial bool
	}{{dialect: "copilotkit"}, {dialect: "tanstack"}, {dialect: "agno", partial: true}} {
		for _, early := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s, joined %s", tt.dialect,
				map[bool]string{true: "halfway", false: "at its end"}[early]),
				func(t *testing.T) {
					at, release := make(chan struct{}), make(chan struct{})
					site := httptest.NewServer(server.Handler(halfway(at, release),
						server.Options{Store: &server.Store{}}))
					defer site.Close()
					warn := func(w agui.Warning) { t.Errorf("%s: %s", w.Code, w.Message) }
					c := &client.Client{URL: site.URL + "/agent/a/run", Strict: true, Warn: warn}
					first, _ := client.NewConversation(c, client.Options{ThreadID: "t 1"})
					if _, err := all(first.Send(t.Context(), "short")); err != nil {
						t.Fatal(err)
					}
					o := client.Options{ThreadID: "t 1", Reconnect: tt.dialect}
					if tt.partial {
						o.Messages, o.State = first.Messages(), first.State()
					}
					second, _ := client.NewConversation(c, o)
					ended := make(chan error, 1)
					go func() {
						_, err := all(first.Send(t.Context(), "long"))
						ended <- err
					}()
					<-at
					whole := !early
					if whole {
						close(release)
						if err := <-ended; err != nil {
							t.Fatal(err)
						}
					}
					for e, err := range second.Join(t.Context()) {
						if err != nil {
							t.Fatal(err)
						}
						if content, ok := e.(*agui.TextMessageContent); early && ok &&
							strings.Contains(content.Raw, "one") {
							close(release)
							early = false
						}
						if _, ok := e.(*agui.MessagesSnapshot); early && ok && tt.partial {
							close(release)
							early = false
						}
					}
					if early {
						t.Fatal("nothing of the run came before its end")
					}
					<-release
					if !whole {
						if err := <-ended; err != nil {
							t.Fatal(err)
						}
					}
					want, got := first.Messages(), second.Messages()
					if tt.partial { // the words of the person are not the run's
						user := `"content":"long"`
						want = want[:strings.LastIndex(want[:strings.Index(want, user)], `,{`)] +
							want[strings.Index(want, user)+len(user)+1:]
					}
					if tt.partial && got == o.Messages {
						return // at its end there is nothing to attach to
					}
					if got != want {
						t.Errorf("joined:\n%s\nwant:\n%s", got, want)
					}
					if got := second.State(); got != first.State() {
						t.Errorf("state %s, want %s", got, first.State())
					}
				})
		}
	}
}
