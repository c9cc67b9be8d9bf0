// A minimal agent in Go: go run ./web/examples/agents 8000
package main

import (
	"context"
	"log"
	"net/http"
	"os"
	"strings"

	"aguiwasm/agui"
	"aguiwasm/agui/server"
)

func main() {
	agent := server.Handler(func(ctx context.Context, in *agui.Input, run *server.Run) error {
		message := run.Message()
		for _, word := range strings.Split("You said: "+server.LastText(in), " ") {
			message.WriteString(word + " ") // here your model's answer comes, piece by piece
		}
		return message.Close()
	}, server.Options{Origins: []string{"*"}})
	log.Fatal(http.ListenAndServe("127.0.0.1:"+os.Args[1], agent))
}
