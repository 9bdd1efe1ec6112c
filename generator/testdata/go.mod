module github.com/retrysafe/retrysafe/generator/testdata

go 1.25.0

require github.com/retrysafe/retrysafe/sdk v0.0.0

require (
	github.com/google/uuid v1.6.0 // indirect
	github.com/hashicorp/go-cleanhttp v0.5.2 // indirect
	github.com/hashicorp/go-retryablehttp v0.7.8 // indirect
	golang.org/x/time v0.15.0 // indirect
)

replace github.com/retrysafe/retrysafe/sdk => ../../sdk
