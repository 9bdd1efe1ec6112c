module github.com/retrysafe/retrysafe/examples/observability

go 1.26.0

replace (
	github.com/retrysafe/retrysafe/examples => ..
	github.com/retrysafe/retrysafe/sdk => ../../sdk
	github.com/retrysafe/retrysafe/server => ../../server
)
