package services

import (
	"archive/zip"
	"bytes"
	"container/list"
	"fmt"
	"go/token"
	"io"
	"os/exec"
	"strings"
	"test/services/caches"
	"text/scanner"

	"github.com/harena-go/arena"
)

// Values that packages keep which know nothing of arenas.

type warehouse struct {
	pool   *arena.Pool
	items  *caches.Cache[string, *item]
	bodies *caches.Sharded
	plain  caches.Cache[string, *item]
	store  caches.Store
	queue  *caches.Queue
	named  *caches.Named
	raw    string
	cmd    *exec.Cmd
	zip    *zip.Writer
	recent *list.List
	fset   *token.FileSet
	scan   scanner.Scanner
}

func (w *warehouse) BadLRU(name []byte) {
	a := w.pool.Get()
	defer w.pool.Put(a)
	w.items.Add(string(name), decode(a, name))
}
func (w *warehouse) BadLRUPlain(name []byte) {
	a := w.pool.Get()
	defer w.pool.Put(a)
	w.plain.Add("x", decode(a, name))
}
func (w *warehouse) BadLRUHelper(name []byte) {
	w.pool.Do(func(a *arena.Arena) error {
		w.remember(decode(a, name))
		return nil
	})
}
func (w *warehouse) remember(x *item) { w.items.Add(strings.Clone(x.sku), x) }
func (w *warehouse) BadSharded(name, body []byte) error {
	a := w.pool.Get()
	defer w.pool.Put(a)
	return w.bodies.Set(string(name), arena.CopySlice(a, body))
}
func (w *warehouse) BadStoreIface(name []byte) {
	a := w.pool.Get()
	defer w.pool.Put(a)
	w.store.Put(string(name), decode(a, name))
}
func (w *warehouse) BadQueue(name []byte) {
	a := w.pool.Get()
	defer w.pool.Put(a)
	w.queue.Push(decode(a, name))
}
func (w *warehouse) BadQueueGo(name []byte) {
	a := w.pool.Get()
	defer w.pool.Put(a)
	x := decode(a, name)
	w.queue.Go(func() { fmt.Println(x.sku) })
}
func (w *warehouse) BadFound(doc []byte) string {
	a := w.pool.Get()
	defer w.pool.Put(a)
	return caches.Find(a.AllocBytesToString(doc), "id").Raw
}
func (w *warehouse) BadNamed(name []byte) {
	a := w.pool.Get()
	defer w.pool.Put(a)
	w.named = caches.Name("x", decode(a, name))
}
func (w *warehouse) BadNamedValue(name []byte) any {
	a := w.pool.Get()
	defer w.pool.Put(a)
	return caches.Name("x", decode(a, name)).Value()
}
func (w *warehouse) BadRegisterCached(name, body []byte) {
	a := w.pool.Get()
	defer w.pool.Put(a)
	caches.Register(string(name), arena.CopySlice(a, body))
}
func (w *warehouse) BadSetLocked(name, body []byte) error {
	a := w.pool.Get()
	defer w.pool.Put(a)
	return w.bodies.SetLocked(string(name), arena.CopySlice(a, body))
}
func (w *warehouse) OKSetLocked(name, body []byte) error {
	a := w.pool.Get()
	defer w.pool.Put(a)
	return w.bodies.SetLocked(string(name), bytes.Clone(arena.CopySlice(a, body)))
}
func (w *warehouse) BadGotAgain(name []byte) string {
	c, err := caches.New[string, *item](8)
	if err != nil {
		return ""
	}
	a := w.pool.Get()
	c.Add("x", decode(a, name))
	w.pool.Put(a)
	x, _ := c.Get("x")
	return x.sku
}

func (w *warehouse) OKLRULocal(names [][]byte) int {
	a := w.pool.Get()
	defer w.pool.Put(a)
	c, err := caches.New[string, *item](8)
	if err != nil {
		return 0
	}
	for _, name := range names {
		c.Add(a.AllocBytesToString(name), decode(a, name))
	}
	x, _ := c.Get("x")
	return x.n
}
func (w *warehouse) OKLRUClone(name []byte) {
	a := w.pool.Get()
	defer w.pool.Put(a)
	x := decode(a, name)
	w.items.Add(strings.Clone(x.sku), &item{n: x.n})
}
func (w *warehouse) OKLRURemoved(name []byte) {
	a := w.pool.Get()
	defer w.pool.Put(a)
	w.items.Add("current", decode(a, name))
	defer w.items.Remove("current")
	fmt.Println(len(name))
}
func (w *warehouse) OKLRUGet(name []byte) int {
	a := w.pool.Get()
	defer w.pool.Put(a)
	x, ok := w.items.Get(a.AllocBytesToString(name))
	if !ok {
		return 0
	}
	return x.n
}
func (w *warehouse) OKShardedCopy(name, body []byte) {
	a := w.pool.Get()
	defer w.pool.Put(a)
	w.bodies.SetCopy(a.AllocBytesToString(name), arena.CopySlice(a, body))
}
func (w *warehouse) OKShardedPurged(name, body []byte) {
	a := w.pool.Get()
	w.bodies.Set("x", arena.CopySlice(a, body))
	w.bodies.Purge()
	w.pool.Put(a)
}
func (w *warehouse) OKQueueDone(name []byte) {
	a := w.pool.Get()
	defer w.pool.Put(a)
	w.queue.Do(decode(a, name))
}
func (w *warehouse) OKQueueWith(name []byte) {
	a := w.pool.Get()
	defer w.pool.Put(a)
	w.queue.With(decode(a, name), func() { fmt.Println(len(name)) })
	w.queue.Enter(a.AllocBytesToString(name), func() { fmt.Println(len(name)) })
}
func (w *warehouse) OKFoundIndex(doc []byte) int {
	a := w.pool.Get()
	defer w.pool.Put(a)
	return caches.Find(a.AllocBytesToString(doc), "id").Index
}
func (w *warehouse) OKNamedLocal(name []byte) string {
	a := w.pool.Get()
	defer w.pool.Put(a)
	x, _ := caches.Name("x", decode(a, name)).Value().(*item)
	return strings.Clone(x.sku)
}
func (w *warehouse) OKGetOrAdd(name []byte) int {
	a := w.pool.Get()
	defer w.pool.Put(a)
	return w.items.GetOrAdd("x", &item{}).n
}

func (w *warehouse) BadCommand(name []byte) {
	a := w.pool.Get()
	defer w.pool.Put(a)
	w.cmd = exec.Command("ls", a.AllocBytesToString(name))
}
func (w *warehouse) BadZipName(name []byte) error {
	a := w.pool.Get()
	defer w.pool.Put(a)
	_, err := w.zip.Create(a.AllocBytesToString(name))
	return err
}
func (w *warehouse) BadListAfter(name []byte) {
	a := w.pool.Get()
	defer w.pool.Put(a)
	w.recent.InsertAfter(decode(a, name), w.recent.Front())
}
func (w *warehouse) OKCommandRun(name []byte) error {
	a := w.pool.Get()
	defer w.pool.Put(a)
	return exec.Command("ls", a.AllocBytesToString(name)).Run()
}
func (w *warehouse) OKListPopped(name []byte) {
	a := w.pool.Get()
	defer w.pool.Put(a)
	e := w.recent.PushFront(decode(a, name))
	fmt.Println(w.recent.Len())
	w.recent.Remove(e)
}

// These were written when the others were found.

func (w *warehouse) BadFileSet(name []byte) {
	a := w.pool.Get()
	defer w.pool.Put(a)
	w.fset.AddFile(a.AllocBytesToString(name), -1, len(name))
}
func (w *warehouse) BadScannerInit(text []byte) {
	a := w.pool.Get()
	defer w.pool.Put(a)
	w.scan.Init(strings.NewReader(a.AllocBytesToString(text)))
}
func (w *warehouse) BadListValue(name []byte) string {
	a := w.pool.Get()
	e := list.New().PushBack(decode(a, name))
	w.pool.Put(a)
	return e.Value.(*item).sku
}
func (w *warehouse) OKFileSetLocal(name []byte) int {
	a := w.pool.Get()
	defer w.pool.Put(a)
	fset := token.NewFileSet()
	return fset.AddFile(a.AllocBytesToString(name), -1, len(name)).Size()
}
func (w *warehouse) OKScannerReset(text []byte) (n int) {
	a := w.pool.Get()
	defer w.pool.Put(a)
	w.scan.Init(strings.NewReader(a.AllocBytesToString(text)))
	for w.scan.Scan() != scanner.EOF {
		n++
	}
	w.scan.Init(strings.NewReader(""))
	return n
}
func (w *warehouse) OKZipRaw(out io.Writer, name []byte) error {
	a := w.pool.Get()
	defer w.pool.Put(a)
	z := zip.NewWriter(out)
	if _, err := z.Create(a.AllocBytesToString(name)); err != nil {
		return err
	}
	return z.Close()
}
