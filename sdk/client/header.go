package client

import "github.com/retrysafe/retrysafe/sdk/wire"

// HeaderOf reads a typed header of an answer; false when the answer does not have it or it does not read as T.
// Generated Headers types call it.
func HeaderOf[T any](info *ResponseInfo, name string) (T, bool) {
	var out T
	found, err := wire.DecodeHeader(info.Header, name, false, &out)
	return out, found && err == nil
}
