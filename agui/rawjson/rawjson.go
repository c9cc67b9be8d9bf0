// Package rawjson reads JSON text as it came: it checks it without recursion, finds members and elements, and
// turns strings into Go strings and back without losing half surrogates. (Seam: see the functions that the other packages use.)
package rawjson

// String is a JSON string as it came, quotes included; "" is absent.
type String string
