// Command native is this runtime's side of the differential test without a browser, for quick work on agui/ and state/:
// it reads streams as JSON lines on its standard input and writes what became of each as a JSON line.
// web/dev/test/differential/node.js drives it.
package main

import (
	"bufio"
	"encoding/json"
	"os"
	"strings"

	"aguiwasm/agui"
	"aguiwasm/state"
)

type stream struct {
	Input   json.RawMessage `json:"input"` // a RunAgentInput
	Events  []string        `json:"events"`
	Lenient bool            `json:"lenient"`
}

func main() {
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 64<<20)
	out := bufio.NewWriter(os.Stdout)
	for in.Scan() {
		var s stream
		if err := json.Unmarshal(in.Bytes(), &s); err != nil {
			panic(err)
		}
		_, _ = out.Write(append(run(&s), '\n'))
		_ = out.Flush()
	}
}

func run(s *stream) []byte {
	input, err := agui.ParseInput(string(s.Input), agui.InputOptions{})
	if err != nil {
		panic(err)
	}
	store := state.New(input.Messages, input.State)
	// Where an id of an earlier turn was used for something else.
	type split struct {
		At   int    `json:"at"`
		ID   string `json:"id"`
		Call bool   `json:"call"`
	}
	at, again := 0, []split{}
	warn := func(w agui.Warning) {
		if w.Code == agui.WarnIDCollision && strings.Contains(w.Message, "of an earlier turn") {
			var id string
			rest := strings.TrimPrefix(w.Message, "the id ")
			if json.NewDecoder(strings.NewReader(rest)).Decode(&id) == nil {
				again = append(again, split{at, id, strings.Contains(w.Message, " a tool call of")})
			}
		}
	}
	p := agui.NewPipeline(agui.Options{
		Strict: !s.Lenient, ThreadID: input.ThreadID, RunID: input.RunID, Known: store,
		Emit: func(ev agui.Event) bool {
			store.Apply(ev, nil, warn)
			return true
		},
	})
	for i, data := range s.Events {
		at = i
		if err = p.Push(data); err != nil {
			break
		}
	}
	if err == nil {
		err = p.End()
	}
	store.EndResponse(nil)
	outcome, message := "complete", ""
	if err != nil {
		outcome, message = string(agui.CodeOf(err)), err.Error()
	}
	m, _ := json.Marshal(message)
	b := append([]byte(`{"outcome":"`+outcome+`","error":`), m...)
	splits, _ := json.Marshal(again)
	b = append(append(b, `,"again":`...), splits...)
	b = append(b, `,"tree":`...)
	return append(store.AppendTree(b), '}')
}
