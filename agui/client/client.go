package client

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"io"
	"iter"
	"net/http"
	"strconv"
	"strings"
	"time"

	"aguiwasm/agui"
	"aguiwasm/agui/proto"
	"aguiwasm/agui/sse"
	"aguiwasm/state/rejoin"
)

// Client is an agent's address with what each request needs. It is safe for concurrent use as long as its fields stay
// as they are.
type Client struct {
	// URL is where runs are posted.
	URL string
	// HTTP makes the requests; nil is [http.DefaultClient]. A Timeout of it counts for a whole run: leave it 0.
	HTTP *http.Client
	// Header gives the headers of each request, authorization for one, and is asked anew each time; nil adds none.
	Header func(ctx context.Context) (http.Header, error)
	// Protobuf asks for the protocol's protobuf encoding before server-sent events. Either is read, whatever was asked
	// for.
	Protobuf bool
	// Strict ends a run at a breach of the protocol instead of repairing it (section 6).
	Strict bool
	// MaxEventBytes limits one event; 0 means 16 MiB.
	MaxEventBytes int
	// Warn is told what was repaired or kept although it is odd; nil is nobody.
	Warn func(agui.Warning)
}

// maxErrorBody is how many bytes of a refusal are read.
const maxErrorBody = 64 << 10

// StatusError is the cause of an error of code http_status: what the server answered instead of a stream.
type StatusError struct {
	// Status is the HTTP status.
	Status int
	// Payload is the start of the body, at most 64 KiB.
	Payload string
	// RetryAfter is the Retry-After header; 0 where it is absent or a date that has passed.
	RetryAfter time.Duration
}

// Error implements error.
func (e *StatusError) Error() string { return "status " + strconv.Itoa(e.Status) }

// Run posts one input and yields the events of the answer in order. in is completed: a threadId and a runId are made
// where they are "". Leaving the loop, or cancelling ctx, ends the request.
//
// The last pair of a run that did not end well is a nil Event with an [*agui.Error], whose code is
//
//	bad_input          the URL cannot be used, or Header gave an error
//	network            the agent could not be reached, the connection broke, or ctx is over (see its cause)
//	http_status        the server refused: the chain has a *StatusError, see Status
//	bad_content_type   the answer is not an event stream
//	run_error          the agent ended the run with RUN_ERROR, which was yielded before
//	incomplete_stream  the stream ended before the run did, or without any event
//	bad_event          an event is malformed, and nothing can be made of it
//	event_too_large    an event is larger than MaxEventBytes
//	protocol           an event broke a rule, where Strict is set
func (c *Client) Run(ctx context.Context, in *agui.Input) iter.Seq2[agui.Event, error] {
	if in.ThreadID == "" {
		in.ThreadID = rand.Text()
	}
	if in.RunID == "" {
		in.RunID = rand.Text()
	}
	return c.post(ctx, in, in.AppendBody(nil, "", ""), nil)
}

func (c *Client) post(ctx context.Context, in *agui.Input, body []byte, known agui.Known) iter.Seq2[agui.Event, error] {
	return func(yield func(agui.Event, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		stream, kind, err := c.open(ctx, rejoin.Request{Method: http.MethodPost, URL: c.URL, Body: string(body)},
			c.accepts(), false)
		if err != nil {
			yield(nil, err)
			return
		}
		defer stream.Close()
		for e, err := range agui.Read(stream, agui.Options{
			Strict: c.Strict, ThreadID: in.ThreadID, RunID: in.RunID, Known: known, NewID: rand.Text,
			MaxEventBytes: c.MaxEventBytes, Warn: c.Warn, ContentType: kind,
		}) {
			if err != nil && ctx.Err() != nil {
				err = cancelled(ctx)
			}
			if !yield(e, err) || err != nil {
				return
			}
		}
	}
}

func (c *Client) accepts() string {
	if c.Protobuf {
		return acceptsProto
	}
	return acceptsStream
}

func network(message string, cause error) error {
	return &agui.Error{Code: agui.CodeNetwork, Message: message, Cause: cause}
}

// warn tells of warnings; not under a lock, for who is told may read the conversation.
func (c *Client) warn(list []agui.Warning) {
	for _, w := range list {
		if c.Warn != nil {
			c.Warn(w)
		}
	}
}

func cancelled(ctx context.Context) error {
	return network("The run was cancelled.", context.Cause(ctx))
}

// accepts says what kind of answer a request asks for: server-sent events, protobuf before them, or one JSON value.
const (
	acceptsStream = "text/event-stream"
	acceptsProto  = proto.ContentType + ", text/event-stream"
	acceptsJSON   = "application/json"
)

var errForeign = errors.New("the server sends the request to another origin, where its headers must not go")

// within gives the HTTP client that follows redirects of a request within its origin alone, where later says that it is
// none that the caller made: what it carries is this server's.
func within(client *http.Client, later bool) *http.Client {
	if !later {
		return client
	}
	own := *client
	own.CheckRedirect = func(r *http.Request, via []*http.Request) error {
		if from := via[0].URL; from.Scheme != r.URL.Scheme || from.Host != r.URL.Host {
			return errForeign
		}
		if client.CheckRedirect != nil {
			return client.CheckRedirect(r, via)
		}
		if len(via) >= 10 {
			return errors.New("stopped after 10 redirects")
		}
		return nil
	}
	return &own
}

// open makes a request and gives the body and its media type, or the error for an answer that is not of the kind asked
// for. later says that the caller did not make the request: a further leg, a stop.
func (c *Client) open(
	ctx context.Context, q rejoin.Request, accepts string, later bool,
) (io.ReadCloser, string, error) {
	request, err := http.NewRequestWithContext(ctx, q.Method, q.URL, strings.NewReader(q.Body))
	if err != nil {
		return nil, "", &agui.Error{Code: agui.CodeBadInput, Message: "The agent's URL cannot be used: " + err.Error(),
			Cause: err}
	}
	request.Header.Set("Accept", accepts)
	if c.Header != nil {
		header, err := c.Header(ctx)
		if err != nil {
			return nil, "", &agui.Error{Code: agui.CodeBadInput, Message: "The request's headers could not be made: " +
				err.Error(), Cause: err}
		}
		for name, values := range header {
			request.Header[http.CanonicalHeaderKey(name)] = values
		}
	}
	for _, h := range q.Headers {
		request.Header.Set(h[0], h[1])
	}
	if q.Body != "" {
		request.Header.Set("Content-Type", "application/json")
	}
	client := c.HTTP
	if client == nil {
		client = http.DefaultClient
	}
	response, err := within(client, later).Do(request)
	if err != nil {
		if ctx.Err() != nil {
			return nil, "", cancelled(ctx)
		}
		return nil, "", network("The agent could not be reached: "+err.Error(), err)
	}
	kind := response.Header.Get("Content-Type")
	if accepts == acceptsJSON && response.StatusCode == http.StatusOK && sse.IsJSON(kind) {
		return response.Body, kind, nil
	}
	stream, err := judge(response)
	if err != nil {
		response.Body.Close()
		return nil, "", err
	}
	return stream, kind, nil
}

// body is a response's body of which the start was looked at.
type body struct {
	io.Reader
	io.Closer
}

func judge(response *http.Response) (io.ReadCloser, error) {
	kind := response.Header.Get("Content-Type")
	switch sse.Judge(response.StatusCode, kind) {
	case sse.Stream, sse.Protobuf:
		return response.Body, nil
	case sse.Empty:
		return nil, &agui.Error{
			Code: agui.CodeIncompleteStream, Message: "The server answered without any event.",
			Cause: &StatusError{Status: response.StatusCode},
		}
	case sse.BadStatus:
		return nil, statusError(response)
	case sse.Look:
		r := bufio.NewReaderSize(response.Body, maxErrorBody)
		for n := 1; n <= maxErrorBody; n++ {
			start, err := r.Peek(n)
			if verdict := sse.Sniff(start); verdict == sse.IsStream || err == io.EOF &&
				len(bytes.TrimSpace(start)) == 0 {
				return body{r, response.Body}, nil
			} else if verdict == sse.NoStream || err != nil {
				break
			}
		}
	}
	start, _ := io.ReadAll(io.LimitReader(response.Body, maxErrorBody))
	if len(bytes.TrimSpace(start)) == 0 && kind != "" {
		return nil, &agui.Error{Code: agui.CodeIncompleteStream, Message: "The server answered without any event."}
	}
	return nil, &agui.Error{
		Code: agui.CodeBadContentType, Message: "The agent answered with " + strconv.Quote(kind) +
			" and no event stream (text/event-stream).",
		Cause: &StatusError{Status: response.StatusCode, Payload: string(start)},
	}
}

func statusError(response *http.Response) error {
	start, _ := io.ReadAll(io.LimitReader(response.Body, maxErrorBody))
	cause := &StatusError{Status: response.StatusCode, Payload: string(start)}
	if after := response.Header.Get("Retry-After"); after != "" {
		if seconds, err := strconv.Atoi(after); err == nil && seconds > 0 {
			cause.RetryAfter = time.Duration(seconds) * time.Second
		} else if at, err := http.ParseTime(after); err == nil {
			cause.RetryAfter = max(0, time.Until(at))
		}
	}
	message := "The server answered with status " + strconv.Itoa(response.StatusCode)
	if words := agui.ServerWords(cause.Payload, "error", "message", "detail", "errorText"); words != "" {
		message += ": " + words
	}
	return &agui.Error{Code: agui.CodeHTTPStatus, Message: message, Cause: cause}
}

// Status gives the status of an error of code http_status, and whether it is one.
func Status(err error) (status int, ok bool) {
	var s *StatusError
	if errors.As(err, &s) && agui.CodeOf(err) == agui.CodeHTTPStatus {
		return s.Status, true
	}
	return 0, false
}
