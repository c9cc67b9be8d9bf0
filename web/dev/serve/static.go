package main

import (
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"net/http"
	"path"
	"strconv"
	"strings"
)

// types are the content types that matter to a browser: streaming compilation wants exactly application/wasm.
var types = map[string]string{
	".html": "text/html; charset=utf-8",
	".js":   "text/javascript; charset=utf-8",
	".mjs":  "text/javascript; charset=utf-8",
	".css":  "text/css; charset=utf-8",
	".json": "application/json",
	".wasm": "application/wasm",
	".svg":  "image/svg+xml",
	".png":  "image/png",
	".txt":  "text/plain; charset=utf-8",
	".ts":   "text/plain; charset=utf-8",
}

// static serves a folder: the precompressed twin (.br, .gz) where the browser takes it, an ETag of the content, and
// no-cache, so that a new build shows at the next load and an unchanged one costs a 304.
func static(folder fs.FS) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			w.Header().Set("Allow", "GET, HEAD")
			http.Error(w, "only GET and HEAD", http.StatusMethodNotAllowed)
			return
		}
		name := strings.TrimPrefix(path.Clean("/"+r.URL.Path), "/")
		if name == "" {
			name = "index.html"
		}
		plain, err := fs.Stat(folder, name)
		if err != nil || plain.IsDir() {
			http.NotFound(w, r)
			return
		}
		head := w.Header()
		if kind, ok := types[path.Ext(name)]; ok {
			head.Set("Content-Type", kind)
		} else {
			head.Set("Content-Type", "application/octet-stream")
		}
		head.Set("X-Content-Type-Options", "nosniff")
		head.Set("Cache-Control", "no-cache")
		head.Set("Vary", "Accept-Encoding")
		head.Set("Access-Control-Allow-Origin", "*")
		sent := name
		for _, twin := range []struct{ encoding, ext string }{{"br", ".br"}, {"gzip", ".gz"}} {
			if !accepts(r.Header.Get("Accept-Encoding"), twin.encoding) {
				continue
			}
			// A twin that is older than its original belongs to another build.
			if info, err := fs.Stat(folder, name+twin.ext); err == nil && !info.ModTime().Before(plain.ModTime()) {
				sent = name + twin.ext
				head.Set("Content-Encoding", twin.encoding)
				break
			}
		}
		data, err := fs.ReadFile(folder, sent)
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		sum := sha256.Sum256(data)
		tag := `"` + hex.EncodeToString(sum[:12]) + `"`
		head.Set("ETag", tag)
		if matches(r.Header.Get("If-None-Match"), tag) {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		head.Set("Content-Length", strconv.Itoa(len(data)))
		w.WriteHeader(http.StatusOK)
		if r.Method == http.MethodGet {
			_, _ = w.Write(data)
		}
	})
}

// accepts reads an Accept-Encoding header: the encoding is named, or "*" is, and not with q=0.
func accepts(header, encoding string) bool {
	any := false
	for part := range strings.SplitSeq(header, ",") {
		name, parameters, _ := strings.Cut(part, ";")
		name = strings.TrimSpace(name)
		refused := false
		for p := range strings.SplitSeq(parameters, ";") {
			if value, ok := strings.CutPrefix(strings.ReplaceAll(p, " ", ""), "q="); ok {
				q, err := strconv.ParseFloat(value, 64)
				refused = err != nil || q <= 0
			}
		}
		if strings.EqualFold(name, encoding) {
			return !refused
		}
		if name == "*" {
			any = !refused
		}
	}
	return any
}

// matches reads an If-None-Match header.
func matches(header, tag string) bool {
	for part := range strings.SplitSeq(header, ",") {
		if part = strings.TrimSpace(part); part == "*" || strings.TrimPrefix(part, "W/") == tag {
			return true
		}
	}
	return false
}
