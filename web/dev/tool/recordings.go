package main

import (
	"encoding/json"

	"aguiwasm/web/dev/demo"
)

// writeRecordings writes the demo agent's runs to recordings/: what the page replays where there is no agent.
// The flood is left out: two megabytes that show nothing but their number.
func writeRecordings(out *output) error {
	var index []demo.Scenario
	for _, s := range demo.Scenarios() {
		if s.Name == "flood" {
			continue
		}
		recording, err := demo.Record(s.Name)
		if err != nil {
			return err
		}
		raw, err := json.Marshal(recording)
		if err != nil {
			return err
		}
		if err := out.write("recordings/"+s.Name+".json", raw); err != nil {
			return err
		}
		index = append(index, s)
	}
	return writeJSON(out, "recordings/index.json", index)
}
