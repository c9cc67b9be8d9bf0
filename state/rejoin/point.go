package rejoin

import (
	"strings"

	"aguiwasm/agui/rawjson"
)

// Point is where a page has come in a run: what it keeps to go on from there when it is loaded anew.
type Point struct {
	// Cursor is the last event's that was handed out; "" is none.
	Cursor string
	// ThreadID and RunID are those that the server answers under.
	ThreadID, RunID string
	// Open is what [agui.Pipeline.Open] gave.
	Open []string
	// Body is that of the run's first request.
	Body string
}

// ReadPoint reads what [Legs.Point] wrote, and a member body beside it.
func ReadPoint(text string) (p Point) {
	for key, v := range rawjson.Members(text) {
		switch key.Decode() {
		case "cursor":
			p.Cursor = str(v)
		case "threadId":
			p.ThreadID = str(v)
		case "runId":
			p.RunID = str(v)
		case "open":
			for _, e := range rawjson.Elements(v) {
				p.Open = append(p.Open, e)
			}
		case "body":
			p.Body = str(v)
		}
	}
	return p
}

// Point gives where the run stands, as JSON; "" where no leg could go on from there. open is what [agui.Pipeline.Open]
// gives.
func (l *Legs) Point(open []string) string {
	if l.cursor == "" || l.shape != ByCursor || l.joining {
		return ""
	}
	return `{"cursor":` + quote(l.cursor) + `,"threadId":` + quote(l.threadID) + `,"runId":` + quote(l.runID) +
		`,"open":[` + strings.Join(open, ",") + `]}`
}

// Body gives the body of the run's first request.
func (l *Legs) Body() string { return l.c.Body }
