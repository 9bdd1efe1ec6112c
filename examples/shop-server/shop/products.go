package shop

import (
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// intParam reads a whole number of the query within bounds; absent is fallback.
func intParam(r *http.Request, name string, fallback, low, high int) (int, bool) {
	text := r.URL.Query().Get(name)
	if text == "" {
		return fallback, true
	}
	n, err := strconv.Atoi(text)
	return n, err == nil && n >= low && n <= high
}

// page cuts a page out of all.
func page[T any](all []T, offset, limit int) []T {
	offset = min(offset, len(all))
	return append([]T{}, all[offset:min(offset+limit, len(all))]...)
}

func listProducts(u *unit, w http.ResponseWriter, r *http.Request) {
	number, ok1 := intParam(r, "page", 1, 1, 1_000_000)
	size, ok2 := intParam(r, "per_page", 20, 1, 100)
	var c checks
	c.that(ok1, "page", "must be a number from 1")
	c.that(ok2, "per_page", "must be a number from 1 to 100")
	if c.failed(w) {
		return
	}
	var tags []string
	if text := r.URL.Query().Get("tags"); text != "" {
		tags = strings.Split(text, "|")
	}
	found := []*product{}
	for _, p := range list[product](u, kindProduct) {
		if !slices.ContainsFunc(tags, func(tag string) bool { return !slices.Contains(p.Tags, tag) }) {
			found = append(found, p)
		}
	}
	writeJSON(w, http.StatusOK, map[string]any{
		"products": page(found, (number-1)*size, size), "page": number, "total_pages": max(1, (len(found)+size-1)/size),
	})
}

func getProduct(u *unit, w http.ResponseWriter, r *http.Request) {
	if p := u.productOf(w, r); p != nil {
		writeJSON(w, http.StatusOK, p.product)
	}
}

// productOf is the product of the path; when there is none it answers 404 and returns nil.
func (u *unit) productOf(w http.ResponseWriter, r *http.Request) *storedProduct {
	p := get[storedProduct](u, kindProduct, r.PathValue("sku"))
	if p == nil {
		notFound(w, "product", r.PathValue("sku"))
	}
	return p
}

func setStock(u *unit, w http.ResponseWriter, r *http.Request) {
	var levels map[string]int
	if !readJSON(w, r, &levels, false) {
		return
	}
	if p := u.productOf(w, r); p != nil {
		maps.Copy(p.Stock, levels)
		writeJSON(w, http.StatusOK, p.Stock)
	}
}

// adjustStock takes its key in the body, so it collapses repeats by itself.
func adjustStock(u *unit, w http.ResponseWriter, r *http.Request) {
	var body struct {
		RequestID string `json:"request_id"`
		Warehouse string `json:"warehouse"`
		Delta     int    `json:"delta"`
	}
	if !readJSON(w, r, &body, false) {
		return
	}
	p := u.productOf(w, r)
	switch {
	case p == nil:
		return
	case body.RequestID != "" && p.Adjusted[body.RequestID]:
		writeJSON(w, http.StatusOK, p.Stock)
		return
	}
	var c checks
	c.that(body.Warehouse != "", "/warehouse", "must not be empty")
	c.that(p.Stock[body.Warehouse]+body.Delta >= 0, "/delta", "takes more than there is")
	if c.failed(w) {
		return
	}
	if body.RequestID != "" {
		if p.Adjusted == nil {
			p.Adjusted = map[string]bool{}
		}
		p.Adjusted[body.RequestID] = true
	}
	p.Stock[body.Warehouse] += body.Delta
	u.count("created", "adjustments", 1)
	writeJSON(w, http.StatusOK, p.Stock)
}

// category is a node of the tree of categories.
type category struct {
	Name     string     `json:"name"`
	Children []category `json:"children,omitempty"`
}

func getCategories(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, http.StatusOK, category{Name: "All", Children: []category{
		{Name: "Furniture", Children: []category{{Name: "Chairs"}, {Name: "Tables"}}},
		{Name: "Lighting"},
	}})
}
