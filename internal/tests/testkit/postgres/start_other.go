//go:build !unix

package postgres

// start needs Unix sockets and accounts.
func start(string) (url string, stop func(), err error) { return "", nil, ErrNone }
