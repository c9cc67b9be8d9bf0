// Command check asks an AG-UI agent ten things and reports what it does otherwise than the protocol has it, rule by
// rule with the section of agui/PROTOCOL.md: what ends a run or loses something, and what lenient clients mend.
//
//	go run aguiwasm/web/dev/check [-json] [-header "Name: value"] [-wait 60s] [-resume sse-id] URL
//
// It exits with 0 where it found no error, 1 where it found one, 2 where it was called wrongly. With -strict, what
// lenient clients mend counts as well. An agent that calls a model is asked about a dozen short questions.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"time"

	"aguiwasm/state/rejoin"
)

// Report is what -json prints.
type Report struct {
	URL       string     `json:"url"`
	Scenarios []Scenario `json:"scenarios"`
	// Errors and Repairs count the findings by level.
	Errors  int `json:"errors"`
	Repairs int `json:"repairs"`
	// Resumable says whether a cut run can be come back to.
	Resumable bool `json:"resumable"`
}

type headers http.Header

func (h headers) String() string { return "" }
func (h headers) Set(text string) error {
	name, value, ok := strings.Cut(text, ":")
	if !ok {
		return fmt.Errorf("say it as Name: value")
	}
	http.Header(h).Add(strings.TrimSpace(name), strings.TrimSpace(value))
	return nil
}

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// run is the program; it gives the exit code.
func run(args []string, out, complain io.Writer) int {
	flags := flag.NewFlagSet("check", flag.ContinueOnError)
	flags.SetOutput(complain)
	asJSON := flags.Bool("json", false, "print the report as JSON")
	strict := flags.Bool("strict", false, "count what lenient clients mend as an error")
	wait := flags.Duration("wait", time.Minute, "how long one answer may take")
	resume := flags.String("resume", "",
		"how a client comes back to a cut run: sse-id, tanstack, agno or copilotkit; else it is looked for")
	agentID := flags.String("agent", "", "the agent's name on the server, where a way to come back needs it")
	header := headers{}
	flags.Var(header, "header", `a header of each request, "Name: value"; may be given more than once`)
	switch err := flags.Parse(args); {
	case err == flag.ErrHelp:
		return 0
	case err != nil:
		return 2
	case flags.NArg() != 1:
		fmt.Fprintln(complain, "say the agent's URL: check http://127.0.0.1:8080/agent")
		return 2
	}
	if _, known := rejoin.Named(*resume); *resume != "" && !known {
		fmt.Fprintf(complain, "-resume names no dialect: %s (sse-id, tanstack, agno, copilotkit)\n", *resume)
		return 2
	}
	c := &checker{
		url: flags.Arg(0), http: &http.Client{}, header: http.Header(header), wait: *wait, dialect: *resume,
		agentID: *agentID,
	}
	report := c.report(context.Background())
	if *asJSON {
		enc := json.NewEncoder(out)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", "  ")
		_ = enc.Encode(report)
	} else {
		report.print(out)
	}
	if report.Errors > 0 || *strict && report.Repairs > 0 {
		return 1
	}
	return 0
}

func (c *checker) report(ctx context.Context) *Report {
	r := &Report{URL: c.url}
	for _, scenario := range scenarios {
		s := Scenario{Name: scenario.name, Asks: scenario.asks, Findings: []Finding{}}
		scenario.run(c, ctx, &s)
		for _, f := range s.Findings {
			if f.Level == "error" {
				r.Errors++
			} else {
				r.Repairs++
			}
		}
		r.Resumable = r.Resumable || s.Outcome == "resumable"
		r.Scenarios = append(r.Scenarios, s)
	}
	return r
}

func (r *Report) print(w io.Writer) {
	fmt.Fprintf(w, "%s\n\n", r.URL)
	for i, s := range r.Scenarios {
		fmt.Fprintf(w, "%2d. %s: %s\n", i+1, s.Name, s.Outcome)
		fmt.Fprintf(w, "    asked: %s\n", s.Asks)
		if s.Note != "" {
			fmt.Fprintf(w, "    note: %s\n", s.Note)
		}
		for _, f := range s.Findings {
			fmt.Fprintf(w, "    %s, rule %s (section %s)", f.Level, f.Rule, f.Section)
			if f.Times > 1 {
				fmt.Fprintf(w, ", %d times", f.Times)
			}
			fmt.Fprintf(w, ": %s\n", f.Message)
			if f.Event != "" {
				fmt.Fprintf(w, "      at %s\n", f.Event)
			}
		}
	}
	resumable := "a cut run cannot be come back to"
	if r.Resumable {
		resumable = "a cut run can be come back to"
	}
	fmt.Fprintf(w, "\n%d errors, %d things that lenient clients mend; %s\n", r.Errors, r.Repairs, resumable)
}
