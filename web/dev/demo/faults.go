package demo

import (
	"net/http"

	"aguiwasm/agui"
)

func failure(t *talk) error {
	t.pause(200)
	t.text("I begin well, and then ")
	t.pause(300)
	return &agui.Error{Code: "model_unavailable", Message: "The model is not available. (The demo was asked to fail.)"}
}

// cut breaks the connection in the middle of a word.
func cut(t *talk) error {
	t.stream(t.Message(), "The connection will break in the middle of a sen", 60)
	t.pause(300)
	if t.err == nil {
		panic(http.ErrAbortHandler)
	}
	return nil
}

// slow lets comments alone keep the connection alive for a while.
func slow(t *talk) error {
	for range 4 {
		t.pause(1000)
	}
	t.text("Here I am. The headers took three seconds, the first word four more; only comments came meanwhile.")
	return nil
}

// floodEvents is how many events a flood has, the first and the last included.
const floodEvents = 20000

func flood(t *talk) error {
	m := t.Message()
	for n := 3; n < floodEvents-1 && t.err == nil; n++ {
		word := "word "
		if n%20 == 0 {
			word = "word.\n\n"
		}
		_, t.err = m.WriteString(word)
	}
	t.keep(m.Close())
	return t.Result(obj{"events": floodEvents})
}
