package state

// Op is a change's operation, as web/docs/architecture.md numbers it.
type Op uint8

// The operations.
const (
	Assign Op = iota
	Insert
	Remove
	Append
	Move
	Copy
	Arrange
)

// Step is one step of a path: a key, or an index where Key is nil... (see Changes)
type Step struct {
	Key   string
	Index int // used where IsIndex
	// IsIndex says that the step is an array index.
	IsIndex bool
}
