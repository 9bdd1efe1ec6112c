package shop

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"
)

func listCustomers(u *unit, w http.ResponseWriter, r *http.Request) {
	offset, ok1 := intParam(r, "offset", 0, 0, 1_000_000)
	limit, ok2 := intParam(r, "limit", 20, 1, 100)
	var c checks
	c.that(ok1, "offset", "must be a number from 0")
	c.that(ok2, "limit", "must be a number from 1 to 100")
	if c.failed(w) {
		return
	}
	email := r.URL.Query().Get("email")
	found := []*customer{}
	for _, c := range list[customer](u, kindCustomer) {
		if email == "" || strings.EqualFold(c.Email, email) {
			found = append(found, c)
		}
	}
	writeJSON(w, http.StatusOK, map[string]any{"data": page(found, offset, limit), "total": len(found)})
}

func createCustomer(u *unit, w http.ResponseWriter, r *http.Request) {
	var body struct {
		customer

		Password string `json:"password"`
	}
	if !readJSON(w, r, &body, false) {
		return
	}
	var c checks
	c.that(body.Name != "", "/name", "must not be empty")
	c.that(strings.Contains(body.Email, "@"), "/email", "must be an e-mail address")
	c.that(body.Password == "" || len(body.Password) >= 12, "/password", "must have at least 12 characters")
	if c.failed(w) {
		return
	}
	taken := func(c *customer) bool { return strings.EqualFold(c.Email, body.Email) }
	if slices.ContainsFunc(list[customer](u, kindCustomer), taken) {
		w.Header().Set("X-Should-Retry", "false")
		problem(w, http.StatusConflict, "email_taken", "Another customer has this address")
		return
	}
	created := &storedCustomer{customer: body.customer, Version: 1}
	created.ID, created.CreatedAt = u.id("cus"), u.now
	if created.Kind == "" {
		created.Kind = "person"
	}
	u.add(kindCustomer, created.ID, "", created)
	u.count("created", "customers", 1)
	w.Header().Set("Location", "/v1/customers/"+created.ID)
	writeJSON(w, http.StatusCreated, created.customer)
}

// customerOf is the customer of the path; when there is none it answers 404 and returns nil.
func (u *unit) customerOf(w http.ResponseWriter, r *http.Request) *storedCustomer {
	c := get[storedCustomer](u, kindCustomer, r.PathValue("customer_id"))
	if c == nil {
		notFound(w, "customer", r.PathValue("customer_id"))
	}
	return c
}

func getCustomer(u *unit, w http.ResponseWriter, r *http.Request) {
	if c := u.customerOf(w, r); c != nil {
		w.Header().Set("ETag", c.etag())
		writeJSON(w, http.StatusOK, c.customer)
	}
}

func updateCustomer(u *unit, w http.ResponseWriter, r *http.Request) {
	changes := map[string]json.RawMessage{}
	if !readJSON(w, r, &changes, false) {
		return
	}
	c := u.customerOf(w, r)
	if c == nil {
		return
	}
	if match := r.Header.Get("If-Match"); match != "" && match != c.etag() {
		problem(w, http.StatusPreconditionFailed, "changed", "The object has changed")
		return
	}
	changed := c.customer
	fields := map[string]any{
		"name": &changed.Name, "phone": &changed.Phone, "birth_date": &changed.BirthDate, "address": &changed.Address,
		"preferences": &changed.Preferences, "metadata": &changed.Metadata,
	}
	for _, name := range slices.Sorted(maps.Keys(changes)) {
		field, known := fields[name]
		if !known {
			continue
		}
		if err := json.Unmarshal(changes[name], field); err != nil {
			invalid(w, []fieldError{{Pointer: "/" + name, Message: err.Error()}})
			return
		}
	}
	c.customer = changed
	c.Version++
	w.Header().Set("ETag", c.etag())
	writeJSON(w, http.StatusOK, c.customer)
}

func deleteCustomer(u *unit, w http.ResponseWriter, r *http.Request) {
	id := r.PathValue("customer_id")
	u.remove(kindCustomer, id)
	for _, d := range list[document](u, kindDocument) {
		if d.CustomerID == id {
			u.remove(kindDocument, d.ID)
		}
	}
	w.WriteHeader(http.StatusNoContent)
}

func appendNotes(u *unit, w http.ResponseWriter, r *http.Request) {
	var notes []note
	if !readJSON(w, r, &notes, false) {
		return
	}
	c := u.customerOf(w, r)
	if c == nil {
		return
	}
	for _, n := range notes {
		n.WrittenAt = u.now
		c.Notes = append(c.Notes, n)
	}
	u.count("created", "notes", int64(len(notes)))
	writeJSON(w, http.StatusOK, c.Notes)
}

// filter is one condition of a search.
type filter struct {
	Field    string `json:"field"`
	Operator string `json:"operator"`
	Value    any    `json:"value"`
}

func searchCustomers(u *unit, w http.ResponseWriter, r *http.Request) {
	var body struct {
		Filters []filter `json:"filters"`
		Match   string   `json:"match"`
		Limit   int      `json:"limit"`
	}
	if !readJSON(w, r, &body, false) {
		return
	}
	var c checks
	c.that(len(body.Filters) > 0, "/filters", "must not be empty")
	c.that(body.Limit >= 0 && body.Limit <= 100, "/limit", "must be a number from 1 to 100")
	if c.failed(w) {
		return
	}
	if body.Limit == 0 {
		body.Limit = 20
	}
	found := []*customer{}
	for _, c := range list[customer](u, kindCustomer) {
		hits := 0
		for _, f := range body.Filters {
			if f.matches(c) {
				hits++
			}
		}
		if hits == len(body.Filters) || body.Match == "any" && hits > 0 {
			found = append(found, c)
		}
	}
	writeJSON(w, http.StatusOK, map[string]any{"data": page(found, 0, body.Limit), "took": "PT0S"})
}

func (f filter) matches(c *customer) bool {
	text, _ := f.Value.(string)
	var have string
	switch name, key, _ := strings.Cut(f.Field, "."); name {
	case "name":
		have = c.Name
	case "email":
		have = c.Email
	case "birth_date":
		if c.BirthDate != nil {
			have = *c.BirthDate
		}
	case "metadata":
		have = c.Metadata[key]
	}
	switch f.Operator {
	case "equals":
		return have == text
	case "not_equals":
		return have != text
	case "contains":
		return strings.Contains(have, text)
	case "before":
		return have != "" && have < text
	case "after":
		return have > text
	default:
		return false
	}
}
