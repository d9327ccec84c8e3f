// Package watching tests what package arena promises to those who watch its pools. It is apart from the
// other promises, since Get and Put do more for some minutes once somebody has watched.
package watching
