package checkpoint

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"strconv"
	"strings"
	"time"

	"mcp-gateway/audit"
	"mcp-gateway/audit/shape"
)

// Origin is the first line of every checkpoint, and the name of who signs it.
const Origin = "mcp-gateway/journal"

// Causes, for errors.Is.
var (
	ErrForm       = errors.New("checkpoint: not a checkpoint in note form")
	ErrUnknownKey = errors.New("checkpoint: signed by a key that is not known here")
	ErrSignature  = errors.New("checkpoint: the signature is wrong")
)

// Checkpoint says what stood at the head of a writer's chain.
type Checkpoint struct {
	Replica audit.Ident
	Boot    uint64
	Seq     uint64
	Hash    audit.Hash // of the line of event Seq
	Time    time.Time  // when it was signed
	Removed bool       // also: the events up to Seq were removed, as retention says
}

// layout is RFC 3339 in UTC with nine digits, as events have it.
const layout = "2006-01-02T15:04:05.000000000Z"

// removedLine is the extension line of a checkpoint behind which nothing is kept.
const removedLine = "removed"

// Text returns what is signed.
func (c Checkpoint) Text() string {
	text := c.head()
	if c.Removed {
		text += removedLine + "\n"
	}
	return text
}

func (c Checkpoint) head() string {
	return Origin + "\n" + string(c.Replica) + "/" + strconv.FormatUint(c.Boot, 10) + "\n" +
		strconv.FormatUint(c.Seq, 10) + "\n" + base64.StdEncoding.EncodeToString(c.Hash[:]) + "\n" +
		c.Time.UTC().Format(layout) + "\n"
}

// parseText is the inverse of Text; every other spelling is refused.
func parseText(text string) (Checkpoint, bool) {
	lines := strings.Split(text, "\n")
	if len(lines) < 6 || len(lines) > 7 || lines[0] != Origin {
		return Checkpoint{}, false
	}
	replica, boot, _ := strings.Cut(lines[1], "/")
	c := Checkpoint{Replica: audit.Ident(replica), Removed: len(lines) == 7}
	var err [4]error
	c.Boot, err[0] = strconv.ParseUint(boot, 10, 64)
	c.Seq, err[1] = strconv.ParseUint(lines[2], 10, 64)
	var hash []byte
	hash, err[2] = base64.StdEncoding.DecodeString(lines[3])
	c.Time, err[3] = time.Parse(layout, lines[4])
	if errors.Join(err[:]...) != nil || len(hash) != len(c.Hash) || !shape.Ident(replica) {
		return Checkpoint{}, false
	}
	c.Hash = audit.Hash(hash)
	return c, c.Text() == text
}

// Signer signs by Ed25519; keyring.Ring has one for its checkpoint key.
type Signer interface {
	Public() ed25519.PublicKey
	Sign(message []byte) (signature []byte)
}

// Sign returns the checkpoint as a signed note.
func Sign(c Checkpoint, s Signer) string {
	text := c.Text()
	id := keyID(s.Public())
	return text + "\n" + signatureLine + base64.StdEncoding.EncodeToString(append(id[:], s.Sign([]byte(text))...)) + "\n"
}

// signatureLine begins with an em dash, as signed notes do.
const signatureLine = "\u2014 " + Origin + " "

// algEd25519 is the signature type of Ed25519 in signed notes.
const algEd25519 = 1

// keyID is how a note names the key: the first four bytes of a digest over the
// signer's name and its public key.
func keyID(key ed25519.PublicKey) [4]byte {
	sum := sha256.Sum256(append([]byte(Origin+"\n"+string(rune(algEd25519))), key...))
	return [4]byte(sum[:4])
}

// Keys are the public keys by which checkpoints are accepted.
type Keys []ed25519.PublicKey

// Open returns the checkpoint of a signed note: ErrForm, ErrUnknownKey or
// ErrSignature if it is not one that a key of ours signed. With ErrUnknownKey comes
// what it says, unproven.
func (ks Keys) Open(note string) (Checkpoint, error) {
	text, rest, ok := strings.Cut(note, "\n\n")
	c, sound := parseText(text + "\n")
	encoded, named := strings.CutPrefix(strings.TrimSuffix(rest, "\n"), signatureLine)
	signed, err := base64.StdEncoding.Strict().DecodeString(encoded)
	if !ok || !sound || !named || err != nil || len(signed) != 4+ed25519.SignatureSize {
		return Checkpoint{}, ErrForm
	}
	err = ErrUnknownKey
	for _, key := range ks {
		if keyID(key) != [4]byte(signed[:4]) {
			continue
		}
		if ed25519.Verify(key, []byte(text+"\n"), signed[4:]) {
			return c, nil
		}
		err = ErrSignature
	}
	if errors.Is(err, ErrUnknownKey) {
		return c, err
	}
	return Checkpoint{}, err
}
