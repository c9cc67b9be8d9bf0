package threadapi

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"aguiwasm/agui"
	"aguiwasm/agui/rawjson"
	"aguiwasm/state"
	"aguiwasm/state/thread"
	"aguiwasm/wasm/batch"
)

// Registry holds the threads of a page. The zero value is not ready; see [New].
type Registry struct {
	threads map[int]*Entry
	last    int
	newID   func() string
	now     func() int64
	ledger  ledger
}

// Entry is one thread with what its mirror in the page needs.
type Entry struct {
	*thread.Thread
	// Paths belongs to the mirror.
	Paths batch.Paths
	// NewerTold says that the agent's newer version of the protocol was told.
	NewerTold bool
	// Began holds what the begin of the latest run changed in the conversation.
	Began state.Changes
}

// New makes a registry. newID makes ids for messages that have none; now gives the time in milliseconds since 1970.
func New(newID func() string, now func() int64) *Registry {
	return &Registry{threads: map[int]*Entry{}, newID: newID, now: now}
}

// Get gives a thread, or nil.
func (r *Registry) Get(handle int) *Entry { return r.threads[handle] }

// Len counts the threads.
func (r *Registry) Len() int { return len(r.threads) }

// Do answers one operation.
func (r *Registry) Do(op string, handle int, text string) string {
	answer, err := r.do(op, handle, text)
	if err != nil {
		return string(append(batch.FailureOf(err).AppendJSON([]byte(`{"error":`)), '}'))
	}
	return answer
}

func (r *Registry) do(op string, handle int, text string) (string, error) {
	var args args
	if kind, err := args.Parse(text, rawjson.MaxDepth); err != nil || kind != rawjson.Object {
		return "", refuse("what was given to the agent is nested too deep")
	}
	if op == "new" {
		return r.create(&args)
	}
	if op == "complete" {
		return complete(str(args.get("text"))), nil
	}
	e := r.threads[handle]
	if e == nil {
		return "", &agui.Error{Code: agui.CodeInternal, Message: "there is no thread " + strconv.Itoa(handle)}
	}
	switch op {
	case "set":
		return r.set(e, &args)
	case "patch":
		return e.patch(&args)
	case "answers":
		return r.answers(e, &args)
	case "prepare":
		return r.prepare(e, text)
	case "finish":
		return r.finish(e, &args)
	case "waiting", "follows", "wait", "pending", "dismiss":
		return r.people(e, op, &args)
	case "beside":
		return r.beside(e, text, &args)
	case "edit", "regenerate", "show", "forks", "versions", "redo":
		return r.versions(e, op, &args)
	case "branch":
		t, err := e.Branch(str(args.get("runId")))
		if err != nil {
			return "", err
		}
		return r.enter(t, ""), nil
	case "clone":
		return r.enter(e.Clone(), ""), nil
	case "forget":
		e.ForgetRuns(number(args.get("keepRuns")))
		return "{}", nil
	case "free":
		delete(r.threads, handle)
		return "{}", nil
	}
	return "", &agui.Error{Code: agui.CodeInternal, Message: "there is no operation " + op}
}

var everyRun = math.MaxInt

// enter takes a thread into the registry. list is what the page has of its messages, "" where it has the same.
func (r *Registry) enter(t *thread.Thread, list string) string {
	r.last++
	t.KeepRuns = &everyRun // the page says how many, in finish and forget
	e := &Entry{Thread: t}
	r.threads[r.last] = e
	return `{"handle":` + strconv.Itoa(r.last) + `,"ops":` + e.corrections(list) + `}`
}

// complete reads unfinished tool arguments as far as they go.
func complete(text string) string {
	value := state.Complete(text)
	if rawjson.KindOf(value) != rawjson.Object {
		value = "{}"
	}
	return `{"value":` + value + `}`
}

func (r *Registry) create(args *args) (string, error) {
	messages, err := r.messages(args.get("messages"))
	if err != nil {
		return "", err
	}
	interrupts, err := openInterrupts(args.get("interrupts"))
	if err != nil {
		return "", err
	}
	store := state.New(messages, args.get("state"))
	store.SetInterrupts(interrupts, nil)
	t := thread.New("", store)
	t.SetParent(str(args.get("parentRunId")))
	t.Reserve(texts(strings.Clone(args.get("runs")))) // of its own, so that the rest of the text can go
	return r.enter(t, args.get("messages")), nil
}

func (r *Registry) messages(text string) ([]agui.Message, error) {
	if text == "" {
		text = "[]"
	}
	return agui.ParseMessages(text, "messages", agui.InputOptions{NewID: r.newID})
}

// patch applies JSON Patch operations to the state.
func (e *Entry) patch(args *args) (string, error) {
	var ch state.Changes
	if err := e.Store().PatchState(args.get("patch"), &ch); err != nil {
		return "", refuse("patchState: " + err.Error())
	}
	return e.ops(&ch), nil
}

// ops writes changes as a batch does.
func (e *Entry) ops(ch *state.Changes) string {
	e.Paths.Forget() // the page keeps its own count of paths where it makes changes itself, so these are written out
	return string(append(batch.AppendOps([]byte(`{"ops":`), ch), '}'))
}

// Begin begins a run of a thread: input is what JavaScript says of it, without messages and state. It gives the input
// with the thread's own members, and the request's body. What closing calls changes in the conversation is in
// e.Began: nothing, where "prepare" has done so before.
func (r *Registry) Begin(e *Entry, input string) (*agui.Input, string, error) {
	e.Began.Reset()
	e.Paths.Forget()
	prepared, err := r.ready(e, input, &e.Began, e.Thread.Begin)
	if err != nil {
		return nil, "", err
	}
	in := prepared.Input
	for i, m := range e.Store().ThreadMessages() {
		if prepared.Send == nil || prepared.Send[i] {
			in.Messages = append(in.Messages, m)
		}
	}
	return in, string(in.AppendBody(nil, "", string(e.Store().AppendState(nil)))), nil
}

// Join begins to read what a server has of a thread, and what runs there. The body is that of a request for it: without
// messages.
func (r *Registry) Join(e *Entry, input string) (*agui.Input, string, error) {
	in, err := agui.ParseInput(input, agui.InputOptions{NewID: func() string { return "" }})
	if err != nil {
		return nil, "", err
	}
	e.Rename(in.ThreadID)
	if err := e.Thread.Join(in.RunID); err != nil {
		return nil, "", err
	}
	return in, string(in.AppendBody(nil, "", "{}")), nil
}

// Body makes the request's body of an input that middleware may have changed. A string in its messages, and an absent
// state, stand for the thread's own, so that every number goes back to the agent as it came.
func (r *Registry) Body(e *Entry, input string) (*agui.Input, string, error) {
	var args args
	if kind, err := args.Parse(input, rawjson.MaxDepth); err != nil || kind != rawjson.Object {
		return nil, "", refuse("the input is nested too deep")
	}
	messages, err := r.arrange(e.Store(), args.get("messages"), "", false)
	if err != nil {
		return nil, "", err
	}
	rest := rawjson.Edit(input, func(key rawjson.String, value string) (string,
		bool) {
		return value, key.Decode() != "messages"
	})
	in, err := agui.ParseInput(rest, agui.InputOptions{NewID: r.newID})
	if err != nil {
		return nil, "", err
	}
	in.Messages = messages
	state := ""
	if _, ok := args.Get("state"); !ok {
		state = string(e.Store().AppendState(nil))
	}
	return in, string(in.AppendBody(nil, "", state)), nil
}

// settings are the members of a run's parameters that are the agent's options and no part of the input.
var settings = []string{"history", "unanswered", "sameRunId", "said", "known", "asks", "handled"}

func (r *Registry) ready(e *Entry, text string, ch *state.Changes,
	f func(thread.Params) (thread.Prepared, error)) (thread.Prepared, error) {
	var args args
	if _, err := args.Parse(text, rawjson.MaxDepth); err != nil {
		return thread.Prepared{}, refuse("the run's parameters are nested too deep")
	}
	p := thread.Params{Now: r.now(), SameRunID: args.get("sameRunId") == "true", NewID: r.newID, Changes: ch,
		Said: args.get("said") == "true", Known: named(args.get("known")), Asks: named(args.get("asks"))}
	history, unanswered := str(args.get("history")), str(args.get("unanswered"))
	id := str(args.get("threadId"))
	text = rawjson.Edit(text, func(key rawjson.String, value string) (string, bool) {
		return value, !slices.Contains(settings, key.Decode())
	})
	in, err := agui.ParseInput(text, agui.InputOptions{NewID: r.newID})
	if err != nil {
		return thread.Prepared{}, err
	}
	e.Rename(id)
	e.History, e.CloseUnanswered = thread.History(history), unanswered == "close"
	p.Input = in
	return f(p)
}

// prepare says what a run would send, without beginning it.
func (r *Registry) prepare(e *Entry, text string) (string, error) {
	var ch state.Changes
	prepared, err := r.ready(e, text, &ch, e.Prepare)
	if err != nil {
		return "", err
	}
	in := prepared.Input
	dst := append([]byte(`{"threadId":`), rawjson.Quote(in.ThreadID)...)
	dst = append(append(dst, `,"runId":`...), rawjson.Quote(in.RunID)...)
	if ch.Len() > 0 {
		ops := e.ops(&ch)
		dst = append(append(dst, ','), ops[1:len(ops)-1]...)
	}
	if in.ParentRunID != "" {
		dst = append(append(dst, `,"parentRunId":`...), in.ParentRunID...)
	}
	dst = append(append(dst, `,"forwardedProps":`...), in.ForwardedProps...)
	if in.Resume != nil {
		dst = append(dst, `,"resume":[`...)
		for i, entry := range in.Resume {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(dst, entry.Raw...)
		}
		dst = append(dst, ']')
	}
	send, all := e.sends(prepared.Send)
	if all {
		return string(append(dst, `,"send":null}`...)), nil
	}
	dst = append(dst, `,"send":[`...)
	for i, send := range send {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = strconv.AppendBool(dst, send)
	}
	return string(append(dst, "]}"...)), nil
}

// sends says which messages a request holds: those that the thread says, but never an activity. all: each of them.
func (e *Entry) sends(said []bool) (send []bool, all bool) {
	store := e.Store()
	send, all = make([]bool, store.Len()), true
	for i := range send {
		send[i] = (said == nil || said[i]) && store.Message(i).Role() != agui.RoleActivity
		all = all && send[i]
	}
	return send, all
}

// args are an operation's arguments, found in the pass that checks them: a message may hold a large file.
type args struct{ rawjson.Index }

// get gives a member's raw value, or "".
func (a *args) get(name string) string {
	v, _ := a.Get(name)
	return v
}

func member(text, name string) string {
	v, _ := rawjson.Get(text, name)
	return v
}

// str gives a string's text; anything else is "".
func str(v string) string {
	if rawjson.KindOf(v) != rawjson.Str {
		return ""
	}
	return rawjson.String(v).Decode()
}

// number gives a whole number; anything else is 0.
func number(v string) int {
	n, err := strconv.Atoi(v)
	if err != nil {
		return 0
	}
	return n
}

func refuse(message string) error { return &agui.Error{Code: agui.CodeBadInput, Message: message} }
