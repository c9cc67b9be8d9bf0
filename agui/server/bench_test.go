package server_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"aguiwasm/agui"
	"aguiwasm/agui/client"
	"aguiwasm/agui/server"
)

const streamWords = 20

// benchServer names the environment variable by which this binary is the server of BenchmarkStreams.
const benchServer = "AGUI_BENCH_SERVER"

func TestMain(m *testing.M) {
	if os.Getenv(benchServer) != "" {
		serveStreams()
		return
	}
	os.Exit(m.Run())
}

// serveStreams serves an agent whose runs say one word, wait for POST /go, and say the rest. GET /memory tells what the
// process holds.
func serveStreams() {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	var mu sync.Mutex
	gate := make(chan struct{})
	mux := http.NewServeMux()
	mux.Handle("/agent", server.Handler(func(ctx context.Context, _ *agui.Input, run *server.Run) error {
		mu.Lock()
		open := gate
		mu.Unlock()
		m := run.Message()
		_, _ = m.WriteString("first ")
		select {
		case <-open:
		case <-ctx.Done():
			return ctx.Err()
		}
		for range streamWords - 1 {
			if _, err := m.WriteString("word "); err != nil {
				return err
			}
		}
		return m.Close()
	}, server.Options{KeepAlive: -1}))
	mux.HandleFunc("GET /memory", func(w http.ResponseWriter, _ *http.Request) {
		var mem runtime.MemStats
		runtime.ReadMemStats(&mem)
		fmt.Fprint(w, mem.HeapInuse+mem.StackInuse)
	})
	mux.HandleFunc("POST /go", func(http.ResponseWriter, *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		close(gate)
		gate = make(chan struct{})
	})
	go func() { // ends with the benchmark
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}()
	fmt.Println(listener.Addr())
	_ = http.Serve(listener, mux)
}

// BenchmarkStreams holds 10,000 streams open at once over loopback, each with its client, and lets each say 20 words.
// Server and clients are a process each, so that each needs 10,000 file descriptors:
//
//	go test ./agui/server -run '^$' -bench Streams -benchtime 1x
//
// AGUI_STREAMS is another number of streams.
func BenchmarkStreams(b *testing.B) {
	streams := 10000
	if n, err := strconv.Atoi(os.Getenv("AGUI_STREAMS")); err == nil {
		streams = n
	}
	site := exec.Command(os.Args[0])
	site.Env = append(os.Environ(), benchServer+"=1")
	stdin, _ := site.StdinPipe()
	stdout, err := site.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := site.Start(); err != nil {
		b.Fatal(err)
	}
	defer func() { stdin.Close(); _ = site.Wait() }()
	address, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		b.Fatal(err)
	}
	address = "http://" + strings.TrimSpace(address)
	ask := func(method, path string) float64 {
		request, _ := http.NewRequest(method, address+path, nil)
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			b.Fatal(err)
		}
		defer response.Body.Close()
		text, _ := io.ReadAll(response.Body)
		n, _ := strconv.ParseFloat(string(text), 64)
		return n
	}
	c := &client.Client{
		URL:  address + "/agent",
		HTTP: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: streams}},
	}
	before := ask("GET", "/memory")
	for b.Loop() {
		var begun, done sync.WaitGroup
		var failed atomic.Int64
		limit := make(chan struct{}, 200) // connections that are being made at once
		begun.Add(streams)
		from := time.Now()
		for range streams {
			limit <- struct{}{}
			done.Go(func() {
				n := 0
				first := sync.OnceFunc(func() { <-limit; begun.Done() })
				defer first()
				for e, err := range c.Run(b.Context(), &agui.Input{}) {
					if err != nil {
						break
					}
					if _, ok := e.(*agui.TextMessageContent); ok {
						n++
						first()
					}
				}
				if n != streamWords {
					failed.Add(1)
				}
			})
		}
		begun.Wait()
		b.ReportMetric(time.Since(from).Seconds(), "s-to-open")
		b.ReportMetric((ask("GET", "/memory")-before)/float64(streams)/1024, "server-KB/stream")
		from = time.Now()
		ask("POST", "/go")
		done.Wait()
		if n := failed.Load(); n > 0 {
			b.Fatalf("%d of %d streams failed", n, streams)
		}
		b.ReportMetric(float64(streams*(streamWords+3))/time.Since(from).Seconds(), "events/s")
	}
}

// BenchmarkRuns makes one run after the other, of 20 words each, and says what the heap holds more afterwards:
//
//	go test ./agui/server -run '^$' -bench Runs -benchtime 10000x
func BenchmarkRuns(b *testing.B) {
	for name, store := range map[string]*server.Store{"plain": nil, "kept": {MaxRuns: 100}} {
		b.Run(name, func(b *testing.B) {
			site := httptest.NewServer(server.Handler(func(_ context.Context, _ *agui.Input, run *server.Run) error {
				m := run.Message()
				for range streamWords {
					_, _ = m.WriteString("word ")
				}
				return m.Close()
			}, server.Options{Store: store}))
			defer site.Close()
			c := &client.Client{URL: site.URL}
			heap := func() float64 {
				var mem runtime.MemStats
				runtime.GC()
				runtime.ReadMemStats(&mem)
				return float64(mem.HeapAlloc)
			}
			run := func() {
				events := 0
				for _, err := range c.Run(b.Context(), &agui.Input{}) {
					if err != nil {
						b.Fatal(err)
					}
					events++
				}
				if events != streamWords+4 {
					b.Fatalf("%d events", events)
				}
			}
			for range 200 { // what the store keeps is there then
				run()
			}
			before := heap()
			for b.Loop() {
				run()
			}
			b.ReportMetric((heap()-before)/1024, "KB-more")
		})
	}
}
