// Package budget is part of the runtime.
package budget
