// Command upload stores a file and fetches it again.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/retrysafe/retrysafe/examples/internal/example"
	"github.com/retrysafe/retrysafe/sdk"
	"github.com/retrysafe/retrysafe/sdk/wire"
)

func main() { example.Main(run) }

func run(ctx context.Context, baseURL string, out io.Writer) error {
	client, err := sdk.New(sdk.WithBaseURL(baseURL), sdk.WithBearerToken("demo"), sdk.WithLogger(nil))
	if err != nil {
		return err
	}
	customer, err := client.Customers.Create(ctx, sdk.CreateCustomerRequest{Name: "Ada Example", Email: "ada@example.com"})
	if err != nil {
		return err
	}
	path, err := contract()
	if err != nil {
		return err
	}
	defer os.Remove(path)
	// A file can be read again from its start, so an upload that breaks is sent again.
	file, err := wire.FromFile(path)
	if err != nil {
		return err
	}
	var info sdk.ResponseInfo
	document, err := client.Documents.Upload(ctx, customer.ID, sdk.UploadDocumentRequest{
		File: file, Kind: sdk.DocumentKindContract, Labels: []string{"signed"},
	}, sdk.WithResponse(&info), sdk.WithHeader("X-Shop-Fault", "drop-after"))
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "stored %d bytes in %d attempts\n", document.Size, info.Attempts)

	return fetch(ctx, client, document.ID, out)
}

// fetch downloads a file; the connection breaks in the middle, and the download goes on from there.
func fetch(ctx context.Context, client *sdk.Client, id string, out io.Writer) error {
	download, err := client.Documents.Download(ctx, id, sdk.DownloadDocumentParams{}, sdk.WithHeader("X-Shop-Fault", "cut-after"))
	if err != nil {
		return err
	}
	defer download.Close()
	n, err := io.Copy(io.Discard, download)
	fmt.Fprintf(out, "fetched %d bytes\n", n)
	return err
}

// contract writes a file of 1 MiB and gives its path.
func contract() (string, error) {
	path := filepath.Join(os.TempDir(), "retrysafe-example.pdf")
	return path, os.WriteFile(path, make([]byte, 1<<20), 0o600)
}
