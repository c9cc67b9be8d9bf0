package server

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"aguiwasm/agui"
)

// Agent answers one run. What it sends goes through run; its error is the run's RUN_ERROR: an [*agui.Error] says its
// code too. ctx has the values of the request's context, and is over when the client has gone (but see [Options].Store)
// or somebody stopped the run. A panic with [http.ErrAbortHandler] breaks the connection, as in every handler.
type Agent func(ctx context.Context, in *agui.Input, run *Run) error

// Options configure a [Handler]. The zero value is ready to use.
type Options struct {
	// Origins lists the origins whose pages may ask ("https://app.example", or "*" for every page, without cookies);
	// none means pages of the handler's own origin alone.
	Origins []string
	// MaxBody limits a request's body in bytes; 0 means 32 MiB.
	MaxBody int64
	// KeepAlive is the interval of comment lines while nothing else is said; 0 means 15 s, below 0 there are none.
	KeepAlive time.Duration
	// Accept looks at a run before it is answered, to refuse whom it does not serve or to wait; where it gives false it
	// has answered. nil accepts all.
	Accept func(w http.ResponseWriter, r *http.Request, in *agui.Input) bool
	// Store keeps runs, so that clients can come back to them; nil keeps none.
	Store *Store
	// Capabilities is what GET .../capabilities answers, as JSON; nil answers {}.
	Capabilities any
	// OnError is told of what failed: an agent's error or panic, with the run's input; nil is nobody.
	OnError func(in *agui.Input, err error)
}

// Handler answers runs with an agent. Under the path where it is mounted:
//
//	POST                    a run: a RunAgentInput (section 2) as JSON; 422 names the field at fault
//	GET  .../capabilities   Options.Capabilities
//
// and with a [Store]:
//
//	POST + Last-Event-ID    what came after that event of that run, then the rest as it comes
//	GET  ?runId=R&offset=ID the same; offset -1 (or none) is from the start
//	POST .../connect        every run kept of the input's thread, then the running one as it goes on
//	POST .../stop/{thread}  stops the thread's run, or the run that {"runId": ...} names
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
		h.rejoin(w, r, r.URL.Query().Get("runId"), r.URL.Query().Get("offset"))
	case r.Method != http.MethodPost:
		w.Header().Set("Allow", "POST, GET, OPTIONS")
		refuse(w, http.StatusMethodNotAllowed, "Send a run with POST.")
	case h.o.Store != nil && strings.HasSuffix(path, "/connect"):
		h.connect(w, r)
	case h.o.Store != nil && strings.Contains(path, "/stop/"):
		h.stop(w, r, path[strings.LastIndex(path, "/stop/")+len("/stop/"):])
	default:
		h.run(w, r)
	}
}

func (h *handler) cors(w http.ResponseWriter, r *http.Request) {
	origin := r.Header.Get("Origin")
	if origin == "" || len(h.o.Origins) == 0 {
		return
	}
	head := w.Header()
	head.Add("Vary", "Origin")
	switch {
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
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(value)
}

func refuse(w http.ResponseWriter, status int, message string) {
	answer(w, status, map[string]string{"error": message})
}

// body reads the body; where it gives nil, it has answered.
func (h *handler) body(w http.ResponseWriter, r *http.Request) []byte {
	if kind, _, _ := strings.Cut(r.Header.Get("Content-Type"), ";"); !strings.EqualFold(strings.TrimSpace(kind), "application/json") {
		refuse(w, http.StatusUnsupportedMediaType, "Send the run as application/json.")
		return nil
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, h.o.MaxBody))
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		refuse(w, http.StatusRequestEntityTooLarge, "The run is larger than the "+strconv.FormatInt(large.Limit, 10)+" bytes that this agent takes.")
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
		h.rejoin(w, r, in.RunID, cursor)
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
