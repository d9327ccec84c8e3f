package api

// A Verb is a function's kind of effect.
type Verb uint8

const (
	Harmless    Verb = iota // neither allocates memory nor reclaims it: Stats, Reserve
	NewArena                // the result is a new arena
	NewPool                 // the result is a new pool
	NewShared               // the result is a new Shared
	Get                     // the result is an arena lent by the pool From
	Local                   // the result is an arena within the Shared From
	Child                   // the result is an arena within the life of the arena From
	For                     // the result is a Typed or a Text that allocates from the arena From
	Alloc                   // the result is memory of the arena, or Typed, From
	Fill                    // the target of the pointer Into is filled with memory of the arena From
	MakeMark                // the result is a mark of the arena From
	Reset                   // reclaims all memory of the arena or Shared From; locals and children end
	Rewind                  // reclaims the memory of From that was allocated after the mark Mark
	Put                     // reclaims all memory of the arena From and the arena itself, for the pool Pool
	Free                    // ends the arena or Shared From, whose values stay valid
	Do                      // calls Func with an arena that ends with the call
	KeepAlive               // keeps Into alive as long as the memory of the arena From
	Clone                   // the result is on the heap, its targets are where they were
	DeepClone               // the result is on the heap, with everything that it leads to
	NewContext              // the result holds the arena From, as well as Alias
	FromContext             // the result is an arena that the context From holds
	NoScan                  // the option that makes arenas self-contained
	NewOption               // other options
	Verify                  // looks for escapes
	Slot                    // the result is memory of the arena of the Slots From, until FreeSlot
	FreeSlot                // ends the life of Into, which Slot has returned
)

// A Func describes a function or method of package arena. Its fields other than Name and Verb are numbers of arguments,
// counted as in SSA's static calls: the receiver, if there is one, is number 0. -1 is none.
type Func struct {
	Name string // as in "New", "Arena.Reset", "arenatest.New"
	Verb Verb
	From int // the arena, pool, Shared, Typed or context of the verb
	Mark int // of Rewind
	Pool int // of Put
	Func int // the function that Do calls

	Into    int  // the argument whose value is stored in the memory of From, or kept alive by it
	Elems   bool // the elements of Into, a slice or a sequence, are stored
	Alias   int  // the argument that the result may be, or share memory with, if its capacity was enough: Append's s
	Decodes bool // everything that the result leads to is memory of the arena, too
	Yields  bool // the result is a sequence whose first value in each iteration is so
	Raw     bool // the memory is untyped: the GC doesn't scan it
}

// from returns a Func about argument i.
func from(verb Verb, i int) Func {
	return Func{Verb: verb, From: i, Mark: -1, Pool: -1, Func: -1, Into: -1, Alias: -1}
}

func (f Func) into(i int) Func  { f.Into = i; return f }
func (f Func) decodes() Func    { f.Decodes = true; return f }
func (f Func) yields() Func     { f.Yields = true; return f }
func (f Func) elems(i int) Func { f.Into, f.Elems = i, true; return f }
func (f Func) alias(i int) Func { f.Alias = i; return f }
func (f Func) raw() Func        { f.Raw = true; return f }

func rewind(arena, mark int) Func {
	f := from(Rewind, arena)
	f.Mark = mark
	return f
}

func put(pool, arena int) Func {
	f := from(Put, arena)
	f.Pool = pool
	return f
}

func do(pool, fn int) Func {
	f := from(Do, pool)
	f.Func = fn
	return f
}

// table lists every exported function and method of packages arena and arenatest; a test compares it with them. For
// arenajson and the packages of contrib it has the functions that return memory of an arena, or store it. Go 1.27's
// generic methods number their arguments like the functions of the same names, so only those are listed: see Lookup.
var table = map[string]Func{
	"NewArena":                   from(NewArena, -1),
	"New":                        from(Alloc, 0),
	"NewOf":                      from(Alloc, 0).into(1),
	"NewFunc":                    from(Alloc, 0),
	"Box":                        from(Alloc, 0).into(1),
	"Concat":                     from(Alloc, 0),
	"Join":                       from(Alloc, 0),
	"MakeSlice":                  from(Alloc, 0),
	"MakeSliceUninit":            from(Alloc, 0),
	"Append":                     from(Alloc, 0).alias(1).elems(2),
	"AppendSeq":                  from(Alloc, 0).alias(1).elems(2),
	"Collect":                    from(Alloc, 0).elems(1),
	"Grow":                       from(Alloc, 0).alias(1),
	"CopySlice":                  from(Alloc, 0).elems(1),
	"For":                        from(For, 0),
	"Typed.New":                  from(Alloc, 0),
	"KeyOf":                      from(Harmless, -1),
	"TypeKey.Type":               from(Harmless, -1),
	"TypeKey.New":                from(Alloc, 1),
	"TypeKey.MakeSlice":          from(Alloc, 1),
	"TypeKey.For":                from(For, 1),
	"TypeAllocator.New":          from(Alloc, 0),
	"TypeAllocator.NewN":         from(Alloc, 0),
	"TypeAllocator.Grow":         from(Alloc, 0).alias(1),
	"TypeAllocator.Trim":         from(Harmless, 0),
	"TypeAllocator.Size":         from(Harmless, 0),
	"Arena.CopyAll":              from(Alloc, 0),
	"Arena.SelfContained":        from(Harmless, 0),
	"arenajson.New":              from(Alloc, 0).decodes(),
	"arenajson.Read":             from(Alloc, 0).decodes(),
	"arenajson.Marshal":          from(Alloc, 0),
	"arenajson.Unmarshal":        from(Fill, 0).into(2),
	"arenajson.UnmarshalRead":    from(Fill, 0).into(2),
	"arenajson.Decoder.Decode":   from(Fill, 1).into(2),
	"collections.NewSlots":       from(For, 0),
	"collections.Slots.New":      from(Slot, 0),
	"collections.Slots.Free":     from(FreeSlot, 0).into(1),
	"arenapgx.Collect":           from(Alloc, 0).decodes(),
	"arenapgx.CollectAddr":       from(Alloc, 0).decodes(),
	"arenapgx.Each":              from(Alloc, 0).yields(),
	"arenasql.Each":              from(Alloc, 0).yields(),
	"arenapgx.CollectOne":        from(Alloc, 0).decodes(),
	"arenapgx.CollectExactlyOne": from(Alloc, 0).decodes(),
	"arenasql.Collect":           from(Alloc, 0).decodes(),
	"arenasql.CollectAddr":       from(Alloc, 0).decodes(),
	"arenasql.CollectOne":        from(Alloc, 0).decodes(),
	"arenaproto.New":             from(Alloc, 0).decodes(),
	"arenaproto.Clone":           from(DeepClone, 0),
	"arenaproto.Unmarshal":       from(Fill, 0).into(2),
	"arenaproto.UnmarshalStruct": from(Fill, 0).into(2),
	"Clone":                      from(Clone, 0),
	"DeepClone":                  from(DeepClone, 0),
	"CloneOut":                   from(DeepClone, 1),
	"Keep":                       from(DeepClone, 1),
	"Arena.Alloc":                from(Alloc, 0).raw(),
	"Arena.Realloc":              from(Alloc, 0).alias(1).raw(),
	"Arena.AllocBytes":           from(Alloc, 0),
	"Arena.ReadAll":              from(Alloc, 0),
	"Arena.AllocString":          from(Alloc, 0),
	"Arena.Sprintf":              from(Alloc, 0),
	"Arena.ToUpper":              from(Alloc, 0).alias(1),
	"Arena.ToLower":              from(Alloc, 0).alias(1),
	"Arena.Map":                  from(Alloc, 0).alias(2),
	"Arena.Replace":              from(Alloc, 0).alias(1),
	"Arena.Repeat":               from(Alloc, 0).alias(1),
	"Arena.Text":                 from(For, 0),
	"Text.Str":                   from(For, 0),
	"Text.Bytes":                 from(For, 0),
	"Text.Byte":                  from(For, 0),
	"Text.Rune":                  from(For, 0),
	"Text.Bool":                  from(For, 0),
	"Text.Int":                   from(For, 0),
	"Text.Int64":                 from(For, 0),
	"Text.Uint64":                from(For, 0),
	"Text.Float":                 from(For, 0),
	"Text.Time":                  from(For, 0),
	"Text.Quote":                 from(For, 0),
	"Text.String":                from(Alloc, 0),
	"Text.Len":                   from(Harmless, 0),
	"Arena.KeepAlive":            from(KeepAlive, 0).into(1),
	"Arena.Mark":                 from(MakeMark, 0),
	"Arena.Rewind":               rewind(0, 1),
	"Arena.Reset":                from(Reset, 0),
	"Arena.Free":                 from(Free, 0),
	"Arena.Child":                from(Child, 0),
	"Arena.Owns":                 from(Harmless, 0),
	"Arena.Freed":                from(Harmless, 0),
	"Arena.Reserve":              from(Harmless, 0),
	"Arena.UsedBytes":            from(Harmless, 0),
	"Arena.Stats":                from(Harmless, 0),
	"NewPool":                    from(NewPool, -1),
	"Pool.Get":                   from(Get, 0),
	"Pool.GetKeyed":              from(Get, 0),
	"Pool.Put":                   put(0, 1),
	"Pool.Do":                    do(0, 1),
	"Pool.DoKeyed":               do(0, 2),
	"Pool.Stats":                 from(Harmless, 0),
	"Pool.Name":                  from(Harmless, 0),
	"Pools":                      from(Harmless, -1),
	"RecoverLimit":               from(Harmless, -1),
	"NewShared":                  from(NewShared, -1),
	"Shared.Local":               from(Local, 0),
	"Shared.Reset":               from(Reset, 0),
	"Shared.Free":                from(Free, 0),
	"Shared.Stats":               from(Harmless, 0),
	"NewContext":                 from(NewContext, 1).alias(0),
	"FromContext":                from(FromContext, 0),
	"FindEscapes":                from(Verify, -1),
	"WithNoScan":                 from(NoScan, -1),
	"OnEscape":                   from(NewOption, -1),
	"WithCheckRate":              from(NewOption, -1),
	"WithGuardRate":              from(NewOption, -1),
	"ReportFault":                from(Harmless, -1),
	"WithChecks":                 from(NewOption, -1),
	"WithChunkSize":              from(NewOption, -1),
	"WithLimit":                  from(NewOption, -1),
	"WithMaxChunkSize":           from(NewOption, -1),
	"WithMaxRetained":            from(NewOption, -1),
	"WithObserveRate":            from(NewOption, -1),
	"WithName":                   from(NewOption, -1),
	"WithPoolLimit":              from(NewOption, -1),
	"WithReuse":                  from(NewOption, -1),
	"WithScrub":                  from(NewOption, -1),
	"Escape.String":              from(Harmless, -1),
	"Escape.LogValue":            from(Harmless, -1),
	"LimitError.Error":           from(Harmless, -1),
	"PoolStats.String":           from(Harmless, -1),
	"Stats.String":               from(Harmless, -1),
	"arenatest.New":              from(NewArena, -1),
	"arenatest.NewPool":          from(NewPool, -1),
	"arenatest.NewShared":        from(NewShared, -1),
	"arenatest.Hold":             from(Harmless, -1),
	"arenatest.Strict":           from(NewOption, -1),
	"arenatest.NoLooks":          from(NewOption, -1),
	"arenatest.Main":             from(Verify, -1),
	"arenatest.Verify":           from(Verify, -1),

	"Arena.AllocBytesUninit":   from(Alloc, 0),
	"Arena.AllocBytesToString": from(Alloc, 0),
}
