package agui

import "errors"

// Code says what kind of error ended or refused a run.
type Code string

// The error codes.
const (
	CodeBadInput         Code = "bad_input"
	CodeLoadFailed       Code = "load_failed"
	CodeNetwork          Code = "network"
	CodeHTTPStatus       Code = "http_status"
	CodeBadContentType   Code = "bad_content_type"
	CodeBadEvent         Code = "bad_event"
	CodeEventTooLarge    Code = "event_too_large"
	CodeIdleTimeout      Code = "idle_timeout"
	CodeProtocol         Code = "protocol"
	CodeIncompleteStream Code = "incomplete_stream"
	CodeRunError         Code = "run_error"
	CodeInternal         Code = "internal"
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

// Is reports whether target is an *Error of the same code, so that errors.Is(err, &Error{Code: Protocol}) works.
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
	WarnRepaired     WarningCode = "repaired"
	WarnBadEvent     WarningCode = "bad_event"
	WarnOddField     WarningCode = "odd_field"
	WarnUnknownEvent WarningCode = "unknown_event"
	WarnLegacyShape  WarningCode = "legacy_shape"
	WarnPatchFailed  WarningCode = "patch_failed"
	WarnIDCollision  WarningCode = "id_collision"
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
