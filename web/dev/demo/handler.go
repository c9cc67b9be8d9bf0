package demo

import (
	"encoding/json"
	"errors"
	"hash/fnv"
	"io"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/tmaxmax/go-sse"
)

// Options configure the agent. The zero value is ready to use.
type Options struct {
	// Speed multiplies the pace; 0 means 1. A negative one never waits.
	Speed float64
	// MaxBody limits a request's body in bytes; 0 means 32 MiB.
	MaxBody int64
}

// Handler is the agent.
type Handler struct {
	options Options
	threads threads
	kept    kept
}

// New makes an agent.
func New(options Options) *Handler {
	if options.Speed == 0 {
		options.Speed = 1
	}
	if options.MaxBody == 0 {
		options.MaxBody = 32 << 20
	}
	return &Handler{options: options}
}

// ServeHTTP answers a preflight, a GET with the list of what the agent shows, and a POST with a run.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	allowAnyPage(w, r)
	switch r.Method {
	case http.MethodOptions:
		w.WriteHeader(http.StatusNoContent)
	case http.MethodGet, http.MethodHead:
		if r.URL.Query().Get("dialect") != "" {
			h.keep(w, r, nil, 1)
			return
		}
		answerJSON(w, http.StatusOK, map[string]any{"scenarios": Scenarios(), "recordings": Recordings()})
	case http.MethodPost:
		h.run(w, r)
	default:
		w.Header().Set("Allow", "POST, GET, OPTIONS")
		answerJSON(w, http.StatusMethodNotAllowed, map[string]any{"detail": "send a run with POST"})
	}
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

// run checks the input, chooses the scenario and lets it talk.
func (h *Handler) run(w http.ResponseWriter, r *http.Request) {
	if kind, _, _ := strings.Cut(r.Header.Get("Content-Type"), ";"); !strings.EqualFold(strings.TrimSpace(kind), "application/json") {
		answerJSON(w, http.StatusUnsupportedMediaType, map[string]any{"detail": "send the run as application/json"})
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, h.options.MaxBody))
	if err != nil {
		var large *http.MaxBytesError
		if errors.As(err, &large) {
			answerJSON(w, http.StatusRequestEntityTooLarge, map[string]any{"detail": "the run is larger than " + strconv.FormatInt(large.Limit, 10) + " bytes"})
		}
		return
	}
	if r.URL.Query().Get("dialect") != "" {
		pace := h.options.Speed
		if v, ok := parseSpeed(r.URL.Query().Get("speed")); ok {
			pace = v
		}
		if h.keep(w, r, body, pace) {
			return
		}
	}
	in, faults := parseInput(body)
	if len(faults) > 0 {
		answerJSON(w, http.StatusUnprocessableEntity, map[string]any{"detail": faults})
		return
	}
	speed := h.options.Speed
	for _, text := range []string{r.URL.Query().Get("speed"), in.speed()} {
		if v, ok := parseSpeed(text); ok {
			speed = v
		}
	}
	recorded := r.URL.Query().Get("replay")
	if recorded == "" {
		recorded = in.property("replay")
	}
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Accel-Buffering", "no")
	if recorded != "" {
		replay(w, r, recorded, speed)
		return
	}
	s := choose(in)
	if s != resumed {
		h.threads.set(in.threadID, nil) // a new question leaves the open ones behind
	}
	if s.before != nil && !s.before(w, r, speed) {
		return
	}
	session, err := sse.Upgrade(w, r)
	if err != nil {
		answerJSON(w, http.StatusInternalServerError, map[string]any{"detail": err.Error()})
		return
	}
	t := newTalk(r.Context(), session, in, s, speed)
	t.threads = &h.threads
	err = t.play()
	if errors.Is(err, errCut) {
		panic(http.ErrAbortHandler) // the one way to break the connection in the middle of a body
	}
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
