// Package state keeps the snapshots.
package state

import _ "github.com/evanphx/json-patch/v5"
