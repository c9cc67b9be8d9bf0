package model

import (
	"strconv"
	"strings"

	"aguiwasm/agui/rawjson"
)

// Input is the kind of control that a field needs.
type Input uint8

// The kinds of controls.
const (
	TextInput Input = iota
	LongText        // several lines
	NumberInput
	IntegerInput
	CheckInput
	ChoiceInput
	JSONInput // anything else: JSON is written by hand
)

// Field is one control of a form.
type Field struct {
	Name        string // the property's name, "" for a form of one value
	Title       string
	Description string
	Input       Input
	Type        string // the control's type for a text: text, email, url, date, time or datetime-local
	Required    bool
	Choices     []Choice
	Default     string // as the control shows it
	Min, Max    string // of a number, or ""
	MinLength   int
	MaxLength   int // 0: none
}

// Choice is one value of a choice: what is shown, and the raw JSON that is sent.
type Choice struct{ Title, Value string }

// Form is what a response schema asks for.
type Form struct {
	Fields []Field
	// Object says that the answer is an object of the fields; otherwise it is the one field's value.
	Object bool
}

// MaxChoices is how many choices a control lists. Of more a person writes the one that is meant.
const MaxChoices = 1000

// maxFields is how many properties become controls. A schema with more is answered as JSON.
const maxFields = 50

// NewForm reads a JSON Schema: an object of strings, choices, numbers and booleans, or one of those. Anything else
// (nested objects, arrays, references) becomes a control for JSON, so that every schema can be answered.
func NewForm(schema string) Form {
	if kind(schema) == "object" || (kind(schema) == "" && has(schema, "properties")) {
		if fields, ok := properties(schema); ok {
			return Form{Fields: fields, Object: true}
		}
		return Form{Fields: []Field{{Input: JSONInput, Default: "{}", Title: member(schema, "title")}}}
	}
	f := field("", schema)
	f.Required = true
	return Form{Fields: []Field{f}}
}

func properties(schema string) ([]Field, bool) {
	props, _ := rawjson.Get(schema, "properties")
	required := map[string]bool{}
	if list, _ := rawjson.Get(schema, "required"); list != "" {
		for _, v := range Elements(list) {
			required[decode(v)] = true
		}
	}
	var fields []Field
	at := map[string]int{}
	for _, m := range Members(props) {
		name := m.Key.Decode()
		f := field(name, m.Value)
		f.Required = required[name]
		if i, twice := at[name]; twice {
			fields[i] = f
			continue
		}
		at[name] = len(fields)
		if fields = append(fields, f); len(fields) > maxFields {
			return nil, false
		}
	}
	return fields, len(fields) > 0
}

func has(obj, key string) bool {
	_, ok := rawjson.Get(obj, key)
	return ok
}

// kind gives a schema's type; of a list of types the one that is not null.
func kind(schema string) string {
	v, _ := rawjson.Get(schema, "type")
	if rawjson.KindOf(v) != rawjson.Array {
		return decode(v)
	}
	only := ""
	for _, e := range Elements(v) {
		if t := decode(e); t != "null" {
			if only != "" {
				return "mixed"
			}
			only = t
		}
	}
	return only
}

func field(name, schema string) Field {
	f := Field{Name: name, Title: member(schema, "title"), Description: member(schema, "description")}
	def, _ := rawjson.Get(schema, "default")
	f.Default = shown(def)
	if c := choices(schema); c != nil {
		f.Input, f.Choices, f.Default = ChoiceInput, c, def
		return f
	}
	number := func(key string) string {
		if v, _ := rawjson.Get(schema, key); rawjson.KindOf(v) == rawjson.Number {
			return v
		}
		return ""
	}
	switch kind(schema) {
	case "string":
		f.Type = "text"
		f.MinLength, _ = strconv.Atoi(number("minLength"))
		f.MaxLength, _ = strconv.Atoi(number("maxLength"))
		switch format := member(schema, "format"); format {
		case "email", "date", "time":
			f.Type = format
		case "uri", "url":
			f.Type = "url"
		case "multiline", "textarea", "markdown":
			f.Input = LongText
		}
		if f.MaxLength > 200 {
			f.Input = LongText
		}
	case "number", "integer":
		f.Input = NumberInput
		if kind(schema) == "integer" {
			f.Input = IntegerInput
		}
		f.Min, f.Max = number("minimum"), number("maximum")
	case "boolean":
		f.Input = CheckInput
	default:
		f.Input, f.Default = JSONInput, def
	}
	return f
}

// choices reads enum, const, or oneOf and anyOf of constants with titles.
func choices(schema string) []Choice {
	var out []Choice
	if v, ok := rawjson.Get(schema, "enum"); ok {
		for _, e := range Elements(v) {
			out = append(out, Choice{shown(e), e})
		}
		return out
	}
	if v, ok := rawjson.Get(schema, "const"); ok {
		return []Choice{{shown(v), v}}
	}
	for _, key := range []string{"oneOf", "anyOf"} {
		list, _ := rawjson.Get(schema, key)
		for _, e := range Elements(list) {
			v, ok := rawjson.Get(e, "const")
			if !ok {
				return nil
			}
			title := member(e, "title")
			if title == "" {
				title = shown(v)
			}
			out = append(out, Choice{title, v})
		}
	}
	return out
}

// shown gives a value as a person reads it: strings without quotes.
func shown(v string) string {
	if rawjson.KindOf(v) == rawjson.Str {
		return decode(v)
	}
	return v
}

// Problem says what is wrong with an answer: the field's index and a label's name.
type Problem struct {
	Field int
	Label string
}

// Answer makes the answer's JSON of what the controls hold: texts, "true" or "false" for a check, a choice's index (its
// title where there are more than MaxChoices). Empty
// controls of optional fields are left out.
func (f *Form) Answer(values []string) (payload string, problems []Problem) {
	var members []rawjson.Member
	for i := range f.Fields {
		var in string
		if i < len(values) {
			in = values[i]
		}
		v, label := f.Fields[i].value(in)
		if label != "" {
			problems = append(problems, Problem{i, label})
			continue
		}
		if v == "" {
			continue
		}
		if !f.Object {
			payload = v
			continue
		}
		members = append(members, rawjson.Member{Key: rawjson.Quote(f.Fields[i].Name), Value: v})
	}
	if len(problems) > 0 {
		return "", problems
	}
	if f.Object {
		payload = string(rawjson.AppendObject(nil, members))
	}
	return payload, nil
}

func (f *Field) value(in string) (value, label string) {
	text := in
	if f.Input != TextInput && f.Input != LongText {
		text = strings.TrimSpace(in)
	}
	if text == "" && f.Input != CheckInput {
		if f.Required {
			return "", "required"
		}
		return "", ""
	}
	switch f.Input {
	case TextInput, LongText:
		if n := len([]rune(text)); n < f.MinLength || (f.MaxLength > 0 && n > f.MaxLength) {
			return "", "invalid"
		}
		return string(rawjson.Quote(text)), ""
	case CheckInput:
		if text == "true" {
			return "true", ""
		}
		return "false", ""
	case ChoiceInput:
		if len(f.Choices) > MaxChoices {
			for _, c := range f.Choices {
				if strings.TrimSpace(c.Title) == text {
					return c.Value, ""
				}
			}
			return "", "invalid"
		}
		i, err := strconv.Atoi(text)
		if err != nil || i < 0 || i >= len(f.Choices) {
			return "", "required"
		}
		return f.Choices[i].Value, ""
	case NumberInput, IntegerInput:
		text = strings.TrimPrefix(text, "+")
		if rawjson.Check(text, 0) != nil || rawjson.KindOf(text) != rawjson.Number {
			return "", "invalidNumber"
		}
		x, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return "", "invalidNumber"
		}
		if f.Input == IntegerInput && x != float64(int64(x)) {
			return "", "invalidNumber"
		}
		if outside(x, f.Min, -1) || outside(x, f.Max, 1) {
			return "", "invalidRange"
		}
		return text, ""
	}
	if rawjson.Check(text, 0) != nil {
		return "", "invalidJSON"
	}
	return text, ""
}

// outside reports whether x lies on that side of the bound.
func outside(x float64, bound string, side float64) bool {
	if bound == "" {
		return false
	}
	b, err := strconv.ParseFloat(bound, 64)
	return err == nil && (x-b)*side > 0
}
