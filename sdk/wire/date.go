package wire

import (
	"fmt"
	"time"
)

// Date is a calendar day without a time of day and without a time zone: full-date of RFC 3339 section 5.6, the format
// "date" of OpenAPI. The zero value is no day and cannot be written.
type Date struct {
	Year  int // 0 to 9999
	Month time.Month
	Day   int // from 1
}

// DateOf gives the day on which t falls in t's own time zone.
func DateOf(t time.Time) Date {
	y, m, d := t.Date()
	return Date{y, m, d}
}

// ParseDate reads YYYY-MM-DD.
func ParseDate(s string) (Date, error) {
	t, err := time.Parse(time.DateOnly, s)
	if err != nil {
		return Date{}, fmt.Errorf("wire: not a date of the form YYYY-MM-DD: %w", err)
	}
	return DateOf(t), nil
}

// String gives YYYY-MM-DD.
func (d Date) String() string {
	return fmt.Sprintf("%04d-%02d-%02d", d.Year, int(d.Month), d.Day)
}

// Time gives the midnight at which the day begins in the time zone.
func (d Date) Time(zone *time.Location) time.Time {
	return time.Date(d.Year, d.Month, d.Day, 0, 0, 0, 0, zone)
}

// IsZero reports whether no day is set.
func (d Date) IsZero() bool { return d == Date{} }

// MarshalText writes YYYY-MM-DD, and fails for a day that the calendar does not have.
func (d Date) MarshalText() ([]byte, error) {
	if d.Year < 0 || d.Year > 9999 || DateOf(d.Time(time.UTC)) != d {
		return nil, fmt.Errorf("wire: %s is not a day of the calendar", d)
	}
	return []byte(d.String()), nil
}

// UnmarshalText reads YYYY-MM-DD.
func (d *Date) UnmarshalText(text []byte) error {
	day, err := ParseDate(string(text))
	if err != nil {
		return err
	}
	*d = day
	return nil
}
