package index

import (
	"context"

	"mcp-gateway/audit/index/question"
)

// Answer is what a question in SQL found.
type Answer = question.Answer

// SQL asks one question in SQL over the view events, once the index holds what
// is durable. It only reads.
func (x *Index) SQL(ctx context.Context, query string) (*Answer, error) {
	if !question.Asks(query) {
		return nil, question.ErrNone
	}
	if err := x.CatchUp(ctx); err != nil {
		return nil, err
	}
	return question.Ask(ctx, x.path, query)
}
