package main

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/fstest"
	"time"
)

func TestStatic(t *testing.T) {
	now := time.Now()
	file := func(text string, at time.Time) *fstest.MapFile {
		return &fstest.MapFile{Data: []byte(text), ModTime: at}
	}
	handler := static(fstest.MapFS{
		"index.html":   file("page", now),
		"agui.wasm":    file("wasm", now),
		"agui.wasm.br": file("wasm-br", now),
		"agui.wasm.gz": file("wasm-gz", now),
		"old.js":       file("new", now),
		"old.js.br":    file("old", now.Add(-time.Hour)),
		"sub/x.json":   file("{}", now),
	})
	for _, test := range []struct {
		name, method, path, accept  string
		status                      int
		body, contentType, encoding string
	}{
		{"root", "GET", "/", "", 200, "page", "text/html; charset=utf-8", ""},
		{"wasm brotli", "GET", "/agui.wasm", "gzip, deflate, br, zstd", 200, "wasm-br", "application/wasm", "br"},
		{"wasm gzip", "GET", "/agui.wasm", "gzip", 200, "wasm-gz", "application/wasm", "gzip"},
		{"brotli refused", "GET", "/agui.wasm", "br;q=0, gzip;q=0.5", 200, "wasm-gz", "application/wasm", "gzip"},
		{"all refused", "GET", "/agui.wasm", "br;q=0, *;q=0", 200, "wasm", "application/wasm", ""},
		{"any", "GET", "/agui.wasm", "*", 200, "wasm-br", "application/wasm", "br"},
		{"a stale twin", "GET", "/old.js", "br", 200, "new", "text/javascript; charset=utf-8", ""},
		{"a folder", "GET", "/sub", "", 404, "404 page not found\n", "text/plain; charset=utf-8", ""},
		{"above the folder", "GET", "/../static.go", "", 404, "404 page not found\n", "text/plain; charset=utf-8", ""},
		{"json", "GET", "/sub/x.json", "", 200, "{}", "application/json", ""},
		{"head", "HEAD", "/", "", 200, "", "text/html; charset=utf-8", ""},
		{"post", "POST", "/", "", 405, "only GET and HEAD\n", "text/plain; charset=utf-8", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := httptest.NewRequest(test.method, test.path, nil)
			r.Header.Set("Accept-Encoding", test.accept)
			w := httptest.NewRecorder()
			handler.ServeHTTP(w, r)
			if w.Code != test.status || w.Body.String() != test.body || w.Header().
				Get("Content-Type") != test.contentType || w.Header().Get("Content-Encoding") != test.encoding {
				t.Errorf("got %d %q %v", w.Code, w.Body, w.Header())
			}
		})
	}
}

func TestETag(t *testing.T) {
	handler := static(fstest.MapFS{"a.js": {Data: []byte("x")}, "a.js.br": {Data: []byte("y")}})
	get := func(accept, match string) *httptest.ResponseRecorder {
		r := httptest.NewRequest("GET", "/a.js", nil)
		r.Header.Set("Accept-Encoding", accept)
		r.Header.Set("If-None-Match", match)
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		return w
	}
	plain, packed := get("", "").Header().Get("ETag"), get("br", "").Header().Get("ETag")
	if plain == packed {
		t.Error("both encodings have one tag")
	}
	if w := get("br", `"other", W/`+packed); w.Code != http.StatusNotModified || w.Body.Len() != 0 {
		t.Errorf("got %d %q", w.Code, w.Body)
	}
	if w := get("br", plain); w.Code != http.StatusOK {
		t.Errorf("the tag of the other encoding: got %d", w.Code)
	}
}
