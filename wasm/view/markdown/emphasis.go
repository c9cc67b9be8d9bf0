package markdown

// delimiter is a run of *, _ or ~ that may open or close emphasis.
type delimiter struct {
	at         *span
	index      int
	char       byte
	count      int // what is left of it
	length     int // what it was
	opens      bool
	closes     bool
	dead       bool // it stands inside something that is whole
	prev, next *delimiter
}

// delimiters reads a run and decides, by what stands around it, what it may do.
func (p *inliner) delimiters(c byte) {
	n := run(p.src, p.pos)
	if c == '~' && n > 2 {
		p.pos += n
		return
	}
	beforeWhite, beforePunct := class(before(p.src, p.pos))
	afterWhite, afterPunct := class(after(p.src, p.pos+n))
	left := !afterWhite && (!afterPunct || beforeWhite || beforePunct)
	right := !beforeWhite && (!beforePunct || afterWhite || afterPunct)
	d := &delimiter{char: c, count: n, length: n, opens: left, closes: right}
	if c == '_' {
		d.opens = left && (!right || beforePunct)
		d.closes = right && (!left || afterPunct)
	}
	d.at = p.take(n, Text, p.src[p.pos:p.pos+n])
	p.runs = append(p.runs, d)
}

// emphasis pairs the runs from index bottom on, as CommonMark's "process emphasis" does, and drops them. With final
// they are kept for pendingRuns.
func (p *inliner) emphasis(bottom int, final bool) {
	runs := p.runs[bottom:]
	if !final {
		p.runs = p.runs[:bottom]
	}
	if len(runs) == 0 {
		return
	}
	for i, d := range runs {
		d.index = i
		d.prev, d.next = nil, nil
		if i > 0 {
			d.prev = runs[i-1]
			d.prev.next = d
		}
	}
	// floor says, for a kind of closer, below which index no opener can be found any more: without it, many closers
	// that find nothing would each look through everything.
	var floor [3][2][3]int
	tooDeep := -1 // a pair that begins before this would enclose one that could not nest any deeper
	for closer := runs[0]; closer != nil; {
		if !closer.closes {
			closer = closer.next
			continue
		}
		bound := &floor[kindOf(closer.char)][index(closer.opens)][closer.length%3]
		opener := closer.prev
		for opener != nil && opener.index >= *bound && !pair(opener, closer) {
			opener = opener.prev
		}
		if opener == nil || opener.index < *bound {
			*bound = closer.index
			if !closer.opens {
				closer.unlink()
			}
			closer = closer.next
			continue
		}
		for d := opener.next; d != closer; d = d.next { // these have found no partner
			d.dead = true
			d.unlink()
		}
		use, kind := 1, Emphasis
		switch {
		case closer.char == '~':
			use, kind = closer.count, Strike
		case opener.count >= 2 && closer.count >= 2:
			use, kind = 2, Strong
		}
		if opener.index < tooDeep || p.out.wrap(kind, opener.at, closer.at) == nil {
			tooDeep = max(tooDeep, opener.index)
			opener.dead, closer.dead = true, true
			opener.unlink()
			closer.unlink()
			closer = closer.next
			continue
		}
		opener.use(use, &p.out)
		if closer.use(use, &p.out); closer.count == 0 {
			closer = closer.next
		}
	}
}

// pair reports whether two runs may make a pair: by the rule of three, and for ~ only if they are of one length.
func pair(opener, closer *delimiter) bool {
	if !opener.opens || opener.char != closer.char {
		return false
	}
	if closer.char == '~' {
		return opener.count == closer.count
	}
	return !((opener.closes || closer.opens) && closer.length%3 != 0 && (opener.length+closer.length)%3 == 0)
}

// use takes n marks off the run; a run that is used up leaves the text.
func (d *delimiter) use(n int, l *list) {
	d.count -= n
	d.at.node.Text = d.at.node.Text[:d.count]
	if d.count == 0 {
		d.dead = true
		l.remove(d.at)
		d.unlink()
	}
}

// unlink takes the run off the list of candidates; what is left of it stays as text.
func (d *delimiter) unlink() {
	if d.prev != nil {
		d.prev.next = d.next
	}
	if d.next != nil {
		d.next.prev = d.prev
	}
}

// pendingRuns treats, in a text that may go on, openers without an end as ended by the text's end.
func (p *inliner) pendingRuns() {
	for i := len(p.runs) - 1; i >= 0; i-- {
		d := p.runs[i]
		if d.dead || !d.opens {
			continue
		}
		for d.count > 0 {
			use, kind := 1, Emphasis
			switch {
			case d.char == '~':
				use, kind = d.count, Strike
			case d.count >= 2:
				use, kind = 2, Strong
			}
			if p.out.wrap(kind, d.at, nil) == nil {
				return // what is further out would nest deeper still
			}
			d.count -= use
			d.at.node.Text = d.at.node.Text[:d.count]
		}
	}
}

func kindOf(c byte) int {
	switch c {
	case '*':
		return 0
	case '_':
		return 1
	}
	return 2
}

func index(b bool) int {
	if b {
		return 1
	}
	return 0
}
