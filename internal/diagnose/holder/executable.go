package holder

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
	"unsafe"
)

// An executable is the file of the running program, with addresses as they are
// in memory. What couldn't be read of it is empty.
type executable struct {
	path     string
	sections []section // that are in memory as they are in the file, or as the program has changed them
	text     section   // among others the code of this package
	symbols  []symbol
	dwarf    *dwarf.Data             // nil until openDebugInfo has found some
	naming   *naming                 // nil until fromSource needs it
	structs  map[string]reflect.Type // see structNamed
	types    uintptr                 // from where the names of types are counted, and descriptors in debugging information
}

type section struct {
	addr uintptr
	data []byte
}

type symbol struct {
	addr, size uintptr // size is 0 if unknown
	name       string
}

// openExecutable reads the file of this process.
func openExecutable() (*executable, error) {
	path, err := os.Executable()
	if err != nil {
		return nil, err
	}
	e, err := readExecutable(path)
	if err != nil {
		return nil, err
	}
	return e, e.relocate()
}

// readExecutable reads a program, with addresses as they are in the file.
func readExecutable(path string) (*executable, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	e := &executable{path: path}
	if !e.readELF(f) && !e.readMachO(f) && !e.readPE(f) {
		return nil, errors.New("the executable is of no known format")
	}
	slices.SortFunc(e.symbols, func(a, b symbol) int { return cmp.Compare(a.addr, b.addr) })
	return e, nil
}

func (e *executable) readELF(r io.ReaderAt) bool {
	f, err := elf.NewFile(r)
	if err != nil {
		return false
	}
	for _, s := range f.Sections {
		if s.Flags&elf.SHF_ALLOC != 0 && s.Type != elf.SHT_NOBITS {
			data, _ := s.Data()
			e.sections = append(e.sections, section{uintptr(s.Addr), data})
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

func (e *executable) readMachO(r io.ReaderAt) bool {
	f, err := macho.NewFile(r)
	if err != nil {
		return false
	}
	variables := map[uint8]bool{}
	for i, s := range f.Sections {
		if s.Seg == "__DWARF" {
			continue
		}
		content, _ := s.Data()
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

func (e *executable) readPE(r io.ReaderAt) bool {
	f, err := pe.NewFile(r)
	if err != nil {
		return false
	}
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

// addSymbol takes note of a variable. Some symbols mark where the linker has put something, and
// may be where a variable is too.
func (e *executable) addSymbol(s symbol) {
	switch s.name {
	case "runtime.types", "runtime.data", "runtime.edata", "runtime.bss", "runtime.ebss":
	default:
		e.symbols = append(e.symbols, s)
	}
}

// relocate makes all addresses those in memory, which tells where types are. The
// operating system may have put the program anywhere: a function of this package
// is looked for in the file by its code, which is the same there.
func (e *executable) relocate() error {
	entry := reflect.ValueOf(readExecutable).Pointer()
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

// symbolAt returns the variable that an address is in.
func (e *executable) symbolAt(addr uintptr) (symbol, bool) {
	i, exact := slices.BinarySearchFunc(e.symbols, addr, func(s symbol, addr uintptr) int { return cmp.Compare(s.addr, addr) })
	if !exact {
		i--
	}
	if i < 0 {
		return symbol{}, false
	}
	s := e.symbols[i]
	return s, s.size == 0 || addr-s.addr < s.size
}

// sectionOf returns the section that an address is in.
func (e *executable) sectionOf(addr uintptr) section {
	for _, s := range e.sections {
		if addr-s.addr < uintptr(len(s.data)) {
			return s
		}
	}
	return section{}
}
