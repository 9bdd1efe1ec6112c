package plan

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// initialisms are written in capitals, as Go's own code review comments ask for.
var initialisms = func() map[string]string {
	m := map[string]string{
		"oauth": "OAuth", "oauth2": "OAuth2", "ids": "IDs", "urls": "URLs", "uris": "URIs", "apis": "APIs", "ips": "IPs",
		"uuids": "UUIDs", "skus": "SKUs", "vms": "VMs", "pdfs": "PDFs", "ipv4": "IPv4", "ipv6": "IPv6", "graphql": "GraphQL",
		"utf8": "UTF8", "sha256": "SHA256", "sha1": "SHA1", "md5": "MD5", "acls": "ACLs", "cpus": "CPUs", "gpus": "GPUs",
	}
	for word := range strings.FieldsSeq(`acl api arn ascii bic cidr cpu crm csr css csv cvc cvv db dns eof fqdn gb gid gpu
		guid html http https iban id idp imei io ip iso jpeg json jwk jwks jwt kyc mb mfa nfc oidc ok os otp pdf png qps
		qr ram rpc rsa rtp saas saml scim sdk sip sku sla sms smtp sql ssd ssh ssl sso svg tcp tls totp ttl tts udp ui
		uid upc uri url usb uuid vat vcpu vin vm vms vpc vpn xml xmpp xsrf xss`) {
		if m[word] == "" {
			m[word] = strings.ToUpper(word)
		}
	}
	return m
}()

// symbols are said in words where a name consists of them or begins with one.
var symbols = map[rune]string{
	'+': "Plus", '-': "Minus", '*': "Star", '/': "Slash", '%': "Percent", '=': "Equal", '<': "Less", '>': "Greater",
	'!': "Not", '&': "And", '|': "Or", '~': "Tilde", '^': "Caret", '@': "At", '#': "Hash", '$': "Dollar", '?': "Question",
	'.': "Dot", ',': "Comma", ':': "Colon", ';': "Semicolon", '(': "Open", ')': "Close", '[': "Open", ']': "Close",
	'_': "Underscore", ' ': "Space", '"': "Quote", '\'': "Quote", '`': "Backtick", '\\': "Backslash", '{': "Open", '}': "Close",
	'€': "Euro", '£': "Pound",
}

// words takes a name of any convention apart: order_id, orderID, OrderId and order-id give order and id.
func words(name string) []string {
	var list []string
	var current []rune
	flush := func() {
		if len(current) > 0 {
			list = append(list, string(current))
			current = nil
		}
	}
	runes := []rune(name)
	for i, r := range runes {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			flush()
			continue
		}
		if n := len(current); n > 0 && unicode.IsUpper(r) {
			previous := current[n-1]
			next := i+1 < len(runes) && unicode.IsLower(runes[i+1])
			switch {
			case unicode.IsLower(previous), unicode.IsDigit(previous) && next:
				flush()
			case unicode.IsUpper(previous) && next && !pluralTail(runes[i:]) && !mixedCase(previous, runes[i:]):
				flush()
			}
		}
		current = append(current, r)
	}
	flush()
	return list
}

// pluralTail tells the s of IDs and URLs from the start of a word.
func pluralTail(rest []rune) bool {
	return len(rest) >= 2 && rest[1] == 's' && (len(rest) == 2 || !unicode.IsLower(rest[2]) && rest[0] != 'I' && rest[0] != 'A')
}

// mixedCase tells the inside of IPv4, IPv6 and OAuth from the start of a word.
func mixedCase(previous rune, rest []rune) bool {
	switch text := string(rest[:min(len(rest), len("Auth"))]); previous {
	case 'I':
		return strings.HasPrefix(text, "Pv4") || strings.HasPrefix(text, "Pv6")
	case 'O':
		return text == "Auth" && (len(rest) == len(text) || !unicode.IsLower(rest[len(text)]))
	}
	return false
}

// pascal writes a name as Go writes exported names: words together, each with a capital, initialisms in capitals. A
// result that would begin with a digit begins with a letter all the same only when the caller puts one before it.
func pascal(name string) string {
	var b strings.Builder
	list := words(name)
	shout := isShout(list)
	for i, w := range list {
		part := wordCase(w, shout)
		if i > 0 && endsInDigit(b.String()) && beginsWithDigit(part) {
			b.WriteString("x") // 1_2 is not 12
		}
		b.WriteString(part)
	}
	return b.String()
}

func wordCase(w string, shout bool) string {
	lower := strings.ToLower(w)
	if fixed, ok := initialisms[lower]; ok {
		return fixed
	}
	if shout {
		w = lower
	}
	r, size := utf8.DecodeRuneInString(w)
	return string(unicode.ToUpper(r)) + w[size:]
}

// isShout reports whether a name is all capitals, as constants of other languages are.
func isShout(list []string) bool {
	letters := 0
	for _, w := range list {
		for _, r := range w {
			if unicode.IsLower(r) {
				return false
			}
			if unicode.IsUpper(r) {
				letters++
			}
		}
	}
	return letters > 1
}

func endsInDigit(s string) bool {
	return s != "" && s[len(s)-1] >= '0' && s[len(s)-1] <= '9'
}

func beginsWithDigit(s string) bool {
	return s != "" && s[0] >= '0' && s[0] <= '9'
}

// exported makes an exported Go identifier of any text; fallback stands for a text without a letter or a digit.
func exported(name, fallback string) string {
	s := pascal(name)
	if s == "" {
		s = spell(name)
	}
	if s == "" {
		return fallback
	}
	r, _ := utf8.DecodeRuneInString(s)
	if unicode.IsUpper(r) {
		return s
	}
	if unicode.IsDigit(r) {
		return "N" + s
	}
	return "X" + s // a script without capitals
}

// spell says a text of symbols in words.
func spell(text string) string {
	var b strings.Builder
	for _, r := range text {
		b.WriteString(symbols[r])
	}
	return b.String()
}

// valueName names one value of an enum behind its type's name, so it may begin with a digit.
func valueName(value string, number bool) string {
	if value == "" {
		return "Empty"
	}
	trimmed := strings.TrimSpace(value)
	if trimmed == "" {
		return "Blank"
	}
	if number {
		value = strings.NewReplacer("-", "Minus ", "+", "Plus ", ".", " Point ").Replace(value)
		return pascal(value)
	}
	name := pascal(trimmed)
	if name == "" {
		if name = spell(trimmed); name == "" {
			return "Other"
		}
		return name
	}
	if first, _ := utf8.DecodeRuneInString(trimmed); first != '_' && first != '$' && first != '#' && first != '/' && first != '.' && first != '@' && first != '"' {
		if word, ok := symbols[first]; ok && first != '(' && first != '[' && first != '{' && first != '\'' {
			name = word + name
		}
	}
	return name
}

// unexported writes a name as Go writes local names: orderID, id, urlPath.
func unexported(name string) string {
	list := words(name)
	if len(list) == 0 {
		return ""
	}
	s := exported(name, "")
	first := wordCase(list[0], isShout(list))
	if beginsWithDigit(first) {
		return "n" + first + s[min(len(s), len(first)+1):]
	}
	rest := strings.TrimPrefix(s, first)
	if first == strings.ToUpper(first) {
		return strings.ToLower(first) + rest
	}
	r, size := utf8.DecodeRuneInString(first)
	return string(unicode.ToLower(r)) + first[size:] + rest
}

// singular gives one of many: lines is a list of line.
func singular(word string) string {
	lower := strings.ToLower(word)
	switch {
	case strings.HasSuffix(lower, "ies") && len(word) > 4:
		return word[:len(word)-3] + "y"
	case strings.HasSuffix(lower, "sses"), strings.HasSuffix(lower, "xes"), strings.HasSuffix(lower, "ches"),
		strings.HasSuffix(lower, "shes"), strings.HasSuffix(lower, "zes") && !strings.HasSuffix(lower, "izes"):
		return word[:len(word)-2]
	case strings.HasSuffix(lower, "ses") && !strings.HasSuffix(lower, "uses") && len(word) > 4 &&
		(strings.HasSuffix(lower, "ases") || strings.HasSuffix(lower, "nses")):
		return word[:len(word)-1]
	case strings.HasSuffix(lower, "atuses"), strings.HasSuffix(lower, "buses"):
		return word[:len(word)-2]
	case strings.HasSuffix(lower, "ss"), strings.HasSuffix(lower, "us"), strings.HasSuffix(lower, "is"), strings.HasSuffix(lower, "news"):
		return word
	case strings.HasSuffix(lower, "s") && len(word) > 2:
		return word[:len(word)-1]
	}
	return word
}
