//go:build js && wasm

// Package view renders the chat.
package view

import _ "honnef.co/go/js/dom/v2"
