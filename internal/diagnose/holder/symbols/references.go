package symbols

import (
	"encoding/binary"
	"runtime"
	"slices"
)

// Programs that go test builds and runs have no symbol table, so variables have no names there. But the code that uses
// a variable has a function, file and line, and it contains the variable's address. This file finds such code.

// A user is a place in the code that uses a variable.
type user struct {
	pc, addr uintptr
}

// maxVariable is the distance in bytes from the start of a variable in which its users are found: code often has only
// the address of the start.
const maxVariable = 1 << 10

// UsersOf returns at most most distinct lines whose code uses the word at an address. If there are none, it returns the
// users of the nearest address before it, which may be the start of the variable that contains the word. start is the
// address that they use.
func (e *Executable) UsersOf(addr uintptr, most int) (start uintptr, lines []runtime.Frame) {
	start = addr
	// All users have the same address.
	for i, u := range e.usersOf(addr) {
		if i == 0 {
			start = u.addr
		}
		f := FrameOf(u.pc) // may be in the middle of an instruction
		same := func(g runtime.Frame) bool { return f.File == g.File && f.Line == g.Line }
		if f.Function != "" && !slices.ContainsFunc(lines, same) && len(lines) < most {
			lines = append(lines, f)
		}
	}
	return start, lines
}

// usersOf returns the places that use an address, or else the nearest address before it, by program counter.
func (e *Executable) usersOf(addr uintptr) []user {
	var users []user
	// A nearer address replaces the users found so far.
	nearest := addr - maxVariable
	eachReference(runtime.GOARCH, e.text, func(pc, to uintptr) {
		if to > addr || to < nearest {
			return
		}
		if to > nearest {
			nearest, users = to, nil
		}
		users = append(users, user{pc, to})
	})
	slices.SortFunc(users, func(a, b user) int { return int(a.pc - b.pc) })
	return users
}

// eachReference calls f with the addresses in code, as operands of the usual instructions for variables, and with some
// that occur by chance.
func eachReference(arch string, code section, f func(pc, to uintptr)) {
	switch arch {
	case "amd64":
		eachOperand(code, true, f)
	case "386":
		eachOperand(code, false, f)
	case "arm64":
		eachPage(code, f)
	}
}

// eachOperand finds the addresses that x86 code gives as 32-bit numbers. On amd64 they are relative to the end of the
// instruction:
//
//	opcode  modrm=00xxx101  number  [immediate of 1 or 4 bytes]
func eachOperand(code section, relative bool, f func(pc, to uintptr)) {
	for i := 2; i+4 <= len(code.data); i++ {
		if code.data[i-1]&0xC7 != 0x05 {
			continue
		}
		tail := uintptr(0)
		switch code.data[i-2] {
		case 0x8B, 0x89, 0x8D, 0x3B, 0x39, 0x87, 0x10, 0x11, 0x6F, 0x7F: // MOV, LEA, CMP, XCHG, vectors' MOVs
		case 0x83: // CMP with a byte
			tail = 1
		case 0xC7, 0x81: // MOV and CMP with 4 bytes
			tail = 4
		default:
			continue
		}
		pc := code.addr + uintptr(i)
		to := uintptr(binary.LittleEndian.Uint32(code.data[i:]))
		if relative {
			to = pc + 4 + tail + uintptr(int32(to))
		}
		f(pc, to)
	}
}

// eachPage finds the addresses that arm64 code gives by two instructions: ADRP, for a page of 4 KiB relative to the
// present one, and ADD, or a load or store whose offset is in units of the operand's size.
func eachPage(code section, f func(pc, to uintptr)) {
	for i := 0; i+8 <= len(code.data); i += 4 {
		adrp := binary.LittleEndian.Uint32(code.data[i:])
		if adrp&0x9F000000 != 0x90000000 {
			continue
		}
		pages := int32(adrp<<8)>>13<<2 | int32(adrp>>29&3)
		pc := code.addr + uintptr(i)
		page := pc&^0xFFF + uintptr(int64(pages)<<12)
		next := binary.LittleEndian.Uint32(code.data[i+4:])
		offset := uintptr(next >> 10 & 0xFFF)
		switch {
		case next&0x7FC00000 == 0x11000000: // ADD
			f(pc, page+offset)
		case next&0x3B000000 == 0x39000000: // LDR or STR
			f(pc, page+offset<<(next>>30))
		}
	}
}
