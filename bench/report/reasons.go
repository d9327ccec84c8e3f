package report

// reasons says, for goals that were missed on the machine of RESULTS.md, what
// was found: with a profile, with the assembly. A reason is one or two
// sentences, under the goal's key.
var reasons = map[string]string{}

// unexplained is what the report says of a missed goal that has no reason.
const unexplained = "not explained yet"

// why is the reason for missing the goal of this key.
func why(key string) string {
	if r, ok := reasons[key]; ok {
		return r
	}
	return unexplained
}
