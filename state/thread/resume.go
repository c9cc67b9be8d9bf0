package thread

import (
	"strconv"
	"strings"

	"aguiwasm/agui"
	"aguiwasm/agui/rawjson"
)

// checkResume judges a run's answers against the open interrupts (section 7): every open one is answered once, an
// expired one only with "cancelled", and nothing else is answered. command says that the run answers in the older
// dialect by itself (forwardedProps.command.resume), which covers the interrupts of that dialect. Where nothing is
// open, any answer passes: a page that was loaded anew may know of interrupts that this thread never saw.
//
// now is in milliseconds since 1970. The error has code bad_input and names each id at fault.
func checkResume(open []agui.Interrupt, older map[string]bool, entries []agui.ResumeEntry, command bool,
	now int64) error {
	if len(open) == 0 {
		return nil
	}
	answers := make(map[string]string, len(entries))
	var twice, unknown, missing, expired []string
	for _, e := range entries {
		if _, ok := answers[e.InterruptID]; ok {
			twice = append(twice, e.InterruptID)
		}
		answers[e.InterruptID] = e.Status
		if indexOf(open, e.InterruptID) < 0 {
			unknown = append(unknown, e.InterruptID)
		}
	}
	for _, i := range open {
		status, ok := answers[i.ID]
		if !ok && !(command && older[i.ID]) {
			missing = append(missing, i.ID)
		}
		if ok && status != "cancelled" && Expired(i, now) {
			expired = append(expired, i.ID+" (at "+i.ExpiresAt+")")
		}
	}
	switch {
	case len(missing) > 0:
		return refuse("the thread waits for an answer to " + plural(len(missing), "pending interrupt") +
			" that resume does not give: " + strings.Join(missing, ", "))
	case len(unknown) > 0:
		return refuse("resume answers " + plural(len(unknown), "interrupt") + " that the thread did not ask: " +
			strings.Join(unknown, ", "))
	case len(twice) > 0:
		return refuse("resume answers more than once: " + strings.Join(twice, ", "))
	case len(expired) > 0:
		return refuse("an expired interrupt can no longer be answered, only status \"cancelled\" can close it: " +
			strings.Join(expired, ", "))
	}
	return nil
}

// Expired reports whether an interrupt can no longer be answered at now (milliseconds since 1970).
func Expired(i agui.Interrupt, now int64) bool {
	at, ok := ParseTime(i.ExpiresAt)
	return ok && at <= now
}

func indexOf(open []agui.Interrupt, id string) int {
	for n, i := range open {
		if i.ID == id {
			return n
		}
	}
	return -1
}

func refuse(message string) error { return &agui.Error{Code: agui.CodeBadInput, Message: message} }

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}

// olderInterrupt makes an interrupt of a CUSTOM event named on_interrupt, whose value is the question: any JSON, or a
// JSON text inside a string. The value stands in metadata.value, its words also in message.
func olderInterrupt(id, value string) agui.Interrupt {
	if rawjson.KindOf(value) == rawjson.Str {
		if text := rawjson.String(value).Decode(); rawjson.Check(text, 0) == nil {
			value = text
		}
	}
	if value == "" {
		value = "null"
	}
	raw := make([]byte, 0, len(value)+96)
	raw = append(raw, `{"id":`...)
	raw = rawjson.AppendQuote(raw, id)
	raw = append(raw, `,"reason":"input_required"`...)
	if words := wordsOf(value); words != "" {
		raw = append(append(raw, `,"message":`...), words...)
	}
	raw = append(append(append(raw, `,"metadata":{"name":"on_interrupt","value":`...), rawjson.Compact(value)...),
		"}}"...)
	return agui.Interrupt{ID: id, Reason: "input_required", Raw: string(raw)}
}

// wordsOf finds what a person can read in a question: the value itself, or the member that usually holds it.
func wordsOf(value string) string {
	switch rawjson.KindOf(value) {
	case rawjson.Str:
		return value
	case rawjson.Object:
		for _, key := range []string{"message", "question", "prompt", "text"} {
			if words, ok := rawjson.Get(value, key); ok && rawjson.KindOf(words) == rawjson.Str {
				return words
			}
		}
	}
	return ""
}

// hasCommand reports whether forwardedProps answers in the older dialect.
func hasCommand(forwardedProps string) bool { return commandOf(forwardedProps) != "" }

// commandOf gives the answer in the older dialect, or "".
func commandOf(forwardedProps string) string {
	if rawjson.KindOf(forwardedProps) != rawjson.Object {
		return ""
	}
	command, ok := rawjson.Get(forwardedProps, "command")
	if !ok || rawjson.KindOf(command) != rawjson.Object {
		return ""
	}
	resume, _ := rawjson.Get(command, "resume")
	return resume
}

// setCommand puts the answers to interrupts of the older dialect where its servers look for them: the payload of one,
// an array of the payloads of several. A cancelled one is answered with its entry's status.
func setCommand(forwardedProps string, open []agui.Interrupt, entries []agui.ResumeEntry) (string, error) {
	if rawjson.KindOf(forwardedProps) != rawjson.Object {
		return "", refuse("forwardedProps must be an object: the answer to on_interrupt travels in it")
	}
	var payloads []string
	for _, i := range open {
		for _, e := range entries {
			if e.InterruptID != i.ID {
				continue
			}
			payload, ok := rawjson.Get(e.Raw, "payload")
			switch {
			case e.Status == "cancelled":
				payload = `{"status":"cancelled"}`
			case !ok:
				payload = "null"
			}
			payloads = append(payloads, payload)
		}
	}
	resume := payloads[0]
	if len(payloads) > 1 {
		resume = "[" + strings.Join(payloads, ",") + "]"
	}
	command, ok := rawjson.Get(forwardedProps, "command")
	if !ok || rawjson.KindOf(command) != rawjson.Object {
		command = "{}"
	}
	return rawjson.Set(forwardedProps, "command", rawjson.Set(command, "resume", resume)), nil
}
