// Command console is a chat in the terminal with any AG-UI agent:
//
//	go run aguiwasm/web/examples/console [-header "Name: value"] [-reconnect sse-id] [-history new] URL
//
// Text streams as it comes; tool calls, reasoning and steps are shown in a line each; the agent's questions are asked
// here. A line that begins with / is a command: /help lists them.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"time"

	"aguiwasm/agui"
	"aguiwasm/agui/client"
	"aguiwasm/agui/rawjson"
	"aguiwasm/state/thread"
)

func main() {
	header := http.Header{}
	flag.Func("header", `a header of each request, "Name: value"; may be given more than once`,
		func(text string) error {
			name, value, ok := strings.Cut(text, ":")
			if !ok {
				return errors.New("say it as Name: value")
			}
			header.Add(strings.TrimSpace(name), strings.TrimSpace(value))
			return nil
		})
	reconnect := flag.String("reconnect", "",
		"how the server lets a client come back to a run: sse-id, tanstack, agno, copilotkit or hydrate")
	history := flag.String("history", "full", "what each run sends: full, or new where the agent keeps the thread")
	flag.Parse()
	if flag.NArg() != 1 {
		fmt.Fprintln(os.Stderr, "say the agent's URL: console http://127.0.0.1:8080/agent")
		os.Exit(2)
	}
	c := &console{
		in: bufio.NewScanner(os.Stdin), out: os.Stdout, interrupt: os.Interrupt, reconnect: *reconnect,
		client: &client.Client{URL: flag.Arg(0),
			Header: func(context.Context) (http.Header, error) { return header, nil }},
	}
	if *history == "new" {
		c.history = thread.HistoryNew
	}
	if err := c.chat(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

type console struct {
	in        *bufio.Scanner
	out       io.Writer
	client    *client.Client
	interrupt os.Signal
	threads   []*client.Conversation
	at        int
	lastRun   string
	reconnect string
	history   thread.History
}

const help = `Say something, or:
  /new          begin another thread      /threads     list the threads
  /switch N     go to thread N            /branch      go on from the end of the last run, in a thread of its own
  /state        show the shared state     /quit        leave
Ctrl-C stops an answer.
`

func (c *console) chat() error {
	if err := c.begin(); err != nil {
		return err
	}
	fmt.Fprintf(c.out, "Talking to %s. /help says what else there is.\n", c.client.URL)
	for {
		fmt.Fprint(c.out, "> ")
		line, ok := c.line()
		if !ok {
			fmt.Fprintln(c.out)
			return nil
		}
		word, rest, _ := strings.Cut(line, " ")
		switch word {
		case "":
		case "/quit":
			return nil
		case "/help":
			fmt.Fprint(c.out, help)
		case "/new":
			if err := c.begin(); err != nil {
				return err
			}
			fmt.Fprintf(c.out, "thread %d\n", c.at+1)
		case "/threads":
			for i, t := range c.threads {
				mark := " "
				if i == c.at {
					mark = "*"
				}
				fmt.Fprintf(c.out, "%s %d  %s\n", mark, i+1, title(t))
			}
		case "/switch":
			if n, err := strconv.Atoi(strings.TrimSpace(rest)); err == nil && n >= 1 && n <= len(c.threads) {
				c.at = n - 1
			} else {
				fmt.Fprintf(c.out, "there are the threads 1 to %d\n", len(c.threads))
			}
		case "/branch":
			branch, err := c.threads[c.at].Branch(c.lastRun)
			if err != nil {
				fmt.Fprintln(c.out, err)
				break
			}
			c.threads, c.at = append(c.threads, branch), len(c.threads)
			fmt.Fprintf(c.out, "thread %d goes on from there\n", c.at+1)
		case "/state":
			fmt.Fprintln(c.out, c.threads[c.at].State())
		default:
			if strings.HasPrefix(word, "/") {
				fmt.Fprintf(c.out, "there is no %s; /help lists the commands\n", word)
				break
			}
			c.say(line)
		}
	}
}

func (c *console) line() (string, bool) {
	if !c.in.Scan() {
		return "", false
	}
	return strings.TrimSpace(c.in.Text()), true
}

// begin opens a thread. The clock is a tool of this program, so that one can be seen at work.
func (c *console) begin() error {
	t, err := client.NewConversation(c.client, client.Options{
		OnInterrupt: c.ask, Reconnect: c.reconnect, History: c.history,
		Tools: []client.Tool{{
			Name: "local_time", Description: "The time on the person's computer",
			Call: func(context.Context, json.RawMessage) (string, error) {
				return time.Now().
					Format(time.RFC1123Z), nil
			},
		}},
	})
	if err != nil {
		return err
	}
	c.threads, c.at = append(c.threads, t), len(c.threads)
	return nil
}

// title is the first thing that was said in a thread.
func title(t *client.Conversation) string {
	for _, m := range rawjson.Elements(t.Messages()) {
		content, _ := rawjson.Get(m, "content")
		if role, _ := rawjson.Get(m, "role"); role == `"user"` && rawjson.KindOf(content) == rawjson.Str {
			return rawjson.String(content).Decode()
		}
	}
	return "(nothing said yet)"
}

// say sends a message and shows the answer.
func (c *console) say(text string) {
	ctx, stop := signal.NotifyContext(context.Background(), c.interrupt)
	defer stop()
	inText := false
	note := func(format string, args ...any) {
		if inText {
			fmt.Fprintln(c.out)
			inText = false
		}
		fmt.Fprintf(c.out, "  ["+format+"]\n", args...)
	}
	speech := speech{out: c.out}
	arguments := map[string]string{}
	names := map[string]string{}
	for event, err := range c.threads[c.at].Send(ctx, text) {
		if err != nil {
			note("%v", err)
			return
		}
		switch e := event.(type) {
		case *agui.RunStarted:
			c.lastRun = e.RunID
		case *agui.TextMessageContent:
			if speech.hear(e.MessageID, plain(e.Delta.Decode())) {
				inText = true
			}
		case *agui.TextMessageEnd:
			inText = speech.end(e.MessageID, inText)
		case *agui.ToolCallStart:
			names[e.ToolCallID] = e.ToolCallName.Decode()
		case *agui.ToolCallArgs:
			arguments[e.ToolCallID] += e.Delta.Decode()
		case *agui.ToolCallEnd:
			note("%s %s", plain(names[e.ToolCallID]), plain(arguments[e.ToolCallID]))
		case *agui.ToolCallResult:
			note("%s: %s", plain(names[e.ToolCallID]), plain(short(e.Content)))
		case *agui.ReasoningMessageStart:
			note("thinking")
		case *agui.StepStarted:
			note("step: %s", plain(e.StepName))
		case *agui.StateSnapshot, *agui.StateDelta:
			note("the shared state changed; /state shows it")
		case *agui.SubagentStarted:
			note("subagent: %s", plain(e.Name.Decode()))
		}
	}
}

// speech shows messages one after another, also where subagents speak at the same time: one streams, the others wait.
type speech struct {
	out  io.Writer
	said []*said // the first is the one that streams
}

type said struct {
	id, text string
	ended    bool
}

// hear takes a piece of a message; it reports whether it was shown.
func (s *speech) hear(id, text string) bool {
	for i, m := range s.said {
		if m.id == id {
			if i == 0 {
				fmt.Fprint(s.out, text)
			} else {
				m.text += text
			}
			return i == 0
		}
	}
	s.said = append(s.said, &said{id: id})
	return s.hear(id, text)
}

// end ends a message, and shows those that waited for it. It reports whether the last line is not at its end.
func (s *speech) end(id string, inText bool) bool {
	for _, m := range s.said {
		m.ended = m.ended || m.id == id
	}
	for len(s.said) > 0 && s.said[0].ended {
		if s.said = s.said[1:]; inText {
			fmt.Fprintln(s.out)
		}
		inText = false
		if len(s.said) > 0 {
			fmt.Fprint(s.out, s.said[0].text)
			inText = s.said[0].text != ""
		}
	}
	return inText
}

func short(text string) string {
	if r := []rune(text); len(r) > 100 {
		return string(r[:100]) + "…"
	}
	return text
}

// plain takes out what would steer the terminal: an agent's text is not to be trusted with it.
func plain(text string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' && r != '\t' || r >= 0x7f && r < 0xa0 {
			return -1
		}
		return r
	}, text)
}

// ask asks the person the agent's questions.
func (c *console) ask(_ context.Context, open []agui.Interrupt) ([]agui.ResumeEntry, error) {
	var entries []agui.ResumeEntry
	for _, question := range open {
		words := question.Reason
		if message, ok := rawjson.Get(question.Raw, "message"); ok && rawjson.KindOf(message) == rawjson.Str {
			words = rawjson.String(message).Decode()
		}
		choices := "yes, no, or an answer"
		if _, ok := rawjson.Get(question.Raw, "responseSchema"); ok {
			choices = "yes, no, or an answer as JSON"
		}
		fmt.Fprintf(c.out, "? %s (%s) ", plain(words), choices)
		line, ok := c.line()
		var entry agui.ResumeEntry
		var err error
		switch lower := strings.ToLower(line); {
		case !ok || lower == "" || lower == "no" || lower == "n":
			entry = client.Cancel(question.ID)
		case lower == "yes" || lower == "y":
			entry, err = client.Resolve(question.ID, map[string]bool{"approved": true})
		case json.Valid([]byte(line)):
			entry, err = client.Resolve(question.ID, json.RawMessage(line))
		default:
			entry, err = client.Resolve(question.ID, line)
		}
		if err != nil {
			return nil, err
		}
		entries = append(entries, entry)
	}
	return entries, nil
}
