package approval

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"fmt"
)

// Seal encrypts the copy of a call that a ticket's approvers see (AES-256-GCM,
// key derived with HKDF-SHA-256 from the state key, bound to the ticket's id).
// The copy is stored apart from the evidence and erased when the ticket closes.
func Seal(stateKey []byte, ticket string, call []byte) ([]byte, error) {
	aead, err := sealer(stateKey)
	if err != nil {
		return nil, err
	}
	return aead.Seal(nil, nil, call, []byte(ticket)), nil
}

// Unseal decrypts what Seal wrote for the same ticket.
func Unseal(stateKey []byte, ticket string, sealed []byte) ([]byte, error) {
	aead, err := sealer(stateKey)
	if err != nil {
		return nil, err
	}
	call, err := aead.Open(nil, nil, sealed, []byte(ticket))
	if err != nil {
		return nil, fmt.Errorf("opening the call of ticket %s: %w", ticket, err)
	}
	return call, nil
}

func sealer(stateKey []byte) (cipher.AEAD, error) {
	key, err := hkdf.Key(sha256.New, stateKey, nil, "licet ticket copy", 32)
	if err != nil {
		return nil, fmt.Errorf("deriving the key of ticket copies: %w", err)
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	return cipher.NewGCMWithRandomNonce(block)
}

// NewID returns a fresh random name with the given prefix: 16 characters of
// base32, 80 bits.
func NewID(prefix string) string { return prefix + rand.Text()[:16] }
