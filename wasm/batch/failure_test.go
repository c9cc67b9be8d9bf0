package batch

import (
	"testing"

	"aguiwasm/agui"
)

func TestSentence(t *testing.T) {
	for message, want := range map[string]string{
		"the server sent nothing":                 "The server sent nothing",
		"messages[0].id must be a string":         "The field messages[0].id must be a string",
		"threadId must be a string":               "The field threadId must be a string",
		"it must be an object":                    "It must be an object",
		"messages[0] has no id; it must be there": "Messages[0] has no id; it must be there",
		"an event must be an object":              "An event must be an object",
		"RUN_STARTED must be first":               "RUN_STARTED must be first",
		"":                                        "",
	} {
		if got := string((&Failure{Code: agui.CodeBadInput, Message: message}).
			AppendJSON(nil)); got != `{"code":"bad_input","message":"`+want+`"}` {
			t.Errorf("%q: %s", message, got)
		}
	}
	if got := string((&Failure{Code: agui.CodeRunError, Message: "out of luck"}).
		AppendJSON(nil)); got != `{"code":"run_error","message":"out of luck"}` {
		t.Error(got)
	}
}
