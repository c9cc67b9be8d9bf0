//go:build js && wasm

package view

// scroll follows the stream unless the reader scrolled up.
type scroll struct {
	away bool    // the reader scrolled up
	top  float64 // where the log was at the last scroll event
}

// near is how close to its end, in px, the log counts as being there.
const near = 8

// scrolled hears that the log scrolled. Going up leaves the stream, coming to the end joins it again.
func (s *scroll) scrolled(v *View) {
	top := v.log.Get("scrollTop").Float()
	rest := v.log.Get("scrollHeight").Float() - v.log.Get("clientHeight").Float() - top
	switch {
	case rest <= near:
		s.away = false
		if v.frame.Behind {
			v.frame.Behind = false
			v.later()
		}
	case top < s.top-1:
		s.away = true
	}
	s.top = top
}

// after runs when the page has changed: the log follows, or there is a way to what is new.
func (s *scroll) after(v *View, news bool) {
	if s.away {
		if news && !v.frame.Behind {
			v.frame.Behind = true
			v.later()
		}
		return
	}
	v.log.Set("scrollTop", 1<<30)
}

// jump goes to the newest message.
func (s *scroll) jump(v *View) {
	s.away = false
	v.frame.Behind = false
	v.log.Set("scrollTop", 1<<30)
	v.later()
}
