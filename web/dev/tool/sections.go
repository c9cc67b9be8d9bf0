package main

import (
	"bytes"
	"encoding/binary"
	"errors"
)

func appendSection(module []byte, s wasmSection) []byte {
	module = append(module, s.id)
	module = binary.AppendUvarint(module, uint64(len(s.body)))
	return append(module, s.body...)
}

type wasmSection struct {
	id   byte
	body []byte
}

func sectionsOf(module []byte) (sections []wasmSection, err error) {
	if !bytes.HasPrefix(module, []byte("\x00asm\x01\x00\x00\x00")) {
		return nil, errors.New("not a WebAssembly module")
	}
	for rest := module[8:]; len(rest) > 0; {
		size, n := binary.Uvarint(rest[1:])
		if n <= 0 || uint64(len(rest)-1-n) < size {
			return nil, errors.New("a section is cut off")
		}
		body := rest[1+n:][:size]
		sections = append(sections, wasmSection{rest[0], body})
		rest = rest[1+n+int(size):]
	}
	return sections, nil
}

// imageOf lays a data section out as the memory that it makes; begin is where its first byte lies.
func imageOf(body []byte) (memory []byte, begin int, err error) {
	count, n := binary.Uvarint(body)
	body = body[n:]
	begin = -1
	for range count {
		// A segment: memory 0, i32.const offset, end, size, bytes.
		if len(body) < 4 || body[0] != 0 || body[1] != 0x41 {
			return nil, 0, errors.New("a data segment is not of the known kind")
		}
		offset, n := signed(body[2:])
		body = body[2+n:]
		if len(body) == 0 || body[0] != 0x0b {
			return nil, 0, errors.New("a data segment's offset is not a constant")
		}
		size, n := binary.Uvarint(body[1:])
		body = body[1+n:]
		if uint64(len(body)) < size {
			return nil, 0, errors.New("a data segment is cut off")
		}
		if begin < 0 || offset < begin {
			begin = offset
		}
		if end := offset + int(size); end > len(memory) {
			memory = append(memory, make([]byte, end-len(memory))...)
		}
		copy(memory[offset:], body[:size])
		body = body[size:]
	}
	return memory, begin, nil
}

// segmentsOf writes memory as a data section, without its longer runs of zeros.
func segmentsOf(memory []byte, begin int) []byte {
	const worth = 32 // zeros that cost less than a further segment, whose header no compressor can guess
	var segments []byte
	count := 0
	for at := begin; at < len(memory); {
		if memory[at] == 0 {
			at++
			continue
		}
		end, zeros := at, 0
		for i := at; i < len(memory) && zeros < worth; i++ {
			if memory[i] == 0 {
				zeros++
			} else {
				end, zeros = i+1, 0
			}
		}
		segments = append(segments, 0, 0x41)
		segments = appendSigned(segments, at)
		segments = append(segments, 0x0b)
		segments = binary.AppendUvarint(segments, uint64(end-at))
		segments = append(segments, memory[at:end]...)
		count++
		at = end
	}
	return append(binary.AppendUvarint(nil, uint64(count)), segments...)
}

// signed reads a signed LEB128 number that is not negative.
func signed(b []byte) (value, n int) {
	for shift := 0; ; shift += 7 {
		value |= int(b[n]&0x7f) << shift
		if n++; b[n-1]&0x80 == 0 {
			return value, n
		}
	}
}

func appendSigned(dst []byte, value int) []byte {
	for {
		b := byte(value & 0x7f)
		value >>= 7
		if value == 0 && b&0x40 == 0 {
			return append(dst, b)
		}
		dst = append(dst, b|0x80)
	}
}
