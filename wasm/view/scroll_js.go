//go:build js && wasm

package view

import "syscall/js"

// scroll follows the stream unless the reader scrolled up.
type scroll struct {
	away bool    // the reader scrolled up
	top  float64 // where the log was at the last scroll event
	led  bool    // not the reader scrolled up: show did
}

// near is how close to its end, in px, the log counts as being there.
const near = 8

// scrolled hears that the log scrolled. Going up leaves the stream, coming to the end joins it again.
func (s *scroll) scrolled(v *View) {
	top := v.log.Get("scrollTop").Float()
	rest := v.log.Get("scrollHeight").Float() - v.log.Get("clientHeight").Float() - top
	switch {
	case rest <= near:
		s.away, s.led = false, false
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

// show brings the top of el, one of the log's, into sight where the end of the log is below it, and stays there until
// follow: of several questions the first is to be read first. A reader who scrolled up is left alone.
func (s *scroll) show(v *View, el js.Value) {
	over := el.Call("getBoundingClientRect").Get("top").Float() - v.log.Call("getBoundingClientRect").Get("top").Float()
	if s.away || over >= near {
		return
	}
	s.away, s.led = true, true
	v.log.Set("scrollTop", v.log.Get("scrollTop").Float()+over-near)
	s.top = v.log.Get("scrollTop").Float() // not the reader's doing
}

// follow ends what show began.
func (s *scroll) follow(v *View) {
	if s.led {
		s.led = false
		s.jump(v)
	}
}

// jump goes to the newest message.
func (s *scroll) jump(v *View) {
	s.away = false
	v.frame.Behind = false
	v.log.Set("scrollTop", 1<<30)
	v.later()
}
