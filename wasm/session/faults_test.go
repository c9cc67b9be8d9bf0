package session

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"aguiwasm/agui"
)

// TestFaults plays streams that went wrong for other clients, of the kinds order, null tolerance, messages, multimodal
// and legacy, in every grouping and mode.
func TestFaults(t *testing.T) {
	text, err := os.ReadFile("testdata/faults.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []testCase
	if err := json.Unmarshal(text, &cases); err != nil {
		t.Fatal(err)
	}
	if len(cases) < 22 {
		t.Fatalf("only %d cases", len(cases))
	}
	for _, c := range cases {
		t.Run(c.Kind+"/"+c.Name, func(t *testing.T) { everyWay(t, &c) })
	}
}

// TestTypedPartsAreSentAsWritten: a user's media parts go out in the form that the page wrote, never in the retired
// one.
func TestTypedPartsAreSentAsWritten(t *testing.T) {
	parts :=
		`[{"type":"text","text":"look"},{"type":"image","source":{"type":"data","value":"iVBOR","mimeType":"image/png"}},{"type":"document","source":{"type":"url","value":"https://x.test/a.pdf"}}]`
	in, err := agui.ParseInput(`{"threadId":"t","runId":"r","messages":[{"id":"u","role":"user","content":`+parts+`}]}`,
		agui.InputOptions{})
	if err != nil {
		t.Fatal(err)
	}
	body := string(in.AppendBody(nil, "["+in.Messages[0].Raw+"]", in.State))
	if !strings.Contains(body, `"content":`+parts) || strings.Contains(body, `"binary"`) {
		t.Errorf("the body is %s", body)
	}
}
