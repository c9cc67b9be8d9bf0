package session

import (
	"reflect"
	"testing"
)

func TestReadStart(t *testing.T) {
	for _, c := range []struct {
		text string
		want Start
	}{
		{"{}\n{\"threadId\":\"t\"}", Start{Input: `{"threadId":"t"}`}},
		{"{}", Start{}},
		{`{"url":"http://a.test/\ud83d","headers":[["A","1"],["B","\n"]],"fetch":true,"mode":"raw","verify":"strict","keepRaw":false}` + "\nx\ny",
			Start{URL: "http://a.test/\xed\xa0\xbd", Headers: [][2]string{{"A", "1"}, {"B", "\n"}}, Fetch: true,
				Mode: Raw, Strict: true, DropRaw: true, Input: "x\ny"}},
		{`{"mode":"stepped","keepRaw":true,"maxEventBytes":0.5,"thread":7,"reconnect":"sse-id","agentId":"a","join":true}`,
			Start{Mode: Stepped, MaxEventBytes: 1, Thread: 7, Reconnect: "sse-id", AgentID: "a", Join: true}},
		{`{"mode":"fast","maxEventBytes":1e300,"reconnect":{"shape":"replay"}}`,
			Start{MaxEventBytes: 1 << 31, Adapter: `{"shape":"replay"}`}},
		{`{"maxEventBytes":null,"thread":null,"url":null}`, Start{}},
	} {
		if got := ReadStart(c.text); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s:\ngot  %+v\nwant %+v", c.text, got, c.want)
		}
	}
}

func TestRequest(t *testing.T) {
	given := [][2]string{{"Content-Type", "application/json"}, {"Accept", "text/event-stream"}, {"x-a", "1"}}
	for _, c := range []struct {
		q    Request
		more [][2]string
		want string
	}{
		{Request{Method: "POST", URL: "/a\"b", Headers: given}, nil,
			`{"method":"POST","url":"/a\"b","headers":[["Content-Type","application/json"],["Accept","text/event-stream"],["x-a","1"]]}`},
		{Request{Method: "GET", URL: "/", Headers: given, Later: true},
			[][2]string{{"Last-Event-ID", "5"}, {"X-A", "2"}},
			`{"method":"GET","url":"/","headers":[["Accept","text/event-stream"],["Last-Event-ID","5"],["X-A","2"]],"later":true}`},
		{Request{Method: "GET", URL: "\n"}, nil, `{"method":"GET","url":"\n","headers":[]}`},
	} {
		c.q.With(c.more)
		if got := string(c.q.Append(nil)); got != c.want+"\n" {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
		if f := c.q.Fault(); f != nil {
			t.Errorf("%s: %v", c.want, f)
		}
	}
	if given[2] != [2]string{"x-a", "1"} || len(given) != 3 {
		t.Error("the caller's headers were changed")
	}
	q := Request{URL: "/u", Headers: [][2]string{{"A", "1"}, {"Authorization", "secret\n\nx"}}}
	if f := q.Fault(); f == nil || f.URL != "/u" || f.Code != "bad_input" ||
		f.Message != "the request could not be made: the value of the header Authorization holds a character that HTTP does not allow there" {
		t.Errorf("%+v", f)
	}
}
