package shop

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/http"
	"strconv"
)

const maxDocument = 10 << 20

func uploadDocument(u *unit, w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, maxDocument+1<<20)
	if err := r.ParseMultipartForm(maxDocument); err != nil {
		invalid(w, []fieldError{{Pointer: "", Message: err.Error()}})
		return
	}
	file, head, err := r.FormFile("file")
	if err != nil {
		invalid(w, []fieldError{{Pointer: "/file", Message: err.Error()}})
		return
	}
	defer file.Close()
	content, err := io.ReadAll(file)
	if err != nil || len(content) > maxDocument {
		problem(w, http.StatusRequestEntityTooLarge, "too_large", "The file is too large")
		return
	}
	sum := sha256.Sum256(content)
	doc := &storedDocument{Content: content, document: document{
		CustomerID: r.PathValue("customer_id"), Kind: r.FormValue("kind"), Title: r.FormValue("title"),
		Size: int64(len(content)), SHA256: sum[:],
	}}
	if doc.Title == "" {
		doc.Title = head.Filename
	}
	var c checks
	c.that(doc.Kind != "", "/kind", "must not be empty")
	if labels := r.FormValue("labels"); labels != "" {
		c.that(json.Unmarshal([]byte(labels), &doc.Labels) == nil, "/labels", "must be a JSON array of strings")
	}
	if c.failed(w) {
		return
	}
	if u.customerOf(w, r) == nil {
		return
	}
	doc.ID, doc.CreatedAt = u.id("doc"), u.now
	u.add(kindDocument, doc.ID, "", doc)
	u.count("created", "documents", 1)
	w.Header().Set("Location", "/v1/documents/"+doc.ID+"/content")
	writeJSON(w, http.StatusCreated, doc.document)
}

// downloadDocument serves ranges, so that a download that broke can go on where it ended.
func (s *Shop) downloadDocument(w http.ResponseWriter, r *http.Request) {
	var doc *storedDocument
	err := s.run(r.Context(), func(u *unit) { doc = get[storedDocument](u, kindDocument, r.PathValue("document_id")) })
	if err != nil {
		unavailable(w)
		return
	}
	if doc == nil {
		notFound(w, "document", r.PathValue("document_id"))
		return
	}
	disposition := "attachment"
	if r.URL.Query().Get("disposition") == "inline" {
		disposition = "inline"
	}
	w.Header().Set("Content-Disposition", disposition+"; filename="+strconv.Quote(doc.ID))
	w.Header().Set("Content-Type", "application/octet-stream")
	w.Header().Set("ETag", strconv.Quote(hex.EncodeToString(doc.SHA256[:8])))
	http.ServeContent(w, r, "", doc.CreatedAt, bytes.NewReader(doc.Content))
}
