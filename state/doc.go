// Package state keeps the snapshots.
package state
