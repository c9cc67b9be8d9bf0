package proto

import "encoding/binary"

// prefix is the number of bytes of a message's length.
const prefix = 4

// keep is the largest buffer that outlives its messages.
const keep = 1 << 20

// Frames cuts a body's bytes, however they come, into messages. It copies each byte at most twice. The zero value has
// no limit.
type Frames struct {
	// Max is the greatest number of bytes of one message; 0 means no limit.
	Max int

	buf  []byte
	read int // where the next message's length begins
}

// Write takes the next bytes of the body; the messages they complete can then be read. It reports false when the
// message that is under way has more than Max bytes, which its length tells: the messages before it can still be
// read, and no more may be written.
func (f *Frames) Write(chunk []byte) (ok bool) {
	if rest := f.buf[f.read:]; f.read > 0 {
		if cap(f.buf) > keep && len(rest) < keep/2 {
			f.buf = append([]byte(nil), rest...)
		} else {
			f.buf = f.buf[:copy(f.buf, rest)]
		}
		f.read = 0
	}
	f.buf = append(f.buf, chunk...)
	for at := 0; ; {
		n, whole := f.length(at)
		switch {
		case n < 0:
			return true
		case f.Max > 0 && n > int64(f.Max):
			f.buf = f.buf[:at] // the length alone: nothing of it may be read
			return false
		case !whole:
			return true
		}
		at += prefix + int(n)
	}
}

// Next gives the next whole message; its bytes hold until the next Write. ok is false where none is left.
func (f *Frames) Next() (message []byte, ok bool) {
	n, whole := f.length(f.read)
	if n < 0 || !whole {
		return nil, false
	}
	from := f.read + prefix
	f.read = from + int(n)
	return f.buf[from:f.read:f.read], true
}

// Partial reports whether a part of a message has come, once Next gives no more: a body that ends here was cut off.
func (f *Frames) Partial() bool { return f.read < len(f.buf) }

// length gives the length of the message whose prefix stands at that index, -1 where the prefix is not whole.
func (f *Frames) length(at int) (n int64, whole bool) {
	if len(f.buf)-at < prefix {
		return -1, false
	}
	n = int64(binary.BigEndian.Uint32(f.buf[at:]))
	return n, n <= int64(len(f.buf)-at-prefix)
}
