package notary

// WaitForReading waits until the daily reading has come to its end.
func (s *Signer) WaitForReading() { s.reading.running.Wait() }
