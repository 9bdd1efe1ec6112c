package webhook_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"time"

	"github.com/retrysafe/retrysafe/sdk/webhook"
)

func Example() {
	verifier, err := webhook.New("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
	if err != nil {
		fmt.Println(err)
		return
	}
	now := time.Now
	handler := func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<20))
		if err != nil || verifier.Verify(r.Header, body, now()) != nil {
			http.Error(w, "not a webhook of ours", http.StatusBadRequest)
			return
		}
		fmt.Println("handled", r.Header.Get(webhook.HeaderID))
	}

	body := `{"type":"order.paid"}`
	req := httptest.NewRequest(http.MethodPost, "/hooks", strings.NewReader(body))
	req.Header, _ = webhook.Sign("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "msg_1", now(), []byte(body))
	handler(httptest.NewRecorder(), req)
	// Output: handled msg_1
}

// A provider with a scheme of its own: the hexadecimal HMAC-SHA256 of the body in one header.
func ExampleVerifyFunc() {
	var verify webhook.VerifyFunc = func(header http.Header, body []byte, _ time.Time) error {
		mac := hmac.New(sha256.New, []byte("key"))
		mac.Write(body)
		if !hmac.Equal([]byte(header.Get("X-Signature")), []byte(hex.EncodeToString(mac.Sum(nil)))) {
			return errors.New("no match")
		}
		return nil
	}
	h := http.Header{}
	h.Set("X-Signature", "5031fe3d989c6d1537a013fa6e739da23463fdaec3b70137d828e36ace221bd0")
	fmt.Println(verify(h, []byte("data"), time.Now()))
	// Output: <nil>
}
