package demo

import (
	"net/http"
	"time"
)

func failure(t *talk) end {
	t.pause(200)
	t.send("TEXT_MESSAGE_START", "messageId", t.id("m"), "role", "assistant")
	for _, piece := range t.fragments("I begin well, and then ") {
		t.pause(60)
		t.send("TEXT_MESSAGE_CONTENT", "messageId", t.in.runID+"-m1", "delta", piece)
	}
	t.pause(300)
	t.send("TEXT_MESSAGE_END", "messageId", t.in.runID+"-m1")
	t.send("RUN_ERROR", "message", "The model is not available. (The demo was asked to fail.)", "code", "model_unavailable")
	return end{said: true}
}

// cut breaks the connection in the middle of a word.
func cut(t *talk) end {
	t.send("TEXT_MESSAGE_START", "messageId", t.id("m"), "role", "assistant")
	for _, piece := range t.fragments("The connection will break in the middle of a sen") {
		t.pause(60)
		t.send("TEXT_MESSAGE_CONTENT", "messageId", t.in.runID+"-m1", "delta", piece)
	}
	t.flush()
	t.pause(300)
	if t.err == nil {
		t.err = errCut
	}
	return end{said: true}
}

// slowBefore keeps the response back.
func slowBefore(_ http.ResponseWriter, r *http.Request, speed float64) bool {
	return wait(r.Context().Done(), 3*time.Second, speed)
}

// slow sends comments for a while before it says anything.
func slow(t *talk) end {
	for range 4 {
		t.comment("keep-alive")
		t.pause(1000)
	}
	t.text("Here I am. The headers took three seconds, the first word four more; only comments came meanwhile.")
	return end{}
}

// floodEvents is how many events a flood has, the first and the last included.
const floodEvents = 20000

func flood(t *talk) end {
	t.batch = 50
	id := t.id("m")
	t.send("TEXT_MESSAGE_START", "messageId", id, "role", "assistant")
	for n := t.sent + 2; n < floodEvents; n++ {
		delta := "word "
		if n%20 == 0 {
			delta = "word.\n\n"
		}
		t.send("TEXT_MESSAGE_CONTENT", "messageId", id, "delta", delta)
	}
	t.send("TEXT_MESSAGE_END", "messageId", id)
	return end{result: obj{"events": floodEvents}}
}
