//go:build js && wasm

package main

import (
	"syscall/js"

	"aguiwasm/agui"
	"aguiwasm/wasm/session"
	"aguiwasm/wasm/threadapi"
)

// threads holds the agents' threads.
var threads = threadapi.New(newID, func() int64 { return int64(js.Global().Get("Date").Call("now").Float()) })

// threadCall answers a question about a thread: thread(operation, handle, json) gives json.
func threadCall(args []js.Value) (answer any) {
	defer func() {
		if p := recover(); p != nil {
			answer = `{"error":` + string(internal(p).AppendJSON(nil)) + `}`
		}
	}()
	return threads.Do(args[0].String(), args[1].Int(), args[2].String())
}

// prepareThread begins a run of a thread: the thread's conversation takes the events and makes the request's body. A
// raw run only borrows from the thread what its input names.
func prepareThread(handle int, input string, join bool, cfg *session.Config) (body string, err error) {
	e := threads.Get(handle)
	if e == nil {
		return "", &agui.Error{Code: agui.CodeInternal, Message: "the run's thread is gone"}
	}
	cfg.NewerTold = &e.NewerTold
	if cfg.Mode == session.Raw {
		in, body, err := threads.Body(e, input)
		if err != nil {
			return "", err
		}
		cfg.ThreadID, cfg.RunID = in.ThreadID, in.RunID
		return body, nil
	}
	begin := threads.Begin
	if join {
		begin = threads.Join
	}
	in, body, err := begin(e, input)
	if err != nil {
		return "", err
	}
	cfg.ThreadID, cfg.RunID = in.ThreadID, in.RunID
	cfg.Store, cfg.Paths, cfg.Observe, cfg.Began = e.Store(), &e.Paths, e.Observe, &e.Began
	return body, nil
}
