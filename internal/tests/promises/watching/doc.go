// Package watching tests what package arena promises about observing pools. It is separate from the
// other promises, since Get and Put do more for some minutes once a pool was observed.
package watching
