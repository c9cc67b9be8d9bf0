package proto

// The wire types of protobuf.
const (
	varint = iota
	fixed64
	bytes
	startGroup
	endGroup
	fixed32
)

// field is one field of a message as it came.
type field struct {
	number int32
	wire   uint8
	n      uint64 // of varint, fixed64 and fixed32
	b      []byte // of bytes
}

// wireReader reads the fields of a message one after the other, groups left out.
type wireReader struct {
	b   []byte
	bad bool // what follows is not protobuf
}

// next gives the next field. ok is false at the message's end, and where bad was set.
func (r *wireReader) next() (f field, ok bool) {
	var groups []int32
	for len(r.b) > 0 {
		f = r.one()
		switch {
		case r.bad:
			return f, false
		case f.wire == startGroup:
			groups = append(groups, f.number)
		case f.wire == endGroup:
			last := len(groups) - 1
			if last < 0 || groups[last] != f.number {
				r.bad = true
				return f, false
			}
			groups = groups[:last]
		case len(groups) == 0:
			return f, true
		}
	}
	r.bad = r.bad || len(groups) > 0
	return f, false
}

// one reads one field, or a group's begin or end.
func (r *wireReader) one() (f field) {
	tag := r.varint()
	f.number, f.wire = int32(tag>>3), uint8(tag&7)
	r.bad = r.bad || tag>>32 != 0 || f.number == 0
	switch f.wire {
	case varint:
		f.n = r.varint()
	case fixed64:
		f.n = r.fixed(8)
	case fixed32:
		f.n = r.fixed(4)
	case bytes:
		n := r.varint()
		if n > uint64(len(r.b)) {
			r.bad = true
			return f
		}
		f.b, r.b = r.b[:n:n], r.b[n:]
	case startGroup, endGroup:
	default:
		r.bad = true
	}
	return f
}

// varint reads a number of at most 64 bits.
func (r *wireReader) varint() (n uint64) {
	for i := range r.b {
		c := r.b[i]
		if i == 9 && c > 1 {
			break
		}
		n |= uint64(c&0x7f) << (7 * i)
		if c < 0x80 {
			r.b = r.b[i+1:]
			return n
		}
	}
	r.bad = true
	return 0
}

// fixed reads a number of size bytes, least significant first.
func (r *wireReader) fixed(size int) (n uint64) {
	if len(r.b) < size {
		r.bad = true
		return 0
	}
	for i := size - 1; i >= 0; i-- {
		n = n<<8 | uint64(r.b[i])
	}
	r.b = r.b[size:]
	return n
}

// parts is a message in the pieces that it came in: protobuf merges a message field that occurs more than once, as if
// its pieces stood one after the other. The first is apart, so that a message in one piece costs no allocation.
type parts struct {
	first []byte
	more  [][]byte
	set   bool
}

func (p *parts) add(b []byte) {
	if p.set {
		p.more = append(p.more, b)
	} else {
		p.first, p.set = b, true
	}
}

// scanner reads the fields of a message in pieces.
type scanner struct {
	r    wireReader
	more [][]byte
}

func (p parts) scan() scanner { return scanner{wireReader{b: p.first}, p.more} }

func (s *scanner) next() (field, bool) {
	for {
		f, ok := s.r.next()
		if ok || s.r.bad || len(s.more) == 0 {
			return f, ok
		}
		s.r.b, s.more = s.more[0], s.more[1:]
	}
}

// wellFormed reports whether bytes are a protobuf message of whatever kind.
func wellFormed(b []byte) bool {
	r := wireReader{b: b}
	for ok := true; ok; {
		_, ok = r.next()
	}
	return !r.bad
}
