package main

import (
	"bufio"
	"bytes"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"aguiwasm/agui/client"
	"aguiwasm/web/dev/demo"
)

// TestChat holds a whole conversation with the demo agent.
func TestChat(t *testing.T) {
	agent := httptest.NewServer(demo.New(demo.Options{Speed: -1}))
	defer agent.Close()
	var out bytes.Buffer
	c := &console{
		in: bufio.NewScanner(strings.NewReader(strings.Join([]string{
			"hello there", "/branch", "Use a server tool: the weather in Lisbon",
			"Delete the old logs, but ask for my approval", "yes",
			"Make a plan and share it as state", "/state", "Let subagents work side by side", "/new", "/threads",
			"/switch 1", "/switch 9", "/wrong", "/help", "/quit",
		}, "\n"))),
		out: &out, client: &client.Client{URL: agent.URL}, interrupt: os.Interrupt,
	}
	if err := c.chat(); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"hello there", "thread 2 goes on", "Lisbon", "? Delete 1,204 files in logs/2023?", "The files are deleted.",
		`"title":"A week in Lisbon"`,
		"I read four reports on tides and list the two that agree.", "I outline the article: an opening,",
		"* 3  (nothing said yet)", "there are the threads 1 to 3", "there is no /wrong", "Ctrl-C",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is not in:\n%s", want, out.String())
		}
	}
}

func TestAgentsDoNotSteerTheTerminal(t *testing.T) {
	if got := plain("a\x1b[2Jb\u009bc\n"); got != "a[2Jbc\n" {
		t.Errorf("%q", got)
	}
}
