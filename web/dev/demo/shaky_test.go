package demo

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"aguiwasm/agui"
	"aguiwasm/agui/client"
)

// TestShaky: a line that is cut again and again gives the same conversation, by each dialect, and without one it ends
// the run.
func TestShaky(t *testing.T) {
	url := serve(t)
	run := func(query, dialect string) (messages, state string, err error) {
		c, problem := client.NewConversation(&client.Client{URL: url + query}, client.Options{Reconnect: dialect})
		if problem != nil {
			t.Fatal(problem)
		}
		for _, words := range []string{"Make a plan and share it as state", "markdown"} {
			for _, failure := range c.Send(t.Context(), words) {
				if failure != nil {
					err = failure
				}
			}
		}
		return c.Messages(), c.State(), err
	}
	_, want, err := run("?dialect=tanstack", "")
	if err != nil {
		t.Fatal(err)
	}
	for _, dialect := range []string{"sse-id", "tanstack", "agno", "copilotkit"} {
		messages, state, err := run("?dialect="+dialect+"&cut=random", dialect)
		if err != nil || state != want || strings.Count(messages, `"role":"assistant"`) < 2 {
			t.Errorf("%s: %v, %s\n%s", dialect, err, state, messages)
		}
	}
	if _, _, err := run("?cut=500", ""); agui.CodeOf(err) != agui.CodeNetwork {
		t.Errorf("without a dialect: %v", err)
	}
	response, err := http.Get(url + "?cut=none")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if _, err := io.ReadAll(response.Body); err != nil {
		t.Errorf("a word that is none leaves it whole: %v", err)
	}
}
