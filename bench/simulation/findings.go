package main

import "time"

// findings is all that a run of the command simulates. The same seed gives the same findings.
type findings struct {
	scenario scenario
	outages  []outage
	loads    []loads
	evens    []even
	forms    []formRow
}

type outage struct {
	plan    plan
	charted bool
	seconds []second
}

type loads struct {
	strategy strategy
	charted  bool
	rows     []loadRow
}

type loadRow struct {
	failures float64
	load     load
}

type even struct {
	cost int
	rate float64
}

type formRow struct {
	form    form
	clients int
	contended
}

const seed = 20150304

// failureRates are the rates that the tables and the chart show.
func failureRates() []float64 {
	rates := []float64{0.01, 0.02, 0.05, 0.075}
	for p := 0.1; p < 1.001; p += 0.05 {
		rates = append(rates, p)
	}

	return rates
}

// hundred is the crowd of the published figures: 100 clients, 10 calls a second each, for 20 s.
func hundred() crowd { return crowd{clients: 100, rate: 10, lasts: 20 * time.Second} }

// single is one client with enough calls for its budget to come to rest.
func single() crowd { return crowd{clients: 1, rate: 100, lasts: 500 * time.Second} }

func strategies() []loads {
	return []loads{
		{strategy: strategy{"no retries", 1, nil}, charted: true},
		{strategy: strategy{"three naive retries", 4, nil}, charted: true},
		{strategy: strategy{"two retries", 3, nil}, charted: true},
		{strategy: strategy{"bucket, a retry costs 14", 3, bucket(14, 5)}, charted: true},
		{strategy: strategy{"bucket, a retry costs 5", 3, bucket(5, 5)}, charted: true},
		{strategy: strategy{"share of 10 %", 3, share(0.1, -1)}, charted: true},
		{strategy: strategy{"Brooker's bucket", 4, newBrookers}},
	}
}

func simulate() findings {
	f := findings{scenario: overload(), loads: strategies()}

	for i, p := range plans() {
		f.outages = append(f.outages, outage{plan: p, charted: i < 5, seconds: play(f.scenario, p)})
	}

	for i := range f.loads {
		for _, p := range failureRates() {
			f.loads[i].rows = append(f.loads[i].rows, loadRow{failures: p, load: steady(f.loads[i].strategy, single(), p)})
		}
	}

	for _, cost := range []int{14, 5} {
		f.evens = append(f.evens, even{cost: cost, rate: breakEven(cost, seed)})
	}

	for _, form := range forms() {
		for _, clients := range []int{10, 50, 100} {
			f.forms = append(f.forms, formRow{form: form, clients: clients, contended: contend(form, clients, 40, seed)})
		}
	}

	return f
}
