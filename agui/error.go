package agui

import "errors"

// Code says what kind of error ended or refused a run.
type Code string

// The error codes.
const (
	BadInput         Code = "bad_input"
	LoadFailed       Code = "load_failed"
	Network          Code = "network"
	HTTPStatus       Code = "http_status"
	BadContentType   Code = "bad_content_type"
	BadEvent         Code = "bad_event"
	EventTooLarge    Code = "event_too_large"
	IdleTimeout      Code = "idle_timeout"
	Protocol         Code = "protocol"
	IncompleteStream Code = "incomplete_stream"
	RunErrorCode     Code = "run_error"
	Internal         Code = "internal"
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
	Repaired     WarningCode = "repaired"
	BadEventWarn WarningCode = "bad_event"
	OddField     WarningCode = "odd_field"
	UnknownEvent WarningCode = "unknown_event"
	LegacyShape  WarningCode = "legacy_shape"
	PatchFailed  WarningCode = "patch_failed"
	IDCollision  WarningCode = "id_collision"
)

// Warning tells of something that was mended, kept or passed over; the run goes on.
type Warning struct {
	Code    WarningCode
	Message string
	Event   JSON // the event it is about, raw, or ""
}
