//go:build !linux

package confine

import (
	"errors"
	"syscall"
)

var errSystem = errors.New("this system confines nothing")

// Landlock returns 0: there is none.
func Landlock() int { return 0 }

// Helper returns nil: nothing confines.
func Helper() []string { return nil }

// Shield does nothing: there is no /proc to read the gateway from.
func Shield() error { return nil }

// Attr changes nothing.
func Attr(Spec, *syscall.SysProcAttr) {}

func become(Spec, string, []string, func(Report)) error { return errSystem }
