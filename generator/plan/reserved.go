package plan

// ReservedTypes are the package-level names that the printed package uses for itself: types, fields of a plan must not
// take them. Names that begin with With, New, op, cases and fake-prefixed ones of the same spelling are taken as the
// printed options, constructors and records need them.
var ReservedTypes = []string{
	"Client", "New", "Headers", "HeadersOf", "Webhook", "Fake", "ParseWebhook", "Option", "Error", "ResponseInfo", "Download", "Version", "ServerURL", "ErrDryRun",
}

// ReservedArgs are the names that a printed method uses beside its positional arguments, with the packages that it
// refers to.
var ReservedArgs = []string{
	"ctx", "opts", "s", "in", "out", "err", "params", "body", "client", "wire", "transport", "keys", "context", "iter",
	"json", "io", "time", "http", "api",
}

// ReservedMethods are the names that a printed service has beside the methods of the plan.
var ReservedMethods = []string{"core"}
