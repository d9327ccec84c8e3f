// Package arenaproto has what programs call of the package of that name.
package arenaproto

func Clone[M any](m M) M { return m }
