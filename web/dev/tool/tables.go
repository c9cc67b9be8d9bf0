package main

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// layout says where runtime.moduledata has what is read of it here. It differs by Go's release, and no mark in the
// program tells which release it is of.
type layout struct {
	buckets, minPC, maxPC, text int
	gofunc, end                 int // the functions' data; epclntab
	size                        int // as much of it as is read
}

// layouts are those that were looked up in runtime/symtab.go. A further release that changed nothing needs a line of
// its own.
var layouts = map[string]layout{
	"go1.26": {buckets: 152, minPC: 160, maxPC: 168, text: 176, gofunc: 320, end: 328, size: 336},
	// Go 1.27 put typedesclen before etypes, and itaboffset and itabsize behind it.
	"go1.27": {buckets: 152, minPC: 160, maxPC: 168, text: 176, gofunc: 344, end: 352, size: 360},
}

// pcBits of a program counter count within a function.
const pcBits = 16

// thinned gives the module with thinned tables, or whole where the toolchain's layout is not known or is not what the
// module has. Thinning only makes it smaller: then one line goes to log, and the build goes on. With a trimmed library
// the functions' names go too; names has them by the functions' numbers.
func thinned(module []byte, version string, trimmed bool, log io.Writer) (thin []byte, names map[int]string) {
	known, ok := layouts[release(version)]
	err := errors.New("the layout of its tables is not known")
	if ok {
		if thin, names, err = thinTables(module, known, trimmed); err == nil {
			return thin, names
		}
	}
	fmt.Fprintf(log, "not thinned, agui.wasm is larger: %s: %v (see web/docs/toolchain.md)\n", version, err)
	return module, nil
}

// thinTables takes what nobody needs out of the tables of a WebAssembly that Go's linker made, which are a good part of
// it:
//
//   - the line tables: which line of which file each program counter is on. Only the trace of a crash reads them; it
//     still names its functions. What the program itself needs (stack sizes, stack maps) stays as it is;
//   - what else only traces read: arguments, first lines; and the points of asynchronous preemption, which WebAssembly
//     has not;
//   - the names of functions, where trimmed says that their numbers are printed too (names.go);
//   - the parts that are never read of the table by which a program counter finds its function.
//
// The tables are those of runtime/symtab.go and runtime/runtime2.go. They are found by their header; a layout that is
// not the known one is an error, so that another toolchain cannot be cut wrongly. The module that is given stays as it
// is.
func thinTables(module []byte, known layout, trimmed bool) (thin []byte, names map[int]string, err error) {
	sections, err := sectionsOf(module)
	if err != nil {
		return nil, nil, err
	}
	const dataSection = 11
	out := append([]byte(nil), module[:8]...)
	found := false
	var columns []byte
	for _, s := range sections {
		if s.id == dataSection {
			memory, begin, err := imageOf(s.body)
			if err != nil {
				return nil, nil, err
			}
			t, err := tablesOf(memory, known)
			if err != nil {
				return nil, nil, err
			}
			if err := t.blankLines(trimmed); err != nil {
				return nil, nil, err
			}
			if err := t.blankBuckets(); err != nil {
				return nil, nil, err
			}
			if trimmed {
				if names, err = t.blankNames(); err != nil {
					return nil, nil, err
				}
			}
			if columns, err = t.columns(); err != nil {
				return nil, nil, err
			}
			s.body, found = segmentsOf(memory, begin), true
		}
		out = appendSection(out, s)
	}
	if !found {
		return nil, nil, errors.New("the module has no data")
	}
	if columns == nil {
		return out, names, nil
	}
	const customSection = 0
	name := append([]byte{byte(len(columnsSection))}, columnsSection...)
	return appendSection(out, wasmSection{customSection, append(name, columns...)}), names, nil
}

// tables are where the program's tables lie. Offsets count from the header.
type tables struct {
	layout
	memory  []byte
	header  int
	table   []byte // memory from the header on
	funcs   int    // how many functions there are
	names   int
	units   int // which files there are, to pcs
	pcs     int
	entries int
	module  int   // where runtime.moduledata lies in memory
	limit   int   // where the tables end in memory
	data    int   // where in memory the functions' data begin, such as the trees of inlined calls
	parts   []int // where in the functions' data each one began, before any was left out
}

func tablesOf(memory []byte, known layout) (*tables, error) {
	header := bytes.Index(memory, []byte{0xf1, 0xff, 0xff, 0xff, 0, 0, 1, 8})
	if header < 0 || bytes.Contains(memory[header+8:], memory[header:header+8]) {
		return nil, errors.New("the program's tables were not found: is it another version of Go?")
	}
	table := memory[header:]
	word := func(i int) int { return int(binary.LittleEndian.Uint64(table[8+8*i:])) }
	t := &tables{layout: known, memory: memory, header: header, table: table, funcs: word(0), names: word(3),
		units: word(4), pcs: word(6), entries: word(7)}
	if files := word(5); !(0 < t.names && t.names < t.units && t.units < files && files < t.pcs && t.pcs < t.entries &&
		t.entries+8*t.funcs < len(table)) {
		return nil, fmt.Errorf("the program's tables lie in an order that is not known: %d %d %d %d %d", t.names,
			t.units, files, t.pcs, t.entries)
	}
	// runtime.moduledata begins with the header's address and the first table's.
	begin := binary.LittleEndian.AppendUint64(nil, uint64(header))
	begin = binary.LittleEndian.AppendUint64(begin, uint64(header+t.names))
	t.module = bytes.Index(memory, begin)
	if t.module < 0 || bytes.Contains(memory[t.module+1:], begin) || t.module+t.size > len(memory) {
		return nil, errors.New("the program's description of itself was not found")
	}
	if t.limit = t.described(t.end); t.limit <= header+t.entries || t.limit > len(memory) {
		return nil, fmt.Errorf("the program's tables end at %d", t.limit)
	}
	if t.data = t.described(t.gofunc); t.data <= header+t.entries+8*t.funcs || t.data >= t.described(t.buckets) {
		return nil, fmt.Errorf("the functions' data lie at %d", t.data)
	}
	return t, nil
}

// described reads a word of runtime.moduledata.
func (t *tables) described(offset int) int {
	return int(binary.LittleEndian.Uint64(t.memory[t.module+offset:]))
}

// blankLines takes the references to the line tables away and zeroes what nothing refers to any more. Where the names
// go too (trimmed), inlined calls would have none in a trace: their trees go as well.
func (t *tables) blankLines(trimmed bool) error {
	table, pcs, entries := t.table, t.pcs, t.entries
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
	for i := range t.funcs {
		f := entries + u32(entries+8*i+4)
		if f+pcdata > len(table) || u32(f) != u32(entries+8*i) {
			return errors.New("a function's entry is not where its table says")
		}
		if err := keep(u32(f + pcsp)); err != nil {
			return err
		}
		clear(table[f+pcfile : f+pcln+4])
		clear(table[f+cuOffset : f+startLine+4])
		counters, data := u32(f+pcdataCount), int(table[f+dataCount])
		if f+pcdata+4*(counters+data) > len(table) {
			return errors.New("a function's tables are cut off")
		}
		for k := range counters {
			at := f + pcdata + 4*k
			if k == unsafePoint || k == argLive || trimmed && k == inlTreeIndex {
				clear(table[at : at+4])
			} else if err := keep(u32(at)); err != nil {
				return err
			}
		}
		for k := range data {
			at := f + pcdata + 4*(counters+k)
			if uint32(u32(at)) != none {
				t.parts = append(t.parts, u32(at))
			}
			if k == argInfo || k == argLiveInfo || k == wrapInfo || trimmed && k == inlTree {
				binary.LittleEndian.PutUint32(table[at:], none)
			} else if k == inlTree && counters > inlTreeIndex && uint32(u32(at)) != none {
				if err := t.blankTree(u32(at), u32(f+pcdata+4*inlTreeIndex)); err != nil {
					return err
				}
			}
		}
	}
	for i, u := range used {
		if !u {
			table[pcs+i] = 0
		}
	}
	clear(table[t.units:pcs])
	return nil
}

// Offsets in runtime._func.
const pcsp, pcfile, pcln, pcdataCount, cuOffset, startLine, dataCount, pcdata = 16, 20, 24, 28, 32, 36, 43, 44

// What a function has tables and data of, as internal/abi/symtab.go numbers them.
const (
	unsafePoint, inlTreeIndex, argLive             = 0, 2, 3
	argsMaps, localsMaps                           = 0, 1
	inlTree, argInfo, argLiveInfo, wrapInfo        = 3, 5, 6, 7
	none                                    uint32 = 1<<32 - 1
)

// blankTree zeroes the first lines of the inlined calls of a tree, whose indices the table at offset indices gives.
func (t *tables) blankTree(tree, indices int) error {
	const size, startLine = 16, 12 // of runtime.inlinedCall
	if indices == 0 {
		return nil
	}
	last, index := -1, -1
	for first, at := true, t.pcs+indices; at < t.entries && (first || t.table[at] != 0); first = false {
		delta, n := binary.Uvarint(t.table[at:])
		_, m := binary.Uvarint(t.table[at+max(n, 0):])
		if n <= 0 || m <= 0 {
			return errors.New("a table of the program is cut off")
		}
		index += int(int32(-(delta & 1) ^ delta>>1))
		last = max(last, index)
		at += n + m
	}
	begin := t.data + tree
	if begin+size*(last+1) > t.described(t.buckets) {
		return errors.New("a tree of inlined calls is cut off")
	}
	for i := range last + 1 {
		clear(t.memory[begin+size*i+startLine:][:4])
	}
	return nil
}

// blankBuckets zeroes what is never read of the buckets that runtime.findfunc looks into: one for each 4,096 program
// counters, with the first function there. In WebAssembly a function has 65,536 program counters and is looked for by
// its first, so that one bucket in sixteen is read. All of them are 1.2 MB.
func (t *tables) blankBuckets() error {
	const size, perFunction = bucketSize, bucketsRead
	buckets, minPC, maxPC, text := t.described(t.buckets), t.described(t.minPC), t.described(t.maxPC),
		t.described(t.text)
	count := (maxPC - minPC) >> 12 // whole ones; a part of another may follow
	if minPC&(1<<pcBits-1) != 0 || text&(1<<pcBits-1) != 0 || count <= 0 || buckets <= 0 ||
		buckets+size*count > t.limit ||
		t.limit != buckets+4*((maxPC-minPC+4095)>>12)+(maxPC-minPC+255)>>8 {
		return fmt.Errorf("the program's description of itself is not of the known kind: %d %d %d %d %d", buckets,
			minPC, maxPC, text, t.limit)
	}
	u32 := func(at int) int { return int(binary.LittleEndian.Uint32(t.memory[at:])) }
	for i := range t.funcs { // each function must be found as findfunc looks for it
		bucket := (u32(t.header+t.entries+8*i)<<pcBits + text - minPC) >> 12
		if bucket < 0 || bucket > count {
			return errors.New("a function has no bucket")
		}
		at := buckets + size*bucket
		if first := u32(at) + int(t.memory[at+4]); first > i {
			return errors.New("a bucket leads behind its function")
		} else if t.memory[at+4] != 0 {
			return errors.New("a bucket does not begin with its function")
		}
	}
	for i := range count {
		if at := buckets + size*i; i%perFunction == 0 {
			clear(t.memory[at+5 : at+size])
		} else {
			clear(t.memory[at : at+size])
		}
	}
	return nil
}

const (
	bucketSize  = 20 // an index, and 16 differences to it
	bucketsRead = 16 // one in so many is read
)
