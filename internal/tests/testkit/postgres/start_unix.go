//go:build unix

package postgres

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// The shell holds the server: when its standard input ends, because the server is to stop or because this process has
// ended, it stops the server at once and removes the folder.
const shell = `"$1" -D "$2/data" -k "$2" -c listen_addresses= -c fsync=off -c max_connections=50 >"$2/log" 2>&1 &
read _; kill -QUIT $!; wait; rm -rf "$2"`

// held has the inputs of all servers, which would end if the garbage collector closed them.
var held []io.Closer

// start makes a database in a temporary folder and starts a server for it. bin is the folder of PostgreSQL's programs.
func start(bin string) (url string, stop func(), err error) {
	dir, err := os.MkdirTemp("", "pg") // short: the path of a Unix socket has at most 107 bytes
	if err != nil {
		return "", nil, err
	}
	defer func() {
		if err != nil {
			os.RemoveAll(dir)
		}
	}()
	attr, err := account(dir)
	if err != nil {
		return "", nil, err
	}
	data := filepath.Join(dir, "data")
	initdb := exec.Command(filepath.Join(bin, "initdb"), "-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8",
		"--locale=C", "--no-sync")
	initdb.SysProcAttr, initdb.Dir = attr, dir
	if out, err := initdb.CombinedOutput(); err != nil {
		return "", nil, fmt.Errorf("initdb: %w: %s", err, out)
	}
	server := exec.Command("/bin/sh", "-c", shell, "sh", filepath.Join(bin, "postgres"), dir)
	server.SysProcAttr, server.Dir = attr, dir
	input, err := server.StdinPipe()
	if err != nil {
		return "", nil, err
	}
	if err := server.Start(); err != nil {
		return "", nil, err
	}
	held = append(held, input)
	stop = func() {
		input.Close()
		server.Wait()
	}
	if err := ready(data); err != nil {
		log, _ := os.ReadFile(filepath.Join(dir, "log"))
		stop()
		return "", nil, fmt.Errorf("%w: %s", err, log)
	}
	return "postgres://postgres@/postgres?host=" + dir, stop, nil
}

// account gives the folder to the account under which the server runs, which must not be root.
func account(dir string) (*syscall.SysProcAttr, error) {
	if os.Geteuid() != 0 {
		return nil, nil
	}
	u, err := user.Lookup("postgres")
	if err != nil {
		u, err = user.Lookup("nobody")
	}
	if err != nil {
		return nil, err
	}
	uid, _ := strconv.ParseUint(u.Uid, 10, 32)
	gid, _ := strconv.ParseUint(u.Gid, 10, 32)
	if err := os.Chown(dir, int(uid), int(gid)); err != nil {
		return nil, err
	}
	return &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}, nil
}

// ready waits until the server accepts connections, which it says in the eighth line of a file.
func ready(data string) error {
	for range 600 {
		state, _ := os.ReadFile(filepath.Join(data, "postmaster.pid"))
		if lines := bytes.Split(state, []byte("\n")); len(lines) > 7 && strings.TrimSpace(string(lines[7])) == "ready" {
			return nil
		}
		time.Sleep(50 * time.Millisecond)
	}
	return fmt.Errorf("PostgreSQL isn't ready after 30 seconds")
}
