package agui

import (
	"strings"
	"testing"
)

// Without RAW the rules judge as ever; RAW events and rawEvent are gone from what is emitted, whatever shape they came
// in.
func TestDropRaw(t *testing.T) {
	const in = `{"type":"RUN_STARTED","threadId":"t","runId":"r","rawEvent":{"a":1}}
{"type":"RAW","event":{"type":"RUN_FINISHED"},"source":"x"}
{"type":"TEXT_MESSAGE_START","rawEvent":null,"messageId":"m"}
{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"a","rawEvent":{"b":"same"}}
{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"b","rawEvent":{"b":"same"}}
{"rawEvent":"first","type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"c","\u0072awEvent":2,"metadata":{"rawEvent":"stays"}}
{"type":"TEXT_MESSAGE_END","messageId":"m"}
{"type":"TEXT_MESSAGE_CHUNK","messageId":"n","delta":"d","rawEvent":[1]}
{"type":"RAW","event":null}
{"type":"SPARKLE","rawEvent":1}
{"type":"RUN_FINISHED","threadId":"t","runId":"r"}`
	const want = `{"type":"RUN_STARTED","threadId":"t","runId":"r"}
{"type":"TEXT_MESSAGE_START","rawEvent":null,"messageId":"m"}
{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"a"}
{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"b"}
{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"c","metadata":{"rawEvent":"stays"}}
{"type":"TEXT_MESSAGE_END","messageId":"m"}
{"type":"TEXT_MESSAGE_START","messageId":"n","role":"assistant"}
{"type":"TEXT_MESSAGE_CONTENT","messageId":"n","delta":"d"}
{"type":"SPARKLE","rawEvent":1}
{"type":"TEXT_MESSAGE_END","messageId":"n"}
{"type":"RUN_FINISHED","threadId":"t","runId":"r"}`
	for _, reuse := range []bool{false, true} {
		var got []string
		p := NewPipeline(Options{DropRaw: true, ReuseEvents: reuse, Emit: func(ev Event) bool {
			if ev.Common().RawEvent != "" {
				t.Errorf("%s has a RawEvent", ev.EventType())
			}
			got = append(got, ev.Common().Raw)
			return true
		}})
		for line := range strings.Lines(in) {
			if err := p.Push(strings.TrimSpace(line)); err != nil {
				t.Fatal(err)
			}
		}
		if err := p.End(); err != nil {
			t.Fatal(err)
		}
		if s := strings.Join(got, "\n"); s != want {
			t.Errorf("reuse %v: got\n%s\nwant\n%s", reuse, s, want)
		}
	}
}

// A newer or unreadable version is told once, in strict mode too, and the run is read as usual.
func TestNewerProtocol(t *testing.T) {
	for _, c := range []struct {
		version string
		warns   bool
	}{
		{`"1.0"`, false}, {`"1"`, false}, {`"2"`, true}, {`"1."`, true}, {`"0.9"`, false}, {`null`, false},
		{`"1.1"`, true}, {`"2.0"`, true}, {`"10.0"`, true},
		{`"1.0.3"`, false}, {`""`, true}, {`"draft"`, true}, {`"1.x"`, true}, {`1`, false}, {`{}`, true},
		{`"99999999.0"`, true},
	} {
		for _, strict := range []bool{false, true} {
			told := new(bool)
			for run := range 2 {
				var warned []WarningCode
				p := NewPipeline(Options{Strict: strict, NewerTold: told,
					Warn: func(w Warning) { warned = append(warned, w.Code) }})
				start := `{"type":"RUN_STARTED","threadId":"t","runId":"r","protocolVersion":` + c.version + `}`
				for _, line := range []string{start, `{"type":"RUN_FINISHED","threadId":"t","runId":"r"}`, start,
					`{"type":"RUN_FINISHED","threadId":"t","runId":"r"}`} {
					if err := p.Push(line); err != nil {
						t.Fatal(c.version, strict, err)
					}
				}
				want := 0
				if c.warns && run == 0 {
					want = 1
				}
				if len(warned) != want || want == 1 && warned[0] != WarnNewerProtocol {
					t.Errorf("%s (strict %v), run %d: %v", c.version, strict, run, warned)
				}
			}
		}
	}
}
