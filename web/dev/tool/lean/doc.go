// Package lean holds what the build puts into its copy of evanphx/json-patch in the place of that module's own JSON
// package and of fmt: both bring reflect into the WebAssembly, a tenth of the download, for what is decided here by
// seven types. The module's own patch.go and errors.go are kept and run. The folder json stands for internal/json, fmt
// for the library's fmt, and values.go is added to the module's package, because only there its types have names.
//
// TestLeanPatches holds the copy to the real module: the same operations accepted and refused, the same values, the
// same kinds of errors.
package lean
