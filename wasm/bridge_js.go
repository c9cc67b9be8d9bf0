//go:build js && wasm

package main

//lint:file-ignore U1000 JavaScript calls the exports, which the checker does not see.

import (
	"syscall/js"
	"unsafe"

	"aguiwasm/agui"
	"aguiwasm/wasm/batch"
	"aguiwasm/wasm/session"
)

// Hot calls cross the border as wasm exports and one import: integers and an address, no js.Value. None of them waits,
// and each turns a panic into the end of its run. Each gives its flags in the lowest byte and, above it, how many calls
// have come back so far: a call that blocks returns early with a garbage value, and the count lets JavaScript notice.

//go:wasmimport agui deliver
func deliver(run int32, address unsafe.Pointer, length int32)

// inbox is where JavaScript writes a piece of the body before push. It never moves: Go's collector does not move
// objects.
var inbox = make([]byte, pieceBytes)

// pieceBytes is the largest piece of one push; JavaScript cuts larger chunks.
const pieceBytes = 64 << 10

// ballast keeps the collector from running every few megabytes of events while next to nothing is alive: it counts as
// live, so that a collection is due when as much again has been allocated. Nothing touches it, so the browser need not
// back it with memory. A greater GOGC would do the same for small heaps and let large ones grow to a multiple.
var ballast []byte

const (
	ballastBytes = 8 << 20
	// headroom is what the heap grows by until a collection is due. It is asked for early and let go at once, so that
	// the WebAssembly's memory has its size from the first runs on.
	headroom = 12 << 20
)

// exportSettle takes the memory that the runs to come need. JavaScript calls it once, when the page no longer waits for
// us.
//
//go:wasmexport settle
func exportSettle() {
	ballast = make([]byte, headroom)
	ballast = make([]byte, ballastBytes)
}

// host is the object that JavaScript offers: lineStands, adapt. It is handed over under a passing name, so that nothing
// of it stays on the page's global object.
var host js.Value

// cold are the functions that JavaScript calls through syscall/js, made once at the start.
var cold = []coldFunc{{"start", start}, {"response", response}, {"body", body}, {"failed", failed},
	{"keepRaw", keepRaw}, {"thread", threadCall}, {"leg", leg}, {"line", line}}

type coldFunc struct {
	name string
	f    func(args []js.Value) any
}

// guarded makes a function whose panics come back as a failure instead of ending the program.
func guarded(f func([]js.Value) any) func(js.Value, []js.Value) any {
	return func(_ js.Value, args []js.Value) (result any) {
		defer func() {
			if p := recover(); p != nil {
				result = string(internal(p).AppendJSON(nil))
			}
		}()
		return f(args)
	}
}

// exportInbox gives the address of the inbox, for pieces of n bytes; 0 says that n is more than it holds.
//
//go:wasmexport inbox
func exportInbox(n int32) int32 {
	if int(n) > len(inbox) {
		return 0
	}
	return int32(uintptr(unsafe.Pointer(&inbox[0])))
}

//go:wasmexport push
func exportPush(run, n int32) int32 {
	return withRun(run, func(r *webRun) session.Flags { return r.push(inbox[:max(0, min(int(n), len(inbox)))]) })
}

//go:wasmexport end
func exportEnd(run int32) int32 {
	return withRun(run, (*webRun).end)
}

//go:wasmexport step
func exportStep(run, verdict int32) int32 {
	return withRun(run, func(r *webRun) session.Flags { return r.step(verdict != 0) })
}

// The kinds of timeout.
const (
	idle   = 0
	linger = 1
)

//go:wasmexport timeout
func exportTimeout(run, kind int32) int32 {
	return withRun(run, func(r *webRun) session.Flags {
		if kind == linger {
			if r.legs != nil {
				return r.legs.close()
			}
			return r.session.Close()
		}
		if r.legs != nil && r.legs.comesBack() {
			return r.legs.over("idle_timeout")
		}
		return r.session.Fail(&batch.Failure{Code: agui.CodeIdleTimeout,
			Message: "nothing came from the server for as long as idleTimeoutMs allows", URL: r.url})
	})
}

//go:wasmexport cancel
func exportCancel(run int32) int32 {
	return counted(func() session.Flags {
		r := runs[run]
		if r == nil {
			return session.Over
		}
		defer func() {
			if p := recover(); p != nil {
				_ = p // the run is gone already
			}
		}()
		delete(runs, run)
		r.session.Stop()
		return session.Over
	})
}

// returned counts the hot calls that came back.
var returned uint32

// counted adds the count to a call's flags.
func counted(f func() session.Flags) int32 {
	flags := f()
	returned++
	return int32(returned<<8 | uint32(flags)&0xff)
}

// withRun is a hot call about a run.
func withRun(id int32, f func(*webRun) session.Flags) int32 {
	return counted(func() session.Flags { return onRun(id, f) })
}

// onRun calls f for a live run. A run that is over is forgotten; a panic ends its run alone.
func onRun(id int32, f func(*webRun) session.Flags) (flags session.Flags) {
	r := runs[id]
	if r == nil {
		return session.Over
	}
	defer func() {
		if p := recover(); p != nil {
			delete(runs, id)
			r.deliverFailure(internal(p))
			flags = session.Over
		}
	}()
	result := f(r)
	if result&session.Over != 0 {
		delete(runs, id)
	}
	return result
}

// internal makes the failure for a panic.
func internal(p any) *batch.Failure {
	message := "the runtime failed"
	switch p := p.(type) {
	case error:
		message += ": " + p.Error()
	case string:
		message += ": " + p
	}
	return &batch.Failure{Code: agui.CodeInternal, Message: message}
}

// deliverFailure ends a run in JavaScript without its session.
func (r *webRun) deliverFailure(f *batch.Failure) {
	b := batch.New(new(batch.Paths))
	b.Error(f)
	handOver(r.id)(b.Take())
}

// handOver gives the function that delivers one run's batches.
func handOver(run int32) func([]byte) {
	return func(b []byte) { deliver(run, unsafe.Pointer(&b[0]), int32(len(b))) }
}
