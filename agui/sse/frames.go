package sse

import (
	"bytes"
	"unicode/utf8"

	"aguiwasm/agui/rawjson"
)

// Frames cuts a body's bytes into whole frames: a frame is what stands before a blank line (WHATWG HTML, section 9.2.5:
// lines end in LF, CR or CRLF). It keeps bytes until the blank line comes and never looks at a byte twice, so that the
// time is linear in the body however it is cut. Whole frames come out of [Frames.Read] with LF line ends, without
// comment lines and with invalid UTF-8 replaced as the WHATWG Encoding standard's decoder does.
//
// The zero value has no size limit.
type Frames struct {
	// Max is the greatest number of bytes that one frame may have; 0 means no limit.
	Max int

	buf   []byte
	read  int // buf[read:whole] are whole frames not yet read
	whole int
	line  int   // where the last line of buf begins
	ends  []int // where the whole frames end
	next  int   // the first of ends that is not read
	// afterCR says that the last line ended in CR, so that an LF that follows belongs to it.
	afterCR bool
}

// keep is the largest buffer that outlives its frames.
const keep = 2 << 20

// Write takes the next bytes of the body; the frames they complete can then be read. It reports false when the frame
// that is under way has more than Max bytes: the frames before it can still be read, and no more may be written.
func (f *Frames) Write(chunk []byte) (ok bool) {
	f.compact()
	for len(chunk) > 0 {
		if f.afterCR {
			f.afterCR = false
			if chunk[0] == '\n' {
				chunk = chunk[1:]
				continue
			}
		}
		end := lineEnd(chunk)
		if end < 0 {
			f.buf = append(f.buf, chunk...)
			return !f.tooLarge()
		}
		f.buf = append(f.buf, chunk[:end]...)
		f.afterCR = chunk[end] == '\r'
		chunk = chunk[end+1:]
		if f.tooLarge() {
			return false
		}
		f.endLine()
	}
	return true
}

// End closes the last frame at the end of a body that ended well before a blank line came. It reports whether there was
// one.
func (f *Frames) End() (unterminated bool) {
	f.compact()
	if len(f.buf) > f.line {
		f.endLine()
	}
	if len(f.buf) == f.whole {
		return false
	}
	f.endLine()
	return true
}

// Whole reports whether a whole frame is left to read.
func (f *Frames) Whole() bool { return f.next < len(f.ends) }

// long is the length from which a line of data is given by itself.
const long = 16 << 10

// longLine takes the first whole frame that is left, where it is one long line of data and nothing else, and gives that
// data.
func (f *Frames) longLine() (data string, ok bool) {
	if !f.Whole() || f.next > 0 && f.read != f.ends[f.next-1] || f.next == 0 && f.read > 0 {
		return "", false
	}
	frame := f.buf[f.read:f.ends[f.next]]
	if len(frame) < long || string(frame[:len("data:")]) != "data:" || bytes.IndexByte(frame, '\n') != len(frame)-2 {
		return "", false
	}
	f.read = f.ends[f.next]
	f.next++
	line := frame[len("data:") : len(frame)-2]
	if line[0] == ' ' {
		line = line[1:]
	}
	return string(line), true
}

// Read gives bytes of the first whole frame that is left, and never of two, so that the parser's buffer is empty when
// it asks for more and nothing in it has to be moved. 0 means that no frame is left.
func (f *Frames) Read(p []byte) int {
	if !f.Whole() {
		return 0
	}
	end := f.ends[f.next]
	n := copy(p, f.buf[f.read:end])
	if f.read += n; f.read == end {
		f.next++
	}
	return n
}

// Next gives the first whole frame that is left, and none of another. It is good until the next Write.
func (f *Frames) Next() (frame []byte, ok bool) {
	if !f.Whole() {
		return nil, false
	}
	frame = f.buf[f.read:f.ends[f.next]]
	f.read = f.ends[f.next]
	f.next++
	return frame, true
}

// endLine ends the line at the end of buf: a comment is dropped, a blank line ends the frame.
func (f *Frames) endLine() {
	switch line := f.buf[f.line:]; {
	case len(line) > 0 && line[0] == ':':
		f.buf = f.buf[:f.line]
	case len(line) > 0:
		f.buf = append(f.buf, '\n')
		f.line = len(f.buf)
	case len(f.buf) > f.whole:
		if frame := f.buf[f.whole:]; !utf8.Valid(frame) {
			f.buf = rawjson.AppendValid(f.buf[:f.whole:f.whole], frame)
		}
		f.buf = append(f.buf, '\n')
		f.line, f.whole = len(f.buf), len(f.buf)
		f.ends = append(f.ends, f.whole)
	}
}

func (f *Frames) tooLarge() bool { return f.Max > 0 && len(f.buf)-f.whole > f.Max }

// compact forgets the frames that were read. A frame that is under way is moved only when others came before it, so
// that each byte moves at most once a frame.
func (f *Frames) compact() {
	if f.read < f.whole || f.whole == 0 {
		return
	}
	rest := f.buf[f.whole:]
	if cap(f.buf) > keep && len(rest) < keep/2 {
		f.buf = append([]byte(nil), rest...)
	} else {
		f.buf = f.buf[:copy(f.buf, rest)]
	}
	f.line -= f.whole
	f.read, f.whole = 0, 0
	f.ends, f.next = f.ends[:0], 0
}

// lineEnd gives the index of the first LF or CR, or -1.
func lineEnd(b []byte) int {
	lf := bytes.IndexByte(b, '\n')
	if lf >= 0 {
		b = b[:lf]
	}
	if cr := bytes.IndexByte(b, '\r'); cr >= 0 {
		return cr
	}
	return lf
}
