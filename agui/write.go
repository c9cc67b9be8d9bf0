package agui

import (
	"errors"
	"io"
	"strings"
	"sync"
	"time"
)

// Writer writes events as server-sent events, one at a time, each flushed when it is written. It is safe for concurrent
// use.
//
// It ends honestly: a stream whose run has begun and not ended is closed with a RUN_ERROR, so that no client takes half
// an answer for a whole one.
type Writer struct {
	mu    sync.Mutex
	w     io.Writer
	flush func() error
	buf   []byte
	open  bool // a run has begun and not ended
	err   error
}

// ErrClosed is what writing to a closed [Writer] gives.
var ErrClosed = errors.New("agui: the event stream is closed")

// NewWriter begins the answer to a request: status 200 with the headers of an event stream. It takes an
// http.ResponseWriter (its header type is a type parameter, so that this package does not bring net/http into a
// program).
func NewWriter[H ~map[string][]string](w interface {
	io.Writer
	Header() H
	WriteHeader(status int)
}) *Writer {
	h := w.Header()
	for _, field := range [...][2]string{
		{"Content-Type", "text/event-stream"}, {"Cache-Control", "no-store"}, {"X-Accel-Buffering", "no"},
	} {
		if len(h[field[0]]) == 0 {
			h[field[0]] = []string{field[1]}
		}
	}
	w.WriteHeader(200)
	out := newWriter(w)
	_ = out.flush() // the client sees the headers before the first event
	return out
}

func newWriter(w io.Writer) *Writer {
	out := &Writer{w: w, flush: func() error { return nil }}
	switch f := w.(type) {
	case interface{ FlushError() error }:
		out.flush = f.FlushError
	case interface{ Flush() }:
		out.flush = func() error { f.Flush(); return nil }
	}
	return out
}

// Write sends one event.
func (w *Writer) Write(e Event) error { return w.WriteID("", e) }

// WriteID sends one event under an id, by which a client can ask for what came after it (Last-Event-ID). "" is no id;
// an id that holds a line end or a NUL is refused, as the WHATWG standard has it.
func (w *Writer) WriteID(id string, e Event) error {
	if strings.ContainsAny(id, "\r\n\x00") {
		return &Error{Code: CodeBadInput, Message: "An event's id must hold no line end and no NUL."}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.buf = w.buf[:0]
	if id != "" {
		w.buf = append(append(append(w.buf, "id: "...), id...), '\n')
	}
	w.buf = append(w.buf, "data: "...)
	from := len(w.buf)
	w.buf = appendLine(w.buf, e)
	w.buf = append(w.buf, '\n', '\n')
	if from == len(w.buf)-2 {
		return &Error{Code: CodeBadInput,
			Message: "An event without its JSON text cannot be written: make it with a constructor of this package."}
	}
	if w.err != nil {
		return w.err
	}
	switch e.EventType() {
	case TypeRunStarted:
		w.open = true
	case TypeRunFinished, TypeRunError:
		w.open = false
	}
	return w.send()
}

// appendLine appends an event's JSON on one line: line ends between its tokens are white space.
func appendLine(dst []byte, e Event) []byte {
	from := len(dst)
	dst = e.Common().AppendJSON(dst)
	for i, c := range dst[from:] {
		if c == '\n' || c == '\r' {
			dst[from+i] = ' '
		}
	}
	return dst
}

// Comment sends a comment line, which keeps a connection alive and says nothing.
func (w *Writer) Comment(text string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err != nil {
		return w.err
	}
	w.buf = append(w.buf[:0], ": "...)
	w.buf = append(w.buf, strings.NewReplacer("\r", " ", "\n", " ").Replace(text)...)
	w.buf = append(w.buf, '\n', '\n')
	return w.send()
}

// KeepAlive sends a comment at each interval until stop is called. Proxies end connections that say nothing, often
// after a minute.
func (w *Writer) KeepAlive(interval time.Duration) (stop func()) {
	done, gone := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(gone)
		ticker := time.NewTicker(interval)
		defer ticker.Stop()
		for {
			select {
			case <-done:
				return
			case <-ticker.C:
				if w.Comment("keep-alive") != nil {
					return
				}
			}
		}
	}()
	return sync.OnceFunc(func() {
		close(done)
		<-gone
	})
}

// Close ends the stream; a run that is still open gets a RUN_ERROR first. Nothing can be written after it.
func (w *Writer) Close() error {
	w.mu.Lock()
	open := w.open && w.err == nil
	w.mu.Unlock()
	var err error
	if open {
		e, _ := NewRunError("The server ended the stream before the run was finished.", With("code", `"incomplete"`))
		err = w.Write(e)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err == nil {
		w.err = ErrClosed
	}
	return err
}

// send writes the buffer and flushes. What failed once fails from then on: the client has gone.
func (w *Writer) send() error {
	if _, err := w.w.Write(w.buf); err != nil {
		w.err = err
	} else {
		w.err = w.flush()
	}
	return w.err
}
