package demo

import (
	"bytes"
	"context"
	"encoding/json"
	"hash/fnv"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"aguiwasm/agui"
	"aguiwasm/agui/rawjson"
	"aguiwasm/agui/server"
)

// Options configure the agent. The zero value is ready to use.
type Options struct {
	// Speed multiplies the pace; 0 means 1. A negative one never waits.
	Speed float64
	// MaxBody limits a request's body in bytes; 0 means 32 MiB.
	MaxBody int64
}

// dialects are the values of ?dialect=: the ways in which clients come back to runs and threads.
var dialects = []string{"sse-id", "tanstack", "agno", "copilotkit", "hydrate"}

// maxKept bounds the runs that are kept for clients that come back.
const maxKept = 200

// Handler is the agent.
type Handler struct {
	speed       float64
	maxBody     int64
	threads     threads
	hydrated    hydrator
	plain, kept http.Handler
}

// New makes an agent.
func New(options Options) *Handler {
	if options.Speed == 0 {
		options.Speed = 1
	}
	if options.MaxBody == 0 {
		options.MaxBody = 32 << 20
	}
	h := &Handler{speed: options.Speed, maxBody: options.MaxBody}
	o := server.Options{MaxBody: options.MaxBody, KeepAlive: time.Second, Accept: h.accept}
	h.plain = server.Handler(h.tell, o)
	o.Store = &server.Store{MaxRuns: maxKept}
	h.kept = server.Handler(h.tell, o)
	return h
}

// ServeHTTP answers a preflight, a GET with the list of what the agent shows, and a POST with a run.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	allowAnyPage(w, r)
	dialect := r.URL.Query().Get("dialect")
	if r.Method != http.MethodOptions {
		w = shaky(w, r.URL.Query().Get("cut"))
		defer snap(w)
	}
	if strings.HasSuffix(r.URL.Path, "/cancel") && strings.Contains(r.URL.Path, "/runs/") {
		dialect = "agno" // its route beside the agent's has no query
	}
	switch {
	case r.Method == http.MethodOptions:
		w.WriteHeader(http.StatusNoContent)
	case dialect != "" && !slices.Contains(dialects, dialect):
		answerJSON(w, http.StatusBadRequest,
			map[string]any{"error": "?dialect= names none of " + strings.Join(dialects, ", ") + ": " + dialect})
	case dialect == "hydrate" && r.Method == http.MethodPost:
		h.hydrated.serve(w, r, h.maxBody, h.plain, &h.threads)
	case dialect == "copilotkit" && r.Method == http.MethodPost:
		if r = h.unwrap(w, r); r != nil {
			h.kept.ServeHTTP(w, r)
		}
	case dialect != "":
		h.kept.ServeHTTP(w, r)
	case r.Method == http.MethodGet, r.Method == http.MethodHead:
		answerJSON(w, http.StatusOK, map[string]any{"scenarios": Scenarios(), "recordings": Recordings()})
	default:
		h.plain.ServeHTTP(w, r)
	}
}

// unwrap makes a request of a call to CopilotKit's single endpoint.
func (h *Handler) unwrap(w http.ResponseWriter, r *http.Request) *http.Request {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, h.maxBody))
	if err != nil {
		answerJSON(w, http.StatusRequestEntityTooLarge, map[string]any{"error": err.Error()})
		return nil
	}
	var call struct {
		Method string
		Params struct{ ThreadID string }
		Body   json.RawMessage
	}
	path := r.URL.Path
	if json.Unmarshal(body, &call) == nil && call.Method != "" {
		body = call.Body
		path += map[string]string{"agent/connect": "/connect",
			"agent/stop": "/stop/" + call.Params.ThreadID}[call.Method]
	}
	r = r.Clone(r.Context())
	r.URL, r.Body = &url.URL{Path: path, RawQuery: r.URL.RawQuery}, io.NopCloser(bytes.NewReader(body))
	return r
}

// allowAnyPage sets the CORS headers: any origin, with or without cookies, whatever headers it asks for.
func allowAnyPage(w http.ResponseWriter, r *http.Request) {
	head := w.Header()
	head.Add("Vary", "Origin")
	if origin := r.Header.Get("Origin"); origin != "" {
		head.Set("Access-Control-Allow-Origin", origin)
		head.Set("Access-Control-Allow-Credentials", "true")
	} else {
		head.Set("Access-Control-Allow-Origin", "*")
	}
	head.Set("Access-Control-Expose-Headers", "Retry-After")
	if r.Method != http.MethodOptions {
		return
	}
	allowed := "content-type, accept, authorization"
	if asked := r.Header.Get("Access-Control-Request-Headers"); asked != "" {
		allowed += ", " + asked
	}
	head.Set("Access-Control-Allow-Headers", allowed)
	head.Set("Access-Control-Allow-Methods", "POST, GET, OPTIONS")
	head.Set("Access-Control-Max-Age", "600")
	if r.Header.Get("Access-Control-Request-Private-Network") == "true" {
		head.Set("Access-Control-Allow-Private-Network", "true")
	}
}

func answerJSON(w http.ResponseWriter, status int, value any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(value)
}

// plan is what a request decides before its run is told; it stands in the request's context.
type plan struct {
	scenario *scenario
	speed    float64
	elapsed  time.Duration // what was waited for, at pace 1
}

type planKey struct{}

// accept chooses the scenario. A recorded run it answers itself.
func (h *Handler) accept(w http.ResponseWriter, r *http.Request, in *agui.Input) bool {
	p, ok := r.Context().Value(planKey{}).(*plan)
	if !ok {
		p = &plan{}
		*r = *r.WithContext(context.WithValue(r.Context(), planKey{}, p))
	}
	p.scenario, p.speed = choose(in), h.speed
	for _, text := range []string{r.URL.Query().Get("speed"), property(in, "speed")} {
		if v, ok := parseSpeed(text); ok {
			p.speed = v
		}
	}
	for _, recorded := range []string{r.URL.Query().Get("replay"), property(in, "replay")} {
		if recorded != "" {
			replay(w, r, recorded, p.speed)
			return false
		}
	}
	if p.scenario != resumed {
		h.threads.set(in.ThreadID, nil) // a new question leaves the open ones behind
	}
	return p.scenario.late == 0 || wait(r.Context().Done(), p.scenario.late, p.speed)
}

// tell is the agent.
func (h *Handler) tell(ctx context.Context, in *agui.Input, run *server.Run) error {
	p := ctx.Value(planKey{}).(*plan)
	words := server.LastText(in)
	t := &talk{Run: run, ctx: ctx, in: in, plan: p, threads: &h.threads, words: words,
		rand: seeded(p.scenario.Name + "\n" + words)}
	if err := p.scenario.run(t); err != nil {
		return err
	}
	return t.err
}

// property gives a forwarded property that is a string or a number, or "".
func property(in *agui.Input, name string) string {
	if rawjson.KindOf(in.ForwardedProps) != rawjson.Object {
		return ""
	}
	v, _ := rawjson.Get(in.ForwardedProps, name)
	switch rawjson.KindOf(v) {
	case rawjson.Str:
		return rawjson.String(v).Decode()
	case rawjson.Number:
		return v
	}
	return ""
}

// parseSpeed reads a pace: a positive number, or "max" (or 0) for no waiting, which is -1.
func parseSpeed(text string) (float64, bool) {
	if text == "" {
		return 0, false
	}
	if text == "max" {
		return -1, true
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || v < 0 || v != v {
		return 0, false
	}
	if v == 0 {
		return -1, true
	}
	return v, true
}

// wait pauses for d at the pace. It reports false when the client has gone.
func wait(done <-chan struct{}, d time.Duration, speed float64) bool {
	if speed < 0 || d <= 0 {
		select {
		case <-done:
			return false
		default:
			return true
		}
	}
	timer := time.NewTimer(time.Duration(float64(d) / speed))
	defer timer.Stop()
	select {
	case <-done:
		return false
	case <-timer.C:
		return true
	}
}

// seeded makes the random numbers of a scenario from the words that chose it.
func seeded(words string) *rand.Rand {
	h := fnv.New64a()
	_, _ = io.WriteString(h, words)
	return rand.New(rand.NewPCG(h.Sum64(), 1))
}
