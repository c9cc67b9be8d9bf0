//go:build js && wasm

package main

import (
	"slices"
	"strconv"
	"strings"
	"syscall/js"

	"aguiwasm/agui"
	"aguiwasm/agui/sse"
	"aguiwasm/state"
	"aguiwasm/state/rejoin"
	"aguiwasm/wasm/batch"
	"aguiwasm/wasm/session"
)

// webRun is a live run. JavaScript names it by an integer of its own choice.
type webRun struct {
	id         int32
	session    *session.Session
	controller js.Value // the request's AbortController, or undefined
	url        string
	answer     session.Response // the response, once it has come
	legs       *webLegs         // the run's connections, where it may have several
}

var runs = map[int32]*webRun{}

// start begins a run: start(run, options). It gives null, or a failure as JSON text when nothing was begun.
func start(args []js.Value) any {
	id, options := int32(args[0].Int()), args[1]
	r := &webRun{id: id, url: text(options.Get("url"))}
	in, cfg, err := prepare(r, options)
	if err != nil {
		return string(batch.FailureOf(err).AppendJSON(nil))
	}
	if limit := number(options.Get("maxEventBytes")); limit > 0 {
		cfg.MaxEventBytes = int(max(limit, 1)) // 0 would be the default
	}
	cfg.Strict = text(options.Get("verify")) == "strict"
	cfg.DropRaw = options.Get("keepRaw").Type() == js.TypeBoolean && !options.Get("keepRaw").Bool()
	cfg.NewID = newID
	cfg.Deliver = handOver(id)
	r.session = session.New(cfg)
	runs[id] = r
	if text(options.Get("source")) == "fetch" {
		q := rejoin.Request{Method: "POST", URL: r.url, Body: in}
		if d := dialectOf(options.Get("reconnect")); d != nil {
			r.legs = newLegs(r, d, cfg, options, in)
			q = r.legs.first()
		}
		if f := r.fetch(options, q); f != nil {
			delete(runs, id)
			r.session.Stop()
			return string(f.AppendJSON(nil))
		}
	}
	return nil
}

// prepare gives the request's body and the session's store. Messages are checked before a byte is sent.
func prepare(r *webRun, options js.Value) (body string, cfg session.Config, err error) {
	switch text(options.Get("mode")) {
	case "raw":
		cfg.Mode = session.Raw
	case "stepped":
		cfg.Mode = session.Stepped
	}
	if handle := int(number(options.Get("thread"))); handle != 0 {
		body, err = prepareThread(handle, text(options.Get("input")), &cfg)
		return body, cfg, err
	}
	var warnings []agui.Warning
	in, err := agui.ParseInput(text(options.Get("input")), agui.InputOptions{
		NewID: newID, Warn: func(w agui.Warning) { warnings = append(warnings, w) },
	})
	if err != nil {
		return "", cfg, err
	}
	cfg.ThreadID, cfg.RunID = in.ThreadID, in.RunID
	if cfg.Mode != session.Raw {
		cfg.Store = state.New(in.Messages, in.State)
	}
	store := cfg.Store
	if store == nil {
		store = state.New(in.Messages, in.State)
	}
	b := batch.New(new(batch.Paths))
	if cfg.Store != nil && slices.ContainsFunc(in.Messages, func(m agui.Message) bool { return !m.AsCame }) {
		// The page's mirror began with the messages as they were given; here they stand as they are sent.
		b.Whole("messages", string(store.AppendMessages(nil)))
	}
	for _, w := range warnings {
		b.Warning(w)
	}
	if prelude := b.Take(); len(prelude) > 0 {
		handOver(r.id)(prelude)
	}
	return string(in.AppendBody(nil, string(store.AppendMessagesForAgent(nil)), in.State)), cfg, nil
}

// fetch starts a request. It gives a failure where the request could not even be described.
func (r *webRun) fetch(options js.Value, q rejoin.Request) (failure *batch.Failure) {
	defer func() {
		if p := recover(); p != nil {
			failure = &batch.Failure{Code: agui.CodeBadInput, Message: "the request could not be made", URL: r.url}
			if e, ok := p.(js.Error); ok {
				failure.Message += ": " + e.Error()
			}
		}
	}()
	object := js.Global().Get("Object")
	init := object.New()
	if more := options.Get("requestInit"); more.Truthy() {
		object.Call("assign", init, more)
	}
	init.Set("method", q.Method)
	if q.Method != "GET" {
		init.Set("body", q.Body)
		// What an engine cannot make a text of is "" for it: a request without its conversation must not look like a success.
		if q.Body != "" && object.Call("is", init.Get("body"), "").Bool() {
			return &batch.Failure{Code: agui.CodeBadInput, Message: "the request could not be made: its " + strconv.Itoa(len(q.Body)) + " bytes are more than the browser takes as one text", URL: r.url}
		}
	}
	all, fault := headers(object, options.Get("headers"))
	if fault != "" {
		return &batch.Failure{Code: agui.CodeBadInput, Message: "the request could not be made: " + fault, URL: r.url}
	}
	for _, h := range q.Headers {
		if fault := session.HeaderFault(h[0], h[1]); fault != "" {
			return &batch.Failure{Code: agui.CodeBadInput, Message: "the request could not be made: " + fault, URL: r.url}
		}
		all.Set(h[0], h[1])
	}
	if q.Method == "GET" {
		all.Delete("Content-Type")
	}
	init.Set("headers", all)
	if r.legs != nil && r.legs.Later() {
		r.legs.mark(init)
	}
	if credentials := options.Get("credentials"); credentials.Truthy() {
		init.Set("credentials", credentials)
	}
	r.controller = js.Global().Get("AbortController").New()
	init.Set("signal", r.controller.Get("signal"))
	host.Call("fetch", r.id, options.Get("fetch"), q.URL, init)
	return nil
}

// headers makes an object of the request's headers (web/js/core/headers.js says which), or says what is wrong with one.
func headers(object, pairs js.Value) (all js.Value, fault string) {
	h := object.New()
	if pairs.Truthy() {
		for i := range pairs.Length() {
			name, value := text(pairs.Index(i).Index(0)), pairs.Index(i).Index(1)
			if fault := session.HeaderFault(name, text(value)); fault != "" {
				return h, fault
			}
			h.Set(name, value)
		}
	}
	return h, ""
}

// keepRaw says that somebody listens to a run's events now, who gets RAW and rawEvent of those to come: keepRaw(run).
func keepRaw(args []js.Value) any {
	if r := runs[int32(args[0].Int())]; r != nil {
		r.session.KeepRaw()
	}
	return nil
}

// response judges a response: response(run, head). Head holds what is read of it; JavaScript keeps the response itself.
func response(args []js.Value) any {
	r := runs[int32(args[0].Int())]
	if r == nil {
		return nil
	}
	head := args[1]
	answer := session.Response{Status: int(number(head.Get("status"))), URL: text(head.Get("url")), ContentType: text(head.Get("type"))}
	if answer.URL == "" {
		answer.URL = r.url
	}
	answer.RetryAfter, answer.HasRetryAfter = retryAfter(text(head.Get("retryAfter")))
	r.answer = answer
	if r.legs == nil || !r.legs.Later() {
		r.url = answer.URL
	}
	if r.legs != nil && !r.legs.Later() {
		r.legs.Answered(answer.URL)
	}
	switch sse.Judge(answer.Status, answer.ContentType) {
	case sse.Stream:
		host.Call("read", r.id)
	case sse.Look:
		if r.legs == nil {
			r.session.Look()
		} else {
			r.legs.looking = !r.legs.Later()
		}
		host.Call("read", r.id)
	case sse.Protobuf:
		r.legs = nil // it has no cursors
		r.session.Protobuf()
		host.Call("read", r.id)
	case sse.Empty:
		r.refuse("")
	default:
		if r.legs != nil && r.legs.Loads() && sse.IsJSON(answer.ContentType) && answer.Status < 300 {
			host.Call("read", r.id)
			return nil
		}
		host.Call("text", r.id, session.MaxErrorBody)
	}
	return nil
}

// body takes the start of the body of a response that is no event stream: body(run, text).
func body(args []js.Value) any {
	if r := runs[int32(args[0].Int())]; r != nil {
		r.refuse(text(args[1]))
	}
	return nil
}

// refuse deals with a response that carries no event stream. body is the start of its body.
func (r *webRun) refuse(body string) {
	if r.legs == nil || !r.legs.refused(r.answer, body) {
		r.fail(session.Refuse(r.answer, body))
	}
}

// failed ends a run whose request or body failed: failed(run, message, code).
func failed(args []js.Value) any {
	if r := runs[int32(args[0].Int())]; r != nil {
		if r.legs != nil && r.legs.broke("network") {
			return nil
		}
		code := agui.CodeNetwork
		if len(args) > 2 && args[2].Type() == js.TypeString {
			code = agui.Code(args[2].String())
		}
		r.fail(&batch.Failure{Code: code, Message: text(args[1]), URL: r.url})
	}
	return nil
}

// fail ends a live run with a failure.
func (r *webRun) fail(f *batch.Failure) {
	onRun(r.id, func(*webRun) session.Flags { return r.session.Fail(f) })
}

func (r *webRun) push(chunk []byte) session.Flags {
	if r.legs != nil {
		return r.legs.push(chunk)
	}
	return r.session.Push(chunk)
}

func (r *webRun) end() session.Flags {
	if r.legs != nil {
		return r.legs.end()
	}
	return r.session.End()
}

func (r *webRun) step(apply bool) session.Flags {
	if r.legs != nil {
		return r.legs.step(apply)
	}
	return r.session.Step(apply)
}

// abort cancels the request, whatever is left of it.
func (r *webRun) abort() {
	if r.controller.Truthy() {
		r.controller.Call("abort")
	}
}

// retryAfter reads a Retry-After header: seconds, or an HTTP date (RFC 9110, section 10.2.3).
func retryAfter(header string) (seconds float64, ok bool) {
	header = strings.TrimSpace(header)
	if header == "" {
		return 0, false
	}
	digits := true
	for _, c := range header {
		digits = digits && c >= '0' && c <= '9'
	}
	if digits && len(header) < 16 {
		for _, c := range header {
			seconds = seconds*10 + float64(c-'0')
		}
		return seconds, true
	}
	date := js.Global().Get("Date")
	at := date.Call("parse", header).Float()
	if at != at {
		return 0, false
	}
	return max(0, float64(int64((at-date.Call("now").Float())/1000+0.5))), true
}

// text gives a JavaScript string; anything else is "". Half a surrogate pair is lost here: texts that may hold one come
// as JSON text, in which it is escaped.
func text(v js.Value) string {
	if v.Type() != js.TypeString {
		return ""
	}
	return v.String()
}

// number gives a JavaScript number; anything else, NaN included, is 0.
func number(v js.Value) float64 {
	if v.Type() != js.TypeNumber {
		return 0
	}
	if n := v.Float(); n == n {
		return n
	}
	return 0
}
