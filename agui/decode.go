package agui

// DecodeOptions configure [Decode].
type DecodeOptions struct {
	// Strict refuses what section 8 lets pass in lenient mode.
	Strict bool
	// Warn takes what was kept although it is odd (odd_field), passed over (bad_event) or turned (legacy_shape); nil drops it.
	Warn func(Warning)
}

// Decode makes a typed event of one event's JSON text (section 4). The error is an [*Error] with code bad_event.
func Decode(data string, o DecodeOptions) (Event, error) { return nil, nil }

// Droppable reports whether an event of that type may be passed over when a field is malformed (section 6, last row):
// its loss loses neither text nor the outcome.
func Droppable(t Type) bool { return false }
