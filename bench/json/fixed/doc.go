// Package fixed is generated when the program is built with easyjson, and added by an overlay of the go command:
// the types of some texts by name, with the code that easyjson makes for them.
package fixed
