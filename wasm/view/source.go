// Package view puts the chat into a page, through honnef.co/go/js/dom: it keeps one tree of package vnode in the page,
// changes only what differs, at most once per animation frame, and hears what people do there.
//
// What is shown is decided in pure Go: package model keeps the conversation, package ui says what it looks like. The
// script's half (web/js/view/view.js) stands between an agent and this package; see [Source].
package view

// Source is the agent, as the view sees it. Nothing of it may panic.
type Source interface {
	// Pull gives what happened since the last Pull as model.Conversation.Apply takes it, or "" for nothing.
	Pull() string
	// Send sends a person's words and attached files, named by the ids of Attach.
	Send(text string, files []string)
	// Stop ends the run that is going on.
	Stop()
	// Retry tries again what failed.
	Retry()
	// Reconnect reads what the server has of the thread, and starts nothing.
	Reconnect()
	// Resume answers all interrupts; entries is a ResumeEntry[] as JSON.
	Resume(entries string)
	// Dismiss leaves a question or a waiting call without an answer, by its id.
	Dismiss(id string)
	// Approve lets the handler of a waiting call run, or refuses it.
	Approve(id string, yes bool)
	// Unqueue takes back words that wait for the run's end.
	Unqueue(id string)
	// Draw lets the page draw a tool call or an activity into the place that ui.Slot names. false: it failed.
	Draw(kind, name, id string, status string) bool
	// Blob gives an address for base64 data, or "".
	Blob(mime, base64 string) string
}
