package threadapi

import (
	"slices"
	"strconv"
	"strings"

	"aguiwasm/agui/rawjson"
	"aguiwasm/state"
	"aguiwasm/state/thread"
)

// finish ends a run, puts answers back that a snapshot lacks, and lists the tool calls to answer.
func (r *Registry) finish(e *Entry, args *args) (string, error) {
	answers, err := r.messages(args.get("answers"))
	if err != nil {
		return "", err
	}
	var ch state.Changes
	run, outcome := e.RunID(), e.Outcome(str(args.get("said")))
	var names []string
	calls, err := e.Finish(thread.Ending{Names: &names,
		Failed: args.get("failed") == "true", Refused: args.get("refused") == "true",
		Handled: none(named(args.get("handled"))),
		Round:   number(args.get("round")), Limit: number(args.get("limit")), Changes: &ch,
	})
	if kept := args.get("keepRuns"); kept != "" {
		e.ForgetRuns(number(kept))
	}
	if err != nil {
		return "", err
	}
	standing := e.Restate(answers, &ch)
	dst := rawjson.AppendQuote(append(r.appendCalls(nil, e, run, calls), `,"outcome":`...), outcome)
	if standing > 0 {
		dst = strconv.AppendInt(append(dst, `,"standing":`...), int64(standing), 10)
	}
	if ch.Len() > 0 {
		ops := e.ops(&ch)
		dst = append(append(dst, ','), ops[1:len(ops)-1]...)
	}
	for i, name := range names {
		dst = rawjson.AppendQuote(append(dst, [...]string{`,"names":[`, ","}[min(i, 1)]...), name)
	}
	if len(names) > 0 {
		dst = append(dst, ']')
	}
	dst = rawjson.AppendQuote(append(dst, `,"parentRunId":`...), e.Parent())
	return string(append(dst, '}')), nil
}

// people answers what is asked about calls and questions that wait for a person.
func (r *Registry) people(e *Entry, op string, args *args) (string, error) {
	switch op {
	case "waiting":
		dst := []byte(`{"ids":[`)
		for i, c := range e.Waiting() {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = rawjson.AppendQuote(dst, c.ID)
		}
		return string(append(dst, "]}"...)), nil
	case "follows":
		follows := e.Follows(thread.Answers{
			Handlers: args.get("handlers") == "true", Persons: texts(args.get("persons")),
			Known: named(args.get("known")),
		})
		return `{"follows":` + strconv.FormatBool(follows) + `}`, nil
	case "wait":
		ids := texts(args.get("ids"))
		e.Wait(ids)
		r.ledger.forget(e.ID, ids)
		return "{}", nil
	case "pending":
		e.Rename(str(args.get("threadId"))) // there may have been no run yet
		calls := e.Pending(none(named(args.get("handled"))), str(args.get("id")))
		return string(append(r.appendCalls(nil, e, "", calls), '}')), nil
	}
	var ch state.Changes
	if err := e.Dismiss(str(args.get("id")), r.newID, &ch); err != nil {
		return "", err
	}
	return e.ops(&ch), nil
}

// beside lists the calls whose handlers run before a request that answers interrupts.
func (r *Registry) beside(e *Entry, text string, args *args) (string, error) {
	var calls []thread.Call
	_, err := r.ready(e, text, nil, func(p thread.Params) (thread.Prepared, error) {
		calls = e.Beside(p, none(named(args.get("handled"))))
		return thread.Prepared{}, nil
	})
	if err != nil {
		return "", err
	}
	return string(append(r.appendCalls(nil, e, "", calls), '}')), nil
}

// versions answers what is asked about second thoughts, and does them.
func (r *Registry) versions(e *Entry, op string, args *args) (string, error) {
	var ch state.Changes
	var err error
	if op == "redo" {
		if err := r.standAt(e, args); err != nil {
			return "", err
		}
		op = str(args.get("op"))
	}
	switch op {
	case "edit":
		err = e.Edit(str(args.get("id")), &ch)
	case "regenerate":
		err = e.Regenerate(str(args.get("id")), &ch)
	case "show":
		err = e.Show(str(args.get("before")), number(args.get("version")), &ch)
	case "forks":
		dst := []byte(`{"forks":[`)
		for i, f := range e.Forks() {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = rawjson.AppendQuote(append(dst, `{"before":`...), f.Before)
			dst = strconv.AppendInt(append(dst, `,"shown":`...), int64(f.Shown), 10)
			dst = append(strconv.AppendInt(append(dst, `,"count":`...), int64(f.Count), 10), '}')
		}
		return string(append(dst, "]}"...)), nil
	case "versions":
		f := e.VersionsOf(str(args.get("id")))
		dst := rawjson.AppendQuote([]byte(`{"before":`), f.Before)
		dst = append(strconv.AppendInt(append(dst, `,"shown":`...), int64(f.Shown), 10), `,"versions":[`...)
		for n := range f.Count {
			if n > 0 {
				dst = append(dst, ',')
			}
			dst = append(dst, '[')
			if n != f.Shown { // the page has that one
				for i, m := range e.Version(f.Before, n) {
					if i > 0 {
						dst = append(dst, ',')
					}
					dst = m.AppendJSON(dst)
				}
			}
			dst = append(dst, ']')
		}
		return string(append(dst, "]}"...)), nil
	}
	if err != nil {
		return "", err
	}
	dst := []byte(e.ops(&ch))
	dst = rawjson.AppendQuote(append(dst[:len(dst)-1], `,"parentRunId":`...), e.Parent())
	return string(append(dst, '}')), nil
}

// standAt puts a thread that was made anew where the page's side stood when its versions changed, with what goes on
// from there.
func (r *Registry) standAt(e *Entry, args *args) error {
	messages, err := r.messages(args.get("messages"))
	if err != nil {
		return err
	}
	interrupts, err := openInterrupts(args.get("interrupts"))
	if err != nil {
		return err
	}
	e.Store().SetMessages(messages, nil)
	e.Store().SetState(strings.Clone(args.get("state")), nil)
	e.Store().SetInterrupts(interrupts, nil)
	e.Rename(str(args.get("threadId")))
	e.SetParent(str(args.get("parentRunId")))
	return nil
}

// appendCalls appends the calls that the page answers, up to the end of their list: each once on a page, for the run
// that asked for it, whatever agents of one thread hear of it.
func (r *Registry) appendCalls(dst []byte, e *Entry, run string, calls []thread.Call) []byte {
	dst = append(dst, `{"calls":[`...)
	first := true
	for _, c := range calls {
		if !r.ledger.enter(e.ID, run, c.ID) {
			e.Wait([]string{c.ID}) // its handler belongs to another agent of the page
			continue
		}
		if !first {
			dst = append(dst, ',')
		}
		first = false
		dst = append(dst, '{')
		for _, m := range [...][2]string{
			{"id", c.ID}, {"name", c.Name}, {"arguments", c.Arguments}, {"message", c.Message}, {"error", c.Error},
			{"interrupt", c.Interrupt},
		} {
			if m[1] == "" && m[0] != "id" && m[0] != "name" {
				continue
			}
			if dst[len(dst)-1] != '{' {
				dst = append(dst, ',')
			}
			dst = rawjson.AppendQuote(dst, m[0])
			dst = append(dst, ':')
			dst = rawjson.AppendQuote(dst, m[1])
		}
		dst = append(dst, '}')
	}
	return append(dst, ']')
}

// ledger remembers which calls of which threads were given to handlers, and for which run, so that each runs once.
type ledger struct {
	runs  map[string][]string // by thread and call
	order []string
}

// maxLedger is how many calls are remembered.
const maxLedger = 10000

// enter notes a call. It gives false where a handler has it already: for that run or, where run is "", for any.
func (l *ledger) enter(threadID, run, call string) bool {
	key := threadID + "\x00" + call
	had, known := l.runs[key]
	if known && (run == "" || slices.Contains(had, run)) {
		return false
	}
	if l.runs == nil {
		l.runs = map[string][]string{}
	}
	if !known {
		if len(l.order) == maxLedger {
			delete(l.runs, l.order[0])
			l.order = l.order[1:]
		}
		l.order = append(l.order, key)
	}
	l.runs[key] = append(had, run)
	return true
}

// forget says that no handler has run for calls after all: they wait for a person first.
func (l *ledger) forget(threadID string, calls []string) {
	for _, call := range calls {
		key := threadID + "\x00" + call
		if _, ok := l.runs[key]; ok {
			delete(l.runs, key)
			l.order = slices.DeleteFunc(l.order, func(k string) bool { return k == key })
		}
	}
}

// texts gives the strings of an array.
func texts(list string) (out []string) {
	for _, v := range rawjson.Elements(list) {
		out = append(out, str(v))
	}
	return out
}

// named tells whether a name is in an array of strings; nil where there is no array.
func named(list string) func(string) bool {
	if list == "" {
		return nil
	}
	names := texts(list)
	return func(name string) bool { return slices.Contains(names, name) }
}

func none(f func(string) bool) func(string) bool {
	if f == nil {
		return func(string) bool { return false }
	}
	return f
}
