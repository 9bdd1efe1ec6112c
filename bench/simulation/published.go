package main

// fact is a published figure and what the simulation makes of it.
type fact struct {
	what, source string
	want, got    float64
	digits       int
}

// off is how far the simulation is off, as a share of the published figure.
func (p fact) off() float64 { return p.got/p.want - 1 }

const (
	jitterPost  = "Brooker 2015, his program"
	bucketsPost = "Brooker 2022, his program"
	awsRules    = "arithmetic on the rules of AWS retry 2.1"
)

// published holds the figures that the models are checked against.
func published(f findings) []fact {
	facts := []fact{
		{"writes of 100 clients, exponential without jitter", jitterPost, 1842, f.writes("exponential, no jitter"), 0},
		{"writes of 100 clients, equal jitter", jitterPost, 813, f.writes("equal jitter"), 0},
		{"writes of 100 clients, full jitter", jitterPost, 794, f.writes("full jitter"), 0},
		{"writes of 100 clients, decorrelated jitter", jitterPost, 1009, f.writes("decorrelated jitter"), 0},
	}

	three := strategy{attempts: 4}
	tenth := strategy{attempts: 4, guard: newBrookers}
	facts = append(
		facts,
		fact{"attempts for a call at 50 % failures, three retries", bucketsPost, 1.8776, steady(three, hundred(), 0.5).factor(), 3},
		fact{"attempts for a call at 50 % failures, a tenth of a retry a call", bucketsPost, 1.1209, steady(tenth, hundred(), 0.5).factor(), 3},
		fact{"calls answered at 50 % failures, a tenth of a retry a call", bucketsPost, 0.5613, steady(tenth, hundred(), 0.5).success(), 3},
	)

	return append(
		facts,
		fact{"attempts for a call at 30 % failures, a retry costs 14", awsRules, 1.167, f.loads[3].at(0.3).factor(), 3},
		fact{"attempts for a call at 50 % failures, a retry costs 14", awsRules, 1.072, f.loads[3].at(0.5).factor(), 3},
		fact{"attempts for a call at 30 % failures, a retry costs 5", awsRules, 1.388, f.loads[4].at(0.3).factor(), 3},
		fact{"attempts for a call at 50 % failures, a retry costs 5", awsRules, 1.201, f.loads[4].at(0.5).factor(), 3},
		fact{"first call held back when all fail, a retry costs 14", awsRules, 17, float64(f.loads[3].at(1).refusedAt), 0},
		fact{"first call held back when all fail, a retry costs 5", awsRules, 50, float64(f.loads[4].at(1).refusedAt), 0},
		fact{"break-even in %, a retry costs 14", awsRules, 21.5, 100 * f.evens[0].rate, 1},
		fact{"break-even in %, a retry costs 5", awsRules, 32.1, 100 * f.evens[1].rate, 1},
	)
}

// writes is how many writes a hundred clients took with a form of waiting.
func (f findings) writes(form string) float64 {
	for _, r := range f.forms {
		if r.form.name == form && r.clients == 100 {
			return r.calls
		}
	}

	return 0
}
