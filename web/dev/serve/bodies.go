package main

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"time"
)

// Bounds of the requests' bodies.
const (
	maxBody    = 32 << 20
	maxReading = 16 // at a time
)

// bodies hands requests on when their body is whole, so that half-sent ones hold neither memory nor connections for
// long: each has its time to arrive, and only so many arrive at once. The others are told to come again.
func bodies(next http.Handler, within time.Duration) http.Handler {
	reading := make(chan struct{}, maxReading)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Body == nil || r.ContentLength == 0 {
			next.ServeHTTP(w, r)
			return
		}
		refuse := func(status int, words string) {
			w.Header().Set("Connection", "close")
			w.Header().Set("Access-Control-Allow-Origin", "*")
			http.Error(w, words, status)
		}
		if r.ContentLength > maxBody {
			refuse(http.StatusRequestEntityTooLarge, "the body is too large")
			return
		}
		select {
		case reading <- struct{}{}:
		default:
			w.Header().Set("Retry-After", "1")
			refuse(http.StatusServiceUnavailable, "too many bodies arrive at once")
			return
		}
		control := http.NewResponseController(w)
		_ = control.SetReadDeadline(time.Now().Add(within))
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
		<-reading
		var large *http.MaxBytesError
		switch {
		case errors.As(err, &large):
			refuse(http.StatusRequestEntityTooLarge, "the body is too large")
			return
		case err != nil:
			refuse(http.StatusRequestTimeout, "the body did not arrive")
			return
		}
		_ = control.SetReadDeadline(time.Time{}) // what is read while the answer streams may take as long as it takes
		r.Body = io.NopCloser(bytes.NewReader(body))
		next.ServeHTTP(w, r)
	})
}
