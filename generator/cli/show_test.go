package cli

import (
	"bytes"
	"testing"
	"testing/synctest"
	"time"
)

// A run within a second shows nothing; a longer one shows its step each second, and leaves a clean line behind.
func TestProgress(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		p := &progress{out: &out, start: time.Now()}
		shown := func() string {
			p.mu.Lock() // a timer writes
			defer p.mu.Unlock()
			return out.String()
		}
		p.step("load")
		time.Sleep(900 * time.Millisecond)
		p.step("plan")
		if text := shown(); text != "" {
			t.Errorf("within a second: %q", text)
		}
		time.Sleep(200 * time.Millisecond)
		synctest.Wait()
		p.step("render")
		time.Sleep(time.Second)
		synctest.Wait()
		p.done()
		const line = "\r\x1b[K"
		if want := line + "plan ... 1s" + line + "render ... 1s" + line + "render ... 2s" + line; shown() != want {
			t.Errorf("got  %q\nwant %q", shown(), want)
		}
		out.Reset()
		p.step("write")
		time.Sleep(5 * time.Second)
		if out.Len() > 0 {
			t.Errorf("after the end: %q", out.String())
		}
	})
}

// What is not a terminal is told nothing on the way, and neither is one that asked for silence.
func TestProgressIsForTerminals(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		p := newProgress(&out, false)
		p.step("load")
		time.Sleep(5 * time.Second)
		synctest.Wait()
		p.done()
		if out.Len() > 0 {
			t.Errorf("a buffer is told %q", out.String())
		}
	})
}
