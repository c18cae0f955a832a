package local

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

	"mcp-gateway/auth"
	"mcp-gateway/auth/staff"
)

// takeover is how often a gateway looks whether the one that serves the socket of its
// replica has ended.
const takeover = 2 * time.Second

// Serve serves the socket of a replica until ctx ends. handler is made for the token
// that is fresh with every start.
func Serve(ctx context.Context, stateDir, replica string, handler func(token staff.Digest) *http.Server) error {
	dir := filepath.Join(stateDir, Folder, replica)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("admin socket: %w", err)
	}
	lock, err := acquire(ctx, filepath.Join(dir, lockFile))
	if lock == nil || err != nil {
		return err
	}
	defer lock.Close()
	key, sum := auth.NewKey()
	digest, err := auth.ParseDigest(sum)
	if err != nil {
		return err
	}
	token, socket := filepath.Join(dir, tokenFile), filepath.Join(dir, socketFile)
	if err := errors.Join(gone(socket), gone(token), write(token, key)); err != nil {
		return fmt.Errorf("admin socket: %w", err)
	}
	listener, err := listen(socket)
	if err != nil {
		return fmt.Errorf("admin socket: %w", errors.Join(err, gone(token)))
	}
	server := handler(staff.Digest(digest))
	stop := context.AfterFunc(ctx, func() { _ = server.Close() }) // what is asked here is short
	defer stop()
	err = server.Serve(listener)
	if errors.Is(err, http.ErrServerClosed) {
		err = nil
	}
	return errors.Join(err, gone(socket), gone(token))
}

// acquire waits for the lock of a replica's socket; nil when ctx ended first.
func acquire(ctx context.Context, path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("admin socket: %w", err)
	}
	tick := time.NewTicker(takeover)
	defer tick.Stop()
	for {
		err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		if err == nil {
			return f, nil
		}
		if !errors.Is(err, unix.EWOULDBLOCK) {
			return nil, fmt.Errorf("admin socket: %w", errors.Join(err, f.Close()))
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil, f.Close()
		}
	}
}

// listen makes the socket, for this user alone: its folder is, and it itself is before
// anyone is accepted.
func listen(path string) (net.Listener, error) {
	var l net.Listener
	err := short(path, func(p string) (err error) {
		if l, err = net.Listen("unix", p); err != nil {
			return err
		}
		l.(*net.UnixListener).SetUnlinkOnClose(false)
		return os.Chmod(p, 0o600)
	})
	if err != nil && l != nil {
		err = errors.Join(err, l.Close())
	}
	return l, err
}

func write(path, text string) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text + "\n")
	return errors.Join(err, f.Close())
}

func gone(path string) error {
	if err := os.Remove(path); !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}
