package deepclone_test

import (
	"bytes"
	"compress/gzip"
	"container/list"
	"crypto"
	"crypto/aes"
	"crypto/cipher"
	"crypto/ecdh"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/hmac"
	"crypto/mlkem"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"go/parser"
	"go/token"
	"hash"
	"hash/maphash"
	"io"
	"math/big"
	mathrand "math/rand/v2"
	"net/http"
	"net/netip"
	"net/url"
	"reflect"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"text/template"
	"time"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/internal/tests/testkit"
)

// A libraryValue is a value of the standard library. works reports whether its clone can replace it.
type libraryValue struct {
	name  string
	works func() bool
}

// cloned returns a libraryValue. same compares a value with its clone, and may change both.
func cloned[T any](name string, v T, same func(v, c T) bool) libraryValue {
	return libraryValue{name, func() bool { return same(v, arena.DeepClone(v)) }}
}

// must panics if there is an error.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// keyValues are keys, which must be equal to their clones and usable.
func keyValues() (all []libraryValue) {
	for _, c := range []ecdh.Curve{ecdh.P256(), ecdh.P384(), ecdh.P521(), ecdh.X25519()} {
		k, other := must(c.GenerateKey(rand.Reader)), must(c.GenerateKey(rand.Reader))
		all = append(all, cloned(fmt.Sprint("ecdh ", c), k, func(v, c *ecdh.PrivateKey) bool {
			return c.Equal(v) && v.PublicKey().Equal(c.PublicKey()) && c.Curve() == v.Curve() &&
				bytes.Equal(must(c.ECDH(other.PublicKey())), must(other.ECDH(c.PublicKey())))
		}), cloned(fmt.Sprint("ecdh public ", c), k.PublicKey(), func(v, c *ecdh.PublicKey) bool { return c.Equal(v) && v.Equal(c) }))
	}
	digest := sha256.Sum256([]byte("text"))
	for _, c := range []elliptic.Curve{elliptic.P224(), elliptic.P256(), elliptic.P384(), elliptic.P521()} {
		k := must(ecdsa.GenerateKey(c, rand.Reader))
		all = append(all, cloned("ecdsa "+c.Params().Name, k, func(v, c *ecdsa.PrivateKey) bool {
			return c.Equal(v) && c.PublicKey.Equal(&v.PublicKey) &&
				ecdsa.VerifyASN1(&c.PublicKey, digest[:], must(ecdsa.SignASN1(rand.Reader, c, digest[:])))
		}))
	}
	r := must(rsa.GenerateKey(rand.Reader, 2048))
	all = append(all, cloned("rsa", r, func(v, c *rsa.PrivateKey) bool {
		s := must(rsa.SignPKCS1v15(nil, c, crypto.SHA256, digest[:]))
		return c.Equal(v) && rsa.VerifyPKCS1v15(&v.PublicKey, crypto.SHA256, digest[:], s) == nil && c.Validate() == nil
	}))
	_, e := must2(ed25519.GenerateKey(rand.Reader))
	all = append(all, cloned("ed25519", e, func(v, c ed25519.PrivateKey) bool { return c.Equal(v) && len(ed25519.Sign(c, nil)) > 0 }))
	m := must(mlkem.GenerateKey768())
	all = append(all, cloned("mlkem", m, func(v, c *mlkem.DecapsulationKey768) bool {
		secret, text := c.EncapsulationKey().Encapsulate()
		return bytes.Equal(must(v.Decapsulate(text)), secret)
	}))
	k := must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))
	t := &x509.Certificate{SerialNumber: big.NewInt(1), IsCA: true, BasicConstraintsValid: true}
	cert := must(x509.ParseCertificate(must(x509.CreateCertificate(rand.Reader, t, t, &k.PublicKey, k))))
	return append(all, cloned("x509", cert, func(v, c *x509.Certificate) bool {
		return c.Equal(v) && c.CheckSignatureFrom(v) == nil && k.PublicKey.Equal(c.PublicKey)
	}))
}

func must2[T, U any](v T, w U, err error) (T, U) {
	if err != nil {
		panic(err)
	}
	return v, w
}

// stateValues are values with state, which goes on in the clone as in the source.
func stateValues() []libraryValue {
	var pcs [9]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(0, pcs[:])])
	frame, _ := frames.Next()
	h := sha256.New()
	h.Write([]byte("text"))
	mac := hmac.New(sha256.New, []byte("key"))
	sum := func(v, c hash.Hash) bool { return bytes.Equal(v.Sum(nil), c.Sum(nil)) }
	aead := must(cipher.NewGCM(must(aes.NewCipher(make([]byte, 16)))))
	var maps maphash.Hash
	maps.SetSeed(maphash.MakeSeed())
	maps.WriteString("text")
	var zipped bytes.Buffer
	w := gzip.NewWriter(&zipped)
	w.Write([]byte("text"))
	w.Close()
	var names list.List
	names.PushBack("name")
	set := token.NewFileSet()
	file := must(parser.ParseFile(set, "x.go", "package x", 0))
	return []libraryValue{
		cloned("Frame", frame, func(v, c runtime.Frame) bool { return v == c }),
		cloned("Frames", frames, func(v, c *runtime.Frames) bool {
			f, more := v.Next()
			g, moreC := c.Next()
			return f == g && more == moreC
		}),
		cloned("Escape", arena.Escape{Arena: "a", Size: 8, Allocated: []runtime.Frame{frame}}, func(v, c arena.Escape) bool {
			return v.String() == c.String() && reflect.DeepEqual(v, c)
		}),
		cloned("hash", h, sum), cloned("hmac", mac, sum),
		cloned("maphash", &maps, func(v, c *maphash.Hash) bool { return v.Sum64() == c.Sum64() && v.Seed() == c.Seed() }),
		cloned("gcm", aead, func(v, c cipher.AEAD) bool {
			nonce := make([]byte, c.NonceSize())
			return string(must(v.Open(nil, nonce, c.Seal(nil, nonce, []byte("text"), nil), nil))) == "text"
		}),
		cloned("PCG", mathrand.New(mathrand.NewPCG(1, 2)), func(v, c *mathrand.Rand) bool { return v.Uint64() == c.Uint64() }),
		cloned("ChaCha8", mathrand.NewChaCha8([32]byte{}), func(v, c *mathrand.ChaCha8) bool { return v.Uint64() == c.Uint64() }),
		cloned("gzip", must(gzip.NewReader(&zipped)), func(_, c *gzip.Reader) bool { return string(must(io.ReadAll(c))) == "text" }),
		cloned("regexp", regexp.MustCompile(`(a+)b`), func(v, c *regexp.Regexp) bool {
			return slices.Equal(v.FindStringSubmatch("aab"), c.FindStringSubmatch("aab"))
		}),
		cloned("template", template.Must(template.New("x").Parse("{{len .}}")), func(_, c *template.Template) bool {
			var b strings.Builder
			return c.Execute(&b, "abc") == nil && b.String() == "3"
		}),
		cloned("netip", netip.MustParseAddr("fe80::1%eth0"), func(v, c netip.Addr) bool { return v == c }),
		cloned("URL", must(url.Parse("http://user:word@x/y?z")), func(v, c *url.URL) bool { return v.String() == c.String() }),
		cloned("Time", time.Now().Local(), func(v, c time.Time) bool { return v == c }),
		cloned("Request", must(http.NewRequest("GET", "/", http.NoBody)), func(v, c *http.Request) bool {
			return c.Body == http.NoBody && c.Context() == v.Context()
		}),
		cloned("Encoding", base64.StdEncoding, func(_, c *base64.Encoding) bool { return c.EncodeToString([]byte("text")) == "dGV4dA==" }),
		cloned("List", &names, func(_, c *list.List) bool {
			c.PushFront("first")
			return c.Back().Value == "name" && c.Back().Prev().Value == "first" && names.Len() == 1
		}),
		cloned("FileSet", set, func(v, c *token.FileSet) bool { return v.Position(file.Package) == c.Position(file.Package) }),
		cloned("Decoder", json.NewDecoder(strings.NewReader("[1, 2]")), func(_, c *json.Decoder) bool {
			var n []int
			return c.Decode(&n) == nil && len(n) == 2
		}),
		cloned("Float", big.NewFloat(1.5), func(v, c *big.Float) bool { return v.Cmp(c) == 0 }),
	}
}

// TestDeepCloneOfLibraryValues: clones of the standard library's values can replace them.
func TestDeepCloneOfLibraryValues(t *testing.T) {
	for _, v := range slices.Concat(keyValues(), stateValues()) {
		works := false
		if p := testkit.Caught(func() { works = v.works() }); !works {
			t.Errorf("%s: the clone differs, or doesn't work; panic: %v", v.name, p)
		}
	}
}
