// Package collections has containers whose memory comes from an arena.
package collections
