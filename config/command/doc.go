// Package command judges command lines as configuration writes them: whether they
// carry their program in an argument, where no review sees it, or a secret.
//
// Map:
//
//	command.go  InlineCode, SecretArgument, SoundsSecret
package command
