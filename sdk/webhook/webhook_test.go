package webhook_test

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/retrysafe/retrysafe/sdk/webhook"
)

const (
	secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
	other  = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD"
	id     = "msg_p5jXN8AQM9LWM0D4loKWxJek"
	body   = `{"test": 2432232314}`
)

// sent is the time of the example that the reference implementations test themselves with.
var sent = time.Unix(1614265330, 0)

func header(signature string) http.Header {
	h := http.Header{}
	h.Set("webhook-id", id)
	h.Set("webhook-timestamp", strconv.FormatInt(sent.Unix(), 10))
	h.Set("webhook-signature", signature)
	return h
}

const good = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="

func TestVerify(t *testing.T) {
	t.Parallel()
	type call struct {
		secrets []string
		header  http.Header
		body    string
		now     time.Time
	}
	with := func(name, value string) http.Header {
		h := header(good)
		if value == "" {
			h.Del(name)
		} else {
			h.Set(name, value)
		}
		return h
	}
	for _, tt := range []struct {
		name string
		call call
		want error
	}{
		{"the reference example", call{[]string{secret}, header(good), body, sent}, nil},
		{"without the prefix", call{[]string{strings.TrimPrefix(secret, "whsec_")}, header(good), body, sent}, nil},
		{"a second secret", call{[]string{other, secret}, header(good), body, sent}, nil},
		{"several signatures", call{[]string{secret}, header("v1,AAAA v1a,xyz v2," + good[3:] + " " + good), body, sent}, nil},
		{"at the edge, late", call{[]string{secret}, header(good), body, sent.Add(webhook.Tolerance)}, nil},
		{"at the edge, early", call{[]string{secret}, header(good), body, sent.Add(-webhook.Tolerance)}, nil},
		{"too old", call{[]string{secret}, header(good), body, sent.Add(webhook.Tolerance + time.Second)}, webhook.ErrTooOld},
		{"too new", call{[]string{secret}, header(good), body, sent.Add(-webhook.Tolerance - time.Second)}, webhook.ErrTooNew},
		{"another body", call{[]string{secret}, header(good), body + " ", sent}, webhook.ErrNoSignature},
		{"another secret", call{[]string{other}, header(good), body, sent}, webhook.ErrNoSignature},
		{"another id", call{[]string{secret}, with("webhook-id", "msg_x"), body, sent}, webhook.ErrNoSignature},
		{"another time", call{[]string{secret}, with("webhook-timestamp", "1614265331"), body, sent}, webhook.ErrNoSignature},
		{"another version", call{[]string{secret}, header("v2" + good[2:]), body, sent}, webhook.ErrNoSignature},
		{"no version", call{[]string{secret}, header(good[3:]), body, sent}, webhook.ErrNoSignature},
		{"cut", call{[]string{secret}, header(good[:len(good)-4]), body, sent}, webhook.ErrNoSignature},
		{"not base64", call{[]string{secret}, header("v1,!"), body, sent}, webhook.ErrNoSignature},
		{"empty signature", call{[]string{secret}, header("v1,"), body, sent}, webhook.ErrNoSignature},
		{"no id", call{[]string{secret}, with("webhook-id", ""), body, sent}, webhook.ErrHeaders},
		{"no time", call{[]string{secret}, with("webhook-timestamp", ""), body, sent}, webhook.ErrHeaders},
		{"no signature", call{[]string{secret}, with("webhook-signature", ""), body, sent}, webhook.ErrHeaders},
		{"a time in words", call{[]string{secret}, with("webhook-timestamp", "now"), body, sent}, webhook.ErrHeaders},
		{"a time out of range", call{[]string{secret}, with("webhook-timestamp", "99999999999999999999"), body, sent}, webhook.ErrHeaders},
		{"a time of long ago", call{[]string{secret}, with("webhook-timestamp", "-9223372036854775808"), body, sent}, webhook.ErrTooOld},
		{"a time far ahead", call{[]string{secret}, with("webhook-timestamp", "9223372036854775807"), body, sent}, webhook.ErrTooNew},
	} {
		v, err := webhook.New(tt.call.secrets...)
		if err != nil {
			t.Fatal(err)
		}
		if err := v.Verify(tt.call.header, []byte(tt.call.body), tt.call.now); !errors.Is(err, tt.want) {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
}

func TestSecrets(t *testing.T) {
	t.Parallel()
	for _, secrets := range [][]string{nil, {""}, {"whsec_"}, {"whsec_s3cr3t!"}, {secret, "?"}} {
		_, err := webhook.New(secrets...)
		if !errors.Is(err, webhook.ErrNoSecret) || strings.Contains(err.Error(), "s3cr3t") {
			t.Errorf("%q: %v", secrets, err)
		}
	}
	v, err := webhook.New(secret)
	if err != nil {
		t.Fatal(err)
	}
	if shown := fmt.Sprintf("%v %+v %#v %v", v, v, v, *v); strings.Contains(shown, "49 242") || strings.Contains(shown, "0x31, 0xf2") {
		t.Errorf("the key is shown: %s", shown)
	}
}

func TestSign(t *testing.T) {
	t.Parallel()
	h, err := webhook.Sign(secret, id, sent, []byte(body))
	if err != nil || !maps.EqualFunc(h, header(good), func(a, b []string) bool { return a[0] == b[0] }) {
		t.Errorf("got %v, %v", h, err)
	}
	for _, bad := range []struct {
		secret, id string
		want       error
	}{{"?", id, webhook.ErrNoSecret}, {secret, "", webhook.ErrHeaders}, {secret, "a.b", webhook.ErrHeaders}} {
		if _, err := webhook.Sign(bad.secret, bad.id, sent, nil); !errors.Is(err, bad.want) {
			t.Errorf("%v: %v", bad, err)
		}
	}
}

func FuzzVerify(f *testing.F) {
	f.Add(id, "1614265330", good, body)
	f.Add("", "-1", "v1, v1,=", "")
	f.Fuzz(func(t *testing.T, id, stamp, signature, text string) {
		v, err := webhook.New(secret)
		if err != nil {
			t.Fatal(err)
		}
		h := http.Header{"Webhook-Id": {id}, "Webhook-Timestamp": {stamp}, "Webhook-Signature": {signature}}
		err = v.Verify(h, []byte(text), sent)
		if err == nil && (text != body || !strings.Contains(signature, good)) {
			t.Fatalf("%q %q %q %q was taken for genuine", id, stamp, signature, text)
		}
	})
}
