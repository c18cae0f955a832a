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

// Detail says whether the arguments of calls are kept, encrypted, and for how long; 0
// keeps none.
type Detail struct{ For time.Duration }

// maxDetail is how long arguments may be kept: they are for disputes, not for ever.
const maxDetail = 90 * day

// Form describes it as the file holds it.
func (d *Detail) Form() form.Value {
	return form.Object{Fields: []form.Field{
		{Key: "keep", Need: true, Doc: "For how long, such as 72h or 7d; 90d at most.", Value: form.Age(&d.For, time.Hour, maxDetail)},
	}}
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
