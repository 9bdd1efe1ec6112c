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

func (s *Shop) listProducts(w http.ResponseWriter, r *http.Request) {
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
	s.mu.Lock()
	defer s.mu.Unlock()
	var found []*product
	for _, p := range s.state.products {
		if !slices.ContainsFunc(tags, func(tag string) bool { return !slices.Contains(p.Tags, tag) }) {
			found = append(found, p)
		}
	}
	writeJSON(w, http.StatusOK, map[string]any{
		"products": page(found, (number-1)*size, size), "page": number, "total_pages": max(1, (len(found)+size-1)/size),
	})
}

func (s *Shop) getProduct(w http.ResponseWriter, r *http.Request) {
	s.withProduct(w, r, func(p *product) { writeJSON(w, http.StatusOK, p) })
}

// withProduct runs f on the product of the path, or answers 404.
func (s *Shop) withProduct(w http.ResponseWriter, r *http.Request, f func(*product)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.state.product(r.PathValue("sku"))
	if p == nil {
		notFound(w, "product", r.PathValue("sku"))
		return
	}
	f(p)
}

func (s *Shop) setStock(w http.ResponseWriter, r *http.Request) {
	var levels map[string]int
	if !readJSON(w, r, &levels, false) {
		return
	}
	s.withProduct(w, r, func(p *product) {
		maps.Copy(p.Stock, levels)
		writeJSON(w, http.StatusOK, p.Stock)
	})
}

// adjustStock takes its key in the body, so it collapses repeats by itself.
func (s *Shop) adjustStock(w http.ResponseWriter, r *http.Request) {
	var body struct {
		RequestID string `json:"request_id"`
		Warehouse string `json:"warehouse"`
		Delta     int    `json:"delta"`
	}
	if !readJSON(w, r, &body, false) {
		return
	}
	s.withProduct(w, r, func(p *product) {
		if body.RequestID != "" && p.adjusted[body.RequestID] {
			writeJSON(w, http.StatusOK, p.Stock)
			return
		}
		var c checks
		c.that(body.Warehouse != "", "/warehouse", "must not be empty")
		c.that(p.Stock[body.Warehouse]+body.Delta >= 0, "/delta", "takes more than there is")
		if c.failed(w) {
			return
		}
		p.adjusted[body.RequestID] = body.RequestID != ""
		p.Stock[body.Warehouse] += body.Delta
		s.state.effects.Adjustments++
		writeJSON(w, http.StatusOK, p.Stock)
	})
}

// category is a node of the tree of categories.
type category struct {
	Name     string     `json:"name"`
	Children []category `json:"children,omitempty"`
}

func (s *Shop) getCategories(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, http.StatusOK, category{Name: "All", Children: []category{
		{Name: "Furniture", Children: []category{{Name: "Chairs"}, {Name: "Tables"}}},
		{Name: "Lighting"},
	}})
}
