package shop

import "net/http"

func createExport(u *unit, w http.ResponseWriter, r *http.Request) {
	var body struct {
		Kind string `json:"kind"`
	}
	if !readJSON(w, r, &body, false) {
		return
	}
	var c checks
	c.that(body.Kind != "", "/kind", "must not be empty")
	if c.failed(w) {
		return
	}
	e := &export{ID: u.id("exp"), CreatedAt: u.now, Status: "queued"}
	u.add(kindExport, e.ID, "", e)
	u.count("created", "exports", 1)
	w.Header().Set("Location", "/v1/exports/"+e.ID)
	w.Header().Set("Retry-After", "0")
	writeJSON(w, http.StatusAccepted, e)
}

// getExport takes an export one step further each time somebody asks.
func getExport(u *unit, w http.ResponseWriter, r *http.Request) {
	e := get[export](u, kindExport, r.PathValue("export_id"))
	if e == nil {
		notFound(w, "export", r.PathValue("export_id"))
		return
	}
	switch e.Status {
	case "queued":
		e.Status, e.Progress = "running", 0.5
	case "running":
		e.Status, e.Progress, e.DownloadURL = "done", 1, "https://files.shop.example/"+e.ID+".csv"
	}
	if e.Status != "done" {
		w.Header().Set("Retry-After-Ms", "10")
	}
	writeJSON(w, http.StatusOK, e)
}
