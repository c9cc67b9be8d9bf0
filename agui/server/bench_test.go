package server_test

import (
	"context"
	"net"
	"net/http"
	"os"
	"runtime"
	"strconv"
	"sync"
	"testing"
	"time"

	"aguiwasm/agui"
	"aguiwasm/agui/client"
	"aguiwasm/agui/server"
)

// BenchmarkStreams holds 10,000 streams open at once over loopback, each with its client, and lets each say 20 words. It needs 20,000
// file descriptors: go test ./agui/server -bench Streams -benchtime 1x
func BenchmarkStreams(b *testing.B) {
	streams, words := 10000, 20
	if s, err := strconv.Atoi(os.Getenv("AGUI_STREAMS")); err == nil { // where file descriptors are few
		streams = s
	}
	var begun, gate sync.WaitGroup
	agent := func(_ context.Context, _ *agui.Input, run *server.Run) error {
		m := run.Message()
		if _, err := m.WriteString("first "); err != nil {
			return err
		}
		begun.Done()
		gate.Wait() // until all are open
		for range words - 1 {
			if _, err := m.WriteString("word "); err != nil {
				return err
			}
		}
		return m.Close()
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	site := &http.Server{Handler: server.Handler(agent, server.Options{KeepAlive: -1})}
	go site.Serve(listener)
	defer site.Close()
	c := &client.Client{
		URL:  "http://" + listener.Addr().String(),
		HTTP: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: streams}},
	}
	for b.Loop() {
		begun.Add(streams)
		gate.Add(1)
		var done sync.WaitGroup
		var mu sync.Mutex
		failed := 0
		limit := make(chan struct{}, 200) // connections that are being made at once
		for range streams {
			limit <- struct{}{}
			done.Go(func() {
				n, first := 0, true
				for e, err := range c.Run(b.Context(), &agui.Input{}) {
					if err != nil {
						if first {
							<-limit
							begun.Done()
							first = false
						}
						mu.Lock()
						failed++
						mu.Unlock()
						return
					}
					if _, ok := e.(*agui.TextMessageContent); ok {
						n++
						if first {
							<-limit
							first = false
						}
					}
				}
				if n != words {
					mu.Lock()
					failed++
					mu.Unlock()
				}
			})
		}
		begun.Wait()
		var mem runtime.MemStats
		runtime.ReadMemStats(&mem)
		from := time.Now()
		gate.Done()
		done.Wait()
		if failed > 0 {
			b.Fatalf("%d of %d streams failed", failed, streams)
		}
		b.ReportMetric(float64(streams*(words+3))/time.Since(from).Seconds(), "events/s")
		b.ReportMetric(float64(mem.HeapInuse+mem.StackInuse)/float64(streams)/1024, "KB/stream")
	}
}
