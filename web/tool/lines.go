package main

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
)

// dropLines takes the line tables out of a WebAssembly that Go's linker made: which line of which file each program counter
// is on. Only the trace of a crash reads them, and they are 4 % of the file after brotli. A trace still names its
// functions. What the program itself needs of these tables (stack sizes, stack maps) stays as it is.
//
// The tables are those of runtime/symtab.go and runtime/runtime2.go. They are found by their header; a layout that is not the
// known one is an error, so that another toolchain cannot be cut wrongly.
func dropLines(module []byte) ([]byte, error) {
	sections, err := sectionsOf(module)
	if err != nil {
		return nil, err
	}
	const dataSection = 11
	out := append([]byte(nil), module[:8]...)
	found := false
	for _, s := range sections {
		if s.id == dataSection {
			memory, begin, err := imageOf(s.body)
			if err != nil {
				return nil, err
			}
			if err := blankLines(memory); err != nil {
				return nil, err
			}
			s.body, found = segmentsOf(memory, begin), true
		}
		out = append(out, s.id)
		out = binary.AppendUvarint(out, uint64(len(s.body)))
		out = append(out, s.body...)
	}
	if !found {
		return nil, errors.New("the module has no data")
	}
	return out, nil
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
	const worth = 8 // bytes that a further segment costs
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

// blankLines takes the references to the line tables away and zeroes what nothing refers to any more.
func blankLines(memory []byte) error {
	header := bytes.Index(memory, []byte{0xf1, 0xff, 0xff, 0xff, 0, 0, 1, 8})
	if header < 0 || bytes.Contains(memory[header+8:], memory[header:header+8]) {
		return errors.New("the program's tables were not found: is it another version of Go?")
	}
	table := memory[header:]
	word := func(i int) int { return int(binary.LittleEndian.Uint64(table[8+8*i:])) }
	funcs, names, units, files, pcs, entries := word(0), word(3), word(4), word(5), word(6), word(7)
	if !(0 < names && names < units && units < files && files < pcs && pcs < entries && entries+8*funcs < len(table)) {
		return fmt.Errorf("the program's tables lie in an order that is not known: %d %d %d %d %d", names, units, files, pcs, entries)
	}
	u32 := func(at int) int { return int(binary.LittleEndian.Uint32(table[at:])) }
	used := make([]bool, entries-pcs)
	used[0] = true // offset 0 is no table
	keep := func(offset int) error {
		if offset == 0 {
			return nil
		}
		for first, at := true, offset; ; first = false {
			if at >= len(used) {
				return errors.New("a table of the program is cut off")
			}
			if !first && table[pcs+at] == 0 {
				used[at] = true
				return nil
			}
			for range 2 { // the value's delta, then the program counter's
				_, n := binary.Uvarint(table[pcs+at:])
				if n <= 0 || at+n > len(used) {
					return errors.New("a table of the program is cut off")
				}
				for i := range n {
					used[at+i] = true
				}
				at += n
			}
		}
	}
	const pcsp, pcfile, pcln, pcdataCount, pcdata = 16, 20, 24, 28, 44 // offsets in runtime._func
	for i := range funcs {
		f := entries + u32(entries+8*i+4)
		if f+pcdata > len(table) || u32(f) != u32(entries+8*i) {
			return errors.New("a function's entry is not where its table says")
		}
		if err := keep(u32(f + pcsp)); err != nil {
			return err
		}
		clear(table[f+pcfile : f+pcln+4])
		for k := range u32(f + pcdataCount) {
			if err := keep(u32(f + pcdata + 4*k)); err != nil {
				return err
			}
		}
	}
	for i, u := range used {
		if !u {
			table[pcs+i] = 0
		}
	}
	clear(table[units:pcs]) // which files there are
	return nil
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
