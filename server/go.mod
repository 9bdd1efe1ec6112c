module github.com/retrysafe/retrysafe/server

go 1.25.0
