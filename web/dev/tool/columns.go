package main

import (
	"encoding/binary"
	"errors"
	"slices"
)

// columnsSection names the custom section that has the functions' rows as columns.
const columnsSection = "columns"

// columns takes the functions' rows (runtime._func), the table that leads to them and the buckets out of the memory,
// and gives them as columns: a row's fields have nothing in common with each other, and each much with the same field
// of the row before. The script lays them out again before the program starts (web/js/core/columns.js). What the rows
// lead to moves together, in the order in which they name it.
//
// All rows get one size; where that does not fit, as in a small program whose library is not trimmed, nothing is
// changed. A table or datum that a function has not stands there as none, which the runtime reads as it reads one that
// the row has no place for.
//
// The section is a sequence of columns, each of unsigned LEB128 numbers:
//
//	address, stride, rows     where the column's first four bytes go, and how far apart the others are
//	n, n numbers              its different values in the order in which they first come; each as the difference
//	                          from the one before, zigzag
//	a number for each row     0 is the next value that has not come yet, k is the k-th of them
func (t *tables) columns() ([]byte, error) {
	u32 := func(at int) int { return int(binary.LittleEndian.Uint32(t.table[at:])) }
	rows := make([]row, t.funcs)
	counters, kinds := 0, 0
	for i := range rows {
		r := &rows[i]
		f := t.entries + u32(t.entries+8*i+4)
		copy(r.head[:], t.table[f:])
		n := u32(f + pcdataCount)
		for k := range n {
			r.counters = append(r.counters, uint32(u32(f+pcdata+4*k)))
		}
		for k := range int(t.table[f+dataCount]) {
			r.data = append(r.data, uint32(u32(f+pcdata+4*(n+k))))
		}
		r.counters, r.data = shortened(r.counters, 0), shortened(r.data, none)
		counters, kinds = max(counters, len(r.counters)), max(kinds, len(r.data))
	}
	for i := range rows {
		r := &rows[i]
		for len(r.counters) < counters {
			r.counters = append(r.counters, 0)
		}
		for len(r.data) < kinds {
			r.data = append(r.data, none)
		}
		binary.LittleEndian.PutUint32(r.head[pcdataCount:], uint32(counters))
		r.head[dataCount] = byte(kinds)
	}
	first, size := 8*(t.funcs+1), pcdata+4*(counters+kinds) // what leads to the rows has one entry more, its end
	if t.header+t.entries+first+size*len(rows) > t.data {
		return nil, nil
	}
	if err := t.moveCounters(rows, counters); err != nil {
		return nil, err
	}
	if err := t.moveData(rows, kinds); err != nil {
		return nil, err
	}
	return t.taken(rows, first, size), nil
}

// row is one of runtime._func.
type row struct {
	head           [pcdata]byte
	counters, data []uint32 // offsets in the tables of program counters, and in the functions' data
}

// shortened leaves out what a list ends with.
func shortened(list []uint32, last uint32) []uint32 {
	for len(list) > 0 && list[len(list)-1] == last {
		list = list[:len(list)-1]
	}
	return list
}

// moveCounters lays the tables of program counters that are left one behind the other.
func (t *tables) moveCounters(rows []row, counters int) error {
	area := []byte{0} // offset 0 is no table
	places := map[uint32]uint32{0: 0}
	place := func(offset uint32) (uint32, error) {
		if at, ok := places[offset]; ok {
			return at, nil
		}
		end, err := t.endOfCounter(int(offset))
		if err != nil {
			return 0, err
		}
		at := uint32(len(area))
		places[offset] = at
		area = append(area, t.table[t.pcs+int(offset):t.pcs+end]...)
		return at, nil
	}
	var err error
	for i := range rows {
		field := rows[i].head[pcsp:][:4]
		at, wrong := place(binary.LittleEndian.Uint32(field))
		binary.LittleEndian.PutUint32(field, at)
		err = errors.Join(err, wrong)
	}
	for k := range counters {
		for i := range rows {
			at, wrong := place(rows[i].counters[k])
			rows[i].counters[k] = at
			err = errors.Join(err, wrong)
		}
	}
	if err != nil || len(area) > t.entries-t.pcs {
		return errors.Join(err, errNoRoom)
	}
	clear(t.table[t.pcs:t.entries])
	copy(t.table[t.pcs:], area)
	return nil
}

var errNoRoom = errors.New("the program's tables do not fit into their place")

// endOfCounter gives where in the tables of program counters that at offset ends.
func (t *tables) endOfCounter(offset int) (int, error) {
	at := t.pcs + offset
	for first := true; at < t.entries; first = false {
		if !first && t.table[at] == 0 {
			return at + 1 - t.pcs, nil
		}
		for range 2 {
			_, n := binary.Uvarint(t.table[at:t.entries])
			if n <= 0 {
				return 0, errCutOff
			}
			at += n
		}
	}
	return 0, errCutOff
}

var errCutOff = errors.New("a table of the program is cut off")

// moveData lays the functions' data that are left one behind the other: the maps of pointers by their size, the others
// as they lay. Each ends at the latest where the next one began.
func (t *tables) moveData(rows []row, kinds int) error {
	end := t.described(t.buckets) - t.data
	begins := append(slices.Clone(t.parts), end)
	slices.Sort(begins)
	begins = slices.Compact(begins)
	if begins[len(begins)-1] != end {
		return errors.New("the functions' data lie behind their end")
	}
	const unit = 8 // the alignment that the linker may give them
	var area []byte
	places := map[uint32]uint32{none: none}
	for k := range kinds {
		for i := range rows {
			offset := rows[i].data[k]
			at, ok := places[offset]
			if !ok {
				next, _ := slices.BinarySearch(begins, int(offset)+1)
				if next == 0 || next == len(begins) || begins[next-1] != int(offset) {
					return errors.New("a function's datum was not there before")
				}
				datum := t.memory[t.data+int(offset) : t.data+begins[next]]
				if k == argsMaps || k == localsMaps {
					size, err := mapsSize(datum)
					if err != nil {
						return err
					}
					datum = datum[:size]
				}
				align := 4
				if offset%unit == 0 && k != argsMaps && k != localsMaps {
					align = unit
				}
				for len(area)%align != 0 {
					area = append(area, 0)
				}
				at = uint32(len(area))
				places[offset] = at
				area = append(area, datum...)
			}
			rows[i].data[k] = at
		}
	}
	if len(area) > end {
		return errNoRoom
	}
	clear(t.memory[t.data : t.data+end])
	copy(t.memory[t.data:], area)
	return nil
}

// mapsSize gives the size of a runtime.stackmap.
func mapsSize(datum []byte) (int, error) {
	if len(datum) < 8 {
		return 0, errCutOff
	}
	count, bits := int(binary.LittleEndian.Uint32(datum)), int(binary.LittleEndian.Uint32(datum[4:]))
	size := 8 + count*((bits+7)/8)
	if size > len(datum) {
		return 0, errCutOff
	}
	return size, nil
}

// taken takes the rows, each of size bytes, and what leads to them out of the memory. The rows begin behind the first
// bytes of their area.
func (t *tables) taken(rows []row, first, size int) []byte {
	begin := t.header + t.entries
	var section []byte
	column := func(address, stride, count int, value func(i int) uint32) {
		section = appendColumn(section, address, stride, count, value)
	}
	word := func(at int) uint32 { return binary.LittleEndian.Uint32(t.memory[at:]) }
	entries := make([]uint32, len(rows))
	for i := range entries {
		entries[i] = word(begin + 8*i)
	}
	column(begin, 8, len(rows), func(i int) uint32 { return entries[i] })
	column(begin+4, 8, len(rows), func(i int) uint32 { return uint32(first + size*i) })
	for at := 0; at < pcdata; at += 4 {
		column(begin+first+at, size, len(rows), func(i int) uint32 {
			return binary.LittleEndian.Uint32(rows[i].head[at:])
		})
	}
	place := begin + first + pcdata
	for k := range rows[0].counters {
		column(place, size, len(rows), func(i int) uint32 { return rows[i].counters[k] })
		place += 4
	}
	for k := range rows[0].data {
		column(place, size, len(rows), func(i int) uint32 { return rows[i].data[k] })
		place += 4
	}
	clear(t.memory[begin : begin+8*len(rows)])
	clear(t.memory[begin+first : t.data])

	buckets := t.described(t.buckets)
	stride := bucketSize * bucketsRead
	var read []uint32
	for at := buckets; at+bucketSize <= t.limit; at += stride {
		read = append(read, word(at))
		clear(t.memory[at : at+4])
	}
	column(buckets, stride, len(read), func(i int) uint32 { return read[i] })
	return section
}

// appendColumn appends a column to section, but one that is nothing but zeros, as the memory is.
func appendColumn(section []byte, address, stride, count int, value func(i int) uint32) []byte {
	var different, uses []byte
	numbers := map[uint32]int{}
	last := uint32(0)
	for i := range count {
		v := value(i)
		number, ok := numbers[v]
		if !ok {
			numbers[v] = len(numbers) + 1
			step := int32(v - last)
			last = v
			different = binary.AppendUvarint(different, uint64(uint32(step<<1^step>>31)))
		}
		uses = binary.AppendUvarint(uses, uint64(number))
	}
	if _, zero := numbers[0]; zero && len(numbers) == 1 {
		return section
	}
	for _, n := range []int{address, stride, count, len(numbers)} {
		section = binary.AppendUvarint(section, uint64(n))
	}
	return append(append(section, different...), uses...)
}
