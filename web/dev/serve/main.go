// Command serve serves dist/ and the demo agent on 127.0.0.1, for development.
//
//	serve [-port 8080] [-dir dist]
//
// The page is at /, the agent at /agent, the examples at /examples/NAME/. Port 0 takes any free one.
package main

import (
	"errors"
	"flag"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"strconv"
	"syscall"
	"time"

	"aguiwasm/web/dev/demo"
)

func main() {
	port := flag.Int("port", 8080, "the port on 127.0.0.1")
	dir := flag.String("dir", "dist", "the folder to serve")
	flag.Parse()
	log.SetFlags(0)
	log.SetPrefix("serve: ")
	if _, err := os.Stat(*dir); err != nil {
		log.Fatalf("%v (build first: ./build.sh)", err)
	}
	listener, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(*port)))
	if errors.Is(err, syscall.EADDRINUSE) {
		log.Fatalf("port %d is taken; name another: ./build.sh serve 8081", *port)
	}
	if err != nil {
		log.Fatal(err)
	}
	mux := http.NewServeMux()
	agent := demo.New(demo.Options{})
	for _, path := range []string{"/agent", "/agent/", "/agents/"} { // agno's routes stand below it and beside it
		mux.Handle(path, agent)
	}
	mux.Handle("/examples/", http.StripPrefix("/examples", examples("web/examples")))
	mux.Handle("/", static(os.DirFS(*dir)))
	fmt.Printf(
		"http://%s/        the page\nhttp://%s/agent   the demo agent\nhttp://%s/examples/script/   an example (see web/examples)\n", listener.Addr(), listener.Addr(), listener.Addr())
	server := &http.Server{Handler: bodies(mux, 15*time.Second), ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout: time.Minute, MaxHeaderBytes: 64 << 10}
	log.Fatal(server.Serve(listener))
}
