package main

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

const (
	changelogFile = "CHANGELOG.md"
	repository    = "https://github.com/harena-go/arena"
)

var (
	versionForm = regexp.MustCompile(`^v([01])\.(0|[1-9]\d*)\.(0|[1-9]\d*)$`)
	heading     = regexp.MustCompile(`(?m)^## \[(.+?)\].*\n`)
	compareLink = regexp.MustCompile(`(?m)^\[Unreleased\]: .*$`)
	links       = regexp.MustCompile(`(?m)^\[.+\]: .*\n?`)
)

// changelog moves the entries under Unreleased to a section of their own.
func changelog(text, version, date string) (string, error) {
	n, err := numbers(version)
	if err != nil {
		return "", err
	}
	headings := heading.FindAllStringSubmatch(text, 2)
	if len(headings) == 0 || headings[0][1] != "Unreleased" || !compareLink.MatchString(text) {
		return "", fmt.Errorf("%s has no heading or no link for [Unreleased]", changelogFile)
	}
	if len(headings) == 2 {
		newest, err := numbers("v" + headings[1][1])
		if err != nil || slices.Compare(n[:], newest[:]) <= 0 {
			return "", errors.Join(err, fmt.Errorf("%s comes after v%s, not before", version, headings[1][1]))
		}
	}
	if changes, err := notes(text, "Unreleased"); err != nil || changes == "" {
		return "", errors.Join(err, fmt.Errorf("%s has nothing under Unreleased", changelogFile))
	}
	text = strings.Replace(text, headings[0][0], fmt.Sprintf("## [Unreleased]\n\n## [%s] - %s\n", version[1:], date), 1)
	links := fmt.Sprintf("[Unreleased]: %s/compare/%s...HEAD\n[%s]: %[1]s/releases/tag/%[2]s",
		repository, version, version[1:])
	return compareLink.ReplaceAllString(text, links), nil
}

// notes returns the section of a version, without its heading and the links at the end of the file.
func notes(text, version string) (string, error) {
	all := heading.FindAllStringSubmatchIndex(text, -1)
	for i, h := range all {
		if text[h[2]:h[3]] == strings.TrimPrefix(version, "v") {
			end := len(text)
			if i+1 < len(all) {
				end = all[i+1][0]
			}
			return strings.TrimSpace(links.ReplaceAllString(text[h[1]:end], "")), nil
		}
	}
	return "", fmt.Errorf("%s has no section %s", changelogFile, version)
}

// numbers returns the three numbers of a version.
func numbers(version string) (n [3]int, err error) {
	m := versionForm.FindStringSubmatch(version)
	if m == nil {
		return n, fmt.Errorf("version %q isn't v0.N.N or v1.N.N; others need other module paths", version)
	}
	for i := range n {
		if n[i], err = strconv.Atoi(m[i+1]); err != nil {
			return n, err
		}
	}
	return n, nil
}
