// Command native is this runtime's side of the differential test without a browser, for quick work on agui/ and state/:
// it reads streams as JSON lines on its standard input and writes what became of each as a JSON line.
// web/dev/test/differential/node.js drives it.
package main

import (
	"bufio"
	"encoding/json"
	"os"
	"strconv"
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
	again := false // an id of an earlier turn was used for something else
	warn := func(w agui.Warning) {
		again = again || w.Code == agui.WarnIDCollision && strings.Contains(w.Message, "of an earlier turn")
	}
	p := agui.NewPipeline(agui.Options{
		Strict: !s.Lenient, ThreadID: input.ThreadID, RunID: input.RunID, Known: store,
		Emit: func(ev agui.Event) bool {
			store.Apply(ev, nil, warn)
			return true
		},
	})
	for _, data := range s.Events {
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
	b = strconv.AppendBool(append(b, `,"again":`...), again)
	b = append(b, `,"tree":`...)
	return append(store.AppendTree(b), '}')
}
