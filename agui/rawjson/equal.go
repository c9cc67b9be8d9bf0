package rawjson

import (
	"strconv"
	"strings"
)

// Equal reports whether two values are equal as RFC 6902 section 4.6 has it: numbers by their exact value, strings by
// their decoded text, objects without order (of duplicate names the last counts).
// It recurses as deep as the values nest, which [Check] has limited; deeper than [MaxDepth] it answers false.
func Equal(a, b string) bool { return equal(a, b, 0) }

func equal(a, b string, depth int) bool {
	if a == b {
		return true
	}
	kind := KindOf(a)
	if kind != KindOf(b) || depth > MaxDepth {
		return false
	}
	switch kind {
	case Number:
		return equalNumbers(a, b)
	case Str:
		return String(a).Decode() == String(b).Decode()
	case Array:
		i, j := first(a), first(b)
		for i >= 0 && j >= 0 {
			iEnd, jEnd := skipValue(a, i), skipValue(b, j)
			if !equal(a[i:iEnd], b[j:jEnd], depth+1) {
				return false
			}
			i, j = next(a, iEnd), next(b, jEnd)
		}
		return i < 0 && j < 0
	case Object:
		in := lastMembers(a)
		other := lastMembers(b)
		if len(in) != len(other) {
			return false
		}
		for k, v := range in {
			w, ok := other[k]
			if !ok || !equal(v, w, depth+1) {
				return false
			}
		}
		return true
	}
	return false // null, true, false are equal only as the same text
}

func lastMembers(obj string) map[string]string {
	m := map[string]string{}
	for k, v := range Members(obj) {
		m[k.Decode()] = v
	}
	return m
}

// equalNumbers compares exactly: 1.0, 1 and 10e-1 are equal, 9007199254740993 and 9007199254740992 are not.
func equalNumbers(a, b string) bool {
	x, y := decimalOf(a), decimalOf(b)
	return x == y
}

// decimal is 0.digits times ten to the power of exp: digits has no zeros at its ends, and is "" for zero.
type decimal struct {
	negative bool
	digits   string
	exp      int64
	huge     string // the exponent as it came, where it has more than 17 digits; then exp is only the shift
}

func decimalOf(s string) (d decimal) {
	if strings.HasPrefix(s, "-") {
		d.negative, s = true, s[1:]
	}
	if e := strings.IndexAny(s, "eE"); e >= 0 {
		exp := s[e+1:]
		s = s[:e]
		sign := ""
		if exp != "" && (exp[0] == '-' || exp[0] == '+') {
			sign, exp = exp[:1], exp[1:]
		}
		exp = strings.TrimLeft(exp, "0")
		if sign == "+" || exp == "" {
			sign = ""
		}
		if len(exp) > 17 {
			d.huge = sign + exp
		} else if exp != "" {
			d.exp, _ = strconv.ParseInt(sign+exp, 10, 64)
		}
	}
	whole, fraction, _ := strings.Cut(s, ".")
	digits := whole + fraction
	d.exp += int64(len(whole))
	trimmed := strings.TrimLeft(digits, "0")
	d.exp -= int64(len(digits) - len(trimmed))
	d.digits = strings.TrimRight(trimmed, "0")
	if d.digits == "" {
		return decimal{} // zero is zero, whatever its sign and exponent
	}
	return d
}
