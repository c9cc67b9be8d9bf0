package demo

import (
	"embed"
	"encoding/json"
	"io"
	"net/http"
	"sort"
	"strings"
	"time"
)

// traces holds recorded answers of real servers; their bodies are data.
//
//go:embed testdata/traces/*.json
var traces embed.FS

// Recordings lists the recorded runs' names, as the query parameter "replay" takes them.
func Recordings() []string {
	entries, err := traces.ReadDir("testdata/traces")
	if err != nil {
		panic(err) // broken invariant: the folder is part of the program
	}
	var names []string
	for _, entry := range entries {
		names = append(names, strings.TrimSuffix(entry.Name(), ".json"))
	}
	sort.Strings(names)
	return names
}

// replay answers with a recorded run, frame by frame at the pace.
func replay(w http.ResponseWriter, r *http.Request, name string, speed float64) {
	raw, err := traces.ReadFile("testdata/traces/" + name + ".json")
	if err != nil {
		answerJSON(w, http.StatusNotFound,
			map[string]any{"error": "no recording of that name", "recordings": Recordings()})
		return
	}
	var recording struct {
		Response struct {
			Status      int
			ContentType string
			Body        string
		}
	}
	if err := json.Unmarshal(raw, &recording); err != nil {
		answerJSON(w, http.StatusInternalServerError, map[string]any{"error": err.Error()})
		return
	}
	w.Header().Set("Content-Type", recording.Response.ContentType)
	w.WriteHeader(recording.Response.Status)
	flusher := http.NewResponseController(w)
	_ = flusher.Flush()
	for rest := recording.Response.Body; rest != ""; {
		n := strings.Index(rest, "\n\n") + 2
		if n < 2 {
			n = len(rest)
		}
		if _, err := io.WriteString(w, rest[:n]); err != nil {
			return
		}
		rest = rest[n:]
		_ = flusher.Flush()
		if !wait(r.Context().Done(), 25*time.Millisecond, speed) {
			return
		}
	}
}
