//go:build go1.23

// Package fmt is what evanphx/json-patch needs of the library's fmt: its errors, with %s, %d and %w, without reflect.
package fmt

import "strconv"

// Errorf gives an error of a format's text. A value of %w is what [errors.Unwrap] gives.
func Errorf(format string, values ...any) error {
	e := &wrapped{text: Sprintf(format, values...)}
	for i := 0; i < len(format)-1; i++ {
		if format[i] == '%' {
			if i++; format[i] == 'w' {
				for _, v := range values {
					if err, ok := v.(error); ok {
						e.err = err
					}
				}
			}
		}
	}
	return e
}

type wrapped struct {
	text string
	err  error
}

func (e *wrapped) Error() string { return e.text }
func (e *wrapped) Unwrap() error { return e.err }

// Sprintf writes a format's text: each verb is its value in its usual form, whatever its letter.
func Sprintf(format string, values ...any) string {
	var out []byte
	for i := 0; i < len(format); i++ {
		if format[i] != '%' || i+1 == len(format) {
			out = append(out, format[i])
			continue
		}
		i++
		if format[i] == '%' || len(values) == 0 {
			out = append(out, '%')
			continue
		}
		out = appendValue(out, values[0])
		values = values[1:]
	}
	return string(out)
}

func appendValue(out []byte, v any) []byte {
	switch v := v.(type) {
	case string:
		return append(out, v...)
	case []byte:
		return append(out, v...)
	case int:
		return strconv.AppendInt(out, int64(v), 10)
	case int64:
		return strconv.AppendInt(out, v, 10)
	case error:
		return append(out, v.Error()...)
	}
	return append(out, '?')
}
