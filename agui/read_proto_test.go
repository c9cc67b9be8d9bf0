package agui

import (
	"bytes"
	"encoding/binary"
	"strings"
	"testing"
	"testing/iotest"

	"aguiwasm/agui/proto"
)

// protoBody makes a body of messages.
func protoBody(messages [][]byte) (body []byte) {
	for _, m := range messages {
		body = append(binary.BigEndian.AppendUint32(body, uint32(len(m))), m...)
	}
	return body
}

// TestReadProto reads protobuf bodies, whole, byte by byte, cut and too large.
func TestReadProto(t *testing.T) {
	body := protoBody(protoMessages(t, `{"type":"RUN_STARTED"`, `{"type":"STATE_SNAPSHOT"`, `{"type":"RUN_FINISHED"`))
	for _, tt := range []struct {
		name  string
		body  []byte
		max   int
		types string
		code  Code
	}{
		{"whole", body, 0, "RUN_STARTED STATE_SNAPSHOT RUN_FINISHED", ""},
		{"cut", body[:len(body)-1], 0, "RUN_STARTED STATE_SNAPSHOT", CodeIncompleteStream},
		{"too large", body, 4, "", CodeEventTooLarge},
		{"nothing", nil, 0, "", CodeIncompleteStream},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var types []string
			var failure error
			for e, err := range Read(iotest.OneByteReader(bytes.NewReader(tt.body)),
				Options{ContentType: proto.ContentType + "; x=1", MaxEventBytes: tt.max}) {
				if failure = err; err == nil {
					types = append(types, string(e.EventType()))
				}
			}
			if strings.Join(types, " ") != tt.types || CodeOf(failure) != tt.code {
				t.Errorf("%v, %v", types, failure)
			}
		})
	}
}
