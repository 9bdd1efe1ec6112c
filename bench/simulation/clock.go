package main

import (
	"container/heap"
	"time"
)

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
	heap.Push(&w.events, event{at: w.now + d, seq: w.seq, do: do})
}

// run lets events happen until none is left or the next one lies past end; 0 means no end.
func (w *world) run(end time.Duration) {
	for len(w.events) > 0 {
		if next := w.events[0].at; end > 0 && next > end {
			w.now = end

			return
		}

		next := heap.Pop(&w.events).(event)
		w.now = next.at
		next.do()
	}
}

func (w *world) clock() time.Time { return epoch.Add(w.now) }

// events implements heap.Interface.
type events []event

func (e events) Len() int { return len(e) }

func (e events) Less(i, j int) bool {
	return e[i].at < e[j].at || e[i].at == e[j].at && e[i].seq < e[j].seq
}

func (e events) Swap(i, j int) { e[i], e[j] = e[j], e[i] }

func (e *events) Push(x any) { *e = append(*e, x.(event)) }

func (e *events) Pop() any {
	old := *e
	last := old[len(old)-1]
	*e = old[:len(old)-1]

	return last
}
