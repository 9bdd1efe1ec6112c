package shop

import "net/http"

func (s *Shop) createExport(w http.ResponseWriter, r *http.Request) {
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
	s.mu.Lock()
	defer s.mu.Unlock()
	e := &export{ID: s.state.id("exp"), CreatedAt: s.opts.Now().UTC(), Status: "queued"}
	s.state.exports[e.ID] = e
	s.state.effects.Exports++
	w.Header().Set("Location", "/v1/exports/"+e.ID)
	w.Header().Set("Retry-After", "0")
	writeJSON(w, http.StatusAccepted, e)
}

// getExport takes an export one step further each time somebody asks.
func (s *Shop) getExport(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e := s.state.exports[r.PathValue("export_id")]
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
