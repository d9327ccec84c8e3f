// Package repository tests the rules of this repository: the imports of packages, the exported API, the sizes of files,
// and the form of text. It has only tests.
package repository
