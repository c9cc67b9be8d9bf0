//go:build js && wasm

package main

import (
	"slices"
	"strings"
	"syscall/js"

	"aguiwasm/agui"
	"aguiwasm/agui/sse"
	"aguiwasm/state"
	"aguiwasm/state/rejoin"
	"aguiwasm/wasm/batch"
	"aguiwasm/wasm/session"
)

// webRun is a live run. JavaScript names it by an integer of its own choice, makes its requests and ends them.
type webRun struct {
	id      int32
	session *session.Session
	url     string
	answer  session.Response // the response, once it has come
	legs    *webLegs         // the run's connections, where it may have several
}

var runs = map[int32]*webRun{}

// start begins a run: start(run, text); [session.ReadStart] says what the text is. It gives the request to make
// ([session.Request.Append] and the body), null where the events come from the page, or a failure as JSON text when
// nothing was begun.
func start(args []js.Value) any {
	id, s := int32(args[0].Int()), session.ReadStart(args[1].String())
	r := &webRun{id: id, url: s.URL}
	q := session.Request{Method: "POST", URL: s.URL, Headers: s.Headers}
	var request []byte
	if s.Fetch {
		request = q.Append(nil)
	}
	line := len(request)
	request, cfg, err := prepare(r, &s, request)
	if err != nil {
		return string(batch.FailureOf(err).AppendJSON(nil))
	}
	cfg.Mode, cfg.Strict, cfg.DropRaw, cfg.MaxEventBytes = s.Mode, s.Strict, s.DropRaw, s.MaxEventBytes
	cfg.NewID = newID
	cfg.Deliver = handOver(id)
	r.session = session.New(cfg)
	runs[id] = r
	if !s.Fetch {
		return nil
	}
	if d := dialectOf(id, &s); d != nil {
		r.legs = newLegs(r, d, cfg, &s, string(request[line:]))
		first := r.legs.first()
		if first.URL == "" {
			delete(runs, id)
			r.session.Stop()
			return string((&batch.Failure{Code: rejoin.CodeNotResumable,
				Message: "This server cannot be asked for a thread."}).AppendJSON(nil))
		}
		request = r.ask(&q, first)
	}
	if f := q.Fault(); f != nil {
		delete(runs, id)
		r.session.Stop()
		return string(f.AppendJSON(nil))
	}
	return string(request)
}

// prepare appends the request's body and gives the session's store. Messages are checked before a byte is sent.
func prepare(r *webRun, s *session.Start, dst []byte) (request []byte, cfg session.Config, err error) {
	cfg.Mode = s.Mode
	if s.Thread != 0 {
		body, err := prepareThread(s.Thread, s.Input, s.Join, &cfg)
		return append(dst, body...), cfg, err
	}
	var warnings []agui.Warning
	in, err := agui.ParseInput(s.Input, agui.InputOptions{
		NewID: newID, Warn: func(w agui.Warning) { warnings = append(warnings, w) },
	})
	if err != nil {
		return nil, cfg, err
	}
	cfg.ThreadID, cfg.RunID = in.ThreadID, in.RunID
	store := state.New(in.Messages, in.State)
	if cfg.Mode != session.Raw {
		cfg.Store = store
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
	return in.AppendBody(dst, string(store.AppendMessagesForAgent(nil)), in.State), cfg, nil
}

// ask puts a request of a line together: what q says of every request, and what the dialect says of this one.
func (r *webRun) ask(q *session.Request, of rejoin.Request) []byte {
	q.Method, q.URL, q.Later = of.Method, of.URL, r.legs.Later()
	q.With(of.Headers)
	return append(q.Append(nil), of.Body...)
}

// keepRaw says that somebody listens to a run's events now, who gets RAW and rawEvent of those to come: keepRaw(run).
func keepRaw(args []js.Value) any {
	if r := runs[int32(args[0].Int())]; r != nil {
		r.session.KeepRaw()
	}
	return nil
}

// response judges a response: response(run, status, url, contentType, retryAfter). It gives what becomes of the body:
// 0, it is read (push, end); n, so many bytes of it are read as text (body); null, nothing, the run is over.
func response(args []js.Value) any {
	r := runs[int32(args[0].Int())]
	if r == nil {
		return nil
	}
	answer := session.Response{Status: int(number(args[1])), URL: text(args[2]), ContentType: text(args[3])}
	if answer.URL == "" {
		answer.URL = r.url
	}
	answer.RetryAfter, answer.HasRetryAfter = retryAfter(text(args[4]))
	r.answer = answer
	if r.legs == nil || !r.legs.Later() {
		r.url = answer.URL
	}
	if r.legs != nil && !r.legs.Later() {
		r.legs.Answered(answer.URL)
	}
	kind := sse.Judge(answer.Status, answer.ContentType)
	switch kind {
	case sse.Stream, sse.Protobuf:
		if kind == sse.Protobuf && r.legs != nil {
			r.legs.read = r.legs.Messages()
		} else if kind == sse.Protobuf {
			r.session.Protobuf()
		}
		if r.legs != nil && r.legs.Later() {
			onRun(r.id, func(*webRun) session.Flags {
				r.legs.PickUp()
				return r.legs.after(rejoin.Go)
			})
		}
	case sse.Look:
		if r.legs == nil {
			r.session.Look()
		} else {
			r.legs.looking = !r.legs.Later()
		}
	case sse.Empty:
		r.refuse("")
		return nil
	default:
		if r.legs == nil || !r.legs.Loads() || !sse.IsJSON(answer.ContentType) || answer.Status >= 300 {
			return session.MaxErrorBody
		}
	}
	return 0
}

// body takes the start of the body of a response that is no event stream: body(run, text) gives flags.
func body(args []js.Value) any {
	if r := runs[int32(args[0].Int())]; r != nil {
		return int(r.refuse(text(args[1])))
	}
	return nil
}

// refuse deals with a response that carries no event stream. body is the start of its body.
func (r *webRun) refuse(body string) session.Flags {
	if r.legs != nil && r.legs.Later() {
		return r.legs.refused(r.answer, body)
	}
	if r.legs != nil {
		r.legs.idle()
	}
	return r.fail(session.Refuse(r.answer, body))
}

// failed ends a run, or a connection of it, whose request or body failed: failed(run, message) gives flags.
func failed(args []js.Value) any {
	r := runs[int32(args[0].Int())]
	if r == nil {
		return nil
	}
	if r.legs != nil && r.legs.answered() {
		return int(onRun(r.id, func(*webRun) session.Flags { return r.legs.over("network") }))
	}
	if r.legs != nil {
		r.legs.idle()
	}
	return int(r.fail(&batch.Failure{Code: agui.CodeNetwork, Message: text(args[1]), URL: r.url}))
}

// fail ends a live run with a failure.
func (r *webRun) fail(f *batch.Failure) session.Flags {
	return onRun(r.id, func(*webRun) session.Flags { return r.session.Fail(f) })
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
