package demo

import (
	"io"
	"net/http"
	"strings"
	"testing"
)

func TestARunIsReadAgain(t *testing.T) {
	url := serve(t)
	whole := post(t, url+"?dialect=tanstack", runInput("markdown", nil))
	if n := len(whole.events); n < 5 || whole.events[n-1].kind() != "RUN_FINISHED" {
		t.Fatalf("%d events", n)
	}
	response, err := http.Get(url + "?dialect=tanstack&runId=r1&offset=r1:2")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	rest, err := io.ReadAll(response.Body)
	if err != nil || !strings.HasSuffix(whole.body, string(rest)) || !strings.HasPrefix(string(rest), "id: r1:3\n") {
		t.Errorf("%v: %q", err, rest)
	}
	again := post(t, url+"?dialect=copilotkit",
		`{"method":"agent/connect","params":{"agentId":"a"},"body":{"threadId":"t1"}}`)
	if len(again.events) != len(whole.events) {
		t.Errorf("connect gives %d events of %d", len(again.events), len(whole.events))
	}
	if none := post(t, url+"?dialect=copilotkit",
		`{"method":"agent/connect","body":{"threadId":"t2"}}`); none.status != 200 || none.body != "" {
		t.Errorf("an unknown thread: %d %q", none.status, none.body)
	}
}
