module github.com/retrysafe/retrysafe/sdk

go 1.25.0
