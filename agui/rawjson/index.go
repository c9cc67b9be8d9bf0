package rawjson

import "iter"

// Index holds the members of one object, in order, duplicates included. It is made in the same pass that checks the
// text, and can be used again for the next text.
type Index struct {
	Members []Member

	bits []uint64
}

// Parse checks text as [Check] does and, if it is an object, indexes its members.
// kind is the kind of the whole value; after an error Members means nothing.
func (ix *Index) Parse(text string, maxDepth int) (kind Kind, err error) {
	ix.Members = ix.Members[:0]
	if maxDepth <= 0 {
		maxDepth = MaxDepth
	}
	c := checker{s: text, max: maxDepth, bits: ix.bits}
	end := ix.parse(&c)
	ix.bits = c.bits
	if end >= 0 {
		end = c.whole(end)
	}
	if end < 0 {
		return None, c.error()
	}
	return KindOf(text[skipSpace(text, 0):]), nil
}

// parse gives the index after the value, or -1.
func (ix *Index) parse(c *checker) int {
	s := c.s
	i := skipSpace(s, 0)
	if i >= len(s) || s[i] != '{' {
		return c.value(i, 0)
	}
	i = skipSpace(s, i+1)
	if i < len(s) && s[i] == '}' {
		return i + 1
	}
	for {
		if i >= len(s) || s[i] != '"' {
			return c.fail(i, "a quoted key")
		}
		keyEnd := c.str(i)
		if keyEnd < 0 {
			return -1
		}
		key := s[i:keyEnd]
		i = skipSpace(s, keyEnd)
		if i >= len(s) || s[i] != ':' {
			return c.fail(i, "a colon")
		}
		i = skipSpace(s, i+1)
		end := c.value(i, 1)
		if end < 0 {
			return -1
		}
		ix.Members = append(ix.Members, Member{String(key), s[i:end]})
		i = skipSpace(s, end)
		if i < len(s) && s[i] == ',' {
			i = skipSpace(s, i+1)
			continue
		}
		if i >= len(s) || s[i] != '}' {
			return c.fail(i, "a comma or a closing brace")
		}
		return i + 1
	}
}

// Read indexes the members of an object that was checked before.
func (ix *Index) Read(obj string) {
	ix.Members = ix.Members[:0]
	for i := first(obj); i >= 0; {
		var m Member
		m, i = memberAt(obj, i)
		ix.Members = append(ix.Members, m)
	}
}

// Get gives the value of the last member of that (decoded) name.
func (ix *Index) Get(key string) (value string, ok bool) {
	for i := len(ix.Members) - 1; i >= 0; i-- {
		if ix.Members[i].Key.Is(key) {
			return ix.Members[i].Value, true
		}
	}
	return "", false
}

// first gives the index of the first member or element of a container, or -1.
func first(s string) int {
	i := skipSpace(s, 0)
	if i >= len(s) || s[i] != '{' && s[i] != '[' {
		return -1
	}
	if i = skipSpace(s, i+1); i >= len(s) || s[i] == '}' || s[i] == ']' {
		return -1
	}
	return i
}

// next gives the index of the member or element after the one that ended before i, or -1.
func next(s string, i int) int {
	i = skipSpace(s, i)
	if i >= len(s) || s[i] != ',' {
		return -1
	}
	return skipSpace(s, i+1)
}

// memberAt reads the member at i and gives the index of the next one, or -1.
func memberAt(s string, i int) (Member, int) {
	keyEnd := min(skipString(s, i), len(s))
	v := skipSpace(s, min(skipSpace(s, keyEnd)+1, len(s)))
	end := skipValue(s, v)
	return Member{String(s[i:keyEnd]), s[v:end]}, next(s, end)
}

// Members gives an object's members in order, duplicates included; of anything else, none.
func Members(obj string) iter.Seq2[String, string] {
	return func(yield func(String, string) bool) {
		if KindOf(obj) != Object {
			return
		}
		for i := first(obj); i >= 0; {
			var m Member
			m, i = memberAt(obj, i)
			if !yield(m.Key, m.Value) {
				return
			}
		}
	}
}

// Elements gives an array's elements in order, with their indices; of anything else, none.
func Elements(arr string) iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		if KindOf(arr) != Array {
			return
		}
		n := 0
		for i := first(arr); i >= 0; n++ {
			end := skipValue(arr, i)
			if !yield(n, arr[i:end]) {
				return
			}
			i = next(arr, end)
		}
	}
}

// Get gives the value of an object's member of that (decoded) name; of duplicates the last.
func Get(obj, key string) (value string, ok bool) {
	if KindOf(obj) != Object {
		return "", false
	}
	for i := first(obj); i >= 0; {
		var m Member
		m, i = memberAt(obj, i)
		if m.Key.Is(key) {
			value, ok = m.Value, true
		}
	}
	return value, ok
}
