package agui

import (
	"strings"

	"aguiwasm/agui/rawjson"
)

// content reads what a user or tool message holds: a string, or an array of parts. The array comes back with nulls left
// out and retired parts turned (section 3); parts of a type that the protocol does not know are kept (section 8).
func (r *reader) content(value JSON) (out JSON, f *fault) {
	switch rawjson.KindOf(value) {
	case rawjson.Str:
		return value, nil
	case rawjson.Array:
	default:
		return "", &fault{path: "content", got: value, want: "a string or an array of parts"}
	}
	list := newArrayEdit(value)
	for i, v := range rawjson.Elements(value) {
		part, f := r.part(v)
		if f != nil {
			return "", f.at(i).under("content")
		}
		list.add(v, part)
	}
	return list.done(), nil
}

// part reads one content part.
func (r *reader) part(value JSON) (out JSON, f *fault) {
	if rawjson.KindOf(value) != rawjson.Object {
		return "", &fault{got: value, want: "a part object"}
	}
	typ, _ := rawjson.Get(value, "type")
	if rawjson.KindOf(typ) != rawjson.Str {
		return value, nil
	}
	switch rawjson.String(typ).Decode() {
	case "text":
		text, _ := rawjson.Get(value, "text")
		id, _ := rawjson.Get(value, "id")
		if f = firstFault(requireString(text, "text"), optionalString(id, "id")); f != nil {
			return "", f
		}
		return dropNulls(value, "id", "metadata"), nil
	case "image", "audio", "video", "document":
		source, _ := rawjson.Get(value, "source")
		id, _ := rawjson.Get(value, "id")
		newSource, f := partSource(source)
		if f = firstFault(f, optionalString(id, "id")); f != nil {
			return "", f
		}
		return rawjson.Edit(value, func(k rawjson.String, v string) (string, bool) {
			switch k.Decode() {
			case "source":
				return newSource, true
			case "id", "metadata":
				return v, v != "null"
			}
			return v, true
		}), nil
	case "binary":
		return r.binaryPart(value)
	}
	return value, nil
}

// partSource reads where a media part's bytes come from. A source of an unknown type is kept.
func partSource(value JSON) (out JSON, f *fault) {
	if rawjson.KindOf(value) != rawjson.Object {
		return "", &fault{path: "source", got: value, want: "an object"}
	}
	typ, _ := rawjson.Get(value, "type")
	if rawjson.KindOf(typ) != rawjson.Str {
		return value, nil
	}
	v, _ := rawjson.Get(value, "value")
	mime, _ := rawjson.Get(value, "mimeType")
	provider, _ := rawjson.Get(value, "provider")
	switch rawjson.String(typ).Decode() {
	case "data":
		f = firstFault(requireString(v, "value"), requireString(mime, "mimeType"))
	case "url":
		f = firstFault(requireString(v, "value"), optionalString(mime, "mimeType"))
		value = dropNulls(value, "mimeType")
	case "file":
		f = firstFault(requireString(v, "value"), optionalString(mime, "mimeType"),
			optionalString(provider, "provider"))
		value = dropNulls(value, "mimeType", "provider")
	}
	if f != nil {
		return "", f.under("source")
	}
	return value, nil
}

// binaryPart turns a retired binary part into the media part that its mimeType names: data before url; one with only an
// id stays as it is. Without a mimeType it is kept as an unknown part. In a tool's result, which had no such parts
// before 1.0, so is a part whose data is not a string.
func (r *reader) binaryPart(value JSON) (out JSON, f *fault) {
	var mime, data, url, id, filename, metadata JSON
	var rest []rawjson.Member
	for k, v := range rawjson.Members(value) {
		switch k.Decode() {
		case "type":
		case "mimeType":
			mime = v
		case "data":
			data = v
		case "url":
			url = v
		case "id":
			id = v
		case "filename":
			filename = v
		case "metadata":
			metadata = v
		default:
			rest = append(rest, rawjson.Member{Key: k, Value: v})
		}
	}
	if rawjson.KindOf(mime) != rawjson.Str {
		return value, nil
	}
	if r.legacy != nil {
		r.legacy()
	}
	name, sourceType, source := "data", `"data"`, data
	if nothing(data) {
		name, sourceType, source = "url", `"url"`, url
	}
	if nothing(source) {
		return dropNulls(value, "data", "url", "id", "filename", "metadata"), nil
	}
	if f = requireString(source, name); f != nil {
		if r.inResult {
			return value, nil
		}
		return "", f
	}
	members := []rawjson.Member{{Key: `"type"`, Value: `"` + mediaType(rawjson.String(mime).Decode()) + `"`}}
	if rawjson.KindOf(id) == rawjson.Str {
		members = append(members, rawjson.Member{Key: `"id"`, Value: id})
	}
	members = append(members, rawjson.Member{Key: `"source"`, Value: string(rawjson.AppendObject(nil, []rawjson.Member{
		{Key: `"type"`, Value: sourceType}, {Key: `"value"`, Value: source}, {Key: `"mimeType"`, Value: mime},
	}))})
	switch {
	case absent(filename):
	case rawjson.KindOf(metadata) == rawjson.Object:
		metadata = rawjson.Set(metadata, "filename", filename)
	default:
		metadata = `{"filename":` + filename + `}`
	}
	if !absent(metadata) {
		members = append(members, rawjson.Member{Key: `"metadata"`, Value: metadata})
	}
	return string(rawjson.AppendObject(nil, append(members, rest...))), nil
}

// nothing reports whether a retired part's field says nothing: absent, empty, false or 0.
func nothing(v JSON) bool {
	return absent(v) || v == `""` || v == "false" || v == "0"
}

// mediaType gives the type of the media part for a mimeType.
func mediaType(mime string) string {
	for _, t := range []string{"image", "audio", "video"} {
		if strings.HasPrefix(mime, t+"/") {
			return t
		}
	}
	return "document"
}
