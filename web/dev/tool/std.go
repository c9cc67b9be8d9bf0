package main

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// overlayFile tells the go command which files of the standard library the build has copies of.
const (
	stdDir      = buildDir + "/std"
	overlayFile = buildDir + "/overlay.json"
)

// edit is one change of a file of the standard library.
type edit struct {
	file string // below GOROOT/src
	// function names a function, with its receiver: `(s *mspan) reportZombies`. Its body becomes the statement instead.
	function, instead string
	// old is replaced by new wherever it stands, where function is empty.
	old, new string
}

var errUnknownRelease = errors.New("the release is not known")

// debugSettings are those of runtime.debug that only GODEBUG sets, which a page has not: what they turn on is never
// run.
var debugSettings = []string{
	"gctrace", "gccheckmark", "checkfinalizers", "scavtrace", "gcpacertrace", "gcstoptheworld", "inittrace",
	"schedtrace", "scheddetail",
	"sbrk", "clobberfree", "efence", "gcshrinkstackoff", "tracebackancestors", "dontfreezetheworld",
	"dataindependenttiming", "updatemaxprocs",
	"tracefpunwindoff",
}

// stdEdits take out of the standard library what the program never runs, but what the linker cannot know to be so.
var stdEdits = []edit{
	// runtime/metrics, and GODEBUG's counters in it.
	{file: "runtime/metrics.go", function: "initMetrics", instead: "return"},
	{file: "runtime/metrics.go", function: "godebug_registerMetric", instead: "return"},
	{file: "runtime/runtime.go", function: "godebug_setUpdate", instead: "return"},
	{file: "runtime/runtime.go", function: "godebug_setNewIncNonDefault", instead: "return"},
	{file: "runtime/runtime.go", function: "godebugNotify", instead: "return"},
	{file: "runtime/runtime.go", function: "(g *godebugInc) IncNonDefault", instead: "return"},
	{file: "internal/godebug/godebug.go", function: "(s *Setting) IncNonDefault", instead: "return"},
	{file: "internal/godebug/godebug.go", function: "(s *Setting) Value", instead: `return ""`},
	{file: "internal/godebug/godebug.go", function: "init", instead: "return"},
	{file: "runtime/runtime1.go", function: "parsegodebug", instead: "return"},
	{file: "runtime/runtime1.go", function: "reparsedebugvars", instead: "return"},
	{file: "internal/cpu/cpu.go", function: "processOptions", instead: "return"},
	// Execution traces.
	{file: "runtime/traceruntime.go", function: "traceEnabled", instead: "return false"},
	{file: "runtime/traceruntime.go", function: "traceAllocFreeEnabled", instead: "return false"},
	{file: "runtime/traceruntime.go", function: "traceShuttingDown", instead: "return false"},
	{file: "runtime/traceruntime.go", function: "traceAcquire", instead: "return traceLocker{}"},
	{file: "runtime/traceruntime.go", function: "traceAcquireEnabled", instead: "return traceLocker{}"},
	{file: "runtime/traceruntime.go", function: "(tl traceLocker) ok", instead: "return false"},
	{file: "runtime/trace.go", function: "traceAdvance", instead: "return"},
	{file: "runtime/trace.go", function: "traceReader", instead: "return nil"},
	{file: "runtime/trace.go", function: "traceReaderAvailable", instead: "return nil"},
	{file: "runtime/tracecpu.go", function: "traceReadCPU", instead: "return false"},
	// Profiles.
	{file: "runtime/mprof.go", function: "mProf_Malloc", instead: "return"},
	{file: "runtime/mprof.go", function: "mProf_Free", instead: "return"},
	{file: "runtime/mprof.go", function: "mProf_NextCycle", instead: "return"},
	{file: "runtime/mprof.go", function: "mProf_Flush", instead: "return"},
	{file: "runtime/mprof.go", function: "mProf_PostSweep", instead: "return"},
	{file: "runtime/mprof.go", function: "blockevent", instead: "return"},
	{file: "runtime/mprof.go", function: "mutexevent", instead: "return"},
	{file: "runtime/mprof.go", function: "saveblockevent", instead: "return"},
	{file: "runtime/mprof.go", function: "doRecordGoroutineProfile", instead: "return"},
	{file: "runtime/mprof.go", function: "tryRecordGoroutineProfile", instead: "return"},
	{file: "runtime/malloc.go", function: "profilealloc", instead: "return"},
	// Checks of the runtime by itself, and reports of what they find.
	{file: "runtime/proc.go", function: "schedtrace", instead: "return"},
	{file: "runtime/runtime1.go", function: "check", instead: "return"},
	{file: "runtime/symtab.go", function: "moduledataverify1", instead: "return"},
	{file: "runtime/mcheckmark.go", function: "checkFinalizersAndCleanups", instead: "return"},
	{file: "runtime/mgcmark.go", function: "gcDumpObject", instead: "return"},
	{file: "runtime/mgcsweep.go", function: "(s *mspan) reportZombies",
		instead: `throw("found pointer to free object")`},
	{file: "runtime/mgcscavenge.go", function: "printScavTrace", instead: "return"},
	{file: "runtime/mgc.go", function: "findGoroutineLeaks", instead: "return false"},
	{file: "runtime/hexdump.go", function: "hexdumpWords", instead: "return"},
	{file: "runtime/traceback.go", function: "tracebackHexdump", instead: "return"},
	// Parts of a trace: C, and arguments, whose tables are left out.
	{file: "runtime/traceback.go", function: "printCgoTraceback", instead: "return"},
	{file: "runtime/traceback.go", function: "printAncestorTraceback", instead: "return"},
	{file: "runtime/traceback.go", function: "printArgs", instead: "return"},
	{file: "runtime/symtab.go", function: "expandCgoFrames", instead: "return nil"},
	{file: "runtime/error.go", function: "printanycustomtype", instead: "return"},
	{file: "runtime/proc.go", function: "saveAncestors", instead: "return nil"},
	// One module, one thread, one processor.
	{file: "runtime/type.go", function: "typelinksinit", instead: "return"},
	{file: "runtime/proc.go", function: "newm", instead: `throw("no threads")`},
	{file: "runtime/proc.go", function: "startm", instead: `throw("no threads")`},
	{file: "runtime/proc.go", function: "updateMaxProcsGoroutine", instead: "return"},
	{file: "runtime/proc.go", function: "defaultGOMAXPROCSUpdateEnable", instead: "return"},
	{file: "runtime/proc.go", function: "setBlockOnExitSyscall", instead: "return syscallingThread{}, false"},
	// Functions have numbers in traces; their names are in a file that the build keeps (names.go).
	{file: "runtime/traceback.go", old: "\t\t\tprintFuncName(name)\n\t\t\tprint(\"(\")\n",
		new: "\t\t\tprintFuncName(name)\n\t\t\tprint(\"#\", f.entryOff, \"(\")\n"},
	{file: "runtime/traceback.go", old: "\tprintFuncName(funcname(f))\n\tif goid != 0 {",
		new: "\tprintFuncName(funcname(f))\n\tprint(\"#\", f.entryOff)\n\tif goid != 0 {"},
	{file: "runtime/error.go", function: "panicwrap",
		instead: `panic(plainError("value method called using nil pointer"))`},
	// The program stands while the collector marks, as it did on one thread in all but the name: a cycle that begins in
	// a call ends in it. So what is outside the runtime needs no write barriers (wasm.go, compilerFlags).
	{file: "runtime/mgc.go", old: "\tmode := gcBackgroundMode\n", new: "\tmode := gcForceMode\n"},
	{file: "runtime/mgcpacer.go", old: "if debug.gcstoptheworld > 0 {", new: "if true {"},
	// What Go holds of JavaScript is let go when a pointer of eight bytes dies, and those share their sixteen with
	// other small things: an id that a thread keeps kept a text of JavaScript's alive. An array of two has the sixteen
	// for itself.
	{file: "syscall/js/js.go", old: "gcPtr = new(ref)\n", new: "gcPtr = &new([2]ref)[0]\n"},
	// Files and the process, which a page has not (loader.go leaves their stand-ins out of the loader).
	{file: "syscall/fs_js.go", old: `js.Global().Get("process")`, new: "js.Undefined()"},
	{file: "syscall/fs_js.go", old: `js.Global().Get("path")`, new: "js.Undefined()"},
	{file: "syscall/fs_js.go", old: `js.Global().Get("fs")`, new: "js.Undefined()"},
	{file: "syscall/fs_js.go", old: `jsFS.Get("constants")`, new: "js.Undefined()"},
	{file: "syscall/fs_js.go", old: `constants.Get("O_WRONLY").Int()`, new: "-1"},
	{file: "syscall/fs_js.go", old: `constants.Get("O_RDWR").Int()`, new: "-1"},
	{file: "syscall/fs_js.go", old: `constants.Get("O_CREAT").Int()`, new: "-1"},
	{file: "syscall/fs_js.go", old: `constants.Get("O_TRUNC").Int()`, new: "-1"},
	{file: "syscall/fs_js.go", old: `constants.Get("O_APPEND").Int()`, new: "-1"},
	{file: "syscall/fs_js.go", old: `constants.Get("O_EXCL").Int()`, new: "-1"},
	{file: "syscall/fs_js.go", function: "init", instead: "return"},
	// Colours of package image, which package dom knows.
	{file: "image/color/color.go", function: "ModelFunc", instead: "return nil"},
}

// trimStd writes copies of the standard library's files with the edits, and the overlay that has the go command take
// them. It gives the edits that do not fit. A release that nobody looked up is left as it is.
func trimStd(used toolchain) (unfit []string, err error) {
	if _, known := layouts[release(used.version)]; !known {
		return nil, errUnknownRelease
	}
	root, err := used.home()
	if err != nil {
		return nil, err
	}
	if err := os.RemoveAll(stdDir); err != nil {
		return nil, err
	}
	sources := map[string]string{}
	load := func(file string) (string, error) {
		if text, ok := sources[file]; ok {
			return text, nil
		}
		raw, err := os.ReadFile(filepath.Join(root, "src", filepath.FromSlash(file)))
		return string(raw), err
	}
	for _, e := range stdEdits {
		text, err := load(e.file)
		if err != nil {
			unfit = append(unfit, e.file)
			continue
		}
		if text, ok := e.apply(text); ok {
			sources[e.file] = text
		} else {
			unfit = append(unfit, e.file+": "+e.function+e.old)
		}
	}
	debug := regexp.MustCompile(`\bdebug\.(` + strings.Join(debugSettings, "|") + `)\b`)
	files, err := filepath.Glob(filepath.Join(root, "src/runtime/*.go"))
	if err != nil {
		return nil, err
	}
	for _, path := range files {
		file := "runtime/" + filepath.Base(path)
		if strings.HasSuffix(file, "_test.go") || file == "runtime/runtime1.go" {
			continue
		}
		text, err := load(file)
		if err != nil {
			return nil, err
		}
		if debug.MatchString(text) {
			sources[file] = debug.ReplaceAllString(text, "0")
		}
	}
	overlay := struct{ Replace map[string]string }{map[string]string{}}
	for file, text := range sources {
		copy := filepath.Join(stdDir, filepath.FromSlash(file))
		if err := os.MkdirAll(filepath.Dir(copy), 0o755); err != nil {
			return nil, err
		}
		if err := os.WriteFile(copy, []byte(text), 0o644); err != nil {
			return nil, err
		}
		overlay.Replace[filepath.Join(root, "src", filepath.FromSlash(file))] = copy
	}
	raw, err := json.Marshal(overlay)
	if err != nil {
		return nil, err
	}
	return unfit, os.WriteFile(overlayFile, raw, 0o644)
}

// apply gives the text with the edit, or false where it does not fit exactly once.
func (e edit) apply(text string) (string, bool) {
	if e.function == "" {
		return strings.ReplaceAll(text, e.old, e.new), strings.Contains(text, e.old)
	}
	head := "\nfunc " + e.function + "("
	begin := strings.Index(text, head)
	if begin < 0 || strings.Count(text, head) > 1 {
		return "", false
	}
	line := begin + 1 + strings.IndexByte(text[begin+1:], '\n')
	if text[line-1] != '{' {
		return "", false
	}
	return text[:line] + "\n\t" + e.instead + text[line:], true
}
