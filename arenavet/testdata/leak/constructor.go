package leak

import (
	"os"

	"github.com/harena-go/arena"
)

type session struct {
	a    *arena.Arena
	file *os.File
}

func (s *session) close() { pool.Put(s.a) }

func constructor(name string) (*session, error) {
	s := &session{a: pool.Get()} // want `the arena from Pool.Get isn't put back where the function returns in line \d+`
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	s.file = f
	return s, nil
}

func OKConstructor(name string) (*session, error) {
	s := &session{a: pool.Get()}
	f, err := os.Open(name)
	if err != nil {
		s.close()
		return nil, err
	}
	s.file = f
	return s, nil
}

func OKConstructorPuts(name string) (*session, error) {
	s := new(session)
	s.a = pool.Get()
	f, err := os.Open(name)
	if err != nil {
		pool.Put(s.a)
		return nil, err
	}
	s.file = f
	return s, nil
}

func OKConstructorDefers(name string) (s *session, err error) {
	s = &session{a: pool.Get()}
	defer func() {
		if err != nil {
			s.close()
		}
	}()
	s.file, err = os.Open(name)
	if err != nil {
		return nil, err
	}
	return s, nil
}

func OKHeldLocally(name string) error {
	s := session{a: pool.Get()}
	defer s.close()
	_, err := os.Open(name)
	return err
}
