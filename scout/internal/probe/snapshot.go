package probe

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// This file reads the probe's snapshots, which are text:
//
//	units 256 atonce 0 inside 1
//	site 3 96 512 16384                alive objects, alive bytes, objects, bytes
//		function	file	line       the innermost call first
//	end
//
// The last line distinguishes a whole snapshot from one that the process didn't finish.

// A Snapshot has the live objects when a unit began.
type Snapshot struct {
	Units  int64 // that had begun before
	AtOnce int64 // of these, how many began while another was under way
	Inside int64 // that were under way, the one that had just begun included
	Sites  []Site
	Heap   []byte    // the dump, nil if there is none
	Before *Snapshot // an earlier one, nil if there is none
}

// A Site is a stack that has allocated.
type Site struct {
	Stack               []Frame // the innermost call first; the runtime's calls in front tell the kind of allocation
	Objects, Bytes      int64   // all allocations, by units and others
	Alive, AliveObjects int64   // bytes and objects of these that were not freed
}

// A Frame is a call.
type Frame struct {
	Function, File string
	Line           int
}

// maxLine limits a line of a snapshot: names of generic functions are long.
const maxLine = 1 << 20

// parse reads a snapshot, without the probe's own allocations.
func parse(r io.Reader) (*Snapshot, error) {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxLine)
	s := &Snapshot{}
	if !lines.Scan() {
		return nil, fmt.Errorf("an empty snapshot")
	}
	if _, err := fmt.Sscanf(lines.Text(), "units %d atonce %d inside %d", &s.Units, &s.AtOnce, &s.Inside); err != nil {
		return nil, fmt.Errorf("the snapshot begins with %.40q", lines.Text())
	}
	whole := false
	for lines.Scan() {
		line := lines.Text()
		switch {
		case line == "end":
			whole = true
		case strings.HasPrefix(line, "site "):
			var site Site
			if _, err := fmt.Sscanf(line, "site %d %d %d %d", &site.AliveObjects, &site.Alive, &site.Objects,
				&site.Bytes); err != nil {
				return nil, fmt.Errorf("the snapshot has a line %.40q", line)
			}
			s.Sites = append(s.Sites, site)
		case strings.HasPrefix(line, "\t") && len(s.Sites) > 0:
			f, err := frame(line[1:])
			if err != nil {
				return nil, err
			}
			last := &s.Sites[len(s.Sites)-1]
			last.Stack = append(last.Stack, f)
		default:
			return nil, fmt.Errorf("the snapshot has a line %.40q", line)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, err
	}
	if !whole {
		return nil, fmt.Errorf("the snapshot ends too early")
	}
	// In place: the kept sites are never more than those read.
	kept := s.Sites[:0]
	for _, site := range s.Sites {
		if !site.ours() {
			kept = append(kept, site)
		}
	}
	s.Sites = kept
	return s, nil
}

// frame reads a call: function, file and line, with tabs between them.
func frame(text string) (Frame, error) {
	parts := strings.Split(text, "\t")
	if len(parts) != 3 {
		return Frame{}, fmt.Errorf("the snapshot has a call %.40q", text)
	}
	n, err := strconv.Atoi(parts[2])
	return Frame{parts[0], parts[1], n}, err
}

// ours reports whether the probe allocated at the site.
func (s Site) ours() bool {
	for _, f := range s.Stack {
		name := f.Function[strings.LastIndexByte(f.Function, '.')+1:]
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}
