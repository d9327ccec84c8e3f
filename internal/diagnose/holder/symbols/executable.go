package symbols

import (
	"bytes"
	"cmp"
	"debug/dwarf"
	"debug/elf"
	"debug/macho"
	"debug/pe"
	"errors"
	"io"
	"os"
	"reflect"
	"slices"
	"strings"
	"sync"
	"unsafe"
)

// This file reads the files of programs: the sections that are loaded into memory, whose contents are compared with the
// process, and the variables in the symbol table.

// An Executable is the file of a program. Parts that couldn't be read are empty; the zero Executable has none.
type Executable struct {
	path     string
	image    []byte      // the file, if it is mapped; else nil
	sections []section   // loaded into memory; the program may have changed them there
	text     section     // the code of this package, among others
	symbols  []symbol    // variables, by address
	dwarf    *dwarf.Data // nil until variable has read it

	// types is the base of offsets: of types' names, and of descriptors in the debugging information.
	types uintptr
	// structs has the results of StructNamed.
	structs map[string]reflect.Type
}

// A section is a part of the file, at its address in memory.
type section struct {
	addr uintptr
	data []byte
}

// A symbol is a variable.
type symbol struct {
	addr, size uintptr // size is 0 if unknown
	name       string
}

// Open reads the file of this process, with addresses as they are in memory. Where the file can be mapped it is read
// once: its sections, of some megabytes, would be in each dump if they were on the heap.
func Open() (*Executable, error) {
	e, err := mapped()
	if e == nil && err == nil {
		return open(nil)
	}
	if err != nil {
		return nil, err
	}
	own := *e // a copy, since later searches store results in it
	return &own, nil
}

var mapped = sync.OnceValues(func() (*Executable, error) {
	path, err := os.Executable()
	if err != nil {
		return nil, err
	}
	image := mapFile(path)
	if image == nil {
		return nil, nil
	}
	return open(image)
})

// open is Open with the contents of the file, or nil.
func open(image []byte) (*Executable, error) {
	path, err := os.Executable()
	if err != nil {
		return nil, err
	}
	e := &Executable{path: path, image: image}
	if err := e.read(); err != nil {
		return nil, err
	}
	return e, e.relocate()
}

// Read reads a program, with addresses as in the file.
func Read(path string) (*Executable, error) {
	e := &Executable{path: path}
	if err := e.read(); err != nil {
		return nil, err
	}
	return e, nil
}

// read reads the file.
func (e *Executable) read() error {
	// Sections are read whole, so that only the debugging information needs the file afterwards.
	f, err := os.Open(e.path)
	if err != nil {
		return err
	}
	defer f.Close()
	// Each of the three reads nothing if the file has another format.
	if !e.readELF(f) && !e.readMachO(f) && !e.readPE(f) {
		return errors.New("the executable is of no known format")
	}
	slices.SortFunc(e.symbols, func(a, b symbol) int { return cmp.Compare(a.addr, b.addr) })
	return nil
}

// content returns the bytes of a section, from the image if there is one, and else by calling read.
func (e *Executable) content(offset, size uint64, read func() ([]byte, error)) []byte {
	if n := uint64(len(e.image)); offset <= n && size <= n-offset && e.image != nil {
		return e.image[offset:][:size]
	}
	data, _ := read()
	return data
}

// readELF reads the format of Linux and the BSDs. It returns false for other formats.
func (e *Executable) readELF(r io.ReaderAt) bool {
	f, err := elf.NewFile(r)
	if err != nil {
		return false
	}
	// A section without bits is zero at first and has nothing in the file.
	for _, s := range f.Sections {
		if s.Flags&elf.SHF_ALLOC != 0 && s.Type != elf.SHT_NOBITS {
			e.sections = append(e.sections, section{uintptr(s.Addr), e.content(s.Offset, s.FileSize, s.Data)})
		}
	}
	symbols, _ := f.Symbols() // none in a stripped file
	for _, s := range symbols {
		if elf.ST_TYPE(s.Info) == elf.STT_OBJECT {
			e.addSymbol(symbol{uintptr(s.Value), uintptr(s.Size), s.Name})
		}
	}
	return true
}

// readMachO reads the format of macOS, in which symbols have no size.
func (e *Executable) readMachO(r io.ReaderAt) bool {
	f, err := macho.NewFile(r)
	if err != nil {
		return false
	}
	// Symbols have no kind. Symbols in sections for data are variables. Sections are counted from 1, and C's convention
	// puts an underscore in front of each name.
	variables := map[uint8]bool{}
	for i, s := range f.Sections {
		if s.Seg == "__DWARF" {
			continue
		}
		content := e.content(uint64(s.Offset), s.Size, s.Data)
		e.sections = append(e.sections, section{uintptr(s.Addr), content})
		variables[uint8(i+1)] = s.Seg == "__DATA" || s.Seg == "__DATA_CONST"
	}
	if f.Symtab != nil {
		for _, s := range f.Symtab.Syms {
			if variables[s.Sect] {
				e.addSymbol(symbol{uintptr(s.Value), 0, strings.TrimPrefix(s.Name, "_")})
			}
		}
	}
	return true
}

// readPE reads the format of Windows, in which addresses count from the image's base.
func (e *Executable) readPE(r io.ReaderAt) bool {
	f, err := pe.NewFile(r)
	if err != nil {
		return false
	}
	// Symbols have the number of their section, counted from 1, and their offset in it. They include functions, which
	// are never in the same section as variables.
	base := uintptr(0)
	switch h := f.OptionalHeader.(type) {
	case *pe.OptionalHeader32:
		base = uintptr(h.ImageBase)
	case *pe.OptionalHeader64:
		base = uintptr(h.ImageBase)
	}
	addr := map[int16]uintptr{}
	for i, s := range f.Sections {
		if s.Characteristics&pe.IMAGE_SCN_MEM_DISCARDABLE != 0 {
			continue
		}
		content, _ := s.Data()
		addr[int16(i+1)] = base + uintptr(s.VirtualAddress)
		e.sections = append(e.sections, section{base + uintptr(s.VirtualAddress), content})
	}
	for _, s := range f.Symbols {
		if a, ok := addr[s.SectionNumber]; ok {
			e.addSymbol(symbol{a + uintptr(s.Value), 0, s.Name})
		}
	}
	return true
}

// addSymbol adds a variable. Some symbols only mark places of the linker. They aren't variables, and a variable may
// have the same address.
func (e *Executable) addSymbol(s symbol) {
	switch s.name {
	case "runtime.types", "runtime.data", "runtime.edata", "runtime.bss", "runtime.ebss":
	default:
		e.symbols = append(e.symbols, s)
	}
}

// relocate changes all addresses to those in memory, and finds the base of types. The operating system may have put the
// program anywhere: relocate finds a function of this package in the file by its code, which is the same there.
func (e *Executable) relocate() error {
	// 256 bytes of code occur only once. They are read from the process as data, at the function's address.
	entry := reflect.ValueOf(Read).Pointer()
	code := bytes.Clone((*(**[256]byte)(unsafe.Pointer(&entry)))[:])
	var slide uintptr
	for _, s := range e.sections {
		if i := bytes.Index(s.data, code); i >= 0 {
			slide = entry - s.addr - uintptr(i)
			e.text = s
		}
	}
	if e.text.data == nil {
		return errors.New("the executable's code is not that of the process")
	}
	e.text.addr += slide
	for i := range e.sections {
		e.sections[i].addr += slide
	}
	for i := range e.symbols {
		e.symbols[i].addr += slide
	}
	e.types = e.typesStart()
	return nil
}

// SymbolAt returns the name of the variable that contains an address, and its start.
func (e *Executable) SymbolAt(addr uintptr) (name string, start uintptr, ok bool) {
	s, ok := e.symbolAt(addr)
	return s.name, s.addr, ok
}

// symbolAt returns the variable that contains an address. A variable of unknown size ends at the next one.
func (e *Executable) symbolAt(addr uintptr) (symbol, bool) {
	byAddr := func(s symbol, addr uintptr) int { return cmp.Compare(s.addr, addr) }
	// The last variable that starts at the address or before it.
	i, exact := slices.BinarySearchFunc(e.symbols, addr, byAddr)
	if !exact {
		i--
	}
	if i < 0 {
		return symbol{}, false
	}
	s := e.symbols[i]
	return s, s.size == 0 || addr-s.addr < s.size
}

// sectionOf returns the section that contains an address, an empty one if there is none.
func (e *Executable) sectionOf(addr uintptr) section {
	for _, s := range e.sections {
		if addr-s.addr < uintptr(len(s.data)) {
			return s
		}
	}
	return section{}
}
