// Package sqlstore is part of the server half.
package sqlstore
