module github.com/retrysafe/retrysafe/sdk

go 1.25.0

require (
	github.com/google/uuid v1.6.0
	github.com/hashicorp/go-retryablehttp v0.7.8
	github.com/jarcoal/httpmock v1.4.2
	go.uber.org/goleak v1.3.0
	golang.org/x/time v0.15.0
)

require github.com/hashicorp/go-cleanhttp v0.5.2 // indirect
