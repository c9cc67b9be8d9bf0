package server

import (
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"aguiwasm/agui"
)

// Agent answers one run. What it sends goes through run. Its error ends the run with a RUN_ERROR whose message the
// client reads: the text of the error as it is, or what its method ForClients() string says instead, where an error in
// the chain has one. Of an [*agui.Error] the message and the code go out; RunErrorCode() string of an error says
// another code. A panic is the message "The agent failed." and the code "panic"; with [http.ErrAbortHandler] it breaks
// the connection, as in every handler.
//
// ctx has the values of the request's context. It is over when the client has gone (but see [Options].Store) or
// somebody stopped the run.
type Agent func(ctx context.Context, in *agui.Input, run *Run) error

// Options configure a [Handler]. The zero value is ready to use.
type Options struct {
	// Origins lists the origins whose pages may ask (CORS): "https://app.example", which gets cookies too, or "*" for
	// every page, without cookies. None means pages of the handler's own origin alone.
	Origins []string
	// MaxBody limits a request's body in bytes; 0 means 32 MiB.
	MaxBody int64
	// KeepAlive is the interval of comment lines while nothing else is said; 0 means 15 s, below 0 there are none.
	KeepAlive time.Duration
	// Accept looks at a run before it is answered, to refuse whom it does not serve or to wait; where it gives false it
	// has answered. nil accepts all.
	Accept func(w http.ResponseWriter, r *http.Request, in *agui.Input) bool
	// AcceptReturn is Accept for who comes back to a kept thread of that id: reads its runs, or stops one. Where it
	// gives false it has answered. nil lets everybody back who knows the ids.
	AcceptReturn func(w http.ResponseWriter, r *http.Request, threadID string) bool
	// Store keeps runs, so that clients can come back to them; nil keeps none.
	Store *Store
	// Capabilities is what GET .../capabilities answers, a value for JSON; nil answers {}.
	Capabilities any
	// OnError is told of what failed: an agent's error or panic, with the run's input; nil is nobody.
	OnError func(in *agui.Input, err error)
}

// Handler answers runs with an agent. Under the path where it is mounted:
//
//	POST                    a run: a RunAgentInput (section 2) as JSON
//	GET  .../capabilities   Options.Capabilities
//	OPTIONS                 a page's preflight, by Options.Origins
//
// and with a [Store]:
//
//	POST + Last-Event-ID            what came after that event of that run, then the rest as it comes
//	GET  ?runId=R&offset=ID         the same; offset -1 (or none) is from the start
//	GET  ?threadId=T                the thread: {messages, activeRun: {runId}, interrupts: {runId, pending}, state}
//	POST .../connect                {threadId}: every run kept of the thread, then the running one as it goes on
//	POST .../reattach               {thread_id, run_id?}: the run's messages and state as snapshots, then the rest
//	POST .../stop/{thread}          stops the thread's run, or the run that {"runId": ...} names
//	POST .../runs/{run}/cancel      stops that run; both answer {"stopped": true or false}
//
// Every POST with a body has the type application/json. A run is answered with status 200 and an event stream; whatever
// fails then is its RUN_ERROR. A request that is refused gets {"error": "a sentence"} and the status
//
//	404  there is no such run, or not any more
//	405  the method is none of these
//	409  the thread has a run under way, or a run of this id has begun before (with a Store)
//	413  the body is larger than Options.MaxBody
//	415  the body is not application/json
//	422  the input is malformed, and the sentence names the field; or the cursor is none of that run's
//
// or what Options.Accept and AcceptReturn answer.
func Handler(agent Agent, o Options) http.Handler {
	if o.MaxBody == 0 {
		o.MaxBody = 32 << 20
	}
	if o.KeepAlive == 0 {
		o.KeepAlive = 15 * time.Second
	}
	return &handler{agent, o}
}

type handler struct {
	agent Agent
	o     Options
}

// ServeHTTP implements http.Handler.
func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h.cors(w, r)
	path := strings.TrimSuffix(r.URL.Path, "/")
	switch {
	case r.Method == http.MethodOptions:
		w.WriteHeader(http.StatusNoContent)
	case r.Method == http.MethodGet && strings.HasSuffix(path, "/capabilities"):
		capabilities := h.o.Capabilities
		if capabilities == nil {
			capabilities = struct{}{}
		}
		answer(w, http.StatusOK, capabilities)
	case r.Method == http.MethodGet && h.o.Store != nil && r.URL.Query().Has("runId"):
		h.rejoin(w, r, h.o.Store.find(r.URL.Query().Get("runId")), r.URL.Query().Get("offset"), "")
	case r.Method == http.MethodGet && h.o.Store != nil && r.URL.Query().Has("threadId"):
		h.load(w, r, r.URL.Query().Get("threadId"))
	case r.Method != http.MethodPost:
		w.Header().Set("Allow", "POST, GET, OPTIONS")
		refuse(w, http.StatusMethodNotAllowed, "Send a run with POST.")
	case h.o.Store != nil && strings.HasSuffix(path, "/connect"):
		h.connect(w, r)
	case h.o.Store != nil && strings.HasSuffix(path, "/reattach"):
		h.reattach(w, r)
	case h.o.Store != nil && strings.HasSuffix(path, "/cancel") && strings.Contains(path, "/runs/"):
		runID := strings.TrimSuffix(path[strings.LastIndex(path, "/runs/")+len("/runs/"):], "/cancel")
		h.cancel(w, r, runID)
	case h.o.Store != nil && strings.Contains(path, "/stop/"):
		h.stop(w, r, path[strings.LastIndex(path, "/stop/")+len("/stop/"):])
	default:
		h.run(w, r)
	}
}

func (h *handler) cors(w http.ResponseWriter, r *http.Request) {
	if len(h.o.Origins) == 0 {
		return
	}
	head := w.Header()
	head.Add("Vary", "Origin") // also without one: what a cache keeps of it is not for a page of another origin
	origin := r.Header.Get("Origin")
	switch {
	case origin == "":
		return
	case slices.Contains(h.o.Origins, origin):
		head.Set("Access-Control-Allow-Origin", origin)
		head.Set("Access-Control-Allow-Credentials", "true")
	case slices.Contains(h.o.Origins, "*"):
		head.Set("Access-Control-Allow-Origin", "*")
	default:
		return
	}
	head.Set("Access-Control-Expose-Headers", "Retry-After")
	if r.Method == http.MethodOptions {
		head.Set("Access-Control-Allow-Methods", "POST, GET, OPTIONS")
		head.Set("Access-Control-Max-Age", "600")
		allowed := "content-type, accept, last-event-id"
		if asked := r.Header.Get("Access-Control-Request-Headers"); asked != "" {
			allowed += ", " + asked
		}
		head.Set("Access-Control-Allow-Headers", allowed)
	}
}

func answer(w http.ResponseWriter, status int, value any) {
	text, err := encode(value)
	if err != nil { // the program's own value, such as Options.Capabilities
		status, text = http.StatusInternalServerError, `{"error":"The answer cannot be written as JSON."}`
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, text+"\n")
}

func refuse(w http.ResponseWriter, status int, message string) {
	answer(w, status, map[string]string{"error": message})
}

// body reads the body; where it gives nil, it has answered.
func (h *handler) body(w http.ResponseWriter, r *http.Request) []byte {
	if kind, _, _ := strings.Cut(r.Header.Get("Content-Type"), ";"); !strings.EqualFold(strings.TrimSpace(kind),
		"application/json") {
		refuse(w, http.StatusUnsupportedMediaType, "Send the request as application/json.")
		return nil
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, h.o.MaxBody))
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		refuse(w, http.StatusRequestEntityTooLarge, "The run is larger than the "+strconv.FormatInt(large.Limit, 10)+
			" bytes that this agent takes.")
		return nil
	case err != nil:
		return nil // the client has gone
	}
	return body
}

// input reads and checks the body; where it gives nil, it has answered.
func (h *handler) input(w http.ResponseWriter, r *http.Request) *agui.Input {
	body := h.body(w, r)
	if body == nil {
		return nil
	}
	in, err := agui.DecodeInput(string(body))
	if err != nil {
		var fault *agui.Error
		message := err.Error()
		if errors.As(err, &fault) {
			message = fault.Message
		}
		refuse(w, http.StatusUnprocessableEntity, message)
		return nil
	}
	return in
}

func (h *handler) run(w http.ResponseWriter, r *http.Request) {
	in := h.input(w, r)
	if in == nil || h.o.Accept != nil && !h.o.Accept(w, r, in) {
		return
	}
	if h.o.Store == nil {
		out := agui.NewWriter(w)
		defer h.keepAlive(out)()
		if !h.tell(r.Context(), in, out.Write) {
			panic(http.ErrAbortHandler)
		}
		_ = out.Close()
		return
	}
	if cursor := r.Header.Get("Last-Event-ID"); cursor != "" {
		h.rejoin(w, r, h.o.Store.find(in.RunID), cursor, in.ThreadID)
		return
	}
	log, err := h.o.Store.begin(r.Context(), in)
	if err != nil {
		refuse(w, http.StatusConflict, err.Error())
		return
	}
	go func() {
		defer log.end()
		if e, err := agui.NewRunError("The run was broken off."); err == nil && !h.tell(log.ctx, in, log.add) {
			_ = log.add(e) // who comes back to it is to know
		}
	}()
	h.follow(w, r, log, 0)
}

// tell lets the agent speak, and ends the run for it. It reports false where the connection is to break instead.
func (h *handler) tell(ctx context.Context, in *agui.Input, send func(agui.Event) error) bool {
	run := newRun(ctx, in, send)
	err := run.begin()
	if err == nil {
		err = h.call(ctx, in, run)
	}
	if err == errAborted {
		return false
	}
	if err == nil {
		err = run.refused()
	}
	if err != nil && h.o.OnError != nil && ctx.Err() == nil {
		h.o.OnError(in, err)
	}
	_ = run.end(err)
	return true
}

var errAborted = errors.New("aborted")

// call runs the agent; a panic is an error.
func (h *handler) call(ctx context.Context, in *agui.Input, run *Run) (err error) {
	defer func() {
		switch p := recover(); p {
		case nil:
		case http.ErrAbortHandler:
			err = errAborted
		default:
			err = panicError{p}
		}
	}()
	return h.agent(ctx, in, run)
}

func (h *handler) keepAlive(out *agui.Writer) (stop func()) {
	if h.o.KeepAlive < 0 {
		return func() {}
	}
	return out.KeepAlive(h.o.KeepAlive)
}
