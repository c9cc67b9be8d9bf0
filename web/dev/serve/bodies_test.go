package main

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// TestBodies sends bodies in halves: they end, those beyond the number at once are refused, and whole ones are answered
// after.
func TestBodies(t *testing.T) {
	server := httptest.NewServer(bodies(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		fmt.Fprintf(w, "%d bytes", len(body))
	}), 500*time.Millisecond))
	defer server.Close()
	post := func(text string) string {
		response, err := http.Post(server.URL, "application/json", strings.NewReader(text))
		if err != nil {
			return err.Error()
		}
		defer response.Body.Close()
		body, _ := io.ReadAll(response.Body)
		return fmt.Sprint(response.StatusCode, " ", strings.TrimSpace(string(body)))
	}
	if got := post("12345"); got != "200 5 bytes" {
		t.Error("a whole body: " + got)
	}
	var halves []net.Conn
	for range maxReading {
		c, err := net.Dial("tcp", server.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		fmt.Fprintf(c, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n{")
		halves = append(halves, c)
	}
	refused := false
	for i := 0; i < 100 && !refused; i++ { // until the halves have been taken up
		refused = strings.HasPrefix(post("12345"), "503")
		time.Sleep(2 * time.Millisecond)
	}
	if !refused {
		t.Error("nothing was refused while too many bodies were on their way")
	}
	for _, c := range halves {
		_ = c.SetReadDeadline(time.Now().Add(20 * time.Second))
		answer, err := io.ReadAll(c)
		if err != nil || !strings.HasPrefix(string(answer), "HTTP/1.1 408") {
			t.Errorf("half a body: %q %v", answer, err)
		}
	}
	if got := post("12345"); got != "200 5 bytes" {
		t.Error("afterwards: " + got)
	}
}
