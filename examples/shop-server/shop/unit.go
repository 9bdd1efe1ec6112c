package shop

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"strconv"
	"time"
)

// unit is one unit of work in a transaction: it hands out objects, remembers them, and writes those that changed when
// the work is done. Trouble with the backend ends the work by a panic that run turns into an error.
type unit struct {
	shop    *Shop
	tx      Tx
	now     time.Time
	kept    map[string]*keptObject // by kind and identifier
	order   []*keptObject
	counts  []count
	watched bool // something happened that watchers wait for
}

type keptObject struct {
	kind, id, name string
	value          any
	before         []byte // nil: a new object
}

type count struct {
	group, name string
	n           int64
}

// backendError carries an error of the backend through a panic.
type backendError struct{ err error }

// run does work in a transaction.
func (s *Shop) run(ctx context.Context, work func(u *unit)) error {
	u := &unit{}
	err := s.backend.Run(ctx, func(tx Tx) (err error) {
		defer func() {
			if trouble, ok := recover().(backendError); ok {
				err = trouble.err
			}
		}()
		*u = unit{shop: s, tx: tx, now: s.opts.Now().UTC(), kept: map[string]*keptObject{}}
		work(u)
		u.flush()
		return nil
	})
	if err == nil && u.watched {
		s.wakeAll()
	}
	return err
}

// in makes a handler of work: the answer goes out when the transaction has ended well.
func (s *Shop) in(work func(u *unit, w http.ResponseWriter, r *http.Request)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		answer := newAnswer(w)
		if err := s.run(r.Context(), func(u *unit) { work(u, answer, r) }); err != nil {
			unavailable(w)
			return
		}
		answer.send(w)
	}
}

// answer holds an answer back.
type answer struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func newAnswer(w http.ResponseWriter) *answer {
	return &answer{header: w.Header().Clone(), status: http.StatusOK}
}

func (a *answer) Header() http.Header            { return a.header }
func (a *answer) WriteHeader(status int)         { a.status = status }
func (a *answer) Write(text []byte) (int, error) { return a.body.Write(text) }

func (a *answer) send(w http.ResponseWriter) {
	maps.Copy(w.Header(), a.header)
	w.WriteHeader(a.status)
	_, _ = w.Write(a.body.Bytes())
}

func check(err error) {
	if err != nil {
		panic(backendError{err})
	}
}

// get loads an object for a change, or returns nil.
func get[T any](u *unit, kind, id string) *T {
	if kept := u.kept[kind+"/"+id]; kept != nil {
		return kept.value.(*T) //nolint:forcetypeassert // each kind has one type
	}
	body, err := u.tx.Get(kind, id)
	check(err)
	if body == nil {
		return nil
	}
	value := new(T)
	check(json.Unmarshal(body, value))
	u.keep(&keptObject{kind: kind, id: id, value: value, before: body})
	return value
}

// list reads all objects of a kind, the oldest first. Changes of them are not written.
func list[T any](u *unit, kind string) []*T {
	bodies, err := u.tx.List(kind)
	check(err)
	values := make([]*T, len(bodies))
	for i, body := range bodies {
		values[i] = new(T)
		check(json.Unmarshal(body, values[i]))
	}
	return values
}

// add makes a new object. The name finds it again where find is used for the kind.
func (u *unit) add(kind, id, name string, value any) {
	u.keep(&keptObject{kind: kind, id: id, name: name, value: value})
}

func (u *unit) keep(k *keptObject) {
	u.kept[k.kind+"/"+k.id] = k
	u.order = append(u.order, k)
}

func (u *unit) remove(kind, id string) { check(u.tx.Delete(kind, id)) }

// id makes the next identifier. They are sequential so that a test can tell them apart at a glance.
func (u *unit) id(prefix string) string {
	n, err := u.tx.Add("shop", "id", 1)
	check(err)
	return prefix + "_" + strconv.FormatInt(n, 36)
}

// count counts an effect.
func (u *unit) count(group, name string, n int64) { u.counts = append(u.counts, count{group, name, n}) }

// flush writes what is new or changed.
func (u *unit) flush() {
	for _, k := range u.order {
		body, err := json.Marshal(k.value)
		check(err)
		if !bytes.Equal(body, k.before) {
			check(u.tx.Put(k.kind, k.id, k.name, body))
		}
	}
	for _, c := range u.counts {
		_, err := u.tx.Add(c.group, c.name, c.n)
		check(err)
	}
}
