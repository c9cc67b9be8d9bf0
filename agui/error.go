package agui

import "errors"

// Code says what kind of error ended or refused a run.
type Code string

// The error codes. Package state/rejoin has those of a run that could not be read to its end; a page has "load_failed"
// besides, where it could not load the runtime.
const (
	// CodeBadInput: what the program itself gave cannot be used; the message names the field. Nothing was sent.
	CodeBadInput Code = "bad_input"
	// CodeNetwork: the agent could not be reached, the connection broke, or the caller ended the request; Cause says
	// which.
	CodeNetwork Code = "network"
	// CodeHTTPStatus: the server answered with a status that carries no stream.
	CodeHTTPStatus Code = "http_status"
	// CodeBadContentType: the answer is not an event stream.
	CodeBadContentType Code = "bad_content_type"
	// CodeBadEvent: an event is malformed, and nothing can be made of it; Event is it.
	CodeBadEvent Code = "bad_event"
	// CodeEventTooLarge: an event is larger than the limit.
	CodeEventTooLarge Code = "event_too_large"
	// CodeIdleTimeout: nothing came for as long as the caller allows (in a browser alone).
	CodeIdleTimeout Code = "idle_timeout"
	// CodeProtocol: an event breaks a rule of section 6, in strict mode; Event is it.
	CodeProtocol Code = "protocol"
	// CodeIncompleteStream: the stream ended before the run did.
	CodeIncompleteStream Code = "incomplete_stream"
	// CodeRunError: the agent ended the run with RUN_ERROR, whose words the message has.
	CodeRunError Code = "run_error"
	// CodeInternal: a fault of the runtime itself (in a browser alone).
	CodeInternal Code = "internal"
)

// Error is what ends or refuses a run. Message is one plain sentence for a person.
// The other fields are set where the code calls for them.
type Error struct {
	Code    Code
	Message string
	Event   JSON // the event at fault, raw, or ""
	Cause   error
}

// Error implements error.
func (e *Error) Error() string { return string(e.Code) + ": " + e.Message }

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.Cause }

// Is reports whether target is an *Error of the same code, so that errors.Is(err, &Error{Code: CodeProtocol}) works.
func (e *Error) Is(target error) bool {
	t, ok := target.(*Error)
	return ok && t.Code == e.Code
}

// CodeOf gives the code of the first *Error in err's chain, or "".
func CodeOf(err error) Code {
	var e *Error
	if errors.As(err, &e) {
		return e.Code
	}
	return ""
}

// WarningCode says what kind of thing a warning is about.
type WarningCode string

// The warning codes.
const (
	// WarnRepaired: an event broke a rule of section 6, which the message names, and was mended.
	WarnRepaired WarningCode = "repaired"
	// WarnBadEvent: a malformed event was passed over.
	WarnBadEvent WarningCode = "bad_event"
	// WarnOddField: a field is not of its kind, and was kept or left out.
	WarnOddField WarningCode = "odd_field"
	// WarnUnknownEvent: the protocol does not know an event's type; it is handed on as an [*Unknown].
	WarnUnknownEvent WarningCode = "unknown_event"
	// WarnLegacyShape: an event or a part has a retired shape, and was turned into that of 1.0.
	WarnLegacyShape WarningCode = "legacy_shape"
	// WarnPatchFailed: a delta does not apply; the state, or the activity, is as it was before.
	WarnPatchFailed WarningCode = "patch_failed"
	// WarnIDCollision: an id names two messages; the second is kept under an id made from both (section 7).
	WarnIDCollision WarningCode = "id_collision"
	// WarnNewerProtocol: RUN_STARTED names a version of the protocol that is newer than [ProtocolVersion], or none that
	// can be read.
	WarnNewerProtocol WarningCode = "newer_protocol"
)

// Warning tells of something that was mended, kept or passed over; the run goes on.
type Warning struct {
	Code    WarningCode
	Message string
	Event   JSON // the event it is about, raw, or ""
}
