package effect

import (
	"context"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"time"

	"mcp-gateway/audit"
	"mcp-gateway/gateway"
	"mcp-gateway/keyring"
	"mcp-gateway/protocol"
	"mcp-gateway/proxy/call"
	"mcp-gateway/proxy/present"
	"mcp-gateway/proxy/record"
	"mcp-gateway/receipt"
)

// Book is the ledger as calls use it. All its members but Ask are required.
type Book struct {
	Ledger receipt.Ledger
	Keys   *keyring.Ring
	Fates  call.Fates
	Hop    *present.Hop
	Record *record.Recorder
	Writer string // this process's writer of the journal
	Build  string
	Clock  func() time.Time
	// Ask finds out what became of an action whose outcome is unknown, and returns
	// it as it stands then; nil: nobody can be asked.
	Ask func(ctx context.Context, w *call.World, on gateway.Behalf, e *receipt.Entry) (*receipt.Entry, error)
}

// patience is how long one change of the ledger may take.
const patience = 3 * time.Second

// Enter puts the call's action in flight, durably, and with it consumes its
// approval. What the ledger refuses was not sent. Where another call with this key was
// quicker, it is that call's repeat.
func (b *Book) Enter(ctx context.Context, c *call.Call) error {
	for c.Effect != nil && c.Effect.Entry == nil && !c.Replays() {
		enter := b.begin
		if c.Effect.Resumes != nil {
			enter = b.resume
		}
		holder, err := enter(ctx, c)
		if holder == nil {
			return err
		}
		c.Effect.Resumes = nil
		if err := b.judge(ctx, c, holder); err != nil {
			return err
		}
	}
	return nil
}

// begin enters a new action, or returns the one that has its key.
func (b *Book) begin(ctx context.Context, c *call.Call) (holder *receipt.Entry, err error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	fx := c.Effect
	if fx.Key == "" {
		mint(c)
	}
	c.Action = c.ID
	e, err := b.entry(c)
	if err != nil {
		return nil, err
	}
	holder, err = b.Ledger.Begin(ctx, e)
	switch {
	case errors.Is(err, receipt.ErrTicket):
		return nil, gateway.Because(gateway.CodeApprovalRequired, err, gateway.ReasonApprovalUsed)
	case err != nil:
		fx.Entry = e // it may have come to be written: Settle sees to that
		return nil, unavailable(err)
	case holder != nil:
		c.Action = audit.ID{}
		return holder, nil
	}
	fx.Entry = e
	return nil, nil
}

// resume goes on with an action that awaits input or whose outcome is unknown, or
// returns how it stands where another call went on with it. An approval that was given
// for this attempt is used up by it.
func (b *Book) resume(ctx context.Context, c *call.Call) (holder *receipt.Entry, err error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	before := c.Effect.Resumes
	c.Action, _ = audit.ParseID(before.Action)
	if before.Source == receipt.KeyMinted {
		key, err := b.Key(before)
		if err != nil {
			return nil, unavailable(err)
		}
		c.Effect.Key, c.Effect.Source = key, receipt.KeyMinted
		carry(c)
	}
	e := *before
	e.Attempt, e.Writer, e.State = before.Attempt+1, b.Writer, gateway.OutcomeInFlight
	switch {
	case c.Approval != nil:
		e.Approval = c.Approval.ID
	case before.State == gateway.OutcomeUnknown:
		e.Approval = "" // this attempt needed none
	}
	if e.Draft, err = b.draft(c, &e); err != nil {
		return nil, err
	}
	switch err = b.Ledger.Resume(ctx, &e, before.State, c.Now()); {
	case errors.Is(err, receipt.ErrTicket):
		return nil, gateway.Because(gateway.CodeApprovalRequired, err, gateway.ReasonApprovalUsed)
	case errors.Is(err, receipt.ErrRaced):
		holder, err = b.Ledger.Action(ctx, e.Action)
	}
	if holder == nil {
		c.Effect.Entry = &e // also where it may have come to be written: Settle sees to that
	}
	if err != nil {
		return nil, unavailable(err)
	}
	return holder, nil
}

// entry is the call as the ledger keeps it.
func (b *Book) entry(c *call.Call) (*receipt.Entry, error) {
	fx, item := c.Effect, c.Item.Item()
	e := &receipt.Entry{
		Action: c.Action.String(), Attempt: 1, Scope: fx.Scope, Source: fx.Source, Salt: receipt.NewSalt(),
		Item: item.ID, Principal: b.pseudonym(c), Tenant: c.Principal.Tenant,
		State: gateway.OutcomeInFlight, Writer: b.Writer, Began: c.Now(),
	}
	if c.Approval != nil {
		e.Approval = c.Approval.ID
	}
	e.Sealed = b.Keys.Seal(keyring.Ledger, []byte(fx.Key), []byte("key "+e.Action))
	e.Arguments = receipt.ArgumentsDigest(e.Salt, canonical(c.Arguments))
	var err error
	e.Draft, err = b.draft(c, e)
	return e, err
}

// pseudonym names the principal in receipts: by another key than in events, so that
// who is shown a receipt can't follow its bearer through an exported journal.
func (b *Book) pseudonym(c *call.Call) string {
	sum := b.Keys.MAC(keyring.Receipt, []byte("principal"), []byte(c.Principal.ID()))
	return b.Keys.KeyID(keyring.Receipt) + ":" + hex.EncodeToString(sum[:16])
}

// draft is the receipt as far as it is known before the call is sent.
func (b *Book) draft(c *call.Call, e *receipt.Entry) ([]byte, error) {
	item := c.Item.Item()
	s := receipt.Statement{
		V: receipt.Version, Action: e.Action, Attempt: e.Attempt, Principal: e.Principal, Tenant: e.Tenant,
		Upstream: item.ID.Upstream, Tool: item.ID.Name, Definition: item.Definition.Digest,
		Policy: c.World.Policy.Revision(), Effect: c.Decision.Effect, Reasons: c.Decision.Reasons, Approval: e.Approval,
		Arguments: receipt.Arguments{Salt: base64.RawURLEncoding.EncodeToString(e.Salt[:]), Digest: e.Arguments},
		Host:      receipt.Hop{Era: string(c.Era), Revision: c.Revision},
		KeyFrom:   e.Source, DecidedAt: receipt.Stamp(c.Now()), Build: b.Build,
	}
	if up := c.World.Upstreams[item.ID.Upstream]; up != nil {
		fact := up.Fact()
		s.Upward = receipt.Hop{Era: fact.Era, Revision: fact.Revision}
	}
	return json.Marshal(&s)
}

func canonical(arguments []byte) []byte {
	if arguments == nil {
		return []byte("{}")
	}
	return protocol.AppendCanonical(make([]byte, 0, len(arguments)), arguments)
}

// unavailable: the ledger failed, so nothing is sent.
func unavailable(err error) error {
	return gateway.Because(gateway.CodeReceiptUnavailable, err, gateway.ReasonLedger)
}
