package arena

// OpenTrials returns how many trials there are, and how many there may be.
func OpenTrials() (n, limit int) {
	court.mu.Lock()
	defer court.mu.Unlock()
	return len(court.trials), maxTrials
}
