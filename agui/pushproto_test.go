package agui

import (
	"encoding/base64"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
)

// protoMessages gives messages of the package proto's samples by the beginning of their names.
func protoMessages(t *testing.T, names ...string) (out [][]byte) {
	text, err := os.ReadFile("proto/testdata/samples.json")
	if err != nil {
		t.Fatal(err)
	}
	var list []struct{ Name, Message string }
	if err := json.Unmarshal(text, &list); err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		i := slices.IndexFunc(list, func(
			s struct{ Name, Message string }) bool {
			return strings.HasPrefix(s.Name, name)
		})
		if i < 0 {
			t.Fatalf("no sample %q", name)
		}
		message, err := base64.StdEncoding.DecodeString(list[i].Message)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, message)
	}
	return out
}

// TestPushProto: what a message is for the rules, what becomes of one that gives no event.
func TestPushProto(t *testing.T) {
	const start, end = `{"type":"RUN_STARTED"`, `{"type":"RUN_FINISHED"`
	for _, tt := range []struct {
		name     string
		in       []string
		strict   bool
		raw      bool
		types    []Type
		code     Code
		message  string
		warnings []string
	}{
		{name: "a run", in: []string{start, `{"type":"STATE_SNAPSHOT"`, end},
			types: []Type{TypeRunStarted, TypeStateSnapshot, TypeRunFinished}},
		{name: "the rules are asked", in: []string{start, `{"type":"TEXT_MESSAGE_CONTENT"`, end},
			types: []Type{TypeRunStarted, TypeTextMessageStart, TypeTextMessageContent, TypeTextMessageEnd,
				TypeRunFinished},
			warnings: []string{"repaired", "repaired"}},
		{name: "the rules are asked in strict mode", strict: true,
			in:    []string{start, `{"type":"TEXT_MESSAGE_CONTENT"`},
			types: []Type{TypeRunStarted}, code: CodeProtocol},
		{name: "an event of a later version",
			in:    []string{start, "an event of a later version", "an event of a later version", end},
			types: []Type{TypeRunStarted, TypeRunFinished}, warnings: []string{"unknown_event"}},
		{name: "an event of a later version, strict", strict: true,
			in:    []string{start, "an event of a later version", end},
			types: []Type{TypeRunStarted, TypeRunFinished}, warnings: []string{"unknown_event"}},
		{name: "a part of a later version", in: []string{start, "a part of a kind that nobody knows", end},
			types: []Type{TypeRunStarted, TypeToolCallResult, TypeRunFinished}, warnings: []string{"unknown_event"}},
		{name: "no protobuf", in: []string{start, "no protobuf"}, types: []Type{TypeRunStarted}, code: CodeBadEvent,
			message: "no protobuf message"},
		{name: "no protobuf, after the end", in: []string{start, end, "no protobuf"},
			types:    []Type{TypeRunStarted, TypeRunFinished},
			warnings: []string{"bad_event"}},
		{name: "a malformed text", in: []string{start, "no base event"}, types: []Type{TypeRunStarted},
			code:    CodeBadEvent,
			message: "no base event"},
		{name: "a malformed snapshot is dropped", in: []string{start, "a user with an object", end},
			types: []Type{TypeRunStarted, TypeRunFinished}, warnings: []string{"bad_event"}},
		{name: "a malformed snapshot, strict", strict: true, in: []string{start, "a user with an object"},
			types: []Type{TypeRunStarted}, code: CodeBadEvent, message: "content in a form"},
		{name: "a field that JSON would miss too", in: []string{start, "an empty value", end},
			types: []Type{TypeRunStarted, TypeRunFinished}, warnings: []string{"bad_event"}},
		{name: "decoded only", raw: true,
			in:    []string{"an event of a later version", `{"type":"TEXT_MESSAGE_CONTENT"`, "no protobuf"},
			types: []Type{TypeTextMessageContent}, code: CodeBadEvent},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var types []Type
			var warnings []Warning
			p := NewPipeline(Options{Strict: tt.strict, DecodeOnly: tt.raw, ThreadID: "t", RunID: "r",
				Warn: func(w Warning) {
					warnings = append(warnings, w)
				}, Emit: func(e Event) bool {
					types = append(types, e.EventType())
					return true
				}})
			var err error
			for _, message := range protoMessages(t, tt.in...) {
				if err = p.PushProto(message); err != nil {
					break
				}
			}
			if CodeOf(err) != tt.code || err != nil && !strings.Contains(err.Error(), tt.message) {
				t.Errorf("the error is %v", err)
			}
			if err != nil && p.PushProto(nil) != err {
				t.Error("a pipeline that has failed takes more")
			}
			if !slices.Equal(types, tt.types) || !slices.Equal(codes(warnings), tt.warnings) {
				t.Errorf("got %v, %v", types, warnings)
			}
		})
	}
}
