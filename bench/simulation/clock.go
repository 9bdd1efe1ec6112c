package main

import "time"

// epoch is where virtual time starts; the budgets want points in time.
var epoch = time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC)

// world is a queue of events in virtual time. Events at the same instant happen in the order in which they were added,
// so a run depends on its seed only.
type world struct {
	now    time.Duration
	seq    int
	events events
}

type event struct {
	at  time.Duration
	seq int
	do  func()
}

// after has do happen in d.
func (w *world) after(d time.Duration, do func()) {
	w.seq++
	w.events.push(event{at: w.now + d, seq: w.seq, do: do})
}

// run lets events happen until none is left or the next one lies past end; 0 means no end.
func (w *world) run(end time.Duration) {
	for len(w.events) > 0 {
		if end > 0 && w.events[0].at > end {
			w.now = end

			return
		}

		next := w.events.pop()
		w.now = next.at
		next.do()
	}
}

func (w *world) clock() time.Time { return epoch.Add(w.now) }

// events is a binary heap, the next event first.
type events []event

func (e event) before(other event) bool {
	return e.at < other.at || e.at == other.at && e.seq < other.seq
}

func (e *events) push(added event) {
	*e = append(*e, added)
	heap := *e

	for child := len(heap) - 1; child > 0; {
		parent := (child - 1) / 2
		if !heap[child].before(heap[parent]) {
			return
		}

		heap[child], heap[parent] = heap[parent], heap[child]
		child = parent
	}
}

func (e *events) pop() event {
	heap := *e
	first, last := heap[0], len(heap)-1
	heap[0], heap[last] = heap[last], event{}
	heap = heap[:last]
	*e = heap

	for parent := 0; ; {
		child := 2*parent + 1
		if child >= last {
			return first
		}

		if right := child + 1; right < last && heap[right].before(heap[child]) {
			child = right
		}

		if !heap[child].before(heap[parent]) {
			return first
		}

		heap[child], heap[parent] = heap[parent], heap[child]
		parent = child
	}
}
