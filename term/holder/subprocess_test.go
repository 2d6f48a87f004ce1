package holder_test

// subprocessWord makes the test binary something that a test starts.
const subprocessWord = "holder-test"

func subprocess(what string, args []string) {}
