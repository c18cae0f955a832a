package cli

import "time"

// Moment reads a flag that names a time: a duration back from now, or RFC 3339; the
// zero time where it is empty.
func Moment(flag, text string, now time.Time) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	if d, err := time.ParseDuration(text); err == nil {
		return now.Add(-d), nil
	}
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return at, Misused("%s: %q is neither a duration such as 24h nor a time such as %s", flag, text, "2026-09-01T00:00:00Z")
	}
	return at, nil
}
