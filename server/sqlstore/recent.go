package sqlstore

import (
	"encoding/binary"
	"sync/atomic"
)

// Buckets and ways of recent: 128 KiB for the last 32,768 answers. With one way a thousand keys already push each other
// out, and each of those costs three round trips in place of one.
const (
	recentBuckets = 1 << 13
	recentWays    = 4
)

// recent remembers scopes that have a complete record, so that their next request reads before it tries to claim. It
// is a hint: a wrong one costs a read, never an effect. The newest of a bucket comes first.
type recent [recentBuckets][recentWays]atomic.Uint32

func (r *recent) place(id scopeID) (*[recentWays]atomic.Uint32, uint32) {
	return &r[binary.BigEndian.Uint32(id[:4])%recentBuckets], binary.BigEndian.Uint32(id[4:8]) | 1 // zero is an empty place
}

func (r *recent) add(id scopeID) {
	bucket, tag := r.place(id)
	for i := range bucket {
		if tag = bucket[i].Swap(tag); tag == 0 {
			return
		}
	}
}

func (r *recent) has(id scopeID) bool {
	bucket, tag := r.place(id)
	for i := range bucket {
		if bucket[i].Load() == tag {
			return true
		}
	}
	return false
}
