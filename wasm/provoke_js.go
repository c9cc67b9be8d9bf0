//go:build js && wasm && provoke

package main

import (
	"strconv"
	"strings"
	"sync"
	"syscall"
	"syscall/js"
	"time"

	"aguiwasm/wasm/session"
)

// A build for tests: it fails in each way in which a Go program can, from a hot export and from a cold function.

// The ways to fail.
const (
	failPanic     = iota // a panic on the way of a run
	failNil              // a nil pointer on the way of a run
	failGoroutine        // a panic where nothing recovers it
	failStack            // a recursion without end
	failDeadlock         // a wait that nothing ends
	failMemory           // more memory than there is
	failExit             // the program ends
	failThrow            // what the Go runtime treats as fatal: no recover catches it
	failTimer            // a panic on a timer, while nobody calls Go
	failTimerStack
	failWait // a wait for a timer: no deadlock, but the call does not come back
)

var (
	kept   [][]byte
	nobody *webRun
)

// A response whose URL says provoke=N fails in the cold function that judges it; the export does so on the way of a
// run.
func init() {
	for i := range cold {
		if cold[i].name != "response" {
			continue
		}
		judge := cold[i].f
		cold[i].f = func(args []js.Value) any {
			if _, way, ok := strings.Cut(text(args[2]), "provoke="); ok {
				n, _ := strconv.Atoi(way)
				provoke(n)
			}
			return judge(args)
		}
	}
}

//go:wasmexport provoke
func exportProvoke(run, way int32) int32 {
	return withRun(run, func(*webRun) session.Flags {
		provoke(int(way))
		return 0
	})
}

func provoke(way int) {
	switch way {
	case failPanic:
		panic("provoked")
	case failNil:
		nobody.url = "provoked"
	case failGoroutine:
		go panic("provoked beside the run")
		time.Sleep(time.Millisecond)
	case failStack:
		kept = append(kept, make([]byte, deeper(1)))
	case failDeadlock:
		<-make(chan int)
	case failMemory:
		for {
			piece := make([]byte, 8<<20)
			for i := range piece {
				piece[i] = 1
			}
			kept = append(kept, piece)
		}
	case failExit:
		syscall.Exit(3)
	case failThrow:
		var unlocked sync.Mutex
		unlocked.Unlock()
	case failTimer:
		time.AfterFunc(time.Millisecond, func() { panic("provoked later") })
	case failWait:
		time.Sleep(time.Hour)
	case failTimerStack:
		time.AfterFunc(time.Millisecond, func() { kept = append(kept, make([]byte, deeper(1))) })
	}
}

// deeper never returns.
//
//go:noinline
func deeper(n int) int {
	if n == 0 {
		return 0
	}
	return deeper(n+1) + n
}
