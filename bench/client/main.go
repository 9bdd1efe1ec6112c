package main

import "bytes"

// payload is a JSON body of 1 KiB.
func payload() []byte {
	const head, tail = `{"note":"`, `"}`

	return []byte(head + string(bytes.Repeat([]byte("x"), 1024-len(head)-len(tail))) + tail)
}

func main() {}
