package scene

import (
	"context"
	"errors"

	"mcp-gateway/receipt"
)

// Verified verifies a receipt by the gateway's keys and against its journal.
func (s *Stage) Verified(envelope []byte) (*receipt.Statement, error) {
	st, err := receipt.Verify(envelope, s.Gateway.ReceiptKeys(), receipt.Claim{})
	if err != nil {
		return nil, err
	}
	return st, st.Match(s.Gateway.Events(context.Background()))
}

// Newest returns the newest receipt of an action, verified.
func (s *Stage) Newest(ctx context.Context, action string) (*receipt.Statement, error) {
	kept, err := s.Gateway.Effects().Ledger.Receipts(ctx, action, 1)
	if err != nil || len(kept) == 0 {
		return nil, errors.Join(err, errors.New("there is no receipt"))
	}
	return s.Verified(kept[0].Envelope)
}
