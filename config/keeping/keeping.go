package keeping

import (
	"time"

	"mcp-gateway/config/form"
)

// Retention says how long events are kept; what is zero keeps them for ever.
type Retention struct {
	Age  time.Duration
	Size int // bytes of the journal
}

// Bounds of retention: what is younger may still be needed to tell what became of a
// call; what is smaller is less than two segments.
const (
	day              = 24 * time.Hour
	minAge, maxAge   = day, 100 * 365 * day
	minKept, maxKept = 128 << 20, 1 << 50
)

// Form describes it as the file holds it.
func (r *Retention) Form() form.Value {
	return form.Object{
		Fields: []form.Field{
			{Key: "age", Doc: "Segments whose last event is older are removed, such as 90d.", Value: form.Age(&r.Age, minAge, maxAge)},
			{Key: "size", Doc: "The oldest are removed while the journal has more bytes, such as 20GiB.", Value: form.Size(&r.Size, maxKept)},
		},
		Check: func(at form.Place) {
			if r.Size > 0 && r.Size < minKept {
				at.Child("size").Report("out_of_range", "wants at least 128MiB: two segments")
			}
		},
	}
}
