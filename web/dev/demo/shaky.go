package demo

import (
	"errors"
	"math/rand/v2"
	"net/http"
	"strconv"
)

// The bounds of what a shaky response says before its connection breaks, in bytes.
const (
	shakyLeast = 400
	shakyMost  = 4000
)

// shaky breaks the connection of a response in the middle: after cut bytes, or where cut is "random", half of the
// responses at random (a thread that is told from its start each time must come through whole at last). Other texts,
// among them "", leave it whole. The run itself goes on where it is kept (?dialect=).
func shaky(w http.ResponseWriter, cut string) http.ResponseWriter {
	left, err := strconv.Atoi(cut)
	switch {
	case cut == "random" && rand.IntN(2) == 0:
		return w
	case cut == "random":
		left = shakyLeast + rand.IntN(shakyMost-shakyLeast)
	case err != nil || left <= 0:
		return w
	}
	return &breaking{w, left}
}

var errBroken = errors.New("the line is cut")

type breaking struct {
	http.ResponseWriter
	left int
}

// Write implements io.Writer. A part of the bytes is said, then nothing more. It does not panic: comments are written
// beside the handler, where nobody would recover.
func (b *breaking) Write(p []byte) (int, error) {
	said := p[:min(len(p), b.left)]
	b.left -= len(said)
	if _, err := b.ResponseWriter.Write(said); err != nil {
		return 0, err
	}
	if b.left > 0 {
		return len(p), nil
	}
	_ = http.NewResponseController(b.ResponseWriter).Flush()
	return len(said), errBroken
}

// snap breaks the connection of a response that was cut, when its handler is through.
func snap(w http.ResponseWriter) {
	if b, ok := w.(*breaking); ok && b.left <= 0 {
		panic(http.ErrAbortHandler)
	}
}

// Unwrap lets http.ResponseController flush.
func (b *breaking) Unwrap() http.ResponseWriter { return b.ResponseWriter }
